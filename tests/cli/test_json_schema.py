"""Every JSON document of a command conforms to its schema in docs/schema, with any options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .invoke import CommandResult, call
from .samples import BOTH, TOWN, Pair, native_lines, nested_document, services, town, with_sections, written

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
MINE = ("tracker-score", "tracker-check", "tracker-rules", "list")


def schema_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    return found


def validate(name: str, result: CommandResult) -> dict[str, Any]:
    """Return the document on standard output after validation by its schema."""
    jsonschema.Draft202012Validator(schema_of(name)).validate(result.json)
    return result.json


@pytest.mark.parametrize("name", MINE)
def test_the_schema_itself(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(name))
    assert schema_of(name)["additionalProperties"] is False


SCORE_OPTIONS = [
    [],
    ["--ci", "0"],
    ["--ci", "0.9", "--resamples", "100", "--seed", "7"],
    ["--by", "domain", "--by", "slot", "--by", "turn", "--by", "without-domain"],
    ["--by", "domain", "--turns", "all", "--measure", "JGA", "--measure", "GCA(average=dialogue)"],
    ["--measure", "VP", "--measure", "FinalJGA", "--measure", "ValueF1", "--measure", "NoneF1", "--by", "turn"],
    ["--rules", "mwzeval"],
    ["--rules", "convlab3-t5", "--map", "multiwoz", "--backend", "difflib"],
    ["--names", "mwzeval", "--clash", "last", "--undefined", "zero", "--none", "gold=keep;pred=drop"],
    ["--rules", "gca-repo", "--none", "keep"],
    ["--rules", "convlab3", "--extra", "ignore-slots"],
    ["--dialogue", "d1"],
    ["--quiet", "--fail-if", "JGA < 0.1"],
]


@pytest.mark.parametrize("options", SCORE_OPTIONS, ids=" ".join)
def test_score(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = call(capsys, "tracker", "score", town(tmp_path), "--json", *options)
    assert result.code == 0
    validate("tracker-score", result)


@pytest.mark.parametrize("options", [["--by", "service"], ["--measure", "RequestedSlotRecall"]], ids=" ".join)
def test_score_of_services(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pred, gold = services(tmp_path)
    result = call(capsys, "tracker", "score", pred, "--gold", gold, "--rules", "sgd", "--json", *options)
    assert result.code == 0
    validate("tracker-score", result)


def test_score_of_sections(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pred, gold = with_sections(tmp_path)
    result = call(capsys, "tracker", "score", pred, "--gold", gold, "--rules", "dstc10", "--json")
    assert result.code == 0
    validate("tracker-score", result)


def test_scores_beyond_one_and_below_zero(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pred, gold = with_sections(tmp_path, {"hotel": {"semi": {"area": ["east"]}, "book": {"people": ["one", "1"]}}})
    words = ["--rules", "dstc10", "--measure", "ValuePrecision", "--json"]
    beyond = call(capsys, "tracker", "score", pred, "--gold", gold, *words)
    missed = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": BOTH, "pred": {}}]}))
    below = call(capsys, "tracker", "score", missed, "--rules", "trade", "--measure", "SA(slots=1)", "--json")
    assert beyond.json["scores"][0]["value"] > 1
    assert below.json["scores"][0]["value"] < 0
    for result in (beyond, below):
        validate("tracker-score", result)


def test_score_with_nothing_to_score(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": {}, "pred": {}}]}))
    found = validate("tracker-score", call(capsys, "tracker", "score", file, "--json"))
    unscored = {score["measure"]: score["reason"] for score in found["scores"] if score["value"] is None}
    assert unscored == {
        "SA": "no slot is known",
        "AGA": "no turn has a gold state",
        "GCA": "no state ever changed",
        "SlotF1": "gold and prediction are empty",
    }
    assert found["worst"]["dialogues"] == []


def test_score_of_correctness_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "v.json", json.dumps({"d1": {"0": [1, 1], "1": [1, 0]}, "d2": {"0": [1, 1]}}))
    found = validate("tracker-score", call(capsys, "tracker", "score", file, "--json"))
    assert found["format"] == "vectors"
    assert set(found["counts"]) == {"dialogues", "turns", "exact_turns", "local_turns"}
    assert found["warnings"][0]["code"] == "no-values"


def test_a_condition_that_holds_leaves_the_document_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = call(capsys, "tracker", "score", town(tmp_path), "--json", "--fail-if", "JGA < 0.9")
    assert result.code == 1
    validate("tracker-score", result)


@pytest.mark.parametrize(
    "options", [[], ["--rules", "gca-repo"], ["--names", "as-is"], ["--map", "multiwoz"], ["--quiet"]], ids=" ".join
)
def test_check(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = call(capsys, "tracker", "check", town(tmp_path), "--json", *options)
    assert result.code == 0
    assert validate("tracker-check", result)["fit"] is True


@pytest.mark.parametrize(("rules", "files"), [("sgd", services), ("dstc10", with_sections)])
def test_check_of_other_layouts(
    rules: str, files: Callable[[Path], Pair], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pred, gold = files(tmp_path)
    result = call(capsys, "tracker", "check", pred, "--gold", gold, "--rules", rules, "--json")
    assert result.code == 0
    found = validate("tracker-check", result)
    assert found["fit"] is True
    assert found["scores"][0]["value"] == 1


def test_check_of_a_file_with_problems(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"d1": TOWN["d1"]}, "pred"))
    schema = written(tmp_path / "schema.json", '["hotel-area"]')
    result = call(capsys, "tracker", "check", pred, "--gold", gold, "--schema", schema, "--json")
    assert result.code == 2
    found = validate("tracker-check", result)
    assert [problem["code"] for problem in found["problems"]] == ["missing", "unknown-slot"]


@pytest.mark.parametrize(
    "options", [[], ["--rules", "trade", "--rules", "convlab3"], ["--flips", "0"], ["--missing", "skip"]], ids=" ".join
)
def test_rules(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "town.json", nested_document(TOWN))
    result = call(capsys, "tracker", "rules", file, "--json", *options)
    assert result.code == 0
    found = validate("tracker-rules", result)
    assert found["counts"]["rule_sets"] == len(found["scores"])
    assert list(found["flips"]) == [score["rules"] for score in found["scores"][1:]]
    for score in found["scores"]:
        applies = score["rules"] not in ("convlab3", "dstc10", "sgd")
        assert ("reason" not in score) is (score["value"] is not None) is bool(score["signature"]) is applies


@pytest.mark.parametrize(
    "what",
    ["formats", "conversations", "measures", "rules", "events", "profiles", "attacks", "judges", "agents"],
)
def test_list(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "list", what, "--json")
    assert result.code == 0
    assert validate("list", result)["command"] == f"list {what}"


@pytest.mark.parametrize(
    "words",
    [
        ["formats", "nested"],
        ["measures", "JGA"],
        ["rules", "trade"],
        ["attacks", "dullness"],
        ["judges", "llm"],
        ["agents", "rule"],
    ],
)
def test_a_description_is_a_document_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "list", *words, "--json")
    assert result.code == 0
    assert result.json["command"] == f"list {words[0]}"
