"""What the text layouts of talk share: numbered lines and the passages between blank ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import InputError
from ..source import Source


class Passage(NamedTuple):
    """The lines of one dialogue, still as bytes, and its place in the file, counted from 1."""

    name: str
    lines: list[tuple[int, bytes]]

    def texts(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers.

        Raises:
            InputError: a line is not UTF-8.
        """
        for number, line in self.lines:
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"not UTF-8 text (byte {error.start})", line=number, dialogue=self.name) from None


def passages(source: Source) -> Iterator[Passage]:
    """The runs of lines between blank ones."""
    count, last = 0, 0
    lines: list[tuple[int, bytes]] = []
    for number, line in _filled(source):
        if lines and number > last + 1:
            count += 1
            yield Passage(str(count), lines)
            lines = []
        lines.append((number, line))
        last = number
    if lines:
        yield Passage(str(count + 1), lines)


def single_lines(source: Source) -> Iterator[Passage]:
    """Every line that is not blank as a passage of its own."""
    for count, line in enumerate(_filled(source), 1):
        yield Passage(str(count), [line])


def _filled(source: Source) -> Iterator[tuple[int, bytes]]:
    # A first line that holds nothing but a byte order mark is blank once the mark is off.
    return ((number, line) for number, line in source.lines() if line.strip())
