"""Packages that hold data, such as weights and word vectors: they are found and never imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def package_folder(name: str) -> Path | None:
    """The folder of an installed package; None where it is not installed.

    Example:
        >>> package_folder("msgspec").name, package_folder("no_such_package")
        ('msgspec', None)
    """
    spec = find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
