"""``tracker compare`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..invoke import Cli

COMMAND = "compare"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Write two trackers on 20 dialogues: one is right in two of three turns, the other in one of three."""
    paths = []
    for name, wrong in (("good_one", {2}), ("bad_one", {1, 2})):
        document = {
            f"d{i}": {
                str(turn): {
                    "gt": {"inn": {"area": f"v{turn}"}},
                    "pr": {"inn": {"area": "?" if turn in wrong else f"v{turn}"}},
                }
                for turn in range(3)
            }
            for i in range(20)
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document))
        paths.append(str(path))
    return paths


def test_fail_if_worse(cli: Cli, files: list[str]) -> None:
    err = cli(*files, "--quiet", "--fail-if", "worse", code=1).err
    assert "bad_one is worse than good_one under JGA" in err
    assert cli(*reversed(files), "--quiet", "--fail-if", "worse")[0] == 0


def test_dependent_verdict_fails(cli: Cli, tmp_path: Path) -> None:
    """As written the second file is worse, with times spelt alike it is better."""
    files = []
    for name in ("plain", "clock"):
        document = {}
        for number in range(40):
            times = [f"{10 + number % 9}:{minute}" for minute in (15, 30)]
            wrong = {0} if name == "plain" and number % 2 else set()
            written = [time if name == "plain" else time.replace(":", "") for time in times]
            document[f"d{number}"] = {
                str(turn): {
                    "gt": {"train": {"leaveat": time}},
                    "pr": {"train": {"leaveat": "?" if turn in wrong else written[turn]}},
                }
                for turn, time in enumerate(times)
            }
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps(document))
    words = [*files, "--measure", "JGA", "--set", "resamples=1000"]
    result = cli(*words, "--fail-if", "worse", code=1)
    assert "clock is worse than plain under JGA" in result.err
    assert "clock: train-leaveat agrees with gold at 0 of 80 turns" in result.err
    document = cli.json(*words, "--quiet")
    [ladder] = document["ladder"]
    assert (ladder["verdict"], ladder["system"], ladder["base"]) == ("depends", "clock", "plain")
    assert [(each["name"], each["verdict"]) for each in ladder["rungs"]] == [
        ("as written", "worse"),
        ("map=multiwoz", "better"),
    ]
    assert [each["code"] for each in document["warnings"]] == ["diagnosis"]
    cli(*words, "--set", "map=multiwoz", "--fail-if", "worse")
    rungs = cli.json(*words, "--quiet", "-v")["ladder"][0]["rungs"]
    assert any(each["assumption"] == "rules" for each in rungs)


def test_what_json_says(cli: Cli, files: list[str]) -> None:
    out = cli(*files, "-f", "json", "--quiet", "--set", "mcnemar").out
    found = json.loads(out)
    assert found["counts"] == {"systems": 2, "dialogues": 20, "turns": 60}
    assert {score["system"] for score in found["scores"]} == {"good_one", "bad_one"}
    assert [each["unit"] for each in found["mcnemar"]] == ["turn", "dialogue"]
    assert found["mcnemar"][0]["only_base"] == 20
    assert any("not independent" in warning["message"] for warning in found["warnings"])


@pytest.fixture
def uneven(tmp_path: Path) -> str:
    """A tracker with one mistake per dialogue, early or late, and with two mistakes in two dialogues."""
    document = {
        f"d{i}": {
            str(turn): {
                "gt": {"inn": {f"s{each}": "x" for each in range(turn + 1)}},
                "pr": {"inn": {f"s{each}": "?" if each == i % 4 or i > 7 else "x" for each in range(turn + 1)}},
            }
            for turn in range(5)
        }
        for i in range(10)
    }
    path = tmp_path / "uneven.json"
    path.write_text(json.dumps(document))
    return str(path)


def test_one_tracker_in_json(cli: Cli, uneven: str) -> None:
    words = ("--set", "disagree=JGA", "--set", "disagree=GCA", "-f", "json", "--quiet", "--set", "resamples=100")
    found = cli.json(uneven, *words)
    assert found["counts"]["systems"] == 1
    assert (found["versus"], found["tau"]) == ([], [])
    first, *_ = found["disagreements"]
    assert (first["system"], first["first"], first["second"]) == ("uneven", "JGA", "GCA")
    assert (first["first_turns"], first["second_turns"]) == ([0] * 5, [0, 1, 1, 1, 1])


def test_tracker_of_several_same_everywhere(cli: Cli, uneven: str) -> None:
    words = (
        "--set",
        "disagree=JGA",
        "--set",
        "disagree=GCA",
        "--measure",
        "JGA",
        "--measure",
        "GCA",
        "--set",
        "resamples=100",
    )
    _, out, err = cli(uneven, "--set", "trivial=empty", *words, "-f", "csv")
    assert "\nd0,uneven,JGA,GCA," in out
    assert err.splitlines()[-1].startswith("warning: empty: JGA has no two different values over its dialogues")


def test_letters_and_stars(cli: Cli, files: list[str]) -> None:
    words = (*files, "-f", "latex", "--quiet", "--measure", "JGA")
    assert r"bad\_one & 33.33\textsuperscript{***}" in cli(*words).out
    assert r"(a) good\_one & 66.67\textsuperscript{b}" in cli(*words, "--latex", "marks=letters").out


def test_nothing_to_tell(cli: Cli, files: list[str]) -> None:
    message = "good_one: JGA has no two different values over its dialogues"
    assert message in cli.refused(*files, "--quiet", "--set", "disagree=JGA", "--set", "disagree=SA")
    result = cli(
        *files,
        "--set",
        "power",
        "--measure",
        "JGA",
        "--set",
        "resamples=100",
        "--set",
        "ci=0.99",
        "--set",
        "trivial=empty",
    )
    assert "warning: 100 resamples are too few for --set power" in result.err
    assert "power: no measure distinguishes any of the 3 pairs of systems at level 0.01" in result.out
