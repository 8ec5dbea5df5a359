"""Manifest of a board: a TOML file with one table per system, to which others can add rows."""

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
    """A row of the manifest.

    Attributes:
        system: name of the system.
        file: the prediction file or the folder of a run, relative to the folder of the manifest.
        gold: the file with gold states, if ``file`` has only predictions (default: that of the manifest).
        format: format of the file (default: auto-detect).
        gold_format: format of gold (default: auto-detect).
        source: origin of the file, such as a repository or a paper.
        licence: licence of the file.
        date: publication date of the file: year, month or day.
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
            raise ValueError(f"date must be a year, month or day, such as 2026-03-15, not {one_line(self.date)!r}")


class BoardManifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a manifest: gold states, and the systems that are scored on them.

    Attributes:
        title: title of the board (default: name of the file).
        gold: the file with gold states for all rows without one.
        gold_format: format of gold.
        schema: a schema file for all rows.
        row: the systems.
    """

    title: str = ""
    gold: str = ""
    gold_format: str = ""
    schema: str = ""
    row: list[BoardEntry]


def read_manifest(path: str) -> BoardManifest:
    """Read a manifest. Its paths become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with the same name.
    """
    source = Source(path)
    content = parse_toml(source.text, source.name)
    try:
        manifest = msgspec.convert(_dates_as_text(content), BoardManifest)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; a board has [[row]] tables with system, file, source, licence, date"
        raise InputError(message, file=source.name) from None
    try:
        check_names([entry.system for entry in manifest.row])
    except DialmeterError as error:
        raise InputError(str(error), file=source.name) from None
    folder = Path(path).parent

    def resolve(name: str) -> str:
        if "\0" in name:
            raise InputError("a file name contains a NUL character", file=source.name)
        return str(folder / name) if name else ""

    rows = [
        replace(
            entry,
            file=resolve(entry.file),
            gold=resolve(entry.gold or manifest.gold),
            gold_format=entry.gold_format or manifest.gold_format,
        )
        for entry in manifest.row
    ]
    title = manifest.title or Path(path).stem
    return replace(manifest, title=title, gold=resolve(manifest.gold), schema=resolve(manifest.schema), row=rows)


def check_names(names: Sequence[str]) -> None:
    """Raise an error if there are no systems, or if two systems have the same name.

    Raises:
        DialmeterError: the message has the name.

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


def _dates_as_text(content: Any) -> Any:
    """Return parsed TOML with dates as text."""
    if isinstance(content, dict):
        return {key: _dates_as_text(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_dates_as_text(value) for value in content]
    return content.isoformat() if isinstance(content, datetime.date) else content
