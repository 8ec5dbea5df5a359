"""``find`` in files of trackers: slots, outcomes and measures, in one file, in two, in a run, and of a trivial tracker."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli, call
from ..samples import native_lines, written

COMMAND = "find"
GOLD = [{"inn-area": "east"}, {"inn-area": "east", "inn-stars": "4"}]
PREDICTED = {
    "a": {"d1": GOLD, "d2": [GOLD[0], {"inn-area": "east"}], "d3": [{"inn-area": "west"}, {"inn-area": "west"}]},
    "b": {"d1": [GOLD[0], {**GOLD[1], "inn-name": "x"}], "d2": GOLD, "d3": GOLD},
}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two trackers on three dialogues of two turns."""
    return [
        written(
            tmp_path / f"{name}.jsonl",
            native_lines(
                {
                    key: [{"gold": gold, "pred": pred} for gold, pred in zip(GOLD, states, strict=True)]
                    for key, states in dialogues.items()
                }
            ),
        )
        for name, dialogues in PREDICTED.items()
    ]


def ids(document: dict[str, object]) -> list[object]:
    dialogues = document["dialogues"]
    assert isinstance(dialogues, list)
    return [each["dialogue"] for each in dialogues]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (["outcome=wrong"], ["d3"]),
        (["outcome=missed"], ["d2", "d3"]),
        (["outcome=failed"], ["d2", "d3"]),
        (["outcome=failed", "turn=0"], ["d3"]),
        (["slot=inn-stars", "outcome=right"], ["d1"]),
        (["value=west"], ["d3"]),
        (["domain=inn"], ["d1", "d2", "d3"]),
        (["JGA<1"], ["d2", "d3"]),
        (["JGA<0.5"], ["d3"]),
        (["d2"], ["d2"]),
    ],
)
def test_conditions(conditions: list[str], found: list[str], files: list[Path], cli: Cli) -> None:
    assert ids(cli.json(files[0], *conditions)) == found


def test_two_files(files: list[Path], cli: Cli) -> None:
    named = [f"old={files[0]}", f"new={files[1]}"]
    assert ids(cli.json(*named, "old.outcome=failed", "new.outcome=right")) == ["d2", "d3"]
    # At one place, the slot that is extra in the second file is right nowhere in the first.
    assert ids(cli.json(*files, "A.outcome=right", "B.outcome=failed")) == []
    assert cli.json(*named, "slot=inn-area", "old.outcome=wrong", "new.outcome=right")["dialogues"][0]["places"] == [
        "turn 0 inn-area right: 'east'",
        "turn 1 inn-area right: 'east'",
    ]


def test_sorted_by_a_measure_and_by_a_difference(files: list[Path], cli: Cli) -> None:
    assert ids(cli.json(files[0], "--sort", "JGA")) == ["d3", "d2", "d1"]
    found = cli.json(*files, "--sort", "A.JGA - B.JGA")
    assert [(each["dialogue"], each["values"], each["difference"]) for each in found["dialogues"]] == [
        ("d1", {"A.JGA": 1, "B.JGA": 0.5}, 0.5),
        ("d2", {"A.JGA": 0.5, "B.JGA": 1}, -0.5),
        ("d3", {"A.JGA": 0, "B.JGA": 1}, -1),
    ]
    assert ids(cli.json(*files, "--sort", "B.JGA - A.JGA")) == ["d3", "d2", "d1"]


def test_largest_differences_each_way_as_the_papers_list_them(shared: Path, cli: Cli) -> None:
    file = shared / "data" / "tracking" / "som_dst_100.json"
    fga, gca = "FGA(lam=0.5)", "GCA"
    every = cli.json(file, f"{fga}>=0", "GCA>=0", "-n", 1000)["dialogues"]
    raw = {each["dialogue"]: each["values"][fga] - each["values"][gca] for each in every}
    assert len(raw) == 100
    assert max(raw, key=raw.__getitem__) == "MUL0212.json"
    for first, second, sign in ((fga, gca, 1), (gca, fga, -1)):
        found = cli.json(file, "--sort", f"{first} - {second}", "-n", 20)["dialogues"]
        expected = sorted(raw, key=lambda name: (-round(sign * raw[name], 9), name))[:20]
        assert [each["dialogue"] for each in found] == expected
        assert [each["difference"] for each in found] == pytest.approx([sign * raw[name] for name in expected])


def test_run_and_trivial_tracker(
    files: list[Path], tmp_path: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    call(capsys, "score", files[0], "--out", tmp_path / "run")
    assert ids(cli.json(tmp_path / "run", "outcome=failed")) == ["d2", "d3"]
    assert ids(cli.json(tmp_path / "run", "JGA<0.5")) == ["d3"]
    late = cli.json("trivial:late", "outcome=failed", "--gold", files[0])
    assert [each["places"] for each in late["dialogues"]] == [
        ["turn 0 inn-area missed: 'east'", "turn 1 inn-stars missed: '4'"]
    ] * 3
    assert ids(cli.json(files[1], "trivial:late", "A.outcome=right", "B.outcome=missed")) == ["d1", "d2", "d3"]


def test_turns_without_a_prediction_are_no_error(tmp_path: Path, cli: Cli) -> None:
    turns = [{"gold": GOLD[0], "pred": {"inn-area": "west"}}, {"gold": GOLD[1]}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    assert cli.json(file, "outcome=failed")["dialogues"][0]["places"] == ["turn 0 inn-area wrong: 'east' as 'west'"]


def test_one_dialogue_is_printed_turn_by_turn(files: list[Path], cli: Cli) -> None:
    lines = cli(files[0], "d2").out.splitlines()
    assert "dialogue d2" in lines
    assert "  − inn-stars: 4  (missed)" in lines


def test_unknown_outcome(files: list[Path], cli: Cli) -> None:
    assert cli.refused(files[0], "outcome=wrongly") == "outcome=wrongly: no such outcome; did you mean wrong?"


def test_letters_name_files_that_have_names(files: list[Path], cli: Cli) -> None:
    named = [f"{name}={file}" for name, file in zip(("old", "new"), files, strict=True)]
    by_name = cli.json(*named, "old.outcome=missed", "new.outcome=right", "--sort", "old.JGA - new.JGA")
    assert by_name == cli.json(*named, "A.outcome=missed", "B.outcome=right", "--sort", "A.JGA - B.JGA")
    assert ids(by_name) == ["d2", "d3"]  # the largest difference first
