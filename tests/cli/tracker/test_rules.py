"""``tracker rules`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.tracking.rule_sets.rules import names

from ..invoke import Cli
from ..samples import TOWN, Pair, native_lines, nested_document, services, written

TURNS = [
    {"gold": {"hotel-name": "The Gables"}, "pred": {"hotel-name": "the gables"}},
    {"gold": {"hotel-name": "The Gables"}, "pred": {"hotel-name": "The Gables", "pub-area": "east"}},
    {
        "gold": {"hotel-name": "The Gables", "hotel-stars": ""},
        "pred": {"hotel-name": "The Gables", "hotel-stars": "none"},
    },
]

NO_SECTIONS = "they use slots in sections (semi, book), and this format has no sections"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three turns with different verdicts under different rule sets."""
    return written(tmp_path / "p.jsonl", native_lines({"d1": TURNS}))


def test_every_rule_set_the_default_first(file: Path, cli: Cli) -> None:
    found = cli.json("tracker", "rules", file)
    assert [score["rules"] for score in found["scores"]] == list(names())
    reasons = {score["rules"]: score["reason"] for score in found["scores"] if score["value"] is None}
    assert reasons.keys() == {"dstc10", "sgd"}
    assert reasons["dstc10"] == NO_SECTIONS
    assert "--schema" in reasons["sgd"]
    assert all(found["flips"][name] == [] for name in reasons)


def test_the_first_named_is_the_base(file: Path, cli: Cli) -> None:
    found = cli.json("tracker", "rules", file, "--rules", "trade", "--rules", "dialmeter")
    assert list(found["flips"]) == ["dialmeter"]
    assert found["flips"]["dialmeter"] == [
        {
            "dialogue": "d1",
            "turn": 0,
            "right": True,
            "because": ["values=nfkc+tidy+trim+blanks+lower"],
            "slots": [{"slot": "hotel-name", "gold": "The Gables", "pred": "the gables"}],
        },
        {
            "dialogue": "d1",
            "turn": 2,
            "right": True,
            "because": ["none=blank+none+null+not-mentioned+not_mentioned+n/a+unknown"],
            "slots": [{"slot": "hotel-stars", "gold": "", "pred": "none"}],
        },
    ]
    assert found["causes"] == [
        {"rule": "none=blank+none+null+not-mentioned+not_mentioned+n/a+unknown", "turns": 1},
        {"rule": "values=nfkc+tidy+trim+blanks+lower", "turns": 1},
    ]


def test_how_many_flips_are_listed(file: Path, cli: Cli) -> None:
    words = ["tracker", "rules", file, "--rules", "dialmeter", "--rules", "convlab3", "--flips"]
    assert "becomes" not in cli(*words, "0").out
    out = cli(*words, "1").out
    assert out.count("becomes") == 1
    assert "… and 1 more" in out


