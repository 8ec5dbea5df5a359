"""Names of the formats that dialmeter reads, and detection of the format of a file.

A reader of states (a *format*) is a module with ``CARRIES`` (one line of help), ``HOLDS`` (``both``, or ``state`` where a
turn has one state, which is gold or predicted by the role of the file), ``STATES`` (how it writes states; flat without it),
``TAKES_FIELDS`` (the user may name columns, see :mod:`dialmeter.readers.fields`; not without it), ``detect(sample)`` and ``read(source, role)``, which gives dialogues with states as they are written.

A reader of talk is a module or a ``TalkReader`` with ``CARRIES``, ``detect(sample)``, ``items(source)``, which gives the
dialogues of a file undecoded, and ``conversation(item)``, which decodes one. So a bad dialogue is refused alone.

A reader of logs of agents has ``trajectory(item)`` instead of ``conversation(item)``, or both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from ..model import Conversation, Notice
from ..registry import Registry
from .not_known import no_data, no_such_file, unknown_format
from .raw_file import STDIN
from .source import Sample, Source


class Format(NamedTuple):
    """A format: where its readers of states, of talk and of agents' logs are, as ``module`` or ``module:object``."""

    name: str
    states: str = ""
    talk: str = ""
    log: str = ""


# Detection tries them in this order; formats of other packages are read when they are named.
_BUILT_IN = (
    Format("native", "own.native", "own.native:TALK"),
    Format("states", talk="own.native:STATES_TALK"),
    Format("rows", "own.rows"),
    Format("llm", "completions.llm"),
    Format("nested", "own.nested"),
    Format("fga-text", "multiwoz.fga_text"),
    Format("trade", "multiwoz.trade"),
    Format("som-dst", "multiwoz.som_dst"),
    Format("trippy", "multiwoz.trippy"),
    Format("vectors", "own.vectors"),
    Format("gcdf1", talk="services.gcdf1"),
    Format("sgd", "services.sgd", "services.sgd:TALK"),
    Format("mwzeval", "multiwoz.mwzeval"),
    Format("ic-dst", "trackers.ic_dst"),
    Format("ldst", "trackers.ldst"),
    Format("simpletod", "trackers.simpletod"),
    Format("bspn", "trackers.bspn"),
    Format("convlab3", "multiwoz.convlab3", "multiwoz.convlab3:TALK"),
    Format("t5-text", "multiwoz.t5_text"),
    Format("dstc10", "services.dstc10"),
    Format("multiwoz", "multiwoz.multiwoz", "multiwoz.multiwoz:TALK"),
    Format("taskmaster", talk="services.taskmaster"),
    Format("tau-bench", talk="agents.tau_bench", log="agents.tau_bench"),
    Format("tau2-bench", talk="agents.tau2_bench", log="agents.tau2_bench"),
    Format("inspect", talk="agents.inspect_log", log="agents.inspect_log"),
    Format("chat", talk="chat.chat", log="agents.chat_log"),
    Format("personachat", talk="chat.personachat"),
    Format("satisfaction", talk="chat.satisfaction"),
    Format("dailydialog", talk="chat.dailydialog"),
    Format("reddit", talk="chat.reddit"),
    Format("plain", talk="chat.plain"),
)
FORMATS = Registry(
    "format", "dialmeter.formats", {each.name: f"{__package__}.{each.states}" for each in _BUILT_IN if each.states}
)
"""Readers of states."""
CONVERSATION_FORMATS = Registry(
    "conversation format",
    "dialmeter.conversations",
    {each.name: f"{__package__}.{each.talk}" for each in _BUILT_IN if each.talk},
)
"""Readers of talk."""
LOG_FORMATS = Registry(
    "log format", "dialmeter.logs", {each.name: f"{__package__}.{each.log}" for each in _BUILT_IN if each.log}
)
"""Readers of agents' logs."""


class TalkReader:
    """The reader of talk of a module that reads states, too.

    Args:
        doc: the description of the format.
        carries: one line of help.
        detect: does a sample have this format?
        items: the dialogues of a file, undecoded.
        conversation: decodes one of them.
    """

    def __init__(
        self,
        doc: str,
        carries: str,
        detect: Callable[[Sample], bool],
        items: Callable[[Source], Iterator[Any]],
        conversation: Callable[[Any], Conversation],
    ) -> None:
        self.__doc__ = doc.rstrip()
        self.CARRIES = carries
        self.detect = detect
        self.items = items
        self.conversation = conversation


class OpenFile:
    """A file of a known format that is being read.

    Attributes:
        name: of the file, for messages.
        format: the name of its format.
    """

    def __init__(self, source: Source, format: str) -> None:
        self.name = source.name
        self.format = format
        self._source = source

    def close(self) -> None:
        """Closes a file that is not read to its end."""
        self._source.close()

    @property
    def share_read(self) -> float | None:
        """How much of the file has been read, from 0 to 1; None where that is not known."""
        return self._source.share_read

    @property
    def notices(self) -> list[Notice]:
        """Notices of the reader; complete when all is read."""
        return self._source.notices


def find_format(source: Source, formats: Registry, format: str | None, unknown: str) -> str:
    """The name of a file's format, as given or as detected. The file is closed where there is none.

    Args:
        source: the file.
        formats: ``FORMATS``, ``CONVERSATION_FORMATS`` or ``LOG_FORMATS``.
        format: the name of a format, if the user gave one.
        unknown: the message where no format fits.

    Raises:
        InputError: no such file, or no format fits.
    """
    if format is not None:
        if source.path != STDIN and not Path(source.path).exists():
            raise InputError(no_such_file(source.path), file=source.name)
        return format
    try:
        sample = source.sample
        if why := no_data(sample):
            raise InputError(why, file=source.name)
        found = next((name for name in formats.builtin() if formats.load(name).detect(sample)), None)
        if found is None:
            raise InputError(unknown_format(sample, unknown, with_nearest=formats is FORMATS), file=source.name)
    except InputError:
        source.close()
        raise
    return found
