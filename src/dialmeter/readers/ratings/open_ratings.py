"""Reading of rated items in any format, and of files with further scores for these items."""

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
"""Format name → module with ``CARRIES``, ``detect(sample)`` and ``items(source)``, in the order of detection."""


def open_ratings(path: str | Path, format: str | None = None) -> RatedItems:
    """Read the rated items of a file.

    Args:
        path: a file, plain or compressed (.gz, .zst), or ``-``.
        format: the name of the format; detected if not given.

    Raises:
        DialmeterError: unknown format name.
        InputError: the file cannot be read, or is invalid.
    """
    if format is not None and format not in RATING_FORMATS:
        raise DialmeterError(f"unknown rating format {format!r}; {did_you_mean(format, RATING_FORMATS)}")
    source = Source(path)
    with closing(source):
        reader = (
            RATING_FORMATS[format]
            if format
            else next((each for each in RATING_FORMATS.values() if each.detect(source.sample)), None)
        )
        if reader is None:
            known = "; ".join(each.CARRIES for each in RATING_FORMATS.values())
            raise InputError(f"unknown rating format; known formats are: {known}", file=source.name)
        return check_items(reader.items(source), source.name)


def open_scores(path: str | Path, items: RatedItems, name: str = "") -> dict[str, list[float | None]]:
    """Read scores of rated items that another program computed.

    Args:
        path: JSON lines with ``id`` and one number per judge; CSV with the same columns; or a JSON object with a list
            of numbers per judge, in the order of the items. Lists named X_1, X_2, … are samples of one judge X, and
            their mean is added as judge X.
        items: the rated items.
        name: prefix for the names of the judges.

    Returns:
        For each judge, a score for every item; None if an item has no score.

    Raises:
        InputError: the file is invalid, or an id is not among the items.
    """
    source = Source(path)
    with closing(source), placing(file=source.name):
        sample = source.sample
        if sample.kind == "document" and isinstance(sample.value, Mapping) and "id" not in sample.value:
            scores = dict(_scores_in_order(source, len(items.items)))
        elif sample.kind not in ("text", "lines") and not isinstance(sample.value, Mapping):
            raise InputError(
                'not a file of scores; expected JSON lines or CSV with "id" and one number per judge, or one JSON object with a '
                "list of numbers per judge"
            )
        else:
            scores = _scores_by_id(_csv_rows(source) if sample.kind == "text" else _json_rows(source), items)
        if not scores:
            raise InputError("the file has no scores")
    return {f"{name}/{judge}" if name and len(scores) > 1 else name or judge: each for judge, each in scores.items()}


_SAMPLE = re.compile(r"(.+)_(\d+)")


def _scores_in_order(source: Source, count: int) -> Iterator[tuple[str, list[float | None]]]:
    samples: dict[str, list[tuple[float, ...]]] = {}
    for judge, listed in source.members():
        scores = numbers(listed, judge)
        if len(scores) != count:
            raise InputError(f"{one_line(judge)} has {len(scores)} scores, but there are {count} items")
        match = _SAMPLE.fullmatch(judge)
        if match:
            samples.setdefault(match[1], []).append(scores)
        yield f"{match[1]}/{match[2]}" if match else judge, list(scores)
    for judge, judge_samples in samples.items():
        yield judge, [fmean(each) for each in zip(*judge_samples, strict=True)]


def _scores_by_id(
    rows: Iterator[tuple[int, str, dict[str, float]]], items: RatedItems
) -> dict[str, list[float | None]]:
    places = {item.id: place for place, item in enumerate(items.items)}
    columns: dict[str, list[float | None]] = {}
    for line, name, scores in rows:
        with placing(line=line, dialogue=name):
            if name not in places:
                raise InputError("no rated item has this id")
            for judge, score in scores.items():
                column = columns.setdefault(judge, [None] * len(places))
                if column[places[name]] is not None:
                    raise InputError(f"duplicate score of {one_line(judge)}")
                column[places[name]] = score
    return columns


def _json_rows(source: Source) -> Iterator[tuple[int, str, dict[str, float]]]:
    for number, data in source.lines():
        row = parse_unique(data, source.name, number)
        if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
            raise InputError('expected an object with "id" and one number per judge', line=number)
        with placing(line=number):
            scores = {name: each for name, each in row.items() if name != "id" and each is not None}
            yield number, str(row["id"]), named_numbers(scores, "scores")


def _csv_rows(source: Source) -> Iterator[tuple[int, str, dict[str, float]]]:
    for line, row in read_csv(source, ("id",), "expected the column id and one column per judge").rows:
        with placing(line=line):
            scores = {name: parse_number(cell, name) for name, cell in row.items() if name != "id" and cell.strip()}
            yield line, row["id"].strip(), scores
