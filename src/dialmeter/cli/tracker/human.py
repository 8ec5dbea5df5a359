"""``dialmeter tracker human``"""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...model import Notice
from ...studies.human.annotation_sheet import RatingScale, Sampler, read_sheets
from ...studies.human.human import HumanStudy, compare_with_people
from ...studies.human.ratings import Ratings, read_ratings, write_ratings
from ...tracking.result import TrackerResult
from ...tracking.scorer import Sink
from ...tracking.scoring import score_file
from ...views.headings import distinct
from ...views.human import plain, scores_of, tables_of, write_sheets
from ...views.tables import render
from ...views.tracker import shared_fields
from ..main import EXIT_INPUT
from ..option_kinds import max_bytes_option
from ..options import (
    chosen_dialogues,
    chosen_rules,
    measure_option,
    quiet_option,
    rule_options,
    source_options,
    style_options,
)
from ..say import document, print_json, warn, watched


@click.command("human")
@click.argument("file", required=False)
@click.option("--ratings", metavar="CSV", help="Columns dialogue, rater, rating; or dialogue and one column per rater.")
@click.option("--make-sheets", metavar="DIR", help="Write annotation sheets for FILE into this folder.")
@click.option("--read-sheets", metavar="DIR", help="Take the ratings from filled text sheets in this folder.")
@click.option("--out", metavar="CSV", help="With --read-sheets: write the ratings into this file.")
@click.option("--force", is_flag=True, help="Replace the file of --out.")
@click.option("--sample", type=click.IntRange(min=1), default=100, show_default=True, help="How many sheets.")
@click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Which dialogues get a sheet.")
@click.option(
    "--raters", type=click.IntRange(1, 1000), default=2, show_default=True, help="Sheets for how many raters."
)
@click.option("--scale", default="1-5", show_default=True, metavar="LOW-HIGH", help="The ratings on sheets.")
@source_options
@measure_option
@rule_options
@click.option("--ci", type=float, default=0.95, show_default=True, help="The confidence of intervals; 0 for none.")
@style_options
@max_bytes_option
@quiet_option
def human(**options: Any) -> int:
    """Do measures agree with people? Ratings of the dialogues of FILE, compared with every measure.

    First `--make-sheets DIR`, then `--read-sheets DIR` when they are filled, or `--ratings CSV` from elsewhere.
    """
    if not 0 <= options["ci"] < 1:
        raise DialmeterError("--ci lies between 0 and 1, as in 0.95; 0 gives no intervals")
    wanted = [name for name in ("ratings", "make_sheets", "read_sheets") if options[name]]
    if len(wanted) != 1:
        raise DialmeterError("give one of --ratings CSV, --make-sheets DIR and --read-sheets DIR")
    if options["out"] and not options["read_sheets"]:
        raise DialmeterError("--out goes with --read-sheets")
    if not options["file"] and not (options["read_sheets"] and options["out"]):
        raise DialmeterError("give the prediction FILE (only --read-sheets DIR --out CSV does without)")
    if options["make_sheets"]:
        return _make(options)
    notices: list[Notice] = []
    if options["ratings"]:
        ratings = read_ratings(options["ratings"])
    else:
        ratings, notices, problems = read_sheets(options["read_sheets"])
        if problems:
            for problem in problems:
                click.echo(f"dialmeter: {one_line(str(problem), 1000)}", err=True)
            return EXIT_INPUT
        if not ratings.by_dialogue:
            raise DialmeterError(f"{options['read_sheets']}: no sheet has a rating yet")
    if options["out"]:
        _keep(ratings, options)
    if options["file"]:
        result = _scored(options)
        study = compare_with_people(result, ratings, options["ci"])
        _print(study, result, [*notices, *study.notices, *result.notices], options)
    else:
        _done(options["out"], _counts(ratings), notices, options)
    return 0


