"""The class of every slot of every turn agrees with what is counted."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from dialmeter.model import Dialogue, Turn
from dialmeter.rules import named
from dialmeter.tracking.classes import Outcome, outcomes
from dialmeter.tracking.prepare import Prepared, Preparer
from dialmeter.tracking.tally import Lens, Tally, walk

from .corpora import anything, corpora, law


def prepared(each: Dialogue) -> Prepared:
    return Preparer(named("dialmeter")).prepare(each)


def classed(each: Dialogue) -> list[tuple[Tally, dict[str, Outcome]]]:
    found = prepared(each)
    tallies = [Tally(*row) for row in walk(found.steps, Lens("paper", "ignore"), found.agree)]
    return list(zip(tallies, outcomes(found.steps, found.agree), strict=True))


@given(corpus=anything)
@law
def test_mistakes_are_the_errors_of_slot_accuracy(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for tally, slots in classed(each):
            kinds = [outcome.kind for outcome in slots.values()]
            assert len(kinds) - kinds.count("correct") == tally.errors
            assert len(kinds) == tally.union
            assert kinds.count("correct") == tally.match
            assert all(kind == "correct" for kind in kinds) == tally.exact


@given(corpus=anything)
@law
def test_a_slot_is_missed_or_too_much_when_one_side_lacks_it(corpus: list[Dialogue]) -> None:
    for each in corpus:
        found = prepared(each)
        for (_, gold, pred, _, _), slots in zip(found.steps, outcomes(found.steps, found.agree), strict=True):
            assert slots.keys() == gold.keys() | pred.keys()
            assert {slot for slot in slots if slots[slot].kind == "missed"} == gold.keys() - pred.keys()
            assert {slot for slot in slots if slots[slot].kind == "over"} == pred.keys() - gold.keys()


@given(corpus=anything)
@law
def test_a_carried_mistake_was_a_mistake_at_the_turn_before(corpus: list[Dialogue]) -> None:
    for each in corpus:
        turns = [{}, *(slots for _, slots in classed(each))]
        for before, now in pairwise(turns):
            for slot, outcome in now.items():
                if outcome.carried:
                    assert outcome.kind != "correct"
                    assert before[slot].kind == outcome.kind


@given(corpus=corpora())
@law
def test_without_deletions_a_turn_is_locally_right_when_all_its_mistakes_are_carried(corpus: list[Dialogue]) -> None:
    for each in corpus:
        previous = Turn(-1, gold={}, pred={})
        for turn, (tally, slots) in zip(each.turns, classed(each), strict=True):
            left = ((previous.gold or {}).keys() - (turn.gold or {}).keys()) | (
                (previous.pred or {}).keys() - (turn.pred or {}).keys()
            )
            if not left:
                assert tally.local == all(outcome.carried or outcome.kind == "correct" for outcome in slots.values())
            previous = turn


def test_alternatives_that_overlap_are_no_change_so_that_the_mistake_is_carried() -> None:
    turns = (Turn(0, gold={"a-b": ("1", "2")}, pred={"a-b": "9"}), Turn(1, gold={"a-b": ("2", "3")}, pred={"a-b": "9"}))
    (first, _), (second, slots) = [(tally, slots) for tally, slots in classed(Dialogue("d", turns))]
    assert (first.wrong, second.wrong, second.since) == (1, 0, 1)
    assert slots["a-b"] == Outcome("wrong", carried=True)