NEEDS = {
    "dstc10": f"rules dstc10 cannot be applied: {NO_SECTIONS}",
    "convlab3": "rules convlab3 cannot be applied: they need slots that gold names without a value",
    "sgd": "schema",
}


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("command", ["score", "check", "rules"])
def test_a_file_without_what_a_rule_set_needs(command: str, name: str, tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.json", nested_document(TOWN))
    result = cli("tracker", command, file, "--rules", name, code=2)
    assert NEEDS[name] in result.complaint
    assert result.out == ""


def test_predictions_that_name_empty_slots_are_not_enough(tmp_path: Path, cli: Cli) -> None:
    turn = {"gt": {"hotel": {"area": "east"}}, "pr": {"hotel": {"area": "east", "name": ""}, "taxi": {"to": "x"}}}
    assert NEEDS["convlab3"] in cli.refused(
        "tracker", "score", written(tmp_path / "p.json", json.dumps({"d1": {"0": turn}})), "--rules", "convlab3"
    )


def test_gold_without_any_of_the_slots_that_are_looked_at(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.json", '[{"hotel": {"semi": {"view": ["sea"]}}}]')
    assert "gold holds none of the 19 slots that they use" in cli.refused(
        "tracker", "score", file, "--gold", file, "--rules", "dstc10"
    )


def test_a_schema_makes_the_rules_of_services_fit(tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path, schema=False)
    words = ["tracker", "score", pred, "--gold", gold, "--rules", "sgd", "--json"]
    assert "--schema" in cli.refused(*words)
    services(tmp_path)
    assert cli(*words).json["scores"][0]["value"] == 0.5


def test_services_that_the_schema_lacks(tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path)
    written(gold / "schema.json", '[{"service_name": "taxi", "slots": []}]')
    assert "slot hotel: the service is not in the schema" in cli.refused(
        "tracker", "score", pred, "--gold", gold, "--rules", "sgd"
    )


@pytest.mark.parametrize("names", ["as-is", "multiwoz", "mwzeval"])
def test_names_of_services_and_of_their_schema_are_joined_alike(names: str, tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path)
    document = cli.json("tracker", "score", pred, "--gold", gold, "--rules", "sgd", "--names", names)
    assert document["scores"][0]["value"] == 0.5


class TestMissing:
    """Turns that are only in one file: each rule set has its own treatment, unless --missing is given."""

    @pytest.fixture
    def less(self, tmp_path: Path) -> Pair:
        return Pair(
            written(tmp_path / "pred.jsonl", native_lines({"d3": TOWN["d3"]}, "pred")),
            written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold")),
        )

    def scores(self, cli: Cli, files: Pair, *words: str) -> dict[str, Any]:
        found = cli.json("tracker", "rules", files.pred, "--gold", files.gold, *words)
        return {score["rules"]: score for score in found["scores"]}

    def test_the_first_rule_set_does_not_allow_it(self, less: Pair, cli: Cli) -> None:
        assert "4 turns have gold and no prediction" in cli.refused("tracker", "rules", less.pred, "--gold", less.gold)

    def test_one_way_for_all(self, less: Pair, cli: Cli) -> None:
        for way, turns in (("empty", 6), ("skip", 2), ("predicted-only", 2)):
            found = self.scores(cli, less, "--missing", way, "--rules", "dialmeter", "--rules", "mwzeval")
            assert [score["n"] for score in found.values()] == [turns, turns]
            assert all(f"|missing:{way}|" in score["signature"] for score in found.values())

    def test_a_rule_set_that_does_not_allow_it_is_not_applied(self, less: Pair, cli: Cli) -> None:
        found = self.scores(cli, less, "--rules", "mwzeval", "--rules", "dialmeter")
        assert (found["mwzeval"]["value"], found["mwzeval"]["n"]) == (1, 2)
        assert found["dialmeter"]["value"] is None
        assert "no prediction" in found["dialmeter"]["reason"]

    def test_a_prediction_without_gold(self, tmp_path: Path, cli: Cli) -> None:
        more = Pair(
            written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred")),
            written(tmp_path / "gold.jsonl", native_lines({"d3": TOWN["d3"]}, "gold")),
        )
        assert "a prediction without gold" in cli.refused(
            "tracker", "score", more.pred, "--gold", more.gold, "--rules", "mwzeval"
        )
        found = self.scores(cli, more, "--rules", "dialmeter", "--rules", "mwzeval")
        assert found["dialmeter"]["value"] == 1
        assert found["mwzeval"]["value"] is None


def test_a_rule_file_beside_named_sets(file: Path, tmp_path: Path, cli: Cli) -> None:
    mine = written(
        tmp_path / "mine.toml",
        'values = ["lower"]\nnone = ["", "none"]\ndontcare = "keep"\nextra = "ignore-slots"\nalternatives = "literal"\n'
        'match = "exact"\nmissing = "error"\nstate = "cumulative"\n',
    )
    found = cli.json("tracker", "rules", file, "--rules", "dialmeter", "--rules", str(mine))
    assert [(score["rules"], score["value"]) for score in found["scores"]] == [("dialmeter", 2 / 3), ("mine", 1)]


def test_rules_make_no_difference_without_values(tmp_path: Path, cli: Cli) -> None:
    assert "no values" in cli.refused("tracker", "rules", written(tmp_path / "v.json", '{"d1": {"0": [1, 0]}}'))


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
def test_signatures(style: str, file: Path, cli: Cli) -> None:
    words = ("tracker", "rules", file, "--rules", "dialmeter", "--rules", "trade", "--as", style)
    found = cli.json(*words)["scores"]
    assert found[0]["signature"] not in cli(*words).out
    result = cli(*words, "--signatures").out
    assert all(each["signature"] in result for each in found)
