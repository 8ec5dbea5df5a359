"""``score`` of trackers as a user types it, with conditions, and with gold and predictions that do not match each other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from ..invoke import Cli
from ..samples import BOTH, EAST, TOWN, native_lines, town, with_sections, written


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the file of the town, with a name without a folder."""
    monkeypatch.chdir(tmp_path)
    return town(tmp_path).name


def test_json_on_standard_output(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": {}, "pred": {}}, {"gold": EAST, "pred": {"hotel-area": "east|west"}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    result = cli("score", file, "-f", "json", "-m", "RSA", "-m", "JGA")
    codes = [warning["code"] for warning in result.json["warnings"]]
    assert codes == ["rsa-empty", "several-values"]
    assert [line[:9] for line in result.err.splitlines()] == ["warning: "] * 2
    assert cli("score", file, "-f", "json", "--quiet").err == ""


def test_measure_case_and_duplicates(file: str, cli: Cli) -> None:
    words = ["--measure", "jga", "--measure", "fga(lam=.5)", "--measure", "JGA(average=turn)"]
    found = cli.json("score", file, *words)
    assert [score["measure"] for score in found["scores"]] == ["JGA", "FGA(lam=0.5)"]


@pytest.mark.parametrize("measure", ["JGA", "FGA(lam=0.5)"])
def test_one_bare_number(measure: str, file: str, cli: Cli) -> None:
    value = cli.json("score", file, "--measure", measure)["scores"][0]["value"]
    assert cli("score", file, "-f", "value", "--measure", measure).out == f"{100 * value:.2f}\n"


def test_intervals_come_from_seed(file: str, cli: Cli) -> None:
    def limits(*words: str) -> list[object]:
        found = cli.json("score", file, "--measure", "FGA(lam=0.5)", *words)
        return [found["scores"][0]["ci"], found["intervals"]]

    assert limits() == limits()
    low, high = limits()[0]  # type: ignore[misc]
    assert 0 <= low <= 0.5656 <= high <= 1
    assert limits("--set", "ci=0") == [None, None]
    assert limits("--set", "seed=7")[1] != limits()[1]


def test_no_mistake(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d3": TOWN["d3"]}))
    assert cli("score", file, "-v").out.endswith("\nNo dialogue has a mistake.\n")
    assert "\nnext  " not in cli("score", file).out


def test_mean_over_dialogues_of_domain(file: str, cli: Cli) -> None:
    words = ("--by", "domain", "--set", "turns=all", "--measure", "JGA(average=dialogue)")
    scores = cli.json("score", file, *words)["scores"]
    assert {each.get("domain"): round(each["value"], 4) for each in scores} == {
        None: 0.4444,
        "hotel": 0.6667,
        "pub": 0,
        "taxi": 0.6667,
    }


def test_scores_beyond_one_and_below_zero(cli: Cli, tmp_path: Path) -> None:
    pred, gold = with_sections(tmp_path, {"hotel": {"semi": {"area": ["east"]}, "book": {"people": ["one", "1"]}}})
    words = ("--rules", "dstc10", "--measure", "ValuePrecision")
    assert cli.json("score", pred, "--gold", gold, *words)["scores"][0]["value"] > 1
    missed = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": BOTH, "pred": {}}]}))
    words = ("--rules", "trade", "--measure", "SA(slots=1)")
    assert cli.json("score", missed, *words)["scores"][0]["value"] < 0


def test_nothing_to_score(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d1": [{"gold": {}, "pred": {}}]}))
    found = cli.json("score", file, "-m", "all")
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
    found = cli.json("score", file)
    assert found["format"] == "vectors"
    assert set(found["counts"]) == {"dialogues", "turns", "exact_turns", "local_turns"}
    assert found["warnings"][0]["code"] == "no-values"


class TestNextCommand:
    """The last lines of the output are a command that works unchanged."""

    def next_of(self, cli: Cli, *words: str | Path) -> list[str]:
        _, found, command = cli("score", *words, "--quiet").out.partition("\nnext  dialmeter ")
        assert found
        return shlex.split(command.replace("\\\n", " "))

    @pytest.mark.parametrize("name", ["d1", "two words", "it's", "a$b;`c`", "日本"])
    def test_shows_worst_dialogue(self, name: str, tmp_path: Path, cli: Cli) -> None:
        file = written(tmp_path / "my file.jsonl", native_lines({name: TOWN["d1"]}))
        typed = self.next_of(cli, file)
        assert typed[0] == "find"
        assert f"\ndialogue {name}\n" in cli(*typed).out

    def test_scoring_settings_kept(self, tmp_path: Path, cli: Cli) -> None:
        gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
        pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
        only = written(tmp_path / "only.txt", "d1\nd3\n")
        read = ["--gold", gold, "--rules", "gca-repo", "--set", "none=keep", "--from", "native", "--only", only]
        typed = self.next_of(cli, pred, *read, "--set", "seed=7", "-m", "JGA")
        assert typed[:3] == ["find", str(pred), "d1"]
        assert sorted(typed[3:]) == sorted(map(str, read))
        assert cli.json(*typed)["found"] == 1


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("JGA <= 0.5", 1),
        ("JGA>0.4", 1),
        ("fga( lam = .5 ) < 0.6", 1),
        ("GCA(alpha=0.5, deletions=count) >= 0", 1),
        ("JGA < 0.5", 0),
        ("JGA > 0.5", 0),
    ],
)
def test_condition(condition: str, code: int, file: str, cli: Cli) -> None:
    result = cli("score", file, "--quiet", "--fail-if", condition, code=code)
    assert bool(result.err) is bool(code)
    assert "signature" in result.out


def test_of_group(file: str, cli: Cli) -> None:
    words = ["score", file, "--by", "domain", "--quiet", "--fail-if"]
    cli(*words, "JGA[taxi] < 0.4", code=1)
    cli(*words, "JGA[hotel] < 0.4")
    cli(*words, "JGA[pub] < 0.4", code=2)


def test_one_of_several(file: str, cli: Cli) -> None:
    words = ["--fail-if", "JGA < 0.1", "--fail-if", "SlotF1 < 0.6"]
    assert cli("score", file, "--quiet", *words, code=1).complaint.startswith("SlotF1 < 0.6")


def test_guarded_measure_shown(file: str, cli: Cli) -> None:
    found = cli.json("score", file, "--measure", "JGA", "--fail-if", "VR < 0.1")
    assert [score["measure"] for score in found["scores"]] == ["JGA", "VR"]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Write gold and predictions of the same three dialogues."""
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    return gold, written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))


def without(path: Path, dialogue: str, turn: int | None = None) -> None:
    """Remove a dialogue, or one of its turns, from a file."""
    kept = []
    for line in path.read_text().splitlines():
        found = json.loads(line)
        if found["dialogue_id"] == dialogue:
            if turn is None:
                continue
            found["turns"] = [each for each in found["turns"] if each["turn"] != turn]
        kept.append(json.dumps(found) + "\n")
    path.write_text("".join(kept))


def test_two_files_score_as_one(pair: tuple[Path, Path], cli: Cli, tmp_path: Path) -> None:
    gold, pred = pair
    together = written(tmp_path / "both.jsonl", native_lines(TOWN))
    one = cli.json("score", together)
    two = cli.json("score", pred, "--gold", gold)
    assert one["scores"] == two["scores"]
    assert one["counts"] == two["counts"]


def test_dialogue_without_gold(pair: tuple[Path, Path], cli: Cli) -> None:
    gold, pred = pair
    without(gold, "d2")
    without(gold, "d1", 2)
    result = cli("score", pred, "--gold", gold, "-f", "json")
    assert result.json["counts"]["dialogues"] == 2
    assert result.json["counts"]["turns"] == 4
    [extra] = [warning for warning in result.json["warnings"] if warning["code"] == "extra"]
    assert extra["count"] == 2
    assert sorted(extra["where"]) == ["d1 turn 2", "d2"]
    assert "warning: 2 turns have no gold and are not scored" in result.err


def test_ten_places_listed(tmp_path: Path, cli: Cli) -> None:
    many = {f"d{number:02}": TOWN["d1"] for number in range(12)}
    gold = written(tmp_path / "gold.jsonl", native_lines(many, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"d11": TOWN["d1"]}, "pred"))
    complaint = cli.refused("score", pred, "--gold", gold)
    assert "33 turns have gold and no prediction, 11 of them whole dialogues" in complaint
    assert "d09 …" in complaint
    assert "d10" not in complaint


def test_ids_without_case_and_suffix(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines({"MUL1.json": TOWN["d3"]}, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"mul1": TOWN["d3"]}, "pred"))
    assert cli.json("score", pred, "--gold", gold)["scores"][0]["value"] == 1


def test_bad_gold_file_named(pair: tuple[Path, Path], cli: Cli) -> None:
    gold, pred = pair
    gold.write_bytes(gold.read_bytes()[:-9])
    for command in (["score"], ["check"], ["study", "rules"]):
        assert cli.refused(*command, pred, "--gold", gold).startswith(f"{gold}: line 3: not valid JSON")


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """Write a schema without the taxi."""
    return written(tmp_path / "schema.json", '["hotel-area", "hotel-stars", "pub-name"]')


def test_gold_slot_outside_schema(tmp_path: Path, schema: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    complaint = cli.refused("score", file, "--set", f"schema={schema}")
    assert complaint.startswith(f"{file}: dialogue d1, turn 1, slot taxi-to: ")
    assert "schema" in complaint
    assert (
        cli.refused("check", file, "--set", f"schema={schema}")
        == f"{file}: 1 slots in gold are not in the schema: dialogue d1, turn 1, slot taxi-to"
    )


def test_predicted_slot_outside_schema(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "town.jsonl", native_lines(TOWN))
    schema = written(tmp_path / "schema.json", '{"hotel": ["area"], "taxi": ["to"]}')
    cli("score", file, "--set", f"schema={schema}")
    assert (
        "warning: 1 slots in predictions are not in the schema [dialogue d2, turn 0, slot pub-name]"
        in cli("check", file, "--set", f"schema={schema}").err
    )
