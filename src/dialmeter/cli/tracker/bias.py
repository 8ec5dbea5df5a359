"""``dialmeter study bias``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ...core.document import Document, SignedScore
from ...errors import DialmeterError
from ...studies.bias import (
    BiasStudy,
    BiasVerdict,
    DialogueTraits,
    MeasureCorrelation,
    SignChange,
    TraitCorrelation,
    TraitDifference,
    notices_of_study,
    rows_of,
    study_bias,
)
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from ...views import bias as views
from ...views.bias import bias_charts
from ...views.summaries.studies import bias_summary
from ...views.tables import signature_of
from .. import options as shared
from ..frame import distinct_notices, document_output, scores_and_accounts
from ..printer import CSV, Block, Output, signature_blocks, table_blocks, typed_command
from ..progress import expect_files
from ..study import study_options
from . import inputs

POOLED = "pooled"


class TrackerBiasDocument(Document, kw_only=True):
    """The dependence of measures on the position of mistakes. Values are fractions; correlations are between -1 and 1.

    Attributes:
        between: correlations between measures.
        dialogues: with --verbose.
    """

    kind: str = "tracker"
    command: str = "study bias"
    scores: list[SignedScore]
    confidence: float
    correlations: list[TraitCorrelation]
    pairs: list[TraitDifference]
    between: list[MeasureCorrelation]
    verdicts: list[BiasVerdict]
    sign_changes: list[SignChange]
    dialogues: list[DialogueTraits] | UnsetType = UNSET


@shared.command("bias")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared.source_options("the files", several=True, names="Name of a tracker; give one for each file.")
@inputs.schema_option
@inputs.only_option
@shared.measure_option
@inputs.rule_options
@shared.interval_options(resamples=1000)
@shared.latex_option
@study_options
def bias(**options: Any) -> Output:
    """Test whether measures depend on where in a dialogue mistakes are.

    Correlate every measure with the tail-orientedness (TO) and the non-uniformity (NU) of mistakes, over the dialogues of each
    FILE and of all files together. The result says whether the published claim about FGA and GCA holds on these dialogues.
    """
    arguments = inputs.prediction_arguments(options)
    resampling = options["resampling"]
    if resampling is None:
        raise DialmeterError("the study needs intervals; give --set ci=0.95")
    if len(set(options["files"])) < len(options["files"]):
        raise DialmeterError("a file is given twice")
    named = inputs.named_files(options, "trackers", [POOLED] if len(options["files"]) > 1 else [])
    expect_files(len(options["files"]))
    results = {
        system: score_file(file, gold, **arguments, resampling=resampling) for system, (file, gold) in named.items()
    }
    for system, result in results.items():
        if not result.values_known:
            file, _ = named[system]
            raise DialmeterError(
                f"{file}: the file holds no values, only which slots are right; counts of missed, wrong and extra values need them"
            )
    rows = {system: rows_of(result, system) for system, result in results.items()}
    studies = [
        study_bias(tracker_rows, system=system, confidence=resampling.confidence)
        for system, tracker_rows in rows.items()
    ]
    if len(rows) > 1:
        all_rows = [row for tracker_rows in rows.values() for row in tracker_rows]
        studies.append(study_bias(all_rows, system=POOLED, confidence=resampling.confidence))
    notices = distinct_notices(results.values())
    notices += [notice for each in studies for notice in notices_of_study(each)]
    own_rows = [row for study in studies if study.system in results for row in study.rows]
    return document_output(
        TrackerBiasDocument,
        summary=bias_summary(
            studies[-1],
            next(iter(results.values())) if len(results) == 1 else None,
            typed_command(),
        ),
        parts=_parts(results, studies, options["verbose"]),
        notices=notices,
        charts=lambda: bias_charts(studies),
        **scores_and_accounts(results),
        counts={
            "systems": len(results),
            "dialogues": len(own_rows),
            "turns": sum(len(row.mistakes) for row in own_rows),
            "dialogues_with_mistakes": sum(any(row.mistakes) for row in own_rows),
        },
        confidence=studies[0].confidence,
        **{
            name: [each for study in studies for each in getattr(study, name)]
            for name in ("correlations", "pairs", "between", "verdicts", "sign_changes")
        },
        dialogues=own_rows if options["verbose"] else UNSET,
    )


def _parts(results: Mapping[str, TrackerResult], studies: Sequence[BiasStudy], every_pair: bool) -> Iterator[Block]:
    yield Block(views.long_table(studies, every_pair), CSV)
    for study in studies:
        result = results.get(study.system)
        tables = views.tables_of(study, every_pair)
        if result is not None:
            tables.insert(0, views.scores_table(study, result))
        yield from table_blocks(replace(table, title=f"{study.system}: {table.title}") for table in tables)
        if result is not None:
            yield from signature_blocks(signature_of(result.scores))
