"""Normalise values under a rule set, before they are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...model import DELETED, NAMED, Value
from ...values.maps import load as load_map
from ...values.originals import fails_in_original, normalise_value
from ...values.steps import RULE_STEPS
from .rules import DONTCARE, DONTCARE_SPELLINGS, EMPTY, Rules, Side

_SIDES: tuple[Side, Side] = ("gold", "pred")
_Step: TypeAlias = tuple[Callable[..., str], bool]
"""A step, and whether it needs the name of the slot."""
_MWZEVAL: _Step = (lambda text, slot: normalise_value(slot.partition("-")[2], text), True)


class Normaliser:
    """Converts values as read into values as compared; ``None`` is no value.

    A tuple holds alternatives. If sets are compared (``alternatives=set``), it holds all members of the set, sorted; a member
    that was written in several spellings occurs several times.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> ours = Normaliser(named("dialmeter"))
        >>> [ours.gold_value(value) for value in (" The  Gables ", "none", "east|west")]
        ['the gables', None, ('east', 'west')]
        >>> ours.pred_value("east|west"), ours.pred_value("do not care")
        ('east|west', 'dontcare')
    """

    def __init__(self, rules: Rules) -> None:
        self._as_mwzeval = "mwzeval" in rules.values
        self._steps: list[_Step] = [
            _MWZEVAL if step == "mwzeval" else (RULE_STEPS[step], False) for step in rules.values
        ]
        self._absent = {side: frozenset(rules.none_words(side)) for side in _SIDES}
        self._dontcare = {side: rules.dontcare_of(side) for side in _SIDES}
        self._alternatives = rules.alternatives
        self._map = load_map(rules.map) if rules.map else None
        self._one_sided = rules.none_words("gold") == rules.none_words("pred") and len({*self._dontcare.values()}) == 1

    def both(self, value: Value, slot: str = "") -> tuple[Value | None, Value | None, bool]:
        """Return the value in gold, the value in a prediction, and whether it means no value at all.

        Args:
            value: the value as read.
            slot: the name of the slot, which some steps need.
        """
        if self._one_sided and type(value) is str and ("|" not in value or self._alternatives == "literal"):
            gold = pred = self._whole(value, slot, "gold")
        else:
            gold, pred = self.gold_value(value, slot), self.pred_value(value, slot)
        return gold, pred, value == DELETED or (gold is None and pred is None and value != NAMED)

    def absent(self, value: Value) -> bool:
        """Does this value mean no value under the rule set?"""
        return self.both(value)[2]

    def stops_original(self, value: Value, slot: str) -> bool:
        """Would the original scorer of the rule set stop with an error at this value?"""
        return self._as_mwzeval and isinstance(value, str) and fails_in_original(slot.partition("-")[2], value)

    def spoken(self, value: Value) -> Value:
        """Return a gold value in the form of a prediction: the first alternative if one of several is enough."""
        if isinstance(value, str) and ("|" not in value or self._alternatives not in ("any-of", "first")):
            return value
        if self._alternatives == "any-of":
            gold = self.gold_value(value)
            return DELETED if gold is None else gold if isinstance(gold, str) else gold[0]
        if self._alternatives in ("first", "first-listed", "listed") and value:
            return self._first(value)
        return value

    def gold_value(self, value: Value, slot: str = "") -> Value | None:
        """Return a gold value under the rules."""
        rule = self._alternatives
        if rule == "any-of":
            parts = value.split("|") if isinstance(value, str) else [part for text in value for part in text.split("|")]
            return self._several(parts, slot)
        if rule == "listed":
            return self._several([value] if isinstance(value, str) else value, slot)
        if rule in ("first", "first-listed"):
            if not value and not isinstance(value, str):
                return None
            dropped = self._dontcare["gold"] == "drop-exact" and not isinstance(value, str) and DONTCARE in value
            return None if dropped else self._plain(self._first(value), slot, "gold")
        return self._whole(value, slot, "gold")

    def pred_value(self, value: Value, slot: str = "") -> Value | None:
        """Return a predicted value under the rules."""
        takes_first = self._alternatives in ("any-of", "listed", "first-listed")
        return self._whole(value[0] if takes_first and isinstance(value, tuple) and value else value, slot, "pred")

    def _first(self, value: Value) -> str:
        """Return the first alternative as written; in a list, ``|`` does not separate alternatives."""
        if isinstance(value, tuple):
            return value[0]
        return value.partition("|")[0] if self._alternatives == "first" else value

    def _several(self, parts: Sequence[str], slot: str) -> Value | None:
        texts = dict.fromkeys(text for part in parts if (text := self._plain(part, slot, "gold")) is not None)
        alternatives = tuple(texts)
        return alternatives if len(alternatives) > 1 else next(iter(alternatives), None)

    def _whole(self, value: Value, slot: str, side: Side) -> Value | None:
        """Normalise a value as a whole: a text, a set, or alternatives that count on both sides."""
        if self._alternatives == "set":
            return self._as_set(value, slot, side)
        if value == ():
            return None
        text = self._plain(value if isinstance(value, str) else "|".join(value), slot, side)
        if self._alternatives != "any-of-both" or text is None or "|" not in text:
            return text
        alternatives = tuple(dict.fromkeys(text.split("|")))
        return alternatives if len(alternatives) > 1 else alternatives[0]

    def _plain(self, text: str, slot: str, side: Side) -> str | None:
        absent, dontcare = self._absent[side], self._dontcare[side]
        if (
            text in (DELETED, NAMED)
            or (not text and EMPTY in absent)
            or (text == DONTCARE and dontcare == "drop-exact")
        ):
            return None
        for step, needs_slot in self._steps:
            text = step(text, slot) if needs_slot else step(text)
        if text in absent:
            return None
        if dontcare in ("drop", "merge") and text.lower() in DONTCARE_SPELLINGS:
            return None if dontcare == "drop" else DONTCARE
        return text if self._map is None else self._map.canonical(slot, text)

    def _as_set(self, value: Value, slot: str, side: Side) -> Value | None:
        parts = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
        members = sorted(text for part in parts if (text := self._plain(part, slot, side)) is not None)
        if parts and not members:
            return None
        return members[0] if len(members) == 1 else tuple(members)


def set_score(gold: Value, pred: Value) -> float:
    """Return the score of a predicted set against a gold set, as in DSTC10: the F1 of pairs of equal members. It can exceed 1.

    Example:
        >>> set_score(("a", "b"), "a"), set_score("1", ("1", "1")), set_score((), ())
        (0.6666666666666666, 1.3333333333333333, 0.0)
    """
    golds = (gold,) if isinstance(gold, str) else gold
    preds = (pred,) if isinstance(pred, str) else pred
    equal_pairs = sum(golds.count(each) for each in preds)
    if not equal_pairs:
        return 0.0
    precision, recall = equal_pairs / len(preds), equal_pairs / len(golds)
    return 2 * precision * recall / (precision + recall)
