"""Annotation sheets: sample dialogues, write a text sheet for each, and parse the sheets that raters filled in.

Inspired by the human evaluation of FGA (Dey et al. 2022, appendix A.3). Text from a file is always indented and on one
line, so that no utterance can be mistaken for a heading or a rating.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ...errors import DialmeterError, InputError, one_line
from ...model import Notice, Value, dialogue_key
from ...readers.csv_files import number_or_nan
from ...readers.pairs.vocabulary import PairDialogue
from ...readers.source import Source
from ...tracking.compared import ComparedDialogue
from ...tracking.tally import CORRECT
from .human import RatingCollector, Ratings

QUESTION = "How well did the system keep track of what the user wants, over the whole dialogue?"
HELP = "Gold is what the user wants. Prediction is what the system understood. Both accumulate from turn to turn."
HEADING = "dialmeter annotation sheet"
_LONGEST = 10_000
_LINE = re.compile(r"(Dialogue|Rater|Rating)(?:\s*\(\s*(-?\d+)\s*[-–]\s*(-?\d+)\s*\))?\s*:(.*)", re.IGNORECASE)


class RatingScale(NamedTuple):
    """The lowest and the highest rating.

    Example:
        >>> str(RatingScale(1, 5)), RatingScale.parse("0-1")
        ('1-5', RatingScale(low=0, high=1))
    """

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @classmethod
    def parse(cls, text: str) -> RatingScale:
        """Parse a scale such as ``1-5``.

        Raises:
            DialmeterError: not two increasing numbers.
        """
        match = re.fullmatch(r"\s*(-?\d{1,6})\s*-\s*(-?\d{1,6})\s*", text)
        if not match or int(match[1]) >= int(match[2]):
            raise DialmeterError(f"a scale must be two increasing numbers, such as 1-5 or 0-1, not {one_line(text)!r}")
        return cls(int(match[1]), int(match[2]))


class SheetSlot(NamedTuple):
    """One slot at one turn, as text. An absent value is empty."""

    name: str
    gold: str
    pred: str
    right: bool


class SheetTurn(Struct, frozen=True):
    """A turn as raters see it."""

    number: int
    system: str
    user: str
    slots: tuple[SheetSlot, ...]

    @property
    def matched(self) -> bool:
        """True if the predicted state equals the gold state."""
        return all(slot.right for slot in self.slots)


class Sheet(Struct, frozen=True):
    """A dialogue as raters see it."""

    dialogue: str
    turns: tuple[SheetTurn, ...]


def make_sheet(dialogue: PairDialogue, compared: ComparedDialogue) -> Sheet:
    """Return the sheet of a dialogue. Its states are those that the rules compare."""
    utterances = {turn.number: turn for turn in dialogue.turns}
    turns = []
    for turn in compared.turns:
        slots = tuple(
            SheetSlot(one_line(each.slot, 200), _format(each.gold), _format(each.pred), each.kind == CORRECT)
            for each in turn.slots
        )
        spoken = utterances[turn.number]
        system, user = (one_line(text, _LONGEST).strip() for text in (spoken.system, spoken.user))
        turns.append(SheetTurn(turn.number, system, user, slots))
    return Sheet(dialogue.id, tuple(turns))


def _format(value: Value | None) -> str:
    return one_line(value if isinstance(value, str) else " | ".join(value or ()), 500)


class Sampler:
    """A random sample of a stream of dialogues. It contains those with the smallest digests of seed and id.

    So it does not depend on the order of the dialogues.

    Example:
        >>> sampler = Sampler(2, seed=7)
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> for name in ["d1", "d2", "d3", "d4"]:
        ...     sampler.take(PairDialogue(name), TrackerScorer().compared())
        >>> len(sampler.sheets()), sampler.seen
        (2, 4)
    """

    def __init__(self, size: int, seed: int) -> None:
        self.seen = 0
        self._size = size
        self._seed = seed
        self._sample: list[tuple[int, str, Sheet]] = []

    def take(self, dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        """Process one dialogue of the stream."""
        self.seen += 1
        key = dialogue_key(dialogue.id)
        text = f"{self._seed}\x1f{key}".encode("utf-8", "surrogatepass")
        # Negative, because the heap drops its smallest item.
        rank = -int.from_bytes(hashlib.sha256(text).digest())
        if len(self._sample) < self._size or rank > self._sample[0][0]:
            put = heapq.heappush if len(self._sample) < self._size else heapq.heapreplace
            put(self._sample, (rank, key, make_sheet(dialogue, compared)))

    def sheets(self) -> list[Sheet]:
        """Return the sheets of the sampled dialogues, sorted by id."""
        return [sheet for _, _, sheet in sorted(self._sample, key=lambda item: item[1])]


def write_sheet(sheet: Sheet, rater: str, scale: RatingScale) -> str:
    """Return the text of a sheet for a rater to fill in.

    Example:
        >>> from dialmeter.studies.human.annotation_sheet import SheetSlot
        >>> turn = SheetTurn(0, "", "In the east.", (SheetSlot("hotel-area", "east", "", False),))
        >>> print(write_sheet(Sheet("MUL1.json", (turn,)), "rater1", RatingScale(1, 5)), end="")
        dialmeter annotation sheet
        Dialogue: MUL1.json
        Rater: rater1
        <BLANKLINE>
        How well did the system keep track of what the user wants, over the whole dialogue?
        Gold is what the user wants. Prediction is what the system understood. Both accumulate from turn to turn.
        Write a number after "Rating" on the last line: 1 = not at all, 5 = entirely.
        <BLANKLINE>
        Turn 0, match: no
          User: In the east.
          slot        gold  prediction
          hotel-area  east  –           ≠
        <BLANKLINE>
        Rating (1-5):
    """
    name = sheet.dialogue
    if not name.isprintable() or name != name.strip() or name[:1] in ("", '"'):
        name = json.dumps(name)  # so that it is parsed back unchanged
    lines = [HEADING, f"Dialogue: {name}", f"Rater: {rater}", "", QUESTION, HELP]
    lines.append(f'Write a number after "Rating" on the last line: {scale.low} = not at all, {scale.high} = entirely.')
    for turn in sheet.turns:
        lines += ["", f"Turn {turn.number}, match: {'yes' if turn.matched else 'no'}"]
        lines += [f"  {speaker}: {text}" for speaker, text in (("System", turn.system), ("User", turn.user)) if text]
        lines += [f"  {line}".rstrip() for line in _table(turn)]
    return "\n".join([*lines, "", f"Rating ({scale}):", ""])


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
    """Read the ratings on filled sheets, in a folder with or without one subfolder per rater.

    Args:
        folder: folder of the text sheets. The rater is the name on a sheet's line ``Rater:``, or else the name of its folder.

    Returns:
        Ratings; warnings about sheets without a rating and files that are not sheets; errors, at most one per sheet.

    Raises:
        DialmeterError: the folder does not exist or contains no sheet.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    collector, empty, others, problems = RatingCollector(), [], [], []
    sheets = 0
    for path in sorted(root.rglob("*.txt")):
        name = str(path)
        try:
            lines = Source(path).text.splitlines()
            if not lines or lines[0].strip() != HEADING:
                others.append(one_line(path.relative_to(root).as_posix()))
                continue
            sheets += 1
            dialogue, rater, rating = _parse_sheet(lines, path.parent.name)
            collector.add(dialogue, rater, rating)
            if rating is None:
                empty.append(one_line(path.relative_to(root).as_posix()))
        except InputError as error:
            problems.append(error.at(file=name))
    if not sheets and not problems:
        raise DialmeterError(f"{folder}: no text sheet; a sheet must start with the line {HEADING!r}")
    notices = [
        Notice("not-filled", len(empty), f"{len(empty)} of {sheets} sheets have no rating", tuple(empty)),
        Notice("other-files", len(others), f"{len(others)} files are not sheets and were skipped", tuple(others)),
    ]
    return collector.ratings(), [notice for notice in notices if notice.count], problems


