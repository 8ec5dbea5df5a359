"""``dialmeter tracker bias``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...errors import DialmeterError, one_line
from ...model import Notice
from ...studies.bias.bias_verdict import notices_of_study, summary, verdicts
from ...studies.bias.correlations import BiasStudy, rows_of, study_bias
from ...tracking.baselines import TRIVIAL, MeasuredTracker, score_with_yardsticks
from ...views import bias as report
from ...views.bias import bias_charts
from ...views.bias_json import plain
from ...views.tables import Table, render
from ...views.tracker import shared_signature
from ..option_kinds import max_bytes_option
from ..options import (
    chart_options,
    chosen_dialogues,
    chosen_resampling,
    chosen_rules,
    interval_options,
    measure_option,
    quiet_option,
    rule_options,
    style_options,
)
from ..say import document, draw, print_json, warn, watched

POOLED = "pooled"


@click.command("bias")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--gold", multiple=True, metavar="FILE", help="Gold states: one for all files, or one for each.")
@click.option("--from", "form", metavar="FORMAT", help="The format of the files; found where it is not named.")
@click.option("--gold-from", "gold_form", metavar="FORMAT", help="The format of the gold files.")
@click.option("--schema", metavar="FILE", help="The slots that exist (SGD schema, ontology, or a list).")
@click.option(
    "--only",
    metavar="LIST",
    help="A file with one dialogue id per line: study only these; all must be there, see --missing.",
)
@measure_option
@rule_options
@click.option(
    "--trivial",
    "yardsticks",
    multiple=True,
    type=click.Choice([*TRIVIAL, "none"]),
    help="A trivial tracker as yardstick; may be repeated. All where it is not given.",
)
@interval_options(resamples=1000)
@click.option("--pairs", is_flag=True, help="Print every pair of measures, not only those with GCA.")
@click.option("--rows", is_flag=True, help="With --json: also every dialogue with its traits and values.")
@chart_options
@style_options
@max_bytes_option
@quiet_option
def bias(**options: Any) -> None:
    """Do measures depend on where in a dialogue mistakes fall?

    Correlates every measure with tail-orientedness (TO) and non-uniformity (NU) of mistakes over the dialogues of each
    FILE, and of all together, and says whether the published claim about FGA and GCA holds on them.
    """
    rules = chosen_rules(options)
    how = chosen_resampling(options)
    if how is None:
        raise DialmeterError("the study rests on intervals; choose --ci between 0 and 1, as in 0.95")
    wanted = options["yardsticks"] or list(TRIVIAL)
    measured = {
        system: score_with_yardsticks(
            file,
            gold,
            names=[name for name in wanted if name != "none"],
            seed=options["seed"],
            form=options["form"],
            gold_form=options["gold_form"],
            schema=options["schema"],
            only=chosen_dialogues(options),
            measures=options["measures"] or None,
            rules=rules,
            resampling=how,
            watch=lambda dialogues, corpus: watched(dialogues, corpus, options["quiet"]),
        )
        for system, file, gold in _inputs(options["files"], options["gold"])
    }
    rows = {system: rows_of(each.result, system) for system, each in measured.items()}
    studies = [study_bias(some, system=system, confidence=how.confidence) for system, some in rows.items()]
    if len(rows) > 1:
        together = [row for some in rows.values() for row in some]
        studies.append(study_bias(together, system=POOLED, confidence=how.confidence))
    notices = _notices(measured, studies)
    warn(notices, options["quiet"])
    charts = draw(bias_charts(studies), options)
    _print(measured, studies, notices, charts, options)


def _inputs(files: tuple[str, ...], golds: tuple[str, ...]) -> list[tuple[str, str, str | None]]:
    """Name, predictions and gold of every tracker."""
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    if len(set(files)) < len(files):
        raise DialmeterError("a file is given twice")
    stems = [Path(file).name.split(".")[0] or file for file in files]
    names = stems if len({*stems, POOLED}) > len(stems) else list(files)
    names = [one_line(name, 1000) for name in names]
    if len(set(names)) < len(names) or (POOLED in names and len(names) > 1):
        raise DialmeterError("two files would have the same name in the tables; rename one")
    matched = golds * len(files) if len(golds) == 1 else golds or (None,) * len(files)
    return list(zip(names, files, matched, strict=True))


def _notices(measured: dict[str, MeasuredTracker], studies: list[BiasStudy]) -> list[Notice]:
    seen: dict[tuple[str, str], Notice] = {}
    for each in measured.values():
        seen |= {(notice.code, notice.message): notice for notice in each.result.notices}
    return [*seen.values(), *(notice for each in studies for notice in notices_of_study(each))]


def _print(
    measured: dict[str, MeasuredTracker],
    studies: list[BiasStudy],
    notices: list[Notice],
    charts: list[str],
    options: dict[str, Any],
) -> None:
    style = options["style"]
    if style == "json":
        scores, counts, more = plain(measured, studies, options["rows"])
        more["charts"] = charts
        print_json(document("tracker", "tracker bias", scores, counts=counts, warnings=notices, **more))
        return
    if style == "csv":
        click.echo(render(report.long_table(studies, options["pairs"]), "csv"))
        return
    pages = {each.system: _page(each, measured.get(each.system), options["pairs"]) for each in studies}
    if style == "markdown":
        click.echo(report.markdown_page(pages))
        return
    for number, (system, (tables, sentences)) in enumerate(pages.items()):
        if style == "text":
            click.echo(("\n\n" if number else "") + _heading(system, measured, studies[number]))
            click.echo("\n" + "\n".join(sentences))
        else:
            click.echo("\n".join(f"% {sentence}" for sentence in sentences))
        for table in tables:
            click.echo("\n" + render(table, style))


def _page(one: BiasStudy, measured: MeasuredTracker | None, every_pair: bool) -> tuple[list[Table], list[str]]:
    found = verdicts(one)
    tables, sentences = report.tables_of(one, found, every_pair), summary(one)
    if measured is not None:
        tables.insert(0, report.yardstick_table(one.system, measured.result, measured.yardsticks))
        sentences.append(f"Signature: {shared_signature(measured.result.scores)}")
    return tables, sentences


def _heading(system: str, measured: dict[str, MeasuredTracker], one: BiasStudy) -> str:
    mistaken = sum(any(row.mistakes) for row in one.rows)
    parts = [system, f"{mistaken} of {len(one.rows)} dialogues with a mistake"]
    if system in measured:
        parts[1:1] = [f"format {measured[system].format}"]
        parts += [f"{measured[system].result.turns} turns", f"rules {measured[system].result.rules.name}"]
    return "  ".join(parts)
