"""Calls, audit and patches of tasks through the command line and Python, on small logs."""

from __future__ import annotations

import csv
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import dialmeter as dm
from dialmeter.core.comparison import Resampling
from dialmeter.errors import DialmeterError
from dialmeter.model import ExpectedAction, Step, TaskGoal, ToolCall, Trajectory
from dialmeter.systems.calls import ScoredCall, pair_calls
from dialmeter.systems.compare import compare_systems
from dialmeter.systems.scorer import score_system
from dialmeter.views.summaries.system import compare_summary
from dialmeter.views.system import task_grid

from ..cli.invoke import Cli
from ..viewer.asking import ask
from ..viewer.made import served
from .trials import tries


def entry(task: int, *made: dict[str, Any], reward: float = 0.0, trial: int = 0) -> dict[str, Any]:
    """A dialogue that should cancel the trip A0, A1, … and makes these calls."""
    said: list[dict[str, Any]] = [{"role": "user", "content": f"Cancel my trip A{task}."}]
    for number, arguments in enumerate(made):
        function = {"name": "cancel_trip", "arguments": json.dumps(arguments)}
        said += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": str(number), "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": str(number), "name": "cancel_trip", "content": "done"},
        ]
    goal = {
        "instruction": f"Cancel A{task}.",
        "actions": [{"name": "cancel_trip", "kwargs": {"id": f"A{task}", "refund": True}}],
        "outputs": ["1250"] if not task else [],
    }
    said += [{"role": "assistant", "content": "You get 1,250 back."}, {"role": "user", "content": "Bye. ###STOP###"}]
    return {"task_id": task, "trial": trial, "reward": reward, "info": {"task": goal}, "traj": said}


def write_log(path: Path, name: str, *, wrong: str = "", count: int = 4) -> Path:
    """A log whose calls are right in tasks with an even number, and cancel another trip in the others."""
    entries = [
        entry(task, {"id": f"A{task}" if task % 2 == 0 else wrong or "B", "refund": True}, reward=float(task % 2 == 0))
        for task in range(count)
    ]
    file = path / f"{name}.json"
    file.write_text(json.dumps(entries))
    return file


def test_pairing_is_independent_of_the_order_of_arguments_and_prefers_equal_calls() -> None:
    calls = [ScoredCall("pay", items=(("id", each), ("sum", "1"))) for each in "ABC"]
    for made in (calls, calls[::-1]):
        assert [pair.mark for pair in pair_calls(calls, made)] == ["correct"] * 3
    assert [pair.mark for pair in pair_calls(calls, [])] == ["missed"] * 3
    assert [pair.mark for pair in pair_calls([], calls)] == ["extra"] * 3
    user = ScoredCall("pay", "user", calls[0].items)
    assert sorted(pair.mark for pair in pair_calls([user], calls[:1])) == ["extra", "missed"]


def test_measures_of_calls(tmp_path: Path, cli: Cli) -> None:
    path = write_log(tmp_path, "log")
    document = cli.json("score", path, "-q", "--by", "tool")
    values = {each["measure"]: each["value"] for each in document["scores"] if not each.get("tool")}
    assert (values["CallExact"], values["Facts"]) == (0.5, 1.0)
    # One of two arguments is wrong in half of the dialogues.
    assert values["CallGCA"] == pytest.approx((1 + 11 / 21) / 2)
    assert values["CallGCA(level=call)"] == 0.5
    [total, _, *_] = document["call_counts"]
    assert (total["missed"], total["wrong"], total["extra"], total["correct"]) == (0, 2, 0, 6)
    assert document["tools"] == {"cancel_trip": True}
    reading = cli.json("score", path, "-q", "--set", "reads=cancel_trip")
    assert {each["measure"]: each["value"] for each in reading["scores"]}["CallGCA"] == 1.0
    [signature] = [each["signature"] for each in reading["scores"] if each["measure"] == "CallGCA"]
    assert "|reads:cancel_trip|" in signature
    assert "there is no tool 'cancel'" in cli("score", path, "--set", "reads=cancel", code=2).complaint
    assert "arguments" not in cli("score", path).err


def test_next_command_after_a_margin(tmp_path: Path, cli: Cli) -> None:
    logs = [write_log(tmp_path, name) for name in ("old", "new")]
    lost = {"info": {"error": "APIConnectionError", "traceback": ""}, "traj": []}
    logs[1].write_text(
        json.dumps([json.loads(logs[1].read_text())[0], {"task_id": 1, "trial": 0, "reward": 0.0} | lost])
    )
    done = cli("compare", *logs, "--set", "margin=0.1", "-q").out
    assert "next  dialmeter find" in done
    assert "margin" not in done[done.index("next  ") :]


