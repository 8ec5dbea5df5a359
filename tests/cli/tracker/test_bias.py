"""``tracker bias`` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dialmeter.tracking.baselines import TRIVIAL

from .. import invoke

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "tracker-bias.json").read_text("utf-8"))


def written(path: Path, dialogues: int = 40, order: int | None = None) -> str:
    """A tracker that forgets one of four slots at one turn, or none, depending on the dialogue."""
    document = {}
    for number in range(dialogues):
        turns = 3 + number % 4
        gold = [{f"s{turn}": str(number) for turn in range(upto + 1)} for upto in range(turns)]
        gone = f"s{number % 5}"
        document[f"d{number:02d}"] = {
            str(turn): {"gt": {"inn": state}, "pr": {"inn": {slot: v for slot, v in state.items() if slot != gone}}}
            for turn, state in enumerate(gold)
        }
    if order is not None:
        names = list(document)
        random.Random(order).shuffle(names)
        document = {name: document[name] for name in names}
    path.write_text(json.dumps(document))
    return str(path)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> invoke.CommandResult:
    return invoke.call(capsys, "tracker", "bias", *words)


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, _ = call(capsys, *words, "--json")
    assert code == 0
    assert "NaN" not in out
    found: dict[str, Any] = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = call(capsys, written(tmp_path / "mine.json"), "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("mine  format nested  34 of 40 dialogues with a mistake  ")
    assert "\n40 of 40 dialogues scored\n" in out
    assert "The papers claim that GCA depends on TO and NU less than FGA(lam=0.5)." in out
    for title in ("the papers' claim", "correlation with TO1 and NU1", "r(first) minus r(second)", "between measures"):
        assert title in out
    for name in TRIVIAL:
        assert f"\n({name})" in out
    assert "|rules:dialmeter|" in out
    assert "\nSignature: JGA,SA," in out
    assert "nan" not in out


def test_json_has_what_the_schema_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "mine.json")
    found = as_json(capsys, file, "--measure", "JGA", "--measure", "GCA", "--measure", "FGA(lam=0.5)")
    assert len(found["correlations"]) == 4 * 3 * 3
    assert len(found["pairs"]) == 4 * 3 * 3
    assert len(found["between"]) == 3 * 3
    assert len(found["verdicts"]) == 4 * 2 * 3
    assert [each["yardstick"] for each in found["yardsticks"]] == list(TRIVIAL)
    assert all(score["ci"] for score in found["scores"])
    assert "dialogues" not in found
    rows = as_json(capsys, file, "--all-dialogues", "--trivial", "late")
    assert len(rows["dialogues"]) == rows["counts"]["dialogues"] == 40
    assert [each["yardstick"] for each in rows["yardsticks"]] == ["late"]
    assert as_json(capsys, file, "--trivial", "none")["yardsticks"] == []


def test_several_files_are_also_pooled(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [written(tmp_path / "a.json"), written(tmp_path / "b.json", 30)]
    found = as_json(capsys, *files, "--measure", "JGA", "--measure", "GCA", "--all-dialogues")
    assert list(dict.fromkeys(each["system"] for each in found["correlations"])) == ["a", "b", "pooled"]
    assert {each["system"] for each in found["scores"]} == {"a", "b"}
    assert found["counts"] | {"turns": 0} == {
        "systems": 2,
        "dialogues": 70,
        "turns": 0,
        "dialogues_with_mistakes": sum(any(row["mistakes"]) for row in found["dialogues"]),
    }
    [pooled] = [
        each
        for each in found["correlations"]
        if (each["system"], each["trait"], each["measure"], each["filter"]) == ("pooled", "TO", "JGA", "none")
    ]
    assert pooled["n"] == 70
    assert "repeated-dialogues" in [warning["code"] for warning in found["warnings"]]


def test_csv_has_one_row_per_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (written(tmp_path / "mine.json"), "--measure", "JGA", "--measure", "GCA", "--quiet", "--as", "csv")
    rows = list(csv.DictReader(io.StringIO(call(capsys, *words)[1])))
    assert len(rows) == 4 * 2 * 3
    assert -1 <= float(rows[0]["low"]) <= float(rows[0]["r"]) <= float(rows[0]["high"]) <= 1
    pairs = list(csv.DictReader(io.StringIO(call(capsys, *words, "--all-pairs")[1])))
    assert len(pairs) == 4 * 3
    assert {"strength_low", "difference"} <= pairs[0].keys()


def test_markdown_and_latex(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "my_own.json")
    page = call(capsys, file, "--quiet", "--as", "markdown")[1]
    assert page.startswith("# Do measures depend on the position of mistakes?\n\n## my\\_own\n\n- The papers claim")
    latex = call(capsys, file, "--quiet", "--as", "latex", "--all-pairs")[1]
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}")
    assert latex.count(r"\label{tab:bias") == 7
    assert latex.isascii() or set(filter(lambda letter: not letter.isascii(), latex)) <= {"…"}


def test_charts_with_their_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "charts"
    file = written(tmp_path / "mine.json", 12)
    words = (file, "--measure", "GCA", "--charts", str(folder))
    found = as_json(capsys, *words)
    assert found["charts"] == ["mine-gca-to.svg", "mine-gca-nu.svg", "mine-gca-grid.svg"]
    for chart in found["charts"]:
        assert "<svg" in (folder / chart).read_text("utf-8")
    rows = (folder / "mine-gca-to.csv").read_text("utf-8").splitlines()
    assert rows[0] == "dialogue,tail-orientedness (TO),GCA"
    assert len(rows) == 13
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "3 charts" in call(capsys, *words)[2]
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
    (tmp_path / "taken").write_text("")
    code, _, err = call(capsys, file, "--measure", "GCA", "--charts", str(tmp_path / "taken"), "--quiet")
    assert code == 2
    assert err.count("\n") == 1


def test_same_answer_for_any_hash_seed_and_order(tmp_path: Path) -> None:
    documents = set()
    for seed, order in (("0", None), ("1", 4), ("77", 9)):
        file = written(tmp_path / "mine.json", 20, order)
        words = [sys.executable, "-m", "dialmeter", "tracker", "bias", file, "--json", "--all-dialogues", "--quiet"]
        done = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        documents.add(done.stdout)
    assert len(documents) == 1


def test_published_files(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    folder = shared / "data" / "tracking"
    words = ["--measure", "FGA(lam=0.5)", "--measure", "GCA", "--quiet", "--resamples", "100"]
    found = as_json(
        capsys,
        str(folder / "som_dst_100.json"),
        str(folder / "nested" / "T5__T5_result_zeroshot_attraction.json"),
        *words,
    )
    outcomes = {(each["system"], each["trait"], each["filter"]): each["outcome"] for each in found["verdicts"]}
    assert outcomes["som_dst_100", "NU", "none"] == "undecided"
    assert outcomes["T5__T5_result_zeroshot_attraction", "NU", "none"] == "fails"
    assert outcomes["T5__T5_result_zeroshot_attraction", "NU", "published"] == "holds"
    scores = {
        (each["system"], each["yardstick"]): {score["measure"]: score["value"] for score in each["scores"]}
        for each in found["yardsticks"]
    }
    assert scores["som_dst_100", "empty"]["GCA"] == 0
    assert scores["som_dst_100", "one-wrong"]["GCA"] > scores["som_dst_100", "late"]["GCA"]
