"""Tests of a new behaviour: with one declaration it appears in scores, settings, lists, queries, charts and documentation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dialmeter.users.behaviours import ALL
from dialmeter.users.events import Behaviour, declare

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json

from dialmeter.users.events import behaviour


@behaviour("repetition", "user")
def said_in_one_breath(seen):
    \"\"\"The user says it at once again.\"\"\"
    return len(seen.between) == 1


from click.testing import CliRunner

from dialmeter.cli.main import cli
from dialmeter.cli.user import find
from dialmeter.users import rules
from dialmeter.users.result import row_of
from dialmeter.users.scorer import UserScorer
from dialmeter.views.user import UserCounts, event_bars
from reference_pages import events_page
from tests.users.conversations import goal, system, make_conversation, user

AREA = user("Hotel-Inform area=east")
conversation = make_conversation(goal(hotel={"info": {"area": "east", "stars": "4"}}), AREA, system(""), AREA, system(""))
scorer = UserScorer()
outcome = scorer.add(conversation)
row = row_of(conversation, outcome)
off = rules.changed(rules.named("dialmeter"), "repetitions.said_in_one_breath=false")
tally = UserCounts.of([row])
print(
    json.dumps(
        {
            "events": [event.name for event in outcome.events],
            "credited": [event.credited for event in outcome.events if event.name == "said_in_one_breath"],
            "score": outcome.score("I").precision,
            "switched off": [event.name for event in UserScorer(off).outcome(conversation).events],
            "signature": UserScorer(off).rules.changes(),
            "list": CliRunner().invoke(cli, ["list", "events", "said_in_one_breath"]).output,
            "list rules": CliRunner().invoke(cli, ["list", "rules", "gcdf1-repo"]).output,
            "docs": [line for line in events_page().splitlines() if "said_in_one_breath" in line],
            "chart": [list(bar) for bar in event_bars(tally, "repetition")],
            "find": [item.text for item in find.found_row(row, ()).items if item.facts.get("event") == "said_in_one_breath"],
        }
    )
)
"""


@pytest.fixture(scope="module")
def found() -> Any:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}:{ROOT / 'tools'}", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_found_and_credited(found: Any) -> None:
    assert "said_in_one_breath" in found["events"]
    assert "unmatched" not in found["events"]
    assert found["credited"] == [True]
    assert found["score"] == 1.0


def test_it_has_setting(found: Any) -> None:
    assert "said_in_one_breath" not in found["switched off"]
    assert "unmatched" in found["switched off"]
    assert found["signature"] == {"repetitions.said_in_one_breath": "false"}
    assert "repetitions.said_in_one_breath               true" in found["list rules"]


def test_it_is_listed(found: Any) -> None:
    assert "said_in_one_breath: The user says it at once again." in found["list"]
    assert "setting     repetitions.said_in_one_breath: true under dialmeter, true under gcdf1-repo" in found["list"]


def test_it_is_documented(found: Any) -> None:
    assert found["docs"] == ["- `said_in_one_breath` (user): The user says it at once again."]


def test_it_is_in_chart(found: Any) -> None:
    assert found["chart"] == [["said in one breath", "", "hotel", 1, 1, 1]]


def test_searchable(found: Any) -> None:
    assert found["find"] == ["said_in_one_breath area=east (turn 0, 2)"]


def test_class_is_declared_once() -> None:
    before = list(ALL)
    with pytest.raises(ValueError, match="duplicate class unmatched in the family repetition"):
        declare(Behaviour("unmatched", "repetition", "user", "Again."))
    assert before == ALL
