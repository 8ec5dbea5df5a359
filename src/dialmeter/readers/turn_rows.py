"""Assembly of dialogues from rows, and boolean values in them.

Each row is one turn, and rows may come in any order. ``true`` and ``false`` are read as yes and no, if the slot has no other
values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import InputError, one_line
from ..model import DELETED, NAMED, Notice, Turn
from .pairs.state_layouts import FLAT
from .pairs.vocabulary import PairDialogue, PairState, Vocabulary
from .source import Source
from .strict_json import kind_of
from .validation import as_mapping, dialogue

LISTED = 10
"""Maximum number of places that a notice lists."""


class _Rows:
    """The rows of one dialogue. States are stored as pair numbers to save memory: all rows are kept until the end."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.gold: dict[int, PairState | None] = {}
        self.pred: dict[int, PairState | None] = {}


class TurnRows:
    """Collects the rows of a file, and yields dialogues with their turns sorted by number."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.words = source.vocabulary = source.vocabulary or Vocabulary()
        self._yes_no = YesNo()
        self._dialogues: defaultdict[str, _Rows] = defaultdict(_Rows)

    @property
    def names(self) -> Iterable[str]:
        """The ids of the dialogues, in the order of their first rows."""
        return self._dialogues.keys()

    def placing(self, dialogue_id: str, number: Any) -> TurnRows:
        """Context manager for reading a row: it adds the dialogue and the turn, as written, to errors."""
        self._yes_no.dialogue, self._yes_no.turn = dialogue_id, number
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, InputError):
            number = self._yes_no.turn
            turn = number if isinstance(number, str | int) and number != "" else None
            raise error.at(dialogue=self._yes_no.dialogue, turn=turn) from None

    def state(self, written: Any) -> Any:
        """Convert a state of any layout to a flat state; see :func:`flat_state`."""
        return flat_state(written, self._yes_no)

    def value(self, slot: str, written: Any) -> Any:
        """Return yes for true and no for false; any other value is unchanged."""
        return self._yes_no.replace_boolean(slot, written)

    def add(self, dialogue_id: str, turn: Turn) -> None:
        """Add a row: a turn with its number, flat states, and utterances.

        Raises:
            InputError: an invalid state.
        """
        gold = None if turn.gold is None else self.words.number(turn.gold, FLAT)
        pred = None if turn.pred is None else self.words.number(turn.pred, FLAT)
        rows = self._dialogues[dialogue_id]
        rows.turns.append(Turn(turn.number, user=turn.user, system=turn.system))
        rows.gold[turn.number] = gold
        rows.pred[turn.number] = pred

    def dialogues(
        self, empty: str, renumber: Callable[[str, tuple[Turn, ...]], tuple[Turn, ...]] = lambda _, turns: turns
    ) -> Iterator[PairDialogue]:
        """Yield the dialogues in the order of their first rows, and add the notice about true and false to the source.

        Args:
            empty: the error message if there are no rows.
            renumber: returns the turns with other numbers, given the dialogue id and its turns.

        Raises:
            InputError: no rows, or a duplicate turn.
        """
        if not self._dialogues:
            raise InputError(empty)
        for dialogue_id, rows in self._dialogues.items():
            sorted_turns = dialogue(dialogue_id, rows.turns).turns
            result = PairDialogue(dialogue_id, (self._source.name, None))
            result.turns = renumber(dialogue_id, sorted_turns)
            result.numbers = [turn.number for turn in result.turns]
            result.gold = [rows.gold[turn.number] for turn in sorted_turns]
            result.pred = [rows.pred[turn.number] for turn in sorted_turns]
            yield result
        self._source.notices += self._yes_no.notices(self.words)


class NoticeCounts:
    """Counts what the notices of a reader report, and stores the first places.

    Args:
        messages: code of a notice → its message. ``{}`` in the message is replaced by the count.

    Example:
        >>> counts = NoticeCounts({"torn": "{} values are torn", "empty": "{} values are empty"})
        >>> counts.add("torn", "MUL1 turn 3")
        >>> counts.notices()
        [Notice(code='torn', count=1, message='1 values are torn', where=('MUL1 turn 3',))]
    """

    def __init__(self, messages: Mapping[str, str]) -> None:
        self._messages = messages
        self._counts = dict.fromkeys(messages, 0)
        self._where: dict[str, list[str]] = {code: [] for code in messages}

    def add(self, code: str, place: str = "") -> None:
        """Count an occurrence. Without a place it is counted only."""
        self._counts[code] += 1
        if place and len(self._where[code]) < LISTED:
            self._where[code].append(place)

    def notices(self) -> list[Notice]:
        """Return a notice for each code that has occurrences."""
        counted = [(code, count) for code, count in self._counts.items() if count]
        return [
            Notice(code, count, self._messages[code].format(count), tuple(self._where[code])) for code, count in counted
        ]


def turn_label(dialogue_id: Any, number: Any) -> str:
    """Return the place of a turn, as notices list it."""
    return f"{dialogue_id} turn {number}"


def as_id(value: Any, what: str) -> str:
    """Return an id as a string. It may be written as a whole number.

    Raises:
        InputError: the id is empty or of another type.
    """
    if value == "":
        raise InputError(f"{what} is empty")
    if type(value) not in (str, int):
        raise InputError(f"{what} must be a string, found {kind_of(value)}")
    return str(value)


_NEUTRAL_VALUES = frozenset(
    ("", "none", "not mentioned", "dontcare", "dont care", "do n't care", "don't care", "yes", "no", DELETED, NAMED)
)
"""Values that do not show whether a slot holds only yes and no."""


class YesNo:
    """Replaces true and false by yes and no, and counts the replacements by slot."""

    def __init__(self) -> None:
        self.dialogue: str | None = None
        self.turn: Any = None
        """The dialogue and turn that are being read."""
        self._counts: dict[str, int] = {}
        self._places: dict[str, tuple[str | None, Any]] = {}

    def replace_boolean(self, slot: str, value: Any) -> Any:
        """Return yes for true and no for false; any other value is unchanged.

        Example:
            >>> YesNo().replace_boolean("hotel-parking", True), YesNo().replace_boolean("train-day", "friday")
            ('yes', 'friday')
        """
        if not isinstance(value, bool):
            return value
        self._counts[slot] = self._counts.get(slot, 0) + 1
        self._places.setdefault(slot, (self.dialogue, self.turn))
        return "yes" if value else "no"

    def notices(self, vocabulary: Vocabulary) -> list[Notice]:
        """Return the notice about replaced values. Call this when the whole file has been read.

        Raises:
            InputError: a slot with true or false also has values other than yes and no.
        """
        if not self._counts:
            return []
        for slot, value in zip(vocabulary.slots, vocabulary.values, strict=True):
            texts = (value,) if isinstance(value, str) else value
            other = next((text for text in texts if text.strip().lower() not in _NEUTRAL_VALUES), None)
            if slot in self._counts and other is not None:
                dialogue, turn = self._places[slot]
                raise InputError(
                    f"the value is true or false, but other values are like {one_line(other, 40)!r}; write the value as text",
                    dialogue=dialogue,
                    turn=turn if isinstance(turn, str | int) else None,
                    slot=slot,
                )
        total = sum(self._counts.values())
        message = f"{total} values are true or false, and were read as yes and no; write them as text"
        return [Notice("yes-no", total, message, tuple(sorted(self._counts)[:LISTED]))]


def flat_state(state: Any, yes_no: YesNo) -> Any:
    """Convert a state of any layout (flat, nested, or a list of ``domain-slot-value``) to a flat state.

    true and false become yes and no.

    Raises:
        InputError: a duplicate key, or a list element that is not ``domain-slot-value``.

    Example:
        >>> flat_state({"hotel": {"area": "east", "parking": True}}, YesNo()), flat_state(["hotel-area-east"], YesNo())
        ({'hotel-area': 'east', 'hotel-parking': 'yes'}, {'hotel-area': 'east'})
    """
    if state is None:
        return None
    if isinstance(state, list):
        return _from_list(state)
    if type(state) is dict and {str}.issuperset(map(type, state.values())):
        return state
    flat: dict[str, Any] = {}
    for key, value in as_mapping(state, "a state").items():
        inner: Mapping[str, Any] = {key: value}
        if "-" not in key and isinstance(value, dict):
            inner = {f"{key}-{name}": each for name, each in as_mapping(value, f"domain {one_line(key)}").items()}
        for slot, each in inner.items():
            if slot in flat:
                raise InputError("duplicate slot", slot=slot)
            flat[slot] = yes_no.replace_boolean(slot, each)
    return flat


def _from_list(pairs: list[Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for pair in pairs:
        parts = pair.split("-", 2) if isinstance(pair, str) else []
        if len(parts) < 3:
            raise InputError(f"a pair reads domain-slot-value, found {one_line(str(pair), 40)!r}")
        slot = f"{parts[0]}-{parts[1]}"
        if flat.setdefault(slot, parts[2]) != parts[2]:
            raise InputError("duplicate slot with two values", slot=slot)
    return flat
