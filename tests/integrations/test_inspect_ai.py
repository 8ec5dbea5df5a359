"""The scorer and its metrics in evaluations of Inspect: the values are those of ``tracker score``."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from dialmeter import read
from dialmeter.integrations.inspect_ai import dialogue_measure, dialogue_state, jga

from ..scoring import score_tracker
from .examples import run_example

MODEL = "mockllm/model"


@pytest.fixture(autouse=True)
def _few(folder: Path) -> None:
    """Ten dialogues are enough, and quicker."""
    for path in (folder / "new.jsonl", folder / "gold.jsonl"):
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:10]))


@solver
def tracker() -> Solver:
    """Says what the sample's metadata has under ``answer``. A model would count tokens, for which Inspect needs the network."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content(MODEL, state.metadata.get("answer", "Hello!"))
        return state

    return solve


def samples(path: Path) -> list[Sample]:
    """The turns of a file, the last ones first: the order of samples must not matter."""
    found = [
        Sample(
            input=turn.user or "…",
            target=json.dumps(turn.gold),
            metadata={"dialogue": each.id, "turn": turn.number, "answer": f"The state is {json.dumps(turn.pred)}."},
        )
        for each in read(str(path))
        for turn in each.turns
    ]
    return found[::-1]


def evaluated(given: list[Sample], **options: Any) -> EvalLog:
    task = Task(dataset=given, solver=tracker(), scorer=options.pop("scorer", dialogue_state()), **options)
    [log] = evaluate(task, model=MODEL, display="none", log_dir="logs", log_level="info")
    return log


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.status == "success", log.error
    assert log.results is not None
    [score] = log.results.scores
    return {name.rpartition("/")[2]: metric.value for name, metric in score.metrics.items()}


def test_values_like_tracker_score(folder: Path) -> None:
    log = evaluated(samples(folder / "new.jsonl"))
    expected = score_tracker("new.jsonl", measures=["JGA", "GCA"])
    values = {"jga": expected["JGA"].value, "gca": expected["GCA"].value, "unparsed": 0}
    assert metrics(log) == pytest.approx(values, abs=1e-12)
    assert log.samples is not None
    assert {sample.scores["dialogue_state"].value for sample in log.samples if sample.scores} == {0, 1}


def test_other_measures_and_rules(folder: Path) -> None:
    scorer = dialogue_state(rules="trade")
    asked = [jga(), dialogue_measure("FGA(lam=0.5)", rules="trade")]
    log = evaluated(samples(folder / "new.jsonl"), scorer=scorer, metrics=asked)
    expected = score_tracker("new.jsonl", measures=["JGA", "FGA(lam=0.5)"], rules="trade")
    assert sorted(metrics(log).values()) == pytest.approx(sorted(score.value or 0 for score in expected.scores))


def test_answers_without_state() -> None:
    given = [
        Sample(input="a", target='{"taxi-to": "x"}', metadata={"dialogue": "d", "turn": 0, "answer": "I cannot say."}),
        Sample(input="b", target="{}", metadata={"dialogue": "e", "turn": 0, "answer": "Sorry?"}),
    ]
    log = evaluated(given)
    assert metrics(log) == {"jga": 0.5, "gca": 0.0, "unparsed": 2}
    assert log.samples is not None
    assert log.samples[0].scores is not None
    explained = log.samples[0].scores["dialogue_state"].explanation
    assert explained == "no readable state in the answer; it counts as an empty state"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"turn": None}, "sample 1 has no 'turn' in its metadata"),
        ({"target": "east"}, "dialogue d, turn 0: not valid JSON"),
        ({"target": "[1]"}, "dialogue d, turn 0: the target must be an object, found a list"),
        ({"target": '{"a-b": "1", "a-b": "2"}'}, "dialogue d, turn 0: duplicate key 'a-b'"),
    ],
)
def test_bad_samples(folder: Path, change: dict[str, Any], line: str) -> None:
    metadata = {"dialogue": "d", "turn": 0, "answer": "{}"}
    if "turn" in change:
        del metadata["turn"]
    log = evaluated([Sample(input="a", target=change.get("target", "{}"), metadata=metadata)])
    assert log.status == "error"
    assert log.error is not None
    assert line in log.error.message


def test_missing_turns_and_epochs(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "dialmeter")
    given = [each for each in samples(folder / "new.jsonl") if (each.metadata or {})["turn"] != 1]
    found = metrics(evaluated(given))
    assert math.isnan(found["gca"])
    assert 0 < found["jga"] < 1
    assert "GCA has no value: dialogue saltmere-" in caplog.text
    assert "turn 1: no score, but later turns have one" in caplog.text
    caplog.clear()
    found = metrics(evaluated(samples(folder / "new.jsonl"), epochs=2))
    assert math.isnan(found["gca"])
    assert found["jga"] == pytest.approx(score_tracker("new.jsonl", measures=["JGA"]).value)
    assert "several answers: run with one epoch" in caplog.text


def test_scorer_by_its_name(folder: Path) -> None:
    """Inspect finds it by the entry point, in a process that has not imported it."""
    plain = Task(dataset=samples(folder / "new.jsonl"), solver=tracker())
    [log] = evaluate(plain, model=MODEL, display="none", log_dir="logs")
    command = [sys.executable, "-m", "inspect_ai", "score", log.location, "--scorer", "dialmeter/dialogue_state"]
    command += ["--action", "append", "--output-file", "scored.eval", "--display", "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    values = metrics(read_eval_log("scored.eval"))
    expected = score_tracker("new.jsonl", measures=["JGA", "GCA"])
    assert values["jga"] == pytest.approx(expected["JGA"].value)
    assert values["gca"] == pytest.approx(expected["GCA"].value)


def test_task_of_page(folder: Path) -> None:
    task = run_example("Inspect")["tracking"]
    [log] = evaluate(task(), solver=tracker(), model=MODEL, display="none", log_dir="logs")  # type: ignore[operator]
    assert log.samples is not None
    assert metrics(log)["unparsed"] == len(log.samples) == score_tracker("gold.jsonl").turns
    assert "user: I need a bed in Saltmere." in str(log.samples[0].input)
