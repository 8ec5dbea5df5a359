"""Normalisation of values and slots by rule sets."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.errors import InputError
from dialmeter.model import DELETED, NAMED, Dialogue, State, Turn, Value
from dialmeter.readers.pairs.state_layouts import FLAT, GLUED, StateLayout
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.tracking.pairs import Normaliser, PairRules
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import change, named, names
from dialmeter.tracking.scorer import TrackerScorer


def agrees(rules: str, gold: object, pred: object) -> bool:
    """Does a predicted value meet a gold value?"""
    words = Vocabulary()
    (wanted,), (found,) = (words.number({"a-b": value}, FLAT) for value in (gold, pred))
    pairs = PairRules(change(named(rules), only="all"), words)
    pairs.extend()
    return pairs.agrees(pairs.gold[wanted], pairs.pred[found])


def test_published_short_values() -> None:
    assert agrees("mwzeval", "11:15", "1")
    assert agrees("mwzeval", ["east", "west"], "east")
    assert not agrees("mwzeval", ["east", "west"], "west")
    assert not agrees("mwzeval", "east", "north")


@pytest.mark.parametrize(
    ("rules", "value", "gold", "pred"),
    [
        ("dialmeter", " The  Gables\t", "the gables", "the gables"),
        ("dialmeter", "None", None, None),
        ("dialmeter", " ", None, None),
        ("dialmeter", "NOT  mentioned", None, None),
        ("dialmeter", "null", None, None),
        ("dialmeter", "nonexistent", "nonexistent", "nonexistent"),
        ("dialmeter", "a|B", ("a", "b"), "a|b"),
        ("dialmeter", "a|A", "a", "a|a"),
        ("dialmeter", "a|none", "a", "a|none"),
        ("dialmeter", "none|", None, "none|"),
        ("dialmeter", ("A", "b|C"), ("a", "b", "c"), "a"),
        ("dialmeter", ("none", "x"), "x", None),
        ("dialmeter", DELETED, None, None),
        ("fga-repo", " The Gables", " The Gables", " The Gables"),
        ("fga-repo", "none", "none", "none"),
        ("fga-repo", "a|b", "a|b", "a|b"),
        ("fga-repo", ("a", "b"), "a|b", "a|b"),
        ("fga-repo", DELETED, None, None),
        ("gca-repo", "none", None, None),
        ("gca-repo", "None", "None", "None"),
        ("convlab3", "The Gables", "thegables", "thegables"),
        ("convlab3", "", None, None),
        ("convlab3", "none", "none", "none"),
        ("convlab3", " ", "", None),
        ("convlab3", "|", "", ""),
        ("convlab3", "A b|c|ab", ("ab", "c"), ("ab", "c")),
        ("convlab3-t5", "A b|c", "ab", "ab|c"),
        ("convlab3-t5", "|c", None, "|c"),
        ("convlab3-t5", " ", "", ""),
        ("mwzeval", "none", "none", "none"),
        ("mwzeval", "", "", ""),
        ("mwzeval", "dontcare", None, "dontcare"),
        ("mwzeval", "dont care", "dont care", "dont care"),
        ("mwzeval", ("east", "dontcare"), None, "east"),
        ("mwzeval", "a|b", "a|b", "a|b"),
        ("trade", "none", "none", "none"),
        ("sgd", ("A", "b|c"), ("A", "b|c"), "A"),
        ("sgd", "a|b", "a|b", "a|b"),
        ("dstc10", "One or Two", "one or two", "one or two"),
        ("dstc10", "One", "1", "1"),
        ("dstc10", " one", " one", " one"),
        ("dstc10", "ten", "ten", "ten"),
        ("dstc10", ("b", "A"), ("a", "b"), ("a", "b")),
        ("dstc10", ("a", "A"), ("a", "a"), ("a", "a")),
        ("dstc10", ("a", "a"), "a", "a"),
        ("dstc10", ("one", "1"), ("1", "1"), ("1", "1")),
        ("dstc10", ("a|b",), "a|b", "a|b"),
    ],
)
def test_what_becomes_of_value(rules: str, value: Value, gold: Value | None, pred: Value | None) -> None:
    normaliser = Normaliser(named(rules))
    assert normaliser.gold_value(value) == gold
    assert normaliser.pred_value(value) == pred
    assert normaliser.both(value) == (gold, pred, normaliser.absent(value))


@pytest.mark.parametrize("rules", names())
def test_empty_list_as_value(rules: str) -> None:
    value = () if named(rules).alternatives == "set" else None
    assert Normaliser(named(rules)).both(()) == (value, value, value is None)


@pytest.mark.parametrize("rules", names())
@pytest.mark.parametrize(("word", "absent"), [(NAMED, False), (DELETED, True)])
def test_marks_are_no_values(rules: str, word: str, absent: bool) -> None:
    assert Normaliser(named(rules)).both(word) == (None, None, absent)


@pytest.mark.parametrize(
    ("how", "value", "gold", "pred"),
    [
        ("literal", "a|b", "a|b", "a|b"),
        ("literal", ("a", "b"), "a|b", "a|b"),
        ("any-of", ("a", "b|c"), ("a", "b", "c"), "a"),
        ("any-of-both", "a|b|a", ("a", "b"), ("a", "b")),
        ("any-of-both", ("a", "b"), ("a", "b"), ("a", "b")),
        ("any-of-both", "a|a", "a", "a"),
        ("listed", "a|b", "a|b", "a|b"),
        ("listed", ("a", "b|c"), ("a", "b|c"), "a"),
        ("listed", ("a|b",), "a|b", "a|b"),
        ("first", "a|b", "a", "a|b"),
        ("first", ("a", "b"), "a", "a|b"),
        ("first", ("a|b",), "a|b", "a|b"),
        ("first-listed", "a|b", "a|b", "a|b"),
        ("first-listed", ("a", "b"), "a", "a"),
        ("first-listed", ("a|b", "c"), "a|b", "a|b"),
        ("set", "a|b", "a|b", "a|b"),
        ("set", ("b", "a", "b"), ("a", "b"), ("a", "b")),
    ],
)
def test_several_values(how: str, value: Value, gold: Value, pred: Value) -> None:
    normaliser = Normaliser(change(named("fga-repo"), alternatives=how))
    assert normaliser.both(value) == (gold, pred, False)


@pytest.mark.parametrize(
    ("rules", "gold", "pred", "equal"),
    [
        ("convlab3", "a|b", "x|B ", True),
        ("convlab3", "a|b", "x|y", False),
        ("convlab3", " ", "|", True),
        ("convlab3-t5", "a|b", "a", True),
        ("convlab3-t5", "a|b", "b", False),
        ("convlab3-t5", "a|b", "a|b", False),
        ("sgd", ["a", "b"], "b", True),
        ("dstc10", ["a", "b"], ["B", "A"], True),
        ("dstc10", ["a", "b"], ["a"], False),
        ("dstc10", ["1"], ["one", "1"], False),
        ("dstc10", [], [], False),
    ],
)
def test_what_meets_what(rules: str, gold: object, pred: object, equal: bool) -> None:
    assert agrees(rules, gold, pred) is equal


def test_absent_words_by_side() -> None:
    normaliser = Normaliser(change(named("fga-repo"), none="gold=none;pred=blank"))
    assert normaliser.both("none") == (None, "none", False)
    assert normaliser.both("") == ("", None, False)
    assert not normaliser.absent("none")


@pytest.mark.parametrize(
    ("how", "exact", "spaced"),
    [("drop", None, None), ("drop-exact", None, "dont care"), ("merge", "dontcare", "dontcare")],
)
def test_dontcare_of_gold_alone(how: str, exact: str | None, spaced: str | None) -> None:
    normaliser = Normaliser(change(named("fga-repo"), dontcare=f"gold={how};pred=keep"))
    assert [normaliser.gold_value(text) for text in ("dontcare", "dont care")] == [exact, spaced]
    assert [normaliser.pred_value(text) for text in ("dontcare", "dont care")] == ["dontcare", "dont care"]


def test_dontcare_dropped_as_written() -> None:
    normaliser = Normaliser(change(named("dialmeter"), dontcare="drop-exact"))
    assert normaliser.gold_value("dontcare") is None
    assert normaliser.gold_value(" Dontcare") == "dontcare"
    assert normaliser.gold_value("dontcare|east") == "east"


@pytest.mark.parametrize(
    ("names", "slots"),
    [
        ("as-is", ["train-Leave At", "train-leave_at", "hotel-book day", "hotel-bookday", "Hotel-day"]),
        ("multiwoz", ["train-leaveat", "hotel-day", "Hotel-day"]),
        ("mwzeval", ["train-leave", "train-leave_at", "hotel-bookday", "Hotel-day"]),
    ],
)
def test_names_of_slots(names: str, slots: list[str]) -> None:
    words = Vocabulary()
    written = ("train-Leave At", "train-leave_at", "hotel-book day", "hotel-bookday", "Hotel-day")
    numbers = words.number(dict.fromkeys(written, "x"), FLAT)
    pairs = PairRules(change(named("fga-repo"), names=names), words)
    pairs.extend()
    assert pairs.slot_names == slots
    assert words.state(numbers) == dict.fromkeys(written, "x")


def test_steps_see_rule_set_name() -> None:
    normaliser = Normaliser(named("mwzeval"))
    assert normaliser.gold_value(" 5 pm", "train-leave") == "17:00"
    assert normaliser.gold_value(" 5 pm", "restaurant-booktime") == " 5 pm"
    assert normaliser.gold_value("free", "hotel-parking") == "yes"
    assert normaliser.pred_value("Nando's", "restaurant-name") == "nandos"


class TestClash:
    """Two written names that become one slot."""

    BOTH: ClassVar[dict[str, str]] = {"hotel-book day": "monday", "hotel-day": "sunday"}

    def scored(self, gold: State, pred: State, **fields: str) -> TrackerResult:
        scorer = TrackerScorer(["JGA"], change(named("dialmeter"), **fields))
        scorer.add("d", [gold], [pred])
        return scorer.result()

    def value(self, gold: State, pred: State, clash: str) -> float | None:
        return self.scored(gold, pred, clash=clash).scores[0].value

    def test_keep(self) -> None:
        assert self.value(self.BOTH, self.BOTH, "keep") == 1
        assert self.value(self.BOTH, {"hotel-day": "sunday"}, "keep") == 0
        found = self.scored(self.BOTH, {"hotel-day": "sunday"})
        assert [(notice.code, notice.count, notice.where) for notice in found.notices] == [
            ("clash", 1, ("d turn 0: hotel-day",))
        ]

    def test_keep_in_updates(self) -> None:
        assert self.scored(self.BOTH, self.BOTH, state="update").scores[0].value == 1
        assert self.scored(self.BOTH, {"hotel-day": "sunday"}, state="update").scores[0].value == 0

    def test_last_holds(self) -> None:
        assert self.value(self.BOTH, {"hotel-day": "sunday"}, "last") == 1
        assert self.value({"hotel-day": "sunday"}, self.BOTH, "last") == 1
        assert self.value(dict(reversed(self.BOTH.items())), {"hotel-day": "sunday"}, "last") == 0

    @pytest.mark.parametrize("side", ["gold", "pred"])
    def test_error(self, side: str) -> None:
        states: dict[str, State] = {"gold": {}, "pred": {}, side: self.BOTH}
        with pytest.raises(InputError, match="slot hotel-day: duplicate slot with two values, 'monday' and 'sunday'"):
            self.value(states["gold"], states["pred"], "error")

    @pytest.mark.parametrize("clash", ["keep", "last", "error"])
    @pytest.mark.parametrize("other", ["Monday ", "none"])
    def test_none_for_equal_or_absent(self, clash: str, other: str) -> None:
        found = self.scored({"hotel-book day": "monday", "hotel-day": other}, {"hotel-day": "monday"}, clash=clash)
        assert found.scores[0].value == 1
        assert not found.notices

    @pytest.mark.parametrize("clash", ["keep", "last", "error"])
    def test_none_with_unchanged_names(self, clash: str) -> None:
        found = self.scored(self.BOTH, self.BOTH, clash=clash, names="as-is")
        assert found.scores[0].value == 1
        assert not found.notices


@pytest.mark.parametrize("side", ["gold", "pred"])
class TestOneNameTwice:
    """The same written name twice in one state, which lists of glued texts allow."""

    def scored(self, side: str, *texts: str, rules: str) -> float | None:
        words = Vocabulary()
        states = {"gold": ["a-b-x"], "pred": ["a-b-x"], side: list(texts)}
        scorer = TrackerScorer(["JGA"], rules, vocabulary=words)
        scorer.add_pairs(words.number_dialogue(Dialogue("d", (Turn(0, states["gold"], states["pred"]),)), GLUED))
        return scorer.result().scores[0].value

    @pytest.mark.parametrize("rules", ["dialmeter", "trade", "mwzeval"])
    def test_two_values_are_error(self, side: str, rules: str) -> None:
        with pytest.raises(InputError, match="slot a-b: duplicate slot with two values, 'y' and 'x'"):
            self.scored(side, "a-b-y", "a-b-x", rules=rules)

    @pytest.mark.parametrize("rules", ["dialmeter", "trade", "mwzeval"])
    def test_one_value_is_none(self, side: str, rules: str) -> None:
        assert self.scored(side, "a-b-x", "a-b-x", rules=rules) == 1

    def test_none_for_absent_word(self, side: str) -> None:
        assert self.scored(side, "a-b-none", "a-b-x", rules="dialmeter") == 1


def test_chosen_slots_only() -> None:
    words = Vocabulary()
    state = {
        "hotel": {"semi": {"area": "east", "day": "x"}, "book": {"day": "y", "stay": "2"}},
        "taxi": {"semi": {"day": "z"}},
    }
    numbers = words.number(state, StateLayout("sections"))
    pairs = PairRules(change(named("fga-repo"), only="hotel/semi/area,hotel/book/day,taxi/book/day"), words)
    pairs.extend()
    for table in (pairs.gold, pairs.pred):
        assert pairs.state([table[number] for number in numbers if table[number]]) == {
            "hotel-area": "east",
            "hotel-day": "y",
        }


SPELLINGS = ("dontcare", "don't care", "dont care", "do not care", "do n't care", "doesn't care", "does not care")


@pytest.mark.parametrize("spelling", [*SPELLINGS, "Don't Care", " DONTCARE "])
def test_spellings_of_dontcare(spelling: str) -> None:
    ours = named("dialmeter")
    assert Normaliser(ours).gold_value(spelling) == "dontcare"
    assert Normaliser(change(ours, dontcare="drop")).gold_value(spelling) is None
    assert Normaliser(change(ours, dontcare="keep")).gold_value(spelling) == spelling.strip().lower()


values = st.one_of(
    st.text(alphabet="aA |-\t", max_size=5),
    st.sampled_from((*SPELLINGS, "none", "null", "", "Not mentioned")),
    st.lists(st.text(alphabet="aA |", min_size=1, max_size=3), min_size=2, max_size=3).map(tuple),
)


@pytest.mark.parametrize("rules", ["dialmeter", "fga-repo", "convlab3", "mwzeval", "trade"])
@given(value=values)
@settings(derandomize=True, deadline=None, max_examples=100, database=None)
def test_what_is_normal_stays(rules: str, value: Value) -> None:
    normaliser = Normaliser(named(rules))
    for side in (normaliser.gold_value, normaliser.pred_value):
        once = side(value)
        # In ConvLab-3 a blank in gold is a value, and nothing at all is none.
        assert once is None or side(once) == once or (rules == "convlab3" and once == "")
    assert normaliser.both(value) == (
        normaliser.gold_value(value),
        normaliser.pred_value(value),
        normaliser.absent(value),
    )


def test_updates_add_up() -> None:
    def after(first: State, update: State) -> State:
        words = Vocabulary()
        pairs = PairRules(named("dialmeter"), words)
        numbers = [words.number(dict(state), FLAT) for state in (first, update)]
        pairs.extend()
        return words.state(pairs.accumulate(*numbers))

    first = {"a": "1", "b": "2"}
    assert after({}, first) == first
    assert after(first, {"a": "None", "c": "3"}) == {"b": "2", "c": "3"}
    assert after(first, {"b": DELETED}) == {"a": "1"}
    assert after(first, {}) == first
    assert after({"a-book day": "1"}, {"a-day": "2"}) == {"a-day": "2"}
