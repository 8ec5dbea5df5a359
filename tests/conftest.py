"""What tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from .plain import PlainProcess

ROOT = Path(__file__).parents[1]

# Machines are shared and noisy: no test fails because it took long.
settings.register_profile("dialmeter", deadline=None)
settings.load_profile("dialmeter")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published files and the figures that they must give; tests that need it skip without it."""
    folder = Path(os.environ.get("DIALMETER_SHARED", ROOT.parent / "shared"))
    if not (folder / "expected").is_dir():
        pytest.skip(f"published data is not here: {folder} (set DIALMETER_SHARED)")
    return folder


@pytest.fixture(scope="session")
def plain() -> Iterator[PlainProcess]:
    """Answers with plain code what the code of this process, compiled where it can be, answers too."""
    process = PlainProcess()
    yield process
    process.close()
