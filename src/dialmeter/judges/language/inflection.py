"""Inflect a word like another one: ``eatery`` in the form of ``restaurants`` is ``eateries``."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec

_VOWELS = "aeiou"
_BASE = ("NN", "VB", "VBP", "JJ", "RB")
_COMPARED = ("JJR", "JJS", "RBR", "RBS")


def installed() -> bool:
    """True if lemminflect is installed. It knows irregular forms."""
    return find_spec("lemminflect") is not None


@cache
def inflected(lemma: str, tag: str) -> str | None:
    """The form of a lemma for a tag, by lemminflect or by rule; None if it is unknown.

    Example:
        >>> inflected("eatery", "NNS"), inflected("purchase", "VBD"), inflected("reserve", "VBG")
        ('eateries', 'purchased', 'reserving')
        >>> inflected("intimate", "RBR") is None
        True
    """
    if tag in _BASE:
        return lemma
    if installed():
        import lemminflect  # type: ignore[import-untyped]

        forms = lemminflect.getInflection(lemma, tag, inflect_oov=tag not in _COMPARED)
        return forms[0] if forms else None
    return by_rule(lemma, tag)


def by_rule(lemma: str, tag: str) -> str | None:
    """The regular form of a lemma. The built-in lexicon contains the irregular forms of its words.

    Example:
        >>> by_rule("dish", "NNS"), by_rule("stop", "VBG"), by_rule("try", "VBZ"), by_rule("arrive", "VBN")
        ('dishes', 'stopping', 'tries', 'arrived')
    """
    if tag in _BASE:
        return lemma
    if tag in ("NNS", "VBZ"):
        if lemma.endswith(("s", "x", "z", "ch", "sh")):
            return lemma + "es"
        return lemma[:-1] + "ies" if _ends_in_y(lemma) else lemma + "s"
    if tag in ("VBD", "VBN"):
        if lemma.endswith("e"):
            return lemma + "d"
        return lemma[:-1] + "ied" if _ends_in_y(lemma) else _doubled(lemma) + "ed"
    if tag == "VBG":
        return lemma[:-1] + "ing" if re.search("[^eoy]e$", lemma) else _doubled(lemma) + "ing"
    return None


def _ends_in_y(lemma: str) -> bool:
    return lemma.endswith("y") and lemma[-2:-1] not in _VOWELS


def _doubled(lemma: str) -> str:
    """Double the last consonant of a word of one syllable that ends in one vowel and one consonant."""
    one_syllable = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", lemma)
    return lemma + lemma[-1] if one_syllable else lemma
