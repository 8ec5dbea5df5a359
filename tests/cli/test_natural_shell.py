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

from .invoke import Cli

WORKS, TYPE = "works", "type"
LINES: list[tuple[str, str, str]] = [
    # (command line, works or type, a pattern of the output or what to type instead)
    ("dialmeter", "overview", "Commands:"),
    ("dialmeter -h", WORKS, "Commands:"),
    ("dialmeter help score", WORKS, r"Usage: dialmeter score .*FILE"),
    ("python -m dialmeter score run.json", WORKS, r"^JGA +\d"),
    ("dialmeter score run.json", WORKS, r"^JGA +\d"),
    ("dialmeter score gold.json preds.json", TYPE, "dialmeter score preds.json --gold gold.json"),
    (
        "dialmeter score --predictions preds.json --references gold.json",
        TYPE,
        "dialmeter score preds.json --gold gold.json",
    ),
    ("dialmeter score --ref gold.json --hyp preds.json", TYPE, "dialmeter score preds.json --gold gold.json"),
    (
        "dialmeter score preds/a.json preds/b.json preds/c.json --gold gold.json",
        TYPE,
        "dialmeter compare preds/a.json preds/b.json preds/c.json --gold gold.json",
    ),
    ("cat preds.jsonl | dialmeter score - --gold gold.jsonl", WORKS, r"^JGA +\d"),
    ("dialmeter score run.jsonl.gz", WORKS, r"^JGA +\d"),
    ("dialmeter score run.json --metric jga", TYPE, "dialmeter score run.json -m JGA"),
    (
        "dialmeter score run.json --metrics jga,fga,slot_f1",
        TYPE,
        "dialmeter score run.json -m JGA -m 'FGA(lam=0.5)' -m SlotF1",
    ),
    ("dialmeter score run.json --metric jgaa", "error", r"unknown measure 'jgaa'; did you mean JGA\?"),
    ("dialmeter score run.json --exact", TYPE, "dialmeter score run.json --set values=as-is"),
    ("dialmeter score run.json --by domain", WORKS, "hotel"),
    ("dialmeter score run.json --format markdown", WORKS, r"^\| JGA \|"),
    ("dialmeter score run.json --json", TYPE, "dialmeter score run.json -f json"),
    (
        "dialmeter score run.json --output report.html",
        TYPE,
        "dialmeter score run.json -o RUN && dialmeter report RUN -o report.html",
    ),
    ("dialmeter score run.json --csv", TYPE, "dialmeter score run.json -f csv"),
    (
        "dialmeter score run.json --ci --bootstrap 1000 --seed 1",
        TYPE,
        "dialmeter score run.json --set resamples=1000 --set seed=1",
    ),
    ("dialmeter score missing.json", "error", r"missing\.json: no such file"),
    ("dialmeter compare baseline.json ours.json --gold gold.json", WORKS, r"^JGA +\d"),
    (
        "dialmeter diff a.json b.json",
        TYPE,
        "dialmeter find a.json b.json A.outcome=right B.outcome=wrong",
    ),
    ("dialmeter convert run.json --to jsonl", TYPE, "dialmeter convert run.json --to native"),
    ("dialmeter view", "error", "runs: no such folder; save a run first: dialmeter score FILE -o runs/NAME"),
    ("dialmeter list", WORKS, "measures"),
    (
        "dialmeter agent results.json --k 1 2 4",
        TYPE,
        "dialmeter score results.json -m 'Pass(k=1)' -m 'Pass(k=2)' -m 'Pass(k=4)'",
    ),
    # Further near misses.
    ("dialmeter evaluate run.json", TYPE, "dialmeter score run.json"),
    ("dialmeter eval run.json --metric jga", TYPE, "dialmeter score run.json -m JGA"),
    ("dialmeter tracker score run.json", TYPE, "dialmeter score run.json"),
    (
        "dialmeter tracker compare a.json b.json --csv",
        TYPE,
        "dialmeter compare a.json b.json -f csv",
    ),
    ("dialmeter metrics", TYPE, "dialmeter list measures"),
    ("dialmeter measures", TYPE, "dialmeter list measures"),
    ("dialmeter stats run.json", TYPE, "dialmeter score run.json"),
    ("dialmeter show run.json d1", TYPE, "dialmeter find run.json d1"),
    ("dialmeter scoer run.json", "error", "did you mean score"),
    ("dialmeter score run.json --missing empty", TYPE, "dialmeter score run.json --set missing=empty"),
    ("dialmeter score run.json --seed=3", TYPE, "dialmeter score run.json --set seed=3"),
    ("dialmeter score run.json --format md", TYPE, "dialmeter score run.json --format markdown"),
    ("dialmeter score run.json --resume", TYPE, "dialmeter score run.json"),
    (
        "dialmeter score run.json --output scores.json",
        TYPE,
        "dialmeter score run.json -f json > scores.json",
    ),
    (
        "dialmeter score run.json --charts figures",
        TYPE,
        "dialmeter score run.json -o RUN && dialmeter report RUN --charts figures",
    ),
    ("dialmeter score run.json --jobs 2", TYPE, "dialmeter score run.json --workers 2"),
    ("dialmeter score run.json --group-by slot", TYPE, "dialmeter score run.json --by slot"),
    ("dialmeter score run.json --all", TYPE, "dialmeter score run.json -v"),
    ("dialmeter score run.json --dry_run", TYPE, "dialmeter score run.json --dry-run"),
    ("dialmeter score run.json -k 2", TYPE, "dialmeter score run.json -m 'Pass(k=2)'"),
    ("dialmeter score run.json --sort JGA", "error", r"--sort is an option of `find`"),
    ("dialmeter score run.json --endpoint http://x", "error", "DIALMETER_ENDPOINT"),
    ("dialmeter score run.json --thershold 3", "error", "no option --thershold"),
    ("dialmeter study audit-gold run.json", "error", "did you mean audit"),
]


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
    if kind in (WORKS, "overview"):
        assert code == (0 if kind == WORKS else 2), err
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
    """At least 24 of the 30 shared lines are in the table."""
    shared = [each[0] for each in LINES[:28]]
    assert len([line for line in shared if line]) >= 24
