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
    """Ratings by dialogue and rater. Missing ratings are absent."""

    raters: tuple[str, ...]
    by_dialogue: dict[str, dict[str, float]]
    """Ratings by key of the dialogue and rater; a dialogue without ratings is absent."""
    names: dict[str, str]
    """Original names of the dialogues, by key."""

    def mean(self, key: str) -> float | None:
        """Return the mean rating of one dialogue, or None if it has no ratings.

        Example:
            >>> Ratings(("ann", "bob"), {"d1": {"ann": 4.0, "bob": 5.0}}, {"d1": "D1"}).mean("d1")
            4.5
        """
        ratings = self.by_dialogue.get(key)
        return math.fsum(ratings.values()) / len(ratings) if ratings else None

    def of(self, rater: str, keys: Sequence[str]) -> list[float | None]:
        """Return one rater's ratings of some dialogues."""
        return [self.by_dialogue.get(key, {}).get(rater) for key in keys]

    def digest(self) -> str:
        """Return a digest of ten hexadecimal digits that does not depend on the order of the ratings."""
        cells = sorted(
            f"{key}\x1f{rater}\x1f{value!r}" for key, row in self.by_dialogue.items() for rater, value in row.items()
        )
        return hashlib.sha256("\x1e".join(cells).encode("utf-8", "surrogatepass")).hexdigest()[:10]


class RatingCollector:
    """Collector of ratings. It rejects a second rating of a dialogue by the same rater."""

    def __init__(self) -> None:
        self._raters: dict[str, None] = {}
        self._cells: dict[str, dict[str, float]] = {}
        self._names: dict[str, str] = {}

    def add(self, dialogue: str, rater: str, rating: float | None) -> None:
        """Add one rating; None for a missing one.

        Raises:
            InputError: the rater has already rated the dialogue.
        """
        key = dialogue_key(dialogue)
        self._raters[rater] = None
        self._names.setdefault(key, dialogue)
        if rating is None:
            return
        row = self._cells.setdefault(key, {})
        if rater in row:
            raise InputError(f"{one_line(rater)} has already rated it", dialogue=dialogue)
        row[rater] = rating

    def ratings(self) -> Ratings:
        """Return all ratings, with dialogues and raters sorted."""
        cells = {key: dict(sorted(self._cells[key].items())) for key in sorted(self._cells)}
        return Ratings(tuple(sorted(self._raters)), cells, {key: self._names[key] for key in sorted(self._names)})


def read_ratings(path: str) -> Ratings:
    """Read ratings from CSV with commas, semicolons or tabs.

    Args:
        path: file with the columns ``dialogue, rater, rating``, or ``dialogue`` and one column for each rater.

    Raises:
        InputError: invalid columns or ratings; the error has the line.
    """
    table = read_csv(Source(path))
    columns = {name.lower(): name for name in table.names}
    dialogues = next((columns[name] for name in _DIALOGUE if name in columns), None)
    if dialogues is None or len(table.names) < 2:
        raise InputError(
            "expected the columns dialogue, rater, rating; or dialogue and one per rater", file=path, line=1
        )
    if "" in table.names:
        raise InputError("empty column name", file=path, line=1)
    collector = RatingCollector()
    for line, row in table.rows:
        with placing(file=path, line=line):
            dialogue = row.pop(dialogues).strip()
            if not dialogue:
                raise InputError("a row has no dialogue")
            if {"rater", "rating"} <= set(columns):
                rater = row[columns["rater"]].strip()
                if not rater:
                    raise InputError("a rating has no rater", dialogue=dialogue)
                cells = {rater: row[columns["rating"]]}
            else:
                cells = row
            for rater, cell in cells.items():
                collector.add(dialogue, rater, _parse_rating(cell, dialogue, rater))
    ratings = collector.ratings()
    if not ratings.by_dialogue:
        raise InputError("the file has no ratings", file=path)
    return ratings


def write_ratings(dialogues: Sequence[str], raters: Sequence[str], ratings: Mapping[str, Mapping[str, float]]) -> str:
    """Return ratings as CSV with one column per rater. A missing rating is an empty cell.

    Example:
        >>> print(write_ratings(["D1", "D2"], ["ann"], {"d1": {"ann": 4.0}}), end="")
        dialogue,ann
        D1,4
        D2,
    """
    rows = []
    for dialogue in dialogues:
        by_rater = ratings.get(dialogue_key(dialogue), {})
        rows.append([dialogue, *(f"{by_rater[rater]:.10g}" if rater in by_rater else "" for rater in raters)])
    return csv_text(["dialogue", *raters], rows)


def _parse_rating(text: str, dialogue: str, rater: str) -> float | None:
    text = text.strip()
    if text.lower() in _MISSING:
        return None
    rating = number_or_nan(text)
    if not math.isfinite(rating):
        message = f"the rating of {one_line(rater)} must be a number or empty, not {one_line(text)!r}"
        raise InputError(message, dialogue=dialogue)
    return rating
