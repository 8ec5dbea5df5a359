"""Logs and conversations of any layout: natural files with their figures, questions and their answers, layouts made at random."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from math import comb
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import dialmeter as dm
from dialmeter.errors import InputError
from dialmeter.model import SYSTEM
from dialmeter.readers.content import content_of
from dialmeter.readers.conversations import open_conversations, open_trajectories
from dialmeter.readers.formats import format_with_fields

from ..cli.invoke import Cli
from ..fuzz.logs import outcome
from ..shared_data import shared
from .talk.natural import NATURAL, Natural
from .test_records import expected

CONTENT = {"system": ("system",), "judge": ("dialogues",), "user": ("user", "dialogues")}
SETS = [each for each in expected("logs") if each["task"] != "ratings"]


def figures(path: Path, format: str | None = None) -> dict[str, Any]:
    """Returns the figures of a log: runs, tasks, success, calls; or of conversations: dialogues, replies, goals."""
    talks = list(open_conversations(path, format))
    found: dict[str, Any] = {
        "dialogues": len(talks),
        "replies": sum(move.speaker == SYSTEM for talk in talks for move in talk.moves),
        "goals": sum(bool(talk.goal or talk.task) for talk in talks),
    }
    if format is None and content_of(str(path)) != "system":
        return found
    runs = list(open_trajectories(path, format))
    tasks: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(float(run.rewards.get("reward", 0) >= 1))
    found |= {
        "trials": len(runs),
        "tasks": len(tasks),
        "success": round(fmean(map(fmean, tasks.values())), 4),
        "tool_calls": sum(len(step.calls) for run in runs for step in run.steps),
        "crashed": sum(run.ending == "infrastructure" for run in runs),
    }
    if min(map(len, tasks.values())) > 1:
        found["pass^2"] = round(fmean(comb(int(sum(won)), 2) / comb(len(won), 2) for won in tasks.values()), 4)
    return found


def check(path: Path, wanted: dict[str, Any]) -> None:
    found = figures(path)
    assert {key: found[key] for key in wanted} == wanted
    opened = open_trajectories(path) if "trials" in wanted else open_conversations(path)
    list(opened)
    for notice in opened.notices:
        if notice.code == "read-as":  # what is said, given back, reads the same
            columns = notice.message.split('"')[1]
            again = figures(path, format_with_fields(None, [columns]))
            assert {key: again[key] for key in wanted} == wanted


@pytest.mark.parametrize("each", SETS, ids=[each["file"] for each in SETS])
def test_natural_files(each: dict[str, Any]) -> None:
    path = shared("data", "natural", "logs", each["file"])
    known = ("trials", "tasks", "success", "pass^2", "tool_calls", "crashed", "dialogues", "replies")
    assert content_of(str(path)) in CONTENT[each["task"]]
    check(path, {key: value for key, value in each["expected"].items() if key in known})


@pytest.mark.parametrize("each", [each for each in NATURAL if "items" not in each.figures], ids=lambda each: each.name)
def test_own_files(each: Natural, tmp_path: Path) -> None:
    path = tmp_path / each.name
    path.write_text(each.text, "utf-8")
    check(path, each.figures)


def run(number: int, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Book it."}, {"role": "assistant", "content": "Done."}]
    return {"id": f"r{number}", "messages": messages, **fields}


ASKED = (
    ("score", [70, 20, 90], "from which value on was the task reached?", "outcome=score>=50", 2),
    ("verdict", ["solved", "partial", "solved"], "which words of verdict mean", "outcome=verdict:solved", 2),
    ("status", ["ok", "failed", "ok"], "does status say whether", "outcome=status", 2),
)
"""Field of the outcome, its values, the question, an answer, and the number of successes after it."""


@pytest.mark.parametrize(("field", "values", "question", "answer", "won"), ASKED)
def test_questions(
    field: str, values: list[Any], question: str, answer: str, won: int, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([run(number, task=number, **{field: value}) for number, value in enumerate(values)]))
    assert question in cli.refused("score", path)
    found = cli.json("score", path, "--columns", answer)
    assert found["scores"][0]["value"] == pytest.approx(won / 3)


def test_two_outcomes_that_disagree(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([run(0, success=True, resolved=False), run(1, success=True, resolved=True)]))
    assert "which field says whether the task was reached: success or resolved?" in cli.refused("score", path)
    assert cli.json("score", path, "--columns", "outcome=resolved")["scores"][0]["value"] == 0.5


@pytest.mark.parametrize(("name", "values"), [("exact_match", [1, 0, 1]), ("completed", [True, False, False])])
def test_constant_outcome_and_one_that_varies(name: str, values: list[Any], tmp_path: Path, cli: Cli) -> None:
    """``success`` may mean that the run ended: it is asked about, although its name says more than that of the other field."""
    path = tmp_path / "runs.json"
    rows = [run(at, task=at, result={"success": True}, **{name: value}) for at, value in enumerate(values)]
    path.write_text(json.dumps(rows))
    question = f"which field says whether the task was reached: result.success or {name}?"
    assert question in cli.refused("score", path)
    for answer, won in ((name, sum(values)), ("result.success", 3)):
        found = cli.json("score", path, "--columns", f"outcome={answer}")
        assert found["scores"][0]["value"] == pytest.approx(won / 3)


@pytest.mark.parametrize("other", [{"exact_match": 0}, {"score": 0.25}, {"status": "failed"}, {"cached": False}])
def test_constant_outcome_alone(other: dict[str, Any], tmp_path: Path, cli: Cli) -> None:
    """Fields that are constant, too, of another scale, or of names that say nothing about success, are no rivals."""
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([run(at, task=at, success=True, **other) for at in range(3)]))
    assert cli.json("score", path)["scores"][0]["value"] == 1


def test_rows_in_python() -> None:
    rows = [run(number, task=number % 2, resolved=number != 3) for number in range(4)]
    assert float(dm.score(rows)["Success"]) == 0.75
    assert float(dm.score(rows, columns={"outcome": "resolved", "task": "id"})["Success"]) == 0.75


def test_outputs_that_repeat_inputs(tmp_path: Path) -> None:
    asked = [{"type": "human", "content": "Find it."}]
    called = {"type": "ai", "content": "", "tool_calls": [{"name": "find", "args": {}, "id": "1"}]}
    said = [*asked, called, {"type": "tool", "content": "x", "tool_call_id": "1"}, {"type": "ai", "content": "Here."}]
    stats = {"success": {"n": 1, "avg": 1.0}}
    path = tmp_path / "runs.json"
    path.write_text(
        json.dumps([{"inputs": {"messages": asked}, "outputs": {"messages": said}, "feedback_stats": stats}])
    )
    check(path, {"trials": 1, "success": 1.0, "tool_calls": 1, "replies": 1})


def test_rewards_in_words(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "rewards.csv"
    path.write_text("task,success\na,yes\nb,no\n")
    assert cli.json("score", path)["scores"][0]["value"] == 0.5


def test_several_systems(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.json"
    rows = [run(n, task=n // 2, model=f"m{n % 2}", success=n in (0, 2, 3)) for n in range(4)]
    path.write_text(json.dumps(rows))
    refused = cli.refused("score", path)
    assert "the log holds 2 systems by model: m0, m1" in refused
    assert cli.json("score", path, "--columns", "task=task where=model:m0")["scores"][0]["value"] == 1.0


def test_figures_of_conversations(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text('{"chat": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]}\n' * 2)
    assert "read as judge, dialogues; 2 dialogues, 2 replies" in cli("check", path).out
    assert "make cases for judges" in cli.refused("score", path)


def test_layouts_made_at_random(tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(300):
        outcomes[outcome(seed, tmp_path)] += 1
    assert not outcomes["wrong"]
    assert outcomes["right"] > 290


def test_no_messages_at_the_named_place(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([run(0), run(1)]))
    with pytest.raises(InputError, match=r"no messages at 'turns'; they are at \[\]\.messages"):
        list(open_conversations(path, "chat(messages=turns)"))


def rows_of_turns(*runs: tuple[str, int, int]) -> str:
    """Returns a table with one utterance in each row; a run is a task, a trial and its success."""
    rows = ["task_id,run,turn,speaker,utterance,task_success"]
    for task, trial, won in runs:
        rows += [f"{task},{trial},0,user,Book it.,{won}", f"{task},{trial},1,agent,Done.,{won}"]
    return "\n".join(rows) + "\n"


def test_table_of_utterances_with_trials(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text(rows_of_turns(("a", 0, 1), ("a", 1, 0), ("b", 0, 1), ("b", 1, 1)))
    check(path, {"trials": 4, "tasks": 2, "success": 0.75, "pass^2": 0.5, "replies": 4})
    path.write_text(path.read_text().replace("run,", "", 1).replace(",0,0,user", ",0,user"))
    with pytest.raises(InputError):
        list(open_trajectories(path))


def test_task_of_numbered_trials_is_asked_for(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [run(at, shop=f"s{at % 2}", attempt=at // 2, success=True) for at in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "attempt counts trials, but which field is the task?" in cli.refused("score", path)
    assert "2 tasks, 2 trials" in cli("score", path, "--columns", "task=shop").out


def test_log_in_a_table(tmp_path: Path) -> None:
    talk = json.dumps(run(0)["messages"]).replace('"', '""')
    path = tmp_path / "runs.csv"
    path.write_text(f'task_id,messages,solved\na,"{talk}",yes\na,"{talk}",no\nb,"{talk}",yes\nb,"{talk}",yes\n')
    check(path, {"trials": 4, "tasks": 2, "success": 0.75, "pass^2": 0.5, "replies": 4})


def test_chats_in_a_workbook_and_of_a_messenger(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in (("Chat ID", "Sender", "Message"), (1, "Customer", "Hi"), (1, "Agent", "Hello"), (2, "Customer", "Bye"), (2, "Agent", "Bye")):  # fmt: skip
        book.active.append(row)
    path = tmp_path / "chats.xlsx"
    book.save(path)
    check(path, {"dialogues": 2, "replies": 2})
    path = tmp_path / "chat.txt"
    path.write_text(
        "12/03/26, 10:00 - Messages are encrypted.\n12/03/26, 10:01 - Client: Hello\nand good day\n12/03/26, 10:02 - Help Bot: Yes?\n"
    )
    (talk,) = open_conversations(path)
    assert [(move.speaker, move.text) for move in talk.moves] == [("user", "Hello\nand good day"), ("system", "Yes?")]


def test_goals_of_users_as_slots(tmp_path: Path, cli: Cli) -> None:
    goal = {"wants": "a test", "constraints": {"day": "monday"}, "asks_for": ["price"]}
    path = tmp_path / "users.json"
    path.write_text(json.dumps([run(0, episode=0, goal=goal), run(1, episode=1, goal=goal)]))
    talks = list(open_conversations(path))
    assert [(talk.goal["goal"].info, talk.goal["goal"].requests) for talk in talks if talk.goal] == [({"day": "monday"}, ("price",))] * 2  # fmt: skip
    out = cli("score", path).out
    assert out.startswith("CANNOT TELL: no turn has acts")
    assert out.rstrip().endswith("--set acts=rules")
    assert "I-GCDF1" in cli("score", path, "--set", "acts=rules").out


def test_spans_without_their_trace(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    spans = [
        {"parent_id": None, "span_type": "AGENT", "name": "a"},
        {"parent_id": None, "span_type": "TOOL", "name": "b"},
    ]
    path.write_text(json.dumps(spans))
    with pytest.raises(InputError, match="without the id of their trace"):
        content_of(str(path))


def test_unknown_speakers_are_asked_for(tmp_path: Path, cli: Cli) -> None:
    said = [{"speaker": "SPEAKER_00", "text": "Hello"}, {"speaker": "SPEAKER_01", "text": "Yes?"}]
    path = tmp_path / "calls.jsonl"
    path.write_text((json.dumps({"call": 1, "segments": said}) + "\n") * 2)
    assert 'who is the user: SPEAKER_00 or SPEAKER_01? Answer with --columns "user=SPEAKER_00"' in cli.refused("score", path)  # fmt: skip
    assert "2 dialogues, 2 replies" in cli("check", path, "--columns", "user=SPEAKER_00").out


@pytest.mark.parametrize(
    ("names", "question"),
    [
        (("train", "test"), "a folder with the splits test and train"),
        (("one", "two"), "the log holds 2 systems by @file: one, two"),
    ],
)
def test_folders_that_are_no_single_log(names: tuple[str, str], question: str, tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = "".join(json.dumps(run(at, task=f"t{at}", success=True)) + "\n" for at in range(3))
    for name in names:
        (folder / f"{name}.jsonl").write_text(rows)
    assert question in cli.refused("score", folder)


RUNS = [
    {"model": m, "task_id": f"t{t}", "trial": at, "success": m == "b" or at}
    for m in "ab"
    for t in (1, 2)
    for at in (0, 1)
]
OUTCOMES = (
    ("wide.csv", "task,trial_1,trial_2,Notes\nbook,1,0,x\ncancel,1,1,\n", 0.75, 0.5),
    ("lists.json", '{"book": [true, false], "cancel": [1, 1]}', 0.75, 0.5),
    ("score.csv", "task_id,intent,steps,score\n1,find,5,1.0\n2,post,7,0.0\n", 0.5, None),
    ("one.csv", "model,task_id,trial,success\nm,1,0,1\nm,1,1,0\n", 0.5, 0.0),
)
"""Tables of outcomes without messages: their success, and the share of tasks with two successes in two trials."""


@pytest.mark.parametrize(("name", "text", "success", "pass2"), OUTCOMES)
def test_tables_of_outcomes(
    name: str, text: str, success: float, pass2: float | None, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = {each["measure"]: each["value"] for each in cli.json("score", path)["scores"]}
    assert (found["Success"], found.get("Pass(k=2)")) == (success, pass2)


def test_systems_in_a_table_or_by_key(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "model,task_id,trial,success\n"
        + "".join(f"{','.join(map(str, map(int_or_text, row.values())))}\n" for row in RUNS)
    )
    assert 'score one of them with --columns "task=task_id where=model:a"' in cli.refused("score", path)
    assert cli.json("score", path, "--columns", "task=task_id where=model:a")["scores"][0]["value"] == 0.5
    path = tmp_path / "runs.json"
    path.write_text(json.dumps({name: [run(at, success=name == "x") for at in range(2)] for name in "xy"}))
    assert "which field is the task: @key or id? Answer with --columns task=@key or --columns task=id" in cli.refused("score", path)  # fmt: skip
    assert 'score one of them with --columns "task=id where=@key:x"' in cli.refused(
        "score", path, "--columns", "task=id"
    )
    assert cli.json("score", path, "--columns", "task=id where=@key:y")["scores"][0]["value"] == 0


def int_or_text(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def test_summary_of_the_file_is_no_outcome(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.json"
    calls = [{"role": "assistant", "tool_calls": [{"name": "find", "arguments": {}}], "content": None}]
    rows = [{**each, "messages": [*calls, *each["messages"]]} for each in (run(0, includes="C"), run(1, includes="I"))]
    path.write_text(json.dumps({"success_rate": 1.0, "runs": rows}))
    assert "if one does, name it: --columns outcome=includes" in cli.refused("score", path)
    assert cli.json("score", path, "--columns", "outcome=includes")["scores"][0]["value"] == 0.5


def test_scores_beside_traces(tmp_path: Path) -> None:
    spans = [
        {"traceId": trace, "type": kind, "parentObservationId": None, "startTime": f"2026-01-01T00:00:0{at}Z", "name": "f",
         "input": [{"role": "user", "content": "Hi"}] * at, "output": {"role": "assistant", "content": "Yo"}}
        for trace in "ab" for at, kind in enumerate(("TOOL", "GENERATION"))
    ]  # fmt: skip
    scores = [{"traceId": trace, "name": "success", "value": trace == "a"} for trace in "ab"]
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"traces": [{"id": trace} for trace in "ab"], "observations": spans, "scores": scores}))
    check(path, {"trials": 2, "tasks": 2, "success": 0.5, "tool_calls": 2})


def test_python_reads_rows_like_files() -> None:
    said = run(0)["messages"]
    rows = [{"output": {"messages": said, "scores": {"check": {"passed": at == 0}}}, "summary": {"status": "success"}} for at in range(2)]  # fmt: skip
    for data in (rows, iter(rows)):
        assert float(dm.score(data)["Success"]) == 0.5


def test_repeated_trials_and_scores_without_a_limit(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("task,reward,trial\na,1,0\na,0,0\nb,1,0\n")
    found = open_trajectories(path)
    assert (len(list(found)), [error.message for error in found.refused]) == (2, ["duplicate dialogue id"])
    path.write_text("task,model,score\nt1,m,0.71\nt2,m,0.4\n")
    assert 'from which value of score on was the task reached? Answer with --columns "outcome=score>=1"' in cli.refused("score", path)  # fmt: skip
    assert cli.json("score", path, "--columns", "outcome=score>=0.5")["scores"][0]["value"] == 0.5
