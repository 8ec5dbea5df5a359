"""``dialmeter score`` of users as a person types it: output, saved run, exit code."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run

from ...users.scoring import score_user
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
    said = cli("score", file, *options).out.replace(" \\\n     ", "").splitlines()[-1]
    assert said.startswith(f"next  dialmeter find {file} ")
    assert {" ".join(options[place : place + 2]) for place in range(0, 8, 2)} == set(re.findall(r"--\w+ \S+", said))
    assert cli(*shlex.split(said.removeprefix("next  dialmeter "))).out


def test_user_without_losses(cli: Cli, tmp_path: Path) -> None:
    said = cli("score", users(tmp_path, TALKS[:1])).out
    assert said.startswith("I-GCDF1 100.00, R-GCDF1 100.00; no point is lost.\nI-GCDF1  100.00")
    assert "\nnext" not in said


def test_goals_in_file_of_their_own(cli: Cli, tmp_path: Path) -> None:
    goals = tmp_path / "goals.json"
    goals.write_text(json.dumps({each.id: published(each)["goal"] for each in TALKS}))
    bare = [
        {key: value for key, value in json.loads(line).items() if key != "goal"} for line in lines(TALKS).splitlines()
    ]
    file = tmp_path / "bare.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in bare))
    cli("score", file, code=2)
    found = cli.json("score", file, "--gold", goals)
    assert values(found) == values(cli.json("score", users(tmp_path)))


def test_content_of_run(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    said = cli.json("score", users(tmp_path), "--out", folder)
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
    assert hasty["verdict"]["recall"]["reason"] == "file_ends"
    assert [round(value, 6) for value in run.index()["I-recall"]] == [1.0, 0.5, round(5 / 6, 6), round(2 / 3, 6)]


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


def test_requested_measures(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path)
    found = cli.json("score", file, "-m", "i-gcdf1[hotel]", "-m", "R-recall")
    assert [(each["measure"], each["domain"]) for each in found["scores"]] == [
        ("I-GCDF1", "hotel"),
        ("R-recall", "combined"),
    ]
    every = cli.json("score", file)["scores"]
    assert all(each in every for each in found["scores"])
    by_domain = cli.json("score", file, "-m", "I-recall", "--by", "domain")["scores"]
    assert by_domain == [each for each in every if each["measure"] == "I-recall"]
    assert "I-recall[train]" in cli("score", file, "-m", "I-recall", "--by", "domain").out
    value = next(each["value"] for each in every if (each["measure"], each["domain"]) == ("I-GCDF1", "hotel"))
    assert cli("score", file, "-m", "I-GCDF1[hotel]", "-f", "value").out == f"{100 * value:.2f}\n"
    assert "no domain 'spa'" in cli.refused("score", file, "-m", "I-GCDF1[spa]")


def test_chosen_dialogues(cli: Cli, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("good\nhasty\nnobody\n")
    found = cli.json("score", users(tmp_path), "--only", ids)
    assert (found["account"]["asked"], found["account"]["scored"]) == (3, 2)
    assert "|only:" in found["scores"][0]["signature"]


def test_without_blame(cli: Cli, tmp_path: Path) -> None:
    file, run = users(tmp_path), tmp_path / "run"
    found = cli.json("score", file, "--set", "blame=no", "--out", run)
    assert "verdicts" not in found
    assert cli("score", file, "--set", "blame=no").out.startswith("I-GCDF1 77.56, R-GCDF1 88.89.\n")
    assert "made with --set blame=no" in cli.refused("find", run, "party=user")


def test_patterns_of_file(cli: Cli, tmp_path: Path) -> None:
    found = cli.json("score", users(tmp_path), "--by", "pattern")
    assert found["goals"] == {"hotel": 2, "restaurant": 1, "taxi": 1, "train": 1}
    assert found["patterns"] == {
        "booking": {"restaurant": {"miss_one": 1}},
        "missed": {"taxi": {"missed_domain": 1}},
        "provision": {"train": {"prov_all": 1}},
        "requests": {"train": {"miss_all_reqs": 1}},
        "search": {
            "hotel": {"miss_one": 1, "no_miss_one": 1},
            "restaurant": {"no_miss_one": 1},
            "train": {"no_miss_one": 1},
        },
    }
    text = cli("score", users(tmp_path), "--by", "pattern").out
    assert (
        text.index("I-GCDF1")
        < text.index("how search constraints are expressed")
        < text.index("domains that are missed")
    )
    assert "events" not in text


def counts(charts: Path, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in csv.DictReader((charts / f"{name}.csv").read_text("utf-8").splitlines()):
        found[row["published label"]] = found.get(row["published label"], 0) + int(row["count"])
    return found


def test_published_figures(cli: Cli, tmp_path: Path) -> None:
    charts, run = tmp_path / "charts", tmp_path / "run"
    events = cli.json("score", users(tmp_path), "--out", run)["events"]
    cli("report", run, "--charts", charts)
    assert counts(charts, "2-repetitions") == {"sys_q": 1, "nomatch": 1}
    assert counts(charts, "3-not-in-goal") == {"nomatch": 1}
    assert sum(events["unmatched"].values()) == 2
    assert events["elicited_by_sys_question"] == {"restaurant": 1}
    assert counts(charts, "7-requests-again") == {
        "repeat_after_answer": sum(events["repeated_despite_receiving_answer"].values())
    }
