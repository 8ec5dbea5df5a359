"""All installed Pythons with dialmeter's requirements give the same bytes.

Interpreters are looked for on the path (python3.11 and so on) and in ``DIALMETER_PYTHONS``, a list of files with the path's separator.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..viewer.made import case_lines, dialmeter

SOURCE = Path(__file__).resolve().parents[2] / "src"
# Results depend on these two packages, not on the Python.
_PROBE = "import msgspec, rapidfuzz, click, rich, jinja2, numpy, scipy; print(numpy.__version__, scipy.__version__)"
_COMMANDS = """
score cases.jsonl --judge overlap --judge distinct --judge ngram-coherence --judge ngram-fluency -f json --quiet
judge explain cases.jsonl --judge distinct --limit 2 -f json --quiet
score talk.jsonl --measure JGA --measure FGA(lam=0.5) --measure GCA --measure SA -f json --quiet
compare talk.jsonl talk.jsonl#keyword --set resamples=1000 -f json --quiet
score talk.jsonl --set profile=town --set blame -f json --quiet
play --goals 3 --set noise=0.2 --workers 1 --out played.jsonl --force --quiet
"""
_SCRIPT = """
import sys
from dialmeter.cli.main import cli
for line in sys.stdin.read().split("\\n"):
    assert not line or not cli.main(line.split(), prog_name="dialmeter", standalone_mode=False), line
"""


def _others() -> list[str]:
    named = [each for each in os.environ.get("DIALMETER_PYTHONS", "").split(os.pathsep) if each]
    versions = [f"3.{minor}" for minor in (11, 12, 13, 14) if minor != sys.version_info.minor]
    return list(dict.fromkeys([*named, *filter(None, (shutil.which(f"python{each}") for each in versions))]))


def _run(python: str, script: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": "random"}
    words = [python, "-c", script]
    return subprocess.run(
        words, cwd=folder, env=environment, input=_COMMANDS.encode(), capture_output=True, check=False
    )


def _bytes(python: str, folder: Path) -> bytes:
    """Return the output and the files of all commands."""
    done = _run(python, _SCRIPT, folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout + (folder / "played.jsonl").read_bytes()


def test_pythons_same_bytes(tmp_path: Path) -> None:
    wanted = _run(sys.executable, _PROBE, tmp_path).stdout
    fit = [each for each in _others() if _run(each, _PROBE, tmp_path).stdout == wanted]
    if not fit:
        pytest.skip("no other Python has dialmeter's requirements in these versions; name one in DIALMETER_PYTHONS")
    dialmeter("play", "--goals", 10, "--set", f"noise={0.15}", "--workers", 1, "--out", tmp_path / "talk.jsonl", "-q")
    (tmp_path / "cases.jsonl").write_text(case_lines(), "utf-8")
    expected = _bytes(sys.executable, tmp_path)
    for python in fit:
        assert _bytes(python, tmp_path) == expected, python
