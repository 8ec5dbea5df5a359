"""``compare`` of trackers as a user types it: two systems, many, leaderboards, runs and trivial trackers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..invoke import Cli, call

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


def test_conditions_of_compared_systems(cli: Cli, files: list[str]) -> None:
    """A condition is about any of the systems; with the name of one, about that one."""
    assert "JGA is" in cli(*files, "--quiet", "--fail-if", "JGA < 1.0", code=1).err
    cli(*files, "--quiet", "--fail-if", "JGA < 0.0")
    assert "JGA is" in cli(*files, "--quiet", "--fail-if", "JGA[bad_one] < 1.0", code=1).err
    assert "no such score was computed" in cli.refused(*files, "--quiet", "--fail-if", "JGA[nobody] < 0.5")


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
    result = cli(*words, "--fail-if", "worse", "-v", code=1)
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


def test_power_of_measures(cli: Cli, files: list[str]) -> None:
    words = ("--measure", "JGA", "--set", "resamples=100", "--set", "ci=0.99")
    result = cli(*files, "trivial:empty", "--by", "pair", *words, "-v")
    assert "warning: 100 resamples are too few for --by pair" in result.err
    assert "power: no measure distinguishes any of the 3 pairs of systems at level 0.01" in result.out
    assert "distinguished pairs of systems" in cli(*files, "--by", "pair").out


def test_groups_that_are_not_told_apart(cli: Cli, files: list[str], tmp_path: Path) -> None:
    twin = tmp_path / "twin.json"
    twin.write_text(Path(files[0]).read_text())
    out = cli(*files, twin, "--measure", "JGA").out.splitlines()
    assert out[0] == "JGA: bad_one worse than good_one; twin not told apart from good_one."
    assert [line.split()[0 :: len(line.split()) - 1] for line in out[2:5]] == [
        ["good_one", "a"],
        ["twin", "a"],
        ["bad_one", "b"],
    ]
    groups = cli.json(*files, twin, "--measure", "JGA")["groups"]
    assert groups == {"JGA": {"good_one": "a", "twin": "a", "bad_one": "b"}}


BOARD = """title = "Two trackers"
[[row]]
system = "first"
file = "good_one.json"
source = "a paper"
date = 2026-01-31
[[row]]
system = "second"
file = "bad_one.json"
[[row]]
system = "lazy"
file = "trivial:copy-previous"
"""


def test_leaderboard(cli: Cli, files: list[str], tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text(BOARD)
    found = cli.json(board, "--set", "resamples=500")
    named = [
        f"{name}={file}"
        for name, file in zip(("first", "second", "lazy"), (*files, "trivial:copy-previous"), strict=True)
    ]
    same = cli.json(*named, "--set", "resamples=500")
    assert (found["scores"], found["versus"], found["groups"]) == (same["scores"], same["versus"], same["groups"])
    first, second, _ = found["systems"]
    assert first == {
        "system": "first",
        "file": "good_one.json",
        "source": "a paper",
        "licence": "",
        "date": "2026-01-31",
    }
    assert second["file"] == "bad_one.json"
    assert cli.refused(board, "--gold", "x.json").startswith("--gold is not for a leaderboard; write it into ")
    assert "takes one leaderboard" in cli.refused(board, files[0])


def test_runs(cli: Cli, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [tmp_path / name for name in ("one", "two")]
    for file, run in zip(files, runs, strict=True):
        call(capsys, "score", file, "--out", run)
    of_runs, of_files = cli.json(*runs), cli.json(*files)
    keys = ("difference", "ci", "p", "p_holm", "better", "same", "worse")
    assert [[each[key] for key in keys] for each in of_runs["versus"]] == [
        [each[key] for key in keys] for each in of_files["versus"]
    ]
    assert "compare takes runs or prediction files, not both" in cli.refused(runs[0], files[1])
    assert "the rules and dialogues of a run cannot be changed" in cli.refused(*runs, "--rules", "trade")
    assert "the run has no FGA(lam=3)" in cli.refused(*runs, "--measure", "FGA(lam=3)")
    assert "95 % intervals, not 90 %" in cli.refused(*runs, "--set", "ci=0.9")
    rows = runs[0] / "rows.jsonl"
    rows.write_text(rows.read_text("utf-8").replace('"inn-area":"v0"', '"inn-area":"v9"', 1), "utf-8")
    assert "in run.json; give the prediction file" in cli.refused(*runs)


def test_trivial_trackers_use_the_gold_of_the_first_file(
    cli: Cli, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    late = cli.json(*files, "trivial:late", "--measure", "JGA")
    own = [each["value"] for each in late["scores"] if each["system"] == "trivial:late"]
    alone = call(capsys, "score", "trivial:late", "--gold", files[0], "--measure", "JGA", "-f", "json").json
    assert own == [each["value"] for each in alone["scores"]] == [0.0]
