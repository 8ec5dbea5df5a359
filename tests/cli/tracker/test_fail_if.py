"""``tracker score --fail-if``: the exit code is 1 if a condition is true, after all output is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli
from ..samples import town


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(town(tmp_path))


@pytest.mark.parametrize(
    "condition",
    [
        "JGA < 0.6",
        "JGA <= 0.5",
        "JGA>0.4",
        "FGA(lam=0.5) < 0.6",
        "GCA(alpha=0.5, deletions=count) >= 0",
        "VP > 0.1",
    ],
)
def test_holds(condition: str, file: str, cli: Cli) -> None:
    result = cli("tracker", "score", file, "--quiet", "--fail-if", condition, code=1)
    assert result.complaint.startswith(f"{condition}: ")
    assert "signature" in result.out


@pytest.mark.parametrize("condition", ["JGA < 0.5", "JGA > 0.5", "FGA(lam=0.5) < 0.5", "JGA <= 0.49"])
def test_does_not_hold(condition: str, file: str, cli: Cli) -> None:
    assert cli("tracker", "score", file, "--quiet", "--fail-if", condition).err == ""


def test_of_group(file: str, cli: Cli) -> None:
    words = ["tracker", "score", file, "--by", "domain", "--quiet", "--fail-if"]
    cli(*words, "JGA[taxi] < 0.4", code=1)
    cli(*words, "JGA[hotel] < 0.4")
    cli(*words, "JGA[pub] < 0.4", code=2)


def test_one_of_several(file: str, cli: Cli) -> None:
    words = ["--fail-if", "JGA < 0.1", "--fail-if", "SlotF1 < 0.6"]
    assert cli("tracker", "score", file, "--quiet", *words, code=1).complaint.startswith("SlotF1 < 0.6")


@pytest.mark.parametrize("condition", ["jga < 0.6", "FGA(lam=.5) < 0.6", "FGA( lam = 0.5 ) < 0.6"])
def test_measure_in_another_spelling(condition: str, file: str, cli: Cli) -> None:
    cli("tracker", "score", file, "--quiet", "--fail-if", condition, code=1)


def test_guarded_measure_is_shown_too(file: str, cli: Cli) -> None:
    found = cli.json("tracker", "score", file, "--measure", "JGA", "--fail-if", "VR < 0.1")
    assert [score["measure"] for score in found["scores"]] == ["JGA", "VR"]
