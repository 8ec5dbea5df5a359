"""Pronouns by person, gender, number and role, and the forms of *be* and *have* that go with them."""

from __future__ import annotations

from collections.abc import Sequence

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

# No *they* for *I* and no *we* for *you*: staff says the one of the house and the other to its guests, and neither is wrong.
PERSON = {"i": ("you", "he", "she"), "we": ("you", "they"), "you": ("i",), "he": ("i", "you"), "she": ("i", "you"), "they": ("i", "you")}  # fmt: skip
GENDER = {"he": ("it", "they"), "she": ("it", "they"), "it": ("he", "she"), "they": ("he", "she")}
NUMBER = {"i": ("we",), "we": ("i",), "it": ("they",), "they": ("it",), "he": ("they",), "she": ("they",), "this": ("these",), "these": ("this",), "that": ("those",), "those": ("that",)}  # fmt: skip

_FORMS = {form.lower(): [] for family in FAMILIES.values() for form in family}  # type: dict[str, list[tuple[str, int]]]
for _name, _family in FAMILIES.items():
    for _role, _form in enumerate(_family):
        _FORMS[_form.lower()].append((_name, _role))

_THIRD = ("he", "she", "it", "this", "that")
_PLURAL = ("we", "you", "they", "these", "those")


def readings(word: str) -> Sequence[tuple[str, int]]:
    """The families that a form may belong to, each with the role.

    Example:
        >>> readings("me"), readings("her"), readings("hotel")
        ([('i', 1)], [('she', 1), ('she', 2)], [])
    """
    return _FORMS.get(word.lower(), [])


def verb_for(family: str, form: str) -> str | None:
    """The form of *be*, *have* or *do* that goes with a pronoun, of the same tense and length; None for other words.

    Example:
        >>> verb_for("they", "'s"), verb_for("he", "am"), verb_for("i", "were"), verb_for("he", "have"), verb_for("it", "can")
        ("'re", 'is', 'was', 'has', None)
    """
    word = form.lower().replace("’", "'")
    third = family in _THIRD
    if word in ("have", "has"):
        return "has" if third else "have"
    if word in ("do", "does"):
        return "does" if third else "do"
    if word in ("was", "were"):
        return "were" if family in _PLURAL else "was"
    if word in ("am", "are", "is"):
        return _be(family)
    if word in ("'m", "'re", "'s"):
        full = _be(family)
        # There is no short form after *these* and *those*.
        return f" {full}" if family in ("these", "those") else form[0] + {"am": "m", "are": "re", "is": "s"}[full]
    return None


def _be(family: str) -> str:
    return "are" if family in _PLURAL else "am" if family == "i" else "is"
