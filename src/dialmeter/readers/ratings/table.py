"""Rated items as CSV: one row per item, or one row per item and person.

The columns are ``id``; for a reply ``context`` (turns separated by ``|||``), ``reply`` and optionally ``reference``;
optionally ``system`` and ``group``; ``rating:DIMENSION`` with one number, or several numbers separated by blanks;
``score:JUDGE``. Rows with the same id add ratings to the same item. Instead of ``rating:DIMENSION``, the file may have
the columns ``dimension`` and ``rating``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ...errors import InputError, placing
from ..csv_files import parse_header, parse_number, read_csv
from ..source import Sample, Source
from .rated_item import RatedItem, context_moves

CARRIES = "CSV: columns id, context, reply, system, group, reference, rating:DIMENSION, score:JUDGE"

_RATING, _SCORE = "rating:", "score:"


def detect(sample: Sample) -> bool:
    """Return True if the first line has a column for the id and a column for ratings."""
    if sample.kind != "text":
        return False
    names = {name.lower() for name in parse_header(sample.value)[0]}
    return "id" in names and ("rating" in names or any(name.startswith(_RATING) for name in names))


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the items of a file.

    Raises:
        InputError: an invalid row.
    """
    by_id: dict[str, RatedItem] = {}
    with placing(file=source.name):
        for line, row in read_csv(source).rows:
            with placing(line=line):
                item = _item({name: cell.strip() for name, cell in row.items()})
                by_id[item.id] = _merge_rows(by_id[item.id], item) if item.id in by_id else item
    yield from by_id.values()


def _item(cells: Mapping[str, str]) -> RatedItem:
    name = cells.get("id", "")
    if not name:
        raise InputError("a row without an id")
    with placing(dialogue=name):
        ratings = {
            column.removeprefix(_RATING): tuple(parse_number(each, column) for each in cell.split())
            for column, cell in cells.items()
            if column.startswith(_RATING)
        }
        if "rating" in cells:
            ratings[cells.get("dimension") or "overall"] = tuple(
                parse_number(each, "rating") for each in cells["rating"].split()
            )
        scores = {
            column.removeprefix(_SCORE): parse_number(cell, column)
            for column, cell in cells.items()
            if column.startswith(_SCORE) and cell
        }
        context = cells.get("context", "")
        return RatedItem(
            name,
            "reply",
            context_moves([turn.strip() for turn in context.split("|||")] if context else []),
            cells.get("reply", ""),
            cells.get("system", ""),
            cells.get("group", ""),
            ratings,
            scores=scores,
            references=(cells["reference"],) if cells.get("reference") else (),
        )


def _merge_rows(first: RatedItem, second: RatedItem) -> RatedItem:
    """Return the item with the ratings of a second row added."""
    if (first.moves, first.reply, first.system) != (second.moves, second.reply, second.system):
        raise InputError("rows with this id have different texts or systems", dialogue=first.id)
    merged = dict(first.ratings)
    for dimension, ratings in second.ratings.items():
        merged[dimension] = (*merged.get(dimension, ()), *ratings)
    return replace(first, ratings=merged, scores={**first.scores, **second.scores})
