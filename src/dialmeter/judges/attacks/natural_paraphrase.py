"""The reply says the same with a small change of structure."""

from __future__ import annotations

import re

from ..language import PARAPHRASER
from ..snippets import Snippet
from . import Attack, Kit, NoCase, Variant
from .edits import capitalised
from .short_forms import shortened, written_out

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
