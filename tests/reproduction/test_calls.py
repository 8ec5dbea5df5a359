"""The figures of calls, noise, audit and cost in published logs of agents, and the constructed cases."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from dialmeter.core.calls import is_reading_name
from dialmeter.model import ExpectedAction, Step, TaskGoal, ToolCall, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.stats.changes import change_accuracy
from dialmeter.systems.calls import calls_of_log, count_marks, writing_tools
from dialmeter.systems.measures import SystemSettings
from dialmeter.systems.result import SystemResult
from dialmeter.systems.scorer import score_system

from ..shared_data import shared
from ..systems.trials import log

DEFAULTS = SystemSettings()
SKIPPED = SystemSettings(infrastructure="skipped")
FILES = (
    "gpt-4o-airline.json",
    "retail_act-gemini-2.0-flash_0605165116.json",
    "retail_tool-calling-gemini-2.0-flash_0605191952.json",
    "retail_tool-calling-gpt-4.1-mini_0610135038.json",
    "tau2_airline_gemini2_5_flash_10tasks_2t.json",
    "tau2_airline_gemini2_5_flash_10tasks_2t_retry_agent.json",
)


@cache
def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "calls.json").read_text())
    return found


@cache
def scored(name: str, settings: SystemSettings = DEFAULTS) -> SystemResult:
    return score_system(log(name), settings=settings, resampling=None)


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-6)


def test_constructed_cases() -> None:
    cases = expected()["cases"]
    assert len(cases) == 13
    for case in cases:
        actions = tuple(
            ExpectedAction(name, arguments, compared=tuple(keys[0]) if keys else None)
            for name, arguments, *keys in case["gold"]
        )
        made = tuple(
            ToolCall(name, arguments, result="done" if not ok or ok[0] else "Error", failed=bool(ok) and not ok[0])
            for name, arguments, *ok in case["made"]
        )
        trajectory = Trajectory(id="1:0", task="1", goal=TaskGoal("", actions), steps=(Step(0, "system", calls=made),))
        # Another task has expected calls, so nothing expected here means that nothing may be changed.
        other = Trajectory(id="2:0", task="2", goal=TaskGoal("", (ExpectedAction("cancel_order", {"id": "A"}),)))
        [outcome, _] = calls_of_log([trajectory, other], writing_tools([trajectory, other]))
        wanted = case["expected"]
        assert outcome is not None
        assert outcome.counts() == tuple(wanted[key] for key in "MWOC"), case
        assert outcome.counts("call") == tuple(wanted["calls"][key] for key in "MWOC"), case
        assert (outcome.exact, outcome.ignored, outcome.failed) == (
            wanted["exact"],
            wanted["ignored"],
            wanted["failed"],
        )
        assert outcome.accuracy() == close(wanted["CallGCA"])


def test_words_of_reading_tools() -> None:
    assert all(map(is_reading_name, expected()["rules"]["reading words"]))


@pytest.mark.parametrize("name", FILES)
def test_calls_of_published_logs(name: str) -> None:
    wanted, failed, skipped = expected()["files"][name], scored(name), scored(name, SKIPPED)
    for measure in ("CallGCA", "CallExact"):
        assert failed[measure].value == close(wanted[measure]["as failures"])
        assert skipped[measure].value == close(wanted[measure]["left out"])
    assert skipped["CallGCA(level=call)"].value == close(wanted["CallGCA level=call"]["left out"])
    calls = [each.calls for each in skipped.scored if each.calls is not None]
    pairs = [pair for each in calls for pair in each.pairs]
    for level, key in (("argument", "arguments"), ("call", "calls")):
        counts = count_marks(pairs, level)  # type: ignore[arg-type]
        assert counts == tuple(wanted[key][each] for each in "MWOC")
        assert change_accuracy(*counts) == close(wanted[key]["pooled"])
        [row] = [each for each in skipped.call_counts if each.level == key and not each.tool]
        assert [row.vp, row.vr, row.lp, row.lr] == close([wanted[key][each] for each in ("VP", "VR", "LP", "LR")])
    assert sum(each.failed for each in calls) == wanted["failed writing calls"]
    assert sum(each.ignored for each in calls) == wanted["ignored inner keys"]
    facts = [told for each in calls for _, told in each.facts]
    assert {"expected": len(facts), "told": sum(facts)} == wanted["facts"]
    values = [each.number("CallGCA") or 0.0 for each in skipped.scored if not each.success]
    assert len(values) == wanted["failed dialogues"]["n"]
    assert sum(values) / len(values) == close(wanted["failed dialogues"]["mean"])
    assert sum(each >= 0.8 for each in values) / len(values) == close(wanted["failed dialogues"]["share_ge_08"])
    assert values.count(0) / len(values) == close(wanted["failed dialogues"]["share_0"])


@pytest.mark.parametrize("name", FILES)
def test_calls_of_published_dialogues(name: str) -> None:
    wanted, outcomes = expected()["files"][name], {each.id: each for each in scored(name).outcomes}
    assert len(wanted["dialogues"]) == len(outcomes)
    same = {each.id: each.same_database for each in open_trajectories(log(name))}
    explained, databases = Counter[str](), Counter[str]()
    for task, trial, *row in wanted["dialogues"]:
        each = outcomes[f"{task}:{trial}"]
        assert each.calls is not None
        if row == ["infra"]:
            assert each.calls.lost
            continue
        told = [fact for _, fact in each.calls.facts]
        found = [*each.calls.counts(), each.number("CallGCA"), each.calls.exact, sum(told), len(told), each.success]
        assert found == close(row), each.id
        explains = bool(each.calls.exact) and all(told) and each.ending != "limit"
        explained[f"{int(explains)},{int(bool(each.success))}"] += 1
        databases[f"{int(each.calls.exact or 0)},{same[each.id]}"] += 1
    assert dict(explained) == wanted["exact, facts, ended = success"]
    assert dict(databases) == wanted["exact and database"]
