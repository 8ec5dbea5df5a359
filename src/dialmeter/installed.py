"""The folders of packages with data, such as weights and word vectors. The packages are never imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def package_folder(name: str) -> Path | None:
    """Return the folder of an installed package; None if it is not installed.

    Example:
        >>> package_folder("msgspec").name, package_folder("no_such_package")
        ('msgspec', None)
    """
    spec = find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
