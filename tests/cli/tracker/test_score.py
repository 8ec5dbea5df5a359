"""``tracker score`` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest

from dialmeter.core.comparability import difference

from ..invoke import Cli
from ..samples import BOTH, EAST, TOWN, native_lines, nested_document, town, with_sections, written


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the file of the town, with a name without a folder."""
    monkeypatch.chdir(tmp_path)
    return town(tmp_path).name


def test_without_measures_the_ten_of_the_rule_set(file: str, cli: Cli) -> None:
    found = cli.json("tracker", "score", file)
    assert [(score["measure"], round(100 * score["value"], 2)) for score in found["scores"]] == [
        ("JGA", 50.0),
        ("SA", 58.33),
        ("AGA", 60.0),
        ("RSA", 50.0),
        ("FGA(lam=0.25)", 53.69),
        ("FGA(lam=0.5)", 56.56),
        ("FGA(lam=0.75)", 58.79),
        ("FGA(lam=1)", 60.54),
        ("GCA", 61.4),
        ("SlotF1", 53.33),
    ]
    assert found["counts"] == {
        "dialogues": 3,
        "turns": 6,
        "exact_turns": 3,
        "local_turns": 4,
        "missed": 1,
        "wrong": 1,
        "over": 1,
        "correct": 3,
    }


def test_json_is_all_there_is_on_standard_output(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {}, "pred": {}}, {"gold": EAST, "pred": {"hotel-area": "east|west"}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    result = cli("tracker", "score", file, "--json")
    codes = [warning["code"] for warning in result.json["warnings"]]
    assert codes == ["rsa-empty", "several-values"]
    assert [line[:9] for line in result.err.splitlines()] == ["warning: "] * 2
    assert cli("tracker", "score", file, "--json", "--quiet").err == ""


def test_a_measure_is_asked_for_in_any_case_and_once(file: str, cli: Cli) -> None:
    words = ["--measure", "jga", "--measure", "fga(lam=.5)", "--measure", "JGA(average=turn)"]
    found = cli.json("tracker", "score", file, *words)
    assert [score["measure"] for score in found["scores"]] == ["JGA", "FGA(lam=0.5)"]


@pytest.mark.parametrize("measure", ["JGA", "FGA(lam=0.5)"])
def test_one_bare_number(measure: str, file: str, cli: Cli) -> None:
    value = cli.json("tracker", "score", file, "--measure", measure)["scores"][0]["value"]
    assert cli("tracker", "score", file, "-b", "--measure", measure).out == f"{100 * value:.2f}\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--bare needs exactly one --measure, found 0"),
        (("--measure", "JGA", "--measure", "SA"), "--bare needs exactly one --measure, found 2"),
        (("--measure", "JGA", "--json"), "--bare prints one number; it cannot be combined with --as json"),
        (("--measure", "JGA", "--by", "slot"), "--bare prints one number; it cannot be combined with --by"),
        (("--measure", "JGA", "--dialogue", "d1"), "--bare prints one number; it cannot be combined with --dialogue"),
        (("--measure", "JGA", "--signatures"), "--bare prints one number; it cannot be combined with --signatures"),
    ],
)
def test_no_bare_number(words: tuple[str, ...], says: str, file: str, cli: Cli) -> None:
    result = cli("tracker", "score", file, "-b", *words, code=2)
    assert (result.out, result.complaint) == ("", says)


def test_intervals_come_from_the_seed(file: str, cli: Cli) -> None:
    def limits(*words: str) -> list[object]:
        found = cli.json("tracker", "score", file, "--measure", "FGA(lam=0.5)", *words)
        return [found["scores"][0]["ci"], found["intervals"]]

    assert limits() == limits()
    low, high = limits()[0]  # type: ignore[misc]
    assert 0 <= low <= 0.5656 <= high <= 1
    assert limits("--ci", "0") == [None, None]
    assert limits("--seed", "7")[1] != limits()[1]


