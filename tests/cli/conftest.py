"""Files that tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..golden.goldens import make_town
from ..viewer.made import case_lines
from .samples import written


@pytest.fixture(scope="session")
def town_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the goldens, and cases for judges. Tests may add files and change none."""
    folder = make_town(tmp_path_factory.mktemp("town").resolve() / "files")
    written(folder / "judged.jsonl", case_lines())
    return folder
