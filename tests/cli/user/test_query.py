"""``dialmeter user query``: the dialogues that explain a score, in a run and in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli
from ..user_samples import users

FOUND = [
    ([], ["good", "hasty", "eater", "traveller"]),
    (["--event", "missed_constraints"], ["hasty", "eater", "traveller"]),
    (["--event", "missed_domain", "--event", "unmatched"], ["eater", "traveller"]),
    (["--event", "missed_constraints", "--domain", "hotel"], ["hasty"]),
    (["--event", "missed_constraints", "--slot", "stars"], ["hasty"]),
    (["--event", "repeated_despite_receiving_answer", "--slot", "PHONE"], ["hasty"]),
    (["--slot", "parking"], ["eater"]),
    (["--domain", "hotel"], ["good", "hasty", "traveller"]),
    (["--domain", "spa"], []),
    (["--max", "0.7"], ["hasty", "traveller"]),
    (["--min", "0.7"], ["good", "eater"]),
    (["--min", "0.6", "--max", "0.8"], ["hasty", "eater", "traveller"]),
    (["--measure", "R-precision", "--max", "0.9"], ["hasty"]),
    (["--measure", "R-GCDF1", "--min", "0"], ["good", "hasty", "traveller"]),
    (["--measure", "I-recall", "--max", "0.5", "--domain", "taxi"], ["traveller"]),
    (["--goal", "taxi+train"], ["traveller"]),
    (["--goal", "train"], []),
    (["--goal-has", "fail_info"], ["eater"]),
    (["--goal-has", "requests", "--goal-has", "info"], ["good", "hasty", "traveller"]),
    (["--dialogue", "hasty"], ["hasty"]),
    (["--dialogue", "HASTY.json"], ["hasty"]),
    (["--goal", "hotel", "--event", "missed_constraints", "--max", "0.9", "--slot", "stars"], ["hasty"]),
]


@pytest.mark.parametrize(("options", "names"), FOUND, ids=[" ".join(options) or "all" for options, _ in FOUND])
@pytest.mark.parametrize("kept", [False, True], ids=["file", "run"])
def test_dialogues_are_found(options: list[str], names: list[str], kept: bool, cli: Cli, tmp_path: Path) -> None:
    where = users(tmp_path)
    if kept:
        cli("user", "score", where, "--out", tmp_path / "run")
        where = tmp_path / "run"
    found = cli.json("user", "query", where, *options)
    assert [each["dialogue"] for each in found["dialogues"]] == names
    assert found["counts"] == {"found": len(names), "shown": len(names)}


def test_events_are_those_that_were_looked_for(cli: Cli, tmp_path: Path) -> None:
    found = cli.json("user", "query", users(tmp_path), "--event", "unmatched", "--slot", "food")
    [eater] = found["dialogues"]
    assert eater["events"] == [
        {"class": "unmatched", "family": "repetition", "domain": "restaurant", "about": "food=thai", "turns": [4, 6]}
    ]
    assert (eater["goal"], eater["R-GCDF1"]) == (["restaurant"], None)


def test_run_of_another_kind(cli: Cli, tmp_path: Path) -> None:
    from ..samples import town

    cli("tracker", "score", town(tmp_path), "--out", tmp_path / "run")
    assert cli.refused("user", "query", tmp_path / "run") == f"{tmp_path / 'run'}: the run is of kind tracker, not user"
