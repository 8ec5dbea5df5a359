"""``dialmeter tracker human``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import click
from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from ...core.comparability import joint_signature
from ...core.document import Count, Document, Interval, Number
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...model import Notice
from ...studies.human import (
    HumanStudy,
    LambdaFit,
    RaterAgreement,
    RatingScale,
    Sampler,
    compare_with_people,
    fit_lambda,
    read_ratings,
    read_sheets,
    write_ratings,
)
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from ...views.human import csv_tables, lambda_lines, lambda_rows, lambda_table, tables_of, write_sheets
from .. import options as shared
from ..frame import document_output
from ..main import EXIT_INPUT
from ..printer import CSV, TEXT, Block, Output, message_block, result_blocks, signature_blocks, table_blocks
from . import inputs


class CorrelationRecord(Struct, kw_only=True, omit_defaults=True):
    """A correlation, or a difference of two, with its interval and its p value."""

    value: Number
    ci: Interval
    n: Count
    unscored: Count
    p: Number
    reason: str = ""


class HumanScore(CorrelationRecord, kw_only=True, omit_defaults=True):
    """The correlation of a measure with the mean rating per dialogue."""

    measure: str
    statistic: Literal["pearson", "spearman", "kendall"]
    signature: str


class MeasurePair(CorrelationRecord, kw_only=True, omit_defaults=True):
    """Pearson of the first measure minus Pearson of the second, with Zou's interval."""

    first: str
    second: str


class RaterRecord(Struct, kw_only=True):
    """A rater, and the correlation of every measure with the ratings."""

    rater: str
    n: Count
    mean: float
    pearson: dict[str, CorrelationRecord]


class TrackerHumanDocument(Document, kw_only=True):
    """Correlations of measures with the mean rating per dialogue. With --make-sheets, and with --read-sheets without
    FILE, scores are empty, and there are only counts and warnings.

    Attributes:
        unmatched: dialogues that only have ratings (only_rated), or are only in the file (only_in_file).
        lambda_fit: with --fit-lambda.
    """

    kind: str = "tracker"
    command: str = "study people"
    scores: list[HumanScore]
    confidence: float | UnsetType = UNSET
    pairs: list[MeasurePair] | UnsetType = UNSET
    agreement: list[RaterAgreement] | UnsetType = UNSET
    raters: list[RaterRecord] | UnsetType = UNSET
    unmatched: dict[str, list[str]] | UnsetType = UNSET
    lambda_fit: LambdaFit | UnsetType = UNSET


@shared.command("human")
@click.argument("file", required=False)
@shared.option(
    "--ratings CSV", "File with ratings: columns dialogue, rater and rating, or dialogue and one column per rater."
)
@shared.option("--make-sheet DIR make_sheets", "Write annotation sheets for FILE to this folder.")
@shared.option("--sheet FILE read_sheets", "Folder with filled text sheets.")
@shared.option("--out CSV", "With --read-sheets: write the ratings to this file.")
@shared.force_option
@shared.option("--limit sample", "Number of dialogues that get a sheet.", least=1, default=100)
@shared.seed_option(7)
@shared.option("--raters", "Number of raters to write sheets for.", type=click.IntRange(1, 1000), default=2)
@shared.option("--scale LOW-HIGH", "Rating scale on the sheets.", default="1-5")
@shared.option("--fit-lambda", "Also fit the lambda of FGA that agrees best with the ratings.")
@inputs.prediction_options
@shared.measure_option
@inputs.rule_options
@shared.ci_option
def human(**options: Any) -> Output:
    """Measure how well measures agree with people: compare ratings of the dialogues of FILE with every measure.

    First write sheets with `--make-sheets DIR`. After raters have filled them, use `--read-sheets DIR`. For ratings from
    elsewhere, use `--ratings CSV`.
    """
    confidence = options["ci"]
    modes = [name for name in ("ratings", "make_sheets", "read_sheets") if options[name]]
    if len(modes) != 1:
        raise DialmeterError("give one of --ratings CSV, --make-sheets DIR and --read-sheets DIR")
    if options["out"] and not options["read_sheets"]:
        raise DialmeterError("--out needs --read-sheets")
    if not options["file"] and not (options["read_sheets"] and options["out"]):
        raise DialmeterError("give the prediction FILE (only --read-sheets DIR --out CSV does not need it)")
    if options["fit_lambda"] and (options["make_sheets"] or not options["file"]):
        raise DialmeterError("--fit-lambda needs the prediction FILE and ratings")
    if options["make_sheets"]:
        return _make_sheets(options)
    notices: list[Notice] = []
    if options["ratings"]:
        ratings = read_ratings(options["ratings"])
    else:
        ratings, notices, problems = read_sheets(options["read_sheets"])
        if problems:
            return Output(errors=[one_line(str(each), 1000) for each in problems], exit_code=EXIT_INPUT)
        if not ratings.by_dialogue:
            raise DialmeterError(f"{options['read_sheets']}: no sheet has a rating yet")
    if options["out"]:
        text = write_ratings(list(ratings.names.values()), ratings.raters, ratings.by_dialogue)
        write_file(options["out"], text, force=options["force"])
    if not options["file"]:
        given = sum(map(len, ratings.by_dialogue.values()))
        counts = {"dialogues": len(ratings.by_dialogue), "raters": len(ratings.raters), "ratings": given}
        return _counts_output(options["out"], counts, notices, options)
    result = score_file(options["file"], options["gold"], **inputs.prediction_arguments(options))
    study = compare_with_people(result, ratings, confidence)
    notices = [*notices, *study.notices, *result.notices]
    fit = fit_lambda(result, ratings, study.dialogues, confidence, options["seed"]) if options["fit_lambda"] else None
    return document_output(
        TrackerHumanDocument,
        parts=_parts(study, fit, result, options["file"], confidence),
        notices=notices,
        scores=[
            {
                "measure": each.measure,
                "statistic": each.statistic,
                **to_builtins(each.found),
                "signature": each.signature,
            }
            for each in study.correlations
        ],
        account=result.account,
        counts={
            "dialogues": result.dialogues,
            "matched": len(study.dialogues),
            "only_rated": len(study.only_rated),
            "only_in_file": len(study.only_scored),
            "raters": len(study.raters),
        },
        confidence=confidence,
        pairs=[{"first": each.first, "second": each.second, **to_builtins(each.difference)} for each in study.pairs],
        agreement=study.agreement,
        raters=study.raters,
        unmatched={"only_rated": study.only_rated, "only_in_file": study.only_scored},
        lambda_fit=UNSET if fit is None else fit,
    )


