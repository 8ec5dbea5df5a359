"""What the tests of integrations share."""

from __future__ import annotations

from pathlib import Path

import pytest

from .examples import write_predictions


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the files of the page, which is the current one."""
    write_predictions(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
