"""Disagreements between text and acts of a user: values without labels, labels without words, unresolved references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from ...model import Conversation
from ..prepared_dialogue import PreparedDialogue
from ..text.numbers import UP_TO_TEN
from .exchange import Exchange, ExchangeItem, is_reference
from .words import WordSearch

LabelKind: TypeAlias = Literal["not labelled", "not said", "reference not resolved"]
_WORD = re.compile(r"\w+")


class LabelFinding(Struct, frozen=True):
    """A disagreement between the text and the acts of a user turn.

    Attributes:
        dialogue: the id of the dialogue.
        turn: the user turn.
        kind: the kind of disagreement.
        domain: the domain of the value.
        slot: the slot of the value.
        value: the value of the goal if it has no label, else the value of the label.
        words: the words that express the value; empty if there are none.
        utterance: the text of the whole turn.
    """

    dialogue: str
    turn: int
    kind: LabelKind
    domain: str
    slot: str
    value: str
    words: str
    utterance: str


def label_findings(talk: Conversation, dialogue: PreparedDialogue, words: WordSearch) -> Iterator[LabelFinding]:
    """Yield the disagreements of one dialogue, by turn.

    Args:
        talk: the dialogue.
        dialogue: the same, prepared for scoring.
        words: finds values in text.
    """
    exchange = Exchange(dialogue, talk)
    for turn in range(0, exchange.length, 2):
        move = talk.moves[turn]
        if move.acts is None or not move.text:
            continue
        findings: list[tuple[LabelKind, str, str, str, str]] = []
        for domain, units in dialogue.goal_units.items():
            for unit in units.constraints:
                slot, _, value = unit.partition("=")
                # The name of the domain does not express a type: "a hotel" may be a guesthouse.
                said = value != domain and unlabelled(exchange, words, turn, ExchangeItem("tell", domain, slot, value))
                if said and not _is_part_of_label(said, exchange, words, turn):
                    findings.append(("not labelled", domain, slot, value, said))
        for item in exchange.said[turn]:
            if (
                item.kind != "tell"
                or item.written in ("", "none")
                or item.written in exchange.setup.profile.fine.values
            ):
                continue
            if is_reference(item.written):
                findings.append(("reference not resolved", item.domain, item.slot, item.written, item.written))
            elif not _is_said(item, words, move.text):
                findings.append(("not said", item.domain, item.slot, item.written, ""))
        for each in dict.fromkeys(findings):
            yield LabelFinding(talk.id, turn, *each, move.text)


def unlabelled(exchange: Exchange, words: WordSearch, turn: int, item: ExchangeItem) -> str:
    """Return the words of a turn that express a value without an act for it, or an empty string."""
    domain = item.domain
    is_about = (
        exchange.speaks_of(turn, domain)
        or exchange.speaks_of(turn + 1, domain)
        or exchange.topic_before[turn] == domain
    )
    if not is_about or exchange.tells(turn, domain, item.slot):
        return ""
    forms = set(words.forms(domain, item.slot, item.value))
    told = [each for each in exchange.said[turn] if each.kind == "tell"]
    if not words.is_number(item.value) and any(each.value in forms or each.written in forms for each in told):
        return ""
    topics = exchange.topics(turn)
    text = exchange.talk.moves[turn].text
    return words.find(domain, item.slot, item.value, text, by_reference=not topics or domain in topics)


def _is_part_of_label(said: str, exchange: Exchange, words: WordSearch, turn: int) -> bool:
    """Return True if the words are part of a longer labelled value, or of the name of a labelled slot ("a car park")."""
    told = [each for each in exchange.said[turn] if each.kind == "tell"]
    longer = {form for each in told for form in (each.written, *words.slot_words(each.slot))}
    return any(said != form and re.search(rf"\b{re.escape(said)}\b", form) for form in longer)


def _is_said(item: ExchangeItem, words: WordSearch, text: str) -> bool:
    """Return True if the text has any word of a value, of its forms, or of its slot. So "not said" means certainly absent."""
    said = set(_WORD.findall(text.lower()))
    forms = [item.written, *words.forms(item.domain, item.slot, item.value), *words.slot_words(item.slot)]
    if item.written.isdecimal() and int(item.written) < len(UP_TO_TEN):
        forms += [UP_TO_TEN[int(item.written)], *(("a", "an", "single", "me", "i") if item.written == "1" else ())]
    parts = {part for form in forms for part in _WORD.findall(form.lower())}
    return any(part in said or any(word.startswith(part) for word in said if len(part) > 3) for part in parts)
