"""Search for values in the text of turns. A value in the text of a turn without an act for it has no label.

Disagreements between text and acts of a user: values without labels, labels without words, unresolved references.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ..prepared_dialogue import PreparedDialogue, ScoringSetup
from ..text.phrases import UP_TO_TEN
from .exchange import Exchange, ExchangeItem, pick

_WORD = re.compile(r"[\w&]+(?:[:'’.-][\w&]+)*")
_NOUNS = {
    "people": r"(?:people|persons?|guests?|tickets?|seats?|of us)",
    "stay": r"nights?",
    "stars": r"stars?",
}
"""Slot with number values → nouns that must follow the number."""
_BY_REFERENCE = {
    "day": r"same day",
    "people": r"same (?:group|number|amount|people|party)",
    "area": r"same area",
    "pricerange": r"same price",
}
_OTHER_WORDS = {("people", "1"): r"myself|alone|just me", ("arriveby", None): r"in time|on time"}
_NEGATION = re.compile(r"\b(?:not|no|without)\b|n't|n’t")
_MIN_SIMILARITY = 90
_MIN_CHARACTERS = 4


def forms_of_value(setup: ScoringSetup, domain: str, slot: str, value: str) -> list[str]:
    """Return the value and its forms in the value map, in lower case."""
    values = setup.matcher.map
    table = values.table(domain, slot) if values is not None else None
    listed = table.values.get(value, ()) if table is not None else ()
    return list(dict.fromkeys([value, *(form.lower() for form in listed)]))


def find_value(setup: ScoringSetup, item: ExchangeItem, text: str, *, by_reference: bool) -> str:
    """Return the words of a text that express a value, or an empty string.

    Args:
        setup: the words for slots and the forms of values.
        item: the value with its domain and slot.
        text: the text of the turn.
        by_reference: True to accept references such as "the same area".

    Example:
        >>> from dialmeter.users.scorer import UserScorer
        >>> setup, stars = UserScorer().setup, ExchangeItem("tell", "hotel", "stars", "4")
        >>> find_value(setup, stars, "A hotel with 4 stars at 4 pm.", by_reference=False)
        '4 stars'
        >>> no_parking = ExchangeItem("tell", "hotel", "parking", "no")
        >>> find_value(setup, no_parking, "I do not need free parking.", by_reference=False)
        'parking'
    """
    slot, value, lower = item.slot, item.value, text.lower()
    if value in ("yes", "no"):
        for word in setup.profile.words.slots.get(slot, (slot,)):
            for named in re.finditer(rf"\b{re.escape(word)}\b", lower):
                before = " ".join(lower[: named.start()].split()[-4:])
                if bool(_NEGATION.search(before)) == (value == "no"):
                    return named[0]
        return ""
    for (name, only), pattern in _OTHER_WORDS.items():
        if name == slot and only in (None, value) and (match := re.search(rf"\b(?:{pattern})\b", lower)):
            return match[0]
    if by_reference and slot in _BY_REFERENCE and (match := re.search(rf"\b{_BY_REFERENCE[slot]}\b", lower)):
        return match[0]
    if value.isdecimal():
        return _find_number(slot, value, lower)
    return _find_form(forms_of_value(setup, item.domain, slot, value), lower)


def unlabelled(exchange: Exchange, turn: int, item: ExchangeItem) -> str:
    """Return the words of a turn that express a value without an act for it, or an empty string."""
    domain, value = item.domain, item.value
    is_about = (
        exchange.speaks_of(turn, domain)
        or exchange.speaks_of(turn + 1, domain)
        or exchange.topic_before[turn] == domain
    )
    if not is_about or exchange.tells(turn, domain, item.slot):
        return ""
    forms = set(forms_of_value(exchange.setup, domain, item.slot, value))
    told = pick(exchange.said[turn], "tell")
    # Numbers, yes and no are ambiguous without their slot.
    is_unique = value not in ("yes", "no") and not value.isdecimal()
    if is_unique and any(each.value in forms or each.written in forms for each in told):
        return ""
    topics, text = exchange.topics(turn), exchange.conversation.moves[turn].text
    return find_value(exchange.setup, item, text, by_reference=not topics or domain in topics)


def _find_number(slot: str, value: str, text: str) -> str:
    if slot not in _NOUNS:
        return ""
    number = int(value)
    forms = "|".join([value, *([UP_TO_TEN[number]] if 0 < number < len(UP_TO_TEN) else [])])
    pattern = rf"\b(?:{forms})[ -]{_NOUNS[slot]}\b"
    if slot == "people":
        pattern += rf"|\b(?:party of|group of|for us) (?:{forms})\b"
    match = re.search(pattern, text)
    return match[0] if match else ""


def _find_form(forms: Iterable[str], text: str) -> str:
    long = [form for form in forms if sum(map(str.isalnum, form)) >= _MIN_CHARACTERS]
    for form in long:
        if re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text):
            return form
    words = _WORD.findall(text)
    return next((passage for form in long if (passage := _similar_passage(form, words))), "")


def _similar_passage(form: str, words: Sequence[str]) -> str:
    """Return a passage of the text that has as many words as a form and is similar to it, or an empty string."""
    from rapidfuzz import fuzz

    size = len(form.split())
    for start in range(len(words) - size + 1):
        passage = " ".join(words[start : start + size])
        if not any(map(str.isdecimal, form)) and fuzz.ratio(form, passage) >= _MIN_SIMILARITY:
            return passage
    return ""


LabelKind: TypeAlias = Literal["not labelled", "not said", "reference not resolved"]
_LABEL_WORD = re.compile(r"\w+")


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


def label_findings(dialogue: PreparedDialogue) -> Iterator[LabelFinding]:
    """Yield the disagreements of one dialogue, by turn."""
    exchange, conversation = Exchange(dialogue), dialogue.conversation
    for turn in range(0, exchange.length, 2):
        move = conversation.moves[turn]
        if move.acts is None or not move.text:
            continue
        findings: list[tuple[LabelKind, str, str, str, str]] = []
        for domain, units in dialogue.goal_units.items():
            for unit in units.constraints:
                slot, _, value = unit.partition("=")
                # The name of the domain does not express a type: "a hotel" may be a guesthouse.
                said = value != domain and unlabelled(exchange, turn, ExchangeItem("tell", domain, slot, value))
                if said and not _is_part_of_label(said, exchange, turn):
                    findings.append(("not labelled", domain, slot, value, said))
        for item in pick(exchange.said[turn], "tell"):
            if item.written in ("", "none", *exchange.setup.profile.fine.values):
                continue
            if item.is_reference:
                findings.append(("reference not resolved", item.domain, item.slot, item.written, item.written))
            elif not _is_said(item, exchange.setup, move.text):
                findings.append(("not said", item.domain, item.slot, item.written, ""))
        for each in dict.fromkeys(findings):
            yield LabelFinding(conversation.id, turn, *each, move.text)


def _is_part_of_label(said: str, exchange: Exchange, turn: int) -> bool:
    """Return True if the words are part of a longer labelled value, or of the name of a labelled slot ("a car park")."""
    told = pick(exchange.said[turn], "tell")
    longer = {form for each in told for form in (each.written, *exchange.setup.profile.words.slots.get(each.slot, ()))}
    return any(said != form and re.search(rf"\b{re.escape(said)}\b", form) for form in longer)


def _is_said(item: ExchangeItem, setup: ScoringSetup, text: str) -> bool:
    """Return True if the text has any word of a value, of its forms, or of its slot. So "not said" means certainly absent."""
    said = set(_LABEL_WORD.findall(text.lower()))
    forms = [
        item.written,
        *forms_of_value(setup, item.domain, item.slot, item.value),
        *setup.profile.words.slots.get(item.slot, ()),
    ]
    if item.written.isdecimal() and int(item.written) < len(UP_TO_TEN):
        forms += [UP_TO_TEN[int(item.written)], *(("a", "an", "single", "me", "i") if item.written == "1" else ())]
    parts = {part for form in forms for part in _LABEL_WORD.findall(form.lower())}
    return any(part in said or any(word.startswith(part) for word in said if len(part) > 3) for part in parts)
