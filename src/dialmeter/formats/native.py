"""dialmeter's own JSON lines, one dialogue per line: the fast path.

``{"dialogue_id": "..", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {...}, "user": "..", "system": ".."}]}``

Turns may also have ``frames``: ``{service: {"gold_intent": "..", "pred_intent": "..", "gold_requested": [..], "pred_requested": [..]}}``.
Further trackers stand beside ``pred`` as ``pred:NAME`` and are read as ``FILE#NAME``. Where the line has ``talk`` (the moves
of both speakers, as users and judges are measured on), the utterances of a turn are taken from there if it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Protocol, TypeAlias

import msgspec
from msgspec import Raw, Struct

from ..errors import InputError, one_line
from ..model import Dialogue, Frame, State, Turn
from . import Role
from .parts import Once, as_list, as_mapping, as_text, dialogue, flat_state, turn_number
from .slot_names import slot_namer
from .source import Sample, Source, parse_document
from .talk import with_talk

HOLDS = "both"
CARRIES = "gold and predicted states, utterances; JSON lines, streamed"


def detect(sample: Sample) -> bool:
    value = sample.value
    return sample.kind == "lines" and {"dialogue_id", "turns"} <= value.keys()


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    return _each_line(source, lambda number, line: _dialogue(line, source.name, number, source.tracker))


class Identified(Protocol):
    """Whatever is made of a line, it has the dialogue's name."""

    @property
    def id(self) -> str: ...


Swift: TypeAlias = Callable[[bytes], Identified | None]
"""Makes something of a line, or nothing."""


def _each_line(
    source: Source, parse: Callable[[int, bytes], Identified], swift: Swift = lambda line: None
) -> Iterator[Any]:
    once = Once()
    for number, line in source.lines():
        try:
            found = swift(line) or parse(number, line)
            once.check(found.id)
        except InputError as error:
            raise error.at(line=number) from None
        yield found


def _dialogue(line: bytes, name: str, number: int, tracker: str = "") -> Dialogue:
    thing = as_mapping(parse_document(line, name, [], number), "a line")
    dialogue_id = thing.get("dialogue_id")
    if not isinstance(dialogue_id, str):
        raise InputError("dialogue_id must be a string")
    try:
        turns = as_list(thing.get("turns"), "turns")
        key = f"pred:{tracker}" if tracker else "pred"
        if tracker and turns and not any(isinstance(turn, dict) and key in turn for turn in turns):
            raise InputError(f"no states of a tracker called {one_line(tracker)!r}; {_trackers_of(turns)}")
        read = [_turn(position, turn, key) for position, turn in enumerate(turns)]
        return dialogue(dialogue_id, with_talk(read, thing.get("talk")))
    except InputError as error:
        raise error.at(dialogue=dialogue_id) from None


def _trackers_of(turns: list[Any]) -> str:
    keys = {key for turn in turns if isinstance(turn, dict) for key in turn if key.startswith("pred:")}
    names = ", ".join(sorted(one_line(key.removeprefix("pred:")) for key in keys))
    return f"there are: {names}" if names else "the dialogue holds one tracker, without a name"


def _turn(position: int, thing: Any, key: str) -> Turn:
    try:
        turn = as_mapping(thing, "a turn")
        number = turn_number(turn.get("turn", position))
        return Turn(
            number=number,
            gold=flat_state(turn["gold"]) if turn.get("gold") is not None else None,
            pred=flat_state(turn[key]) if turn.get(key) is not None else None,
            user=as_text(turn.get("user"), "user"),
            system=as_text(turn.get("system"), "system"),
            frames=_frames(turn.get("frames")),
        )
    except InputError as error:
        at = thing.get("turn", position) if isinstance(thing, dict) else position
        raise error.at(turn=at) from None


def _frames(thing: Any) -> dict[str, Frame] | None:
    """What the schema-guided layout says beside the states: intents and requested slots by service."""
    try:
        return msgspec.convert(thing, dict[str, Frame] | None)
    except msgspec.ValidationError as error:
        raise InputError(f"frames: {str(error).replace('`', '')}") from None


