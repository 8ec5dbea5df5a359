"""The JSON lines format of dialmeter, with one dialogue per line, and the writers of dialogue states."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
from msgspec import Struct, structs

from ...errors import InputError, one_line, placing
from ...model import (
    CONSTRAINT_PARTS,
    SYSTEM,
    USER,
    Conversation,
    Dialogue,
    DomainGoal,
    Frame,
    Move,
    Notice,
    State,
    Turn,
)
from ..csv_files import escape_formula
from ..entries import Entry, entries, first_entry
from ..pairs.raw_turns import make_raw_turn, number_raw
from ..pairs.state_layouts import FLAT
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..raw_file import is_stream
from ..source import Sample, Source
from ..strict_json import REFUSALS, DuplicateKey, duplicate_key, parse_json
from ..turn_rows import NoticeCounts, YesNo, flat_state, turn_label
from ..validation import DialogueType, Role, as_list, as_mapping, as_type, dialogue, first_mapping, turn_number
from .goals import null_goal_value


class Native:
    """The format of dialmeter: JSON lines with one dialogue per line, which are the fastest to read, or an array of dialogues.

    ``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {...}, "user": "..", "system": ".."}]}``

    A turn may also have ``frames``:
    ``{service: {"gold_intent": "..", "pred_intent": "..", "gold_requested": [..], "pred_requested": [..]}}``.

    A turn may hold the states of further trackers under ``pred:NAME``; read them as ``FILE#NAME``. A line may also have
    ``talk``, the moves of both speakers, which user and judge commands read. A turn without utterances takes them from
    ``talk``.

    A state may also be nested (``{"hotel": {"area": "east"}}``) or a list (``["hotel-area-east"]``), and an id may be a
    whole number. ``true`` and ``false`` are read as yes and no, with a warning. It is an error if a slot with true or false
    also has values other than yes and no. Lines with any of these variants are read more slowly.
    """

    STATES = FLAT
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, utterances; JSON lines, streamed"

    @staticmethod
    def detect(sample: Sample) -> bool:
        first = first_entry(sample)
        # In an array, turns with a speaker are those of schema-guided dialogues.
        is_own = sample.kind == "lines" or "speaker" not in first_mapping(first.get("turns"))
        return is_own and {"dialogue_id", "turns"} <= first.keys()

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        words = source.vocabulary or Vocabulary()
        yes_no = YesNo()
        for number, line in _lines(source):
            source.line = number
            try:
                result = _number_dialogue(line, source, number, words) or _parse_dialogue(line, source, number, yes_no)
            except InputError as error:
                raise error.at(line=number) from None
            yield result
        source.notices += yes_no.notices(words)


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the text of each dialogue: a line, or a member of a JSON array, which is then written as a line."""
    # A span is a part of a file of lines, and has no sample of its own.
    if (
        source.span is not None
        or not (is_stream(source.path) or Path(source.path).is_file())
        or source.sample.kind == "lines"
    ):
        return source.lines()
    return ((number, msgspec.json.encode(each.value)) for number, each in enumerate(entries(source), 1))


_RawTurn = make_raw_turn("turn", "gold", "pred", user="user", system="system")


class _RawLine(Struct, gc=False):
    id: str = msgspec.field(name="dialogue_id")
    turns: list[_RawTurn]  # type: ignore[valid-type]


_decode = msgspec.json.Decoder(_RawLine).decode
_STRINGS = 3
"""Number of strings of a line outside its turns."""


def _number_dialogue(line: bytes, source: Source, number: int, words: Vocabulary) -> PairDialogue | None:
    """Fast path: return the dialogue of a line that holds only ids, numbers, states and utterances; otherwise None."""
    if source.tracker:
        return None
    try:
        return number_raw(line, _decode(line), _STRINGS, (words, FLAT, source.name, number))
    except REFUSALS:
        return None


