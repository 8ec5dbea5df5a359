"""``dialmeter judge score`` from the command line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dialmeter.core.open_runs import open_run

from ..cli.invoke import Cli, files_in
from .made import case, cases, write_cases


@pytest.fixture
def file(tmp_path: Path) -> Path:
    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(6)]
    write_cases(tmp_path / "cases.jsonl", [*cases(), *control])
    return tmp_path / "cases.jsonl"


def test_the_document_holds_to_its_schema(file: Path, cli: Cli) -> None:
    words = ["--judge", "overlap", "--judge", "ngram-fluency", "--set", "threshold=sd=0.2"]
    found = cli.json("score", file, *words)
    cells = {(score["judge"], score["attack"]): score for score in found["scores"]}
    assert found["counts"] == {"cases": 90, "attacks": 8, "corpora": 1, "judges": 5, "failures": 0}
    assert cells["constant", "speaker"]["value"] == 1.0
    assert cells["ngram-fluency", "speaker"]["reason"] == "outside what the judge claims to judge"
    assert "|threshold:sd(0.2)|" in cells["overlap", "speaker"]["signature"]
    assert found["failing"]["overlap"][0]["attack"] == "co-reference"


def test_a_run_holds_all_that_a_viewer_shows(file: Path, cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "run"
    cli("score", file, "--judge", "overlap", "--out", out, "--quiet")
    run = open_run(out)
    rows = list(run)
    assert len(rows) == 90
    assert set(rows[0]) >= {"id", "context", "reply", "adversarial", "attack", "expected", "source", "scores"}
    assert set(rows[0]["scores"]) == {"overlap", "constant", "random", "length"}
    assert rows[0]["scores"]["overlap"]["conforms"] is True
    assert run.manifest["threshold"] == "paper"
    assert str(tmp_path) not in (out / "run.json").read_text()
    assert run.index()["length"][:12].tolist() == [1.0] * 12
    assert not (out / "parts").exists()
    cli("score", file, "--judge", "overlap", "--out", tmp_path / "two", "--quiet")
    one, two = files_in(out), files_in(tmp_path / "two")
    assert {name for name in one if one[name] != two[name]} <= {"log.json"}
    cli("report", out, "--charts", tmp_path / "charts", "--quiet")
    assert sorted(files_in(tmp_path / "charts")) == ["errors-town.csv", "errors-town.svg"]
    assert "overlap,speaker,0,0,0.24" in (tmp_path / "charts" / "errors-town.csv").read_text()


PROGRAM = """
import json, os, signal, sys
count = int(open("asked").read()) if os.path.exists("asked") else 0
open("asked", "w").write(str(count + 1))
if count == 1 and not os.path.exists("calm"):
    os.kill(os.getppid(), signal.SIGKILL)
for line in sys.stdin:
    print(len(json.loads(line)["reply"]))
"""


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(count=120))
    (tmp_path / "program.py").write_text(PROGRAM)
    words = [sys.executable, "-m", "dialmeter", "score", "cases.jsonl", "--quiet", "--out", "run"]
    words += ["-j", f"mine=cmd(run='{shlex.quote(sys.executable)} program.py')", "-v"]
    killed = subprocess.run(words, cwd=tmp_path, env=os.environ, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    (tmp_path / "calm").touch()
    done = subprocess.run([*words], cwd=tmp_path, env=os.environ, capture_output=True, check=True)
    assert b"mine" in done.stdout
    # 960 replies in batches of 500: one before the kill, one that was lost, and that one again.
    assert (tmp_path / "asked").read_text() == "3"
    assert len(list(open_run(tmp_path / "run"))) == 840


def test_precomputed_scores(file: Path, cli: Cli, tmp_path: Path) -> None:
    lines = ["case,human,adversarial", *(f"{number},0.{number % 7},{1 + number % 3}" for number in range(1, 91))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    upside_down = cli.json("score", file, "-j", f"mine={tmp_path / 'mine.csv'}", "--quiet")
    assert [warning["code"] for warning in upside_down["warnings"]] == ["flipped-sign"]
    found = cli.json("score", file, "-j", f"mine={tmp_path / 'mine.csv'}(lower=true)", "--quiet")
    assert found["warnings"] == []
    speaker = next(score for score in found["scores"] if (score["judge"], score["attack"]) == ("mine", "speaker"))
    assert (speaker["value"], speaker["n"]) == (0.0, 12)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("error[co-reference] > 0.5", 1),
        ("error[contradiction] > 0.3", 0),
        ("error[co-reference, overlap] > 0.5", 1),
        ("error[co-reference, town] < 0.5", 0),
        ("error > 0.1", 1),
        ("error > 0.2", 0),
        ("error[no-such-attack] > 0.5", 2),
    ],
)
def test_conditions(condition: str, code: int, file: Path, cli: Cli) -> None:
    cli("score", file, "--judge", "overlap", "--fail-if", condition, code=code)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "name at least one judge"),
        (["--judge", "lenght"], "unknown judge 'lenght'; did you mean length?"),
        (["--judge", "overlap", "--set", "threshold=fixed"], "threshold=fixed needs a number, as in fixed=0.1"),
        (["--judge", "overlap", "--force"], "--force needs --out"),
        (
            ["--judge", "overlap", "--judge", "overlap"],
            "duplicate judge name overlap; give one another name, as in mine=...",
        ),
        (
            ["--judge", "overlap", "--set", "ci=95"],
            "ci must be between 0 and 1, for example 0.95, not 95; 0 means no intervals",
        ),
        (
            ["-j", "llm(endpoint=http://127.0.0.1:1)"],
            "judge llm needs a model: set DIALMETER_ENDPOINT and DIALMETER_MODEL, or write llm(endpoint=URL, model=NAME)",
        ),
        (["-j", "cmd(run=' ')"], 'judge cmd needs a program, as in cmd(run="python3 program.py")'),
        (["-j", "none.csv"], "none.csv: no such file"),
        (["-j", "bleu"], "carried(…) and measures of references are judges of rated items, not of cases"),
        (
            ["-j", "cmd(run=x, dialogues=y)"],
            "judge cmd has no parameter 'dialogues'; known: batch, lower, run",
        ),
    ],
)
def test_bad_options(words: list[str], complaint: str, file: Path, cli: Cli) -> None:
    assert cli.refused("score", file, *words) == complaint


def test_judges_learn_from_a_corpus_without_the_dialogues_of_the_cases(file: Path, cli: Cli, tmp_path: Path) -> None:
    corpus = tmp_path / "talk.jsonl"
    line = '{"dialogue_id": "%s", "talk": [{"speaker": "user", "text": "a room"}, {"speaker": "system", "text": "for two"}]}'
    corpus.write_text("\n".join(line % name for name in ("d1", "x1", "x2")))
    words = ["--judge", f"ngram-coherence(corpus={corpus})", "--quiet"]
    cli("score", file, *words)
    corpus.write_text(line % "d1")
    assert "no dialogue is left for training" in cli.refused("score", file, *words)
