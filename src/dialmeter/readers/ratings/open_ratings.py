"""Reading of rated items in any format, and of files with further scores for these items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DialmeterError, InputError, did_you_mean, one_line, placing
from ..csv_files import parse_number, read_csv
from ..entries import first_entry
from ..formats import RATINGS, split_format
from ..source import Sample, Source
from ..strict_json import parse_as, parse_unique
from ..validation import as_list, as_mapping, as_text
from . import inferred
from .rated_item import RatedItem, RatedItems, check_items, context_moves, dialogue_moves, named_numbers, numbers
from .scales import make_scale


class _Turn(Struct):
    speaker: str
    text: str


_Rating: TypeAlias = float | bool | str


class _Line(Struct):
    """The JSON lines format of dialmeter for rated items: one object per line.

    ::

        {"id": "1", "level": "reply", "system": "bot", "group": "c1", "context": ["Hello"], "reply": "Hi!",
         "references": ["Hello!"], "ratings": {"overall": [3, 4], "safe": {"ann": "pass"}}, "scores": {"mine": 0.7}}
        {"id": "2", "level": "dialogue", "turns": [{"speaker": "user", "text": "Hello"}], "ratings_mean": {"overall": 3.5}}

    ``level`` is optional: an item with ``turns`` is a dialogue. Ratings are a list, or an object of people and their ratings; they
    are numbers or the words of a scale. Other keys are ignored.
    """

    id: str | int
    level: str = ""
    system: str = ""
    group: str = ""
    context: list[str] = []
    reply: str | None = None
    turns: list[_Turn] | None = None
    references: list[str] = []
    ratings: dict[str, list[_Rating] | dict[str, _Rating]] = {}
    ratings_mean: dict[str, float] = {}
    scores: dict[str, _Rating | None] = {}


def _are_lines(sample: Sample) -> bool:
    listed = [first_entry(sample), *(each for each in sample.more if isinstance(each, dict))]
    # Items that are only judged may come first.
    rated = next((each for each in listed if "ratings" in each or "ratings_mean" in each), listed[0])
    keys, ratings = rated.keys(), rated.get("ratings")
    if isinstance(ratings, dict) and any(isinstance(each, int) for each in ratings.values()):
        return False  # a number for each rater or quality
    return {"id"} < keys and bool(keys & {"reply", "turns"}) and bool(keys & {"ratings", "ratings_mean", "level"})


def _line_items(source: Source) -> Iterator[RatedItem]:
    lines = [
        (number, parse_as(data, _Line, source.name, number, what="a rated item")) for number, data in source.lines()
    ]
    given: dict[tuple[str, bool], list[tuple[_Rating, dict[str, Any]]]] = {}
    in_words = {name for _, line in lines for name, each in line.scores.items() if isinstance(each, str | bool)}
    for number, line in lines:
        place = {"line": number, "dialogue": str(line.id)}
        for facet, ratings in line.ratings.items():
            each = ratings.values() if isinstance(ratings, dict) else ratings
            given.setdefault((facet, False), []).extend((one, place) for one in each)
        for name in in_words & line.scores.keys():
            if (score := line.scores[name]) is not None:
                given.setdefault((name, True), []).append((score, place))
    scales = {key: make_scale(each, one_line(key[0])) for key, each in given.items()}
    for number, line in lines:
        with placing(file=source.name, line=number, dialogue=str(line.id)):
            yield _line_item(line, scales)


def _line_item(line: _Line, scales: Mapping[tuple[str, bool], Callable[[Any], float]]) -> RatedItem:
    """The item of a line. The key of a scale is the name of a facet, or that of a judge with verdicts in words, and which it is."""
    level = line.level or ("dialogue" if line.turns is not None else "reply")
    if level not in ("reply", "dialogue"):
        raise InputError(f"level must be reply or dialogue, found {level!r}")
    if level == "dialogue" and not line.turns:
        raise InputError("a dialogue without turns")
    if level == "reply" and line.reply is None:
        raise InputError("the reply is missing")
    scores = {
        name: scales[name, True](value) if (name, True) in scales else value
        for name, value in line.scores.items()
        if value is not None
    }
    return RatedItem(
        str(line.id),
        "dialogue" if level == "dialogue" else "reply",
        dialogue_moves((turn.speaker, turn.text) for turn in line.turns)
        if line.turns and level == "dialogue"
        else context_moves(line.context),
        line.reply or "",
        line.system,
        line.group,
        {
            facet: tuple(map(scales[facet, False], each.values() if isinstance(each, dict) else each))
            for facet, each in line.ratings.items()
        },
        named_numbers(line.ratings_mean, "ratings_mean"),
        named_numbers(scores, "scores"),
        tuple(line.references),
        {name: tuple(each) for name, each in line.ratings.items() if isinstance(each, dict)},
    )


def _has_keys(*keys: str) -> Callable[[Sample], bool]:
    """Return a function that returns True if the first item of a sample has all keys."""
    return lambda sample: first_entry(sample).keys() >= {*keys}


def _elements(source: Source, item: Callable[[int, Mapping[str, Any]], RatedItem]) -> Iterator[RatedItem]:
    """Yield the items of a list, given a function that makes an item of its position and its object."""
    for place, element in enumerate(source.elements()):
        with placing(file=source.name, dialogue=str(place)):
            yield item(place, as_mapping(element, f"item {place}"))


def _unieval_items(source: Source) -> Iterator[RatedItem]:
    """The dialogue format of UniEval: a list of replies with mean ratings and predicted scores.

    ``source`` holds the turns, one per line. ``context`` is a knowledge text, not the dialogue. Replies to the same turns
    form a group.
    """
    groups: dict[str, str] = {}

    def item(place: int, entry: Mapping[str, Any]) -> RatedItem:
        context = as_text(entry.get("source"), "source")
        turns = [text for line in context.split("\n") if (text := line.strip())]
        scores = named_numbers(entry.get("predict_scores", {}), "predict_scores")
        return RatedItem(
            f"tc-{place:03}",
            "reply",
            context_moves(turns),
            as_text(entry.get("system_output"), "system_output").strip(),
            as_text(entry.get("system_id", ""), "system_id"),
            groups.setdefault(context, f"tc-ctx-{len(groups):02}"),
            means=named_numbers(entry.get("scores"), "scores"),
            scores={f"unieval/{name}": score for name, score in scores.items()},
        )

    return _elements(source, item)


def _fed_item(place: int, entry: Mapping[str, Any]) -> RatedItem:
    """The dialogue-level format of FED: a list of dialogues with several ratings per facet."""
    name = as_text(entry.get("dialogue_id", str(place)), "dialogue_id")
    with placing(dialogue=name):
        turns = [as_mapping(turn, "a turn") for turn in as_list(entry.get("dialog"), "dialog")]
        annotations = as_mapping(entry.get("annotations"), "annotations")
        return RatedItem(
            name,
            "dialogue",
            dialogue_moves(
                (as_text(turn.get("speaker"), "speaker"), as_text(turn.get("text"), "text")) for turn in turns
            ),
            system=as_text(entry.get("model", ""), "model"),
            ratings={str(facet): numbers(each, str(facet)) for facet, each in annotations.items()},
        )


def _grade_item(place: int, entry: Mapping[str, Any]) -> RatedItem:
    """The format of GRADE: a list of replies. Turns are separated by ``|||``, and the ratings are a JSON list in a text."""
    number = entry.get("ID", place)
    if not isinstance(number, int | str):
        raise InputError("ID must be a number or a string")
    scores = entry.get("HumanScores")
    parsed = parse_unique(scores.encode(), None) if isinstance(scores, str) else scores
    turns = as_text(entry.get("Context"), "Context").split("|||")
    return RatedItem(
        f"grade-{number}",
        "reply",
        context_moves([turn.strip() for turn in turns]),
        as_text(entry.get("Response"), "Response").strip(),
        as_text(entry.get("DialogModel", ""), "DialogModel"),
        ratings={"coherence": numbers(parsed, "HumanScores")},
    )


class RatingFormat(NamedTuple):
    """A format of rated items: one line of help, detection, and the reader of its items."""

    carries: str
    detect: Callable[[Sample], bool]
    items: Callable[[Source], Iterator[RatedItem]]


RATING_FORMATS: Mapping[str, RatingFormat] = {
    "lines": RatingFormat(
        "JSON lines of dialmeter: replies or dialogues, ratings or their means, scores, references",
        _are_lines,
        _line_items,
    ),
    "unieval": RatingFormat(
        "UniEval: replies, mean ratings, predicted scores",
        _has_keys("source", "system_output", "scores"),
        _unieval_items,
    ),
    "fed": RatingFormat(
        "FED: dialogues, several ratings per facet",
        _has_keys("dialog", "annotations"),
        partial(_elements, item=_fed_item),
    ),
    "grade": RatingFormat(
        "GRADE: replies, several ratings of coherence",
        _has_keys("Context", "Response", "HumanScores"),
        partial(_elements, item=_grade_item),
    ),
    RATINGS: RatingFormat(inferred.DESCRIPTION, inferred.detect, inferred.items),
}
"""Rating formats by name, in the order of detection."""


def open_ratings(path: str | Path, format: str | None = None) -> RatedItems:
    """Read the rated items of a file.

    Args:
        path: a file, plain or compressed (.gz, .zst), or ``-``.
        format: the name of the format; detected if not given.

    Raises:
        DialmeterError: unknown format name.
        InputError: the file cannot be read, or is invalid.
    """
    name, fields = split_format(format) if format else ("", {})
    if name and name not in RATING_FORMATS:
        raise DialmeterError(f"unknown rating format {name!r}; {did_you_mean(name, RATING_FORMATS)}")
    source = Source(path)
    source.fields = fields
    with closing(source):
        reader = RATING_FORMATS[name] if name else _detected(source.sample)
        if reader is None:
            known = "; ".join(each.carries for each in RATING_FORMATS.values())
            raise InputError(f"unknown rating format; known formats are: {known}", file=source.name)
        with placing(file=source.name):
            items = check_items(reader.items(source), source.name)
        return replace(items, notices=tuple(source.notices))


def _detected(sample: Sample) -> RatingFormat | None:
    return next((each for each in RATING_FORMATS.values() if each.detect(sample)), None)


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
