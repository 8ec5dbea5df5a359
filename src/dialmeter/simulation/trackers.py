"""Three trackers: the gold state from what the user said, the state that the system understood, and a keyword tracker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..model import USER, Act, Move
from .language.grammar import intent_of, value_of
from .language.understand import domain_in, values_in
from .world.schema import DOMAINS

KEYWORD = "pred:keyword"
"""The key of the keyword tracker's states in a line, next to ``gold`` and ``pred``."""


def updated(state: Mapping[str, str], acts: Iterable[Act]) -> dict[str, str]:
    """The state after a user's acts: a new value replaces the one before.

    Example:
        >>> updated({"hotel-area": "east"}, [Act("Hotel-Inform", "hotel", "area", ("west",))])
        {'hotel-area': 'west'}
    """
    told = {
        f"{each.service}-{each.slot}": value_of(each)
        for each in acts
        if intent_of(each.name) == "inform"
        and each.values
        and each.service in DOMAINS
        and each.slot in DOMAINS[each.service].informable
    }
    return {**state, **told}


class KeywordTracker:
    """Looks for values that it knows in what the user says, in the domain that was mentioned last.

    Example:
        >>> tracker = KeywordTracker()
        >>> tracker.hear("I need a place to stay at the docks.")
        {'hotel-area': 'harbour'}
        >>> tracker.hear("Something cheap.")
        {'hotel-area': 'harbour', 'hotel-pricerange': 'cheap'}
    """

    def __init__(self) -> None:
        self._domain: str | None = None
        self._state: dict[str, str] = {}

    def hear(self, text: str) -> dict[str, str]:
        """The state after a user's text."""
        self._domain = domain_in(text) or self._domain
        if self._domain is not None:
            found = values_in(text, self._domain)
            self._state = {**self._state, **{f"{self._domain}-{slot}": value for slot, value in found.items()}}
        return self._state


def turns(moves: Iterable[Move]) -> Iterator[dict[str, Any]]:
    """The states of a dialogue for a native line, one entry per user move.

    The system's own state is made from what it understood; where a dialogue ends on a user's move, nobody understood that.
    """
    gold: dict[str, str] = {}
    pred: dict[str, str] = {}
    keyword = KeywordTracker()
    found = list(moves)
    for place, move in enumerate(found):
        if move.speaker != USER:
            continue
        understood = found[place + 1].understood if place + 1 < len(found) else ()
        gold = updated(gold, move.acts or ())
        pred = updated(pred, understood or ())
        yield {"turn": place // 2, "gold": gold, "pred": pred, KEYWORD: keyword.hear(move.text)}
