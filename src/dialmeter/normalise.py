"""A rule set at work on values and states. Each state is looked at once; a vocabulary of seen values makes it fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .model import DELETED, State, Value
from .rules import DONTCARE, DONTCARE_SPELLINGS, Rules

_BLANKS = re.compile(r"\s+")
_DIGITS = {
    word: str(n) for n, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"), 1)
}
_NUMBER_WORD = re.compile(r"\b(" + "|".join(_DIGITS) + r")\b")

_STEPS: Mapping[str, Callable[[str], str]] = {
    "trim": str.strip,
    "blanks": lambda text: _BLANKS.sub(" ", text),
    "no-blanks": lambda text: _BLANKS.sub("", text),
    "lower": str.lower,
    "digits": lambda text: _NUMBER_WORD.sub(lambda word: _DIGITS[word[0]], text),
}


class Normaliser:
    """Turns states as read into states as compared.

    In the result every slot holds a value: absent words are gone. A gold value that is a tuple is a set of
    alternatives (``alternatives=any-of``) or a set to be met whole (``alternatives=set``).

    Example:
        >>> from dialmeter.rules import named
        >>> ours = Normaliser(named("dialmeter"))
        >>> ours.gold({"hotel-name": " The  Gables ", "hotel-stars": "none", "hotel-area": "east|west"})
        {'hotel-name': 'the gables', 'hotel-area': ('east', 'west')}
        >>> ours.pred({"hotel-area": "east|west", "hotel-parking": "do not care"})
        {'hotel-area': 'east|west', 'hotel-parking': 'dontcare'}
    """

    def __init__(self, rules: Rules) -> None:
        self._steps = [_STEPS[step] for step in rules.values]
        self._absent = frozenset(rules.none)
        self._dontcare = rules.dontcare
        self._alternatives = rules.alternatives
        self.clean: set[str] = set()
        self._gold_fate: dict[Value, Value | None] = {}
        self._pred_fate: dict[Value, Value | None] = {}

    def gold(self, state: State) -> State:
        """A gold state as compared; the same object where nothing changes."""
        if self.clean.issuperset(state.values()):
            return state
        return self._rebuilt(state, self._gold_fate, self._gold_value)

    def pred(self, state: State) -> State:
        """A predicted state as compared; the same object where nothing changes."""
        if self.clean.issuperset(state.values()):
            return state
        return self._rebuilt(state, self._pred_fate, self._pred_value)

    def _rebuilt(self, state: State, fate: dict[Value, Value | None], decide: Callable[[Value], Value | None]) -> State:
        result: dict[str, Value] = {}
        for slot, value in state.items():
            if value in fate:
                kept = fate[value]
            else:
                kept = fate[value] = decide(value)
                # A value is clean if both sides keep it as it is.
                if isinstance(value, str) and self._gold_value(value) == value == self._pred_value(value):
                    self.clean.add(value)
            if kept is not None:
                result[slot] = kept
        return result

    def absent(self, value: Value) -> bool:
        """Does the rule set read this value as no value at all?"""
        return value == DELETED or (isinstance(value, str) and self._plain(value) is None)

    def spoken(self, value: Value) -> Value:
        """A gold value as a prediction of it: the first alternative where any of several will do."""
        if self._alternatives != "any-of" or (isinstance(value, str) and "|" not in value):
            return value
        kept = self._gold_value(value)
        return DELETED if kept is None else kept if isinstance(kept, str) else kept[0]

    def _plain(self, text: str) -> str | None:
        if text == DELETED:
            return None
        for step in self._steps:
            text = step(text)
        if text in self._absent:
            return None
        if self._dontcare != "keep" and text.lower() in DONTCARE_SPELLINGS:
            return None if self._dontcare == "drop" else DONTCARE
        return text

    def _gold_value(self, value: Value) -> Value | None:
        if self._alternatives == "set":
            return self._as_set(value)
        if self._alternatives == "literal":
            return self._plain(value if isinstance(value, str) else "|".join(value))
        parts = value.split("|") if isinstance(value, str) else [part for text in value for part in text.split("|")]
        kept = dict.fromkeys(text for part in parts if (text := self._plain(part)) is not None)
        alternatives = tuple(kept)
        return alternatives if len(alternatives) > 1 else next(iter(alternatives), None)

    def _pred_value(self, value: Value) -> Value | None:
        if self._alternatives == "set":
            return self._as_set(value)
        if isinstance(value, str):
            return self._plain(value)
        if self._alternatives == "literal":
            return self._plain("|".join(value))
        return self._plain(value[0])

    def _as_set(self, value: Value) -> Value | None:
        parts = (value,) if isinstance(value, str) else value
        kept = {text for part in parts if (text := self._plain(part)) is not None}
        return tuple(sorted(kept)) if len(kept) > 1 else next(iter(kept), None)


def accumulated(state: State, update: State, absent: Callable[[Value], bool]) -> State:
    """A state after an update; an absent value in the update takes the slot back.

    Example:
        >>> accumulated({"a": "1", "b": "2"}, {"a": "none", "c": "3"}, lambda value: value == "none")
        {'b': '2', 'c': '3'}
    """
    result = {**state, **update}
    return {slot: value for slot, value in result.items() if not (slot in update and absent(value))}
