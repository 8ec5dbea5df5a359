"""``dialmeter study people`` of trackers"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ...core.comparability import joint_signature
from ...core.document import Document
from ...errors import DialmeterError, NotApplicable
from ...model import Notice
from ...studies.human import (
    LambdaFit,
    PeopleStudy,
    RaterAgreement,
    RaterLine,
    RatingCorrelation,
    RatingDifference,
    RatingScale,
    Sampler,
    compare_with_people,
    fit_lambda,
    read_ratings,
    sheet_kind,
)
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from ...views.human import csv_tables, lambda_lines, lambda_rows, lambda_table, tables_of
from ...views.summaries.studies import people_summary
from .. import options as shared
from ..frame import document_output, name_files
from ..printer import CSV, Block, Output, result_blocks, signature_blocks, table_blocks, typed_command
from ..sheets import is_new_sheet, sheet_options, sheet_output
from ..study import study_options
from . import inputs


class TrackerPeopleDocument(Document, kw_only=True):
    """Correlations of measures with the mean rating per dialogue. With --make-sheet there are only counts and warnings.

    Attributes:
        unmatched: dialogues that only have ratings (only_rated), or are only in the file (only_in_file).
        lambda_fit: the lambda of FGA that agrees best with the ratings, if the rules and the file allow FGA.
    """

    kind: str = "tracker"
    command: str = "study people"
    scores: list[RatingCorrelation]
    confidence: float | UnsetType = UNSET
    pairs: list[RatingDifference] | UnsetType = UNSET
    agreement: list[RaterAgreement] | UnsetType = UNSET
    raters: list[RaterLine] | UnsetType = UNSET
    unmatched: dict[str, list[str]] | UnsetType = UNSET
    lambda_fit: LambdaFit | UnsetType = UNSET


@shared.command("people")
@click.argument("file")
@sheet_options
@shared.option("--limit sample", "Number of dialogues on a new sheet.", least=1, default=100)
@shared.seed_option(7)
@shared.option("--scale LOW-HIGH", "Rating scale of a new sheet.", default="1-5")
@inputs.prediction_options
@shared.measure_option
@inputs.rule_options
@shared.ci_option
@shared.latex_option
@study_options
def human(**options: Any) -> Output:
    """Measure how well measures agree with people: compare ratings of the dialogues of FILE with every measure.

    First write a sheet with `--make-sheet FILE.html`. After raters have filled their copies, use `--sheet` for each of them. A
    sheet may also be a table of ratings: the columns dialogue, rater and rating, or dialogue and one column per rater.
    """
    if is_new_sheet(options):
        return _new_sheet(options)
    confidence = options["ci"]
    raters = name_files(options["sheets"], [], "sheets")
    ratings, unfilled = read_ratings(dict(zip(raters, options["sheets"], strict=True)))
    result = score_file(options["file"], options["gold"], **inputs.prediction_arguments(options))
    study = compare_with_people(result, ratings, confidence)
    notices = [*study.notices, *result.notices]
    if unfilled:
        notices.insert(0, Notice("not-filled", unfilled, f"{unfilled} rows of the sheets have no rating"))
    try:
        fit = fit_lambda(result, ratings, study.dialogues, confidence, options["seed"])
    except NotApplicable:
        fit = None
    return document_output(
        TrackerPeopleDocument,
        summary=people_summary(study, fit, result, typed_command()),
        parts=_parts(study, fit, result, confidence),
        notices=notices,
        scores=study.correlations,
        account=result.account,
        counts={
            "dialogues": result.dialogues,
            "matched": len(study.dialogues),
            "only_rated": len(study.only_rated),
            "only_in_file": len(study.only_scored),
            "raters": len(study.raters),
        },
        confidence=confidence,
        pairs=study.pairs,
        agreement=study.agreement,
        raters=study.raters,
        unmatched={"only_rated": study.only_rated, "only_in_file": study.only_scored},
        lambda_fit=UNSET if fit is None else fit,
    )


def _new_sheet(options: dict[str, Any]) -> Output:
    """Write a sheet for a sample of dialogues."""
    scale, sampler = RatingScale.parse(options["scale"]), Sampler(options["sample"], options["seed"])
    kind = sheet_kind(scale)
    result = score_file(options["file"], options["gold"], **inputs.prediction_arguments(options), on_row=sampler.take)
    if not result.values_known:
        raise DialmeterError(f"{options['file']}: has no values, so there is nothing to rate")
    rows = sampler.rows(scale)
    notices = [notice for notice in result.notices if notice.code in ("missing", "extra")]
    if sampler.seen < options["sample"]:
        message = f"the file has only {sampler.seen} dialogues; all of them are on the sheet"
        notices.append(Notice("all-dialogues", sampler.seen, message))
    if not sampler.has_utterances:
        notices.append(Notice("no-utterances", len(rows), "the file has no utterances; the sheet shows only states"))
    return sheet_output(TrackerPeopleDocument, kind, rows, "dialogue", options, notices=notices, scores=[])


def _parts(study: PeopleStudy, fit: LambdaFit | None, result: TrackerResult, confidence: float) -> Iterator[Block]:
    *others, last = tables_of(study, confidence)
    yield from (Block(table) for table in (*others, replace(last, foot=(result.account.line,))))
    yield from table_blocks(csv_tables(study), CSV)
    if fit is not None:
        yield from table_blocks(lambda_rows(fit), CSV)
        yield from result_blocks(lambda_lines(fit, confidence))
        yield from table_blocks([lambda_table(fit)])
    yield from signature_blocks(joint_signature([each.signature for each in study.correlations]))
