"""Cache directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache directory: the one of ``DIALMETER_CACHE``, or the platform's default.

    Example:
        >>> cache_folder().name
        'dialmeter'
    """
    if chosen := os.environ.get("DIALMETER_CACHE"):
        return Path(chosen) / "dialmeter"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "dialmeter"
