"""The recipes of the page run, and what the other tools keep is what dialmeter gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter import read

from ..scoring import score_tracker
from .examples import run_example


def test_mlflow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    import mlflow

    mlflow.set_tracking_uri((folder / "server").as_uri())
    result: Any = run_example("MLflow")["result"]
    [run] = mlflow.search_runs(output_format="list")
    low, high = result["FGA(lam=0.5)"].ci
    assert run.data.metrics["FGA_lam_0.5"] == pytest.approx(result["FGA(lam=0.5)"].value)
    assert run.data.metrics["FGA_lam_0.5_low"] == pytest.approx(low)
    assert run.data.metrics["FGA_lam_0.5_high"] == pytest.approx(high)
    assert run.data.tags["JGA_signature"] == result["JGA"].signature
    assert [each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)] == ["new.jsonl"]


def test_wandb(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"WANDB_MODE": "offline", "WANDB_DIR": str(folder), "WANDB_SILENT": "true"}.items():
        monkeypatch.setenv(name, value)
    import wandb

    kept: dict[str, Any] = {}
    leave = wandb.Run.__exit__

    def note_and_leave(run: Any, *error: Any) -> Any:
        """A run that is over has no summary any more."""
        kept.update(run.summary)
        return leave(run, *error)

    monkeypatch.setattr(wandb.Run, "__exit__", note_and_leave)
    names: dict[str, Any] = run_example("Weights and Biases")
    result, run = names["result"], names["run"]
    assert kept["FGA_lam_0.5"] == pytest.approx(result["FGA(lam=0.5)"].value)
    assert kept["GCA_low"] == pytest.approx(result["GCA"].ci[0])
    assert run.config["JGA_signature"] == result["JGA"].signature
    assert list(folder.glob("wandb/offline-run-*/*.wandb"))


def test_evaluate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    kind: Any = run_example("Hugging Face evaluate")["DialogueState"]
    metric = kind(cache_dir=str(folder / "cache"))
    for each in read("new.jsonl"):
        metric.add(
            predictions=[json.dumps(turn.pred) for turn in each.turns],
            references=[json.dumps(turn.gold) for turn in each.turns],
        )
    expected = score_tracker("new.jsonl", measures=["JGA", "GCA"])
    assert metric.compute() == {"JGA": expected["JGA"].value, "GCA": expected["GCA"].value}


def test_deepeval(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_DISABLE_DOTENV"):
        monkeypatch.setenv(name, "1")
    from deepeval import assert_test
    from deepeval.test_case import LLMTestCase

    metric: Any = run_example("deepeval")["ExactState"]
    gold = '{"hotel-area": "east"}'
    right = LLMTestCase(input="In the east.", actual_output="hotel-area: East", expected_output=gold)
    assert_test(right, [metric()])
    for answer, reason in ((gold.replace("east", "west"), None), ("Hm?", "no readable state in the answer")):
        wrong = LLMTestCase(input="In the east.", actual_output=answer, expected_output=gold)
        with pytest.raises(AssertionError):
            assert_test(wrong, [metric()])
        asked = metric()
        assert (asked.measure(wrong), asked.reason) == (0.0, reason)