def _parse_dialogue(line: bytes, source: Source, number: int, yes_no: YesNo) -> Dialogue:
    doubled: list[DuplicateKey] = []
    value = as_mapping(parse_json(line, source.name, doubled, number), "a line")
    dialogue_id = value.get("dialogue_id")
    if type(dialogue_id) is int:
        dialogue_id = str(dialogue_id)
    if not isinstance(dialogue_id, str):
        raise InputError("dialogue_id must be a string or a whole number")
    with placing(dialogue=dialogue_id):
        turns = as_list(value.get("turns"), "turns")
        yes_no.dialogue = dialogue_id
        tracker = source.tracker
        key = f"pred:{tracker}" if tracker else "pred"
        if tracker and turns and not any(isinstance(turn, dict) and key in turn for turn in turns):
            keys = {key for turn in turns if isinstance(turn, dict) for key in turn if key.startswith("pred:")}
            names = ", ".join(sorted(one_line(key.removeprefix("pred:")) for key in keys))
            known = f"the trackers are: {names}" if names else "the dialogue holds one tracker, without a name"
            raise InputError(f"no states of tracker {one_line(tracker)!r}; {known}")
        parsed = [_parse_turn(position, turn, key, yes_no) for position, turn in enumerate(turns)]
        if doubled:
            raise duplicate_key(doubled[0])
        return dialogue(dialogue_id, add_utterances(parsed, parse_talk_line(value).talk) if "talk" in value else parsed)


class _NativeTurn(Struct):
    user: str | None = None
    system: str | None = None
    frames: dict[str, Frame] | None = None
    """Intents and requested slots by service, which come from the schema-guided format."""


def _parse_turn(position: int, value: Any, key: str, yes_no: YesNo) -> Turn:
    written = value.get("turn", position) if isinstance(value, dict) else position
    with placing(turn=written):
        texts = as_type(value, _NativeTurn, "a turn")
        yes_no.turn = written
        gold, pred = (flat_state(value.get(side), yes_no) for side in ("gold", key))
        return Turn(turn_number(written), gold, pred, texts.user or "", texts.system or "", texts.frames)


def write(dialogues: Iterable[Dialogue], file: BinaryIO) -> int:
    """Write dialogues as native JSON lines and return their number.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> write([Dialogue("d1", (Turn(0, gold={"hotel-area": ("east", "west")}),))], file)
        1
        >>> file.getvalue()
        b'{"dialogue_id":"d1","turns":[{"turn":0,"gold":{"hotel-area":["east","west"]}}]}\\n'
    """
    count = 0
    for count, each in enumerate(dialogues, 1):  # noqa: B007
        file.write(encode_dialogue(each))
    return count


_encode = msgspec.json.Encoder().encode


def encode_dialogue(dialogue: Dialogue) -> bytes:
    """Encode a dialogue as a line of JSON.

    Example:
        >>> encode_dialogue(Dialogue("d1", (Turn(0, pred={}),)))
        b'{"dialogue_id":"d1","turns":[{"turn":0,"pred":{}}]}\\n'
    """
    return _encode({"dialogue_id": dialogue.id, "turns": [turn_to_dict(turn) for turn in dialogue.turns]}) + b"\n"


def turn_to_dict(turn: Turn) -> dict[str, Any]:
    """Convert a turn to a dict for JSON. Absent parts are omitted.

    Example:
        >>> turn_to_dict(Turn(0, pred={}, user="hello"))
        {'turn': 0, 'pred': {}, 'user': 'hello'}
    """
    fields: dict[str, Any] = msgspec.to_builtins(turn)
    fields.pop("written", None)
    return {"turn": fields.pop("number"), **fields}


class TalkLine(Struct, gc=False, omit_defaults=True):
    """A line with the moves of both speakers."""

    dialogue_id: str
    talk: tuple[Move, ...]
    goal: dict[str, DomainGoal] | None = None
    cut: bool = False
    turns: Any = None


_TALK_LINES = DialogueType(TalkLine, "talk")


def parse_talk_line(line: Mapping[str, Any]) -> TalkLine:
    """Convert a parsed line to its moves of both speakers. Commands on trackers, users and judges all use this.

    Raises:
        InputError: an invalid line, with the dialogue and the position of the move.

    Example:
        >>> parse_talk_line({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": 3}]})
        Traceback (most recent call last):
        dialmeter.errors.InputError: dialogue d1, turn 0: talk[0].text must be a string, found a number
    """
    for domain, inside in goal.items() if isinstance(goal := line.get("goal"), dict) else ():
        for part in CONSTRAINT_PARTS if isinstance(inside, dict) else ():
            for slot, value in pairs.items() if isinstance(pairs := inside.get(part), dict) else ():
                if value is None:
                    name = line.get("dialogue_id")
                    raise null_goal_value(domain, slot).at(dialogue=name if isinstance(name, str) else None)
    return _TALK_LINES.convert(line)


