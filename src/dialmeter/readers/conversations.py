"""Files of talk: who said what, with acts and goals where the file has them. One module per layout.

State trackers need one state per user turn and read their files with :mod:`dialmeter.readers.corpus`; users and judges need every
move of both speakers. A module here has ``CARRIES`` (one line of help), ``detect(sample)``, ``items(source)``, which
gives the dialogues of a file unread, and ``conversation(item)``, which reads one of them. So a dialogue that is not
as it should be is refused alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from ..core.shards import Span, spans
from ..errors import InputError
from ..model import Conversation, Notice
from ..registry import Registry
from .multiwoz.goals import GoalFile
from .parts import Once
from .raw_file import STDIN
from .source import Source
from .strict_json import duplicate_key

# Detection asks in this order; layouts that other packages bring are read when they are named.
registry = Registry(
    "conversation format",
    "dialmeter.conversations",
    {
        name: f"dialmeter.readers.{module}"
        for name, module in {
            "native": "own.native_talk",
            "states": "own.states",
            "gcdf1": "services.gcdf1",
            "sgd": "services.sgd_talk",
            "convlab3": "multiwoz.convlab3_talk",
            "multiwoz": "multiwoz.multiwoz_talk",
            "taskmaster": "services.taskmaster",
            "chat": "chat.chat",
            "personachat": "chat.personachat",
            "satisfaction": "chat.satisfaction",
            "dailydialog": "chat.dailydialog",
            "reddit": "chat.reddit",
            "plain": "chat.plain",
        }.items()
    },
)


class Conversations:
    """A file being read: conversations come one by one, once.

    Attributes:
        refused: dialogues that could not be read, each as the error that says why; complete when all is read.
    """

    def __init__(self, source: Source, name: str, module: ModuleType, goals: GoalFile | None = None) -> None:
        self.name = source.name
        self.format = name
        self.refused: list[InputError] = []
        self._source = source
        self._module = module
        self._goals = goals

    def __iter__(self) -> Iterator[Conversation]:
        once = Once()
        try:
            for item in self._module.items(self._source):
                try:
                    found = self._module.conversation(item)
                    once.check(found.id)
                    if self._goals is not None:
                        found = self._goals.given_to(found)
                except InputError as error:
                    self.refused.append(self._source.placed(error))
                else:
                    yield found
            if self._source.doubled:
                raise duplicate_key(self._source.doubled[0])
            if self._goals is not None:
                self._source.notices.extend(self._goals.notices())
        except InputError as error:
            raise self._source.placed(error) from None
        finally:
            self._source.close()

    def close(self) -> None:
        """Closes a file that will not be read after all."""
        self._source.close()

    @property
    def share_read(self) -> float | None:
        """How much of the file has been read, from 0 to 1; None where that is not known."""
        return self._source.share_read

    @property
    def notices(self) -> list[Notice]:
        """What the reader has to say, complete when all is read."""
        return self._source.notices


def open_conversations(path: str | Path, form: str | None = None, goals: str | Path | None = None) -> Conversations:
    """Opens a file of talk in a layout that is named or found.

    Args:
        path: a file, a folder, or ``-``.
        form: the name of a layout; without it the file is looked at.
        goals: a file of goals by dialogue, in MultiWOZ's layout, which take the place of those in the dialogues.

    Raises:
        DialmeterError: no such layout.
        InputError: the file cannot be read, or its layout is unknown.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "talk.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "hello"}]}')
        ...     [(talk.id, talk.moves[0].text) for talk in open_conversations(path)]
        [('d1', 'hello')]
    """
    if form is not None:
        registry.load(form)
    wanted = None if goals is None else GoalFile(goals)
    source = Source(path)
    if form is not None and source.path != STDIN and not Path(source.path).exists():
        raise InputError("no such file", file=source.name)
    try:
        name = form or _detect(source)
    except InputError:
        source.close()
        raise
    return Conversations(source, name, registry.load(name), wanted)


_LINE_BY_LINE = frozenset({"native", "states"})
"""Layouts whose lines stand for themselves, names included, so that a file can be read from the middle."""


def spans_of(path: str | Path, form: str, goals: str | Path | None = None) -> list[Span]:
    """The spans in which a file may be read one apart from the other; a file of goals is looked at as a whole.

    Args:
        path: the file, or ``-``.
        form: its layout.
        goals: a file of goals.
    """
    if form in _LINE_BY_LINE and goals is None and Path(path).is_file():
        return spans([str(path)])
    return [Span(str(path))]


def open_span(span: Span, form: str, goals: str | Path | None = None) -> Conversations:
    """Opens a span of a file, of which the layout is known.

    Raises:
        InputError: the file cannot be read.
    """
    if span.bounds is None:
        return open_conversations(span.path, form, goals)
    return Conversations(Source(span.path, span=span.bounds), form, registry.load(form))


def _detect(source: Source) -> str:
    sample = source.sample
    for name in registry.builtin():
        if registry.load(name).detect(sample):
            return name
    raise InputError(
        "not a file of talk that dialmeter knows; see `dialmeter list conversations`, or name its layout with --from",
        file=source.name,
    )
