"""``dialmeter tracker bias``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from msgspec import UNSET

from ...core.document import make_document
from ...errors import DialmeterError
from ...model import Notice
from ...studies.bias import BiasStudy, notices_of_study, rows_of, sign_changes, study_bias, summary, verdicts
from ...tracking.baselines import TRIVIAL, MeasuredTracker, score_with_yardsticks
from ...views import bias as views
from ...views.bias import bias_charts
from ...views.latex import Paper
from ...views.tables import Table
from ...views.tracker import signature_of
from .. import options as shared
from ..printer import Block, Output
from ..progress import expect_files, track_reading
from ..several import match_gold_files, name_files, scores_and_accounts
from ..study import study_options
from .study_documents import TrackerBiasDocument

POOLED = "pooled"


@shared.command("bias")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared.source_options("the files", several=True)
@shared.schema_option
@shared.only_option
@shared.measure_option
@shared.rule_options
@click.option(
    "--trivial",
    "yardsticks",
    multiple=True,
    type=click.Choice([*TRIVIAL, "none"]),
    help="Trivial tracker as yardstick; may be repeated (default: all).",
)
@shared.interval_options(resamples=1000)
@click.option("--all-pairs", is_flag=True, help="Print all pairs of measures, not only pairs with GCA.")
@click.option("--all-dialogues", is_flag=True, help="With --json: include every dialogue with its traits and values.")
@shared.paper_options
@shared.chart_options
@study_options
def bias(**options: Any) -> Output:
    """Test whether measures depend on where in a dialogue mistakes are.

    Correlate every measure with the tail-orientedness (TO) and the non-uniformity (NU) of mistakes, over the dialogues of each
    FILE and of all files together. The result says whether the published claim about FGA and GCA holds on these dialogues.
    """
    arguments = shared.prediction_arguments(options)
    resampling = shared.resampling_from_options(options)
    if resampling is None:
        raise DialmeterError("the study needs intervals; give --ci between 0 and 1, such as 0.95")
    yardsticks = options["yardsticks"] or list(TRIVIAL)
    expect_files(len(options["files"]))
    measured = {
        system: score_with_yardsticks(
            file,
            gold,
            names=[name for name in yardsticks if name != "none"],
            seed=options["seed"],
            **arguments,
            resampling=resampling,
            watch=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
        )
        for system, file, gold in _inputs(options["files"], options["gold"])
    }
    rows = {system: rows_of(each.result, system) for system, each in measured.items()}
    studies = [
        study_bias(tracker_rows, system=system, confidence=resampling.confidence)
        for system, tracker_rows in rows.items()
    ]
    if len(rows) > 1:
        all_rows = [row for tracker_rows in rows.values() for row in tracker_rows]
        studies.append(study_bias(all_rows, system=POOLED, confidence=resampling.confidence))
    notices = _notices(measured, studies)
    return Output(
        document=lambda charts: _document(measured, studies, notices, charts, options["all_dialogues"]),
        parts=_parts(measured, studies, options),
        notices=notices,
        charts=lambda: bias_charts(studies),
    )


def _inputs(files: tuple[str, ...], golds: tuple[str, ...]) -> list[tuple[str, str, str | None]]:
    """Return name, prediction file and gold file of every tracker."""
    gold_files = match_gold_files(files, golds)
    if len(set(files)) < len(files):
        raise DialmeterError("a file is given twice")
    names = name_files(files, [], "trackers", [POOLED] if len(files) > 1 else [])[: len(files)]
    return list(zip(names, files, gold_files, strict=True))


def _notices(measured: dict[str, MeasuredTracker], studies: list[BiasStudy]) -> list[Notice]:
    seen: dict[tuple[str, str], Notice] = {}
    for each in measured.values():
        seen |= {(notice.code, notice.message): notice for notice in each.result.notices}
    return [*seen.values(), *(notice for each in studies for notice in notices_of_study(each))]


def _document(
    measured: Mapping[str, MeasuredTracker],
    studies: Sequence[BiasStudy],
    notices: Sequence[Notice],
    charts: list[str],
    with_rows: bool,
) -> TrackerBiasDocument:
    rows = [row for study in studies if study.system in measured for row in study.rows]
    return make_document(
        TrackerBiasDocument,
        **scores_and_accounts({name: each.result for name, each in measured.items()}),
        counts={
            "systems": len(measured),
            "dialogues": len(rows),
            "turns": sum(len(row.mistakes) for row in rows),
            "dialogues_with_mistakes": sum(any(row.mistakes) for row in rows),
        },
        warnings=notices,
        confidence=studies[0].confidence,
        correlations=[each for study in studies for each in study.correlations],
        pairs=[each for study in studies for each in study.pairs],
        between=[each for study in studies for each in study.between],
        verdicts=[each for study in studies for each in verdicts(study)],
        sign_changes=[each for study in studies for each in sign_changes(study)],
        summary=[{"system": study.system, "sentences": summary(study)} for study in studies],
        yardsticks=[
            {
                "system": name,
                "yardstick": trivial,
                "about": TRIVIAL[trivial].about,
                "scores": result.to_dicts(),
            }
            for name, each in measured.items()
            for trivial, result in each.yardsticks.items()
        ],
        dialogues=rows if with_rows else UNSET,
        charts=charts,
    )


def _parts(
    measured: Mapping[str, MeasuredTracker], studies: Sequence[BiasStudy], options: dict[str, Any]
) -> Iterator[Block]:
    every_pair = options["all_pairs"]
    yield Block(views.long_table(studies, every_pair), ("csv",))
    pages = {each.system: _page(each, measured.get(each.system), every_pair) for each in studies}
    yield Block(views.markdown_page(pages, Paper(bold=options["bold"])), ("markdown",))
    for number, (system, (tables, sentences)) in enumerate(pages.items()):
        gap = "\n" if number else ""
        yield Block(gap + _heading(system, measured, studies[number]), ("text",))
        yield Block("\n".join(sentences), ("text", "latex"), gap=("text",))
        yield from (Block(table, ("text", "latex")) for table in tables)


def _page(study: BiasStudy, measured: MeasuredTracker | None, every_pair: bool) -> tuple[list[Table], list[str]]:
    bias_verdicts = verdicts(study)
    tables, sentences = views.tables_of(study, bias_verdicts, every_pair), summary(study)
    if measured is not None:
        tables.insert(0, views.yardstick_table(study.system, measured.result, measured.yardsticks))
        sentences.append(f"Signature: {signature_of(measured.result.scores)}")
    return tables, sentences


def _heading(system: str, measured: Mapping[str, MeasuredTracker], study: BiasStudy) -> str:
    with_mistakes = sum(any(row.mistakes) for row in study.rows)
    parts = [system, f"{with_mistakes} of {len(study.rows)} dialogues with a mistake"]
    if system in measured:
        parts[1:1] = [f"format {measured[system].format}"]
        parts += [f"{measured[system].result.turns} turns", f"rules {measured[system].result.rules.name}"]
    return "  ".join(parts)
