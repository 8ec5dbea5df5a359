"""Agent logs: every published file gives the known counts, and every message format gives the same steps."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import SYSTEM, USER, ToolCall, Trajectory
from dialmeter.readers.conversations import is_log, open_conversations, open_trajectories
from dialmeter.readers.formats import CONVERSATION_FORMATS, LOG_FORMATS
from dialmeter.readers.layouts.llm import answer_in
from dialmeter.readers.messages import TOOL_AS_USER, read_messages
from dialmeter.readers.raw_file import Archive, _zip_module

from ...shared_data import shared

TAU = (
    "gpt-4o-airline.json",
    "retail_tool-calling-gpt-4.1-mini_0610135038.json",
    "retail_tool-calling-gemini-2.0-flash_0605191952.json",
    "retail_act-gemini-2.0-flash_0605165116.json",
)
TAU2 = ("tau2_airline_gemini2_5_flash_10tasks_2t.json", "tau2_airline_gemini2_5_flash_10tasks_2t_retry_agent.json")


def read(path: Path, format: str | None = None) -> list[Trajectory]:
    file = open_trajectories(path, format)
    found = list(file)
    assert not file.refused
    return found


def expected(kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "trajectories.json").read_text())[kind][name]
    return found


@pytest.mark.parametrize("name", TAU)
def test_counts_of_tau_bench(name: str) -> None:
    wanted = expected("tau", name)
    found = read(shared("data", "trajectories", f"{name}.gz"))
    steps = [step for each in found for step in each.steps]
    calls = [call for step in steps for call in step.calls if not call.in_text]
    counts = wanted["counts"]
    roles = sum((Counter(each.roles) for each in found), Counter[str]())
    shown = {role: roles[role] for role in ("system", "assistant", "tool") if roles[role]}
    assert {**shown, "user": roles["user"] + roles[TOOL_AS_USER]} == wanted["roles"]
    assert roles[TOOL_AS_USER] == counts['tool results as user ("API output:")']
    assert len(found) == counts["dialogues"]
    assert sum(step.speaker == USER for step in steps) == counts["user messages"]
    assert len(calls) == counts["tool calls"]
    assert dict(Counter(call.name for call in calls)) == wanted["tools"]
    assert sum(call.failed for call in calls) == counts["tool messages beginning with Error"]
    called = [step for step in steps if step.calls and not step.calls[0].in_text]
    assert sum(bool(step.aside) for step in called) == counts["assistant messages with text and tool call"]
    endings = Counter(each.ending for each in found)
    assert endings["user_stop"] == counts["dialogues with STOP"]
    # All errors that end runs in these files are of the connection or of the endpoint.
    assert endings["infrastructure"] == counts.get("crashed (info.error)", 0)
    assert endings["transfer"] == wanted["info.source"].get("transfer_to_human_agents", 0)
    assert endings["limit"] == len(found) - endings["user_stop"] - endings["infrastructure"] - endings["transfer"]
    assert {str(key): value for key, value in Counter(each.rewards["reward"] for each in found).items()} == wanted[
        "rewards"
    ]


@pytest.mark.parametrize("name", TAU2)
def test_counts_of_tau2_bench(name: str) -> None:
    wanted = expected("tau2", name)
    found = read(shared("data", "trajectories", f"{name}.gz"))
    calls = [call for each in found for step in each.steps for call in step.calls]
    counts = wanted["counts"]
    assert dict(sum((Counter(each.roles) for each in found), Counter[str]())) == wanted["roles"]
    assert dict(Counter(call.name for call in calls)) == wanted["tools"]
    assert sum(call.failed for call in calls) == counts["tool messages with error true"]
    tokens = {"user_stop": "###STOP###", "transfer": "###TRANSFER###", "out_of_scope": "###OUT-OF-SCOPE###"}
    assert Counter(each.ending for each in found) == Counter(
        {ending: counts[f"user messages with {token}"] for ending, token in tokens.items()}
    )
    assert all(each.steps[0].speaker == SYSTEM for each in found)
    for who in ("agent", "user"):
        assert sum(each.costs[who] for each in found) == pytest.approx(wanted[f"{who}_cost"], abs=1e-12)


def test_counts_of_inspect() -> None:
    for name, wanted in json.loads(shared("expected", "inspect.json").read_text()).items():
        file = open_trajectories(shared("data", "trajectories", "inspect", name))
        found = list(file)
        assert file.format == "inspect"
        assert len(found) == wanted["samples"]
        assert bool(file.notices) == (wanted["status"] != "success")
        assert dict(sum((Counter(each.roles) for each in found), Counter[str]())) == wanted["messages"]
        calls = Counter(call.name for each in found for step in each.steps for call in step.calls)
        assert dict(calls) == wanted["tool_calls"]
        for scorer, scores in wanted["scores"].items():
            assert {(each.task, each.trial): each.rewards[scorer] for each in found} == {
                (score["id"], score["epoch"]): score["float"] for score in scores
            }


def test_talk_of_a_log_takes_turns() -> None:
    for name in (*TAU, *TAU2):
        talks = open_conversations(shared("data", "trajectories", f"{name}.gz"))
        for talk in talks:
            speakers = [move.speaker for move in talk.moves]
            assert all(one != other for one, other in pairwise(speakers)), talk.id
        assert all("without utterances" in error.message for error in talks.refused)


CALL = {"name": "find", "arguments": {"city": "Lima"}}
DIALECTS = {
    "openai": (
        {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"city": "Lima"}'}},
        "tool_call_id",
    ),
    "tau2": ({"id": "1", **CALL, "requestor": "assistant"}, "id"),
    "inspect": ({"id": "1", "function": "find", "arguments": {"city": "Lima"}}, "tool_call_id"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_of_tool_calls(dialect: str) -> None:
    call, key = DIALECTS[dialect]
    found = read_messages(
        [
            {"role": "system", "content": "policy"},
            {"role": "user", "content": [{"type": "text", "text": "Where?"}]},
            {"role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"role": "tool", "content": "Error: no city", key: "1"},
            {"role": "assistant", "content": "No such city.", "tool_calls": None},
        ]
    )
    asked, looked, told = found.steps
    assert (asked.at, asked.text) == (1, "Where?")
    assert (looked.text, looked.aside) == ("", "I look.")
    [made] = looked.calls
    assert (made.name, made.arguments, made.result, made.failed) == ("find", {"city": "Lima"}, "Error: no city", True)
    assert (told.at, told.text) == (4, "No such city.")
    assert found.roles == {"system": 1, "user": 1, "assistant": 2, "tool": 1}


ANTHROPIC = [
    {"role": "user", "content": "Book a taxi."},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}, {"type": "tool_use", "id": "1", "name": "book", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "booked"}]},
]  # fmt: skip


def test_calls_as_parts_of_content() -> None:
    [asked, called] = read_messages(ANTHROPIC).steps
    assert (asked.text, called.aside, called.text) == ("Book a taxi.", "Done.", "")
    assert called.calls == (ToolCall("book", {}, result="booked"),)


def test_calls_as_parts_of_a_completion_are_refused() -> None:
    with pytest.raises(InputError, match="content with a part tool_use is not supported"):
        answer_in(ANTHROPIC[:2])


def test_calls_inside_the_text() -> None:
    found = read_messages(
        [
            {"role": "user", "content": "Where?"},
            {
                "role": "assistant",
                "content": 'Thought: look\nAction:\n{"name": "find", "arguments": {"city": "Lima"}}\n',
            },
            {"role": "user", "content": "API output: 3 hotels"},
            {"role": "assistant", "content": 'Action:\n{"name": "respond", "arguments": {"content": "Three."}}'},
        ]
    )
    assert [step.text for step in found.steps] == ["Where?", "", "Three."]
    [call] = found.steps[1].calls
    assert (call.name, call.result, call.in_text) == ("find", "3 hotels", True)


def test_results_out_of_order_and_without_a_call() -> None:
    calls = [{"id": str(number), "name": f"tool{number}", "arguments": {}} for number in (1, 2)]
    results = [{"role": "tool", "id": str(number), "content": f"r{number}"} for number in (2, 1)]
    found = read_messages(
        [{"role": "tool", "name": "x", "content": "r0"}, {"role": "assistant", "tool_calls": calls}, *results]
    )
    assert [[(call.name, call.result) for call in step.calls] for step in found.steps] == [
        [("x", "r0")],
        [("tool1", "r1"), ("tool2", "r2")],
    ]


def tau(**changes: Any) -> dict[str, Any]:
    talk = [{"role": "user", "content": "Hi ###STOP###"}]
    return {"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": talk, **changes}


def test_ids_twice_and_no_reward(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps([tau(), tau(), tau(trial=1, reward=None)]))
    file = open_trajectories(path)
    assert [(each.id, each.rewards) for each in file] == [("0:0", {"reward": 1.0}), ("0:1", {})]
    assert [str(error) for error in file.refused] == [f"{path}: dialogue 0:0: duplicate dialogue id"]


def test_a_folder_of_tau2(tmp_path: Path) -> None:
    simulations = tmp_path / "simulations"
    simulations.mkdir()
    tasks = [{"id": "a", "user_scenario": {"instructions": "Say hello."}, "evaluation_criteria": {"actions": []}}]
    index = [{"id": "s1", "task_id": "a", "trial": 0}]
    (tmp_path / "results.json").write_text(json.dumps({"info": {}, "tasks": tasks, "simulation_index": index}))
    for trial in (0, 1):
        simulation = {
            "task_id": "a",
            "trial": trial,
            "messages": [{"role": "user", "content": "hello"}],
            "termination_reason": "max_steps",
            "reward_info": None,
        }
        (simulations / f"s{trial}.json").write_text(json.dumps(simulation))
    found = read(tmp_path)
    assert [(each.id, each.ending, each.rewards) for each in found] == [("a:0", "limit", {}), ("a:1", "limit", {})]
    assert [each.goal.instruction for each in found if each.goal] == ["Say hello."] * 2
    [alone] = read(simulations / "s0.json")
    assert (alone.id, alone.goal) == ("a:0", None)


def test_an_index_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"info": {"agent_info": {}}, "tasks": [], "simulation_index": []}))
    with pytest.raises(InputError, match="no simulations; give the folder"):
        read(path)


def test_archives(tmp_path: Path) -> None:
    sample = {"id": "x", "epoch": 2, "messages": [{"role": "user", "content": "attachment://" + "ab" * 16}]}
    sample["attachments"] = {"ab" * 16: "a long text"}
    path = tmp_path / "log.eval"
    for method in (zipfile.ZIP_DEFLATED, 93):
        with _zip_module().ZipFile(path, "w", method) as archive:
            archive.writestr("_journal/start.json", "{}")
            archive.writestr("samples/x_epoch_2.json", json.dumps(sample))
        file = open_trajectories(path)
        [found] = file
        assert (found.id, found.steps[0].text) == ("x:2", "a long text")
        assert [notice.code for notice in file.notices] == ["unfinished-log"]
    whole = path.read_bytes()
    for end in range(4, len(whole), 11):
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="the archive is damaged or cut off"):
            list(open_trajectories(path))


def test_an_archive_over_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/a.json", " " * 5_000_000)
    monkeypatch.setenv("DIALMETER_MAX_BYTES", "1M")
    with pytest.raises(InputError, match="more than 1 MB after decompression"):
        Archive(packed.getvalue(), "log.eval")


def test_an_export_of_chatgpt(tmp_path: Path) -> None:
    def node(role: str, text: str, parent: str | None) -> dict[str, Any]:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
        return {"message": message, "parent": parent}

    mapping = {
        "r": {"message": None, "parent": None},
        "a": node("user", "Hi", "r"),
        "b": node("assistant", "old", "a"),
        "c": node("assistant", "new", "a"),
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"conversation_id": "k", "mapping": mapping, "current_node": "c"}]))
    [log], [talk] = read(path), open_conversations(path)
    assert [step.text for step in log.steps] == ["Hi", "new"]
    assert (log.id, talk.id) == ("k:0", "k")
    assert [(move.speaker, move.text) for move in talk.moves] == [("user", "Hi"), ("system", "new")]
    mapping["r"]["parent"] = "c"
    path.write_text(json.dumps([{"conversation_id": "k", "mapping": mapping, "current_node": "c"}]))
    file = open_trajectories(path)
    assert not list(file)
    assert [error.message for error in file.refused] == ["the messages in mapping form a cycle"]


def test_the_format_of_a_plug_in_decides_whether_a_file_is_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CONVERSATION_FORMATS, "names", lambda: ["talks", "both"])
    monkeypatch.setattr(LOG_FORMATS, "names", lambda: ["both"])
    assert [is_log("x.jsonl", format) for format in ("talks", "both")] == [False, True]
    assert [is_log("x.jsonl", "unknown", unknown=unknown) for unknown in (False, True)] == [False, True]
