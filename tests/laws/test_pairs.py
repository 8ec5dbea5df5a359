"""Pairs as numbers: one number per written pair in any order; values that only Python treats as equal are kept apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.errors import InputError
from dialmeter.model import Dialogue, State, Turn, Value
from dialmeter.readers.pairs.slot_names import slot_namer
from dialmeter.readers.pairs.state_layouts import ANY, FLAT, GLUED, NESTED, SERVICES, StateLayout
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.validation import as_value
from dialmeter.tracking.digest import GOLD, GoldText
from dialmeter.tracking.pairs import NO_CELL, PairRules
from dialmeter.tracking.rule_sets.rules import named, names
from dialmeter.tracking.scorer import TrackerScorer

from .corpora import ALTERNATIVES, AS_WRITTEN, PLAIN, SPELLINGS, anything, law

SECTIONS = StateLayout("sections")
SLOTS = ("area", "name", "people", "leaveat")
states = st.dictionaries(
    st.sampled_from(("hotel", "taxi")),
    st.dictionaries(st.sampled_from(SLOTS), st.sampled_from(("east", "a-b", "2", "a|b", "dontcare")), min_size=1),
    min_size=1,
)
WRITERS: dict[str, Any] = {
    "flat": (FLAT, lambda state: {f"{domain}-{slot}": value for domain, slot, value in pairs_of(state)}),
    "flat, other names": (FLAT, lambda state: {f"{domain}-{OTHER[slot]}": value for domain, slot, value in pairs_of(state)}),
    "nested": (NESTED, lambda state: state),
    "any, nested": (ANY, lambda state: state),
    "any, flat": (ANY, lambda state: {f"{domain}-{slot}": [value] for domain, slot, value in pairs_of(state)}),
    "services": (SERVICES, lambda state: {domain: {f"{domain}-{slot}": [value] for slot, value in slots.items()} for domain, slots in state.items()}),
    "sections": (SECTIONS, lambda state: {domain: {"semi": slots, "book": {"booked": []}} for domain, slots in state.items()}),
    "book": (SECTIONS, lambda state: {domain: {"book": {**slots, "booked": [{"name": "x"}]}} for domain, slots in state.items()}),
    "glued": (GLUED, lambda state: [f"{domain}-{slot}-{value}" for domain, slot, value in pairs_of(state)]),
}  # fmt: skip
OTHER = {"area": "area", "name": "name", "people": "book people", "leaveat": "leave at"}


def pairs_of(state: dict[str, dict[str, str]]) -> list[tuple[str, str, str]]:
    return [(domain, slot, value) for domain, slots in state.items() for slot, value in slots.items()]


@given(listed=st.lists(states, min_size=1, max_size=4))
@law
def test_layouts_same_states_and_digest(listed: list[Any]) -> None:
    found = set()
    name_of = slot_namer("multiwoz")
    for layout, write in WRITERS.values():
        words = Vocabulary()
        numbers = [words.number(write(state), layout) for state in listed]
        plain = [
            {
                name_of(slot): "|".join([value] if isinstance(value, str) else value)
                for slot, value in words.state(each).items()
            }
            for each in numbers
        ]
        assert plain == [{f"{domain}-{slot}": value for domain, slot, value in pairs_of(state)} for state in listed]
        text = GoldText(words)
        text.extend()
        scorer = TrackerScorer(vocabulary=words)
        turns = tuple(Turn(place, gold=write(state), pred={}) for place, state in enumerate(listed))
        if layout is not GLUED:
            scorer.add_pairs(words.number_dialogue(Dialogue("d", turns), layout))
            found.add(scorer.findings.digest.hexes()[GOLD])
        forms = [sorted(text.told[text.form[pair]] for pair in each) for each in numbers]
        found.add(str(forms))
    assert len(found) == 2


ALIKE = ("1", 1, 1.0, True, False, 0, 0.0, "1.0", "0", "True", None, ["1"], [1], [True], [None], [], [[]], ["1", "2"],
         [1, "2"], [1.0, 2], [True, "2"], ["1", 2.0], ["1", None], ("1", "2"), {}, 10**30, 1e30, "é", "e\u0301")  # fmt: skip


def read_alone(value: Any) -> Value | str | None:
    try:
        return as_value(value)
    except InputError as error:
        return f"refused: {error}"


@given(values=st.lists(st.sampled_from(ALIKE), min_size=1, max_size=12), layout=st.sampled_from((FLAT, NESTED)))
@law
def test_value_independent_of_history(values: list[Any], layout: Any) -> None:
    words = Vocabulary()
    for value in values:
        state = {"a-b": value} if layout is FLAT else {"a": {"b": value}}
        wanted = read_alone(value)
        if isinstance(wanted, str) and wanted.startswith("refused"):
            with pytest.raises(InputError, match="a value must be"):
                words.number(state, layout)
        else:
            found = words.state(words.number(state, layout))
            assert found == ({} if wanted is None else {"a-b": wanted})
            assert all(type(each) in (str, tuple) for each in found.values())


@given(corpus=anything)
@law
def test_dense_numbers(corpus: list[Dialogue]) -> None:
    words = Vocabulary()
    known: dict[str, tuple[int, ...]] = {}
    for each in corpus:
        for turn in each.turns:
            for state in (turn.gold, turn.pred):
                numbers = words.number(dict(state or {}), FLAT)
                assert known.setdefault(repr(state), numbers) == numbers
                assert len(numbers) == len(state or {})
    used = {number for numbers in known.values() for number in numbers}
    assert used == set(range(len(words.values)))
    assert len(set(zip(words.slots, words.sections, words.values, strict=True))) == len(words.values)


def test_equal_states_identical() -> None:
    words = Vocabulary()
    east, west = {"hotel-area": "east"}, {"hotel-area": "west"}
    first, second = words.number(dict(east), FLAT), words.number(dict(west), FLAT)
    assert words.number(dict(east), FLAT) is first
    assert words.number(dict(west), FLAT) is second


VALUES: tuple[Value, ...] = (*PLAIN, *SPELLINGS, *ALTERNATIVES, "[DELETE]", "a-b", "the east", "east side")


@pytest.mark.parametrize("rules", names())
@given(values=st.lists(st.sampled_from(VALUES), min_size=1, max_size=10))
@law
def test_cells_under_rules(rules: str, values: list[Value]) -> None:
    words = Vocabulary()
    pairs = PairRules(structs.replace(named(rules), only=()), words)
    normaliser = pairs.normaliser
    numbers = []
    for value in values:
        numbers += words.number({"a-b": list(value) if isinstance(value, tuple) else value}, FLAT)
        pairs.extend()
    cells: dict[Value, int] = {}
    for number, value in zip(numbers, values, strict=True):
        for cell, wanted in (
            (pairs.gold[number], normaliser.gold_value(value)),
            (pairs.pred[number], normaliser.pred_value(value)),
        ):
            assert (cell == NO_CELL) is (wanted is None)
            if wanted is not None:
                assert pairs.values[cell] == wanted
                assert cells.setdefault(wanted, cell) == cell
        assert pairs.absent[number] is normaliser.absent(value)
        assert pairs.slot_names[pairs.slot[number]] == "a-b"
    assert len(set(cells.values())) == len(cells)


FLAT_STATES: list[State] = [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-day": ("sat", "sun")}]
WAYS: dict[str, list[Any]] = {
    "flat": [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-day": ["sat", "sun"]}],
    "tuples": [{"hotel-area": ("east",)}, {"hotel-area": ["east"], "hotel-day": ("sat", "sun")}],
    "other names": [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-book day": ["sat", "sun"]}],
    "nested": [{"hotel": {"area": "east"}}, {"hotel": {"area": ["east"], "book day": ["sat", "sun"]}}],
    "nested and flat": [{"hotel-area": "east"}, {"hotel": {"area": "east", "day": ("sat", "sun")}}],
    "with nothing": [{"hotel-area": "east", "taxi-to": None}, {"hotel": {"area": "east", "day": ["sat", "sun"]}, "taxi": {}}],
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_states_of_python_call(way: str) -> None:
    wanted, found = TrackerScorer(), TrackerScorer()
    pred = [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-day": "sun"}]
    wanted.add_dialogue(
        Dialogue("d", tuple(Turn(place, *both) for place, both in enumerate(zip(FLAT_STATES, pred, strict=True))))
    )
    found.add("d", WAYS[way], [{"hotel": {"area": "east"}}, {"hotel-area": "east", "hotel-day": "sun"}])
    assert found.result().scores == wanted.result().scores
    assert found.result().value == 1


@pytest.mark.parametrize("value", [True, [True], {}, [[]], [None], object(), {"x": {"y": "z"}}])
def test_none_values_in_python(value: object) -> None:
    scorer = TrackerScorer()
    with pytest.raises(InputError, match="dialogue d, turn 0, slot"):
        scorer.add("d", [{"a": {"b": value, "c": "d"}}], [{}])


def test_numbers_in_python_call() -> None:
    scorer = TrackerScorer(["JGA"], AS_WRITTEN)
    scorer.add(
        "d",
        [{"a-b": 1}, {"a-b": 1.0}, {"a-b": "1"}, {"a-b": 1.0}],
        [{"a-b": "1"}, {"a-b": 1}, {"a-b": 1}, {"a-b": "1.0"}],
    )
    assert scorer.result().value == 0.75
