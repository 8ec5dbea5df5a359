"""The format of GRADE: a list of replies. Turns are separated by ``|||``, and the ratings are a JSON list in a text."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import InputError, placing
from ..entries import first_entry
from ..parts import as_mapping, as_text
from ..source import Sample, Source
from ..strict_json import parse_unique
from .rated_item import RatedItem, context_moves, numbers

CARRIES = "GRADE: replies, several ratings of coherence"
DIMENSION = "coherence"


def detect(sample: Sample) -> bool:
    """Return True if the first item has a context, a response and human scores."""
    return {"Context", "Response", "HumanScores"} <= first_entry(sample).keys()


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the items of a file.

    Raises:
        InputError: an invalid item.
    """
    for place, element in enumerate(source.elements()):
        with placing(file=source.name, dialogue=str(place)):
            entry = as_mapping(element, f"item {place}")
            number = entry.get("ID", place)
            if not isinstance(number, int | str):
                raise InputError("ID must be a number or a string")
            scores = entry.get("HumanScores")
            parsed = parse_unique(scores.encode(), None) if isinstance(scores, str) else scores
            turns = as_text(entry.get("Context"), "Context").split("|||")
            yield RatedItem(
                f"grade-{number}",
                "reply",
                context_moves([turn.strip() for turn in turns]),
                as_text(entry.get("Response"), "Response").strip(),
                as_text(entry.get("DialogModel", ""), "DialogModel"),
                ratings={DIMENSION: numbers(parsed, "HumanScores")},
            )
