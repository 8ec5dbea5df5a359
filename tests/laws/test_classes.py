"""The class of every slot at every turn agrees with the counts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from dialmeter.model import Dialogue, Turn
from dialmeter.tracking.compared import ComparedTurn
from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.tally import CORRECT, MISSED, OVER, WRONG, Tally

from .corpora import anything, compared, corpora, law, tallies_of

OURS = named("dialmeter")


def classed(each: Dialogue) -> list[tuple[Tally, ComparedTurn]]:
    return list(zip(tallies_of(each, rules=OURS), compared(each, OURS).turns, strict=True))


@given(corpus=anything)
@law
def test_mistakes_are_slot_errors(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for tally, turn in classed(each):
            kinds = [slot.kind for slot in turn.slots]
            assert len(kinds) - kinds.count(CORRECT) == tally.errors
            assert len(kinds) == tally.union
            assert kinds.count(CORRECT) == tally.match
            assert turn.exact == tally.exact


@given(corpus=anything)
@law
def test_missed_and_extra_slots(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for turn in compared(each, OURS).turns:
            kinds = {slot.slot: slot.kind for slot in turn.slots}
            assert kinds.keys() == turn.gold.keys() | turn.pred.keys()
            assert {slot for slot in kinds if kinds[slot] == MISSED} == turn.gold.keys() - turn.pred.keys()
            assert {slot for slot in kinds if kinds[slot] == OVER} == turn.pred.keys() - turn.gold.keys()
            for slot in turn.slots:
                assert (slot.gold, slot.pred) == (turn.gold.get(slot.slot), turn.pred.get(slot.slot))


@given(corpus=anything)
@law
def test_changed_slots(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for tally, turn in classed(each):
            changed = [slot.kind for slot in turn.slots if slot.changed]
            counts = [changed.count(kind) for kind in (MISSED, WRONG, OVER, CORRECT)]
            assert counts == [tally.missed, tally.wrong, tally.over, tally.correct]


@given(corpus=anything)
@law
def test_carried_mistakes(corpus: list[Dialogue]) -> None:
    for each in corpus:
        turns = [{}, *({slot.slot: slot for slot in turn.slots} for turn in compared(each, OURS).turns)]
        for before, now in pairwise(turns):
            for slot, outcome in now.items():
                if outcome.carried:
                    assert outcome.kind != CORRECT
                    assert not outcome.changed
                    assert before[slot].kind == outcome.kind


@given(corpus=corpora())
@law
def test_local_accuracy_without_deletions(corpus: list[Dialogue]) -> None:
    for each in corpus:
        previous = Turn(-1, gold={}, pred={})
        for turn, (tally, found) in zip(each.turns, classed(each), strict=True):
            left = ((previous.gold or {}).keys() - (turn.gold or {}).keys()) | (
                (previous.pred or {}).keys() - (turn.pred or {}).keys()
            )
            if not left:
                assert tally.local == all(slot.carried or slot.kind == CORRECT for slot in found.slots)
            previous = turn


def test_overlapping_alternatives_carried() -> None:
    turns = (Turn(0, gold={"a-b": ("1", "2")}, pred={"a-b": "9"}), Turn(1, gold={"a-b": ("2", "3")}, pred={"a-b": "9"}))
    (first, _), (second, found) = classed(Dialogue("d", turns))
    assert (first.wrong, second.wrong, second.since) == (1, 0, 1)
    [slot] = found.slots
    assert (slot.slot, slot.kind, slot.carried) == ("a-b", WRONG, True)