def add_utterances(turns: Sequence[Turn], moves: Iterable[Move]) -> list[Turn]:
    """Add the utterances in ``moves`` to the turns that have none.

    Args:
        turns: the turns in order. The turn with number i belongs to the i-th move of the user, counted from 0.
        moves: the moves of both speakers.

    Example:
        >>> moves = [Move("user", "hi"), Move("system", "yes?"), Move("user", "bye")]
        >>> [(turn.system, turn.user) for turn in add_utterances([Turn(0), Turn(1)], moves)]
        [('', 'hi'), ('yes?', 'bye')]
    """
    exchanges: list[tuple[str, str]] = []
    system = ""
    for move in moves:
        if move.speaker == USER:
            exchanges.append((system, move.text))
            system = ""
        elif move.speaker == SYSTEM:
            system = move.text
    return [
        structs.replace(turn, system=exchanges[turn.number][0], user=exchanges[turn.number][1])
        if turn.number < len(exchanges) and not (turn.user or turn.system)
        else turn
        for turn in turns
    ]


def conversation_to_dict(conversation: Conversation) -> dict[str, Any]:
    """Convert a conversation to a dict for JSON.

    Example:
        >>> conversation_to_dict(Conversation("d1", (Move("user", "hello"),)))
        {'dialogue_id': 'd1', 'talk': [{'speaker': 'user', 'text': 'hello'}]}
    """
    line: dict[str, Any] = {"dialogue_id": conversation.id}
    if conversation.goal is not None:
        line["goal"] = msgspec.to_builtins(conversation.goal)
    if conversation.cut:
        line["cut"] = True
    return {**line, "talk": [msgspec.to_builtins(move) for move in conversation.moves]}


class NativeConversations:
    """The JSON lines format of dialmeter, with one dialogue per line.

    ``{"dialogue_id": "..", "goal": {..}, "talk": [{"speaker": "user", "text": "..", "acts": [{"name": "Hotel-Inform",
    "service": "hotel", "slot": "area", "values": ["east"]}], "understood": [..], "requested": {"hotel": ["hotel-phone"]}}]}``

    ``goal`` maps each domain to any of ``info``, ``fail_info``, ``book``, ``fail_book`` (slot → value) and ``requests`` (a
    list of slots). Only ``dialogue_id`` and, in each move, ``speaker`` are required. ``cut`` is true if the dialogue ended
    at a limit. The same line may have ``turns`` with dialogue states for scoring trackers; see the state format ``native``.
    """

    DESCRIPTION = "text, acts, understood acts, goals; JSON lines, streamed"
    items = staticmethod(Source.lines)

    @staticmethod
    def detect(sample: Sample) -> bool:
        return sample.kind == "lines" and {"dialogue_id", "talk"} <= sample.value.keys()

    @staticmethod
    def conversation(item: tuple[int, bytes]) -> Conversation:
        number, line = item
        talk_line = _TALK_LINES.decode(line)
        if talk_line is None:
            with placing(line=number):
                doubled: list[DuplicateKey] = []
                talk_line = parse_talk_line(as_mapping(parse_json(line, None, doubled, number), "a line"))
                if doubled:
                    raise duplicate_key(doubled[0]).at(dialogue=talk_line.dialogue_id)
        return Conversation(talk_line.dialogue_id, talk_line.talk, talk_line.goal, talk_line.cut)


class _StateTurn(Struct):
    system: str | None = None
    user: str | None = None

    def moves(self) -> Iterator[Move]:
        yield from (Move(who, text) for who, text in ((SYSTEM, self.system), (USER, self.user)) if text)


class StateUtterances:
    """The utterances in a file of dialogue states in dialmeter's JSON lines format; see the state format ``native``.

    ``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {..}, "system": "", "user": "hello"}]}``

    In a turn the system speaks before the user. An empty text is not a move. The format ``native`` reads lines with
    ``talk``.
    """

    DESCRIPTION = "text in files of dialogue states; JSON lines, streamed"
    items = staticmethod(entries)

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind != "lines" or "talk" in sample.value or "dialogue_id" not in sample.value:
            return False
        turn = first_mapping(sample.value.get("turns"))
        return bool(turn) and "speaker" not in turn

    @staticmethod
    def conversation(item: Entry) -> Conversation:
        return item.conversation("dialogue_id", "turns", _StateTurn)


