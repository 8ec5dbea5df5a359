"""dialmeter builds with and without a compiler, and gives the same results."""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
LINES = (
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"hotel-area":"east"},"pred":{"hotel-area":"East "}},'
    b'{"turn":1,"gold":{"hotel-area":"east","hotel-book day":["sat","sun"]},"pred":{"hotel-area":"west","hotel-day":"sun"}}]}\n'
)
DOCUMENT = b'{"d": {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {"hotel": {"area": "west", "stars": 4}}}}}'
# The compiled modules, and the one whose plain version has another name.
COMPILED = [
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts) for file in sorted((ROOT / "src").rglob("*.pxd"))
]
SCORE = """
import importlib, sys
import dialmeter
from dialmeter.tracking.scoring import score_file
from dialmeter.core.comparison import make_resampling
from dialmeter.stats.draws import count

place, modules, files = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
assert dialmeter.__file__.startswith(place), dialmeter.__file__
plain = {importlib.import_module(name).__file__.endswith(".py") for name in modules}
assert plain == {count.__module__ == "dialmeter.stats.draws"}, (plain, count.__module__)
print("plain" if plain.pop() else "compiled")
for rules in ("dialmeter", "gca-repo", "fga-repo", "trade", "convlab3-t5", "mwzeval"):
    for file in files:
        result = score_file(file, by=["slot"], rules=rules, resampling=make_resampling(0.95, 1000, 12345))
        print(*((each.measure, each.value, each.ci, each.signature) for each in result.scores))
        print(result.counts, result.by("slot"), sorted(result.mistakes.turns, key=str))
"""


def built(folder: Path, **environment: str) -> tuple[Path, str]:
    """Build a wheel from a copy of the project, and return it with the output of the build."""
    source = folder / "source"
    source.mkdir()
    for part in PARTS:
        shutil.copy(ROOT / part, source)
    leave = shutil.ignore_patterns("__pycache__", *(f"*{suffix}" for suffix in importlib.machinery.EXTENSION_SUFFIXES))
    shutil.copytree(ROOT / "src", source / "src", ignore=leave)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder / "wheels"],
        cwd=source,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next((folder / "wheels").glob("*.whl")), done.stdout + done.stderr


def scores(wheel: Path, folder: Path) -> tuple[str, str]:
    """Return whether the code of an installed wheel is compiled or plain, and its scores of two files under all rule sets."""
    place = folder / "installed"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(place)
    lines, document = folder / "lines.jsonl", folder / "document.json"
    lines.write_bytes(LINES)
    document.write_bytes(DOCUMENT)
    done = subprocess.run(
        [sys.executable, "-c", SCORE, str(place), ",".join(COMPILED), str(lines), str(document)],
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kind, _, output = done.stdout.partition("\n")
    return kind, output


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no C compiler on this machine")
def test_with_and_without_compiler(tmp_path: Path) -> None:
    with_compiler, without = tmp_path / "with", tmp_path / "without"
    with_compiler.mkdir()
    without.mkdir()
    # Without optimisation this test takes a third of the time. tests/laws compares the optimised kernels with plain code.
    wheel, _ = built(with_compiler, CFLAGS="-O0")
    assert not wheel.name.endswith("py3-none-any.whl")
    pure, warning = built(without, CC="false")
    assert pure.name.endswith("py3-none-any.whl")
    assert "built without compiled kernels" in warning
    (kind, output), (plain_kind, plain_output) = scores(wheel, with_compiler), scores(pure, without)
    assert (kind, plain_kind) == ("compiled", "plain")
    assert output == plain_output
    assert "JGA" in output


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git repository")
def test_files_of_source_distribution(tmp_path: Path) -> None:
    """Hidden files, such as workflows, are not part of it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    expected = {name for name in listed.split("\0") if not name.startswith(".") and (ROOT / name).is_file()}
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", tmp_path]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "tests/conftest.py", "docs/index.md", "CODE_OF_CONDUCT.md"} <= expected
    assert sorted(expected - names) == []
