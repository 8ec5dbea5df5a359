"""MultiWOZ 2.0 and 2.1 ``data.json``: talk, goals, and acts where the file has them.

``{"MUL0003.json": {"goal": {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}, "taxi": {}}, "log": [{"text": "..", "metadata":
{}, "dialog_act": {"Hotel-Inform": [["Area", "east"]]}}]}}``

User and system take turns, the user first. Acts stand in the turns; where they do not, the system's are looked for in
``dialogue_acts.json`` or ``system_acts.json`` beside the file or one folder above, which count the system's turns from 1.
Slots get the names that goals have (``Addr`` is ``address``, ``Leave`` is ``leaveat``), in small letters. A domain of the goal
with nothing in it is absent, and ``invalid`` and ``pre_invalid`` are no slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from ...errors import InputError, placing
from ...model import SYSTEM, USER, Act, Conversation, Move
from ..entries import moves_of, talk
from ..parts import as_list, as_mapping, as_text
from ..source import Sample, Source
from .acts import ActFile, act_file_near, acts_in
from .goals import goal_in

CARRIES = "text, acts, goals: data.json of MultiWOZ 2.0 and 2.1"

_ACT_FILES = ("dialogue_acts.json", "system_acts.json")


class _Item(NamedTuple):
    name: str
    thing: Any
    acts: ActFile | None


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, dict):
        return False
    entry = next(iter(sample.value.values()), None)
    return isinstance(entry, dict) and isinstance(entry.get("log"), list)


def items(source: Source) -> Iterator[_Item]:
    acts = act_file_near(source, _ACT_FILES)
    for name, thing in as_mapping(source.document, "the file").items():
        yield _Item(name, thing, acts)


def conversation(item: _Item) -> Conversation:
    with placing(dialogue=item.name):
        entry = as_mapping(item.thing, "a dialogue")
        goal = None if entry.get("goal") is None else goal_in(entry["goal"])
        return talk(item.name, moves_of(as_list(entry.get("log"), "log"), partial(_moves, item)), goal)


def _moves(item: _Item, place: int, thing: Any) -> Iterator[Move]:
    who = SYSTEM if place % 2 else USER
    said = as_mapping(thing, "an utterance")
    if who == USER and said.get("metadata"):
        raise InputError("metadata at a user's turn: user and system must take turns, the user first")
    yield Move(who, as_text(said.get("text"), "text"), _acts(item, said, place))


def _acts(item: _Item, said: Any, place: int) -> tuple[Act, ...] | None:
    if said.get("dialog_act") is not None:
        return acts_in(said["dialog_act"])
    if place % 2 == 0 or item.acts is None or not item.acts.has(item.name):
        return None
    return item.acts.acts(item.name, str(place // 2 + 1))
