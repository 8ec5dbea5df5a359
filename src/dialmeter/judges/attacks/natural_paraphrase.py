"""*I'm* and *I am*: short forms, written out and back."""

from __future__ import annotations

import re

from ..corpus_pool import Snippet
from ..language import PARAPHRASER
from ..language.edits import capitalised
from . import Attack, Kit, NoCase, Variant

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


_CONDITION = re.compile(
    r"^(if|when|once|after|before|because)\s+([^,.!?]{6,90}),\s+(?!then\b)([^.!?]{6,120})([.!?]?)$", re.IGNORECASE
)
_TAIL = re.compile(r"^([^,.!?]{10,120}?)\s+(if|when|once|because)\s+([^,.!?]{6,90})([.!?]?)$", re.IGNORECASE)
_PLEASE_LAST = re.compile(
    r"^(?P<rest>(?:can|could|would|will|may) (?:you|i|we) [^,.!?]{4,120}?),?\s+please(?P<end>[.!?]?)$", re.IGNORECASE
)
_PLEASE_FIRST = re.compile(r"^please\s+(?P<rest>[^,.!?]{6,140}?)(?P<end>[.!]?)$", re.IGNORECASE)
_ALSO_INSIDE = re.compile(
    r"(I|We|They|It|There)\s+also\s+((?:need|want|have|has|like|offer|offers|serve|serves)\b.*)$", re.DOTALL
)
_ALSO_FIRST = re.compile(
    r"Also,?\s+(I|we|they|it)\s+((?:need|want|have|has|offer|offers|serve|serves)\b.*)$", re.DOTALL
)
_PLEASANTRY = re.compile(r"\b(?:thank|thanks|bye|goodbye|enjoy|great|welcome|nice|lovely|have a)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


def _contractions(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    longer = written_out(text)
    changed = longer if longer != text else shortened(text)
    if changed == text:
        raise NoCase("nothing to shorten or to write out")
    return changed


def _punctuation(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text.rstrip()
    if not any(map(str.isalpha, text)):
        raise NoCase("no words")
    if "!" in text:
        return re.sub(r"!+", ".", text)
    if re.search(r"[^.]\.$", text):
        return text[:-1] + ("!" if _PLEASANTRY.search(_SENTENCE.findall(text)[-1]) else "")
    if text and text[-1].isalnum():
        question = re.match(
            r"(?:what|where|when|who|how|which|is|are|do|does|can|could|would|will)\b",
            _SENTENCE.findall(text)[-1].strip(),
            re.IGNORECASE,
        )
        return text + ("?" if question else ".")
    raise NoCase("no punctuation that can change")


def _clause_order(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    for found in _SENTENCE.finditer(text):
        sentence = found[0].strip()
        turned = _turned(sentence)
        if turned is not None:
            return text.replace(sentence, turned, 1)
    raise NoCase("no clause that can move")


def _turned(sentence: str) -> str | None:
    """A sentence with its parts in another order, or None."""
    if (found := _CONDITION.match(sentence)) and found[4] != "?":
        return f"{capitalised(found[3])} {found[1].lower()} {found[2]}{found[4]}"
    if found := _PLEASE_LAST.match(sentence):
        verb, who, rest = found["rest"].split(" ", 2)
        return f"{verb} {who} please {rest}{found['end']}"
    if (found := _PLEASE_FIRST.match(sentence)) and not re.search(r"\bplease\b", found["rest"], re.IGNORECASE):
        return f"{capitalised(found['rest']) if sentence[0].isupper() else found['rest']}, please{found['end']}"
    if (
        (found := _TAIL.match(sentence))
        and not re.match(
            r"(?i)(?:what|where|who|which|how|do|does|is|are|can|could|would|let|i was|i am wondering|know|see|or|and|but)\b",
            found[1],
        )
        and not re.search(r"(?i)\b(?:know|see|ask|check|wonder|wondering|sure|tell|as|even|only|like|out)$", found[1])
    ):
        return f"{capitalised(found[2].lower())} {found[3]}, {_lowered(found[1])}{found[4]}"
    if found := _ALSO_INSIDE.match(sentence):
        return f"Also, {_lowered(found[1])} {found[2]}"
    if found := _ALSO_FIRST.match(sentence):
        return f"{found[1]} also {found[2]}"
    return None


def _lowered(text: str) -> str:
    return text if re.match(r"I\b|[A-Z]\w*[A-Z]", text) else text[:1].lower() + text[1:]


def _model(snippet: Snippet, kit: Kit) -> str:
    assert kit.language.paraphraser is not None
    return kit.language.paraphraser(snippet.reply.text)


ATTACK = Attack(
    name="natural-paraphrase",
    facet="naturalness",
    expected="similar",
    help="Changes contractions, punctuation or the order of clauses, and leaves words and meaning alone.",
    variants=(
        Variant("contractions", _contractions, "Short forms are written out, or long ones shortened."),
        Variant("punctuation", _punctuation, "A full stop for an exclamation mark, or none at the end."),
        Variant("clause-order", _clause_order, "A condition, or please, moves to the other end of its sentence."),
        Variant("model", _model, "What a paraphraser makes of it, where one is given.", (PARAPHRASER,)),
    ),
    cite=("khalid-2022",),
)
