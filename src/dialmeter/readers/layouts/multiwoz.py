"""Dialogues of MultiWOZ: ``data.json`` of MultiWOZ 2.0 and 2.1, ``test_dials.json`` of TRADE, and files of ConvLab-3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ...errors import InputError, one_line, placing
from ...model import (
    CONSTRAINT_PARTS,
    SYSTEM,
    USER,
    Act,
    Conversation,
    Dialogue,
    DomainGoal,
    Goal,
    Move,
    Notice,
    State,
    Turn,
    Value,
    dialogue_key,
)
from ..entries import Entry, entries, first_entry, make_conversation, read_moves, user_or_system
from ..pairs.slot_names import slot_in, two_values
from ..pairs.state_layouts import StateLayout
from ..source import Sample, Source
from ..strict_json import JsonParts, parse_unique
from ..validation import (
    Role,
    as_list,
    as_mapping,
    as_type,
    as_value,
    first_mapping,
    first_value,
    read_dialogues,
    turn_number,
    turn_with_state,
    turns_by_id,
)
from .goals import LISTED, find_act_file, goal_in, parse_acts, task_in

_NO_VALUE = ("", "not mentioned")
_BELIEF_STATES = StateLayout("flat", absent=_NO_VALUE)
_NOT_TAKING_TURNS = "metadata in a user turn: user and system must take turns, and the user must begin"


class _Utterance(Struct):
    text: str | None = None
    metadata: Any = None
    dialog_act: Any = None


def _has_log(sample: Sample) -> bool:
    entry = first_value(sample.value) if sample.kind == "document" else None
    log = entry.get("log") if isinstance(entry, dict) else None
    turn = first_mapping(log)
    # Turns alternate, so they name no speaker, as messages do.
    has_turns = not turn or not {"text", "metadata"}.isdisjoint(turn)
    return isinstance(log, list) and has_turns and {"role", "from", "type"}.isdisjoint(turn)


class MultiWoz:
    """``data.json`` of MultiWOZ 2.0 and 2.1, and ``test_dials.json`` of TRADE.

    ``{"MUL0003.json": {"log": [{"text": "..", "metadata": {}}, {"text": "..", "metadata": {"hotel": {"semi": {"area": "east"},
    "book": {"people": "2", "booked": []}}}}]}}``: user and system take turns. The metadata of a system turn is the state after the
    preceding user turn. A final user turn without a system turn has no state.

    ``[{"dialogue_idx": "MUL0003.json", "dialogue": [{"turn_idx": 0, "belief_state": [{"slots": [["hotel-area", "east"]], "act":
    "inform"}], "system_transcript": "", "transcript": ".."}]}]``: ``belief_state`` is the state after ``transcript``, the utterance of
    the user.

    In both, ``""`` and ``not mentioned`` mean that a slot has no value. All other words, including ``none``, are values.
    The rule set decides on their meaning.
    """

    STATES = StateLayout("sections", absent=_NO_VALUE)
    CONTENT = "state"
    DESCRIPTION = "one state per turn, utterances: data.json of MultiWOZ 2.0 and 2.1, test_dials.json of TRADE"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "document" and isinstance(sample.value, list):
            entry = first_mapping(sample.value)
            return "dialogue_idx" in entry and isinstance(entry.get("dialogue"), list)
        return _has_log(sample)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        if isinstance(source.sample.value, list):
            source.states = _BELIEF_STATES
            turns = turns_by_id(source.elements(), "dialogue_idx", "dialogue")
            return read_dialogues(turns, partial(_dial_turns, role))
        return read_dialogues(source.members(), partial(_log_turns, role))


def _log_turns(role: Role, value: Any) -> Iterator[Turn]:
    log = as_list(as_mapping(value, "a dialogue").get("log"), "log")
    system_text = ""
    for number in range((len(log) + 1) // 2):
        with placing(turn=number):
            user, answer = (
                as_type(log[place], _Utterance, "an utterance") if place < len(log) else _Utterance()
                for place in (2 * number, 2 * number + 1)
            )
            if user.metadata:
                raise InputError(_NOT_TAKING_TURNS)
            state = as_mapping(answer.metadata, "a state") if answer.metadata is not None else None
            yield turn_with_state(role, number, state, user.text or "", system_text)
            system_text = answer.text or ""


class _Belief(Struct):
    slots: Any = None
    act: Any = None


class _Dial(Struct):
    belief_state: list[_Belief] | None = None
    transcript: str | None = None
    system_transcript: str | None = None

    def state(self) -> State | None:
        """Return the state. Requested slots are not part of it."""
        if self.belief_state is None:
            return None
        state: dict[str, Value] = {}
        informed = [belief for belief in self.belief_state if belief.act != "request"]
        for pair in (pair for belief in informed for pair in as_list(belief.slots, "slots")):
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise InputError('a slot must be ["domain-slot", "value"]')
            with placing(slot=pair[0]):
                value = as_value(pair[1])
            if value is not None and state.setdefault(pair[0], value) != value:
                raise two_values(pair[0], state[pair[0]], value)
        return state


def _dial_turns(role: Role, value: Any) -> Iterator[Turn]:
    for position, each in enumerate(as_list(value, "dialogue")):
        with placing(turn=position):
            number = turn_number(as_mapping(each, "a turn").get("turn_idx", position))
            with placing(turn=number):
                turn = as_type(each, _Dial, "a turn")
                yield turn_with_state(role, number, turn.state(), turn.transcript or "", turn.system_transcript or "")


def ids_of_list(path: str | Path) -> set[str]:
    """Read a list of dialogue ids, one id per line. Return the normalised form of each id, see :func:`dialogue_key`.

    A line in double quotes is read as a JSON string, so a list can hold every id. Blank lines are skipped.

    Raises:
        InputError: the file cannot be read, has no id, or is not such a list.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "testListFile.txt")
        ...     with open(path, "w") as file:
        ...         _ = file.write('MUL0003.json\\nSNG01.json\\n""\\n"a, b"\\n')
        ...     sorted(ids_of_list(path))
        ['', 'a, b', 'mul0003', 'sng01']
    """
    source = Source(path)
    ids = {_id_of_line(line, source.name) for line in source.text.split("\n") if line.strip()}
    if not ids:
        raise InputError("the list has no dialogue ids", file=source.name)
    return ids


def _id_of_line(line: str, name: str) -> str:
    line = line.strip()
    if len(line) > 1 and line[0] == line[-1] == '"':
        return dialogue_key(parse_unique(line.encode(), name))
    if any(letter in line for letter in '[]{}",'):
        message = (
            f'expected one dialogue id per line, found {one_line(line, 40)!r}; an id with one of []{{}}", needs quotes'
        )
        raise InputError(message, file=name)
    return dialogue_key(line)


class MultiWozConversations:
    """``data.json`` of MultiWOZ 2.0 and 2.1: utterances, goals, and acts if available.

    ``{"MUL0003.json": {"goal": {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}, "taxi": {}}, "log": [{"text": "..", "metadata":
    {}, "dialog_act": {"Hotel-Inform": [["Area", "east"]]}}]}}``

    User and system take turns, and the user begins. Acts are in the turns. For turns without acts, the acts of the system
    are read from ``dialogue_acts.json`` or ``system_acts.json``, in the folder of the file or in its parent folder. These
    files count system turns from 1. Slots are renamed as in goals, in lower case (``Addr`` becomes ``address``, ``Leave``
    becomes ``leaveat``). Empty domains of a goal are omitted. ``invalid`` and ``pre_invalid`` are not slots.
    """

    DESCRIPTION = "text, acts, goals: data.json of MultiWOZ 2.0 and 2.1"
    detect = staticmethod(_has_log)

    @staticmethod
    def items(source: Source) -> Iterator[Entry]:
        acts = find_act_file(source, ("dialogue_acts.json", "system_acts.json"))
        for name, value in as_mapping(source.document, "the file").items():
            yield Entry(name, value, context=acts)

    @staticmethod
    def conversation(item: Entry) -> Conversation:
        with item.placing():
            entry = as_mapping(item.value, "a dialogue")
            written = entry.get("goal")
            goal = None if written is None else goal_in(written)
            moves = read_moves(as_list(entry.get("log"), "log"), partial(_log_moves, item))
            return make_conversation(item.name, moves, goal, task_in(written))


def _log_moves(item: Entry, place: int, value: Any) -> Iterator[Move]:
    turn = as_type(value, _Utterance, "an utterance")
    who, text = SYSTEM if place % 2 else USER, turn.text or ""
    if who == USER and turn.metadata:
        raise InputError(_NOT_TAKING_TURNS)
    if turn.dialog_act is not None:
        yield Move(who, text, parse_acts(turn.dialog_act))
    elif who == SYSTEM and item.context is not None and item.context.has(item.name):
        yield Move(who, text, item.context.acts(item.name, str(place // 2 + 1)))
    else:
        yield Move(who, text)


class _Head(Struct):
    """The dialogue id and utterance index of an entry."""

    dialogue_id: str
    utt_idx: Any = None


class _Predictions(Struct):
    state: Any = None


class _ContextTurn(Struct):
    speaker: Any = None
    utterance: str | None = None


class _PredictedTurn(Struct):
    state: Any = None
    predictions: _Predictions | None = None
    utterance: str | None = None
    context: list[_ContextTurn] | None = None

    def turn(self, number: int) -> Turn:
        last = self.context[-1] if self.context else _ContextTurn()
        system = last.utterance if last.speaker == "system" else None
        states = (self.state, self.predictions.state if self.predictions else None)
        gold, pred = (None if state is None else as_mapping(state, "a state") for state in states)
        return Turn(number, gold, pred, self.utterance or "", system or "")


class ConvLab3:
    """``[{"dialogue_id": "..", "utt_idx": 2, "state": {"hotel": {"area": ""}}, "predictions": {"state": {..}}}]``: ConvLab-3.

    The file has one entry per user turn, in any order. ``state`` is gold. ``""`` is absent, and ``a|b`` are alternatives.
    ``utt_idx`` counts the utterances of both speakers, so the turn number is half of it. If a dialogue has both even and
    odd values of ``utt_idx``, the turn number is the position of the entry in the dialogue.
    """

    STATES = StateLayout("nested", absent=("",))
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, utterances"

    @staticmethod
    def detect(sample: Sample) -> bool:
        entry = first_mapping(sample.value) if sample.kind == "document" else {}
        return {"dialogue_id", "utt_idx"} <= entry.keys() and any(
            isinstance(entry.get(key), dict) for key in ("state", "predictions")
        )

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        parts = source.parts("a list")
        yield from read_dialogues(_by_dialogue(parts).items(), partial(_predicted_turns, parts))
        parts.finish()


def _by_dialogue(parts: JsonParts) -> dict[str, dict[int, int]]:
    """Return the positions of the entries of each dialogue by ``utt_idx``. Dialogues are in file order."""
    dialogues: dict[str, dict[int, int]] = {}
    for position, head in enumerate(parts.heads(_Head)):
        if not isinstance(head, _Head):
            as_mapping(head, f"entry {position}")
            raise InputError(f"entry {position}: dialogue_id must be a string")
        places = dialogues.setdefault(head.dialogue_id, {})
        try:
            utterance = turn_number(head.utt_idx)
        except InputError as error:
            raise InputError(f"entry {position}: utt_idx: {error.message}", dialogue=head.dialogue_id) from None
        if utterance in places:
            raise InputError(f"duplicate utt_idx {utterance}", dialogue=head.dialogue_id)
        places[utterance] = position
    return dialogues


def _predicted_turns(parts: JsonParts, places: Mapping[int, int]) -> Iterator[Turn]:
    is_one_speaker = len({utterance % 2 for utterance in places}) == 1
    for position, utterance in enumerate(sorted(places)):
        number = utterance // 2 if is_one_speaker else position
        with placing(turn=number):
            place = places[utterance]
            yield as_type(parts.parse(place), _PredictedTurn, f"entry {place}").turn(number)


class _UnifiedAct(Struct):
    intent: str | None = None
    domain: str | None = None
    slot: str | None = None
    value: str | None = None

    def act(self) -> Act:
        domain = self.domain or ""
        if not self.intent:
            raise InputError("an act without an intent")
        name = f"{domain}-{self.intent}" if domain else self.intent
        return Act(name, domain, slot_in(domain, self.slot or ""), tuple(self.value.split("|")) if self.value else ())


class _UnifiedActs(Struct):
    categorical: list[_UnifiedAct] = []
    non_categorical: list[_UnifiedAct] = field(name="non-categorical", default_factory=list)
    binary: list[_UnifiedAct] = []


class _UnifiedTurn(Struct):
    speaker: str | None = None
    utterance: str | None = None
    dialogue_acts: _UnifiedActs | None = None

    def moves(self) -> Iterator[Move]:
        kinds = self.dialogue_acts
        listed = None if kinds is None else (*kinds.categorical, *kinds.non_categorical, *kinds.binary)
        acts = None if listed is None else tuple(each.act() for each in listed)
        yield Move(user_or_system(self.speaker), self.utterance or "", acts)


class _UnifiedGoal(Struct):
    inform: dict[str, dict[str, str | None] | None] | None = None
    request: dict[str, dict[str, Any] | None] | None = None

    def goal(self) -> Goal:
        inform, request = self.inform or {}, self.request or {}
        goals = {
            domain: _unified_domain(domain, inform.get(domain) or {}, request.get(domain) or {})
            for domain in {**inform, **request}
        }
        return {domain: goal for domain, goal in goals.items() if goal != DomainGoal()}


def _unified_domain(domain: str, inform: Mapping[str, str | None], request: Mapping[str, Any]) -> DomainGoal:
    parts: dict[str, dict[str, str]] = {part: {} for part in CONSTRAINT_PARTS}
    for slot, value in inform.items():
        values = [each for each in (value or "").split("|") if each]
        part, name = ("book" if slot.startswith("book ") else "info"), slot_in(domain, slot)
        if values:
            parts[part][name] = values[-1]
        if len(set(values)) > 1:
            parts[f"fail_{part}"][name] = values[0]
    return DomainGoal(**parts, requests=tuple(dict.fromkeys(slot_in(domain, slot) for slot in request)))


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

    DESCRIPTION = "text, acts, goals: the unified format of ConvLab-3"

    @staticmethod
    def detect(sample: Sample) -> bool:
        entry = first_entry(sample)
        turn = first_mapping(entry.get("turns"))
        return "dialogue_id" in entry and {"speaker", "utterance"} <= turn.keys() and "frames" not in turn

    @staticmethod
    def items(source: Source) -> Iterator[Entry]:
        goals: list[str] = []
        for entry in entries(source):
            yield entry._replace(context=goals)
        if goals:
            message = (
                f"{len(goals)} goals of ConvLab-3 do not mark which values fail first (of several values the first is read as "
                "failing), and acts of ConvLab-3 have no booking domain"
            )
            source.notices.append(Notice("convlab3-goals", len(goals), message, tuple(goals[:LISTED])))

    @staticmethod
    def conversation(item: Entry) -> Conversation:
        def goal(value: Any) -> Goal:
            return as_type(value, _UnifiedGoal, "goal").goal()

        conversation = item.conversation("dialogue_id", "turns", _UnifiedTurn, goal)
        if conversation.goal:
            item.context.append(conversation.id)
        return conversation
