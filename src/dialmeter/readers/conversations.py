"""Files of talk: who said what, with acts and goals where the file has them. Users and judges are measured on them.

The formats are listed in :mod:`dialmeter.readers.formats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from ..model import Conversation
from ..renamed import renamed_argument
from .file_spans import Span, spans
from .formats import CONVERSATION_FORMATS, OpenFile, find_format
from .multiwoz.goals import GoalFile
from .parts import UniqueIds
from .source import Source


class Conversations(OpenFile):
    """A file being read: conversations come one by one, once.

    Attributes:
        refused: dialogues that could not be read, each as an error; complete when all is read.
    """

    def __init__(self, source: Source, format: str, goals: GoalFile | None = None) -> None:
        super().__init__(source, format)
        self.refused: list[InputError] = []
        self._reader = CONVERSATION_FORMATS.load(format)
        self._goals = goals

    def __iter__(self) -> Iterator[Conversation]:
        ids = UniqueIds()
        with self._source.reading():
            for item in self._reader.items(self._source):
                try:
                    found = self._reader.conversation(item)
                    ids.check(found.id)
                    if self._goals is not None:
                        found = self._goals.given_to(found)
                except InputError as error:
                    self.refused.append(self._source.placed(error))
                else:
                    yield found
            self._source.check_keys()
            if self._goals is not None:
                self._source.notices.extend(self._goals.notices())


@renamed_argument("form", "format")
def open_conversations(path: str | Path, format: str | None = None, goals: str | Path | None = None) -> Conversations:
    """Opens a file of talk in a format that is named or found.

    Args:
        path: a file, a folder, or ``-``.
        format: the name of a format; detected if not given.
        goals: a file of goals by dialogue, in MultiWOZ's format, which take the place of those in the dialogues.

    Raises:
        DialmeterError: no such format.
        InputError: the file cannot be read, or its format is unknown.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "talk.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "hello"}]}')
        ...     [(talk.id, talk.moves[0].text) for talk in open_conversations(path)]
        [('d1', 'hello')]
    """
    if format is not None:
        CONVERSATION_FORMATS.load(format)
    wanted = None if goals is None else GoalFile(goals)
    source = Source(path)
    name = find_format(
        source,
        CONVERSATION_FORMATS,
        format,
        "not a file of talk that dialmeter knows; see `dialmeter list conversations`, or name its format with --from",
    )
    return Conversations(source, name, wanted)


_LINE_BY_LINE = frozenset({"native", "states"})
"""Formats whose lines are independent, ids included, so that a file can be read from the middle."""


def spans_of(path: str | Path, format: str, goals: str | Path | None = None) -> list[Span]:
    """The spans of a file that can be read independently; with a file of goals, the whole file.

    Args:
        path: the file, or ``-``.
        format: its format.
        goals: a file of goals.
    """
    if format in _LINE_BY_LINE and goals is None and Path(path).is_file():
        return spans(str(path))
    return [Span(str(path))]


def open_span(span: Span, format: str, goals: str | Path | None = None) -> Conversations:
    """Opens a span of a file, of which the format is known.

    Raises:
        InputError: the file cannot be read.
    """
    if span.bounds is None:
        return open_conversations(span.path, format, goals)
    return Conversations(Source(span.path, span=span.bounds), format)
