"""``dialmeter study curve``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import click
from msgspec import Struct
from msgspec.structs import replace

from ...core.account import account_fields, format_accounts
from ...core.document import (
    Count,
    Document,
    IntervalMethod,
    Number,
    ScoreRecord,
    Text,
    describe_intervals,
)
from ...core.result import score_dict
from ...studies.curve import SCALES, Curve, CurvePoint, CurveTrend, DomainScores, draw_curve, entries_of
from ...views.curve import csv_tables, curve_charts, tables_of
from ...views.summaries.studies import curve_summary
from ...views.tables import signature_of
from .. import options as shared
from ..frame import document_output
from ..printer import CSV, Block, Output, signature_blocks, table_blocks, typed_command
from ..progress import expect_files
from ..study import study_options
from . import inputs


class CurveFileRecord(Struct, kw_only=True):
    """A prediction file of a curve."""

    file: str
    ratio: Number
    seed: str | None
    domain: str | None
    dialogues: Count
    turns: Count
    data: str


class CurveScore(ScoreRecord, kw_only=True):
    """A score of one file of a curve."""

    signature: Text
    file: str
    ratio: Number
    seed: str | None
    domain: str | None


class TrackerCurveDocument(Document, kw_only=True):
    """Scores of every file; points and trends of curves; scores by domain. Values are fractions.

    Attributes:
        intervals: the method of the intervals, or null with ci=0.
        reference: the measure that the others are compared with.
        scale: slopes per tenfold training data (log), or per whole training set (linear).
    """

    kind: str = "tracker"
    command: str = "study curve"
    scores: list[CurveScore]
    intervals: IntervalMethod | None
    reference: str | None
    scale: Literal["log", "linear"]
    files: list[CurveFileRecord]
    points: list[CurvePoint]
    trends: list[CurveTrend]
    domains: list[DomainScores]


@shared.command("curve")
@click.argument("files", nargs=-1, required=True, metavar="DIR|FILE...|MANIFEST.csv")
@inputs.prediction_options
@shared.measure_option
@shared.option("--reference M", "Measure to compare the others with.", default="GCA")
@shared.option(
    "--trend scale",
    "Scale of slopes: per tenfold training data (log), or per whole training set (linear).",
    choices=SCALES,
)
@inputs.rule_options
@shared.interval_options(resamples=1000)
@shared.latex_option
@study_options
def curve_(**options: Any) -> Output:
    """Make few-shot curves and zero-shot tables from the prediction files in DIR.

    File names are like ratio_0.05_seed_557_prediction.json (share of training data, seed) or
    T5_result_zeroshot_hotel.json (domain). List files with other names in a CSV with the columns file, ratio, seed and domain.
    """
    other_files = [path for path in (options["gold"], options["schema"], options["only"]) if path]
    entries, notices = entries_of(options["files"], other_files)
    expect_files(len(entries))
    curve = draw_curve(
        entries,
        options["gold"],
        **inputs.prediction_arguments(options),
        reference=options["reference"],
        scale=options["scale"],
        resampling=options["resampling"],
    )
    notices += curve.notices
    entries = [each.entry for each in curve.files]
    labels = [{"file": each.name, "ratio": each.ratio, "seed": each.seed, "domain": each.domain} for each in entries]
    files = list(zip(curve.files, labels, strict=True))
    return document_output(
        TrackerCurveDocument,
        curve,
        summary=curve_summary(curve, typed_command()),
        parts=_parts(curve),
        notices=notices,
        charts=lambda: curve_charts(curve),
        scores=[{**score_dict(score), **label} for each, label in files for score in each.result.scores],
        **account_fields({each.entry.name: each.result.account for each in curve.files}),
        counts={
            "files": len(entries),
            "ratios": len({entry.ratio for entry in entries}),
            "seeds": len({entry.seed for entry in entries}),
            "domains": len({entry.domain for entry in entries} - {None}),
        },
        warnings=notices,
        intervals=describe_intervals(curve.resampling),
        files=[
            {**label, "dialogues": each.result.dialogues, "turns": each.result.turns, "data": each.result.data}
            for each, label in files
        ],
        domains=[row for table in curve.tables for row in table.rows],
    )


def _parts(curve: Curve) -> Iterator[Block]:
    *others, last = tables_of(curve)
    foot = tuple(format_accounts({each.entry.name: each.result.account for each in curve.files}))
    yield from (Block(table) for table in (*others, replace(last, foot=foot)))
    yield from table_blocks(csv_tables(curve), CSV)
    yield from signature_blocks(signature_of([score for each in curve.files for score in each.result.scores]))
