"""A rule set at work on single values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .model import DELETED, Value
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
    """Turns values as read into values as compared; ``None`` is no value.

    A gold value that is a tuple is a set of alternatives (``alternatives=any-of``) or a set to be met whole
    (``alternatives=set``).

    Example:
        >>> from dialmeter.rules import named
        >>> ours = Normaliser(named("dialmeter"))
        >>> [ours.gold_value(value) for value in (" The  Gables ", "none", "east|west")]
        ['the gables', None, ('east', 'west')]
        >>> ours.pred_value("east|west"), ours.pred_value("do not care")
        ('east|west', 'dontcare')
    """

    def __init__(self, rules: Rules) -> None:
        self._steps = [_STEPS[step] for step in rules.values]
        self._absent = frozenset(rules.none)
        self._dontcare = rules.dontcare
        self._alternatives = rules.alternatives

    def both(self, value: Value) -> tuple[Value | None, Value | None, bool]:
        """The value in gold, in a prediction, and whether it is read as no value at all."""
        if type(value) is str and ("|" not in value or self._alternatives == "literal"):
            plain = self._plain(value)
            return plain, plain, plain is None
        return self.gold_value(value), self.pred_value(value), self.absent(value)

    def absent(self, value: Value) -> bool:
        """Does the rule set read this value as no value at all?"""
        return value == DELETED or (isinstance(value, str) and self._plain(value) is None)

    def spoken(self, value: Value) -> Value:
        """A gold value as a prediction of it: the first alternative where any of several will do."""
        if self._alternatives != "any-of" or (isinstance(value, str) and "|" not in value):
            return value
        kept = self.gold_value(value)
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

    def gold_value(self, value: Value) -> Value | None:
        """A gold value under the rules."""
        if self._alternatives == "set":
            return self._as_set(value)
        if self._alternatives == "literal":
            return self._plain(value if isinstance(value, str) else "|".join(value))
        parts = value.split("|") if isinstance(value, str) else [part for text in value for part in text.split("|")]
        kept = dict.fromkeys(text for part in parts if (text := self._plain(part)) is not None)
        alternatives = tuple(kept)
        return alternatives if len(alternatives) > 1 else next(iter(alternatives), None)

    def pred_value(self, value: Value) -> Value | None:
        """A predicted value under the rules."""
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
