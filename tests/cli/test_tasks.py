"""Twenty-five things that people do, each with one command, on small files with the short names that people give them."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.clusters import running
from tests.shared_data import shared

from .invoke import Cli

SAMPLE = {
    "base.jsonl": ("p", "b", "big"),
    "new.jsonl": ("a",),
    "frames.jsonl": ("c",),
    "gold.jsonl": ("g",),
    "agenda.jsonl": ("u", "chat"),
    "forgetful.jsonl": ("v",),
    "cases.jsonl": ("cases",),
    "desk-base.json": ("log", "old", "bad"),
}
"""File of the sample → its names here."""
CHAT = 12
"""Dialogues of ``chat``; the sample has many more than an attack needs."""


class Task(NamedTuple):
    """A command, what its output says, the files that it writes, and its exit code."""

    command: str
    says: str
    writes: str = ""
    code: int = 0


TRACKER = [
    Task("check p --gold g", r"^READY"),
    Task('score p -m "FGA(lam={hotel: 0, other: 0.5})"', r"FGA\(lam=\{hotel: 0, other: 0.5\}\)\s+56\.92"),
    Task("study rules p", r"mwzeval"),
    Task("find A=a B=b slot=hotel-name A.outcome=right B.outcome=wrong", r"town-7-\d{4}"),
    Task('find p --sort "FGA(lam=0.5) - GCA" -n 20', r"(town-7-\d{4}[^§]*){20}"),
]
USER = [
    Task("score u --by pattern", r"no_miss"),
    Task('compare u v -m "I-GCDF1[hotel]"', r"^WORSE.*I-GCDF1\[hotel\]"),
    Task("convert sgd/ goals --to goals --set profile=sgd", r"", "goals"),
    Task("score words --set acts=rules", r"I-GCDF1"),
    Task("play --user agenda --user hasty --system rule --goals 50 -o x", r"hasty", "x"),
]
JUDGE = [
    Task("judge attack chat -n 100 -o made", r"contradiction", "made"),
    Task('compare cases -j overlap -j "llm(rubric=coherence)" --dry-run', r"llm\(.*nothing was sent"),
    Task('score ratings -m "Spearman[coherence]"', r"Spearman"),
    Task("judge explain cases -j overlap --set base=zero -n 2", r"overlap"),
    Task("convert cases dpo --to pairs", r"", "dpo"),
]
SYSTEM = [
    Task("score log --by task", r"Success"),
    Task("compare bad old --set infrastructure=skipped --fail-if worse", r"^BETTER"),
    Task("compare old bad --set infrastructure=skipped --fail-if worse", r"^WORSE", code=1),
    Task("score log --subject user", r"GoalRecall"),
    Task("find log ending=infrastructure -f ids", r"^3:0$"),
    Task('score graded -m "Pass(k=2)" --set scorer=exact', r"Pass\(k=2\)\s+50\.00"),
]
GENERAL = [
    Task("compare a b c --latex bold -o runs/abc", r"\\textbf", "runs/abc"),
    Task("report runs/abc --charts figs --chart width=84mm", r"figs", "figs"),
    Task("score p -m JGA -f value", r"^43\.60\d*$"),
    Task("list settings missing", r"empty"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of all tasks."""
    from dialmeter.cli.demo import write_sample

    made = tmp_path_factory.mktemp("tasks")
    write_sample(made / "sample", force=True)
    for source, names in SAMPLE.items():
        for name in names:
            (made / name).write_bytes((made / "sample" / source).read_bytes())
    for name in ("chat", "u", "v"):
        lines = (made / name).read_text("utf-8").splitlines(keepends=True)
        (made / name).write_text("".join(lines[: CHAT if name == "chat" else 60]), "utf-8")
    write_spoken(made / "u", made / "words")
    write_broken_run(made / "log")
    write_failures(made / "bad")
    write_graded(made / "graded")
    write_ratings(made / "sample" / "ratings.jsonl", made / "ratings")
    return made


def write_spoken(source: Path, target: Path) -> None:
    """Write the dialogues of a user without their acts."""
    dialogues = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for dialogue in dialogues:
        for turn in dialogue["talk"]:
            turn.pop("acts", None)
            turn.pop("understood", None)
    target.write_text("".join(f"{json.dumps(each)}\n" for each in dialogues), "utf-8")


def write_broken_run(path: Path) -> None:
    """End one dialogue of a log by an error of the connection."""
    runs = json.loads(path.read_text("utf-8"))
    broken = next(each for each in runs if each["task_id"] == 3 and each["trial"] == 0)
    broken["reward"], broken["info"] = 0.0, {**broken["info"], "error": "Connection reset by peer"}
    path.write_text(json.dumps(runs), "utf-8")


def write_failures(path: Path) -> None:
    """Let all dialogues of a log fail but those of three tasks."""
    runs = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps([{**each, "reward": each["reward"] * (each["task_id"] < 3)} for each in runs]), "utf-8")


def write_graded(path: Path) -> None:
    """Write a log with two scorers and two trials of each task: ``exact`` passes one task twice."""
    samples = [
        {"id": task, "epoch": trial, "messages": [], "scores": {"exact": {"value": passed}, "model": {"value": "C"}}}
        for task, grades in (("t1", "CC"), ("t2", "CI"))
        for trial, passed in enumerate(grades, 1)
    ]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}), "utf-8")


def write_ratings(source: Path, target: Path) -> None:
    """Write rated replies with the facet coherence, and the scores of one judge."""
    items = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for item in items:
        item["ratings"] = {"coherence": item["ratings"]["overall"]}
        item["scores"] = {"mine": len(item["reply"])}
    target.write_text("".join(f"{json.dumps(each)}\n" for each in items), "utf-8")


def add_sgd(folder: Path) -> None:
    """Write a folder of schema-guided dialogues, as published."""
    target = folder / "sgd"
    target.mkdir(exist_ok=True)
    dialogues = gzip.decompress(shared("data", "tracking", "sgd", "dialogues_001.json.gz").read_bytes())
    target.joinpath("dialogues_001.json").write_bytes(dialogues)
    target.joinpath("schema.json").write_bytes(shared("data", "tracking", "sgd", "schema.json").read_bytes())


@pytest.mark.parametrize("task", [*TRACKER, *USER, *JUDGE, *SYSTEM], ids=lambda task: task.command)
def test_task(task: Task, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sgd/" in task.command:
        add_sgd(folder)
    monkeypatch.setenv("DIALMETER_ENDPOINT", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("DIALMETER_MODEL", "some-model")
    run_task(task, folder, cli, monkeypatch)


def test_general_tasks(folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """These follow each other: the report reads the run of the comparison."""
    for task in GENERAL:
        run_task(task, folder, cli, monkeypatch)


def test_score_on_cluster(folder: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path, workers=1) as cluster:
        task = Task(f"score big --workers {cluster.address} -o runs/big", r"^JGA 43\.60", "runs/big")
        run_task(task, folder, cli, monkeypatch)


def run_task(task: Task, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the command in the folder, and check its output and its files."""
    monkeypatch.chdir(folder)
    done = cli(*shlex.split(task.command), code=task.code)
    assert re.search(task.says, done.out, re.MULTILINE | re.DOTALL), done.out
    if task.writes:
        written = folder / task.writes
        assert any(written.iterdir()) if written.is_dir() else written.stat().st_size > 0


def test_number_of_tasks() -> None:
    commands = {task.command.split(" --set infra")[0] for task in (*TRACKER, *USER, *JUDGE, *SYSTEM, *GENERAL)}
    assert len(commands - {"compare old bad"}) + len(["score big --workers"]) == 25
