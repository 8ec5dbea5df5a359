"""A dialogue under the rules as people look at it: states, and what every slot of every turn is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..model import State, Value
from .pairs import PairRules
from .tally import CORRECT
from .walk import Walk

KIND_NAMES = ("", "correct", "wrong", "missed", "over")
"""The kinds of a walk by their names."""


class SlotOutcome(NamedTuple):
    """One slot at one turn.

    Attributes:
        slot: its name.
        kind: one of those of a walk.
        changed: gold or prediction have changed the slot at this turn.
        carried: a mistake that stood at the turn before, and that neither side has touched.
        gold: the gold value; None for no value.
        pred: the predicted value.
    """

    slot: str
    kind: int
    changed: bool
    carried: bool
    gold: Value | None
    pred: Value | None


class ComparedTurn(NamedTuple):
    """One turn: its number, both states under the rules, and its slots by name."""

    number: int
    gold: State
    pred: State
    slots: list[SlotOutcome]

    @property
    def exact(self) -> bool:
        """Is the predicted state the gold state?"""
        return all(each.kind == CORRECT for each in self.slots)


class TurnCells(NamedTuple):
    """The cells of both states at every turn; the same list at the next turn where a state has not changed."""

    pairs: PairRules
    numbers: list[int]
    gold: list[list[int]]
    pred: list[list[int]]

    def states(self) -> Iterator[tuple[State, State]]:
        """Both states at every turn; the same objects at the next turn where a state has not changed."""
        gold: State = {}
        pred: State = {}
        last_gold: list[int] | None = None
        last_pred: list[int] | None = None
        for gold_cells, pred_cells in zip(self.gold, self.pred, strict=True):
            if gold_cells is not last_gold:
                gold, last_gold = self.pairs.state(gold_cells), gold_cells
            if pred_cells is not last_pred:
                pred, last_pred = self.pairs.state(pred_cells), pred_cells
            yield gold, pred


class ComparedDialogue(NamedTuple):
    """The turns of one dialogue that are compared, and their cells where they come from a walk."""

    id: str
    turns: Sequence[ComparedTurn]
    cells: TurnCells | None = None

    def kinds(self) -> Iterator[tuple[int, State, State, list[tuple[str, int, bool]]]]:
        """Number, both states, and the slots of every turn by name, each with its kind and whether it is carried over."""
        if isinstance(self.turns, _WalkedTurns) and self.cells is not None:
            for number, states, kinds in zip(self.cells.numbers, self.cells.states(), self.turns.kinds(), strict=True):
                yield number, *states, kinds
        else:
            for turn in self.turns:
                yield turn.number, turn.gold, turn.pred, [(each.slot, each.kind, each.carried) for each in turn.slots]


class _WalkedTurns(Sequence[ComparedTurn]):
    """The turns of the dialogue that a walk has taken last, compared when somebody asks for one."""

    def __init__(self, walk: Walk, cells: TurnCells) -> None:
        self._walk = walk
        self._cells = cells

    @cached_property
    def _turns(self) -> list[ComparedTurn]:
        walk, (pairs, numbers, _, _) = self._walk, self._cells
        if walk.numbers is not numbers:
            raise RuntimeError("the walk has taken another dialogue")
        details: list[Any] = []
        walk.rows("paper", "ignore", None, details)
        names, values = pairs.slot_names, pairs.values
        turns: list[ComparedTurn] = []
        for number, (gold, pred), slots in zip(numbers, self._cells.states(), details, strict=True):
            outcomes = [
                SlotOutcome(
                    names[slot],
                    kind,
                    changed,
                    carried,
                    values[wanted] if wanted else None,
                    values[found] if found else None,
                )
                for slot, kind, changed, carried, wanted, found in slots
            ]
            outcomes.sort()
            turns.append(ComparedTurn(number, gold, pred, outcomes))
        return turns

    def kinds(self) -> Iterator[list[tuple[str, int, bool]]]:
        """The slots of every turn by name, each with its kind and whether it is carried over: less than a turn holds."""
        details: list[Any] = []
        self._walk.rows("paper", "ignore", None, details)
        names = self._cells.pairs.slot_names
        for slots in details:
            kinds = [(names[slot], kind, carried) for slot, kind, _, carried, _, _ in slots]
            kinds.sort()
            yield kinds

    def __getitem__(self, place: Any) -> Any:
        return self._turns[place]

    def __iter__(self) -> Iterator[ComparedTurn]:
        return iter(self._turns)

    def __len__(self) -> int:
        return len(self._cells.numbers)


def compare_dialogue(walk: Walk, pairs: PairRules) -> ComparedDialogue:
    """The dialogue that a walk has taken last. Its turns can be asked for until the walk takes another.

    Example:
        >>> from dialmeter.formats.pairs.state_layouts import FLAT
        >>> from dialmeter.formats.pairs.vocabulary import Vocabulary
        >>> from dialmeter.model import Dialogue, Turn
        >>> from dialmeter.rules import named
        >>> words = Vocabulary()
        >>> pairs = PairRules(named("dialmeter"), words)
        >>> walk = Walk(pairs)
        >>> gold = {"a-x": "1", "a-y": "2"}
        >>> dialogue = Dialogue("d", (Turn(0, gold, {"a-x": "1"}), Turn(1, gold, {"a-x": "3"})))
        >>> walk.take(words.number_dialogue(dialogue, FLAT))
        2
        >>> [(each.slot, KIND_NAMES[each.kind], each.carried) for each in compare_dialogue(walk, pairs).turns[1].slots]
        [('a-x', 'wrong', False), ('a-y', 'missed', True)]
    """
    cells = TurnCells(pairs, walk.numbers, walk.gold, walk.pred)
    return ComparedDialogue(walk.id, _WalkedTurns(walk, cells), cells)
