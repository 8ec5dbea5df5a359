"""Files of conversations, for measuring users and judges, and logs of agents, for measuring systems.

A conversation is text, and acts and goals if the file has them. A log also has tool calls and rewards.

The formats are listed in :mod:`dialmeter.readers.formats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

from ..errors import InputError
from ..model import Conversation, Trajectory
from ..registry import Registry
from .formats import CONVERSATION_FORMATS, LOG_FORMATS, OpenFile, find_format
from .layouts.goals import GoalFile
from .raw_file import is_stream
from .source import Source, Span, spans
from .unrecognised_input import no_data
from .validation import UniqueIds

Item = TypeVar("Item", Conversation, Trajectory)


class DecodedFile(OpenFile, Generic[Item]):
    """An open file whose dialogues are decoded one at a time. It can be iterated once.

    Attributes:
        refused: errors of the invalid dialogues, which are skipped. Complete when the whole file has been read.
    """

    formats: Registry
    decoder: str
    """The name of the function of the reader that decodes a dialogue."""

    def __init__(self, source: Source, format: str, goals: GoalFile | None = None) -> None:
        super().__init__(source, format)
        self.refused: list[InputError] = []
        self._reader = self.formats.load(format)
        self._goals = goals

    def __iter__(self) -> Iterator[Item]:
        ids = UniqueIds()
        decode = getattr(self._reader, self.decoder)
        with self._source.reading():
            for item in self._reader.items(self._source):
                try:
                    dialogue = decode(item)
                    ids.check(dialogue.id)
                    if self._goals is not None:
                        dialogue = self._goals.apply_to(dialogue)
                except InputError as error:
                    self.refused.append(self._source.add_place(error))
                else:
                    yield dialogue
            self._source.check_keys()
            if self._goals is not None:
                self._source.notices.extend(self._goals.notices())


class Conversations(DecodedFile[Conversation]):
    """An open file of conversations."""

    formats, decoder = CONVERSATION_FORMATS, "conversation"


class Trajectories(DecodedFile[Trajectory]):
    """An open log."""

    formats, decoder = LOG_FORMATS, "trajectory"


def open_conversations(path: str | Path, format: str | None = None, goals: str | Path | None = None) -> Conversations:
    """Open a file of conversations of the given or detected format.

    Args:
        path: a file, a folder, or ``-``.
        format: the name of a format; detected if not given.
        goals: a file of goals by dialogue, in MultiWOZ's format. They replace the goals in the dialogues.

    Raises:
        DialmeterError: unknown format name.
        InputError: the file cannot be read, or its format is unknown.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "talk.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "hello"}]}')
        ...     [(each.id, each.moves[0].text) for each in open_conversations(path)]
        [('d1', 'hello')]
    """
    if format is not None:
        CONVERSATION_FORMATS.load(format)
    goal_file = None if goals is None else GoalFile(goals)
    source = Source(path)
    name = find_format(source, CONVERSATION_FORMATS, format, "dialogue format", "dialogues")
    return Conversations(source, name, goal_file)


_LINE_BY_LINE = frozenset({"native", "states"})
"""Formats whose lines are independent, including the ids. A file can therefore be read from the middle."""


def spans_of(path: str | Path, format: str, goals: str | Path | None = None) -> list[Span]:
    """Return the spans of a file that can be read independently; with a file of goals, one span for the whole file."""
    if format in _LINE_BY_LINE and goals is None and Path(path).is_file():
        return spans(str(path))
    return [Span(str(path))]


def open_span(span: Span, format: str, goals: str | Path | None = None) -> Conversations:
    """Open one span of a file of a known format.

    Raises:
        InputError: the file cannot be read.
    """
    if span.bounds is None:
        return open_conversations(span.path, format, goals)
    return Conversations(Source(span.path, span=span.bounds), format)


def is_log(path: str | Path, format: str | None = None, *, unknown: bool = True) -> bool:
    """Return True if the input is a log of an agent, not a file of dialogues with acts. The format decides.

    Args:
        path: a file or folder.
        format: the name of its format, if given.
        unknown: the result for undecidable input: standard input and pipes, which can be read only once, and files of
            neither kind, for which the reader of the caller then reports the error.

    Example:
        >>> is_log("-"), is_log("-", unknown=False), is_log("talk.jsonl", "native")
        (True, False, False)
    """
    if format is not None:
        return format in LOG_FORMATS.names() or (unknown and format not in CONVERSATION_FORMATS.names())
    if is_stream(str(path)):
        return unknown
    source = Source(path)
    try:
        sample = source.sample
        if no_data(sample):
            return unknown
        is_log_format, is_conversation_format = (
            any(formats.load(name).detect(sample) for name in formats.builtin())
            for formats in (LOG_FORMATS, CONVERSATION_FORMATS)
        )
    except InputError:
        return unknown
    finally:
        source.close()
    return is_log_format or (unknown and not is_conversation_format)


def open_trajectories(path: str | Path, format: str | None = None) -> Trajectories:
    """Open a log of agents of the given or detected format.

    Args:
        path: a file, a folder, or ``-``.
        format: the name of a format; detected if not given.

    Raises:
        DialmeterError: unknown format name.
        InputError: the file cannot be read, or its format is unknown.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "log.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"id": "7", "reward": 1, "messages": [{"role": "user", "content": "hello"}]}')
        ...     [(each.id, each.rewards) for each in open_trajectories(path)]
        [('7:0', {'reward': 1.0})]
    """
    if format is not None:
        LOG_FORMATS.load(format)
    source = Source(path)
    return Trajectories(source, find_format(source, LOG_FORMATS, format, "log format", "logs"))
