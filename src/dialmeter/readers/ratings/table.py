"""Rated items as CSV: one row per item, or one row per item and person.

Columns: ``id``; for a reply ``context`` (turns separated by ``|||``), ``reply`` and perhaps ``reference``; ``system`` and
``group`` if known; ``rating:DIMENSION`` with one number or several separated by blanks; ``score:JUDGE``. Rows with the same id
add ratings to the same item. Instead of ``rating:DIMENSION`` there may be the two columns ``dimension`` and ``rating``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from math import isfinite

from msgspec.structs import replace

from ...errors import InputError, one_line, placing
from ..source import Sample, Source
from .rated_item import RatedItem, context_moves

CARRIES = "CSV: columns id, context, reply, system, group, reference, rating:DIMENSION, score:JUDGE"

_RATING, _SCORE = "rating:", "score:"
_SIGNS = (",", ";", "\t")


def detect(sample: Sample) -> bool:
    """Has the first line a column for the id, and one for ratings?"""
    if sample.kind != "text":
        return False
    names = {name.strip().strip('"').lower() for name in sample.value.strip().split(_sign(sample.value))}
    return "id" in names and ("rating" in names or any(name.startswith(_RATING) for name in names))


def items(source: Source) -> Iterator[RatedItem]:
    """The items of a file.

    Raises:
        InputError: a row is not as it should be.
    """
    text = source.text
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_sign(text), restkey="", strict=True)
    found: dict[str, RatedItem] = {}
    with placing(file=source.name):
        try:
            names = [(name or "").strip() for name in reader.fieldnames or ()]
            if len(set(names)) < len(names) or "" in names:
                raise InputError("an empty or a duplicate heading", line=1)
            reader.fieldnames = names
            for row in reader:
                with placing(line=reader.line_num):
                    if "" in row or None in row.values():
                        raise InputError("the row has another number of cells than there are headings")
                    cells = {name: cell.strip() for name, cell in row.items()}
                    item = _item(cells)
                    found[item.id] = _joined(found[item.id], item) if item.id in found else item
        except csv.Error as error:
            raise InputError(f"not valid CSV: {error}", line=reader.line_num) from None
    yield from found.values()


def _sign(text: str) -> str:
    first = text.partition("\n")[0]
    return next((sign for sign in _SIGNS if sign in first), ",")


def _item(cells: Mapping[str, str]) -> RatedItem:
    name = cells.get("id", "")
    if not name:
        raise InputError("a row without an id")
    with placing(dialogue=name):
        ratings = {
            column.removeprefix(_RATING): tuple(number_of(each, column) for each in cell.split())
            for column, cell in cells.items()
            if column.startswith(_RATING)
        }
        if "rating" in cells:
            ratings[cells.get("dimension") or "overall"] = tuple(
                number_of(each, "rating") for each in cells["rating"].split()
            )
        scores = {
            column.removeprefix(_SCORE): number_of(cell, column)
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


def _joined(first: RatedItem, second: RatedItem) -> RatedItem:
    """An item with the ratings of a second row."""
    if (first.moves, first.reply, first.system) != (second.moves, second.reply, second.system):
        raise InputError("rows with this id have different texts or systems", dialogue=first.id)
    together = dict(first.ratings)
    for dimension, given in second.ratings.items():
        together[dimension] = (*together.get(dimension, ()), *given)
    return replace(first, ratings=together, scores={**first.scores, **second.scores})


def number_of(text: str, column: str) -> float:
    """The number in a cell.

    Raises:
        InputError: it holds something else.

    Example:
        >>> number_of("3.5", "rating:overall")
        3.5
    """
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not isfinite(found):
        raise InputError(f"{one_line(column)}: expected a number, found {one_line(text, 40)!r}")
    return found
