"""Logs of agents: dialogues in which tools are called and a reward is given. Systems are measured on them.

The formats are listed in :mod:`dialmeter.readers.formats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from ..model import Trajectory
from .formats import CONVERSATION_FORMATS, LOG_FORMATS, OpenFile, find_format
from .not_known import no_data
from .parts import UniqueIds
from .raw_file import is_stream
from .source import Source


class Trajectories(OpenFile):
    """A log being read: trajectories come one by one, once.

    Attributes:
        refused: dialogues that could not be read, each as an error; complete when all is read.
    """

    def __init__(self, source: Source, format: str) -> None:
        super().__init__(source, format)
        self.refused: list[InputError] = []
        self._reader = LOG_FORMATS.load(format)

    def __iter__(self) -> Iterator[Trajectory]:
        ids = UniqueIds()
        with self._source.reading():
            for item in self._reader.items(self._source):
                try:
                    found: Trajectory = self._reader.trajectory(item)
                    ids.check(found.id)
                except InputError as error:
                    self.refused.append(self._source.placed(error))
                else:
                    yield found


def is_log(path: str | Path, format: str | None = None, *, unknown: bool = True) -> bool:
    """Is this a log of an agent, by its format, and not a file of dialogues with acts?

    Args:
        path: a file or folder.
        format: its format, where that is named.
        unknown: the answer for standard input and pipes, which are read only once, and for what is neither, so that the right reader complains.

    Example:
        >>> is_log("-"), is_log("-", unknown=False), is_log("talk.jsonl", "native")
        (True, False, False)
    """
    if format is not None:
        return format in LOG_FORMATS.builtin() or (unknown and format not in CONVERSATION_FORMATS.builtin())
    if is_stream(str(path)):
        return unknown
    source = Source(path)
    try:
        sample = source.sample
        if no_data(sample):
            return unknown
        of_log, of_talk = (
            any(formats.load(name).detect(sample) for name in formats.builtin())
            for formats in (LOG_FORMATS, CONVERSATION_FORMATS)
        )
    except InputError:
        return unknown
    finally:
        source.close()
    return of_log or (unknown and not of_talk)


def open_trajectories(path: str | Path, format: str | None = None) -> Trajectories:
    """Opens a log of agents in a format that is named or found.

    Args:
        path: a file, a folder, or ``-``.
        format: the name of a format; detected if not given.

    Raises:
        DialmeterError: no such format.
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
    unknown = "not a log of agents that dialmeter knows; see `dialmeter list logs`, or name its format with --from"
    return Trajectories(source, find_format(source, LOG_FORMATS, format, unknown))
