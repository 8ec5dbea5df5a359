"""Names of the formats that dialmeter reads, detection of the format of a file, and names of columns from the user.

A state reader (a *format*) is a module or class with these members:

- ``DESCRIPTION``: one line of help.
- ``CONTENT``: ``both``, or ``state`` if a turn has one state. The role of the file decides whether that state is gold or
  predicted.
- ``STATES``: the state layout of the format. The default is flat.
- ``NAMED_FIELDS``: True if the user may name columns, see :func:`parse_fields`. The default is False.
- ``detect(sample)``: returns True if the sample has this format.
- ``read(source, role)``: yields dialogues. Their states are not normalised.

A conversation reader is a module or class with ``DESCRIPTION`` and ``detect(sample)``. Its
``items(source)`` yields the undecoded dialogues of a file, and ``conversation(item)`` decodes one of them. Therefore an
invalid dialogue is rejected alone, and the others are read.

A log reader (for logs of agents) has ``trajectory(item)`` instead of ``conversation(item)``, or both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..model import Notice
from ..registry import Registry
from .raw_file import STDIN
from .source import Source
from .unrecognised_input import no_data, no_such_file, unknown_format


class Format(NamedTuple):
    """A format and the paths of its state, conversation and log readers, as ``module`` or ``module:object``."""

    name: str
    states: str = ""
    conversations: str = ""
    log: str = ""


# Detection tries the formats in this order. Formats of other packages are not detected; the user must name them.
_BUILT_IN = (
    Format("native", "layouts.own:Native", "layouts.own:NativeConversations"),
    Format("states", conversations="layouts.own:StateUtterances"),
    Format("rows", "records.reader:TurnTable"),
    Format("llm", "layouts.llm"),
    Format("nested", "layouts.tracker_results:Nested"),
    Format("fga-text", "layouts.tracker_texts:FgaText"),
    Format("trade", "layouts.tracker_results:Trade"),
    Format("som-dst", "layouts.tracker_results:SomDst"),
    Format("trippy", "layouts.tracker_results:TripPy"),
    Format("vectors", "layouts.tracker_results:CorrectnessVectors"),
    Format("gcdf1", conversations="layouts.services:Gcdf1"),
    Format("sgd", "layouts.services:Sgd", "layouts.services:SgdConversations"),
    Format("mwzeval", "layouts.tracker_results:MwzEval"),
    Format("ic-dst", "layouts.tracker_texts:IcDst"),
    Format("ldst", "layouts.tracker_texts:Ldst"),
    Format("simpletod", "layouts.tracker_texts:SimpleTod"),
    Format("bspn", "layouts.tracker_texts:Bspn"),
    Format("convlab3", "layouts.multiwoz:ConvLab3", "layouts.multiwoz:ConvLab3Conversations"),
    Format("t5-text", "layouts.tracker_texts:T5Text"),
    Format("dstc10", "layouts.tracker_results:Dstc10"),
    Format("multiwoz", "layouts.multiwoz:MultiWoz", "layouts.multiwoz:MultiWozConversations"),
    Format("taskmaster", conversations="layouts.services:Taskmaster"),
    Format("tau-bench", conversations="layouts.agents:TauBench", log="layouts.agents:TauBench"),
    Format("tau2-bench", conversations="layouts.agents:Tau2Bench", log="layouts.agents:Tau2Bench"),
    Format("inspect", conversations="layouts.agents:Inspect", log="layouts.agents:Inspect"),
    Format("chat", conversations="records.logs", log="records.logs"),
    Format("personachat", conversations="chat.texts:PersonaChat"),
    Format("satisfaction", conversations="chat.satisfaction"),
    Format("dailydialog", conversations="chat.texts:DailyDialog"),
    Format("reddit", conversations="chat.texts:Reddit"),
    Format("plain", conversations="chat.texts:Plain"),
    Format("records", "records.reader"),
)
FORMATS = Registry(
    "format", "dialmeter.formats", {each.name: f"{__package__}.{each.states}" for each in _BUILT_IN if each.states}
)
"""State readers by format name."""
CONVERSATION_FORMATS = Registry(
    "dialogue format",
    "dialmeter.dialogues",
    {each.name: f"{__package__}.{each.conversations}" for each in _BUILT_IN if each.conversations},
)
"""Conversation readers by format name."""
LOG_FORMATS = Registry(
    "log format", "dialmeter.logs", {each.name: f"{__package__}.{each.log}" for each in _BUILT_IN if each.log}
)
"""Log readers by format name."""


class OpenFile:
    """An open input file of a known format.

    Attributes:
        name: the name of the file, for messages.
        format: the name of its format.
    """

    def __init__(self, source: Source, format: str) -> None:
        self.name = source.name
        self.format = format
        self._source = source

    def close(self) -> None:
        """Close the file before its end is reached."""
        self._source.close()

    @property
    def share_read(self) -> float | None:
        """The share of the file that has been read, from 0 to 1; None if unknown."""
        return self._source.share_read

    @property
    def has_ids(self) -> bool:
        """False if the file has no ids of dialogues. It is known when reading has begun."""
        return self._source.has_ids

    @property
    def notices(self) -> list[Notice]:
        """Notices of the reader. The list is complete when the whole file has been read."""
        return self._source.notices


def find_format(source: Source, formats: Registry, format: str | None, noun: str, topic: str) -> str:
    """Return the name of the given or detected format. Close the file if detection fails.

    Args:
        source: the file.
        formats: ``FORMATS``, ``CONVERSATION_FORMATS`` or ``LOG_FORMATS``.
        format: the name of a format, if the user gave one.
        noun: what a member of the formats is called in messages.
        topic: the topic of ``dialmeter list`` that lists the formats.

    Raises:
        InputError: the file does not exist, or no format matches.
    """
    if format is not None:
        if source.path != STDIN and not Path(source.path).exists():
            raise InputError(no_such_file(source.path), file=source.name)
        return format
    try:
        sample = source.sample
        if reason := no_data(sample):
            raise InputError(reason, file=source.name)
        name = next((name for name in formats.builtin() if formats.load(name).detect(sample)), None)
        if name is None and formats is FORMATS and sample.kind != "archive":
            return "records"
        if name is None:
            unknown = f"unknown {noun}; see `dialmeter list {topic}`, or name the format with --from"
            raise InputError(unknown_format(sample, unknown, with_closest=formats is FORMATS), file=source.name)
    except InputError:
        source.close()
        raise
    return name


_FORMAT = re.compile(r"([\w.-]*)\((.*)\)", re.DOTALL)
_NEXT_KEY = re.compile(
    r"\s(?=(?:rows|dialogue|turn|gold|pred|slot|where|system|user|item|rater|rating|criterion|winner|score|messages|task|trial|outcome|states)=)"
)
_NEXT_FIELD = re.compile(r",\s*+(?=[\w-][\w -]*+=)")
_ROW_KEYS = ("dialogue", "turn", "gold", "pred", "user", "system")
_RECORD_KEYS = ("rows", "slot", "where")
STATES = "states"
"""Key of ``--columns`` for what states are, which is not the name of a column."""
RATING_KEYS = ("item", "rater", "rating", "criterion", "winner", "score", "context", "reply")
"""Keys of ``--columns`` for ratings."""
RATINGS = "rated-records"
"""The format of ratings in records of any layout."""
LOG_KEYS = ("messages", "task", "trial", "outcome")
"""Keys of ``--columns`` for logs."""
_COMPLETION_KEYS = ("completion", "custom_id")
_CALL = "()"


def parse_fields(texts: Iterable[str]) -> dict[str, str]:
    """Parse ``KEY=NAME`` texts into a mapping of keys to column names.

    Raises:
        DialmeterError: a text of another form, an unknown key, or a duplicate key.

    Example:
        >>> parse_fields(["pred=belief", "hotel=find_book_hotel()"])
        {'pred': 'belief', 'hotel': 'find_book_hotel()'}
        >>> parse_fields(["prd=belief"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --columns: unknown key 'prd'; did you mean pred?
    """
    fields: dict[str, str] = {}
    for text in (part for written in texts for part in _NEXT_KEY.split(written)):
        key, equals, name = (part.strip() for part in text.partition("="))
        if not (key and equals and name):
            raise DialmeterError(f"--columns must be KEY=NAME, such as pred=belief, found {one_line(text)!r}")
        keys = (*_ROW_KEYS, *_COMPLETION_KEYS, *_RECORD_KEYS, *RATING_KEYS, *LOG_KEYS, STATES)
        if key not in keys and not name.endswith(_CALL):
            raise DialmeterError(f"--columns: unknown key {one_line(key)!r}; {did_you_mean(key, keys)}")
        if key in fields:
            raise DialmeterError(f"--columns: duplicate key {one_line(key)!r}")
        fields[key] = name
    return fields


def format_with_fields(format: str | None, texts: Iterable[str]) -> str | None:
    """Return the name of a format with the column names in it.

    If no format is given, it is ``llm`` if a field names a completion column or a function. Otherwise it has no name, and the
    file is read as ``rows`` if it is a table with the other columns, else as ``records``.

    Example:
        >>> format_with_fields(None, ["pred=belief"]), format_with_fields("llm", ["turn=step"]), format_with_fields("sgd", [])
        ('(pred=belief)', 'llm(turn=step)', 'sgd')
    """
    fields = parse_fields(texts)
    if not fields:
        return format
    is_llm = any(key in _COMPLETION_KEYS or name.endswith(_CALL) for key, name in fields.items())
    kinds = ((RATINGS, RATING_KEYS), ("chat", LOG_KEYS), ("records", _RECORD_KEYS))
    inferred = next((name for name, keys in kinds if not {*keys}.isdisjoint(fields)), "")
    return _written(format or ("llm" if is_llm else inferred), fields)


def _written(format: str, fields: Mapping[str, str]) -> str:
    return f"{format}({', '.join(f'{key}={name}' for key, name in fields.items())})"


def split_format(format: str) -> tuple[str, dict[str, str]]:
    """Split the name of a format from the column names in it.

    Example:
        >>> split_format("rows(pred=belief, turn=step)"), split_format("nested")
        (('rows', {'pred': 'belief', 'turn': 'step'}), ('nested', {}))
    """
    match = _FORMAT.fullmatch(format)
    return (match[1], parse_fields(_NEXT_FIELD.split(match[2]))) if match else (format, {})


def gold_format_of(format: str | None, gold_format: str | None) -> str | None:
    """Return the format of the gold file with what the user said about states, which is for both files.

    Example:
        >>> gold_format_of("(pred=belief, states=gold:update)", None), gold_format_of("native", "sgd")
        ('(states=gold:update)', 'sgd')
    """
    states = split_format(format or "")[1].get(STATES)
    name, fields = split_format(gold_format or "")
    return gold_format if states is None else _written(name, {**fields, STATES: states})


def domains_by_function(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the domain of each function named in the fields.

    Example:
        >>> domains_by_function({"pred": "belief", "hotel": "find_book_hotel()"})
        {'find_book_hotel': 'hotel'}
    """
    return {name.removesuffix(_CALL): key for key, name in fields.items() if name.endswith(_CALL)}
