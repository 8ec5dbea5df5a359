"""``dialmeter tracker curve``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import account_fields, format_accounts
from ...core.document import describe_intervals, make_document
from ...core.result import score_dict
from ...errors import one_line
from ...model import Notice
from ...studies.curve import SCALES, Curve, draw_curve, in_folder, in_manifest
from ...views.curve import csv_tables, curve_charts, tables_of
from ...views.tracker import signature_of
from .. import options as shared
from ..printer import CSV, TEXT, Block, Output, signature_blocks, table_blocks
from ..progress import track_files
from ..study import study_options
from .study_documents import TrackerCurveDocument


@shared.command("curve")
@click.argument("folder", metavar="DIR")
@click.option(
    "--manifest", metavar="FILE", help="CSV or JSON lines with file, ratio, seed and domain of each file in DIR."
)
@shared.prediction_options
@shared.measure_option
@click.option("--reference", default="GCA", show_default=True, metavar="M", help="Measure to compare the others with.")
@shared.choice_option(
    "--trend", SCALES, "Scale of slopes: per tenfold training data (log), or per whole training set (linear).", "scale"
)
@shared.rule_options
@shared.interval_options(resamples=1000)
@shared.paper_options
@shared.chart_options
@study_options
def curve_(**options: Any) -> Output:
    """Make few-shot curves and zero-shot tables from the prediction files in DIR.

    File names are like ratio_0.05_seed_557_prediction.json (share of training data, seed) or
    T5_result_zeroshot_hotel.json (domain). List files with other names in a manifest.
    """
    folder, manifest = options["folder"], options["manifest"]
    other_files = [path for path in (options["gold"], options["schema"], options["only"]) if path]
    entries, notices = in_manifest(manifest, folder, other_files) if manifest else in_folder(folder, other_files)
    curve = draw_curve(
        entries,
        options["gold"],
        **shared.prediction_arguments(options),
        reference=options["reference"],
        scale=options["scale"],
        resampling=shared.resampling_from_options(options),
        watch=lambda files: track_files(files, options["quiet"]),
    )
    notices += curve.notices
    return Output(
        document=lambda charts: _document(curve, notices, charts),
        parts=_parts(curve, options["folder"]),
        notices=notices,
        charts=lambda: curve_charts(curve),
    )


def _parts(curve: Curve, folder: str) -> Iterator[Block]:
    yield Block(f"{one_line(folder, 200)}  {len(curve.files)} files", TEXT)
    *others, last = tables_of(curve)
    foot = tuple(format_accounts({each.entry.name: each.account for each in curve.files}))
    yield from (Block(table) for table in (*others, replace(last, foot=foot)))
    yield from table_blocks(csv_tables(curve), CSV)
    yield from signature_blocks(signature_of([score for each in curve.files for score in each.scores]))


def _document(curve: Curve, notices: Sequence[Notice], charts: list[str]) -> TrackerCurveDocument:
    entries = [each.entry for each in curve.files]
    labels = [{"file": each.name, "ratio": each.ratio, "seed": each.seed, "domain": each.domain} for each in entries]
    files = list(zip(curve.files, labels, strict=True))
    return make_document(
        TrackerCurveDocument,
        curve,
        scores=[{**score_dict(score), **label} for each, label in files for score in each.scores],
        **account_fields({each.entry.name: each.account for each in curve.files}),
        counts={
            "files": len(entries),
            "ratios": len({entry.ratio for entry in entries}),
            "seeds": len({entry.seed for entry in entries}),
            "domains": len({entry.domain for entry in entries} - {None}),
        },
        warnings=notices,
        intervals=describe_intervals(curve.resampling),
        files=[{**label, **each.counts, "data": each.data} for each, label in files],
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
