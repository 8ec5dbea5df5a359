"""Shared parts of conversation readers: undecoded dialogues of documents, JSON lines and texts; speakers and moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..errors import InputError, one_line, placing
from ..model import SYSTEM, USER, Conversation, Goal, Move
from .records.names import party_of
from .source import Sample, Source
from .strict_json import parse_unique
from .unrecognised_input import not_utf8
from .validation import as_list, as_mapping, as_text, as_type

MovesReader: TypeAlias = Callable[[int, Any], Iterable[Move]]
"""A function that yields the moves of a turn, given its position and the undecoded turn."""


class TurnType(Protocol):
    """A type of turns: a msgspec struct."""

    def moves(self) -> Iterable[Move]:
        """Yield the moves of the turn."""


class Entry(NamedTuple):
    """One undecoded dialogue of a file: the bytes of a line, or an element of the document."""

    name: str
    """Its position in the file, counted from 1. It is the id of a dialogue that has no id."""
    value: Any
    line: int | None = None
    file: str | None = None
    context: Any = None
    """What the reader of the format knows in addition, such as the file of acts."""

    def parsed(self) -> Any:
        """Return the dialogue as parsed JSON.

        Raises:
            InputError: the line is not valid JSON.
        """
        return self.value if self.line is None else parse_unique(self.value, None, self.line)

    def placing(self) -> AbstractContextManager[None]:
        """Context manager that adds the place of this dialogue to errors without a place."""
        return placing(file=self.file, line=self.line, dialogue=self.name)

    @contextmanager
    def opened(self, id_key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Context manager that gives the dialogue and its id, and adds the place of the dialogue to errors.

        Raises:
            InputError: the dialogue is not an object, or has no id.
        """
        with self.placing():
            entry = as_mapping(self.parsed(), f"dialogue {self.name}")
            name = entry.get(id_key)
            if not isinstance(name, str):
                raise InputError(f"{id_key} must be a string")
            with placing(dialogue=name or None):
                yield name, entry

    def conversation(
        self, id_key: str, turns_key: str, kind: type[TurnType], goal: Callable[[Any], Goal] | None = None
    ) -> Conversation:
        """Decode the dialogue.

        Args:
            id_key: the key of the id.
            turns_key: the key of the turns.
            kind: the type of a turn.
            goal: decodes the value of the key ``goal``.

        Raises:
            InputError: the dialogue is invalid.
        """
        with self.opened(id_key) as (name, entry):
            decoded = None if goal is None or entry.get("goal") is None else goal(entry["goal"])
            turns = as_list(entry.get(turns_key), turns_key)
            moves = read_moves(turns, lambda _, turn: as_type(turn, kind, "a turn").moves())
            return make_conversation(name, moves, decoded)


def entries(source: Source) -> Iterator[Entry]:
    """Yield the dialogues of a document or of a JSON lines file. A document that is not a list is one dialogue."""
    if source.sample.kind in ("lines", "lists"):
        for place, (number, line) in enumerate(source.lines(), 1):
            yield Entry(str(place), line, number)
        return
    document = source.document
    for place, value in enumerate(document if isinstance(document, list) else [document], 1):
        yield Entry(str(place), value)


class Passage(NamedTuple):
    """The undecoded, numbered lines of one dialogue in a text file. Its name is its position, counted from 1."""

    name: str
    lines: list[tuple[int, bytes]]

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield the decoded lines with their numbers.

        Raises:
            InputError: a line is not UTF-8.
        """
        for number, line in self.lines:
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(not_utf8(error), line=number, dialogue=self.name) from None


def passages(source: Source) -> Iterator[Passage]:
    """Yield the passages of a text, which are separated by blank lines."""
    count, last = 0, 0
    lines: list[tuple[int, bytes]] = []
    for number, line in _nonblank_lines(source):
        if lines and number > last + 1:
            count += 1
            yield Passage(str(count), lines)
            lines = []
        lines.append((number, line))
        last = number
    if lines:
        yield Passage(str(count + 1), lines)


def single_lines(source: Source) -> Iterator[Passage]:
    """Yield every line that is not blank as a passage."""
    for count, line in enumerate(_nonblank_lines(source), 1):
        yield Passage(str(count), [line])


def _nonblank_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    # Source.lines removes the byte order mark, which may leave a blank first line.
    return ((number, line) for number, line in source.lines() if line.strip())


def first_entry(sample: Sample) -> Mapping[str, Any]:
    """Return the first dialogue of a sample if it is an object, for detection; otherwise an empty mapping."""
    value = sample.value if sample.kind in ("lines", "document") else None
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, dict) else {}


def speaker(written: Any) -> str:
    """Normalise the name of a speaker to ``user`` or ``system``. Other names are unchanged.

    Raises:
        InputError: the name is empty.

    Example:
        >>> speaker("USER"), speaker("Support Bot"), speaker("Ann"), speaker("A")
        ('user', 'system', 'Ann', 'A')
    """
    name = as_text(written, "speaker").strip()
    if not name:
        raise InputError("a turn without a speaker")
    return {"user": USER, "system": SYSTEM}.get(party_of(name) if len(name) > 1 else "", name)


def user_or_system(written: Any) -> str:
    """Normalise the speaker of a task dialogue.

    Raises:
        InputError: the speaker is neither the user nor the system.
    """
    name = speaker(written)
    if name not in (USER, SYSTEM):
        raise InputError(f"speaker must be USER or SYSTEM, found {one_line(name, 40)!r}")
    return name


def alternate_speakers(texts: Iterable[str]) -> Iterator[Move]:
    """Yield moves of two speakers, A and B, who take turns.

    Example:
        >>> [move.speaker for move in alternate_speakers(["hi", "hello", "bye"])]
        ['A', 'B', 'A']
    """
    for place, text in enumerate(texts):
        yield Move(("A", "B")[place % 2], text)


def read_moves(turns: Iterable[Any], read: MovesReader) -> Iterator[Move]:
    """Yield the moves of all turns.

    Args:
        turns: the undecoded turns.
        read: yields the moves of a turn, given its position and the turn.

    Raises:
        InputError: an invalid turn, with its position.
    """
    for place, turn in enumerate(turns):
        with placing(turn=place):
            yield from read(place, turn)


def make_conversation(dialogue: str, moves: Iterable[Move], goal: Goal | None = None, task: str = "") -> Conversation:
    """Make a conversation of at least one move.

    Raises:
        InputError: there are no moves.
    """
    all_moves = tuple(moves)
    if not all_moves:
        raise InputError("a dialogue without utterances")
    return Conversation(dialogue, all_moves, goal, task=task)
