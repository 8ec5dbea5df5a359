"""Rule sets: complete, printable, and changeable."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.measure import parse
from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.rule_sets.rules import (
    ABSENT_WORDS,
    EMPTY,
    FIELDS,
    BySide,
    change,
    load,
    named,
    names,
    parse_match,
)
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.values.maps import load as load_map

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

    def test_all_fields_in_file(self, name: str) -> None:
        text = files("dialmeter.tracking.rule_sets").joinpath("rulesets", f"{name}.toml").read_text("utf-8")
        assert set(FIELDS) <= tomllib.loads(text).keys()

    def test_description_and_check(self, name: str) -> None:
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

    def test_fields_on_one_line(self, name: str) -> None:
        for field in FIELDS:
            shown = named(name).shown(field)
            assert shown
            assert not set(shown) & set(" |:\n")


class TestFile:
    """Rule sets of one's own."""

    def test_takes_its_name_from_file(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml())
        assert load(str(path)).name == "mine"
        path.write_text('name = "ours"\n' + toml())
        assert load(str(path)).name == "ours"

    @pytest.mark.parametrize("field", COMPLETE)
    def test_must_state_these_fields(self, field: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(**{field: None}))
        with pytest.raises(
            DialmeterError, match=f"mine.toml: .*`{field}`.*a rule set needs the fields {', '.join(COMPLETE)}"
        ):
            load(str(path))

    def test_need_not_state_others(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml())
        mine = load(str(path))
        assert {name: getattr(mine, name) for name in FIELDS if name not in COMPLETE} == {
            "languages": "none",
            "names": "multiwoz",
            "clash": "keep",
            "only": (),
            "map": "",
            "backend": "levenshtein",
            "undefined": "none",
        }

    def test_may_differ_by_side(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        dontcare = '{ gold = "drop-exact", pred = "merge" }'
        path.write_text(toml(none='{ gold = ["<empty>"], pred = ["", "none"] }', dontcare=dontcare))
        mine = load(str(path))
        assert (mine.none_words("gold"), mine.none_words("pred")) == ((EMPTY,), ("", "none"))
        assert (mine.dontcare_of("gold"), mine.dontcare_of("pred")) == ("drop-exact", "merge")
        assert (mine.shown("none"), mine.shown("dontcare")) == (
            "gold=empty;pred=blank+none",
            "gold=drop-exact;pred=merge",
        )

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("values", '["upper"]'),
            ("none", '"none"'),
            ("none", '{ gold = ["none"] }'),
            ("none", "{ gold = [], pred = [], both = [] }"),
            ("dontcare", '"ignore"'),
            ("dontcare", '{ gold = "keep", pred = "ignore" }'),
            ("extra", "true"),
            ("state", "1"),
            ("names", '"multiwos"'),
            ("clash", '"first"'),
            ("only", '[["hotel", "area"]]'),
            ("backend", '"rapidfuzz"'),
            ("undefined", "0"),
        ],
    )
    def test_must_state_something_known(self, field: str, value: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(**{field: value}))
        with pytest.raises(DialmeterError, match=rf"mine.toml: .*\$\.{field}"):
            load(str(path))

    @pytest.mark.parametrize("text", ["values = [", "\x00", "colour = 1\n" + toml(), "only_slots = []\n" + toml()])
    def test_must_be_such_file(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(text)
        with pytest.raises(DialmeterError, match=r"mine\.toml: "):
            load(str(path))

    def test_must_be_text(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_bytes(b"\xff")
        with pytest.raises(DialmeterError, match=r"mine\.toml: not UTF-8 text"):
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
            ("none", "drop", ABSENT_WORDS),
            ("none", "none,null", ("none", "null")),
            ("dontcare", "drop", "drop"),
            ("none", "empty,none", (EMPTY, "none")),
            ("none", "blank", ("",)),
            ("none", "gold=empty;pred=blank,none", BySide(gold=(EMPTY,), pred=("", "none"))),
            ("none", "pred=drop;gold=keep", BySide(gold=(), pred=ABSENT_WORDS)),
            ("dontcare", "drop-exact", "drop-exact"),
            ("dontcare", "gold=drop-exact;pred=keep", BySide(gold="drop-exact", pred="keep")),
            ("extra", "ignore-domains", "ignore-domains"),
            ("extra", "unlisted", "unlisted"),
            ("alternatives", "set", "set"),
            ("match", "ratio>=90", "ratio>=90"),
            ("missing", "skip", "skip"),
            ("missing", "predicted-only", "predicted-only"),
            ("state", "update", "update"),
            ("names", "as-is", "as-is"),
            ("clash", "error", "error"),
            ("only", "hotel/semi/area, hotel/book/day", (("hotel", "semi", "area"), ("hotel", "book", "day"))),
            ("map", "multiwoz", "multiwoz"),
            ("backend", "difflib", "difflib"),
            ("undefined", "zero", "zero"),
        ],
    )
    def test_sets_field(self, field: str, text: str, value: Any) -> None:
        base = named("dialmeter")
        changed = change(base, **{field: text})
        assert getattr(changed, field) == value
        assert all(getattr(changed, other) == getattr(base, other) for other in FIELDS if other != field)

    def test_unset_fields_unchanged(self) -> None:
        assert change(named("trade"), none=None) == named("trade")

    def test_takes_back(self) -> None:
        changed = change(named("dstc10"), only="all", map="multiwoz")
        assert (changed.only, change(changed, map="none").map) == ((), "")

    @pytest.mark.parametrize(
        ("field", "text", "says"),
        [
            ("none", "gold=keep;pred=keep;both=keep", "none: .*`both`"),
            ("dontcare", "gold=keep;pred=never", "dontcare: .*'never'; known: drop, drop-exact, keep, merge"),
            ("names", "multiwos", "names: .*'multiwos'; known: as-is, multiwoz, mwzeval"),
            ("clash", "first", "clash: .*'first'; known: error, keep, last"),
            ("only", "hotel/area", "only: "),
            ("map", "multiwos", r"no value map 'multiwos'; did you mean multiwoz\?"),
            ("backend", "rapidfuzz", "backend: .*known: difflib, levenshtein"),
        ],
    )
    def test_refuses(self, field: str, text: str, says: str) -> None:
        with pytest.raises(DialmeterError, match=says):
            change(named("dialmeter"), **{field: text})

    def test_unknown_field(self) -> None:
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
        with pytest.raises(DialmeterError, match="use 'exact', or one of ratio"):
            parse_match(text)


