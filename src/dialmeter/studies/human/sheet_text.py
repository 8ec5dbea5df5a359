"""Annotation sheets as text: written for raters, and read back when they are filled.

What comes from a file is always indented and on one line, so that no utterance can pass for a heading or a rating.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

from ...errors import DialmeterError, InputError, one_line
from ...model import Notice
from ...readers.source import Source
from .annotation_sheet import HELP, QUESTION, Scale, Sheet, SheetTurn
from .ratings import Collector, Ratings

HEADING = "dialmeter annotation sheet"
_LINE = re.compile(r"(Dialogue|Rater|Rating)(?:\s*\(\s*(-?\d+)\s*[-–]\s*(-?\d+)\s*\))?\s*:(.*)", re.IGNORECASE)


def written(sheet: Sheet, rater: str, scale: Scale) -> str:
    """A sheet to fill.

    Example:
        >>> from dialmeter.studies.human.annotation_sheet import Slot
        >>> turn = SheetTurn(0, "", "In the east.", (Slot("hotel-area", "east", "", False),))
        >>> print(written(Sheet("MUL1.json", (turn,)), "rater1", Scale(1, 5)), end="")
        dialmeter annotation sheet
        Dialogue: MUL1.json
        Rater: rater1
        <BLANKLINE>
        How well did the system keep track of what the user wants, over the whole dialogue?
        Gold is what the user wants, prediction what the system understood; both add up from turn to turn.
        Write a number behind "Rating" on the last line: 1 = not at all, 5 = entirely.
        <BLANKLINE>
        Turn 0, match: no
          User: In the east.
          slot        gold  prediction
          hotel-area  east  –           ≠
        <BLANKLINE>
        Rating (1-5):
    """
    lines = [HEADING, f"Dialogue: {_name(sheet.dialogue)}", f"Rater: {rater}", "", QUESTION, HELP]
    lines.append(f'Write a number behind "Rating" on the last line: {scale.low} = not at all, {scale.high} = entirely.')
    for turn in sheet.turns:
        lines += ["", f"Turn {turn.number}, match: {'yes' if turn.matched else 'no'}"]
        lines += [f"  {who}: {text}" for who, text in (("System", turn.system), ("User", turn.user)) if text]
        lines += [f"  {line}".rstrip() for line in _table(turn)]
    return "\n".join([*lines, "", f"Rating ({scale}):", ""])


def _name(dialogue: str) -> str:
    """An id that reads back as it was: in quotes where it does not fit on a line as it is."""
    plain = dialogue.isprintable() and dialogue == dialogue.strip() and dialogue[:1] not in ("", '"')
    return dialogue if plain else json.dumps(dialogue)


def _table(turn: SheetTurn) -> Iterator[str]:
    from rich.cells import cell_len

    if not turn.slots:
        yield "(both states are empty)"
        return
    rows = [("slot", "gold", "prediction", "")]
    rows += [(slot.name, slot.gold or "–", slot.pred or "–", "" if slot.right else "≠") for slot in turn.slots]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))


def read_sheets(folder: str) -> tuple[Ratings, list[Notice], list[InputError]]:
    """The ratings on filled sheets, in a folder with or without one folder per rater.

    Args:
        folder: where the text sheets are; the name on a sheet's line ``Rater:`` counts, or else that of its folder.

    Returns:
        Ratings; warnings of sheets that are not filled and of files that are no sheets; what is wrong, one error per sheet.

    Raises:
        DialmeterError: no folder, or no sheet in it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    found, empty, others, problems = Collector(), [], [], []
    sheets = 0
    for path in sorted(root.rglob("*.txt")):
        name = str(path)
        try:
            lines = Source(path).text.splitlines()
            if not lines or lines[0].strip() != HEADING:
                others.append(one_line(path.relative_to(root).as_posix()))
                continue
            sheets += 1
            dialogue, rater, rating = _filled(lines, path.parent.name)
            found.add(dialogue, rater, rating)
            if rating is None:
                empty.append(one_line(path.relative_to(root).as_posix()))
        except InputError as error:
            problems.append(error.at(file=name))
    if not sheets and not problems:
        raise DialmeterError(f"{folder}: no text sheet; one begins with the line {HEADING!r}")
    notices = []
    if empty:
        notices.append(
            Notice("not-filled", len(empty), f"without rating: {len(empty)} of {sheets} sheets", tuple(empty))
        )
    if others:
        notices.append(
            Notice("other-files", len(others), f"no sheets, and left out: {len(others)} files", tuple(others))
        )
    return found.ratings(), notices, problems


def _filled(lines: list[str], folder: str) -> tuple[str, str, float | None]:
    """Dialogue, rater and rating; only lines that are not indented are looked at."""
    fields: dict[str, str] = {}
    rating: float | None = None
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        if not match:
            continue
        label, text = match[1].capitalize(), match[4].strip()
        if label in fields:
            raise InputError(f"a second line {label!r}", line=number)
        fields[label] = text
        if label == "Rating" and text:
            scale = Scale(int(match[2]), int(match[3])) if match[2] else None
            rating = _rating(text, scale, number)
    for label in ("Dialogue", "Rating"):
        if label not in fields:
            raise InputError(f"the line {label!r} is missing")
    return _dialogue(fields["Dialogue"]), fields.get("Rater") or folder, rating


def _dialogue(text: str) -> str:
    if text[:1] == '"':
        try:
            name = json.loads(text)
        except json.JSONDecodeError:
            name = None
        if isinstance(name, str):
            return name
    if not text or text[:1] == '"':
        raise InputError("the line 'Dialogue' holds no id")
    return text


def _rating(text: str, scale: Scale | None, line: int) -> float:
    try:
        rating = float(text)
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating) or (scale and not scale.low <= rating <= scale.high):
        wanted = f"a number from {scale.low} to {scale.high}" if scale else "a number"
        raise InputError(f"the rating is {one_line(text)!r}, and should be {wanted}", line=line)
    return rating
