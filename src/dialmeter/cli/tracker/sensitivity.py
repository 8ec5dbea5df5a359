"""``dialmeter study sensitivity``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ...core.account import format_accounts
from ...core.document import Document, IntervalMethod, SignedScore, describe_intervals
from ...errors import DialmeterError, NotApplicable
from ...studies.sensitivity import SchemaSensitivity, study_sensitivity
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from ...views import tracker as views
from ...views.summaries.studies import sensitivity_summary
from .. import options as shared
from ..frame import distinct_notices, document_output, scores_and_accounts
from ..printer import CSV, PROSE, Block, Output, result_blocks, signature_blocks, table_blocks, typed_command
from ..study import study_options
from . import inputs


class TrackerSensitivityDocument(Document, kw_only=True):
    """One tracker under several wordings of the schema, the original wording first. Values are fractions; a
    sensitivity may exceed 1.

    Attributes:
        intervals: the method of the intervals, or null with ci=0.
    """

    kind: str = "tracker"
    command: str = "study sensitivity"
    scores: list[SignedScore]
    intervals: IntervalMethod | None
    sensitivities: list[SchemaSensitivity]


@shared.command("sensitivity")
@click.argument("files", nargs=-1, required=True, metavar="ORIGINAL VARIANT...")
@shared.source_options("the files", several=True, names="Name of a wording; give one for each file.")
@shared.option("--only LIST", "Use only the dialogues in this file, one id per line.")
@shared.option(
    "--measure M* measures", "Measure of frames; may be repeated.", default=("JointGoalAccuracy", "AverageGoalAccuracy")
)
@shared.rules_option(default="sgd")
@shared.option("--limit", "Maximum number of dialogues to print, most sensitive first.", least=0, default=5)
@shared.interval_options(resamples=1000)
@shared.latex_option
@study_options
def sensitivity(**options: Any) -> Output:
    """Measure how much a tracker depends on the wording of the schema (SGD-X).

    ORIGINAL and each VARIANT have the predictions of one tracker on the same dialogues, each with another wording of the schema.
    Each needs gold and schema with the same wording, either in one --gold for each file or in the same file. The sensitivity is
    the mean over frames of (standard deviation over variants / mean over variants), without the original. It is 0 if the wording
    does not matter.
    """
    files = options["files"]
    if len(set(files)) < len(files):
        raise DialmeterError("a file is given twice; each wording is one file or folder")
    if len(files) < 3:
        raise DialmeterError(
            "study sensitivity needs a file with the original wording, and two or more with other wordings"
        )
    pairs = inputs.named_files(options, "wordings")
    arguments = inputs.prediction_arguments(options)
    try:
        results = {
            name: score_file(*pair, **arguments, resampling=options["resampling"]) for name, pair in pairs.items()
        }
    except NotApplicable as error:
        # There is no schema for all files here, because every variant has its own schema.
        raise NotApplicable(
            str(error).replace("give one with --set schema=FILE", "give gold as a folder with schema.json")
        ) from None
    (original, first), *others = results.items()
    variants = dict(others)
    sensitivities = study_sensitivity(variants, first, options["resampling"], options["limit"])
    return document_output(
        TrackerSensitivityDocument,
        summary=sensitivity_summary(sensitivities, original, len(variants), first.account, typed_command()),
        parts=_parts(results, sensitivities),
        notices=distinct_notices(results.values()),
        **scores_and_accounts(results, "variant"),
        counts={"variants": len(results), "dialogues": first.dialogues, "turns": first.turns},
        intervals=describe_intervals(first.resampling),
        sensitivities=sensitivities,
    )


def _parts(results: Mapping[str, TrackerResult], sensitivities: Sequence[SchemaSensitivity]) -> Iterator[Block]:
    yield from table_blocks(views.sensitivity_rows(results, sensitivities), CSV)
    yield from result_blocks(views.sensitivity_lines(sensitivities))
    foot = tuple(format_accounts({name: result.account for name, result in results.items()}))
    yield Block(views.sensitivity_table(sensitivities, len(results) - 1, foot), PROSE)
    yield from table_blocks(
        [views.variant_table(results), *(views.sensitive_dialogues_table(each) for each in sensitivities)]
    )
    yield from signature_blocks(*(each.signature for each in sensitivities))