def test_no_mistake(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d3": TOWN["d3"]}))
    out = cli("tracker", "score", file).out
    assert out.endswith("\nNo dialogue has a mistake.\n")


GROUPS = {
    "domain": [("hotel", 5, 60.0), ("pub", 0, None), ("taxi", 3, 33.33)],
    "slot": [("hotel-area", 5, 60.0), ("pub-name", 0, None), ("taxi-to", 3, 33.33)],
    "turn": [(0, 3, 66.67), (1, 2, 50.0), (2, 1, 0.0)],
    "without-domain": [("hotel", 6, 50.0), ("pub", 6, 66.67), ("taxi", 6, 50.0)],
}


@pytest.mark.parametrize("group", GROUPS)
def test_scores_by_group(group: str, file: str, cli: Cli) -> None:
    found = cli.json("tracker", "score", file, "--measure", "JGA", "--by", group)
    of_groups = [score for score in found["scores"] if group in score]
    assert [
        (score[group], score["n"], score["value"] and round(100 * score["value"], 2)) for score in of_groups
    ] == GROUPS[group]
    assert all(f"{group}:{score[group]}" in score["signature"].split("|") for score in of_groups)
    table = cli("tracker", "score", file, "--measure", "JGA", "--by", group).out
    assert f"\nby {group}\n{group}" in table


def test_all_turns_of_a_domain(file: str, cli: Cli) -> None:
    words = ["--measure", "JGA", "--by", "domain", "--turns", "all", "--json"]
    found = cli("tracker", "score", file, *words).json
    by_domain = {score["domain"]: (score["n"], round(100 * score["value"], 2)) for score in found["scores"][1:]}
    assert by_domain == {"hotel": (6, 66.67), "pub": (6, 83.33), "taxi": (6, 66.67)}


def test_several_groups_are_one_table(file: str, cli: Cli) -> None:
    out = cli("tracker", "score", file, "--measure", "JGA", "--by", "turn", "--by", "domain", "--as", "csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["turn"], row["domain"]) for row in rows] == [
        ("", ""), ("0", ""), ("1", ""), ("2", ""), ("", "hotel"), ("", "pub"), ("", "taxi"),
    ]  # fmt: skip
    assert [(row["n"], row["value"], row["reason"]) for row in rows[4:]] == [
        ("5", "0.600000", ""),
        ("0", "", "nothing to count"),
        ("3", "0.333333", ""),
    ]


def test_two_layouts_give_one_result(tmp_path: Path, file: str, cli: Cli) -> None:
    nested = written(tmp_path / "town.json", nested_document(TOWN))
    one, other = (cli.json("tracker", "score", each) for each in (file, nested))
    assert (one["format"], other["format"]) == ("native", "nested")
    assert one["scores"] == other["scores"]
    forced = cli.json("tracker", "score", nested, "--from", "nested")
    assert forced["scores"] == one["scores"]


def _turns(*pairs: tuple[dict[str, object], dict[str, object]]) -> list[dict[str, object]]:
    return [{"gold": gold, "pred": pred} for gold, pred in pairs]


RULES: dict[str, tuple[str, list[dict[str, object]], float, float]] = {
    "names": ("as-is", _turns(({"a-book day": "1"}, {"a-day": "1"})), 1, 0),
    "clash": ("last", _turns(({"a-book day": "1", "a-day": "2"}, {"a-day": "2"})), 0, 1),
    "values": ("as-is", _turns(({"a-b": "East"}, {"a-b": "east"})), 1, 0),
    "none": ("keep", _turns(({"a-b": "none"}, {})), 1, 0),
    "dontcare": ("keep", _turns(({"a-b": "dontcare"}, {"a-b": "don't care"})), 1, 0),
    "extra": ("ignore-slots", _turns(({}, {"a-b": "1"})), 0, 1),
    "alternatives": ("literal", _turns(({"a-b": "x|y"}, {"a-b": "y"})), 1, 0),
    "match": ("partial_ratio>=90", _turns(({"a-b": "the gables"}, {"a-b": "gables"})), 0, 1),
    "missing": ("empty", _turns((EAST, EAST)), 1, 1),
    "state": ("update-pred", _turns((EAST, EAST), (BOTH, {"taxi-to": "a-b"})), 0.5, 1),
}


@pytest.mark.parametrize("field", RULES)
def test_a_rule_changes_the_number_and_the_signature(field: str, tmp_path: Path, cli: Cli) -> None:
    choice, turns, before, after = RULES[field]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    words = ["tracker", "score", file, "--measure", "JGA", "--json"]
    [usual] = cli(*words).json["scores"]
    [changed] = cli(*words, f"--{field}", choice).json["scores"]
    assert (usual["value"], changed["value"]) == (before, after)
    # A rule may also change what is seen of gold.
    lines = difference(usual["signature"], changed["signature"])
    [told] = [each for each in lines if not each.startswith("data: ")]
    assert told.startswith(f"{field}: ")
    assert told.endswith(f" ≠ {choice}")


def test_a_rule_of_a_named_set_may_be_changed(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d1": _turns(({"a-b": "none"}, {}))}))
    words = ["tracker", "score", file, "--measure", "JGA", "--rules", "gca-repo", "--json"]
    assert cli(*words).json["scores"][0]["value"] == 1
    assert cli(*words, "--none", "keep").json["scores"][0]["value"] == 0


def test_rules_from_a_file(tmp_path: Path, file: str, cli: Cli) -> None:
    rules = written(
        tmp_path / "strict.toml",
        'values = []\nnone = []\ndontcare = "keep"\nextra = "penalise"\nalternatives = "literal"\nmatch = "exact"\n'
        'missing = "error"\nstate = "cumulative"\nmeasures = ["SA"]\n[settings]\nSA = { slots = 10 }\n',
    )
    [score] = cli.json("tracker", "score", file, "--rules", rules)["scores"]
    assert score["measure"] == "SA"
    assert {"rules:strict", "values:as-is", "none:keep", "K:10"} <= set(score["signature"].split("|"))


def test_scores_beyond_one_and_below_zero(cli: Cli, tmp_path: Path) -> None:
    pred, gold = with_sections(tmp_path, {"hotel": {"semi": {"area": ["east"]}, "book": {"people": ["one", "1"]}}})
    words = ("--rules", "dstc10", "--measure", "ValuePrecision")
    assert cli.json("tracker", "score", pred, "--gold", gold, *words)["scores"][0]["value"] > 1
    missed = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": BOTH, "pred": {}}]}))
    words = ("--rules", "trade", "--measure", "SA(slots=1)")
    assert cli.json("tracker", "score", missed, *words)["scores"][0]["value"] < 0


def test_nothing_to_score(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": {}, "pred": {}}]}))
    found = cli.json("tracker", "score", file)
    unscored = {score["measure"]: score["reason"] for score in found["scores"] if score["value"] is None}
    assert unscored == {
        "SA": "no slot is known",
        "AGA": "no turn has a gold state",
        "GCA": "no state ever changed",
        "SlotF1": "gold and prediction are empty",
    }
    assert found["worst"]["dialogues"] == []


def test_correctness_alone(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "v.json", json.dumps({"d1": {"0": [1, 1], "1": [1, 0]}, "d2": {"0": [1, 1]}}))
    found = cli.json("tracker", "score", file)
    assert found["format"] == "vectors"
    assert set(found["counts"]) == {"dialogues", "turns", "exact_turns", "local_turns"}
    assert found["warnings"][0]["code"] == "no-values"


class TestNextCommand:
    """The last line of the output is a command that works unchanged."""

    def next_of(self, cli: Cli, *words: str | Path) -> list[str]:
        last = cli("tracker", "score", *words, "--quiet").out.splitlines()[-1]
        assert last.startswith("Next: dialmeter ")
        return shlex.split(last.removeprefix("Next: dialmeter "))

    @pytest.mark.parametrize("name", ["d1", "two words", "it's", "a$b;`c`", "--json", "日本"])
    def test_shows_the_worst_dialogue(self, name: str, tmp_path: Path, cli: Cli) -> None:
        file = written(tmp_path / "my file.jsonl", native_lines({name: TOWN["d1"]}))
        assert f"\ndialogue {name}\n" in cli(*self.next_of(cli, file)).out

    def test_keeps_what_says_how_it_was_scored(self, tmp_path: Path, cli: Cli) -> None:
        gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
        pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
        only = written(tmp_path / "only.txt", "d1\nd3\n")
        words = [pred, "--gold", gold, "--rules", "gca-repo", "--none", "keep", "--from", "native", "--only", only]
        typed = self.next_of(cli, *words)
        first = cli.json("tracker", "score", *words)
        again = cli.json(*typed)
        assert again["scores"] == first["scores"]
        assert typed[-2:] == ["--dialogue", "d1"]
