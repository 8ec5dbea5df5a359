"""A compared dialogue in readable form: its states under the rules, and the outcome of every slot at every turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import one_line
from ..model import State, Value
from ..readers.pairs.vocabulary import PairDialogue
from .pairs import PairRules
from .tally import CORRECT, WRONG, Alternatives
from .walk import Walk

KIND_NAMES = ("", "correct", "wrong", "missed", "extra")
"""The names of the kinds of a walk in saved runs, by number."""
OUTCOMES = ("", "right", "wrong", "missed", "extra")
"""The same kinds, as conditions and texts name them."""


class SlotOutcome(NamedTuple):
    """One slot at one turn.

    Attributes:
        slot: the name of the slot.
        kind: one of the kinds of a walk.
        changed: gold or prediction changed the slot at this turn.
        carried: a mistake of the previous turn, and neither side changed the slot.
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
    """One turn: its number, both states under the rules, and its slots sorted by name."""

    number: int
    gold: State
    pred: State
    slots: list[SlotOutcome]

    @property
    def exact(self) -> bool:
        """Is the predicted state equal to the gold state?"""
        return all(each.kind == CORRECT for each in self.slots)


class ComparedDialogue:
    """The last dialogue of a walk. Its slots are available until the walk takes another dialogue.

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> from dialmeter.readers.pairs.vocabulary import Vocabulary
        >>> from dialmeter.model import Dialogue, Turn
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> words = Vocabulary()
        >>> pairs = PairRules(named("dialmeter"), words)
        >>> walk = Walk(pairs)
        >>> gold = {"a-x": "1", "a-y": "2"}
        >>> dialogue = Dialogue("d", (Turn(0, gold, {"a-x": "1"}), Turn(1, gold, {"a-x": "3"})))
        >>> walk.take(words.number_dialogue(dialogue, FLAT))
        2
        >>> [(each.slot, KIND_NAMES[each.kind], each.carried) for each in ComparedDialogue(walk, pairs).turns[1].slots]
        [('a-x', 'wrong', False), ('a-y', 'missed', True)]
    """

    def __init__(self, walk: Walk, pairs: PairRules) -> None:
        self.id = walk.id
        self.pairs = pairs
        # The cells of both states at every turn. If a state has not changed, the next turn has the same list object.
        self.numbers, self.gold, self.pred = walk.numbers, walk.gold, walk.pred
        self._walk = walk

    def states(self) -> Iterator[tuple[State, State]]:
        """Yield both states of every turn. If a state has not changed, the next turn has the same object."""
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

    def details(self) -> Iterator[tuple[int, State, State, list[Any]]]:
        """Yield for every turn its number, both states, and the details of its slots from ``Walk.rows``."""
        for number, (gold, pred), slots in zip(self.numbers, self.states(), self._slots("overlap"), strict=True):
            yield number, gold, pred, slots

    def wrong_changes(self, alternatives: Alternatives | None) -> list[list[tuple[Value, Value]]]:
        """Return the gold and predicted values of the wrong changes of every turn; ``alternatives`` as for ``Walk.rows``."""
        values = self.pairs.values
        return [
            [(values[gold], values[pred]) for _, kind, changed, _, gold, pred in slots if kind == WRONG and changed]
            for slots in self._slots(alternatives)
        ]

    def _slots(self, alternatives: Alternatives | None) -> list[Any]:
        if self._walk.numbers is not self.numbers:
            raise RuntimeError("the walk has taken another dialogue")
        details: list[Any] = []
        self._walk.rows("paper", "ignore", alternatives, None, details)
        return details

    @cached_property
    def turns(self) -> list[ComparedTurn]:
        """The compared turns."""
        names, values = self.pairs.slot_names, self.pairs.values
        turns: list[ComparedTurn] = []
        for number, gold_state, pred_state, slots in self.details():
            outcomes = [
                SlotOutcome(
                    names[slot], kind, changed, carried, values[gold] if gold else None, values[pred] if pred else None
                )
                for slot, kind, changed, carried, gold, pred in slots
            ]
            turns.append(ComparedTurn(number, gold_state, pred_state, sorted(outcomes)))
        return turns


_SIGNS = ("", "=", "≠", "−", "+")


def dialogue_lines(dialogue: PairDialogue, compared: ComparedDialogue) -> Iterator[str]:
    """Yield the dialogue as text lines: for every turn, the slots that are right, wrong, missed and extra."""
    yield f"dialogue {one_line(dialogue.id, 80)}"
    utterances = {turn.number: turn for turn in dialogue.turns}
    for turn in compared.turns:
        number = turn.number
        older = not turn.exact and all(each.carried or each.kind == CORRECT for each in turn.slots)
        yield f"turn {number}  {'right' if turn.exact else 'wrong, by older mistakes' if older else 'wrong'}"
        if utterances[number].system:
            yield f"  system  {one_line(utterances[number].system, 300)}"
        if utterances[number].user:
            yield f"  user    {one_line(utterances[number].user, 300)}"
        for each in turn.slots:
            yield f"  {_SIGNS[each.kind]} {one_line(each.slot, 60)}: {_format_values(each)}"


def _format_values(outcome: SlotOutcome) -> str:
    if outcome.kind == CORRECT:
        return _format_value(outcome.gold)
    note = f"  ({OUTCOMES[outcome.kind]}{', carried over' if outcome.carried else ''})"
    if outcome.kind == WRONG:
        return f"{_format_value(outcome.gold)} predicted as {_format_value(outcome.pred)}{note}"
    return f"{_format_value(outcome.gold if outcome.gold is not None else outcome.pred)}{note}"


def _format_value(value: Value | None) -> str:
    return one_line(value if isinstance(value, str) else " | ".join(value or ()), 80)
