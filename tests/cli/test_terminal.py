"""No control characters from a file reach a terminal, and markup is escaped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .invoke import Cli
from .samples import native_lines, written

# Escape, bell, return, backspace, the one-byte form of escape-[, and the right-to-left override.
NASTY = "\x1b[31m\x07\r\x08\x9b\u202e"
SIGNS = set(NASTY) - set("[31m")


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """Write a file whose ids, slots, values and utterances have control characters."""
    turns = [
        {"gold": {f"ho{NASTY}tel-ar{NASTY}ea": f"ea{NASTY}st"}, "pred": {f"pu{NASTY}b-x": f"1{NASTY}"}, "user": NASTY},
        {
            "gold": {f"ho{NASTY}tel-ar{NASTY}ea": f"Ea{NASTY}st"},
            "pred": {f"ho{NASTY}tel-ar{NASTY}ea": f"ea{NASTY}st|{NASTY}"},
        },
        {"gold": {"a-b": "none"}, "pred": {}},
    ]
    lines = native_lines({f"d{NASTY}": turns, f"e{NASTY}": [{"gold": {}, "pred": {}}]})
    return written(tmp_path / "nasty.jsonl", lines)


SCREENS = {
    "score": ["score", "--by", "slot", "--by", "domain", "--by", "without-domain", "--verbose"],
    "score, shown": ["find", f"d{NASTY}", "--show"],
    "score, markdown": ["score", "--by", "slot", "-f", "markdown"],
    "score, latex": ["score", "--by", "slot", "-f", "latex"],
    "score, csv": ["score", "--by", "slot", "-f", "csv"],
    "score, json": ["score", "--by", "slot", "-f", "json"],
    "check": ["check"],
    "rules": ["study rules"],
    "a dialogue that is not there": ["find", f"x{NASTY}"],
    "a setting": ["score", "--set", f"x{NASTY}=1"],
    "an option": ["score", f"--x{NASTY}"],
    "a value": ["score", "--format", f"x{NASTY}"],
    "a condition on a group": ["score", "--by", "slot", "--fail-if", f"JGA[{NASTY}] < 0.5"],
}


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_raw_reaches_terminal(screen: str, nasty: Path, cli: Cli) -> None:
    command, *options = SCREENS[screen]
    result = cli(*command.split(), nasty, *options, code=None)
    assert result.code in (0, 2)
    assert not SIGNS & set(result.out)
    assert not SIGNS & set(result.err)


def test_json_without_control_characters(nasty: Path, cli: Cli) -> None:
    result = cli("score", nasty, "--by", "slot", "-f", "json")
    slots = {score["slot"] for score in json.loads(result.out)["scores"] if "slot" in score}
    assert any(NASTY in slot for slot in slots)


def test_nasty_rule_set_and_run(nasty: Path, tmp_path: Path, cli: Cli) -> None:
    rules = written(tmp_path / "own.toml", f'name = {json.dumps("own" + NASTY)}\nbase = "dialmeter"\n')
    run = tmp_path / "run"
    clean = ["score", nasty, "--out", run, "--quiet"]
    result = [cli("score", nasty, "--rules", rules, "--verbose", code=None), cli(*clean)]
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    for score in manifest["scores"]:
        score["signature"] += NASTY
    (run / "run.json").write_text(json.dumps(manifest, ensure_ascii=False), "utf-8")
    result.append(cli("cite", run))
    for style in ("markdown", "latex"):
        result.append(cli("report", run, "-f", style, "--out", "-"))
    for each in result:
        assert not SIGNS & set(each.out)
        assert not SIGNS & set(each.err)


def test_no_formulas_in_csv(tmp_path: Path, cli: Cli) -> None:
    slots = ["=1+1", "+a", "-b", "@c", "d"]
    turns = [{"gold": dict.fromkeys((f"{slot}-x" for slot in slots), "1"), "pred": {}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns, "d2": turns}))
    scored = cli("score", file, "--by", "slot", "-f", "csv").out
    compared = cli("compare", f"+a={file}", f"@b={file}", "-f", "csv").out
    assert "'=1+1-x," in scored
    assert "'@b," in compared
    for line in (*scored.splitlines(), *compared.splitlines()):
        for cell in line.split(","):
            assert not cell.startswith(("=", "@"))
            assert not cell.startswith(("+", "-")) or float(cell.split()[0]) is not None


def test_nasty_file_name(tmp_path: Path, cli: Cli) -> None:
    name = f"p{NASTY}.jsonl"
    file = written(tmp_path / name, native_lines({"d1": [{"gold": {"a-b": "1"}, "pred": {}}]}))
    for words in (["score", file], ["check", file], ["score", tmp_path / f"x{NASTY}"]):
        result = cli(*words, code=None)
        assert not SIGNS & set(result.out)
        assert not SIGNS & set(result.err)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    "words", [["score", "--by", "slot"], ["score", "-f", "json"], ["check"], ["study rules"]], ids=" ".join
)
def test_on_real_terminal(words: list[str], nasty: Path) -> None:
    terminal, screen = os.openpty()
    command = [sys.executable, "-m", "dialmeter", *words[0].split(), str(nasty), *words[1:]]
    with subprocess.Popen(command, stdout=screen, stderr=subprocess.DEVNULL) as process:
        os.close(screen)
        seen = b""
        while True:
            try:
                part = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not part:
                break
            seen += part
        assert process.wait() == 0
    os.close(terminal)
    assert seen
    assert b"\x1b" not in seen
    assert b"\x07" not in seen


def test_escaped_markup_in_run(tmp_path: Path, cli: Cli) -> None:
    name = "<script>alert(1)</script>|`*_[x](y)"
    turns = [{"gold": {"a-b": "1"}, "pred": {}}]
    file = written(tmp_path / "p.jsonl", native_lines({name: turns}))
    cli("score", file, "--out", tmp_path / "run", "--quiet")
    report = cli("report", tmp_path / "run", "-o", "-", "-f", "markdown").out
    assert "<script>" not in report
    assert "\\<script\\>" in report
    row = json.loads((tmp_path / "run" / "rows.jsonl").read_text())
    assert row["id"] == name
