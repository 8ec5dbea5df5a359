"""Sheets for people: rows of text, written as CSV or as a page with buttons, filled in by hand, and read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ..errors import InputError, one_line, placing
from .csv_files import csv_text, read_csv
from .source import Source

Cells: TypeAlias = Mapping[str, str]
"""A row of a sheet: column → text."""


class SheetKind(Struct, frozen=True, kw_only=True):
    """A kind of sheet. The last attributes are those of its page, if it has one.

    Attributes:
        columns: all columns; those that no row has are filled in by people.
        needed: the columns that a filled sheet must have.
        hint: advice for the message about a missing column.
        choices: column → its words, each with an explanation, which may be empty. Number keys choose a word of the first column.
        fields: columns that are filled in with own words; the key of their first letter jumps there.
        jump: word of the first column → the field that it needs.
        heading: the heading of a row, with names of columns in braces.
        shown: the columns to show, each with its label.
        marked: shown columns that are highlighted.
        saved: the columns that the page saves.
    """

    columns: tuple[str, ...]
    needed: tuple[str, ...]
    hint: str
    title: str = ""
    help: tuple[str, ...] = ()
    choices: Mapping[str, Mapping[str, str]] = {}
    fields: tuple[str, ...] = ()
    jump: Mapping[str, str] = {}
    heading: str = ""
    shown: Mapping[str, str] = {}
    marked: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()

    def text(self, rows: Iterable[Cells]) -> str:
        """Return a sheet as CSV for a spreadsheet program. No cell is a formula."""
        return csv_text(self.columns, ([row.get(name, "") for name in self.columns] for row in rows))

    def read(self, path: str | Path, take: Callable[[dict[str, str], int], None]) -> None:
        """Read a filled sheet. ``take`` gets the cells of every row and its line, and its errors get file and line."""
        source = Source(path)
        for line, row in read_csv(source, self.needed, self.hint).rows:
            with placing(file=source.name, line=line):
                take({name: row.get(name, "").strip() for name in self.columns}, line)


def has_columns(path: str | Path, *names: str) -> bool:
    """Return True if the first line of a table names these columns; False if there is no such file."""
    if not Path(path).is_file():
        return False
    with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
        return {*names} <= {word.strip().strip('"') for word in re.split("[,;\t]", file.readline())}


def check_word(name: str, word: str, allowed: Iterable[str]) -> str:
    """Return a word of a sheet if it is allowed.

    Example:
        >>> check_word("verdict", "fine", ["valid", "weak"])
        Traceback (most recent call last):
        dialmeter.errors.InputError: verdict must be one of valid, weak, not 'fine'
    """
    if word not in allowed:
        raise InputError(
            f"{name} must be one of {', '.join(each or 'empty' for each in allowed)}, not {one_line(word)!r}"
        )
    return word