class LightTurn(Struct, gc=False):
    """A turn whose parts are still bytes: most states repeat the one before and need no decoding."""

    number: int = msgspec.field(name="turn")
    gold: Raw = msgspec.field(default=Raw(b""))
    pred: Raw = msgspec.field(default=Raw(b""))
    user: Raw = msgspec.field(default=Raw(b""))
    system: Raw = msgspec.field(default=Raw(b""))


class LightDialogue(Struct, gc=False):
    """A dialogue of light turns, in order."""

    id: str = msgspec.field(name="dialogue_id")
    turns: list[LightTurn]


def read_light(source: Source, swift: Swift = lambda line: None) -> Iterator[Any]:
    """As ``read``, without utterances and with states left as bytes; a line that is not plain is read in full.

    Args:
        source: the file.
        swift: is asked first, and may make something else of a line.
    """
    decode = msgspec.json.Decoder(LightDialogue).decode

    def light(number: int, line: bytes) -> LightDialogue | Dialogue:
        try:
            found = decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return _dialogue(line, source.name, number)
        return found if _is_plain(line, found) else _dialogue(line, source.name, number)

    return _each_line(source, light, swift)


_FRAME = len('{"dialogue_id":"","turns":[]}\n')
_TURN = len('{"turn":0,"gold":,"pred":},')
_USER = len(',"user":')
_BLANKS, _TURN_BLANKS = 2, 6
_SYSTEM = len(',"system":')


def _is_plain(line: bytes, found: LightDialogue) -> bool:
    """Are the turns numbered in order, and does no key stand twice? The second would hide what stands first.

    What was found has a least length. A line that is as long, or longer by one blank after each comma and colon, has no
    room for anything else, so that only other lines have to be searched.
    """
    length = _FRAME - 1 + len(found.id)
    for number, turn in enumerate(found.turns):
        gold, pred, user, system = turn.gold, turn.pred, turn.user, turn.system
        if turn.number != number or not gold or not pred:
            return False
        length += _TURN + len(gold) + len(pred)
        if user:
            length += _USER + len(user)
        if system:
            length += _SYSTEM + len(system)
    count = len(found.turns)
    length += max(0, count - 10)
    if length == len(line):
        return True
    talk = sum(bool(turn.user) + bool(turn.system) for turn in found.turns)
    if length + _BLANKS + _TURN_BLANKS * count + 2 * talk == len(line):
        return True
    return line.count(b'"gold"') == line.count(b'"pred"') == count > 0 and line.count(b'"turns"') == 1


class StateDecoder:
    """Decodes the states of light turns; slots in other spellings, numbers, lists and doubled keys take the slow way.

    Example:
        >>> decode = StateDecoder().decode
        >>> decode(Raw(b'{"hotel-book day": "sunday", "hotel-stars": 4}'))
        {'hotel-day': 'sunday', 'hotel-stars': '4'}
    """

    def __init__(self) -> None:
        self.fast: Callable[[bytes | Raw], dict[str, str]] = msgspec.json.Decoder(dict[str, str]).decode
        self.named: set[str] = set()
        self._name_of = slot_namer()

    def is_named(self, slot: str) -> bool:
        """Is a slot named as it should be?"""
        return self._name_of(slot) == slot

    def decode(self, raw: Raw) -> State | None:
        """The state, or None where the file gives none.

        Raises:
            InputError: not a state.
        """
        if bytes(raw) in (b"", b"null"):
            return None
        try:
            state = self.fast(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return self.decode_closely(raw)
        # Four quotation marks a pair: otherwise a key stands twice, or something is escaped.
        if self.named.issuperset(state) and bytes(raw).count(b'"') == 4 * len(state):
            return state
        return self.decode_closely(raw)

    def decode_closely(self, raw: bytes | Raw) -> State:
        """The state with every slot looked at; slots that are named as they should be are remembered.

        Raises:
            InputError: not a state.
        """
        state = flat_state(parse_document(bytes(raw), None, []))
        self.named.update(filter(self.is_named, state))
        return state


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
