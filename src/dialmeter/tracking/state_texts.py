"""States as the texts that sequence-to-sequence trackers write: ``[hotel]([area][east]);[taxi]([leave at][12:30])``."""

from __future__ import annotations

from ..model import NAMED, Value
from ..readers.pairs.vocabulary import PairDialogue, PairState, Vocabulary
from .compared import ComparedDialogue


def state_texts(compared: ComparedDialogue, dialogue: PairDialogue) -> list[tuple[str, str]]:
    """Gold and prediction of every compared turn as texts: those of the file where it has texts, else written anew.

    In file order; of several gold values the first, empty values and then empty domains are left out.
    """
    words = compared.pairs.vocabulary
    written = {turn.number: turn.written for turn in dialogue.turns}
    states = dict(zip(dialogue.numbers, zip(dialogue.gold, dialogue.pred, strict=True), strict=True))
    found = []
    for number in compared.numbers:
        gold, pred = states[number]
        found.append(written[number] or (_text(words, gold or (), first=True), _text(words, pred or (), first=False)))
    return found


def _text(words: Vocabulary, state: PairState, first: bool) -> str:
    domains: dict[str, list[str]] = {}
    for pair in state:
        value = _said(words.values[pair], first)
        if value:
            domain, _, slot = words.slots[pair].partition("-")
            domains.setdefault(domain, []).append(f"[{slot}][{value}]")
    return ";".join(f"[{domain}]({','.join(pairs)})" for domain, pairs in domains.items())


def _said(value: Value, first: bool) -> str:
    if value == NAMED:
        return ""
    if isinstance(value, tuple):
        return value[0] if first and value else "|".join(value)
    return value.partition("|")[0] if first else value
