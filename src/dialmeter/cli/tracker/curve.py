"""``dialmeter tracker curve``"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import account_fields, format_accounts
from ...core.document import describe_intervals, make_document
from ...core.result import score_dict
from ...errors import one_line
from ...model import Notice
from ...studies.curve.curve import SCALES, Curve, draw_curve
from ...studies.curve.curve_files import CurveFile, in_folder, in_manifest
from ...views.curve import csv_tables, curve_charts, tables_of
from ...views.tracker import signature_of
from .. import options as shared
from ..printer import CSV, TEXT, Block, Output, signature, tables
from ..study import study_options
from .study_documents import TrackerCurveDocument


@shared.command("curve")
@click.argument("folder", metavar="DIR")
@click.option("--manifest", metavar="FILE", help="CSV or JSON lines with file, ratio, seed, domain; files lie in DIR.")
@shared.prediction_options
@shared.measure_option
@click.option(
    "--reference", default="GCA", show_default=True, metavar="M", help="The measure to compare the others with."
)
@shared.choice_option("--trend", SCALES, "Slopes per tenfold training data, or per whole training set.", "scale")
@shared.rule_options
@shared.interval_options(resamples=1000)
@shared.paper_options
@shared.chart_options
@study_options
def curve_(**options: Any) -> Output:
    """Few-shot curves and zero-shot tables from the prediction files in DIR.

    Files are named like ratio_0.05_seed_557_prediction.json (share of training data, seed) or
    T5_result_zeroshot_hotel.json (domain); files with other names go into a manifest.
    """
    folder, manifest = options["folder"], options["manifest"]
    others = [path for path in (options["gold"], options["schema"], options["only"]) if path]
    entries, notices = in_manifest(manifest, folder, others) if manifest else in_folder(folder, others)
    found = draw_curve(
        entries,
        options["gold"],
        **shared.prediction_arguments(options),
        reference=options["reference"],
        scale=options["scale"],
        resampling=shared.chosen_resampling(options),
        watch=_watch(options["quiet"]),
    )
    notices += found.notices
    return Output(
        document=lambda charts: _document(found, notices, charts),
        parts=_parts(found, options["folder"]),
        notices=notices,
        charts=lambda: curve_charts(found),
    )


def _watch(quiet: bool) -> Callable[[Iterable[CurveFile]], Iterable[CurveFile]]:
    """Shows how many files are done: a bar on a terminal, a line per 10 % elsewhere."""

    def watch(entries: Iterable[CurveFile]) -> Iterator[CurveFile]:
        listed = list(entries)
        if quiet or len(listed) < 10:
            yield from listed
        elif sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import track

            yield from track(listed, "scoring", console=Console(stderr=True), transient=True)
        else:
            for done, entry in enumerate(listed, 1):
                yield entry
                if 10 * done // len(listed) > 10 * (done - 1) // len(listed):
                    click.echo(f"scoring: {100 * done // len(listed)} % ({done} of {len(listed)} files)", err=True)

    return watch


def _parts(found: Curve, folder: str) -> Iterator[Block]:
    yield Block(f"{one_line(folder, 200)}  {len(found.files)} files", TEXT)
    *others, last = tables_of(found)
    foot = tuple(format_accounts({each.entry.name: each.account for each in found.files}))
    yield from (Block(table) for table in (*others, replace(last, foot=foot)))
    yield from tables(csv_tables(found), CSV)
    yield from signature(signature_of([score for each in found.files for score in each.scores]))


def _document(curve: Curve, notices: Sequence[Notice], charts: list[str]) -> TrackerCurveDocument:
    entries = [each.entry for each in curve.files]
    kinds = [{"file": each.name, "ratio": each.ratio, "seed": each.seed, "domain": each.domain} for each in entries]
    files = list(zip(curve.files, kinds, strict=True))
    return make_document(
        TrackerCurveDocument,
        curve,
        scores=[{**score_dict(score), **kind} for each, kind in files for score in each.scores],
        **account_fields({each.entry.name: each.account for each in curve.files}),
        counts={
            "files": len(entries),
            "ratios": len({entry.ratio for entry in entries}),
            "seeds": len({entry.seed for entry in entries}),
            "domains": len({entry.domain for entry in entries} - {None}),
        },
        warnings=notices,
        intervals=describe_intervals(curve.resampling),
        files=[{**kind, **each.counts, "data": each.data} for each, kind in files],
        domains=[
            {
                "ratio": table.ratio,
                "measure": row.measure,
                "domains": row.domains,
                "mean": row.mean,
                "pooled": row.pooled,
            }
            for table in curve.tables
            for row in table.rows
        ],
        charts=charts,
    )
