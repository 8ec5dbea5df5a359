"""``dialmeter tracker sensitivity``"""

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
from .. import options as shared
from ..frame import distinct_notices, document_output, scores_and_accounts
from ..printer import CSV, PROSE, Block, Output, result_blocks, signature_blocks, table_blocks
from . import inputs

_ORIGINAL = "original"


class TrackerSensitivityDocument(Document, kw_only=True):
    """One tracker under several wordings of the schema; the original schema counts as a variant. Values are fractions; a
    sensitivity may exceed 1.

    Attributes:
        intervals: the method of the intervals, or null with --ci 0.
    """

    kind: str = "tracker"
    command: str = "study sensitivity"
    scores: list[SignedScore]
    intervals: IntervalMethod | None
    sensitivities: list[SchemaSensitivity]


@shared.command("sensitivity")
@click.argument("files", nargs=-1, required=True, metavar="VARIANT...")
@shared.source_options("the files", several=True, names="Name of a variant; give one for each file.")
@shared.option("--original FILE", "Prediction file under the original schema, to compare with.")
@shared.option("--original-gold FILE", "File with gold states of --original.")
@shared.option("--only LIST", "Use only the dialogues in this file, one id per line.")
@shared.option(
    "--measure M* measures", "Measure of frames; may be repeated.", default=("JointGoalAccuracy", "AverageGoalAccuracy")
)
@shared.rules_option(default="sgd")
@shared.option("--limit", "Maximum number of dialogues to print, most sensitive first.", least=0, default=5)
@shared.interval_options(resamples=1000)
@shared.latex_option
def sensitivity(**options: Any) -> Output:
    """Measure how much a tracker depends on the wording of the schema (SGD-X).

    Each VARIANT has the predictions of one tracker on the same dialogues under another wording of the schema. It needs gold and
    schema with the same wording, either in one --gold for each VARIANT or in the same file. The sensitivity is the mean over
    frames of (standard deviation over variants / mean over variants). It is 0 if the wording does not matter.
    """
    files = options["files"]
    if len(set(files)) < len(files) or options["original"] in files:
        raise DialmeterError("a file is given twice; each variant is one file or folder")
    if len(files) < 2:
        raise DialmeterError("schema sensitivity needs two variants or more, one file or folder for each")
    if options["original_gold"] and not options["original"]:
        raise DialmeterError("--original-gold needs --original")
    pairs = inputs.named_files(options, "variants", [_ORIGINAL] if options["original"] else [])
    if options["original"]:
        pairs[_ORIGINAL] = (options["original"], options["original_gold"])
    arguments = inputs.prediction_arguments(options)
    try:
        results = {
            name: score_file(*pair, **arguments, resampling=options["resampling"]) for name, pair in pairs.items()
        }
    except NotApplicable as error:
        # There is no --schema here, because every variant has its own schema.
        raise NotApplicable(
            str(error).replace("give one with --set schema=FILE", "give gold as a folder with schema.json")
        ) from None
    original = results[_ORIGINAL] if options["original"] else None
    variants = {name: result for name, result in results.items() if result is not original}
    sensitivities = study_sensitivity(variants, original, options["resampling"], options["limit"])
    first = next(iter(results.values()))
    return document_output(
        TrackerSensitivityDocument,
        parts=_parts(results, sensitivities, variants),
        notices=distinct_notices(results.values()),
        **scores_and_accounts(results, "variant"),
        counts={"variants": len(results), "dialogues": first.dialogues, "turns": first.turns},
        intervals=describe_intervals(first.resampling),
        sensitivities=sensitivities,
    )


def _parts(
    results: Mapping[str, TrackerResult],
    sensitivities: Sequence[SchemaSensitivity],
    variants: Mapping[str, TrackerResult],
) -> Iterator[Block]:
    yield from table_blocks(views.sensitivity_rows(results, sensitivities), CSV)
    yield from result_blocks(views.sensitivity_lines(sensitivities))
    foot = tuple(format_accounts({name: result.account for name, result in results.items()}))
    yield Block(views.sensitivity_table(sensitivities, len(variants), foot), PROSE)
    yield from table_blocks(
        [views.variant_table(results), *(views.sensitive_dialogues_table(each) for each in sensitivities)]
    )
    yield from signature_blocks(*(each.signature for each in sensitivities))
