"""Files of trackers with states as JSON: FGA and GCA, TRADE, SOM-DST, DSTC10, MultiWOZ_Evaluation, TripPy; vectors of correctness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import msgspec
from msgspec import Raw, Struct

from ...errors import InputError, one_line, placing
from ...model import Dialogue, State, Turn
from ..pairs.raw_turns import RawDialogue, make_raw_turn, number_raw
from ..pairs.state_layouts import FLAT, GLUED, NESTED, StateLayout
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..records.names import ROOTS
from ..source import Sample, Source
from ..strict_json import REFUSALS, JsonParts, count_written_strings, kind_of
from ..validation import (
    TURN_DIGITS,
    Role,
    as_list,
    as_mapping,
    as_text,
    as_type,
    dialogue,
    first_mapping,
    first_value,
    read_dialogues,
    read_turns,
    turn_number,
    turn_with_state,
)

# The number of a turn is its key in the dialogue, not a field of the turn.
_NestedTurn = make_raw_turn("", "gt", "pr", user="usr", system="sys")
_decode_nested: Any = msgspec.json.Decoder(dict[str, _NestedTurn]).decode  # type: ignore[valid-type]
_TradeTurn = make_raw_turn("", "turn_belief", "pred_bs_ptr")
_decode_trade: Any = msgspec.json.Decoder(dict[str, _TradeTurn]).decode  # type: ignore[valid-type]

Numbering: TypeAlias = tuple[Vocabulary, StateLayout, str, int | None]
"""The vocabulary, the state layout, the file name, and the line."""


Members: TypeAlias = list[tuple[str, Any]]
"""The keys and values of the members of a document that make one dialogue. The values are unparsed, or parsed."""


def _read_dialogues(
    source: Source,
    kind: Literal["an object", "a list"],
    layout: StateLayout,
    number: Callable[[str, Members, Numbering], PairDialogue | None],
    turns_of: Callable[[Members], Iterable[Turn]],
    *,
    split_key: Callable[[str], tuple[str, str]] = lambda key: (key, key),
) -> Iterator[Dialogue | PairDialogue]:
    """Yield the dialogues of a document.

    Args:
        source: the file.
        kind: the document. The keys of a list are positions, counted from 0.
        layout: the layout of its states.
        number: the fast path, which leaves states unparsed; it returns None if a dialogue needs the other way.
        turns_of: returns the turns of parsed members.
        split_key: returns the dialogue id and the rest of a key.
    """
    numbering = (source.vocabulary or Vocabulary(), layout, source.name, None)
    parts = source.parts(kind)
    dialogues: dict[str, list[tuple[str, int]]] = {}
    for place, written in enumerate(map(str, range(len(parts))) if parts.keys is None else parts.keys):
        dialogue_id, key = split_key(written)
        dialogues.setdefault(dialogue_id, []).append((key, place))
    for dialogue_id, places in dialogues.items():
        result: Dialogue | PairDialogue | None = None
        if parts.whole is None:
            result = number(dialogue_id, [(key, parts.raw(place)) for key, place in places], numbering)
        if result is not None:
            for _, place in places:
                parts.skip(place)
        else:
            with placing(dialogue=dialogue_id):
                result = dialogue(dialogue_id, turns_of([(key, parts.parse(place)) for key, place in places]))
        yield result
    parts.finish()


def _number_by_key(decode: Any, dialogue_id: str, members: Members, numbering: Numbering) -> PairDialogue | None:
    """Return a dialogue that is an object of turns by number, with only states and utterances; otherwise None."""
    data = members[0][1]
    try:
        turns = decode(data)
    except REFUSALS:
        return None
    for key, turn in turns.items():
        turn.number = int(key) if key.isdecimal() and len(key) <= TURN_DIGITS else -1
    return number_raw(data, RawDialogue(dialogue_id, list(turns.values())), 0, numbering)


class Nested:
    """``{dialogue: {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {...}}}}``: the format of the FGA and GCA repositories.

    The keys of a dialogue are turn numbers. ``gt`` is the gold state and ``pr`` the predicted state. A turn may also have
    the utterances ``usr`` and ``sys``.
    """

    STATES = NESTED
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states"

    @staticmethod
    def detect(sample: Sample) -> bool:
        # The first dialogue may be without turns, and the first turn without states.
        dialogues = sample.value.values() if sample.kind == "document" and isinstance(sample.value, dict) else ()
        turns = (turn for each in dialogues if isinstance(each, dict) for turn in each.values())
        return any(isinstance(turn, dict) and ("gt" in turn or "pr" in turn) for turn in turns)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        return _read_dialogues(source, "an object", NESTED, partial(_number_by_key, _decode_nested), _nested_turns)


def _nested_turns(members: Members) -> Iterator[Turn]:
    return read_turns(as_mapping(members[0][1], "a dialogue").items(), _nested_turn)


def _nested_turn(key: str, value: Any) -> Turn:
    turn = as_mapping(value, "a turn")
    return Turn(
        number=turn_number(key),
        gold=as_mapping(turn["gt"], "a state") if "gt" in turn else None,
        pred=as_mapping(turn["pr"], "a state") if "pr" in turn else None,
        user=as_text(turn.get("usr"), "usr"),
        system=as_text(turn.get("sys"), "sys"),
    )


class Trade:
    """Results of TRADE and of trackers based on it, with states as lists of ``domain-slot-value``. There are two variants:

    - ``{dialogue: {"0": {"turn_belief": ["hotel-area-east"], "pred_bs_ptr": [...]}}}``
    - ``{dialogue: {"domain": .., "turns": {"0": {"turn_belief": [...], "pred_belief": [...]}}}}``

    ``turn_belief`` is gold. The prediction is the list under a key that begins with ``pred_``.
    """

    STATES = GLUED
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states"

    @staticmethod
    def detect(sample: Sample) -> bool:
        turns = first_value(sample.value) if sample.kind == "document" else None
        turn = first_value(turns.get("turns", turns)) if isinstance(turns, dict) else None
        return isinstance(turn, dict) and ("turn_belief" in turn or bool(_prediction_keys(turn)))

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        return _read_dialogues(source, "an object", GLUED, _number_trade, _trade_turns)


def _number_trade(dialogue_id: str, members: Members, numbering: Numbering) -> PairDialogue | None:
    result = _number_by_key(_decode_trade, dialogue_id, members, numbering)
    # A turn without any state is an error.
    return None if result is None or (None, None) in zip(result.gold, result.pred, strict=True) else result


def _trade_turns(members: Members) -> Iterator[Turn]:
    entry = as_mapping(members[0][1], "a dialogue")
    return read_turns((as_mapping(entry["turns"], "turns") if "turns" in entry else entry).items(), _trade_turn)


def _trade_turn(key: str, value: Any) -> Turn:
    turn = as_mapping(value, "a turn")
    keys = _prediction_keys(turn) or [key for key in turn if key.startswith("pred_")]
    if len(keys) > 1:
        listed = ", ".join(one_line(key, 30) for key in keys)
        raise InputError(f"several predictions, {listed}; keep one of them in the file")
    gold: Any = as_list(turn["turn_belief"], "a state") if "turn_belief" in turn else None
    pred: Any = as_list(turn[keys[0]], "a state") if keys else None
    if gold is None and pred is None:
        raise InputError("a turn without turn_belief and without a prediction (pred_bs_ptr, pred_belief)")
    return Turn(turn_number(key), gold, pred)


def _prediction_keys(turn: Mapping[str, Any]) -> list[str]:
    return [key for key, value in turn.items() if key.startswith("pred_") and isinstance(value, list)]


_RawTurn = make_raw_turn("turn", "gold", "pred", system="system")


def _number_keyless(
    dialogue_id: str, members: Members, states: Iterable[tuple[int, Raw | None, Raw | None]], numbering: Numbering
) -> PairDialogue | None:
    """Do the same as ``number_raw`` for number, gold state and predicted state of each turn, where the members have no keys."""
    turns, keys = [], 0
    for number, gold, pred in states:
        turns.append(_RawTurn(number, gold, pred))
        keys += 1 + (gold is not None) + (pred is not None)
    return number_raw(b"".join([data for _, data in members]), RawDialogue(dialogue_id, turns), -keys, numbering)


_decode_states = msgspec.json.Decoder(tuple[Raw, Raw]).decode


class SomDst:
    """``{"MUL0003.json_0": [["hotel-area-east"], ["hotel-area-west"]]}``: results of SOM-DST.

    The key is the dialogue id, an underscore, and the turn number. The first state is the prediction, and the second is
    gold.
    """

    STATES = GLUED
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind != "document" or not isinstance(sample.value, dict):
            return False
        key, states = next(iter(sample.value.items()), ("", None))
        return (
            key.rpartition("_")[2].isdecimal()
            and "_" in key
            and isinstance(states, list)
            and len(states) == 2
            and all(isinstance(state, list) for state in states)
        )

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        turns_of = partial(read_turns, read=_som_dst_turn)
        return _read_dialogues(source, "an object", GLUED, _number_som_dst, turns_of, split_key=_split_som_dst)


def _split_som_dst(key: str) -> tuple[str, str]:
    dialogue_id, underscore, number = key.rpartition("_")
    if not (dialogue_id and underscore):
        raise InputError(f"a key must be dialogue_turn, found {one_line(key, 40)!r}")
    return dialogue_id, number


def _number_som_dst(dialogue_id: str, members: Members, numbering: Numbering) -> PairDialogue | None:
    """Fast path: return a dialogue whose states are lists of pairs, with turns in order; otherwise None."""
    states: list[tuple[int, Raw, Raw]] = []
    try:
        for number, data in members:
            if not number.isdecimal() or len(number) > TURN_DIGITS:
                return None
            pred, gold = _decode_states(data)
            states.append((int(number), gold, pred))
    except REFUSALS:
        return None
    return _number_keyless(dialogue_id, members, states, numbering)


def _som_dst_turn(number: str, value: Any) -> Turn:
    states = as_list(value, "a turn")
    if len(states) != 2:
        raise InputError(f"a turn must hold two states, predicted and gold, found {len(states)}")
    pred, gold = as_list(states[0], "a state"), as_list(states[1], "a state")
    return Turn(turn_number(number), cast(Any, gold), cast(Any, pred))


_SAMPLED_DOMAINS = 20


class Dstc10:
    """``[{"hotel": {"semi": {"name": ["A", "B"]}, "book": {"day": ["Monday"]}}}]``: DSTC10 track 2, task 1.

    The file has no dialogue ids: every instance is a dialogue of one turn, and its id is its position, counted from 0. A
    list is a set of values, and a prediction must match the whole set (rule set ``dstc10``).
    """

    STATES = StateLayout("sections", lists=True)
    CONTENT = "state"
    DESCRIPTION = "one state per instance, values as sets; no dialogue ids"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind != "document" or not isinstance(sample.value, list):
            return False
        if not all(isinstance(instance, dict) for instance in sample.value):
            return False
        domains = [domain for instance in sample.value for domain in instance.values()][:_SAMPLED_DOMAINS]
        return all(isinstance(each, dict) and each.keys() <= {"semi", "book"} for each in domains) and bool(
            sample.value
        )

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        def number(dialogue_id: str, members: Members, numbering: Numbering) -> PairDialogue | None:
            state = Raw(members[0][1])
            states = (0, None, state) if role is Role.PRED else (0, state, None)
            return _number_keyless(dialogue_id, members, [states], numbering)

        def turns_of(members: Members) -> list[Turn]:
            with placing(turn=0):
                return [turn_with_state(role, 0, as_mapping(members[0][1], "a state"))]

        return _read_dialogues(source, "a list", Dstc10.STATES, number, turns_of)


class MwzEval:
    """``{"sng0073": [{"response": "..", "state": {"taxi": {"leave at": "17:15"}}}]}``: input of the MultiWOZ_Evaluation scripts.

    The states are usually predictions. The number of a turn is its position in the list, counted from 0. ``response`` is
    the reply of the system in this turn. It is therefore read as the system utterance before the next turn.
    """

    STATES = NESTED
    CONTENT = "state"
    DESCRIPTION = "one state per turn, replies; ids in lower case without .json"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind != "document" or not isinstance(sample.value, dict) or not ROOTS.isdisjoint(sample.value):
            return False
        turn = first_mapping(first_value(sample.value))
        return isinstance(turn.get("state"), dict) or isinstance(turn.get("response"), str)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        number, turns_of = partial(_number_mwzeval, role), partial(_mwzeval_turns, role)
        return _read_dialogues(source, "an object", NESTED, number, turns_of)


_NO_DOMAINS = Raw(b"[]")


class _RawReply(Struct, gc=False):
    state: Raw
    response: str
    active_domains: Raw = _NO_DOMAINS


_decode_mwzeval = msgspec.json.Decoder(list[_RawReply]).decode


def _number_mwzeval(role: Role, dialogue_id: str, members: Members, numbering: Numbering) -> PairDialogue | None:
    """Fast path: return a dialogue whose turns have states, replies and domains, and nothing else; otherwise None."""
    data = members[0][1]
    try:
        replies = _decode_mwzeval(data)
    except REFUSALS:
        return None
    turns, answer, others = [], "", 0
    for number, each in enumerate(replies):
        turns.append(_RawTurn(number, *((None, each.state) if role is Role.PRED else (each.state, None)), answer))
        answer = each.response
        if each.active_domains is not _NO_DOMAINS:
            others += 1 + count_written_strings(bytes(each.active_domains))
    return number_raw(data, RawDialogue(dialogue_id, turns), others - len(turns), numbering)


class _Reply(Struct):
    state: Any = None
    response: str | None = None


def _mwzeval_turns(role: Role, members: Members) -> Iterator[Turn]:
    answer = ""
    for number, each in enumerate(as_list(members[0][1], "a dialogue")):
        with placing(turn=number):
            turn = as_type(each, _Reply, "a turn")
            state = as_mapping(turn.state, "a state") if turn.state is not None else None
            if state is None and role is Role.PRED:
                raise InputError("a prediction without a state")
            yield turn_with_state(role, number, state, system=answer)
            answer = turn.response or ""


_GOLD = "slot_groundtruth_"
_PRED = "slot_prediction_"
_FROM_SYSTEM = "§§"
_UNCHANGED = "none"


class _Head(Struct):
    """The guid of an entry, which holds dialogue and turn."""

    guid: Any = None


class TripPy:
    """``pred_res`` files of TripPy: one entry per turn, with several keys per slot.

    ``[{"guid": ["test", "MUL0484.json", "3"], "class_prediction_hotel-area": 2, "slot_prediction_hotel-area": "east",
    "slot_groundtruth_hotel-area": "east", ...}]``

    The guid may also be one string, ``test-MUL0484.json-3``. Values are updates, and ``none`` means that the turn does not
    change the slot. Updates are accumulated to cumulative states. The format cannot express that a slot is deleted, so
    slots are never deleted. The mark ``§§`` before a value means that the model copied it from a system utterance; the mark
    is removed.
    """

    STATES = FLAT
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, as updates"

    @staticmethod
    def detect(sample: Sample) -> bool:
        entry = first_mapping(sample.value) if sample.kind == "document" else {}
        return "guid" in entry and any(key.startswith((_GOLD, _PRED)) for key in entry)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        parts = source.parts("a list")
        dialogues: dict[str, list[tuple[int, int]]] = {}
        for position, head in enumerate(parts.heads(_Head), 1):
            if not isinstance(head, _Head):
                as_mapping(head, f"entry {position}")
            dialogue_id, number = _place(head.guid, position)
            with placing(dialogue=dialogue_id, turn=str(number)):
                dialogues.setdefault(dialogue_id, []).append((turn_number(number), position - 1))
        yield from read_dialogues(dialogues.items(), partial(_cumulative_turns, parts, _Sides()))
        parts.finish()


def _place(guid: Any, position: int) -> tuple[str, str | int]:
    """Return the dialogue and turn of a guid. A dialogue id with hyphens may be split into several parts."""
    parts = guid.split("-") if isinstance(guid, str) else guid
    if (
        not isinstance(parts, list)
        or len(parts) < 3
        or not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts)
    ):
        raise InputError(f"the guid of entry {position} must be [split, dialogue, turn]")
    return "-".join(map(str, parts[1:-1])), parts[-1]


class _Sides(dict[str, tuple[str, str] | None]):
    """Cache: key of an entry → side (gold or predicted) and slot; None for a key without a value."""

    def __missing__(self, key: str) -> tuple[str, str] | None:
        split = next(((side, key.removeprefix(side)) for side in (_GOLD, _PRED) if key.startswith(side)), None)
        self[key] = split
        return split


def _cumulative_turns(parts: JsonParts, sides: _Sides, places: list[tuple[int, int]]) -> Iterator[Turn]:
    """Yield the turns of a dialogue with cumulative states."""
    states: dict[str, dict[str, str]] = {_GOLD: {}, _PRED: {}}
    for number, place in sorted(places):
        with placing(turn=number):
            entry = as_mapping(parts.parse(place), f"entry {place + 1}")
            slots: dict[str, set[str]] = {_GOLD: set(), _PRED: set()}
            for key, value in entry.items():
                split = sides[key]
                if split is None:
                    continue
                side, slot = split
                slots[side].add(slot)
                if value == _UNCHANGED:
                    continue
                if not isinstance(value, str):
                    raise InputError(f"a value must be a string, found {kind_of(value)}", slot=slot)
                text = value.removeprefix(_FROM_SYSTEM).lstrip() if value.startswith(_FROM_SYSTEM) else value
                if text != _UNCHANGED:
                    # A copy, because previous turns share the old state.
                    states[side] = {**states[side], slot: text}
            yield _trippy_turn(number, states, slots)


def _trippy_turn(number: int, states: Mapping[str, State], slots: Mapping[str, set[str]]) -> Turn:
    gold, predicted = slots[_GOLD], slots[_PRED]
    if not (gold or predicted):
        raise InputError(f"an entry without any {_PRED}... or {_GOLD}...")
    if gold and predicted and gold != predicted:
        raise InputError("the slot must have both a prediction and a ground truth", slot=min(gold ^ predicted))
    return Turn(number, states[_GOLD] if gold else None, states[_PRED] if predicted else None)


_WORDS = {0: "wrong", 1: "right"}


class CorrectnessVectors:
    """``{dialogue: {"0": [1, 1, 0, ...]}}``: for each turn, whether each slot of the schema is correct (1) or wrong (0).

    TripPy's results for FGA were published in this format. The file has no values, so only JGA, SA and FGA(local=vector)
    can be computed. Every position is a slot. Its gold value is ``right``, and its predicted value is ``right`` or
    ``wrong``.
    """

    STATES = FLAT
    CONTENT = "both"
    DESCRIPTION = "which slots are correct, without values"
    CORRECTNESS_ONLY = True

    @staticmethod
    def detect(sample: Sample) -> bool:
        vector = first_value(first_value(sample.value)) if sample.kind == "document" else None
        return isinstance(vector, list) and bool(vector) and all(map(_is_mark, vector))

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        reader = _VectorReader()
        return read_dialogues(
            source.members(), lambda value: read_turns(as_mapping(value, "a dialogue").items(), reader.turn)
        )


def _is_mark(value: object) -> bool:
    """Return True for 0 and 1. TripPy's own script writes them as 0.0 and 1.0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value in _WORDS


class _VectorReader:
    """Reads turns. The first turn sets the number of positions of all turns."""

    def __init__(self) -> None:
        self._gold: State | None = None

    def turn(self, key: str, value: Any) -> Turn:
        vector = as_list(value, "a turn")
        if self._gold is None:
            self._gold = {f"slot-{position:02d}": "right" for position in range(len(vector))}
        if not vector or len(vector) != len(self._gold):
            raise InputError(
                f"a vector of {len(vector)} positions; expected {len(self._gold)}, as in the first vector, and at least one"
            )
        pred: dict[str, str] = {}
        for slot, mark in zip(self._gold, vector, strict=True):
            if not _is_mark(mark):
                raise InputError(f"a position must be 0 or 1, found {one_line(repr(mark), 40)}", slot=slot)
            pred[slot] = _WORDS[mark]
        return Turn(number=turn_number(key), gold=self._gold, pred=pred)