def test_find_arguments(tmp_path: Path, cli: Cli) -> None:
    path = write_log(tmp_path, "log")
    for words, found in (
        (["argument=id", "outcome=wrong"], 2),
        (["argument=refund", "outcome=wrong"], 0),
        (["argument=refund", "outcome=failed"], 2),
        (["tool=cancel_trip", "outcome=extra"], 0),
        (["CallGCA<0.6"], 2),
        (["outcome=failed"], 2),
    ):
        assert cli.json("find", path, *words)["found"] == found, words
    shown = cli("find", path, "1:0", "--show").out
    assert "message 1: cancel_trip id wrong: B, expected A1" in shown


def test_a_log_without_expected_calls_says_so(cli: Cli, tmp_path: Path) -> None:
    result = score_system(tries(a="+-", b="++"))
    assert "CallGCA" not in result
    path = tmp_path / "rewards.csv"
    path.write_text("task,reward\na,1\nb,0\n")
    [score] = cli.json("score", path, "-m", "CallGCA", "-q")["scores"]
    assert (score["value"], score["reason"]) == (None, "the log does not say which calls are expected")
    assert "does not say which calls" in cli("study", "audit", path, code=2).complaint
    assert dm.score(str(path))["CallGCA"].reason == "the log does not say which calls are expected"


def test_unreadable_arguments_and_calls_without_result_are_not_made() -> None:
    goal = TaskGoal("", (ExpectedAction("cancel", {"id": "A"}),))
    calls = (ToolCall("cancel", {"id": "A"}), ToolCall("cancel", {"arguments": "{"}, "done", unreadable=True))
    trajectory = Trajectory(id="1:0", task="1", goal=goal, steps=(Step(0, "system", calls=calls),), rewards={"r": 0.0})
    [outcome] = score_system([trajectory]).outcomes
    assert outcome.calls is not None
    assert outcome.calls.counts() == (1, 0, 0, 0)


def test_what_a_log_does_not_say_is_said(tmp_path: Path, cli: Cli) -> None:
    """Calls without results count as not made; dialogues without messages and tasks without expected calls have no value."""
    entries = [entry(task, {"id": f"A{task}", "refund": True}, reward=1.0) for task in range(3)]
    unanswered = [{**each, "traj": [one for one in each["traj"] if one["role"] != "tool"]} for each in entries]
    silent = [{**entries[0], "traj": []}, *entries[1:]]
    unexpected = json.loads(json.dumps(entries))
    for each in unexpected:
        each["info"]["task"]["actions"] = []
        each["info"]["task"]["outputs"] = []
    log = tmp_path / "log.json"
    for content, line, value in (
        (unanswered, "not made   3 of 3 calls that write have no result", 0.0),
        (silent, "1 task unscored", 1.0),
        (unexpected, "not scored, because the log does not say which calls are expected", None),
    ):
        log.write_text(json.dumps(content))
        assert line in " ".join(cli("score", log).out.split()) or line in cli("score", log).out
        found = dm.score(str(log)).get("CallGCA")
        assert (found and found.value) == value