def test_only_shown_by_digest() -> None:
    one, other = (
        change(named("dialmeter"), only=text).shown("only") for text in ("a/semi/b,a/book/c", "a/book/c,a/semi/b")
    )
    assert one == other
    assert one.startswith("2@")
    assert change(named("dialmeter"), only="a/semi/b,a/book/d").shown("only") != one
    assert named("dialmeter").shown("only") == "all"


class TestMap:
    """A map of values and their forms as a rule."""

    def test_brings_forms_to_values(self, tmp_path: Path) -> None:
        path = tmp_path / "areas.json"
        path.write_text('{"area": {"centre": ["city center", "middle"]}}')
        normaliser = Normaliser(change(named("dialmeter"), map=str(path)))
        assert normaliser.gold_value("Middle|east", "hotel-area") == ("centre", "east")
        assert normaliser.pred_value(" city  center", "hotel-area") == "centre"
        assert normaliser.pred_value("middle", "hotel-name") == "middle"

    def test_reread_after_change(self, tmp_path: Path) -> None:
        path = tmp_path / "areas.json"
        for value in ("centre", "south"):
            path.write_text(f'{{"area": {{"{value}": ["middle"]}}}}')
            rules = change(named("dialmeter"), map=str(path))
            assert Normaliser(rules).gold_value("middle", "hotel-area") == value

    def test_is_named_in_signature(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(map='"multiwoz"'))
        scorer = TrackerScorer(["JGA"], path)
        scorer.add("d", [{"hotel-type": "guesthouse"}], [{"hotel-type": "guest house"}])
        [score] = scorer.result().scores
        assert score.value == 1
        assert f"|map:{load_map('multiwoz').label}|" in score.signature
        assert load_map("multiwoz").label.startswith("multiwoz@")

    @pytest.mark.parametrize("value", ['"multiwos"', '"nowhere.json"'])
    def test_must_be_there(self, value: str, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(toml(map=value))
        with pytest.raises(DialmeterError, match=r"did you mean multiwoz\?|nowhere\.json: no such file"):
            load(str(path))
