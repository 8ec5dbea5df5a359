"""``dialmeter user patterns`` and the charts, from a run and from a file."""

from __future__ import annotations

import csv
from pathlib import Path

from ..invoke import Cli
from ..user_samples import users


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
    cli("user", "score", file, "--out", run)
    assert cli.json("user", "patterns", run) == found


def counts(charts: Path, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in csv.DictReader((charts / f"{name}.csv").read_text("utf-8").splitlines()):
        found[row["published label"]] = found.get(row["published label"], 0) + int(row["count"])
    return found


def test_counts_of_charts_are_those_of_events(cli: Cli, tmp_path: Path) -> None:
    file, charts = users(tmp_path), tmp_path / "charts"
    events = cli.json("user", "score", file, "--charts", charts, "--chart-format", "png")["events"]
    assert counts(charts, "2-repetitions") == {"sys_q": 1, "nomatch": 1}
    assert counts(charts, "3-not-in-goal") == {"nomatch": 1}
    assert sum(events["unmatched"].values()) == 2
    assert events["elicited_by_sys_question"] == {"restaurant": 1}
    assert counts(charts, "7-requests-again") == {
        "repeat_after_answer": sum(events["repeated_despite_receiving_answer"].values())
    }
    assert (charts / "2-repetitions.png").read_bytes().startswith(b"\x89PNG")
