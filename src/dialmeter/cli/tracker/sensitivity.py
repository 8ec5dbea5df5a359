"""``dialmeter tracker sensitivity``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from ...core.account import format_accounts
from ...core.comparison import Resampling
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError, NotApplicable
from ...model import Notice
from ...studies.sensitivity import SchemaSensitivity, study_sensitivity
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import load
from ...tracking.scoring import score_file
from ...views import tracker as views
from .. import options as shared
from ..printer import CSV, PROSE, Block, Output, result_blocks, signature, tables
from ..progress import watched
from ..several import chosen_golds, chosen_names, scores_and_accounts
from .study_documents import TrackerSensitivityDocument

_ORIGINAL = "original"


@shared.command("sensitivity")
@click.argument("files", nargs=-1, required=True, metavar="VARIANT...")
@shared.source_options("the files", several=True, names="What to call a variant; one for each file.")
@click.option("--original", metavar="FILE", help="Predictions under the original schema, to compare with.")
@click.option("--original-gold", metavar="FILE", help="Gold of --original.")
@click.option("--only", metavar="LIST", help="A file with one dialogue id per line: score only these.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=("JointGoalAccuracy", "AverageGoalAccuracy"),
    show_default=True,
    metavar="M",
    help="A measure of frames; may be repeated.",
)
@shared.rules_option(default="sgd")
@shared.number_option("--most", least=0, default=5, about="How many of the most sensitive dialogues.")
@shared.interval_options(resamples=1000)
@shared.paper_options
def sensitivity(**options: Any) -> Output:
    """How much does a tracker depend on the wording of the schema (SGD-X)?

    Each VARIANT has the predictions of one tracker on the same dialogues under another wording of the schema, and gold and
    schema with the same wording: as --gold, one for each, or in the same file. The sensitivity is the mean over frames of
    (standard deviation over variants / mean over variants): 0 where the wording does not matter.
    """
    files = options["files"]
    if len(set(files)) < len(files) or options["original"] in files:
        raise DialmeterError("a file is given twice; each variant is one file or folder")
    if len(files) < 2:
        raise DialmeterError("schema sensitivity needs two variants or more, one file or folder for each")
    if options["original_gold"] and not options["original"]:
        raise DialmeterError("--original-gold goes with --original")
    golds = chosen_golds(files, options["gold"])
    names = chosen_names(files, options["names"], "variants", [_ORIGINAL] if options["original"] else [])
    inputs = [*zip(files, golds, strict=True)]
    if options["original"]:
        inputs.append((options["original"], options["original_gold"]))
    how = shared.chosen_resampling(options)
    scored = _scored(inputs, options, how)
    results = dict(zip(names, scored, strict=True))
    variants = {name: result for name, result in results.items() if name != _ORIGINAL or not options["original"]}
    original = results[_ORIGINAL] if options["original"] else None
    found = study_sensitivity(variants, original, how, options["most"])
    seen = {(notice.code, notice.message): notice for result in results.values() for notice in result.notices}
    notices = [*seen.values()]
    return Output(
        document=lambda _: _document(results, found, notices),
        parts=_parts(results, found, variants),
        notices=notices,
    )


def _scored(
    inputs: Sequence[tuple[str, str | None]], options: dict[str, Any], how: Resampling | None
) -> list[TrackerResult]:
    try:
        return [
            score_file(
                file,
                gold,
                format=options["format"],
                gold_format=options["gold_format"],
                only=shared.chosen_dialogues(options),
                measures=options["measures"],
                rules=load(options["rules_name"]),
                resampling=how,
                watch=lambda dialogues, corpus: watched(dialogues, corpus, options["quiet"]),
            )
            for file, gold in inputs
        ]
    except NotApplicable as error:
        # There is no --schema here, because every variant has another one.
        raise NotApplicable(
            str(error).replace("give one with --schema", "give gold as a folder with schema.json")
        ) from None


def _document(
    results: Mapping[str, TrackerResult], found: Sequence[SchemaSensitivity], notices: Sequence[Notice]
) -> TrackerSensitivityDocument:
    first = next(iter(results.values()))
    return make_document(
        TrackerSensitivityDocument,
        **scores_and_accounts(results, "variant"),
        counts={"variants": len(results), "dialogues": first.dialogues, "turns": first.turns},
        warnings=notices,
        intervals=describe_intervals(first.resampling),
        sensitivities=found,
    )


def _parts(
    results: Mapping[str, TrackerResult], found: Sequence[SchemaSensitivity], variants: Mapping[str, TrackerResult]
) -> Iterator[Block]:
    yield from tables(views.sensitivity_rows(results, found), CSV)
    yield from result_blocks(views.sensitivity_lines(found))
    foot = tuple(format_accounts({name: result.account for name, result in results.items()}))
    yield Block(views.sensitivity_table(found, len(variants), foot), PROSE)
    yield from tables([views.variant_table(results), *(views.sensitive_dialogues_table(each) for each in found)])
    yield from signature(*(each.signature for each in found))