def test_comparison_of_two_shows_interval_next_command_and_unread_dialogues(tmp_path: Path, cli: Cli) -> None:
    for name, rewards in (("old", "101"), ("new", "110")):
        rows = "".join(f"{task},{reward}\n" for task, reward in zip("abc", rewards, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"task,reward\n{rows}")
    shown = cli("compare", tmp_path / "old.csv", tmp_path / "new.csv").out
    assert "interval  -248.41 to 248.41" in shown
    assert "A.outcome=right B.outcome=failed" in " ".join(shown.replace("\\\n", " ").split())
    logs = [write_log(tmp_path, name) for name in ("one", "twice")]
    logs[1].write_text(json.dumps([*json.loads(logs[1].read_text()), entry(0)]))
    assert "1 dialogue that cannot be read" in cli("compare", *logs).err


def test_long_names_lose_the_words_that_they_share() -> None:
    names = ["retail_tool-calling-gemini-2.0-flash", "retail_tool-calling-gpt-4.1-mini"]
    results = {name: score_system(tries(a="+-", b="++", c="-+")) for name in names}
    shown = str(compare_summary(compare_systems(results, Resampling())))
    assert "…gemini-" in shown
    assert "…gpt-4.1" in shown


def test_grid_begins_with_the_tasks_that_differ_most() -> None:
    found = [(agent, task, "ab".index(agent) == 1 or task == "2") for task in "012" for agent in "ab"]
    [chart] = task_grid([*found, ("a", "3", False), ("b", "3", False)])
    assert list(dict.fromkeys(row[0] for row in chart.rows)) == ["0", "1", "3", "2"]


def test_audit_sheet_and_patch(tmp_path: Path, cli: Cli) -> None:
    logs = [write_log(tmp_path, name) for name in ("old", "new")]
    document = cli.json("study", "audit", *logs, "-q")
    assert [each["task"] for each in document["tasks"]] == ["1", "3"]
    assert [each["name"] for each in document["tasks"][0]["signals"]] == ["same_set", "same_item", "unsolved"]
    sheet, patch = tmp_path / "sheet.csv", tmp_path / "tasks.json"
    cli("study", "audit", *logs, "--make-sheet", sheet, "-q")
    rows = list(csv.DictReader(sheet.read_text("utf-8").splitlines()))
    for row, verdict in zip(rows, ("wrong", "doubtful"), strict=True):
        row |= {"verdict": verdict, "why": "the trip is B"}
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    made = cli.json("study", "audit", "--sheet", sheet, "-o", patch)
    assert made["verdicts"] == {"wrong": 1, "doubtful": 1}
    scored = cli.json("score", logs[0], "--set", f"tasks={patch}", "-q")
    assert scored["scores"][0]["value"] == pytest.approx(2 / 3)
    assert f"|left-out-tasks:{made['patch']}|" in scored["scores"][0]["signature"]
    assert float(dm.score(str(logs[0]), tasks=str(patch))["Success"]) == pytest.approx(2 / 3)
    other = tmp_path / "other.json"
    other.write_text('{"left_out": {"99": ""}, "kind": "task patch", "schema": 1}')
    assert (
        "none of the tasks that tasks= leaves out" in cli("score", logs[0], "--set", f"tasks={other}", code=2).complaint
    )
    other.write_text("[]")
    assert "not a patch of tasks" in cli("score", logs[0], "--set", f"tasks={other}", code=2).complaint
    assert [each.task for each in dm.study.audit({"old": str(logs[0]), "new": str(logs[1])})] == ["1", "3"]


def test_a_fact_with_a_comma_is_never_told(tmp_path: Path, cli: Cli) -> None:
    """The benchmarks remove commas from what the agent says, so such a fact is a fault of the task."""
    entries = [entry(0, {"id": "A0", "refund": True}, trial=trial) for trial in (0, 1)]
    for each in entries:
        each["info"]["task"]["outputs"] = ["1,250"]
    log = tmp_path / "log.json"
    log.write_text(json.dumps(entries))
    assert float(dm.score(str(log))["Facts"]) == 0.0
    [task] = cli.json("study", "audit", log, "-q")["tasks"]
    [evidence] = [each["evidence"] for each in task["signals"] if each["name"] == "untold"]
    assert "its comma is never found" in evidence[0]


def test_success_by_the_database_alone_is_a_rung_of_its_own(tmp_path: Path) -> None:
    logs = {}
    for name, told in (("old", True), ("new", False)):
        entries = [entry(task, {"id": f"A{task}", "refund": True}, reward=float(told)) for task in range(5)]
        for each in entries:
            each["info"]["reward_info"] = {"info": {"r_actions": True}}
        logs[name] = tmp_path / f"{name}.json"
        logs[name].write_text(json.dumps(entries))
    found = dm.compare({name: str(path) for name, path in logs.items()}).rungs
    rungs = {each.name: each.difference for each in found}
    assert (rungs["as written"], rungs["database alone"]) == (-1.0, 0.0)


def test_margin() -> None:
    base = score_system(tries(**{f"t{number}": "+-" for number in range(40)}), resampling=None)
    signs = ["++" if number % 4 else "+-" for number in range(40)]
    system = score_system(tries(**{f"t{number}": each for number, each in enumerate(signs)}), resampling=None)
    results = {"base": base, "system": system}
    found = {margin: compare_systems(results, Resampling(), margin).ladders[0] for margin in (0.0, 0.2, 0.36, 0.6)}
    assert [each.verdict for each in found.values()] == ["better", "better", "cannot tell", "cannot tell"]
    assert "equal within 60 points of Success" in found[0.6].headline
    assert found[0.2].headline.endswith(" and by more than 20 points.")
    assert found[0.2].rungs[0].ci == found[0.0].rungs[0].ci


def test_verdict_is_the_interval_beside_the_margin() -> None:
    """Of two systems, the later one is better exactly if the interval of the difference is above the margin."""
    base = score_system(tries(**{f"t{number}": "+---" for number in range(12)}), resampling=None)
    system = score_system(tries(**{f"t{n}": "+" * (n % 4 + 1) + "-" * (3 - n % 4) for n in range(12)}), resampling=None)
    for percent in range(0, 60, 3):
        [ladder] = compare_systems({"base": base, "system": system}, Resampling(), percent / 100).ladders
        low, high = ladder.rungs[0].ci or (0.0, 0.0)
        wanted = "better" if low > percent / 100 else "worse" if high < -percent / 100 else "cannot tell"
        assert ladder.verdict == wanted


def test_any_pass_and_pass() -> None:
    result = dm.score([{"task": "a", "trial": trial, "reward": float(trial == 0)} for trial in range(4)])
    assert [float(result[name]) for name in ("Pass(k=2)", "AnyPass(k=2)", "AnyPass(k=4)")] == [0.0, 0.5, 1.0]
    with pytest.raises(DialmeterError, match=r"AnyPass needs k, as in AnyPass\(k=2\)"):
        dm.score([{"task": "a", "reward": 1.0}], measures="AnyPass")


def test_pages_show_calls_beside_the_expected_ones(tmp_path: Path, cli: Cli) -> None:
    path = write_log(tmp_path, "log", wrong="<b>B</b>")
    cli("score", path, "--out", tmp_path / "runs" / "log", "-q")
    with served(tmp_path / "runs") as site:
        run = ask(site, "/run/log").text
        rows = ask(site, "/rows/log?sort=CallGCA").text
        assert re.findall(r">(\d:0)</a>", rows) == ["1:0", "3:0", "0:0", "2:0"]
        links = re.findall(r'href="(/rows/log\?[^"]*mark=wrong[^"]*)"', run)
        [address] = {html.unescape(each) for each in links if "argument=id" in each}
        found = set(re.findall(r'href="(/row/\d+/log[^"]*)"', ask(site, address).text))
        assert len(found) == 2
        page = ask(site, html.unescape(min(found))).text
    assert "Calls beside the expected ones" in page
    assert "<b>B</b>" not in page
    assert 'href="#message-1">message 1</a>' in page
    assert 'id="message-1"' in page
    assert len(re.findall(r'class="cell fresh wrong marked"', page)) == 1
    assert "cell fresh correct" in page


def test_a_parsed_log_is_read_like_its_file(tmp_path: Path) -> None:
    path = write_log(tmp_path, "log")
    parsed = json.loads(path.read_text())
    assert dm.score(parsed).to_dicts() == dm.score(str(path)).to_dicts()
    assert [each.name for each in dm.compare({"a": parsed, "b": parsed}).rungs] == ["as written", "CallGCA"]
    assert [each.task for each in dm.study.audit({"a": parsed, "b": parsed})] == ["1", "3"]
    for source in (parsed, str(path)):
        found = dm.find(source, "argument=id", "outcome=wrong")
        assert [(each.dialogue, each.rows[0]["made"], each.rows[0]["expected"]) for each in found] == [
            ("1:0", "B", "A1"),
            ("3:0", "B", "A3"),
        ]
        assert [each.dialogue for each in dm.find(source, "outcome=failed")] == ["1:0", "3:0"]
    with pytest.raises(DialmeterError, match="dialogue 0:0: reward must be a number"):
        dm.score([{**parsed[0], "reward": "x"}])


def test_expected_calls_need_a_name(tmp_path: Path, cli: Cli) -> None:
    unnamed = entry(0, reward=1.0)
    unnamed["info"]["task"]["actions"] = [{"name": None, "kwargs": {}}]
    path = tmp_path / "log.json"
    path.write_text(json.dumps([unnamed]))
    assert "dialogue 0:0: an expected call has no name" in cli("score", path, code=2).complaint


def test_an_unlikely_rerun_differs_by_no_more_than_everything(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("task,reward\na,1\nb,0\n")
    assert "a rerun may differ by up to 100.00." in cli("score", path).out