def _make_sheets(options: dict[str, Any]) -> Output:
    """Write sheets for a sample of dialogues."""
    scale, sampler = RatingScale.parse(options["scale"]), Sampler(options["sample"], options["seed"])
    result = score_file(options["file"], options["gold"], **inputs.prediction_arguments(options), on_row=sampler.take)
    if not result.values_known:
        raise DialmeterError(f"{options['file']}: has no values, so there is nothing to rate")
    sheets = sampler.sheets()
    notices = [notice for notice in result.notices if notice.code in ("missing", "extra")]
    if sampler.seen < options["sample"]:
        message = f"{options['sample']} sheets were requested, but the file has only {sampler.seen} dialogues; each of them has a sheet"
        notices.append(Notice("all-dialogues", sampler.seen, message))
    if not any(turn.user or turn.system for sheet in sheets for turn in sheet.turns):
        notices.append(Notice("no-utterances", len(sheets), "the file has no utterances; the sheets show only states"))
    raters = write_sheets(options["make_sheets"], sheets, options["raters"], scale)
    counts = {"dialogues": len(sheets), "raters": len(raters), "sheets": len(sheets) * len(raters)}
    return _counts_output(options["make_sheets"], counts, notices, options)


def _counts_output(where: str, counts: dict[str, int], notices: list[Notice], options: dict[str, Any]) -> Output:
    """Return the output that lists the written files."""
    listed = ", ".join(f"{count} {name.removesuffix('s') if count == 1 else name}" for name, count in counts.items())
    return document_output(
        TrackerHumanDocument,
        parts=[] if options["quiet"] else [message_block(f"{one_line(where, 200)}: {listed}")],
        notices=notices,
        counts=counts,
    )


def _parts(
    study: HumanStudy, fit: LambdaFit | None, result: TrackerResult, file: str, confidence: float
) -> Iterator[Block]:
    heading = [one_line(file, 200), f"{len(study.dialogues)} of {result.dialogues} dialogues rated"]
    heading += [f"{len(study.raters)} rater{'s' * (len(study.raters) > 1)}", f"rules {result.rules.name}"]
    yield Block("  ".join(heading), TEXT)
    *others, last = tables_of(study, confidence)
    yield from (Block(table) for table in (*others, replace(last, foot=(result.account.line,))))
    yield from table_blocks(csv_tables(study), CSV)
    if fit is not None:
        yield from table_blocks(lambda_rows(fit), CSV)
        yield from result_blocks(lambda_lines(fit, confidence))
        yield from table_blocks([lambda_table(fit)])
    yield from signature_blocks(joint_signature([each.signature for each in study.correlations]))
