"""Where words and acts of a user do not agree: values without a label, labels without words, references not resolved."""

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
    """A turn of a user whose words and acts do not agree.

    Attributes:
        dialogue: its id.
        turn: of the user.
        kind: what is wrong.
        domain: of the value.
        slot: of the value.
        value: as in the goal where it has no label, else as labelled.
        words: those that say the value; empty where nobody says it.
        utterance: the whole turn.
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
    """The findings of one dialogue, by turn.

    Args:
        talk: the dialogue.
        dialogue: the same, prepared for scoring.
        words: finds values in words.
    """
    exchange = Exchange(dialogue, talk)
    for turn in range(0, exchange.length, 2):
        move = talk.moves[turn]
        if move.acts is None or not move.text:
            continue
        found: list[tuple[LabelKind, str, str, str, str]] = []
        for domain, wants in dialogue.wants.items():
            for unit in wants.constraints:
                slot, _, value = unit.partition("=")
                # The name of the domain is no label of one of its kinds: "a hotel" may be a guesthouse.
                said = value != domain and unlabelled(exchange, words, turn, ExchangeItem("tell", domain, slot, value))
                if said and not _is_part_of_label(said, exchange, words, turn):
                    found.append(("not labelled", domain, slot, value, said))
        for item in exchange.said[turn]:
            if (
                item.kind != "tell"
                or item.written in ("", "none")
                or item.written in exchange.setup.profile.fine.values
            ):
                continue
            if is_reference(item.written):
                found.append(("reference not resolved", item.domain, item.slot, item.written, item.written))
            elif not _is_said(item, words, move.text):
                found.append(("not said", item.domain, item.slot, item.written, ""))
        for each in dict.fromkeys(found):
            yield LabelFinding(talk.id, turn, *each, move.text)


def unlabelled(talk: Exchange, words: WordSearch, turn: int, item: ExchangeItem) -> str:
    """The words by which a turn says a value that none of its acts has; empty if it does not."""
    domain = item.domain
    is_about = talk.speaks_of(turn, domain) or talk.speaks_of(turn + 1, domain) or talk.topic_before[turn] == domain
    if not is_about or talk.tells(turn, domain, item.slot):
        return ""
    forms = set(words.forms(domain, item.slot, item.value))
    told = [each for each in talk.said[turn] if each.kind == "tell"]
    if not words.is_number(item.value) and any(each.value in forms or each.written in forms for each in told):
        return ""
    topics = talk.topics(turn)
    text = talk.talk.moves[turn].text
    return words.find(domain, item.slot, item.value, text, by_reference=not topics or domain in topics)


def _is_part_of_label(said: str, talk: Exchange, words: WordSearch, turn: int) -> bool:
    """Do the words belong to a longer value that is labelled, or to the name of a labelled slot ("a car park")?"""
    told = [each for each in talk.said[turn] if each.kind == "tell"]
    longer = {form for each in told for form in (each.written, *words.slot_words(each.slot))}
    return any(said != form and re.search(rf"\b{re.escape(said)}\b", form) for form in longer)


def _is_said(item: ExchangeItem, words: WordSearch, text: str) -> bool:
    """Are any words of a value, of its forms, or of its slot in a text? Only what is surely absent counts as not said."""
    said = set(_WORD.findall(text.lower()))
    forms = [item.written, *words.forms(item.domain, item.slot, item.value), *words.slot_words(item.slot)]
    if item.written.isdecimal() and int(item.written) < len(UP_TO_TEN):
        forms += [UP_TO_TEN[int(item.written)], *(("a", "an", "single", "me", "i") if item.written == "1" else ())]
    parts = {part for form in forms for part in _WORD.findall(form.lower())}
    return any(part in said or any(word.startswith(part) for word in said if len(part) > 3) for part in parts)
