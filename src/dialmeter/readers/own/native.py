"""dialmeter's own JSON lines, one dialogue per line: the fast path.

``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {...}, "user": "..", "system": ".."}]}``

Turns may also have ``frames``: ``{service: {"gold_intent": "..", "pred_intent": "..", "gold_requested": [..], "pred_requested": [..]}}``.
Further trackers stand beside ``pred`` as ``pred:NAME`` and are read as ``FILE#NAME``. Where the line has ``talk`` (the moves
of both speakers, as users and judges are measured on), the utterances of a turn are taken from there if it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from ...errors import InputError, one_line
from ...model import Dialogue, Frame, State, Turn
from ..pairs.raw_turns import make_raw_turn, number_raw
from ..pairs.state_layouts import FLAT
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import Once, Role, as_list, as_mapping, as_text, dialogue, turn_number
from ..source import Sample, Source
from ..strict_json import REFUSALS, Doubled, parse_json
from .talk import talk_line, with_talk

STATES = FLAT
HOLDS = "both"
CARRIES = "gold and predicted states, utterances; JSON lines, streamed"


def detect(sample: Sample) -> bool:
    value = sample.value
    return sample.kind == "lines" and {"dialogue_id", "turns"} <= value.keys()


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    once = Once()
    words = source.vocabulary or Vocabulary()
    for number, line in source.lines():
        source.line = number
        try:
            found = _numbered(line, source, number, words) or _dialogue(line, source, number)
            once.check(found.id)
        except InputError as error:
            raise error.at(line=number) from None
        yield found


_RawTurn = make_raw_turn("turn", "gold", "pred", "user", "system")


class _RawLine(Struct, gc=False):
    id: str = msgspec.field(name="dialogue_id")
    turns: list[_RawTurn]  # type: ignore[valid-type]


_decode = msgspec.json.Decoder(_RawLine).decode
_STRINGS = 3
"""Of a line, beside those in its turns."""


def _numbered(line: bytes, source: Source, number: int, words: Vocabulary) -> PairDialogue | None:
    """The dialogue of a line that says nothing unusual."""
    if source.tracker:
        return None
    try:
        found = _decode(line)
    except REFUSALS:
        return None
    return number_raw(line, found, _STRINGS, (words, FLAT, source.name, number))


def _dialogue(line: bytes, source: Source, number: int) -> Dialogue:
    doubled: list[Doubled] = []
    thing = as_mapping(parse_json(line, source.name, doubled, number), "a line")
    dialogue_id = thing.get("dialogue_id")
    if not isinstance(dialogue_id, str):
        raise InputError("dialogue_id must be a string")
    try:
        turns = as_list(thing.get("turns"), "turns")
        tracker = source.tracker
        key = f"pred:{tracker}" if tracker else "pred"
        if tracker and turns and not any(isinstance(turn, dict) and key in turn for turn in turns):
            raise InputError(f"no states of a tracker called {one_line(tracker)!r}; {_trackers_of(turns)}")
        read = [_turn(position, turn, key) for position, turn in enumerate(turns)]
        if doubled:
            raise InputError(f"the key {one_line(doubled[0].twice)!r} stands twice in one object")
        return dialogue(dialogue_id, with_talk(read, talk_line(thing).talk) if "talk" in thing else read)
    except InputError as error:
        raise error.at(dialogue=dialogue_id) from None


def _trackers_of(turns: list[Any]) -> str:
    keys = {key for turn in turns if isinstance(turn, dict) for key in turn if key.startswith("pred:")}
    names = ", ".join(sorted(one_line(key.removeprefix("pred:")) for key in keys))
    return f"there are: {names}" if names else "the dialogue holds one tracker, without a name"


def _turn(position: int, thing: Any, key: str) -> Turn:
    try:
        turn = as_mapping(thing, "a turn")
        return Turn(
            turn_number(turn.get("turn", position)),
            _state(turn.get("gold")),
            _state(turn.get(key)),
            as_text(turn.get("user"), "user"),
            as_text(turn.get("system"), "system"),
            _frames(turn["frames"]) if "frames" in turn else None,
        )
    except InputError as error:
        at = thing.get("turn", position) if isinstance(thing, dict) else position
        raise error.at(turn=at) from None


def _state(thing: Any) -> State | None:
    return None if thing is None else as_mapping(thing, "a state")


def _frames(thing: Any) -> dict[str, Frame] | None:
    """What the schema-guided layout says beside the states: intents and requested slots by service."""
    try:
        return None if thing is None else msgspec.convert(thing, dict[str, Frame])
    except msgspec.ValidationError as error:
        raise InputError(f"frames: {str(error).replace('`', '')}") from None


def write(dialogues: Iterable[Dialogue], file: BinaryIO) -> int:
    """Writes dialogues as native JSON lines and says how many.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> write([Dialogue("d1", (Turn(0, gold={"hotel-area": ("east", "west")}),))], file)
        1
        >>> file.getvalue()
        b'{"dialogue_id":"d1","turns":[{"turn":0,"gold":{"hotel-area":["east","west"]}}]}\\n'
    """
    encode = msgspec.json.Encoder().encode
    count = 0
    for count, found in enumerate(dialogues, 1):  # noqa: B007
        turns = [_written(turn) for turn in found.turns]
        file.write(encode({"dialogue_id": found.id, "turns": turns}) + b"\n")
    return count


def _written(turn: Turn) -> dict[str, Any]:
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
