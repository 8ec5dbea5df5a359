"""Assembly of dialogues from rows. Each row is one turn, and rows may come in any order."""

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
"""Maximum number of places that a notice lists."""


class _Rows:
    """The rows of one dialogue. States are stored as pair numbers to save memory: all rows are kept until the end."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.gold: dict[int, PairState | None] = {}
        self.pred: dict[int, PairState | None] = {}


class TurnRows:
    """Collects rows and yields dialogues with their turns sorted by number.

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
        """Add a row: a turn with its number, flat states, and utterances.

        Raises:
            InputError: an invalid state.
        """
        gold, pred = (None if state is None else self.words.number(state, FLAT) for state in (turn.gold, turn.pred))
        rows = self._dialogues[dialogue_id]
        rows.turns.append(Turn(turn.number, user=turn.user, system=turn.system))
        rows.gold[turn.number] = gold
        rows.pred[turn.number] = pred

    def dialogues(
        self, renumber: Callable[[str, tuple[Turn, ...]], tuple[Turn, ...]] = lambda _, turns: turns
    ) -> Iterator[PairDialogue]:
        """Yield the dialogues in the order of their first rows.

        Args:
            renumber: returns the turns with other numbers, given the dialogue id and its turns.

        Raises:
            InputError: a duplicate turn.
        """
        for dialogue_id, rows in self._dialogues.items():
            sorted_turns = dialogue(dialogue_id, rows.turns).turns
            result = PairDialogue(dialogue_id, (self._file, None))
            result.turns = renumber(dialogue_id, sorted_turns)
            result.numbers = [turn.number for turn in result.turns]
            result.gold = [rows.gold[turn.number] for turn in sorted_turns]
            result.pred = [rows.pred[turn.number] for turn in sorted_turns]
            yield result


class Places:
    """Counts the occurrences that a notice reports, and stores the first places.

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
        """Return the notice. ``{}`` in the message is replaced by the count."""
        return Notice(code, self.count, message.format(self.count), tuple(self.where))


def add_notices(source: Source, notices: dict[str, tuple[Places, str]]) -> None:
    """Add a notice for each code that has occurrences."""
    source.notices += [places.notice(code, message) for code, (places, message) in notices.items() if places.count]


def turn_label(dialogue_id: Any, number: Any) -> str:
    """Return the place of a turn, as notices list it."""
    return f"{dialogue_id} turn {number}"


def as_id(thing: Any, what: str) -> str:
    """Return an id as a string. It may be written as a whole number.

    Raises:
        InputError: the id is empty or of another type.
    """
    if thing == "":
        raise InputError(f"{what} is empty")
    if type(thing) not in (str, int):
        raise InputError(f"{what} must be a string, found {kind_of(thing)}")
    return str(thing)


def add_row_place(error: InputError, dialogue_id: Any, number: Any) -> InputError:
    """Return the error with the dialogue and turn of the row added."""
    at = number if isinstance(number, str | int) and number != "" else None
    return error.at(dialogue=str(dialogue_id), turn=at)
