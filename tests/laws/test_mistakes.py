"""The class of every slot at every turn agrees with the counts, and the counts with the states, in one pass and merged from shards."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.model import Dialogue, State, Turn, Value
from dialmeter.tracking.compared import ComparedDialogue, SlotOutcome, TrackedTurn
from dialmeter.tracking.diagnosis.findings import Held, Mistakes
from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.rule_sets.rules import Rules, change, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.tally import CORRECT, MISSED, OVER, WRONG, Tally

from .corpora import ALTERNATIVES, PLAIN, SPELLINGS, anything, compared, corpora, law, tallies_of, walked

OURS = named("dialmeter")


def classed(each: Dialogue) -> list[tuple[Tally, TrackedTurn]]:
    return list(zip(tallies_of(each, rules=OURS), compared(each, OURS), strict=True))


@given(corpus=anything)
@law
def test_mistakes_are_the_errors_of_slot_accuracy(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for tally, turn in classed(each):
            kinds = [slot.kind for slot in turn.slots.values()]
            assert len(kinds) - kinds.count("correct") == tally.errors
            assert len(kinds) == tally.union
            assert kinds.count("correct") == tally.match
            assert turn.exact == tally.exact


@given(corpus=anything)
@law
def test_a_slot_is_missed_or_too_much_when_one_side_lacks_it(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for turn in compared(each, OURS):
            kinds = {name: slot.kind for name, slot in turn.slots.items()}
            assert kinds.keys() == turn.gold.keys() | turn.pred.keys()
            assert {slot for slot in kinds if kinds[slot] == "missed"} == turn.gold.keys() - turn.pred.keys()
            assert {slot for slot in kinds if kinds[slot] == "extra"} == turn.pred.keys() - turn.gold.keys()


@given(corpus=anything)
@law
def test_changed_slots_are_the_changes_that_are_counted(corpus: list[Dialogue]) -> None:
    for each in corpus:
        details = ComparedDialogue(*walked(each, OURS)).details()
        for tally, (*_, slots) in zip(tallies_of(each, rules=OURS), details, strict=True):
            changed = [kind for _, kind, is_changed, *_ in slots if is_changed]
            counts = [changed.count(kind) for kind in (MISSED, WRONG, OVER, CORRECT)]
            assert counts == [tally.missed, tally.wrong, tally.extra, tally.correct]


@given(corpus=anything)
@law
def test_a_carried_mistake_was_a_mistake_at_the_turn_before(corpus: list[Dialogue]) -> None:
    for each in corpus:
        for before, now in pairwise([{}, *(turn.slots for turn in compared(each, OURS))]):
            for slot, outcome in now.items():
                if outcome.age == "carried-over":
                    assert outcome.kind != "correct"
                    assert before[slot].kind == outcome.kind


@given(corpus=corpora())
@law
def test_without_deletions_a_turn_is_locally_right_when_all_its_mistakes_are_carried(corpus: list[Dialogue]) -> None:
    for each in corpus:
        previous = Turn(-1, gold={}, pred={})
        for turn, (tally, found) in zip(each.turns, classed(each), strict=True):
            left = ((previous.gold or {}).keys() - (turn.gold or {}).keys()) | (
                (previous.pred or {}).keys() - (turn.pred or {}).keys()
            )
            if not left:
                assert tally.local == all(slot.age != "new" for slot in found.slots.values())
            previous = turn


def test_alternatives_that_overlap_are_no_change_so_that_the_mistake_is_carried() -> None:
    turns = (Turn(0, gold={"a-b": ("1", "2")}, pred={"a-b": "9"}), Turn(1, gold={"a-b": ("2", "3")}, pred={"a-b": "9"}))
    (first, _), (second, found) = classed(Dialogue("d", turns))
    assert (first.wrong, second.wrong, second.since) == (1, 0, 1)
    assert found.slots == {"a-b": SlotOutcome("wrong", "carried-over")}


RULES = {
    "dialmeter": named("dialmeter"),
    "gca-repo": named("gca-repo"),
    "sets": change(named("dialmeter"), alternatives="set"),
}
MEASURES = ["FGA(lam=0.5)", "FGA(lam=0.5, local=code)", "GCA", "GCA(deletions=count)"]
written = corpora((*PLAIN, *ALTERNATIVES, *SPELLINGS), (*PLAIN, *SPELLINGS, "1|2", ("1", "2"), "[DELETE]"))


def under_rules(state: State | None, rules: Rules, side: str) -> dict[str, Value]:
    value_of = getattr(Normaliser(rules), f"{side}_value")
    found = {slot: value_of(value) for slot, value in (state or {}).items()}
    return {slot: value for slot, value in found.items() if value is not None}


def agree(gold: Value | None, pred: Value | None, rules: Rules) -> bool:
    return gold == pred or (rules.alternatives == "any-of" and isinstance(gold, tuple) and pred in gold)


def is_new(now: Value | None, before: Value | None, any_of: bool) -> bool:
    """Does a side say something of a slot that it did not say at the turn before?"""
    if now is None or now == before:
        return False
    if before is None or not any_of or (isinstance(now, str) and isinstance(before, str)):
        return True
    one, other = ({each} if isinstance(each, str) else set(each) for each in (now, before))
    return one.isdisjoint(other)


def kind_of(gold: Value | None, pred: Value | None, rules: Rules) -> str:
    if agree(gold, pred, rules):
        return ""
    return "missed" if pred is None else "extra" if gold is None else "wrong"


def counted_by_hand(corpus: list[Dialogue], rules: Rules) -> tuple[dict[Held, int], dict[Held, int]]:
    turns: Counter[Held] = Counter()
    new: dict[Held, int] = {}
    any_of = rules.alternatives == "any-of"
    for each in corpus:
        gold_before: dict[str, Value] = {}
        pred_before: dict[str, Value] = {}
        for turn in each.turns:
            gold, pred = under_rules(turn.gold, rules, "gold"), under_rules(turn.pred, rules, "pred")
            for slot in gold.keys() | pred.keys():
                now = gold.get(slot), pred.get(slot)
                before = gold_before.get(slot), pred_before.get(slot)
                turns[slot, *now] += 1
                kind = kind_of(*now, rules)
                if kind:
                    touched = is_new(now[0], before[0], any_of) or is_new(now[1], before[1], False)
                    carried = kind == kind_of(*before, rules) and not touched
                    new[slot, *now] = new.get((slot, *now), 0) + (not carried)
            gold_before, pred_before = gold, pred
    return turns, new


def scorer_of(corpus: list[Dialogue], rules: Rules) -> TrackerScorer:
    scorer = TrackerScorer(MEASURES if not rules.only else None, rules, by=("slot", "domain"))
    for each in corpus:
        scorer.add_dialogue(each)
    return scorer


@pytest.mark.parametrize("rules", RULES)
@given(corpus=written)
@law
def test_counts_of_states(rules: str, corpus: list[Dialogue]) -> None:
    found = scorer_of(corpus, RULES[rules]).result().mistakes
    assert (found.turns, found.new) == counted_by_hand(corpus, RULES[rules])


@pytest.mark.parametrize("rules", RULES)
@given(corpus=written, cut=st.integers(0, 4), asked=st.booleans())
@law
def test_shard_counts_add_up(rules: str, corpus: list[Dialogue], cut: int, asked: bool) -> None:
    merged = scorer_of([], RULES[rules])
    for shard in (corpus[:cut], corpus[cut:]):
        scorer = scorer_of(shard, RULES[rules])
        if asked:
            # To ask in the middle changes nothing.
            assert scorer.part.findings.mistakes == scorer.findings.mistakes
        merged.merge_part(pickle.loads(pickle.dumps(scorer.part)))
    found = merged.result().mistakes
    assert (found.turns, found.new) == counted_by_hand(corpus, RULES[rules])


@given(corpus=written)
@law
def test_tables_of_slots_and_values(corpus: list[Dialogue]) -> None:
    rules = RULES["dialmeter"]
    turns, new = counted_by_hand(corpus, rules)
    found: Mistakes = scorer_of(corpus, rules).result().mistakes
    by_slot = found.by_slot()
    for slot in {slot for slot, *_ in turns}:
        wrong = sum(count for key, count in turns.items() if key[0] == slot and key in new)
        assert sum(by_slot[slot].values()) == wrong
        assert sum(found.values(slot).values()) == sum(count for key, count in turns.items() if key[0] == slot)
    totals = [sum(by_slot[slot].values()) for slot in found.worst_slots(10)]
    assert totals == sorted(totals, reverse=True)