_COLUMNS = ("dialogue_id", "turn", "gold", "pred", "user", "system")


class FormatWriter(NamedTuple):
    """The writer of a format.

    Attributes:
        about: one line of help.
        loses: the data that the format cannot hold, in words.
        write: yields the bytes of a file, in blocks.
        holds_frames: True if the format can hold intents and requested slots.
    """

    about: str
    loses: str
    write: Callable[[Iterable[Dialogue]], Iterator[bytes]]
    holds_frames: bool = False


def _write_rows(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    for each in dialogues:
        for turn in each.turns:
            row = {"dialogue_id": each.id, "gold": None, "pred": None, **turn_to_dict(turn)}
            yield _encode({name: row[name] for name in _COLUMNS if name in row}) + b"\n"


def _write_csv(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    yield ",".join(_COLUMNS).encode() + b"\n"
    for each in dialogues:
        for turn in each.turns:
            states = ("" if state is None else _encode(dict(state)).decode() for state in (turn.gold, turn.pred))
            texts = map(escape_formula, (each.id, str(turn.number), *states, turn.user, turn.system))
            file = io.StringIO()
            # With another line terminator the csv module would not quote a lone carriage return.
            csv.writer(file, lineterminator="\r\n").writerow(texts)
            yield file.getvalue().removesuffix("\r\n").encode() + b"\n"


def _write_nested(dialogues: Iterable[Dialogue]) -> Iterator[bytes]:
    prefix = b"{"
    for each in dialogues:
        turns = {}
        for turn in each.turns:
            native = turn_to_dict(turn)
            nested: dict[str, Any] = {
                name: _group_by_domain(native[side], each.id, turn.number)
                for side, name in (("gold", "gt"), ("pred", "pr"))
                if side in native
            }
            nested |= {name: native[who] for who, name in (("user", "usr"), ("system", "sys")) if who in native}
            turns[str(turn.number)] = nested
        yield prefix + _encode(each.id) + b": " + _encode(turns)
        prefix = b",\n"
    yield b"}\n"


def _group_by_domain(state: State, dialogue: str, turn: int) -> dict[str, dict[str, Any]]:
    domains: dict[str, dict[str, Any]] = {}
    for slot, value in state.items():
        domain, hyphen, name = slot.partition("-")
        if not hyphen:
            message = "the format nested cannot hold a slot without a domain; choose another format with --to"
            raise InputError(message, dialogue=dialogue, turn=turn, slot=slot)
        domains.setdefault(domain, {})[name] = value
    return domains


WRITERS = {
    "native": FormatWriter("one dialogue per line", "nothing", partial(map, encode_dialogue), holds_frames=True),
    "rows": FormatWriter("JSON lines, one turn per line", "intents and requested slots", _write_rows),
    "csv": FormatWriter(
        "the same rows as CSV, with states as JSON in cells", "intents and requested slots", _write_csv
    ),
    "nested": FormatWriter(
        "one document, states grouped by domain",
        "intents and requested slots; a slot without a domain is an error",
        _write_nested,
    ),
}
"""Writers by format name."""


class Losses:
    """Counts the dialogues that are passed to a writer, and the data that its format cannot hold.

    Args:
        format: the name of the format.

    Example:
        >>> losses = Losses("rows")
        >>> dialogues = list(losses.count_losses([Dialogue("d1", (Turn(0, frames={"hotel": Frame("find")}),))]))
        >>> losses.count, [notice.count for notice in losses.notices]
        (1, [1])
    """

    def __init__(self, format: str) -> None:
        self.count = 0
        self._format = format
        message = f"intents and requested slots of {{}} turns are lost: the format {format} cannot hold them"
        self._frames = NoticeCounts({"lost-intents": message})

    def count_losses(self, dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
        """Yield the dialogues unchanged, and count them."""
        holds_frames = WRITERS[self._format].holds_frames
        for each in dialogues:
            self.count += 1
            for turn in () if holds_frames else each.turns:
                if turn.frames:
                    self._frames.add("lost-intents", turn_label(each.id, turn.number))
            yield each

    @property
    def notices(self) -> list[Notice]:
        """The notice about lost data. It is complete when all dialogues are written."""
        return self._frames.notices()
