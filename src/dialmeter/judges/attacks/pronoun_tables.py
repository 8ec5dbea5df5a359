"""Pronouns by person, gender, number and role, and the forms of *be* and *have* that go with them."""

from __future__ import annotations

from collections.abc import Sequence

ROLES = ("subject", "object", "determiner", "possessive", "reflexive")

FAMILIES: dict[str, tuple[str, str, str, str, str]] = {
    "i": ("I", "me", "my", "mine", "myself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "you": ("you", "you", "your", "yours", "yourself"),
    "he": ("he", "him", "his", "his", "himself"),
    "she": ("she", "her", "her", "hers", "herself"),
    "it": ("it", "it", "its", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
    "this": ("this", "this", "this", "this", "this"),
    "these": ("these", "these", "these", "these", "these"),
    "that": ("that", "that", "that", "that", "that"),
    "those": ("those", "those", "those", "those", "those"),
}

PERSON = {"i": ("you", "he", "she", "they"), "we": ("you", "they"), "you": ("i", "we"), "he": ("i", "you"), "she": ("i", "you"), "they": ("we", "you")}  # fmt: skip
GENDER = {"he": ("it", "they"), "she": ("it", "they"), "it": ("he", "she"), "they": ("he", "she")}
NUMBER = {"i": ("we",), "we": ("i",), "it": ("they",), "they": ("it",), "he": ("they",), "she": ("they",), "this": ("these",), "these": ("this",), "that": ("those",), "those": ("that",)}  # fmt: skip

_FORMS = {form.lower(): [] for family in FAMILIES.values() for form in family}  # type: dict[str, list[tuple[str, int]]]
for _name, _family in FAMILIES.items():
    for _role, _form in enumerate(_family):
        _FORMS[_form.lower()].append((_name, _role))

_PLURAL = ("we", "you", "they", "these", "those")
_BE = {"am": "present", "are": "present", "is": "present", "'m": "short", "'re": "short", "'s": "short", "’m": "short", "’re": "short", "’s": "short", "was": "past", "were": "past"}  # fmt: skip


def readings(word: str) -> Sequence[tuple[str, int]]:
    """The families that a form may belong to, each with the role.

    Example:
        >>> readings("me"), readings("her"), readings("hotel")
        ([('i', 1)], [('she', 1), ('she', 2)], [])
    """
    return _FORMS.get(word.lower(), [])


def be_for(family: str, form: str) -> str | None:
    """The form of *be* that goes with a pronoun, of the same tense and length; None for other words.

    Example:
        >>> be_for("they", "'s"), be_for("he", "am"), be_for("i", "were"), be_for("it", "has")
        ("'re", 'is', 'was', None)
    """
    kind = _BE.get(form.lower())
    if kind is None:
        return None
    mark = form[0] if kind == "short" else ""
    if kind == "past":
        return "were" if family in _PLURAL else "was"
    stem = "are" if family in _PLURAL else "am" if family == "i" else "is"
    return mark + {"are": "re", "am": "m", "is": "s"}[stem] if kind == "short" else stem
