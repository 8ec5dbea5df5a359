"""dialmeter's own format of rated items: one JSON object per line.

::

    {"id": "1", "level": "reply", "system": "bot", "group": "c1", "context": ["Hello"], "reply": "Hi!",
     "references": ["Hello!"], "ratings": {"overall": [3, 4]}, "scores": {"mine": 0.7}}
    {"id": "2", "level": "dialogue", "turns": [{"speaker": "user", "text": "Hello"}], "ratings_mean": {"overall": 3.5}}

``level`` may be absent: an item with ``turns`` is a dialogue. Further keys are not read.
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

CARRIES = "dialmeter's own lines: replies or dialogues, ratings or their means, scores, references"


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
    """Has the first item an id, and ratings?"""
    first: Mapping[str, Any] = first_entry(sample)
    return "id" in first and ("ratings" in first or "ratings_mean" in first)


def items(source: Source) -> Iterator[RatedItem]:
    """The items of a file of lines.

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
        raise InputError(f"level is reply or dialogue, not {level!r}")
    if level == "dialogue" and not line.turns:
        raise InputError("a dialogue needs turns")
    if level == "reply" and line.reply is None:
        raise InputError("a reply is missing")
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
        {name: tuple(given) for name, given in line.ratings.items()},
        named_numbers(line.ratings_mean, "ratings_mean"),
        named_numbers(scores, "scores"),
        tuple(line.references),
    )
