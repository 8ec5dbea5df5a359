"""The plug-in, found by its entry point in separate sessions: it stops a worse tracker, and the summary has the table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dialmeter.cli.main import run

from .examples import PAGE, example

SESSION = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:deepeval")


def session(folder: Path, *options: str) -> tuple[int, list[str]]:
    """The exit code and the lines of a session in a folder."""
    command = [sys.executable, "-m", "pytest", *SESSION, *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def table(lines: list[str]) -> list[str]:
    """The section of the summary."""
    [start] = [place for place, line in enumerate(lines) if "dialmeter: new trackers against their base" in line]
    return [line for line in lines[start + 1 : start + 5] if not line.startswith("=")]


def test_page_example(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        run(["demo", str(tmp_path), "--files-only", "--quiet"])
    assert stop.value.code == 0
    (tmp_path / "test_tracker.py").write_text(example("pytest"))
    code, lines = session(tmp_path)
    assert code == 0
    shown = table(lines)
    assert len(shown) == 4
    assert "\n".join(shown) in PAGE


def test_worse_tracker_fails(folder: Path) -> None:
    (folder / "test_tracker.py").write_text(example("pytest"))
    code, lines = session(folder)
    assert code == 1
    assert any("new is worse than base under GCA: -11.67, p (Holm) " in line for line in lines)
    assert [line.split()[-1] for line in table(lines)[2:]] == ["better", "worse"]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_equal_tracker_passes_in_workers(folder: Path, workers: str) -> None:
    (folder / "test_tracker.py").write_text(
        "def test_jga(assert_not_worse):\n"
        "    compared = assert_not_worse('base.jsonl', 'new.jsonl', measures=['JGA'])\n"
        "    assert compared.results['new'].value > compared.results['base'].value\n\n\n"
        "def test_same(assert_not_worse):\n"
        "    assert_not_worse('new.jsonl', 'new.jsonl', measures=['GCA'])\n"
    )
    code, lines = session(folder, "-n", workers, "--junitxml=report.xml")
    assert code == 0
    jga, same = table(lines)[2:]
    assert jga.split() == ["test_tracker.py::test_jga", "JGA", "37.59", "54.51", "+16.92", jga.split()[5], "better"]
    assert same.split()[:5] == ["test_tracker.py::test_same", "GCA", "78.78", "78.78", "+0.00"]
    assert "better" in (folder / "report.xml").read_text()


def test_states_and_gold_from_python(folder: Path) -> None:
    (folder / "test_tracker.py").write_text(
        "GOLD = {f'd{n}': [{'taxi-to': str(n)}] for n in range(20)}\n\n\n"
        "def test_worse(assert_not_worse):\n"
        "    assert_not_worse(GOLD, {name: [{}] for name in GOLD}, gold=GOLD, measures=['JGA'])\n"
    )
    code, lines = session(folder)
    assert code == 1
    assert any("new is worse than base under JGA: -100.00, p (Holm) <.001" in line for line in lines)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("'base.jsonl', 'absent.json'", "absent.json: "),
        ("'base.jsonl', 'new.jsonl', measures=['JGB']", "unknown measure 'JGB'; did you mean JGA?"),
        ("'base.jsonl', 'few.json', measures=['JGA']", "base and new have different dialogues"),
        ("'few.json', 'few.json', measures=['JGA']", "JGA cannot be tested: too few dialogues"),
    ],
)
def test_incomparable_input(folder: Path, call: str, line: str) -> None:
    """A guard that can never fail would be worse than none."""
    few = (folder / "new.jsonl").read_bytes().splitlines(keepends=True)[:3]
    (folder / "few.json").write_bytes(b"".join(few))
    (folder / "test_tracker.py").write_text(f"def test_it(assert_not_worse):\n    assert_not_worse({call})\n")
    code, lines = session(folder)
    assert code == 1
    assert any(line in each for each in lines), "\n".join(lines)
    assert not any("src/dialmeter" in each for each in lines)


def test_session_without_plugin(folder: Path) -> None:
    (folder / "test_other.py").write_text(
        "import sys\n\n\ndef test_it():\n    assert 'dialmeter.tracking.scoring' not in sys.modules\n"
    )
    code, lines = session(folder)
    assert code == 0
    assert not any("dialmeter:" in line for line in lines)
