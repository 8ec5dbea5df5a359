"""``dialmeter user query`` and ``user patterns``: dialogues and counts that explain a score, from a run and from a file."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ..invoke import Cli
from ..user_samples import users

FOUND = [
    ([], ["good", "hasty", "eater", "traveller"]),
    (["--event", "missed_constraints"], ["hasty", "eater", "traveller"]),
    (["--event", "missed_domain", "--event", "unmatched"], ["eater", "traveller"]),
    (["--event", "missed_constraints", "--set", "domain=hotel"], ["hasty"]),
    (["--event", "missed_constraints", "--slot", "stars"], ["hasty"]),
    (["--event", "repeated_despite_receiving_answer", "--slot", "PHONE"], ["hasty"]),
    (["--slot", "parking"], ["eater"]),
    (["--set", "domain=hotel"], ["good", "hasty", "traveller"]),
    (["--set", "domain=spa"], []),
    (["--max", "0.7"], ["hasty", "traveller"]),
    (["--min", "0.7"], ["good", "eater"]),
    (["--min", "0.6", "--max", "0.8"], ["hasty", "eater", "traveller"]),
    (["--measure", "R-precision", "--max", "0.9"], ["hasty"]),
    (["--measure", "R-GCDF1", "--min", "0"], ["good", "hasty", "traveller"]),
    (["--measure", "I-recall", "--max", "0.5", "--set", "domain=taxi"], ["traveller"]),
    (["--goal", "taxi+train"], ["traveller"]),
    (["--goal", "train"], []),
    (["--goal-has", "fail_info"], ["eater"]),
    (["--goal-has", "requests", "--goal-has", "info"], ["good", "hasty", "traveller"]),
    (["--set", "dialogue=hasty"], ["hasty"]),
    (["--set", "dialogue=HASTY.json"], ["hasty"]),
    (["--goal", "hotel", "--event", "missed_constraints", "--max", "0.9", "--slot", "stars"], ["hasty"]),
]


@pytest.mark.parametrize(("options", "names"), FOUND, ids=[" ".join(options) or "all" for options, _ in FOUND])
@pytest.mark.parametrize("kept", [False, True], ids=["file", "run"])
def test_dialogues_are_found(options: list[str], names: list[str], kept: bool, cli: Cli, tmp_path: Path) -> None:
    where = users(tmp_path)
    if kept:
        cli("score", where, "--out", tmp_path / "run")
        where = tmp_path / "run"
    found = cli.json("user", "query", where, *options)
    assert [each["dialogue"] for each in found["dialogues"]] == names
    assert found["counts"] == {"found": len(names), "shown": len(names)}


def test_events_by_option(cli: Cli, tmp_path: Path) -> None:
    found = cli.json("user", "query", users(tmp_path), "--event", "unmatched", "--slot", "food")
    [eater] = found["dialogues"]
    assert eater["events"] == [
        {"class": "unmatched", "family": "repetition", "domain": "restaurant", "about": "food=thai", "turns": [4, 6]}
    ]
    assert (eater["goal"], eater["R-GCDF1"]) == (["restaurant"], None)


def test_run_of_another_kind(cli: Cli, tmp_path: Path) -> None:
    from ..samples import town

    cli("score", town(tmp_path), "--out", tmp_path / "run")
    assert cli.refused("user", "query", tmp_path / "run") == f"{tmp_path / 'run'}: the run is of kind tracker, not user"


def test_patterns_of_file_and_run(cli: Cli, tmp_path: Path) -> None:
    file, run = users(tmp_path), tmp_path / "run"
    found = cli.json("user", "patterns", file)
    assert found["counts"] == {"dialogues": 4}
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
    cli("score", file, "--out", run)
    assert cli.json("user", "patterns", run) == found


def counts(charts: Path, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in csv.DictReader((charts / f"{name}.csv").read_text("utf-8").splitlines()):
        found[row["published label"]] = found.get(row["published label"], 0) + int(row["count"])
    return found


def test_chart_counts(cli: Cli, tmp_path: Path) -> None:
    file, charts = users(tmp_path), tmp_path / "charts"
    events = cli.json("score", file, "--charts", charts, "--chart-format", "png")["events"]
    assert counts(charts, "2-repetitions") == {"sys_q": 1, "nomatch": 1}
    assert counts(charts, "3-not-in-goal") == {"nomatch": 1}
    assert sum(events["unmatched"].values()) == 2
    assert events["elicited_by_sys_question"] == {"restaurant": 1}
    assert counts(charts, "7-requests-again") == {
        "repeat_after_answer": sum(events["repeated_despite_receiving_answer"].values())
    }
    assert (charts / "2-repetitions.png").read_bytes().startswith(b"\x89PNG")
