"""What people type without having read anything: it works, or one line says what to type instead, and that works.

The first 30 lines were written by somebody who does not know dialmeter.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from ..shared_data import shared
from .invoke import Cli

LINES = re.findall(r"^\$ (.+)\n(\w+): (.+)$", Path(__file__).with_name("natural.txt").read_text("utf-8"), re.MULTILINE)
"""Command line, ``works``, ``type``, ``error`` or ``overview``, and a pattern of the output or what to type instead."""


def turns(number: int, key: str) -> list[dict[str, Any]]:
    gold = {"hotel-area": "north"}, {"hotel-area": "north", "train-day": "friday"}
    pred = {"hotel-area": "north"}, {"hotel-area": "north", **({"train-day": "friday"} if number % 2 else {})}
    sides = {"gold": gold, "pred": pred}
    return [
        {"turn": turn, "user": "hello", "system": "", **{side: sides[side][turn] for side in key.split()}}
        for turn in range(2)
    ]


def dialogues(key: str) -> list[dict[str, Any]]:
    return [{"dialogue_id": f"d{number}", "turns": turns(number, key)} for number in range(6)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "preds").mkdir()
    files = {
        "gold pred": ("run.json", "a.json", "b.json"),
        "gold": ("gold.json",),
        "pred": ("preds.json", "baseline.json", "ours.json", "preds/a.json", "preds/b.json", "preds/c.json"),
    }
    for key, names in files.items():
        for name in names:
            (tmp_path / name).write_text(json.dumps(dialogues(key), indent=1), "utf-8")
    for name, key in (("gold.jsonl", "gold"), ("preds.jsonl", "pred")):
        (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in dialogues(key)), "utf-8")
    rows = [
        {"conversation": each["dialogue_id"], "turn": turn["turn"], "annotated": turn["gold"], "answer": turn["pred"]}
        for each in dialogues("gold pred")
        for turn in each["turns"]
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    lines = "".join(json.dumps(each) + "\n" for each in dialogues("gold pred"))
    (tmp_path / "run.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    log = [
        {
            "task_id": task,
            "trial": trial,
            "reward": float((task + trial) % 2),
            "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}],
        }
        for task in range(3)
        for trial in range(4)
    ]
    (tmp_path / "results.json").write_text(json.dumps(log), "utf-8")
    ratings = "id,context,response,human_score,gpt_score\n1,hi,hello,4,5\n2,how are you,fine,3,3\n3,bye,potato,1,2\n"
    (tmp_path / "ratings.csv").write_text(ratings, "utf-8")
    (tmp_path / "results.xlsx").write_bytes(b"PK")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_line(cli: Cli, line: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """Run a line as a shell does: a pipe, or several commands."""
    code, out, err = 0, "", ""
    for each in line.split(" && "):
        words = shlex.split(each.partition(" > ")[0])
        if "|" in words:
            at = words.index("|")
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(words[at - 1]).read_bytes())))
            words = words[at + 1 :]
        words = words[1:] if words[0] == "dialmeter" else words[3:]
        result = cli(*words, code=None)
        code, out, err = code or result.code, out + result.out, err + result.err
    return code, out, err


@pytest.mark.parametrize(("line", "kind", "expected"), LINES, ids=[line for line, _, _ in LINES])
def test_line(line: str, kind: str, expected: str, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run_line(cli, line, monkeypatch)
    assert "Traceback" not in err
    assert "internal error" not in err
    if kind in ("works", "overview"):
        assert code == (0 if kind == "works" else 2), err
        assert re.search(expected, out, re.MULTILINE), out
        return
    assert code == 2
    assert err.count("\n") == 1, err
    if kind == "error":
        assert re.search(expected, err), err
        return
    typed = re.search(r"(?:type|differ): (.*?)(?:; (?:to|the) .*)?\n", err)
    assert typed is not None, err
    assert typed[1] == expected
    if "Pass(k=2)" not in expected or "results" in expected:
        code, out, err = run_line(cli, typed[1], monkeypatch)
        assert code == 0, err
        assert out


def test_shared_lines() -> None:
    """The lines that somebody wrote who does not know dialmeter are in the table."""
    known = {line for line, _, _ in LINES}
    for each in json.loads(shared("expected", "natural_shell.json").read_text("utf-8")):
        line = each["command"].partition(" > ")[0].replace("preds/*.json", "preds/a.json preds/b.json preds/c.json")
        assert line in known
