"""Dialogues from rows of one turn each, which may come in any order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import InputError
from ..model import Notice, Turn
from .pairs.state_layouts import FLAT
from .pairs.vocabulary import PairDialogue, PairState, Vocabulary
from .parts import dialogue
from .source import Source
from .strict_json import kind_of

LISTED = 10
"""How many places a notice lists."""


class _Rows:
    """The rows of a dialogue by turn, with states as numbers, because all rows are kept until the last is read."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.gold: dict[int, PairState | None] = {}
        self.pred: dict[int, PairState | None] = {}


class TurnRows:
    """Collects rows and gives dialogues with their turns in order.

    Args:
        source: the file.
    """

    def __init__(self, source: Source) -> None:
        self._file = source.name
        self.words = source.vocabulary or Vocabulary()
        self._dialogues: defaultdict[str, _Rows] = defaultdict(_Rows)

    def __len__(self) -> int:
        return len(self._dialogues)

    @property
    def names(self) -> Iterable[str]:
        """The ids of the dialogues, in the order of their first rows."""
        return self._dialogues.keys()

    def add(self, dialogue_id: str, turn: Turn) -> None:
        """Takes a row: a turn with its number, flat states, and utterances.

        Raises:
            InputError: something that is no state.
        """
        gold, pred = (None if state is None else self.words.number(state, FLAT) for state in (turn.gold, turn.pred))
        rows = self._dialogues[dialogue_id]
        rows.turns.append(Turn(turn.number, user=turn.user, system=turn.system))
        rows.gold[turn.number] = gold
        rows.pred[turn.number] = pred

    def dialogues(
        self, renumber: Callable[[str, tuple[Turn, ...]], tuple[Turn, ...]] = lambda _, turns: turns
    ) -> Iterator[PairDialogue]:
        """The dialogues in the order of their first rows.

        Args:
            renumber: gives turns other numbers, from a dialogue's id and its turns.

        Raises:
            InputError: a duplicate turn.
        """
        for dialogue_id, rows in self._dialogues.items():
            written = dialogue(dialogue_id, rows.turns).turns
            found = PairDialogue(dialogue_id, (self._file, None))
            found.turns = renumber(dialogue_id, written)
            found.numbers = [turn.number for turn in found.turns]
            found.gold = [rows.gold[turn.number] for turn in written]
            found.pred = [rows.pred[turn.number] for turn in written]
            yield found


class Places:
    """Counts things that a notice reports, and keeps the first places of them.

    Example:
        >>> places = Places()
        >>> places.add("MUL1 turn 3")
        >>> places.notice("torn", "{} values are torn")
        Notice(code='torn', count=1, message='1 values are torn', where=('MUL1 turn 3',))
    """

    def __init__(self) -> None:
        self.count = 0
        self.where: list[str] = []

    def add(self, place: str) -> None:
        self.count += 1
        if len(self.where) < LISTED:
            self.where.append(place)

    def notice(self, code: str, message: str) -> Notice:
        """The notice; ``{}`` in its message is the count."""
        return Notice(code, self.count, message.format(self.count), tuple(self.where))


def add_notices(source: Source, notices: dict[str, tuple[Places, str]]) -> None:
    """Adds a notice for each code whose places are not empty."""
    source.notices += [places.notice(code, message) for code, (places, message) in notices.items() if places.count]


def place_of(dialogue_id: Any, number: Any) -> str:
    """A place as notices list it."""
    return f"{dialogue_id} turn {number}"


def plain_id(thing: Any, what: str) -> str:
    """An id, which may be written as a whole number.

    Raises:
        InputError: it is something else, or empty.
    """
    if thing == "":
        raise InputError(f"{what} is empty")
    if type(thing) not in (str, int):
        raise InputError(f"{what} must be a string, found {kind_of(thing)}")
    return str(thing)


def row_error(error: InputError, dialogue_id: Any, number: Any) -> InputError:
    """The error with dialogue and turn of a row, where they can be named."""
    at = number if isinstance(number, str | int) and number != "" else None
    return error.at(dialogue=str(dialogue_id), turn=at)
