"""``dialmeter tracker curve``"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import lines
from ...errors import one_line
from ...model import Notice
from ...studies.curve.curve import SCALES, Curve, draw_curve
from ...studies.curve.curve_files import CurveFile, in_folder, in_manifest
from ...views.curve import curve_charts, tables_of
from ...views.curve_data import plain, scores_of
from ...views.headings import distinct
from ...views.tables import render
from ...views.tracker import shared_signature
from ..option_kinds import max_bytes_option
from ..options import (
    chart_options,
    chosen_dialogues,
    chosen_resampling,
    chosen_rules,
    interval_options,
    measure_option,
    quiet_option,
    rule_options,
    source_options,
    style_options,
)
from ..say import document, draw, print_json, warn


@click.command("curve")
@click.argument("folder", metavar="DIR")
@click.option("--manifest", metavar="FILE", help="CSV or JSON lines with file, ratio, seed, domain; files lie in DIR.")
@source_options
@measure_option
@click.option(
    "--reference", default="GCA", show_default=True, metavar="M", help="The measure to compare the others with."
)
@click.option(
    "--trend",
    "scale",
    type=click.Choice(SCALES),
    default="log",
    show_default=True,
    help="Slopes per tenfold training data, or per whole training set.",
)
@rule_options
@interval_options(resamples=1000)
@chart_options
@style_options
@max_bytes_option
@quiet_option
def curve_(**options: Any) -> None:
    """Few-shot curves and zero-shot tables from the prediction files in DIR.

    Files are named like ratio_0.05_seed_557_prediction.json (share of training data, seed) or
    T5_result_zeroshot_hotel.json (domain); files with other names go into a manifest.
    """
    rules = chosen_rules(options)
    folder, manifest = options["folder"], options["manifest"]
    beside = [path for path in (options["gold"], options["schema"], options["only"]) if path]
    entries, notices = in_manifest(manifest, folder, beside) if manifest else in_folder(folder, beside)
    found = draw_curve(
        entries,
        options["gold"],
        form=options["form"],
        gold_form=options["gold_form"],
        schema=options["schema"],
        only=chosen_dialogues(options),
        measures=options["measures"] or None,
        rules=rules,
        reference=options["reference"],
        scale=options["scale"],
        resampling=chosen_resampling(options),
        watch=_watch(options["quiet"]),
    )
    notices += found.notices
    warn(notices, options["quiet"])
    charts = draw(curve_charts(found), options)
    _print(found, notices, charts, options)


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


def _print(found: Curve, notices: Sequence[Notice], charts: list[str], options: dict[str, Any]) -> None:
    style = options["style"]
    if style == "json":
        entries = [each.entry for each in found.files]
        counts = {
            "files": len(entries),
            "ratios": len({entry.ratio for entry in entries}),
            "seeds": len({entry.seed for entry in entries}),
            "domains": len({entry.domain for entry in entries} - {None}),
        }
        more = {**plain(found), "charts": charts}
        scores = scores_of(found)
        print_json(document("tracker", "tracker curve", scores, counts=counts, warnings=notices, **more))
        return
    if style == "text":
        click.echo(f"{one_line(options['folder'], 200)}  {len(found.files)} files\n")
    tables = list(tables_of(found))
    tables[-1] = replace(tables[-1], foot=tuple(lines({each.entry.name: each.account for each in found.files})))
    for number, table in enumerate(tables):
        click.echo(("\n" if number else "") + render(distinct(table) if style == "csv" else table, style))
    if style == "csv":
        return
    signature = shared_signature([score for each in found.files for score in each.scores])
    click.echo(
        f"\nSignature: `{signature}`" if style == "markdown" else f"\n{'% ' * (style == 'latex')}signature  {signature}"
    )