def _scored(options: dict[str, Any], sink: Sink | None = None) -> TrackerResult:
    return score_file(
        options["file"],
        options["gold"],
        form=options["form"],
        gold_form=options["gold_form"],
        schema=options["schema"],
        only=chosen_dialogues(options),
        measures=options["measures"] or None,
        rules=chosen_rules(options),
        sink=sink,
        watch=lambda dialogues, corpus: watched(dialogues, corpus, options["quiet"]),
    )


def _counts(ratings: Ratings) -> dict[str, int]:
    given = sum(map(len, ratings.by_dialogue.values()))
    return {"dialogues": len(ratings.by_dialogue), "raters": len(ratings.raters), "ratings": given}


def _keep(ratings: Ratings, options: dict[str, Any]) -> None:
    text = write_ratings(list(ratings.names.values()), ratings.raters, ratings.by_dialogue)
    write_file(options["out"], text, force=options["force"])


def _make(options: dict[str, Any]) -> int:
    """Writes sheets for a sample of dialogues."""
    scale, sampler = RatingScale.parse(options["scale"]), Sampler(options["sample"], options["seed"])
    result = _scored(options, sampler.take)
    if not result.values_known:
        raise DialmeterError(f"{options['file']}: holds no values, so that there is nothing to rate")
    sheets = sampler.sheets()
    notices = [notice for notice in result.notices if notice.code in ("missing", "extra")]
    if sampler.seen < options["sample"]:
        said = f"{options['sample']} sheets were asked for, and the file has {sampler.seen}: every dialogue has one"
        notices.append(Notice("all-dialogues", sampler.seen, said))
    if not any(turn.user or turn.system for sheet in sheets for turn in sheet.turns):
        notices.append(
            Notice("no-utterances", len(sheets), "the file has no utterances, so that sheets show states only")
        )
    raters = write_sheets(options["make_sheets"], sheets, options["raters"], scale)
    counts = {"dialogues": len(sheets), "raters": len(raters), "sheets": len(sheets) * len(raters)}
    _done(options["make_sheets"], counts, notices, options)
    return 0


def _done(where: str, counts: dict[str, int], notices: list[Notice], options: dict[str, Any]) -> None:
    """Says what was written."""
    warn(notices, options["quiet"])
    if options["style"] == "json":
        print_json(document("tracker", "tracker human", [], counts=counts, warnings=notices))
    elif not options["quiet"]:
        listed = ", ".join(
            f"{count} {name.removesuffix('s') if count == 1 else name}" for name, count in counts.items()
        )
        click.echo(f"{one_line(where, 200)}: {listed}")


def _print(study: HumanStudy, result: TrackerResult, notices: list[Notice], options: dict[str, Any]) -> None:
    warn(notices, options["quiet"])
    style = options["style"]
    if style == "json":
        counts = {
            "dialogues": result.dialogues,
            "matched": len(study.dialogues),
            "only_rated": len(study.only_rated),
            "only_in_file": len(study.only_scored),
            "raters": len(study.raters),
        }
        scores, more = scores_of(study), {"confidence": options["ci"], **plain(study)}
        more["account"] = result.account.plain()
        print_json(document("tracker", "tracker human", scores, counts=counts, warnings=notices, **more))
        return
    if style == "text":
        parts = [one_line(options["file"], 200), f"{len(study.dialogues)} of {result.dialogues} dialogues rated"]
        parts += [f"{len(study.raters)} rater{'s' * (len(study.raters) > 1)}", f"rules {result.rules.name}"]
        click.echo("  ".join(parts) + "\n")
    tables = list(tables_of(study, options["ci"]))
    tables[-1] = replace(tables[-1], foot=(result.account.line,))
    for number, table in enumerate(tables):
        click.echo(("\n" if number else "") + render(distinct(table) if style == "csv" else table, style))
    if style == "csv":
        return
    line = "|".join(["…", *shared_fields([each.signature for each in study.correlations])])
    click.echo(f"\nSignature: `{line}`" if style == "markdown" else f"\n{'% ' * (style == 'latex')}signature  {line}")
