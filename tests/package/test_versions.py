"""Files that repeat a version number have the right one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dialmeter import __version__

ROOT = Path(__file__).parents[2]


def _match(pattern: str, file: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert match, f"{file} does not match {pattern}"
    return match[1]


def test_citation_has_version_of_package() -> None:
    assert _match(r"^version: (\S+)$", "CITATION.cff") == __version__


@pytest.mark.skipif(not (ROOT / ".pre-commit-config.yaml").exists(), reason="not in the source distribution")
def test_pre_commit_has_ruff_of_lock() -> None:
    revision = _match(r"ruff-pre-commit\n +rev: v(\S+)$", ".pre-commit-config.yaml")
    assert revision == _match(r"^ruff==(\S+)", "requirements/test.lock")
