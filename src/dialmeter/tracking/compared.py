"""A compared dialogue in readable form: its states under the rules, and the outcome of every slot at every turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct, field

from ..errors import one_line
from ..model import State, Value
from ..readers.pairs.vocabulary import PairDialogue
from ..readers.validation import TURN_DIGITS
from .pairs import PairRules
from .tally import CORRECT, MISSED, OVER, WRONG, Alternatives
from .walk import Walk

Kind: TypeAlias = Literal["correct", "wrong", "missed", "extra"]
SIGNS: Mapping[Kind, str] = {"correct": "=", "wrong": "≠", "missed": "−", "extra": "+"}
"""The kinds of a slot at a turn, and their signs on pages and in texts."""
OUTCOMES: Mapping[Kind, str] = {"correct": "right", "wrong": "wrong", "missed": "missed", "extra": "extra"}
"""The same kinds, as conditions and texts name them."""


class SlotOutcome(Struct, frozen=True, gc=False):
    """The outcome of one slot at one turn; a mistake is carried over from the previous turn if neither side changed the slot."""

    kind: Kind = field(name="class")
    age: Literal["new", "carried-over"] | None = None


class TrackedTurn(Struct, frozen=True, kw_only=True):
    """One turn: what was said, both states under the rules, and the outcome of each slot, sorted by name."""

    turn: Annotated[int, Meta(gt=-(10**TURN_DIGITS), lt=10**TURN_DIGITS)]
    system: str = ""
    user: str = ""
    gold: State
    pred: State
    exact: bool
    slots: dict[str, SlotOutcome]


class TrackedDialogue(Struct, frozen=True):
    """A compared dialogue, as runs keep it and pages show it."""

    id: str
    turns: tuple[TrackedTurn, ...]


_OUTCOMES = {
    (number, carried): SlotOutcome(kind, None if number == CORRECT else "carried-over" if carried else "new")
    for number, kind in zip((CORRECT, WRONG, MISSED, OVER), SIGNS, strict=True)
    for carried in (False, True)
}
"""The outcome by the number of its kind in a walk, and whether it is carried over."""


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
        >>> read = words.number_dialogue(dialogue, FLAT)
        >>> walk.take(read)
        2
        >>> ComparedDialogue(walk, pairs).tracked(read).turns[1].slots["a-y"]
        SlotOutcome(kind='missed', age='carried-over')
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

    def tracked(self, read: PairDialogue) -> TrackedDialogue:
        """Return the dialogue with names and values; the utterances are those of the dialogue as read."""
        names, said = self.pairs.slot_names, {turn.number: turn for turn in read.turns}
        turns = []
        for number, gold, pred, details in self.details():
            slots = {names[slot]: _OUTCOMES[kind, carried] for slot, kind, _, carried, _, _ in details}
            turns.append(
                TrackedTurn(
                    turn=number,
                    system=(number in said and said[number].system) or "",
                    user=(number in said and said[number].user) or "",
                    gold=gold,
                    pred=pred,
                    exact=all(each.kind == "correct" for each in slots.values()),
                    slots=dict(sorted(slots.items())),
                )
            )
        return TrackedDialogue(read.id, tuple(turns))


def dialogue_lines(dialogue: TrackedDialogue) -> Iterator[str]:
    """Yield the dialogue as text lines: for every turn, the slots that are right, wrong, missed and extra."""
    yield f"dialogue {one_line(dialogue.id, 80)}"
    for turn in dialogue.turns:
        older = not turn.exact and all(each.age != "new" for each in turn.slots.values())
        yield f"turn {turn.turn}  {'right' if turn.exact else 'wrong, by older mistakes' if older else 'wrong'}"
        for speaker, text in (("system", turn.system), ("user  ", turn.user)):
            if text:
                yield f"  {speaker}  {one_line(text, 300)}"
        for slot, each in turn.slots.items():
            values = [one_line(value_text(side[slot]), 80) for side in (turn.gold, turn.pred) if slot in side]
            text = " predicted as ".join(values if each.kind == "wrong" else values[:1])
            if each.kind != "correct":
                text += f"  ({OUTCOMES[each.kind]}{', carried over' if each.age == 'carried-over' else ''})"
            yield f"  {SIGNS[each.kind]} {one_line(slot, 60)}: {text}"


def value_text(value: Value | None) -> str:
    """Return a value as one text; alternatives are separated by bars, an absent value is empty.

    Example:
        >>> value_text("east"), value_text(("6:00", "06:00")), value_text(None)
        ('east', '6:00 | 06:00', '')
    """
    return value if isinstance(value, str) else " | ".join(value or ())
