"""A command imports only what it uses, because importing takes longer than small work."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TYPED = {"click", "msgspec", "typing_extensions"}
"""Packages that every command that reads a file needs."""
CHARTS, LOGS = {"dialmeter.views.chart_files"}, {"dialmeter.readers.records.logs"}
COMMANDS: dict[str, set[str]] = {
    "import": set(),
    "--help": {"click"},
    "--version": {"click"},
    "score --help": TYPED,
    "list measures": {*TYPED, "rich", *CHARTS, *LOGS},
    "check native.jsonl": TYPED,
    "score native.jsonl": {*TYPED, "numpy"},
    "score native.jsonl --set ci=0 -f json": TYPED,
    "score worse.jsonl --quiet": {*TYPED, "numpy"},
    "compare native.jsonl worse.jsonl": {*TYPED, "numpy"},
    "find native.jsonl slot=hotel-area": {*TYPED, "numpy"},
    "score agenda.jsonl --set profile=town": {*TYPED, "numpy", *CHARTS, *LOGS},
    "score logs/tau.json": {*TYPED, "numpy", *CHARTS, *LOGS},
    "score ratings.jsonl --judge distinct": {*TYPED, "numpy", *CHARTS, *LOGS},
}
"""Command → other packages, and parts of dialmeter that take long to import, that it may import."""
PLAIN = "score native.jsonl --set ci=0 -f json"
UNUSED = ("dataclasses", "gzip", "shutil", "socket", "statistics", "tempfile")
"""Modules of Python that scoring a file without intervals does not need."""
LIGHT_ATTACK = "judge attack agenda.jsonl --set light --limit 3 --out attacked.jsonl --force"
IMPORTED = """
import sys
import dialmeter
if sys.argv[1:] != ["import"]:
    from dialmeter.cli.main import run
    try:
        run(sys.argv[1:])
    except SystemExit as stop:
        assert not stop.code, stop.code
print(*sys.modules, file=sys.stderr)
"""


def imported(command: str, folder: Path) -> set[str]:
    """Run a command in a new process, and return the names of the modules that it imports."""
    words = [sys.executable, "-c", IMPORTED, *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return {*done.stderr.splitlines()[-1].split()}


@pytest.mark.parametrize("command", COMMANDS)
def test_imports(command: str, town_files: Path) -> None:
    names = imported(command, town_files)
    packages = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"dialmeter", "__mp_main__"}
    packages = {
        name for name in packages if not name.startswith("_") and name not in ("cython_runtime", "sitecustomize")
    }
    parts = names & {*CHARTS, *LOGS, "dialmeter.readers.completions", "multiprocessing"}
    allowed = COMMANDS[command] | ({"dialmeter.readers.completions"} if COMMANDS[command] >= LOGS else set())
    assert packages | parts <= allowed
    assert command != PLAIN or names.isdisjoint(UNUSED)


def test_light_attack_imports_no_large_package(town_files: Path) -> None:
    names = imported(LIGHT_ATTACK, town_files)
    assert "dialmeter.judges.language" in names
    assert names.isdisjoint(("torch", "spacy", "scipy", "transformers", "matplotlib", "jinja2"))
