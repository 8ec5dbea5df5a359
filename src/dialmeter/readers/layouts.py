"""Names of the layouts that dialmeter reads, and detection of the layout of a file.

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


class Layout(NamedTuple):
    """A layout: where its readers of states, of talk and of agents' logs are, as ``module`` or ``module:object``."""

    name: str
    states: str = ""
    talk: str = ""
    log: str = ""


# Detection tries them in this order; layouts of other packages are read when they are named.
_LAYOUTS = (
    Layout("native", "own.native", "own.native:TALK"),
    Layout("states", talk="own.native:STATES_TALK"),
    Layout("rows", "own.rows"),
    Layout("llm", "completions.llm"),
    Layout("nested", "own.nested"),
    Layout("fga-text", "multiwoz.fga_text"),
    Layout("trade", "multiwoz.trade"),
    Layout("som-dst", "multiwoz.som_dst"),
    Layout("trippy", "multiwoz.trippy"),
    Layout("vectors", "own.vectors"),
    Layout("gcdf1", talk="services.gcdf1"),
    Layout("sgd", "services.sgd", "services.sgd:TALK"),
    Layout("mwzeval", "multiwoz.mwzeval"),
    Layout("ic-dst", "trackers.ic_dst"),
    Layout("ldst", "trackers.ldst"),
    Layout("simpletod", "trackers.simpletod"),
    Layout("bspn", "trackers.bspn"),
    Layout("convlab3", "multiwoz.convlab3", "multiwoz.convlab3:TALK"),
    Layout("t5-text", "multiwoz.t5_text"),
    Layout("dstc10", "services.dstc10"),
    Layout("multiwoz", "multiwoz.multiwoz", "multiwoz.multiwoz:TALK"),
    Layout("taskmaster", talk="services.taskmaster"),
    Layout("tau-bench", talk="agents.tau_bench", log="agents.tau_bench"),
    Layout("tau2-bench", talk="agents.tau2_bench", log="agents.tau2_bench"),
    Layout("inspect", talk="agents.inspect_log", log="agents.inspect_log"),
    Layout("chat", talk="chat.chat", log="agents.chat_log"),
    Layout("personachat", talk="chat.personachat"),
    Layout("satisfaction", talk="chat.satisfaction"),
    Layout("dailydialog", talk="chat.dailydialog"),
    Layout("reddit", talk="chat.reddit"),
    Layout("plain", talk="chat.plain"),
)
FORMATS = Registry(
    "format", "dialmeter.formats", {each.name: f"{__package__}.{each.states}" for each in _LAYOUTS if each.states}
)
"""Readers of states."""
CONVERSATION_FORMATS = Registry(
    "conversation format",
    "dialmeter.conversations",
    {each.name: f"{__package__}.{each.talk}" for each in _LAYOUTS if each.talk},
)
"""Readers of talk."""
LOG_FORMATS = Registry(
    "log format", "dialmeter.logs", {each.name: f"{__package__}.{each.log}" for each in _LAYOUTS if each.log}
)
"""Readers of agents' logs."""


class TalkReader:
    """The reader of talk of a module that reads states, too.

    Args:
        doc: the description of the layout.
        carries: one line of help.
        detect: does a sample have this layout?
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
    """A file of a known layout that is being read.

    Attributes:
        name: of the file, for messages.
        format: the name of its layout.
    """

    def __init__(self, source: Source, form: str) -> None:
        self.name = source.name
        self.format = form
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


def find_layout(source: Source, layouts: Registry, form: str | None, unknown: str) -> str:
    """The name of a file's layout, as given or as detected. The file is closed where there is none.

    Args:
        source: the file.
        layouts: ``FORMATS``, ``CONVERSATION_FORMATS`` or ``LOG_FORMATS``.
        form: the name of a layout, if the user gave one.
        unknown: the message where no layout fits.

    Raises:
        InputError: no such file, or no layout fits.
    """
    if form is not None:
        if source.path != STDIN and not Path(source.path).exists():
            raise InputError(no_such_file(source.path), file=source.name)
        return form
    try:
        sample = source.sample
        if why := no_data(sample):
            raise InputError(why, file=source.name)
        found = next((name for name in layouts.builtin() if layouts.load(name).detect(sample)), None)
        if found is None:
            raise InputError(unknown_format(sample, unknown, with_nearest=layouts is FORMATS), file=source.name)
    except InputError:
        source.close()
        raise
    return found
