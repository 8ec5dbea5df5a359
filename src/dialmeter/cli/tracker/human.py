"""``dialmeter tracker human``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from ...core.comparability import joint_signature
from ...core.document import make_document
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...model import Notice
from ...studies.human import (
    HumanStudy,
    LambdaFit,
    RatingScale,
    Sampler,
    compare_with_people,
    fit_lambda,
    read_ratings,
    read_sheets,
    write_ratings,
)
from ...tracking.result import TrackerResult
from ...tracking.scorer import Sink
from ...tracking.scoring import score_file
from ...views.human import csv_tables, lambda_lines, lambda_rows, lambda_table, tables_of, write_sheets
from .. import options as shared
from ..main import EXIT_INPUT
from ..printer import CSV, TEXT, Block, Output, message_block, result_blocks, signature_blocks, table_blocks
from ..progress import track_reading
from .study_documents import TrackerHumanDocument


@shared.command("human")
@click.argument("file", required=False)
@click.option(
    "--ratings",
    metavar="CSV",
    help="File with ratings: columns dialogue, rater and rating, or dialogue and one column per rater.",
)
@click.option("--make-sheets", metavar="DIR", help="Write annotation sheets for FILE to this folder.")
@click.option("--read-sheets", metavar="DIR", help="Folder with filled text sheets.")
@click.option("--out", metavar="CSV", help="With --read-sheets: write the ratings to this file.")
@shared.force_option
@shared.number_option("--sample", least=1, default=100, about="Number of dialogues that get a sheet.")
@shared.seed_option(7)
@click.option(
    "--raters", type=click.IntRange(1, 1000), default=2, show_default=True, help="Number of raters to write sheets for."
)
@click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="Rating scale on the sheets.")
@click.option("--fit-lambda", is_flag=True, help="Also fit the lambda of FGA that agrees best with the ratings.")
@shared.prediction_options
@shared.measure_option
@shared.rule_options
@shared.ci_option
def human(**options: Any) -> Output:
    """Measure how well measures agree with people: compare ratings of the dialogues of FILE with every measure.

    First write sheets with `--make-sheets DIR`. After raters have filled them, use `--read-sheets DIR`. For ratings from
    elsewhere, use `--ratings CSV`.
    """
    confidence = shared.confidence_from_options(options)
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
    result = _score_predictions(options)
    study = compare_with_people(result, ratings, confidence)
    notices = [*notices, *study.notices, *result.notices]
    fit = fit_lambda(result, ratings, study.dialogues, confidence, options["seed"]) if options["fit_lambda"] else None
    return Output(
        document=lambda _: _document(study, fit, result, notices, confidence),
        parts=_parts(study, fit, result, options["file"], confidence),
        notices=notices,
    )


def _score_predictions(options: dict[str, Any], sink: Sink | None = None) -> TrackerResult:
    return score_file(
        options["file"],
        options["gold"],
        **shared.prediction_arguments(options),
        sink=sink,
        watch=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
    )


def _make_sheets(options: dict[str, Any]) -> Output:
    """Write sheets for a sample of dialogues."""
    scale, sampler = RatingScale.parse(options["scale"]), Sampler(options["sample"], options["seed"])
    result = _score_predictions(options, sampler.take)
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
    return Output(
        document=lambda _: make_document(TrackerHumanDocument, counts=counts, warnings=notices),
        parts=[] if options["quiet"] else [message_block(f"{one_line(where, 200)}: {listed}")],
        notices=notices,
    )


def _document(
    study: HumanStudy, fit: LambdaFit | None, result: TrackerResult, notices: list[Notice], confidence: float
) -> TrackerHumanDocument:
    return make_document(
        TrackerHumanDocument,
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
        warnings=notices,
        confidence=confidence,
        pairs=[{"first": each.first, "second": each.second, **to_builtins(each.difference)} for each in study.pairs],
        agreement=study.agreement,
        raters=study.raters,
        unmatched={"only_rated": study.only_rated, "only_in_file": study.only_scored},
        lambda_fit=UNSET if fit is None else fit,
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
