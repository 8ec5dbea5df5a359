"""The dialogue-level format of FED: a list of dialogues with several ratings per dimension."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import placing
from ..entries import first_entry
from ..parts import as_list, as_mapping, as_text
from ..source import Sample, Source
from .rated_item import RatedItem, dialogue_moves, numbers

CARRIES = "FED: dialogues, several ratings per dimension"


def detect(sample: Sample) -> bool:
    """Return True if the first item has a dialogue and annotations."""
    return {"dialog", "annotations"} <= first_entry(sample).keys()


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the items of a file.

    Raises:
        InputError: an invalid item.
    """
    for place, element in enumerate(source.elements()):
        with placing(file=source.name, dialogue=str(place)):
            entry = as_mapping(element, f"item {place}")
            name = as_text(entry.get("dialogue_id", str(place)), "dialogue_id")
            with placing(dialogue=name):
                turns = [as_mapping(turn, "a turn") for turn in as_list(entry.get("dialog"), "dialog")]
                annotations = as_mapping(entry.get("annotations"), "annotations")
                yield RatedItem(
                    name,
                    "dialogue",
                    dialogue_moves(
                        (as_text(turn.get("speaker"), "speaker"), as_text(turn.get("text"), "text")) for turn in turns
                    ),
                    system=as_text(entry.get("model", ""), "model"),
                    ratings={str(dimension): numbers(each, str(dimension)) for dimension, each in annotations.items()},
                )
