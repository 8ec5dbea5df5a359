"""The JSON lines format of dialmeter for rated items: one object per line.

::

    {"id": "1", "level": "reply", "system": "bot", "group": "c1", "context": ["Hello"], "reply": "Hi!",
     "references": ["Hello!"], "ratings": {"overall": [3, 4]}, "scores": {"mine": 0.7}}
    {"id": "2", "level": "dialogue", "turns": [{"speaker": "user", "text": "Hello"}], "ratings_mean": {"overall": 3.5}}

``level`` is optional: an item with ``turns`` is a dialogue. Other keys are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...errors import InputError, placing
from ..entries import first_entry
from ..source import Sample, Source
from ..strict_json import parse_as
from .rated_item import RatedItem, context_moves, dialogue_moves, named_numbers

CARRIES = "JSON lines of dialmeter: replies or dialogues, ratings or their means, scores, references"


class _Turn(Struct):
    speaker: str
    text: str


class _Line(Struct):
    id: str | int
    level: str = ""
    system: str = ""
    group: str = ""
    context: list[str] = []
    reply: str | None = None
    turns: list[_Turn] | None = None
    references: list[str] = []
    ratings: dict[str, list[float]] = {}
    ratings_mean: dict[str, float] = {}
    scores: dict[str, float | None] = {}


def detect(sample: Sample) -> bool:
    """Return True if the first item has an id and ratings."""
    first: Mapping[str, Any] = first_entry(sample)
    return "id" in first and ("ratings" in first or "ratings_mean" in first)


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the items of a file.

    Raises:
        InputError: a line is not a rated item.
    """
    for number, data in source.lines():
        line = parse_as(data, _Line, source.name, number, what="a rated item")
        with placing(file=source.name, line=number, dialogue=str(line.id)):
            yield _item(line)


def _item(line: _Line) -> RatedItem:
    level = line.level or ("dialogue" if line.turns is not None else "reply")
    if level not in ("reply", "dialogue"):
        raise InputError(f"level must be reply or dialogue, found {level!r}")
    if level == "dialogue" and not line.turns:
        raise InputError("a dialogue without turns")
    if level == "reply" and line.reply is None:
        raise InputError("the reply is missing")
    scores = {name: value for name, value in line.scores.items() if value is not None}
    return RatedItem(
        str(line.id),
        "dialogue" if level == "dialogue" else "reply",
        dialogue_moves((turn.speaker, turn.text) for turn in line.turns)
        if line.turns and level == "dialogue"
        else context_moves(line.context),
        line.reply or "",
        line.system,
        line.group,
        {name: tuple(ratings) for name, ratings in line.ratings.items()},
        named_numbers(line.ratings_mean, "ratings_mean"),
        named_numbers(scores, "scores"),
        tuple(line.references),
    )
