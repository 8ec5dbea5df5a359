"""The dialogue format of UniEval: a list of replies with mean ratings and predicted scores.

``source`` holds the turns, one per line. ``context`` is a knowledge text, not the dialogue. Replies to the same turns
form a group.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import placing
from ..entries import first_entry
from ..parts import as_mapping, as_text
from ..source import Sample, Source
from .rated_item import RatedItem, context_moves, named_numbers

CARRIES = "UniEval: replies, mean ratings, predicted scores"


def detect(sample: Sample) -> bool:
    """Return True if the first item has a source, a system output and scores."""
    return {"source", "system_output", "scores"} <= first_entry(sample).keys()


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the items of a file.

    Raises:
        InputError: an invalid item.
    """
    groups: dict[str, str] = {}
    for place, element in enumerate(source.elements()):
        with placing(file=source.name, dialogue=str(place)):
            entry = as_mapping(element, f"item {place}")
            context = as_text(entry.get("source"), "source")
            turns = [text for line in context.split("\n") if (text := line.strip())]
            scores = named_numbers(entry.get("predict_scores", {}), "predict_scores")
            yield RatedItem(
                f"tc-{place:03}",
                "reply",
                context_moves(turns),
                as_text(entry.get("system_output"), "system_output").strip(),
                as_text(entry.get("system_id", ""), "system_id"),
                groups.setdefault(context, f"tc-ctx-{len(groups):02}"),
                means=named_numbers(entry.get("scores"), "scores"),
                scores={f"unieval/{name}": score for name, score in scores.items()},
            )
