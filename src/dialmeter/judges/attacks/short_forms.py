"""*I'm* and *I am*: short forms, written out and back."""

from __future__ import annotations

import re

from .edits import capitalised

_LONG = {
    "i'm": "i am", "i've": "i have", "i'll": "i will", "you're": "you are", "you've": "you have", "you'll": "you will",
    "we're": "we are", "we've": "we have", "we'll": "we will", "they're": "they are", "they've": "they have",
    "they'll": "they will", "it'll": "it will", "that'll": "that will", "there'll": "there will",
    "i'd like": "i would like", "i'd love": "i would love", "i'd prefer": "i would prefer",
    "you'd like": "you would like", "we'd like": "we would like", "don't": "do not", "doesn't": "does not",
    "didn't": "did not", "isn't": "is not", "aren't": "are not", "wasn't": "was not", "weren't": "were not",
    "can't": "cannot", "couldn't": "could not", "won't": "will not", "wouldn't": "would not", "shouldn't": "should not",
    "haven't": "have not", "hasn't": "has not",
}  # fmt: skip
_SHORT = {long: short for short, long in _LONG.items()}
# *it's* is *it is* only where no participle follows, which could make it *it has*.
_IS = re.compile(
    r"\b(it|that|there|what|where|here|he|she|who|how)['’]s\b(?!\s+(?:been|got|had|\w+ed\b))", re.IGNORECASE
)
_SHORT_FORM = re.compile(
    rf"\b(?:{'|'.join(_LONG).replace(chr(39), '[' + chr(39) + '’]')})\b(?!\s+(?:you|i|we|they|it)\b)", re.IGNORECASE
)
# At the end of a clause (“yes, I am.”) a long form cannot be shortened, and in “are you not” it is not one.
_LONG_FORM = re.compile(
    rf"(?<!\bdo )(?<!\bdid )\b(?:{'|'.join(long for long in _SHORT if not long.endswith('have'))})\b(?=\s+[a-z])"
    # *Have* is an auxiliary only before a participle.
    rf"|\b(?:{'|'.join(long for long in _SHORT if long.endswith('have'))})\b(?=\s+(?:been|found|got|made|seen|heard|\w+ed)\b)",
    re.IGNORECASE,
)


def written_out(text: str) -> str:
    """A text without short forms.

    Example:
        >>> written_out("It's fine, i don't mind. Isn't it?")
        "It is fine, i do not mind. Isn't it?"
    """
    text = _IS.sub(r"\1 is", text)
    return _SHORT_FORM.sub(lambda found: _as(found[0], _LONG[found[0].lower().replace("’", "'")]), text)


def shortened(text: str) -> str:
    """A text with short forms where there can be some.

    Example:
        >>> shortened("I am sure I am. We do not know.")
        "I'm sure I am. We don't know."
        >>> shortened("Do you have a plan? I have a plan, I have made it.")
        "Do you have a plan? I have a plan, I've made it."
    """
    return _LONG_FORM.sub(lambda found: _as(found[0], _SHORT[found[0].lower()]), text)


def _as(old: str, new: str) -> str:
    return capitalised(new) if old[0].isupper() else new
