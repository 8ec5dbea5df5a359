"""Opening a file of rated items of any format, and files with further scores of its items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from statistics import fmean
from types import ModuleType

from ...errors import DialmeterError, InputError, did_you_mean, one_line, placing
from ..csv_files import parse_number, read_csv
from ..source import Source
from ..strict_json import parse_unique
from . import fed, grade, lines, table, unieval
from .rated_item import RatedItems, check_items, named_numbers, numbers

RATING_FORMATS: Mapping[str, ModuleType] = {
    "lines": lines,
    "unieval": unieval,
    "fed": fed,
    "grade": grade,
    "table": table,
}
"""Modules with ``CARRIES`` (one line of help), ``detect(sample)`` and ``items(source)``, in the order of detection."""


def open_ratings(path: str | Path, format: str | None = None) -> RatedItems:
    """The rated items of a file.

    Args:
        path: a file of any format, .gz and .zst too, or ``-``.
        format: the format; detected if not given.

    Raises:
        DialmeterError: no such format.
        InputError: the file is not as it should be.
    """
    if format is not None and format not in RATING_FORMATS:
        raise DialmeterError(f"no format of ratings {format!r}; {did_you_mean(format, RATING_FORMATS)}")
    source = Source(path)
    with closing(source):
        found = (
            RATING_FORMATS[format]
            if format
            else next((each for each in RATING_FORMATS.values() if each.detect(source.sample)), None)
        )
        if found is None:
            known = "; ".join(each.CARRIES for each in RATING_FORMATS.values())
            raise InputError(f"not a file of ratings that dialmeter knows ({known})", file=source.name)
        return check_items(found.items(source), source.name)


def open_scores(path: str | Path, items: RatedItems, name: str = "") -> dict[str, list[float | None]]:
    """Scores of rated items that were made elsewhere.

    Args:
        path: JSON lines with ``id`` and one number per judge; CSV with the same columns; or one JSON object with a list of numbers
            per judge, in the order of the items. Lists with the names X_1, X_2, … are samples of one judge X, and their mean is a
            judge as well.
        items: the rated items.
        name: goes before the names of the judges.

    Returns:
        By judge, a score for every item; None where there is none.

    Raises:
        InputError: the file is not as it should be, or an id is not among the items.
    """
    source = Source(path)
    with closing(source), placing(file=source.name):
        sample = source.sample
        if sample.kind == "document" and isinstance(sample.value, Mapping) and "id" not in sample.value:
            found = dict(_in_order(source, len(items.items)))
        else:
            found = _by_id(_csv_rows(source) if sample.kind == "text" else _json_rows(source), items)
        if not found:
            raise InputError("holds no scores")
    return {f"{name}/{judge}" if name and len(found) > 1 else name or judge: each for judge, each in found.items()}


_SAMPLE = re.compile(r"(.+)_(\d+)")


def _in_order(source: Source, count: int) -> Iterator[tuple[str, list[float | None]]]:
    samples: dict[str, list[tuple[float, ...]]] = {}
    for judge, listed in source.members():
        scores = numbers(listed, judge)
        if len(scores) != count:
            raise InputError(f"{one_line(judge)} has {len(scores)} scores, and there are {count} items")
        matched = _SAMPLE.fullmatch(judge)
        if matched:
            samples.setdefault(matched[1], []).append(scores)
        yield f"{matched[1]}/{matched[2]}" if matched else judge, list(scores)
    for judge, given in samples.items():
        yield judge, [fmean(each) for each in zip(*given, strict=True)]


def _by_id(rows: Iterator[tuple[int, str, dict[str, float]]], items: RatedItems) -> dict[str, list[float | None]]:
    places = {item.id: place for place, item in enumerate(items.items)}
    found: dict[str, list[float | None]] = {}
    for line, name, scores in rows:
        with placing(line=line, dialogue=name):
            if name not in places:
                raise InputError("no rated item has this id")
            for judge, score in scores.items():
                column = found.setdefault(judge, [None] * len(places))
                if column[places[name]] is not None:
                    raise InputError(f"a duplicate score of {one_line(judge)}")
                column[places[name]] = score
    return found


def _json_rows(source: Source) -> Iterator[tuple[int, str, dict[str, float]]]:
    for number, data in source.lines():
        row = parse_unique(data, source.name, number)
        if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
            raise InputError('expected an object with "id" and one number per judge', line=number)
        with placing(line=number):
            given = {name: each for name, each in row.items() if name != "id" and each is not None}
            yield number, str(row["id"]), named_numbers(given, "scores")


def _csv_rows(source: Source) -> Iterator[tuple[int, str, dict[str, float]]]:
    for line, row in read_csv(source, ("id",), "expected the column id and one column per judge").rows:
        with placing(line=line):
            scores = {name: parse_number(cell, name) for name, cell in row.items() if name != "id" and cell.strip()}
            yield line, row["id"].strip(), scores
