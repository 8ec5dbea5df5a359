"""Rule sets: complete, printable, changeable, and doing what they say to values."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError
from dialmeter.formats.pairs.state_layouts import FLAT
from dialmeter.formats.pairs.vocabulary import Vocabulary
from dialmeter.measure import parse
from dialmeter.model import DELETED, State, Value
from dialmeter.normalise import Normaliser
from dialmeter.rules import FIELDS, change, load, named, names, parse_match
from dialmeter.tracking.pairs import PairRules

COMPLETE = {
    "values": '["trim"]',
    "none": '["none"]',
    "dontcare": '"merge"',
    "extra": '"penalise"',
    "alternatives": '"any-of"',
    "match": '"exact"',
    "missing": '"error"',
    "state": '"cumulative"',
}


def toml(**other: str | None) -> str:
    return "".join(f"{name} = {value}\n" for name, value in {**COMPLETE, **other}.items() if value is not None)


@pytest.mark.parametrize("name", names())
class TestNamed:
    """Every rule set that comes with dialmeter."""

    def test_states_all_eight_fields_in_its_own_file(self, name: str) -> None:
        text = files("dialmeter").joinpath("rulesets", f"{name}.toml").read_text("utf-8")
        assert set(FIELDS) <= tomllib.loads(text).keys()

    def test_says_what_it_is_and_what_it_was_checked_against(self, name: str) -> None:
        rules = named(name)
        assert rules.name == name
        assert rules.about.endswith(".")
        assert rules.evidence

    def test_names_measures_that_exist(self, name: str) -> None:
        rules = named(name)
        assert rules.measures
        assert [repr(parse(measure)) for measure in (*rules.measures, rules.headline)] == [
            *rules.measures,
            rules.headline,
        ]

    def test_every_field_can_be_shown_on_one_line(self, name: str) -> None:
        for field in FIELDS:
            shown = named(name).shown(field)
            assert shown
            assert not set(shown) & set(" |:\n")


def test_those_of_the_specification_are_there() -> None:
    assert names()[0] == "dialmeter"
    assert set(names()) == {
        "dialmeter", "fga-repo", "gca-repo", "trade", "sgd", "convlab3", "convlab3-t5", "mwzeval", "dstc10",
    }  # fmt: skip
    assert load("trade") is named("trade")


@pytest.mark.parametrize(
    ("given", "absent"),
    [("dialmeter", {"", "none", "null", "not mentioned"}), ("fga-repo", set()), ("gca-repo", {"none"}), ("trade", {"none"}), ("convlab3", {""})],
)  # fmt: skip
def test_words_that_mean_absent(given: str, absent: set[str]) -> None:
    assert set(named(given).none) == absent


class TestFile:
    """Rule sets of one's own."""

    def test_takes_its_name_from_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml())
        assert load(str(path)).name == "mine"
        path.write_text('name = "ours"\n' + toml())
        assert load(str(path)).name == "ours"

    @pytest.mark.parametrize("field", FIELDS)
    def test_must_state_every_field(self, field: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(**{field: None}))
        with pytest.raises(DialmeterError, match=f"mine.toml: .*`{field}`.*a rule set states values, none"):
            load(str(path))

    @pytest.mark.parametrize(
        ("field", "value"),
        [("values", '["upper"]'), ("none", '"none"'), ("dontcare", '"ignore"'), ("extra", "true"), ("state", "1")],
    )
    def test_must_state_something_known(self, field: str, value: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(**{field: value}))
        with pytest.raises(DialmeterError, match=rf"mine.toml: .*\$\.{field}"):
            load(str(path))

    @pytest.mark.parametrize("text", ["values = [", "\x00", "colour = 1\n" + toml()])
    def test_must_be_such_a_file(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(text)
        with pytest.raises(DialmeterError, match=r"mine\.toml: "):
            load(str(path))

    def test_must_be_text(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_bytes(b"\xff")
        with pytest.raises(DialmeterError, match=r"mine\.toml: cannot be read"):
            load(str(path))


class TestChange:
    """One field after the other, as on the command line."""

    @pytest.mark.parametrize(
        ("field", "text", "value"),
        [
            ("values", "as-is", ()),
            ("values", "trim, lower", ("trim", "lower")),
            ("values", "trim+lower", ("trim", "lower")),
            ("none", "keep", ()),
            ("none", "drop", ("", "none", "null", "not mentioned")),
            ("none", "none,null", ("none", "null")),
            ("dontcare", "drop", "drop"),
            ("extra", "ignore-domains", "ignore-domains"),
            ("alternatives", "set", "set"),
            ("match", "ratio>=90", "ratio>=90"),
            ("missing", "skip", "skip"),
            ("state", "update", "update"),
        ],
    )
    def test_sets_a_field(self, field: str, text: str, value: Any) -> None:
        base = named("dialmeter")
        changed = change(base, **{field: text})
        assert getattr(changed, field) == value
        assert all(getattr(changed, other) == getattr(base, other) for other in FIELDS if other != field)

    def test_leaves_alone_what_is_not_given(self) -> None:
        assert change(named("trade"), none=None) == named("trade")

    def test_an_unknown_field(self) -> None:
        with pytest.raises(DialmeterError, match=r"a rule set has no field 'nonne'; did you mean none\?"):
            change(named("trade"), nonne="keep")


class TestMatch:
    """Exact, or as similar as rapidfuzz says."""

    def test_thresholds(self) -> None:
        assert parse_match("exact") is None
        over, at = parse_match("ratio>50"), parse_match(" partial_ratio >= 95 ".strip())
        assert over is not None
        assert at is not None
        assert (over.threshold, over.inclusive, at.threshold, at.inclusive) == (50, False, 95, True)

    @pytest.mark.parametrize("text", ["", "fuzzy", "ratio", "ratio>", "ratio>x", "ratio<5", "eval>5"])
    def test_refused(self, text: str) -> None:
        with pytest.raises(DialmeterError, match="match is 'exact' or one of ratio"):
            parse_match(text)

    def test_the_published_one_lets_short_values_match(self) -> None:
        assert agrees("mwzeval", "11:15", "1")
        assert agrees("mwzeval", ["east", "west"], "west")
        assert not agrees("mwzeval", "east", "north")


def agrees(rules: str, gold: object, pred: object) -> bool:
    """Does a predicted value meet a gold value?"""
    words = Vocabulary()
    (wanted,), (found,) = (words.number({"a-b": value}, FLAT) for value in (gold, pred))
    pairs = PairRules(named(rules), words)
    pairs.extend()
    return pairs.agrees(pairs.gold[wanted], pairs.pred[found])


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
        ("dstc10", "One or Two", "1 or 2", "1 or 2"),
        ("dstc10", "someone", "someone", "someone"),
        ("dstc10", ("b", "A"), ("a", "b"), ("a", "b")),
        ("dstc10", ("a", "A"), "a", "a"),
    ],
)
def test_what_becomes_of_a_value(rules: str, value: Value, gold: Value | None, pred: Value | None) -> None:
    normaliser = Normaliser(named(rules))
    assert normaliser.gold_value(value) == gold
    assert normaliser.pred_value(value) == pred
    assert normaliser.both(value) == (gold, pred, normaliser.absent(value))


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
        assert once is None or side(once) == once
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
