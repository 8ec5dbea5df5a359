"""``dialmeter judge published``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import Account, count_reasons
from ...core.document import make_document
from ...judges.published.printed import DATA, METRICS
from ...judges.published.stored import PublishedCell, StoredErrors, published_cells, read_stored
from ...views.judge import published_tables
from ...views.tables import Table
from ..options import command
from ..printer import EVERY, TEXT, Block, Output
from .documents import JudgePublishedDocument


@command()
@click.argument("folder")
@click.option("--keep-no-ops", is_flag=True, help="Count cases that change nothing, as the authors did (lines ÷ 100).")
@click.option("--metric", type=click.Choice(list(METRICS)), help="Metric of files without a metric in their path.")
@click.option("--data", type=click.Choice(list(DATA)), help="Data set of files without a data set in their path.")
def published(**options: Any) -> Output:
    """Recompute tables 3 and 4 of the paper on attacks from the stored FOLDER of its authors, and show the printed values.

    FOLDER has a folder for each attack, at any depth, with files case_N and prob_cases or prob_cases_METRIC, which have one line
    for each failing case. The names of folders and files give data set and metric.
    """
    stored, notices = read_stored(options["folder"], options["metric"] or "", options["data"] or "")
    cells = published_cells(stored, options["keep_no_ops"])
    account = _account(cells)
    *first, last = published_tables(cells)
    return Output(
        document=lambda _: make_document(
            JudgePublishedDocument,
            scores=cells,
            account=account,
            counts={"files": len(stored), "cells": len(cells), "recomputed": account.scored},
            warnings=notices,
            keep_no_ops=options["keep_no_ops"],
            files=stored,
        ),
        parts=[
            *(Block(table, EVERY) for table in first),
            Block(replace(last, foot=(account.line,)), EVERY),
            *([Block(_ambiguous_cells(cells), EVERY)] if any(len(cell.candidates) > 1 for cell in cells) else []),
            Block(_files(stored)),
            Block(_note(options["keep_no_ops"]), TEXT),
        ],
        notices=notices,
    )


def _account(cells: Sequence[PublishedCell]) -> Account:
    unscored = [(f"{cell.metric} {cell.data} {cell.attack}", cell.reason) for cell in cells if cell.value is None]
    with_files = sum(bool(cell.candidates) for cell in cells)
    return Account("item", len(cells), with_files, len(cells) - len(unscored), count_reasons(unscored), "recomputed")


def _ambiguous_cells(cells: Sequence[PublishedCell]) -> Table:
    rows = tuple(
        (cell.metric, cell.data, cell.attack, file, f"{rate:.2f}", f"{cell.printed:.2f}")
        for cell in cells
        if len(cell.candidates) > 1
        for file, rate in cell.candidates.items()
    )
    headings = ("metric", "data", "attack", "file", "error", "printed")
    return Table("* cells that match several files", headings, rows, frozenset({4, 5}))


def _files(stored: Sequence[StoredErrors]) -> Table:
    rows = tuple(
        (
            each.file,
            each.metric or "?",
            each.data or "?",
            each.attack,
            str(each.failing),
            str(each.no_ops),
            str(each.cases),
            str(each.cases_no_ops),
        )
        for each in stored
    )
    headings = ("file", "metric", "data", "attack", "failing", "failing no-ops", "cases", "no-op cases")
    return Table("stored files", headings, rows, frozenset({4, 5, 6, 7}))


def _note(keep_no_ops: bool) -> str:
    if keep_no_ops:
        return "error = lines ÷ 100; cases that change nothing are counted, as the authors did"
    return (
        "cases that change nothing (no-ops) are not counted; ~ means that the 100 drawn cases are not stored, so no-ops are "
        "removed by their share in the folder; use --keep-no-ops for the stored figures"
    )
