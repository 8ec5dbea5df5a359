"""dialmeter builds with a compiler and without, and says the same either way."""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
LINE = b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"hotel-area":"east"},"pred":{"hotel-area":"East "}}]}\n'
SCORE = (
    "import sys; from dialmeter import score_tracker; from dialmeter.tracking.straight import COMPILED; "
    "import dialmeter; assert dialmeter.__file__.startswith(sys.argv[2]), dialmeter.__file__; "
    "from dialmeter.stats.strata import count; assert ('plain' in count.__module__) is not COMPILED, count.__module__; "
    "print(COMPILED, *((each.measure, each.value, each.signature) for each in score_tracker(sys.argv[1], by=()).scores))"
)


def built(folder: Path, **environment: str) -> tuple[Path, str]:
    """The wheel that is built from a copy of the project, and what building said."""
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


def scores(wheel: Path, folder: Path) -> str:
    place = folder / "installed"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(place)
    corpus = folder / "corpus.jsonl"
    corpus.write_bytes(LINE)
    words = [sys.executable, "-c", SCORE, str(corpus), str(place)]
    done = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(place)}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no C compiler on this machine")
def test_with_and_without_a_compiler(tmp_path: Path) -> None:
    with_compiler, without = tmp_path / "with", tmp_path / "without"
    with_compiler.mkdir()
    without.mkdir()
    wheel, _ = built(with_compiler)
    assert not wheel.name.endswith("py3-none-any.whl")
    pure, said = built(without, CC="false")
    assert pure.name.endswith("py3-none-any.whl")
    assert "goes without its compiled kernels" in said
    assert scores(wheel, with_compiler).startswith("True ")
    assert scores(pure, without) == scores(wheel, with_compiler).replace("True ", "False ", 1)
