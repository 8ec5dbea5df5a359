"""Files of conversations, for measuring users and judges, and logs of agents, for measuring systems.

A conversation is text, and acts and goals if the file has them. A log also has tool calls and rewards.

The formats are listed in :mod:`dialmeter.readers.formats`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from ..errors import DialmeterError, InputError
from ..model import Conversation, Trajectory
from ..registry import Registry
from .content import content_of_source
from .formats import CONVERSATION_FORMATS, LOG_FORMATS, OpenFile, find_format, split_format
from .layouts.goals import GoalFile
from .raw_file import is_stream
from .source import Sample, Source, Span, spans
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
    goal_file = None if goals is None else GoalFile(goals)
    source = Source(path)
    name = _format_of(source, CONVERSATION_FORMATS, format, "dialogue format", "dialogues")
    return Conversations(source, name, goal_file)


def _format_of(source: Source, formats: Registry, format: str | None, noun: str, topic: str) -> str:
    """Return the name of the given or detected format, and keep the columns that come with it."""
    name, source.fields = split_format(format) if format is not None else ("", {})
    if name and not getattr(formats.load(name), "NAMED_FIELDS", False) and source.fields:
        raise DialmeterError(f"--columns has no meaning for the format {name}")
    return find_format(source, formats, name or None, noun, topic)


_CHAT = "chat"
"""The format of lists of messages, which are logs if they have outcomes or calls of tools."""
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
    if format is not None and (format := split_format(format)[0]):
        return format in LOG_FORMATS.names() or (unknown and format not in CONVERSATION_FORMATS.names())
    if is_stream(str(path)):
        return unknown
    source = Source(path)
    try:
        sample = source.sample
        if no_data(sample):
            return unknown
        log, conversation = (
            next((name for name in formats.builtin() if formats.load(name).detect(sample)), None)
            for formats in (LOG_FORMATS, CONVERSATION_FORMATS)
        )
        is_log_format = log is not None and (log != _CHAT or content_of_source(source) == "system")
    except InputError:
        return unknown
    finally:
        source.close()
    return is_log_format or (unknown and conversation is None)


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
    source = Source(path)
    return Trajectories(source, _format_of(source, LOG_FORMATS, format, "log format", "logs"))


_BENCHMARKS = ("tau-bench", "tau2-bench", "inspect")


def log_in_memory(data: Any) -> list[Trajectory] | None:
    """Return the dialogues of a log of a benchmark that was parsed before; None for other data.

    Raises:
        InputError: a dialogue is invalid.

    Example:
        >>> [each.id for each in log_in_memory([{"task_id": 7, "trial": 0, "reward": 1.0, "traj": []}])]
        ['7:0']
    """
    sample = Sample("document", data)
    is_parsed = isinstance(data, list | dict)
    if not is_parsed or not any(LOG_FORMATS.load(name).detect(sample) for name in _BENCHMARKS):
        return None
    with TemporaryDirectory(prefix="dialmeter-") as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps(data), "utf-8")
        log = open_trajectories(path)
        found = list(log)
    for error in log.refused:
        raise InputError(error.message, file="data", dialogue=error.dialogue, turn=error.turn)
    return found
