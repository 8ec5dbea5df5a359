"""``[{"dialogue_id": "..", "utt_idx": 2, "state": {"hotel": {"area": ""}}, "predictions": {"state": {..}}}]``: ConvLab-3.

The file has one entry per user turn, in any order. ``state`` is gold. ``""`` is absent, and ``a|b`` are alternatives.
``utt_idx`` counts the utterances of both speakers, so the turn number is half of it. If a dialogue has both even and
odd values of ``utt_idx``, the turn number is the position of the entry in the dialogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from ...errors import InputError, placing
from ...model import CONSTRAINT_PARTS, Act, Conversation, Dialogue, DomainGoal, Goal, Move, Notice, State, Turn
from ..entries import Entry, entries, first_entry, user_or_system
from ..pairs.slot_names import slot_in
from ..pairs.state_layouts import StateLayout
from ..parts import Role, as_list, as_mapping, as_text, first_mapping, read_dialogues, turn_number
from ..source import Sample, Source
from ..strict_json import JsonParts

STATES = StateLayout("nested", absent=("",))
HOLDS = "both"
CARRIES = "gold and predicted states, utterances"

_KINDS = ("categorical", "non-categorical", "binary")
_LISTED = 10


def detect(sample: Sample) -> bool:
    entry = first_mapping(sample.value) if sample.kind == "document" else {}
    return {"dialogue_id", "utt_idx"} <= entry.keys() and any(
        isinstance(entry.get(key), dict) for key in ("state", "predictions")
    )


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    parts = source.parts("a list")
    yield from read_dialogues(_by_dialogue(parts).items(), partial(_turns, parts))
    parts.finish()


class _Head(Struct):
    """The dialogue id and utterance index of an entry."""

    dialogue_id: str
    utt_idx: int | str


def _by_dialogue(parts: JsonParts) -> dict[str, dict[int, int]]:
    """Return the positions of the entries of each dialogue by ``utt_idx``. Dialogues are in file order."""
    dialogues: dict[str, dict[int, int]] = {}
    for position, head in enumerate(parts.heads(_Head)):
        if not isinstance(head, _Head):
            raise _wrong_head(position, head)
        places = dialogues.setdefault(head.dialogue_id, {})
        try:
            utterance = turn_number(head.utt_idx)
        except InputError as error:
            raise InputError(f"entry {position}: utt_idx: {error.message}", dialogue=head.dialogue_id) from None
        if utterance in places:
            raise InputError(f"duplicate utt_idx {utterance}", dialogue=head.dialogue_id)
        places[utterance] = position
    return dialogues


def _wrong_head(position: int, thing: Any) -> InputError:
    """Return the error for an entry without a valid id and index."""
    entry = as_mapping(thing, f"entry {position}")
    if not isinstance(entry.get("dialogue_id"), str):
        return InputError(f"entry {position}: dialogue_id must be a string")
    try:
        turn_number(entry.get("utt_idx"))
    except InputError as error:
        return InputError(f"entry {position}: utt_idx: {error.message}", dialogue=entry["dialogue_id"])
    return InputError(f"entry {position}: not an entry of ConvLab-3")


def _turns(parts: JsonParts, places: Mapping[int, int]) -> Iterator[Turn]:
    is_one_speaker = len({utterance % 2 for utterance in places}) == 1
    for position, utterance in enumerate(sorted(places)):
        number = utterance // 2 if is_one_speaker else position
        with placing(turn=number):
            yield _turn(number, as_mapping(parts.parse(places[utterance]), f"entry {places[utterance]}"))


def _turn(number: int, entry: Mapping[str, Any]) -> Turn:
    predictions = entry.get("predictions")
    predicted = None if predictions is None else as_mapping(predictions, "predictions").get("state")
    return Turn(
        number,
        gold=_state(entry.get("state")),
        pred=_state(predicted),
        user=as_text(entry.get("utterance"), "utterance"),
        system=_last_system_text(entry.get("context")),
    )


def _state(thing: Any) -> State | None:
    return None if thing is None else as_mapping(thing, "a state")


def _last_system_text(thing: Any) -> str:
    """Return the last utterance of the context if it is from the system, otherwise an empty string."""
    context = as_list(thing, "context") if thing is not None else []
    last = as_mapping(context[-1], "an utterance of the context") if context else {}
    return as_text(last.get("utterance"), "utterance") if last.get("speaker") == "system" else ""


class _Item(NamedTuple):
    entry: Entry
    goals: list[str]
    """The list that the ids of dialogues with a goal are appended to."""


def _detect_conversation(sample: Sample) -> bool:
    entry = first_entry(sample)
    turn = first_mapping(entry.get("turns"))
    return "dialogue_id" in entry and {"speaker", "utterance"} <= turn.keys() and "frames" not in turn


def _items(source: Source) -> Iterator[_Item]:
    goals: list[str] = []
    for entry in entries(source):
        yield _Item(entry, goals)
    if goals:
        message = (
            f"{len(goals)} goals of ConvLab-3 do not mark which values fail first (of several values the first is read as "
            "failing), and acts of ConvLab-3 have no booking domain"
        )
        source.notices.append(Notice("convlab3-goals", len(goals), message, tuple(goals[:_LISTED])))


def _conversation(item: _Item) -> Conversation:
    conversation = item.entry.conversation("dialogue_id", "turns", _moves, _goal)
    if conversation.goal:
        item.goals.append(conversation.id)
    return conversation


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


def _goal(thing: Any) -> Goal:
    goal = as_mapping(thing, "goal")
    inform = as_mapping(goal.get("inform") or {}, "goal.inform")
    request = as_mapping(goal.get("request") or {}, "goal.request")
    domains = {domain: _domain(domain, inform.get(domain), request.get(domain)) for domain in {**inform, **request}}
    return {domain: parts for domain, parts in domains.items() if parts != DomainGoal()}


def _domain(domain: str, inform: Any, request: Any) -> DomainGoal:
    parts: dict[str, dict[str, str]] = {part: {} for part in CONSTRAINT_PARTS}
    for slot, value in as_mapping(inform or {}, f"goal.inform.{domain}").items():
        values = [each for each in as_text(value, f"goal.inform.{domain}").split("|") if each]
        part, name = ("book" if slot.startswith("book ") else "info"), slot_in(domain, slot)
        if values:
            parts[part][name] = values[-1]
        if len(set(values)) > 1:
            parts[f"fail_{part}"][name] = values[0]
    requests = dict.fromkeys(slot_in(domain, slot) for slot in as_mapping(request or {}, f"goal.request.{domain}"))
    return DomainGoal(**parts, requests=tuple(requests))


class ConvLab3Conversations:
    """Dialogues in the unified format of ConvLab-3: a list, or JSON lines.

    ``[{"dialogue_id": "multiwoz21-test-0", "goal": {"inform": {"hotel": {"price range": "cheap", "book day": "friday|sunday"}},
    "request": {"hotel": {"phone": ""}}}, "turns": [{"speaker": "user", "utterance": "..", "dialogue_acts": {"categorical":
    [{"intent": "inform", "domain": "hotel", "slot": "price range", "value": "cheap"}], "non-categorical": [], "binary": []}}]}]``

    An act is named ``domain-intent`` (``hotel-inform``) and belongs to the service of its domain. This also holds for
    bookings, for which MultiWOZ has a separate domain: ``hotel-book`` means that a hotel is booked, ``hotel-nobook`` that
    it is not. Goal slots that begin with the word book are read as ``book``, the others as ``info``. Goals do not mark
    which values fail first: of several values of a slot, the last is read as the final value, and the first is stored in
    ``fail_book`` or ``fail_info``. Slots of MultiWOZ domains are renamed as in MultiWOZ goals (``price range`` becomes
    ``pricerange``).
    """

    CARRIES = "text, acts, goals: the unified format of ConvLab-3"
    detect = staticmethod(_detect_conversation)
    items = staticmethod(_items)
    conversation = staticmethod(_conversation)
