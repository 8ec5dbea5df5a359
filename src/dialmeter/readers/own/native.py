"""dialmeter's own JSON lines, one dialogue per line: the fast path.

``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {...}, "user": "..", "system": ".."}]}``

Turns may also have ``frames``: ``{service: {"gold_intent": "..", "pred_intent": "..", "gold_requested": [..], "pred_requested": [..]}}``.
Further trackers stand beside ``pred`` as ``pred:NAME`` and are read as ``FILE#NAME``. Where the line has ``talk`` (the moves
of both speakers, as users and judges are measured on), the utterances of a turn are taken from there if it has none.

A state may also be nested (``{"hotel": {"area": "east"}}``) or a list (``["hotel-area-east"]``), and an id may be a whole
number. ``true`` and ``false`` are read as yes and no, with a warning; a slot with true or false whose other values are
neither yes nor no is refused. Such lines are read more slowly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct, structs

from ...errors import InputError, one_line, placing
from ...model import CONSTRAINT_PARTS, SYSTEM, USER, Conversation, Dialogue, DomainGoal, Frame, Move, Turn
from ..entries import Entry, entries
from ..formats import ConversationReader
from ..multiwoz.goals import null_goal_value
from ..pairs.raw_turns import make_raw_turn, number_raw
from ..pairs.state_layouts import FLAT
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import DialogueType, Role, as_list, as_mapping, as_text, dialogue, first_mapping, turn_number
from ..source import Sample, Source
from ..strict_json import REFUSALS, Doubled, duplicate_key, parse_json
from ..yes_no import YesNo, flat_state

STATES = FLAT
HOLDS = "both"
CARRIES = "gold and predicted states, utterances; JSON lines, streamed"


def detect(sample: Sample) -> bool:
    return sample.kind == "lines" and {"dialogue_id", "turns"} <= sample.value.keys()


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    words = source.vocabulary or Vocabulary()
    yes_no = YesNo()
    for number, line in source.lines():
        source.line = number
        try:
            found = _numbered(line, source, number, words) or _dialogue(line, source, number, yes_no)
        except InputError as error:
            raise error.at(line=number) from None
        yield found
    source.notices += yes_no.notices(words)


_RawTurn = make_raw_turn("turn", "gold", "pred", "user", "system")


class _RawLine(Struct, gc=False):
    id: str = msgspec.field(name="dialogue_id")
    turns: list[_RawTurn]  # type: ignore[valid-type]


_decode = msgspec.json.Decoder(_RawLine).decode
_STRINGS = 3
"""The strings of a line outside its turns."""


def _numbered(line: bytes, source: Source, number: int, words: Vocabulary) -> PairDialogue | None:
    """The dialogue of a line with ids, numbers, states and utterances only; None for any other."""
    if source.tracker:
        return None
    try:
        return number_raw(line, _decode(line), _STRINGS, (words, FLAT, source.name, number))
    except (*REFUSALS, InputError):
        # A state that is written in another way, or something wrong that is reported with its place.
        return None


def _dialogue(line: bytes, source: Source, number: int, yes_no: YesNo) -> Dialogue:
    doubled: list[Doubled] = []
    thing = as_mapping(parse_json(line, source.name, doubled, number), "a line")
    dialogue_id = thing.get("dialogue_id")
    if type(dialogue_id) is int:
        dialogue_id = str(dialogue_id)
    if not isinstance(dialogue_id, str):
        raise InputError("dialogue_id must be a string or a whole number")
    with placing(dialogue=dialogue_id):
        turns = as_list(thing.get("turns"), "turns")
        yes_no.dialogue = dialogue_id
        tracker = source.tracker
        key = f"pred:{tracker}" if tracker else "pred"
        if tracker and turns and not any(isinstance(turn, dict) and key in turn for turn in turns):
            raise InputError(f"no states of a tracker called {one_line(tracker)!r}; {_trackers_of(turns)}")
        read = [_turn(position, turn, key, yes_no) for position, turn in enumerate(turns)]
        if doubled:
            raise duplicate_key(doubled[0])
        return dialogue(dialogue_id, add_utterances(read, parse_talk_line(thing).talk) if "talk" in thing else read)


def _trackers_of(turns: list[Any]) -> str:
    keys = {key for turn in turns if isinstance(turn, dict) for key in turn if key.startswith("pred:")}
    names = ", ".join(sorted(one_line(key.removeprefix("pred:")) for key in keys))
    return f"there are: {names}" if names else "the dialogue holds one tracker, without a name"


def _turn(position: int, thing: Any, key: str, yes_no: YesNo) -> Turn:
    try:
        turn = as_mapping(thing, "a turn")
        yes_no.turn = turn.get("turn", position)
        return Turn(
            turn_number(turn.get("turn", position)),
            flat_state(turn.get("gold"), yes_no),
            flat_state(turn.get(key), yes_no),
            as_text(turn.get("user"), "user"),
            as_text(turn.get("system"), "system"),
            _frames(turn["frames"]) if "frames" in turn else None,
        )
    except InputError as error:
        at = thing.get("turn", position) if isinstance(thing, dict) else position
        raise error.at(turn=at) from None


def _frames(thing: Any) -> dict[str, Frame] | None:
    """Intents and requested slots by service, from the schema-guided format."""
    try:
        return None if thing is None else msgspec.convert(thing, dict[str, Frame])
    except msgspec.ValidationError as error:
        raise InputError(f"frames: {str(error).replace('`', '')}") from None


def write(dialogues: Iterable[Dialogue], file: BinaryIO) -> int:
    """Writes dialogues as native JSON lines and returns their number.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> write([Dialogue("d1", (Turn(0, gold={"hotel-area": ("east", "west")}),))], file)
        1
        >>> file.getvalue()
        b'{"dialogue_id":"d1","turns":[{"turn":0,"gold":{"hotel-area":["east","west"]}}]}\\n'
    """
    count = 0
    for count, found in enumerate(dialogues, 1):  # noqa: B007
        file.write(encode_dialogue(found))
    return count


_encode = msgspec.json.Encoder().encode


def encode_dialogue(found: Dialogue) -> bytes:
    """The line of a dialogue.

    Example:
        >>> encode_dialogue(Dialogue("d1", (Turn(0, pred={}),)))
        b'{"dialogue_id":"d1","turns":[{"turn":0,"pred":{}}]}\\n'
    """
    return _encode({"dialogue_id": found.id, "turns": [turn_to_dict(turn) for turn in found.turns]}) + b"\n"


def turn_to_dict(turn: Turn) -> dict[str, Any]:
    """A turn with what it holds, before it is encoded.

    Example:
        >>> turn_to_dict(Turn(0, pred={}, user="hello"))
        {'turn': 0, 'pred': {}, 'user': 'hello'}
    """
    written: dict[str, Any] = {"turn": turn.number}
    if turn.gold is not None:
        written["gold"] = dict(turn.gold)
    if turn.pred is not None:
        written["pred"] = dict(turn.pred)
    if turn.user:
        written["user"] = turn.user
    if turn.system:
        written["system"] = turn.system
    if turn.frames is not None:
        written["frames"] = {service: msgspec.to_builtins(frame) for service, frame in turn.frames.items()}
    return written


class TalkLine(Struct, gc=False, omit_defaults=True):
    """A line with the moves of both speakers."""

    dialogue_id: str
    talk: tuple[Move, ...]
    goal: dict[str, DomainGoal] | None = None
    cut: bool = False
    turns: Any = None


_TALK_LINES = DialogueType(TalkLine, "talk")


def _detect_conversation(sample: Sample) -> bool:
    return sample.kind == "lines" and {"dialogue_id", "talk"} <= sample.value.keys()


def _conversation(item: tuple[int, bytes]) -> Conversation:
    number, line = item
    found = _TALK_LINES.decode(line)
    if found is None:
        with placing(line=number):
            found = _strict_line(line, number)
    return Conversation(found.dialogue_id, found.talk, found.goal, found.cut)


def _strict_line(line: bytes, number: int) -> TalkLine:
    doubled: list[Doubled] = []
    found = parse_talk_line(as_mapping(parse_json(line, None, doubled, number), "a line"))
    if doubled:
        raise duplicate_key(doubled[0]).at(dialogue=found.dialogue_id)
    return found


def parse_talk_line(line: Mapping[str, Any]) -> TalkLine:
    """The moves of both speakers on a line, as commands on trackers, users and judges read them.

    Raises:
        InputError: it is not as it should be, with the dialogue and the place of the move.

    Example:
        >>> parse_talk_line({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": 3}]})
        Traceback (most recent call last):
        dialmeter.errors.InputError: dialogue d1, turn 0: talk[0].text must be a string, found a whole number
    """
    for domain, inside in goal.items() if isinstance(goal := line.get("goal"), dict) else ():
        for part in CONSTRAINT_PARTS if isinstance(inside, dict) else ():
            for slot, value in pairs.items() if isinstance(pairs := inside.get(part), dict) else ():
                if value is None:
                    name = line.get("dialogue_id")
                    raise null_goal_value(domain, slot).at(dialogue=name if isinstance(name, str) else None)
    return _TALK_LINES.convert(line)


def add_utterances(turns: Sequence[Turn], talk: Iterable[Move]) -> list[Turn]:
    """The turns, each with the utterances of system and user from the talk, where the turn itself has none.

    Args:
        turns: in order; the i-th belongs to the i-th move of the user.
        talk: the moves of both speakers.

    Example:
        >>> talk = [Move("user", "hi"), Move("system", "yes?"), Move("user", "bye")]
        >>> [(turn.system, turn.user) for turn in add_utterances([Turn(0), Turn(1)], talk)]
        [('', 'hi'), ('yes?', 'bye')]
    """
    said = _exchanges(talk)
    return [
        structs.replace(turn, system=said[turn.number][0], user=said[turn.number][1])
        if turn.number < len(said) and not (turn.user or turn.system)
        else turn
        for turn in turns
    ]


def _exchanges(talk: Iterable[Move]) -> list[tuple[str, str]]:
    """The texts of the system before each move of the user, and of the user."""
    found = []
    system = ""
    for move in talk:
        if move.speaker == USER:
            found.append((system, move.text))
            system = ""
        elif move.speaker == SYSTEM:
            system = move.text
    return found


def conversation_to_dict(talk: Conversation) -> dict[str, Any]:
    """The line of a conversation, before it is encoded.

    Example:
        >>> from dialmeter.model import Move
        >>> conversation_to_dict(Conversation("d1", (Move("user", "hello"),)))
        {'dialogue_id': 'd1', 'talk': [{'speaker': 'user', 'text': 'hello'}]}
    """
    line: dict[str, Any] = {"dialogue_id": talk.id}
    if talk.goal is not None:
        line["goal"] = msgspec.to_builtins(talk.goal)
    if talk.cut:
        line["cut"] = True
    return {**line, "talk": [msgspec.to_builtins(move) for move in talk.moves]}


CONVERSATIONS = ConversationReader(
    """dialmeter's own JSON lines, one dialogue per line.

``{"dialogue_id": "..", "goal": {..}, "talk": [{"speaker": "user", "text": "..", "acts": [{"name": "Hotel-Inform",
"service": "hotel", "slot": "area", "values": ["east"]}], "understood": [..], "requested": {"hotel": ["hotel-phone"]}}]}``

``goal`` is by domain, with any of ``info``, ``fail_info``, ``book``, ``fail_book`` (slot → value) and ``requests`` (a list
of slots). Only ``dialogue_id`` and, per move, ``speaker`` are required. ``cut`` says that the dialogue ended at a limit.
The same line may have ``turns`` with belief states, which trackers are scored on (see the format ``native`` of states).
    """,
    "text, acts, what was understood, goals; JSON lines, streamed",
    _detect_conversation,
    Source.lines,
    _conversation,
)


def _detect_utterances(sample: Sample) -> bool:
    if sample.kind != "lines" or "talk" in sample.value or "dialogue_id" not in sample.value:
        return False
    turn = first_mapping(sample.value.get("turns"))
    return bool(turn) and "speaker" not in turn


def _utterances(item: Entry) -> Conversation:
    return item.conversation("dialogue_id", "turns", _spoken)


def _spoken(place: int, thing: Any) -> Iterator[Move]:
    turn = as_mapping(thing, "a turn")
    said = ((who, as_text(turn.get(who), who)) for who in (SYSTEM, USER))
    yield from (Move(who, text) for who, text in said if text)


UTTERANCES = ConversationReader(
    """dialmeter's own lines of belief states, read for their utterances: the format ``native`` of trackers.

``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {..}, "system": "", "user": "hello"}]}``

In a turn the system speaks before the user. What is empty was not said. Lines with ``talk`` are read by the format ``native``.
    """,
    "text of files with belief states; JSON lines, streamed",
    _detect_utterances,
    entries,
    _utterances,
)
