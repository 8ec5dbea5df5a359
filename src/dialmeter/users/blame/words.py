"""Is a value in the words of a turn that has no act for it? Then its label is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...values.maps import ValueMap
from ..profile import Profile
from ..text.numbers import UP_TO_TEN

_WORD = re.compile(r"[\w&]+(?:[:'’.-][\w&]+)*")
_NOUNS = {
    "people": r"(?:people|persons?|guests?|tickets?|seats?|of us)",
    "stay": r"nights?",
    "stars": r"stars?",
}
"""Slots whose values are numbers, with the nouns beside which a number counts."""
_BY_REFERENCE = {
    "day": r"same day",
    "people": r"same (?:group|number|amount|people|party)",
    "area": r"same area",
    "pricerange": r"same price",
}
_OTHER_WORDS = {("people", "1"): r"myself|alone|just me", ("arriveby", None): r"in time|on time"}
_NEGATION = re.compile(r"\b(?:not|no|without)\b|n't|n’t")
_LIKENESS = 90
_SHORTEST = 4


class WordSearch:
    """Finds values in words.

    Args:
        profile: how slots are called.
        value_map: the forms of values.
    """

    def __init__(self, profile: Profile, value_map: ValueMap | None) -> None:
        self._slot_words = profile.words.slots
        self._map = value_map

    def forms(self, domain: str, slot: str, value: str) -> list[str]:
        """The value and its forms in the map, in lower case."""
        table = self._map.table(domain, slot) if self._map is not None else None
        listed = table.values.get(value, ()) if table is not None else ()
        return list(dict.fromkeys([value, *(form.lower() for form in listed)]))

    def slot_words(self, slot: str) -> tuple[str, ...]:
        """How a slot is called."""
        return self._slot_words.get(slot, ())

    def is_number(self, value: str) -> bool:
        """Is it a number, or yes or no, which says little without its slot?"""
        return value in ("yes", "no") or value.isdecimal()

    def find(self, domain: str, slot: str, value: str, text: str, *, by_reference: bool) -> str:
        """The words of a text that say a value; empty if none do.

        Args:
            domain: of the value.
            slot: of the value.
            value: canonical.
            text: the words.
            by_reference: may the value be said as "the same area"?

        Example:
            >>> from dialmeter.users.profile import named
            >>> words = WordSearch(named("multiwoz"), None)
            >>> words.find("hotel", "stars", "4", "A hotel with 4 stars at 4 pm.", by_reference=False)
            '4 stars'
            >>> words.find("hotel", "parking", "no", "I do not need free parking.", by_reference=False)
            'parking'
        """
        lower = text.lower()
        if value in ("yes", "no"):
            return self._yes_or_no(slot, value, lower)
        for (name, only), pattern in _OTHER_WORDS.items():
            if name == slot and only in (None, value) and (found := re.search(rf"\b(?:{pattern})\b", lower)):
                return found[0]
        if by_reference and slot in _BY_REFERENCE and (found := re.search(rf"\b{_BY_REFERENCE[slot]}\b", lower)):
            return found[0]
        return _number(slot, value, lower) if value.isdecimal() else _among(self.forms(domain, slot, value), lower)

    def _yes_or_no(self, slot: str, value: str, text: str) -> str:
        for word in self._slot_words.get(slot, (slot,)):
            for found in re.finditer(rf"\b{re.escape(word)}\b", text):
                before = " ".join(text[: found.start()].split()[-4:])
                if bool(_NEGATION.search(before)) == (value == "no"):
                    return found[0]
        return ""


def _number(slot: str, value: str, text: str) -> str:
    if slot not in _NOUNS:
        return ""
    number = int(value)
    forms = "|".join([value, *([UP_TO_TEN[number]] if 0 < number < len(UP_TO_TEN) else [])])
    pattern = rf"\b(?:{forms})[ -]{_NOUNS[slot]}\b"
    if slot == "people":
        pattern += rf"|\b(?:party of|group of|for us) (?:{forms})\b"
    found = re.search(pattern, text)
    return found[0] if found else ""


def _among(forms: Iterable[str], text: str) -> str:
    long = [form for form in forms if sum(map(str.isalnum, form)) >= _SHORTEST]
    for form in long:
        if re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text):
            return form
    words = _WORD.findall(text)
    return next((found for form in long if (found := _near(form, words))), "")


def _near(form: str, words: Sequence[str]) -> str:
    """As many words as a form has that are like it."""
    from rapidfuzz import fuzz

    size = len(form.split())
    for place in range(len(words) - size + 1):
        passage = " ".join(words[place : place + size])
        if not any(map(str.isdecimal, form)) and fuzz.ratio(form, passage) >= _LIKENESS:
            return passage
    return ""
