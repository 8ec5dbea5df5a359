"""Three trackers: the gold state from the acts of the user, the state that the system understood, and a keyword tracker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..model import USER, Act, Move
from .language.grammar import intent_of, value_of
from .language.understand import domain_in, values_in
from .world.database import DOMAINS

KEYWORD = "pred:keyword"
"""The key of the keyword tracker's states in a line, in addition to ``gold`` and ``pred``."""


def update_state(state: Mapping[str, str], acts: Iterable[Act]) -> dict[str, str]:
    """Return the state after the acts of a user; a new value replaces the old one.

    Example:
        >>> update_state({"hotel-area": "east"}, [Act("Hotel-Inform", "hotel", "area", ("west",))])
        {'hotel-area': 'west'}
    """
    informed = {
        f"{each.service}-{each.slot}": value_of(each)
        for each in acts
        if intent_of(each.name) == "inform"
        and each.values
        and each.service in DOMAINS
        and each.slot in DOMAINS[each.service].informable
    }
    return {**state, **informed}


class KeywordTracker:
    """A tracker that searches the text of the user for known values, in the domain that was mentioned last.

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
        """Return the state after a text of the user."""
        self._domain = domain_in(text) or self._domain
        if self._domain is not None:
            values = values_in(text, self._domain)
            self._state = {**self._state, **{f"{self._domain}-{slot}": value for slot, value in values.items()}}
        return self._state


def turns(moves: Iterable[Move]) -> Iterator[dict[str, Any]]:
    """Yield the states of a dialogue for a native line, one entry per user move.

    The state ``pred`` comes from the acts that the system understood. If a dialogue ends with a user move, there are none for it.
    """
    gold: dict[str, str] = {}
    pred: dict[str, str] = {}
    keyword = KeywordTracker()
    all_moves = list(moves)
    for index, move in enumerate(all_moves):
        if move.speaker != USER:
            continue
        understood = all_moves[index + 1].understood if index + 1 < len(all_moves) else ()
        gold = update_state(gold, move.acts or ())
        pred = update_state(pred, understood or ())
        yield {"turn": index // 2, "gold": gold, "pred": pred, KEYWORD: keyword.hear(move.text)}
