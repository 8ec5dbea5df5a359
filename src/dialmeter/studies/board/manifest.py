"""The manifest of a board: a TOML file with one table per system, so that others can add a row."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ...core.rule_files import parse_toml
from ...errors import DialmeterError, InputError, one_line
from ...readers.source import Source

Text = Annotated[str, Meta(min_length=1, max_length=300)]
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


class BoardEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a board before it is scored.

    Attributes:
        system: its name.
        file: the prediction file or the folder of a run, relative to the folder of the manifest.
        gold: the file with gold states, if ``file`` has only predictions; that of the manifest where it is not given.
        format: of the file; detected if not given.
        gold_format: of gold, likewise.
        source: where the file comes from, such as a repository or a paper.
        licence: of the file.
        date: when the file was published: year, month or day.
    """

    system: Text
    file: Text
    gold: str = ""
    format: str = ""
    gold_format: str = ""
    source: str = ""
    licence: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        if self.date and not _DATE.fullmatch(self.date):
            raise ValueError(f"date is a year, a month or a day, such as 2026-03-15, not {one_line(self.date)!r}")


class BoardManifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A board before it is scored: one gold, and the systems that are scored on it.

    Attributes:
        title: of the board; the name of the file where it is not given.
        gold: the file with gold states of all rows that do not name one.
        gold_format: of gold.
        schema: a schema file for all rows.
        row: the systems.
    """

    title: str = ""
    gold: str = ""
    gold_format: str = ""
    schema: str = ""
    row: list[BoardEntry]


def read_manifest(path: str) -> BoardManifest:
    """Reads a manifest; the paths in it become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with one name.
    """
    source = Source(path)
    stated = parse_toml(source.text, source.name)
    try:
        found = msgspec.convert(_plain(stated), BoardManifest)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; a board has [[row]] tables with system, file, source, licence, date"
        raise InputError(message, file=source.name) from None
    try:
        check_names([entry.system for entry in found.row])
    except DialmeterError as error:
        raise InputError(str(error), file=source.name) from None
    folder = Path(path).parent

    def beside(name: str) -> str:
        if "\0" in name:
            raise InputError("the name of a file has a NUL character", file=source.name)
        return str(folder / name) if name else ""

    rows = [
        replace(
            entry,
            file=beside(entry.file),
            gold=beside(entry.gold or found.gold),
            gold_format=entry.gold_format or found.gold_format,
        )
        for entry in found.row
    ]
    title = found.title or Path(path).stem
    return replace(found, title=title, gold=beside(found.gold), schema=beside(found.schema), row=rows)


def check_names(names: Sequence[str]) -> None:
    """Refuses a board without systems, and one on which two systems have the same name.

    Raises:
        DialmeterError: with the name.

    Example:
        >>> check_names(["a", "b", "a"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: two systems are called 'a'
    """
    if not names:
        raise DialmeterError("a board needs at least one row")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DialmeterError(f"two systems are called {one_line(name)!r}")


def _plain(stated: Any) -> Any:
    """What TOML states, with dates as text."""
    if isinstance(stated, dict):
        return {key: _plain(value) for key, value in stated.items()}
    if isinstance(stated, list):
        return [_plain(value) for value in stated]
    return stated.isoformat() if isinstance(stated, datetime.date) else stated
