"""The published files that reproduction tests read; they are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"


def shared(*parts: str) -> Path:
    """A shared file; a test that asks for one that is absent is skipped."""
    path = Path(os.environ.get("DIALMETER_SHARED", _BESIDE)).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not there; set DIALMETER_SHARED")
    return path
