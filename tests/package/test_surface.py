"""No command, option or documented Python name disappears by accident, and versions agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dialmeter import __version__

from .surface import ROOT, can_import, surface

EXPECTED = (ROOT / "tests" / "package" / "surface.txt").read_text("utf-8").splitlines()


def test_no_name_is_missing() -> None:
    current = set(surface())
    missing = [
        line for line in EXPECTED if line not in current and not (line.startswith("import ") and can_import(line))
    ]
    assert missing == []


def test_sorted_unique_list() -> None:
    assert sorted(set(EXPECTED)) == EXPECTED


def test_every_import_in_documentation_works() -> None:
    assert [line for line in surface() if line.startswith("import ") and not can_import(line)] == []


ROOT = Path(__file__).parents[2]


def _match(pattern: str, file: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert match, f"{file} does not match {pattern}"
    return match[1]


def test_citation_version() -> None:
    assert _match(r"^version: (\S+)$", "CITATION.cff") == __version__


@pytest.mark.skipif(not (ROOT / ".pre-commit-config.yaml").exists(), reason="not in the source distribution")
def test_pre_commit_ruff_version() -> None:
    revision = _match(r"ruff-pre-commit\n +rev: v(\S+)$", ".pre-commit-config.yaml")
    assert revision == _match(r"^ruff==(\S+)", "requirements/test.lock")