def _parse_sheet(lines: list[str], folder: str) -> tuple[str, str, float | None]:
    """Return dialogue, rater and rating. Indented lines are ignored."""
    fields: dict[str, str] = {}
    rating: float | None = None
    for number, line in enumerate(lines, 1):
        match = _LINE.match(line)
        if not match:
            continue
        label, text = match[1].capitalize(), match[4].strip()
        if label in fields:
            raise InputError(f"duplicate line {label!r}", line=number)
        fields[label] = text
        if label == "Rating" and text:
            scale = RatingScale(int(match[2]), int(match[3])) if match[2] else None
            rating = _parse_rating(text, scale, number)
    for label in ("Dialogue", "Rating"):
        if label not in fields:
            raise InputError(f"the line {label!r} is missing")
    return _parse_dialogue(fields["Dialogue"]), fields.get("Rater") or folder, rating


def _parse_dialogue(text: str) -> str:
    if text[:1] == '"':
        try:
            name = json.loads(text)
        except json.JSONDecodeError:
            name = None
        if isinstance(name, str):
            return name
    if not text or text[:1] == '"':
        raise InputError("the line 'Dialogue' has no id")
    return text


def _parse_rating(text: str, scale: RatingScale | None, line: int) -> float:
    rating = number_or_nan(text)
    if not math.isfinite(rating) or (scale and not scale.low <= rating <= scale.high):
        expected = f"a number from {scale.low} to {scale.high}" if scale else "a number"
        raise InputError(f"the rating must be {expected}, not {one_line(text)!r}", line=line)
    return rating
