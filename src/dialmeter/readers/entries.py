"""What the JSON layouts of talk share: one dialogue after the other from a document or from JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from ..errors import InputError, one_line, placing
from ..model import SYSTEM, USER, Conversation, Goal, Move
from .parts import as_mapping, as_text
from .source import Sample, Source
from .strict_json import parse_unique

_USERS = frozenset({"user", "usr", "customer", "human"})
_SYSTEMS = frozenset({"system", "sys", "assistant", "agent", "bot"})


class Entry(NamedTuple):
    """One dialogue of a file, unread: bytes where it is a line of its own, else as the document holds it."""

    name: str
    """Its place in the file, counted from 1, which is its id where it has none."""
    thing: Any
    line: int | None = None
    file: str | None = None

    def parsed(self) -> Any:
        """The JSON of the dialogue.

        Raises:
            InputError: the line is not valid JSON.
        """
        return self.thing if self.line is None else parse_unique(self.thing, None, self.line)

    def mapping(self) -> Mapping[str, Any]:
        """The dialogue as an object.

        Raises:
            InputError: it is none.
        """
        return as_mapping(self.parsed(), f"dialogue {self.name}")

    def placing(self) -> AbstractContextManager[None]:
        """Adds the place of this dialogue to errors that do not know it."""
        return placing(file=self.file, line=self.line, dialogue=self.name)


def entries(source: Source) -> Iterator[Entry]:
    """The dialogues of a file, be it one document or JSON lines. A document that is no list is one dialogue."""
    if source.sample.kind in ("lines", "lists"):
        for place, (number, line) in enumerate(source.lines(), 1):
            yield Entry(str(place), line, number)
        return
    document = source.document
    for place, thing in enumerate(document if isinstance(document, list) else [document], 1):
        yield Entry(str(place), thing)


def first_entry(sample: Sample) -> Mapping[str, Any]:
    """The first dialogue of a sample if it is an object, for detection; empty otherwise."""
    value = sample.value if sample.kind in ("lines", "document") else None
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, dict) else {}


def first_of(thing: Any) -> Mapping[str, Any]:
    """The first of a list if it is an object, for detection; empty otherwise."""
    first = thing[0] if isinstance(thing, list) and thing else None
    return first if isinstance(first, dict) else {}


def id_under(entry: Mapping[str, Any], key: str) -> str:
    """The id that a dialogue must have.

    Raises:
        InputError: there is none.
    """
    found = entry.get(key)
    if not isinstance(found, str):
        raise InputError(f"{key} must be a string")
    return found


def speaker(written: Any) -> str:
    """The name of a speaker: ``user`` and ``system`` however they are written, other names as they are.

    Raises:
        InputError: no name.

    Example:
        >>> speaker("USER"), speaker("Assistant"), speaker("Ann")
        ('user', 'system', 'Ann')
    """
    name = as_text(written, "speaker").strip()
    if not name:
        raise InputError("a turn without a speaker")
    return USER if name.lower() in _USERS else SYSTEM if name.lower() in _SYSTEMS else name


def user_or_system(written: Any) -> str:
    """The speaker of a task dialogue.

    Raises:
        InputError: somebody else.
    """
    name = speaker(written)
    if name not in (USER, SYSTEM):
        raise InputError(f"speaker must be USER or SYSTEM, found {one_line(name, 40)!r}")
    return name


def taking_turns(texts: Iterable[str], speakers: tuple[str, str] = ("A", "B")) -> Iterator[Move]:
    """Moves of two speakers one after the other.

    Example:
        >>> [move.speaker for move in taking_turns(["hi", "hello", "bye"])]
        ['A', 'B', 'A']
    """
    for place, text in enumerate(texts):
        yield Move(speakers[place % 2], text)


def moves_of(turns: Iterable[Any], read: Callable[[int, Any], Iterable[Move]]) -> Iterator[Move]:
    """The moves of all turns.

    Args:
        turns: as the file has them.
        read: gives the moves of a turn, from its place and what stands there.

    Raises:
        InputError: a turn is not as it should be, with its place.
    """
    for place, turn in enumerate(turns):
        try:
            yield from read(place, turn)
        except InputError as error:
            raise error.at(turn=place) from None


def talk(dialogue: str, moves: Iterable[Move], goal: Goal | None = None) -> Conversation:
    """A conversation in which something is said.

    Raises:
        InputError: nothing is.
    """
    found = tuple(moves)
    if not found:
        raise InputError("a dialogue in which nobody says anything")
    return Conversation(dialogue, found, goal)
