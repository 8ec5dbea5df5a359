"""Human ratings of dialogues: CSV with one row per rating (dialogue, rater, rating) or one column per rater."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from ...errors import InputError, one_line, placing
from ...model import dialogue_key
from ...readers.csv_files import csv_text, number_or_nan, read_csv
from ...readers.source import Source

_DIALOGUE = ("dialogue", "dialogue_id", "dialogue id", "dialog", "dialog_id", "id")
_MISSING = ("", "na", "n/a", "-", "–")


class Ratings(Struct, frozen=True):
    """Ratings by dialogue and rater; a missing rating is absent."""

    raters: tuple[str, ...]
    by_dialogue: dict[str, dict[str, float]]
    """Key of the dialogue → rater → rating; a dialogue that nobody rated is absent."""
    names: dict[str, str]
    """Key of the dialogue → its name as written."""

    def mean(self, key: str) -> float | None:
        """The mean over the raters of one dialogue.

        Example:
            >>> Ratings(("ann", "bob"), {"d1": {"ann": 4.0, "bob": 5.0}}, {"d1": "D1"}).mean("d1")
            4.5
        """
        given = self.by_dialogue.get(key)
        return math.fsum(given.values()) / len(given) if given else None

    def of(self, rater: str, keys: Sequence[str]) -> list[float | None]:
        """One rater's ratings of some dialogues."""
        return [self.by_dialogue.get(key, {}).get(rater) for key in keys]

    def digest(self) -> str:
        """Ten hexadecimal digits that say which ratings these are, whatever their order."""
        cells = sorted(
            f"{key}\x1f{rater}\x1f{value!r}" for key, row in self.by_dialogue.items() for rater, value in row.items()
        )
        return hashlib.sha256("\x1e".join(cells).encode("utf-8", "surrogatepass")).hexdigest()[:10]


class RatingCollector:
    """Collects ratings and rejects a second one of the same rater for the same dialogue."""

    def __init__(self) -> None:
        self._raters: dict[str, None] = {}
        self._cells: dict[str, dict[str, float]] = {}
        self._names: dict[str, str] = {}

    def add(self, dialogue: str, rater: str, rating: float | None) -> None:
        """Adds one rating; None for a missing one.

        Raises:
            InputError: the rater has rated the dialogue before.
        """
        key = dialogue_key(dialogue)
        self._raters[rater] = None
        self._names.setdefault(key, dialogue)
        if rating is None:
            return
        row = self._cells.setdefault(key, {})
        if rater in row:
            raise InputError(f"{one_line(rater)} has rated it before", dialogue=dialogue)
        row[rater] = rating

    def ratings(self) -> Ratings:
        """All ratings, dialogues and raters sorted."""
        cells = {key: dict(sorted(self._cells[key].items())) for key in sorted(self._cells)}
        return Ratings(tuple(sorted(self._raters)), cells, {key: self._names[key] for key in sorted(self._names)})


def read_ratings(path: str) -> Ratings:
    """Reads ratings from CSV; commas, semicolons or tabs.

    Args:
        path: columns ``dialogue, rater, rating``, or ``dialogue`` and one column for each rater.

    Raises:
        InputError: columns or ratings that are not as they should be, with the line.
    """
    table = read_csv(Source(path))
    columns = {name.lower(): name for name in table.names}
    dialogues = next((columns[name] for name in _DIALOGUE if name in columns), None)
    if dialogues is None or len(table.names) < 2:
        raise InputError(
            "expected the columns dialogue, rater, rating; or dialogue and one per rater", file=path, line=1
        )
    if "" in table.names:
        raise InputError("an empty heading", file=path, line=1)
    found = RatingCollector()
    for line, row in table.rows:
        with placing(file=path, line=line):
            dialogue = row.pop(dialogues).strip()
            if not dialogue:
                raise InputError("a row without dialogue")
            if {"rater", "rating"} <= set(columns):
                rater = row[columns["rater"]].strip()
                if not rater:
                    raise InputError("a rating without rater", dialogue=dialogue)
                rated = {rater: row[columns["rating"]]}
            else:
                rated = row
            for rater, cell in rated.items():
                found.add(dialogue, rater, _rating(cell, dialogue, rater))
    ratings = found.ratings()
    if not ratings.by_dialogue:
        raise InputError("holds no rating", file=path)
    return ratings


def write_ratings(dialogues: Sequence[str], raters: Sequence[str], ratings: Mapping[str, Mapping[str, float]]) -> str:
    """Ratings as CSV with one column per rater; a missing one is an empty cell.

    Example:
        >>> print(write_ratings(["D1", "D2"], ["ann"], {"d1": {"ann": 4.0}}), end="")
        dialogue,ann
        D1,4
        D2,
    """
    rows = []
    for dialogue in dialogues:
        given = ratings.get(dialogue_key(dialogue), {})
        rows.append([dialogue, *(f"{given[rater]:.10g}" if rater in given else "" for rater in raters)])
    return csv_text(["dialogue", *raters], rows)


def _rating(text: str, dialogue: str, rater: str) -> float | None:
    given = text.strip()
    if given.lower() in _MISSING:
        return None
    rating = number_or_nan(given)
    if not math.isfinite(rating):
        message = f"the rating of {one_line(rater)} is {one_line(given)!r}, and should be a number or empty"
        raise InputError(message, dialogue=dialogue)
    return rating
