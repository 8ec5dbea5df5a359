"""``dialmeter user score`` as a user types it: output, saved run, exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.users.scorer import score_user

from ..invoke import Cli
from ..user_samples import TALKS, lines, published, users


def values(document: dict[str, Any], domain: str = "combined") -> dict[str, float | None]:
    return {each["measure"]: each["value"] for each in document["scores"] if each["domain"] == domain}


def test_json_equals_result_of_library(cli: Cli, tmp_path: Path) -> None:
    found = cli.json("score", users(tmp_path))
    result = score_user(TALKS)
    assert found["scores"] == json.loads(json.dumps(result.to_dicts()))
    assert found["events"] == result.events
    assert found["counts"]["events"] == sum(sum(each.values()) for each in found["events"].values())
    assert values(found)["I-recall"] == pytest.approx((1 + 0.5 + 5 / 6 + 2 / 3) / 4)


def test_next_step_scores_in_same_way(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path)
    options = ["--rules", "gcdf1-repo", "--set", "requests.max=1", "--set", "profile=town", "--from", "native"]
    last = cli("score", file, *options).out.splitlines()[-1]
    assert last.endswith("--from native --set profile=town --rules gcdf1-repo --set requests.max=1")
    kept = cli("score", file, *options, "--out", tmp_path / "run").out.splitlines()[-1]
    assert kept == f"Next: dialmeter user query {tmp_path / 'run'} --dialogue hasty"


def test_user_without_losses(cli: Cli, tmp_path: Path) -> None:
    assert cli("score", users(tmp_path, TALKS[:1])).out.endswith("\nNo dialogue lost a point.\n")


def test_layouts_give_same_scores(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "published.json"
    file.write_text(json.dumps([published(each) for each in TALKS]))
    found = cli.json("score", file)
    assert found["format"] == "gcdf1"
    assert found["scores"] == cli.json("score", users(tmp_path))["scores"]


def test_goals_in_file_of_their_own(cli: Cli, tmp_path: Path) -> None:
    goals = tmp_path / "goals.json"
    goals.write_text(json.dumps({each.id: published(each)["goal"] for each in TALKS}))
    bare = [
        {key: value for key, value in json.loads(line).items() if key != "goal"} for line in lines(TALKS).splitlines()
    ]
    file = tmp_path / "bare.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in bare))
    cli("score", file, code=2)
    found = cli.json("score", file, "--goals", goals)
    assert values(found) == values(cli.json("score", users(tmp_path)))


def test_content_of_run(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    said = cli.json("score", users(tmp_path), "--set", "blame", "--out", folder)
    run = open_run(folder)
    assert run.manifest["scores"] == said["scores"]
    assert run.manifest["events"] == said["events"]
    assert run.manifest["verdicts"] == said["verdicts"]
    assert str(tmp_path) not in (folder / "run.json").read_text()
    hasty = next(row for row in run if row["id"] == "hasty")
    assert hasty["inform"]["hotel"]["wanted"] == ["area=east", "stars=4"]
    assert hasty["inform"]["hotel"]["counted"] == ["area=east"]
    assert hasty["request"]["hotel"]["counted"] == ["hotel-phone", "hotel-phone"]
    assert {"class": "missed_constraints", "family": "goal", "domain": "hotel", "about": "stars=4"} in hasty["events"]
    assert hasty["verdict"]["recall"]["why"] == "file_ends"
    assert [round(value, 6) for value in run.index()["I-recall"]] == [1.0, 0.5, round(5 / 6, 6), round(2 / 3, 6)]
    assert (folder / "report.md").read_text().startswith("# users.jsonl\n")


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("I-GCDF1 < 0.99", 1),
        ("I-GCDF1 < 0.1", 0),
        ("I-recall[hotel] < 0.84", 1),
        ("R-precision[hotel] > 0.99", 0),
    ],
)
def test_conditions(condition: str, code: int, cli: Cli, tmp_path: Path) -> None:
    said = cli("score", users(tmp_path), "--fail-if", condition, "-f", "json", code=code)
    assert said.json["command"] == "score"
    if code:
        assert said.complaint.startswith(f"{condition}: ")
