"""Runs and a server for the tests of the viewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .made import make_runs, served, wrong_slot


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("viewer"))


@pytest.fixture(scope="session")
def slot(runs: Path) -> str:
    return wrong_slot(runs)


@pytest.fixture(scope="session")
def site(runs: Path) -> Iterator[str]:
    with served(runs) as address:
        yield address
