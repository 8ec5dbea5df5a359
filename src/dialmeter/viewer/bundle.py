"""The viewer's pages as static files that open from disk. A script filters lists; pages load nothing from the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from ..core.output import new_folder
from ..errors import DialmeterError
from ..views.html_env import asset
from ..views.pages.opened_run import OpenedRun, unique_names
from ..views.pages.scores import match
from ..views.pages.select import RowQuery, Selection, select
from .comparing import PairList, compare_page, pair_page
from .folder import RunFolder
from .links import Links
from .pages import row_page, rows_page, run_page, runs_page

MOST_ROWS = 2000
MOST_PAIRS = 45
ROWS_OF_A_PAIR = 25


class BundleSize(NamedTuple):
    """The numbers of runs, written rows and omitted rows of a bundle."""

    runs: int
    rows: int
    hidden: int


def write_bundle(folders: Sequence[str], out: Path, *, force: bool = False, most: int = MOST_ROWS) -> BundleSize:
    """Write the pages of runs.

    Args:
        folders: the folders of the runs, or one folder with runs in its subfolders.
        out: a new or empty folder.
        force: replace an existing bundle.
        most: largest number of rows of all runs together; the worst rows of each run are written, the others are only counted.

    Raises:
        DialmeterError: the folder is not empty or cannot be written to.
    """

    def check(names: set[str]) -> None:
        if names and not (force and "viewer.js" in names):
            raise DialmeterError(
                f"{out}: is not an empty folder" + ("" if force else "; replace a bundle with --force")
            )

    several = dict(zip(unique_names(folders), map(Path, folders), strict=True)) if len(folders) > 1 else None
    runs = RunFolder(folders[0], several)
    entries = runs.entries()
    opened = [run for each in entries if each.kind and (run := _open_readable(runs, each.key)) is not None]
    links = Links([run.key for run in opened])
    readable = {run.key for run in opened}
    listed = [each if each.key in readable else each.broken("its rows cannot be read") for each in entries]
    shares = _shares([len(run) for run in opened], most)
    with new_folder(out, check, ["*.html"]) as new:
        for name in ("viewer.css", "viewer.js"):
            (new / name).write_text(asset(name), "utf-8")
        (new / "index.html").write_text(runs_page(listed, Path(folders[0]).name, {}, links), "utf-8")
        for run, share in zip(opened, shares, strict=True):
            for name, text in _run_pages(run, share, opened, links):
                (new / name).write_text(text, "utf-8")
        for first, second in _pairs(opened):
            for name, text in _pair_pages(first, second, links):
                (new / name).write_text(text, "utf-8")
    return BundleSize(len(opened), sum(shares), sum(map(len, opened)) - sum(shares))


def _open_readable(runs: RunFolder, key: str) -> OpenedRun | None:
    """Open a run with intact rows; return None for a broken run, which is only listed."""
    try:
        run = runs.open(key)
        return None if run.problem else run
    except DialmeterError:
        return None


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return the number of rows to write for each run: all rows of small runs, equal numbers for the others.

    Example:
        >>> _shares([10, 5000, 5000], 2000), _shares([3, 4], 2000)
        ([10, 995, 995], [3, 4])
    """
    shares = [0] * len(sizes)
    left = most
    for done, at in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[at] = min(sizes[at], left // (len(sizes) - done))
        left -= shares[at]
    return shares


def _run_pages(run: OpenedRun, share: int, runs: Sequence[OpenedRun], links: Links) -> Iterator[tuple[str, str]]:
    others = [other.key for first, other in _pairs(runs) if first is run]
    yield links.run(run.key), "".join(run_page(run, others, links))
    selection = Selection(select(run, RowQuery()).positions[:share], None)
    yield links.rows(run.key, {}), rows_page(run, RowQuery(), selection, links, most=None)
    for position in selection.positions.tolist():
        yield links.row(run.key, position, {}), row_page(run, position, RowQuery(), selection, links=links)


def _pairs(runs: Sequence[OpenedRun]) -> list[tuple[OpenedRun, OpenedRun]]:
    """Return pairs of runs of one kind that share rows."""
    pairs = [
        (first, second)
        for first, second in combinations(runs, 2)
        if first.kind is second.kind and not set(first.findings.ids).isdisjoint(second.findings.ids)
    ]
    return pairs[:MOST_PAIRS]


def _pair_pages(first: OpenedRun, second: OpenedRun, links: Links) -> Iterator[tuple[str, str]]:
    matched = match(first, second)
    keys = [first.key, second.key]
    yield links.compare(keys, {}), compare_page([first, second], {}, links, most=ROWS_OF_A_PAIR, swap=False)
    for at in PairList(matched, {}).order[:ROWS_OF_A_PAIR].tolist():
        position = int(matched.first_rows[at])
        text = pair_page(matched, position, {}, links, most=ROWS_OF_A_PAIR)
        yield links.pair(keys, position, {}), text
