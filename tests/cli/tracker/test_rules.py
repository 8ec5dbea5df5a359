"""``study rules`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..invoke import Cli
from ..samples import TOWN, native_lines, nested_document, services, written

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


NEEDS = {
    "dstc10": f"rules dstc10 cannot be applied: {NO_SECTIONS}",
    "convlab3": "rules convlab3 cannot be applied: they need slots that gold names without a value",
    "sgd": "schema",
}


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("command", ["score", "check", "study rules"])
def test_file_lacks_rule_set_needs(command: str, name: str, tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.json", nested_document(TOWN))
    result = cli(*command.split(), file, "--rules", name, code=2)
    assert NEEDS[name] in result.complaint
    assert result.out == ""


def test_predictions_with_empty_slots(tmp_path: Path, cli: Cli) -> None:
    turn = {"gt": {"hotel": {"area": "east"}}, "pr": {"hotel": {"area": "east", "name": ""}, "taxi": {"to": "x"}}}
    assert NEEDS["convlab3"] in cli.refused(
        "score", written(tmp_path / "p.json", json.dumps({"d1": {"0": turn}})), "--rules", "convlab3"
    )


def test_gold_without_chosen_slots(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.json", '[{"hotel": {"semi": {"view": ["sea"]}}}]')
    assert "gold holds none of the 19 slots that they use" in cli.refused(
        "score", file, "--gold", file, "--rules", "dstc10"
    )


def test_schema_for_service_rules(tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path, schema=False)
    words = ["score", pred, "--gold", gold, "--rules", "sgd", "-f", "json"]
    assert "--set schema" in cli.refused(*words)
    services(tmp_path)
    assert cli(*words).json["scores"][0]["value"] == 0.5


def test_services_that_schema_lacks(tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path)
    written(gold / "schema.json", '[{"service_name": "taxi", "slots": []}]')
    assert "slot hotel: the service is not in the schema" in cli.refused(
        "score", pred, "--gold", gold, "--rules", "sgd"
    )


@pytest.mark.parametrize("names", ["as-is", "multiwoz", "mwzeval"])
def test_service_and_schema_names(names: str, tmp_path: Path, cli: Cli) -> None:
    pred, gold = services(tmp_path)
    document = cli.json("score", pred, "--gold", gold, "--rules", "sgd", "--set", f"names={names}")
    assert document["scores"][0]["value"] == 0.5


def test_rules_make_no_difference_without_values(tmp_path: Path, cli: Cli) -> None:
    assert "no values" in cli.refused("study", "rules", written(tmp_path / "v.json", '{"d1": {"0": [1, 0]}}'))


@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
def test_signatures(style: str, file: Path, cli: Cli) -> None:
    words = ("study", "rules", file, "--rules", "dialmeter", "--rules", "trade", "-f", style)
    found = cli.json(*words)["scores"]
    assert found[0]["signature"] not in cli(*words).out
    result = cli(*words, "--verbose").out
    assert all(each["signature"] in result for each in found)


def test_turns_in_one_file_only(tmp_path: Path, cli: Cli) -> None:
    """Each rule set has its own treatment, unless --missing is given."""
    whole = {side: written(tmp_path / f"{side}.jsonl", native_lines(TOWN, side)) for side in ("gold", "pred")}
    few = {side: written(tmp_path / f"few-{side}.jsonl", native_lines({"d3": TOWN["d3"]}, side)) for side in whole}
    less = (few["pred"], "--gold", whole["gold"], "--rules", "mwzeval", "--rules", "dialmeter")
    first, second = cli.json("study", "rules", *less)["scores"]
    assert (first["value"], first["n"], second["value"]) == (1, 2, None)
    assert "no prediction" in second["reason"]
    for way, turns in (("empty", 6), ("skip", 2), ("predicted-only", 2)):
        found = cli.json("study", "rules", *less, "--set", f"missing={way}")["scores"]
        assert [score["n"] for score in found] == [turns, turns]
        assert all(f"|missing:{way}|" in score["signature"] for score in found)
    more = (whole["pred"], "--gold", few["gold"], "--rules")
    assert "a prediction without gold" in cli.refused("score", *more, "mwzeval")
    found = cli.json("study", "rules", *more, "dialmeter", "--rules", "mwzeval")["scores"]
    assert [score["value"] for score in found] == [1, None]
