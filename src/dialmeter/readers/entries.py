"""Parts of readers of talk: the dialogues of a document, of JSON lines or of a text, speakers and moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, TypeAlias

from ..errors import InputError, one_line, placing
from ..model import SYSTEM, USER, Conversation, Goal, Move
from .parts import as_list, as_mapping, as_text
from .source import Sample, Source
from .strict_json import parse_unique

_USERS = frozenset({"user", "usr", "customer", "human"})
_SYSTEMS = frozenset({"system", "sys", "assistant", "agent", "bot"})


MovesReader: TypeAlias = Callable[[int, Any], Iterable[Move]]
"""Gives the moves of a turn, from its place and the turn."""


class Entry(NamedTuple):
    """One dialogue of a file, undecoded: bytes where it is a line, else an element of the document."""

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

    def placing(self) -> AbstractContextManager[None]:
        """Adds the place of this dialogue to errors that do not know it."""
        return placing(file=self.file, line=self.line, dialogue=self.name)

    @contextmanager
    def opened(self, id_key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The id of the dialogue, which it has under this key, and the dialogue; adds its place to errors.

        Raises:
            InputError: it is no object, or has no id.
        """
        with self.placing():
            entry = as_mapping(self.parsed(), f"dialogue {self.name}")
            name = entry.get(id_key)
            if not isinstance(name, str):
                raise InputError(f"{id_key} must be a string")
            with placing(dialogue=name or None):
                yield name, entry

    def conversation(
        self, id_key: str, turns_key: str, read: MovesReader, goal: Callable[[Any], Goal] | None = None
    ) -> Conversation:
        """The dialogue, decoded.

        Args:
            id_key: the key of its id.
            turns_key: the key of its turns.
            read: gives the moves of a turn.
            goal: decodes what it has under ``goal``.

        Raises:
            InputError: it is not as it should be.
        """
        with self.opened(id_key) as (name, entry):
            wanted = None if goal is None or entry.get("goal") is None else goal(entry["goal"])
            return talk(name, moves_of(as_list(entry.get(turns_key), turns_key), read), wanted)


def entries(source: Source) -> Iterator[Entry]:
    """The dialogues of a file, be it one document or JSON lines. A document that is no list is one dialogue."""
    if source.sample.kind in ("lines", "lists"):
        for place, (number, line) in enumerate(source.lines(), 1):
            yield Entry(str(place), line, number)
        return
    document = source.document
    for place, thing in enumerate(document if isinstance(document, list) else [document], 1):
        yield Entry(str(place), thing)


class Passage(NamedTuple):
    """The lines of one dialogue of a text file, undecoded, with their numbers; its name is its place in the file, counted from 1."""

    name: str
    lines: list[tuple[int, bytes]]

    def texts(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers.

        Raises:
            InputError: a line is not UTF-8.
        """
        for number, line in self.lines:
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"not UTF-8 text (byte {error.start})", line=number, dialogue=self.name) from None


def passages(source: Source) -> Iterator[Passage]:
    """The runs of lines between blank ones."""
    count, last = 0, 0
    lines: list[tuple[int, bytes]] = []
    for number, line in _filled(source):
        if lines and number > last + 1:
            count += 1
            yield Passage(str(count), lines)
            lines = []
        lines.append((number, line))
        last = number
    if lines:
        yield Passage(str(count + 1), lines)


def single_lines(source: Source) -> Iterator[Passage]:
    """Every line that is not blank, as a passage."""
    for count, line in enumerate(_filled(source), 1):
        yield Passage(str(count), [line])


def _filled(source: Source) -> Iterator[tuple[int, bytes]]:
    # A first line that holds nothing but a byte order mark is blank once the mark is off.
    return ((number, line) for number, line in source.lines() if line.strip())


def first_entry(sample: Sample) -> Mapping[str, Any]:
    """The first dialogue of a sample if it is an object, for detection; empty otherwise."""
    value = sample.value if sample.kind in ("lines", "document") else None
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, dict) else {}


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


def taking_turns(texts: Iterable[str]) -> Iterator[Move]:
    """Moves of two speakers, A and B, who take turns.

    Example:
        >>> [move.speaker for move in taking_turns(["hi", "hello", "bye"])]
        ['A', 'B', 'A']
    """
    for place, text in enumerate(texts):
        yield Move(("A", "B")[place % 2], text)


def moves_of(turns: Iterable[Any], read: MovesReader) -> Iterator[Move]:
    """The moves of all turns.

    Args:
        turns: as the file has them.
        read: gives the moves of a turn, from its place and the turn.

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
