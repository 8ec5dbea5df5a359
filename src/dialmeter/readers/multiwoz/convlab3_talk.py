"""ConvLab-3's unified dialogues: a list, or JSON lines.

``[{"dialogue_id": "multiwoz21-test-0", "goal": {"inform": {"hotel": {"price range": "cheap", "book day": "friday|sunday"}},
"request": {"hotel": {"phone": ""}}}, "turns": [{"speaker": "user", "utterance": "..", "dialogue_acts": {"categorical":
[{"intent": "inform", "domain": "hotel", "slot": "price range", "value": "cheap"}], "non-categorical": [], "binary": []}}]}]``

An act is named ``domain-intent`` (``hotel-inform``) and belongs to the service of its domain, also where MultiWOZ has a
domain of its own for bookings: ``hotel-book`` says that a hotel is booked, ``hotel-nobook`` that it is not. Of a goal's
slots those that begin with the word book are ``book``, the others ``info``. Goals do not tell what fails first: where a slot
has several values, the last is what the user ends with and the first is put into ``fail_book`` or ``fail_info``. Slots of
MultiWOZ's domains get the names that MultiWOZ's goals have (``price range`` is ``pricerange``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...errors import InputError, placing
from ...model import Act, Conversation, DomainGoal, Goal, Move, Notice
from ..entries import Entry, entries, first_entry, first_of, id_under, moves_of, talk, user_or_system
from ..parts import as_list, as_mapping, as_text
from ..source import Sample, Source
from .names import slot_in

CARRIES = "text, acts, goals of ConvLab-3's unified datasets"

_KINDS = ("categorical", "non-categorical", "binary")
_LISTED = 10


class _Item(NamedTuple):
    entry: Entry
    goals: list[str]
    """Takes the ids of dialogues with a goal."""


def detect(sample: Sample) -> bool:
    entry = first_entry(sample)
    turn = first_of(entry.get("turns"))
    return "dialogue_id" in entry and {"speaker", "utterance"} <= turn.keys() and "frames" not in turn


def items(source: Source) -> Iterator[_Item]:
    goals: list[str] = []
    for entry in entries(source):
        yield _Item(entry, goals)
    if goals:
        message = (
            f"{len(goals)} goals of ConvLab-3 do not tell what fails first from what the user ends with (of several values "
            "the first is taken to fail), and its acts have no booking domain"
        )
        source.notices.append(Notice("convlab3-goals", len(goals), message, tuple(goals[:_LISTED])))


def conversation(item: _Item) -> Conversation:
    with item.entry.placing():
        entry = item.entry.mapping()
        name = id_under(entry, "dialogue_id")
        with placing(dialogue=name or None):
            goal = None if entry.get("goal") is None else _goal(as_mapping(entry["goal"], "goal"))
            found = talk(name, moves_of(as_list(entry.get("turns"), "turns"), _moves), goal)
    if goal:
        item.goals.append(name)
    return found


def _moves(place: int, thing: Any) -> Iterator[Move]:
    turn = as_mapping(thing, "a turn")
    acts = turn.get("dialogue_acts")
    yield Move(
        user_or_system(turn.get("speaker")),
        as_text(turn.get("utterance"), "utterance"),
        None if acts is None else tuple(_acts(as_mapping(acts, "dialogue_acts"))),
    )


def _acts(kinds: Mapping[str, Any]) -> Iterator[Act]:
    for kind in _KINDS:
        for each in as_list(kinds.get(kind, []), kind):
            act = as_mapping(each, "an act")
            intent, domain, slot, value = (as_text(act.get(key), key) for key in ("intent", "domain", "slot", "value"))
            if not intent:
                raise InputError("an act without an intent")
            name = f"{domain}-{intent}" if domain else intent
            yield Act(name, domain, slot_in(domain, slot), tuple(value.split("|")) if value else ())


def _goal(goal: Mapping[str, Any]) -> Goal:
    wanted = as_mapping(goal.get("inform") or {}, "goal.inform")
    asked = as_mapping(goal.get("request") or {}, "goal.request")
    domains = {domain: _domain(domain, wanted.get(domain), asked.get(domain)) for domain in {**wanted, **asked}}
    return {domain: found for domain, found in domains.items() if found != DomainGoal()}


def _domain(domain: str, wanted: Any, asked: Any) -> DomainGoal:
    parts: dict[str, dict[str, str]] = {part: {} for part in ("info", "fail_info", "book", "fail_book")}
    for slot, value in as_mapping(wanted or {}, f"goal.inform.{domain}").items():
        values = [each for each in as_text(value, f"goal.inform.{domain}").split("|") if each]
        part, name = ("book" if slot.startswith("book ") else "info"), slot_in(domain, slot)
        if values:
            parts[part][name] = values[-1]
        if len(set(values)) > 1:
            parts[f"fail_{part}"][name] = values[0]
    requests = dict.fromkeys(slot_in(domain, slot) for slot in as_mapping(asked or {}, f"goal.request.{domain}"))
    return DomainGoal(**parts, requests=tuple(requests))
