"""Predictions and scores of trivial trackers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError
from dialmeter.measure import parse
from dialmeter.model import Dialogue, Frame, State, Turn
from dialmeter.tracking.baselines import TRIVIAL, WRONG, trivial
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scorer import TrackerScorer

LAW = settings(deadline=None, max_examples=25)
RULES = named("dialmeter")
MEASURES = [parse(measure) for measure in RULES.measures]
GOLD: list[State] = [
    {},
    {"hotel-area": "east"},
    {"hotel-area": "east", "hotel-name": ("a", "b")},
    {"hotel-area": "west", "hotel-name": ("a", "b")},
]
STATES = st.lists(
    st.dictionaries(st.sampled_from(["a-b", "a-c", "d-e"]), st.sampled_from(["1", "2", "none"]), max_size=3),
    min_size=1,
    max_size=6,
)


def dialogue(states: Sequence[State], name: str = "d") -> Dialogue:
    return Dialogue(name, tuple(Turn(number, gold=state) for number, state in enumerate(states)))


def predicted(name: str, states: Sequence[State], seed: int = 0) -> list[State | None]:
    return [turn.pred for turn in trivial(name, RULES, seed)(dialogue(states)).turns]


def scored(name: str, states: Sequence[State]) -> TrackerResult:
    scorer = TrackerScorer(MEASURES, RULES)
    scorer.add_dialogue(trivial(name, RULES)(dialogue(states)))
    return scorer.result()


def test_definitions() -> None:
    said = [{}, {"hotel-area": "east"}, {"hotel-area": "east", "hotel-name": "a"}]
    assert predicted("empty", GOLD) == [{}, {}, {}, {}]
    assert predicted("late", GOLD) == [{}, *said]
    assert predicted("copy-previous", GOLD) == [{}, said[1], said[1], said[1]]
    assert predicted("one-wrong", GOLD, seed=0) in (
        [{}, {"hotel-area": WRONG}, {"hotel-area": WRONG, "hotel-name": "a"}, {"hotel-area": WRONG, "hotel-name": "a"}],
        [{}, said[1], {**said[2], "hotel-name": WRONG}, {"hotel-area": "west", "hotel-name": WRONG}],
    )


@LAW
@given(STATES)
def test_empty_never_predicts_too_much(states: list[State]) -> None:
    counts = scored("empty", states).counts
    assert (counts["extra"], counts["wrong"], counts["correct"]) == (0, 0, 0)


@LAW
@given(STATES)
def test_copy_previous_constant(states: list[State]) -> None:
    found = [
        {slot for slot, value in (state or {}).items() if value != "none"}
        for state in predicted("copy-previous", states)
    ]
    first = next((slots for slots in found if slots), set())
    start = next((turn for turn, slots in enumerate(found) if slots), len(found))
    assert all(slots == first for slots in found[start:])


@LAW
@given(STATES)
def test_one_wrong_slot(states: list[State]) -> None:
    for gold, pred in zip(states, predicted("one-wrong", states), strict=True):
        assert pred is not None
        assert gold.keys() == pred.keys()
        assert sum(gold[slot] != pred[slot] for slot in gold) <= 1
    counts = scored("one-wrong", states).counts
    assert (counts["missed"], counts["extra"]) == (0, 0)


@pytest.mark.parametrize("name", TRIVIAL)
@LAW
@given(states=STATES)
def test_gold_is_never_worse(name: str, states: list[State]) -> None:
    perfect = TrackerScorer(MEASURES, RULES)
    perfect.add("d", states, states)  # type: ignore[arg-type]
    for best, score in zip(perfect.result().scores, scored(name, states).scores, strict=True):
        if best.value is not None and score.value is not None:
            assert score.value <= best.value + 1e-12


def test_one_wrong_everywhere() -> None:
    states: list[State] = [{"hotel-people": "1", "hotel-area": "no"}, {"hotel-people": "1", "hotel-area": "no"}]
    for rules in map(named, ("dialmeter", "fga-repo", "gca-repo", "trade", "convlab3-t5", "mwzeval")):
        scorer = TrackerScorer(["JGA"], rules)
        scorer.add_dialogue(trivial("one-wrong", rules)(dialogue(states)))
        assert scorer.result().value == 0, rules.name


def test_late_with_updates() -> None:
    rules = change(RULES, state="update")
    scorer = TrackerScorer(["JGA"], rules)
    scorer.add_dialogue(trivial("late", rules)(dialogue([{"a-b": "1"}, {"a-c": "2"}, {}])))
    assert scorer.result().value == pytest.approx(1 / 3)


def test_choice_by_seed_and_id() -> None:
    states: list[State] = [{f"a-{letter}": "1" for letter in "bcdefghij"}]
    back = [dict(reversed(states[0].items()))]
    tracker, other = trivial("one-wrong", RULES, 1), trivial("one-wrong", RULES, 2)
    names = [f"d{number}" for number in range(20)]
    chosen = [_wrong(tracker(dialogue(states, name))) for name in names]
    assert chosen == [_wrong(tracker(dialogue(back, name))) for name in names]
    assert chosen == [_wrong(tracker(dialogue(states, f"{name.upper()}.json"))) for name in names]
    assert chosen != [_wrong(other(dialogue(states, name))) for name in names]
    assert len(set(chosen)) > 3


def _wrong(found: Dialogue) -> str:
    return next(slot for slot, value in (found.turns[0].pred or {}).items() if value == WRONG)


def test_dropped_turns_and_intents() -> None:
    frames = {"hotel": Frame("find", "book", ("area",), ("name",))}
    given_ = Dialogue("d", (Turn(0, gold={"hotel-area": "east"}, frames=frames), Turn(1, pred={})))
    [turn] = trivial("late", RULES)(given_).turns
    assert turn.frames == {"hotel": Frame("find", None, ("area",), None)}


def test_small_dialogues() -> None:
    for name in TRIVIAL:
        assert trivial(name, RULES)(Dialogue("d", ())).turns == ()
        assert predicted(name, [{}]) == [{}]


def test_unknown_name() -> None:
    with pytest.raises(DialmeterError, match="did you mean empty"):
        trivial("empt", RULES)
