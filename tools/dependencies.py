"""The requirements in pyproject.toml, and their transitive dependencies."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# An editable installation needs this package in addition to [build-system]: hatchling requests it during the build.
EDITABLE = "editables>=0.3"
# Packages that the registry's build of torch needs, and CPU builds do not need.
CUDA = re.compile(r"(cuda|nvidia)-|triton\b")


def requirements_by_group() -> dict[str, list[Requirement]]:
    """Return the requirements in pyproject.toml: ``core``, every extra, and ``build``."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = content["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    groups["build"] = [*content["build-system"]["requires"], EDITABLE]
    parsed = {group: [Requirement(text) for text in texts] for group, texts in groups.items()}
    # Skip extras that name other extras of dialmeter, because these are groups themselves.
    others = {group: [each for each in found if each.name != project["name"]] for group, found in parsed.items()}
    return {group: found for group, found in others.items() if found}


def installed_needs(name: str) -> list[str]:
    """Return the requirements of an installed package; empty if it is not installed."""
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def transitive(
    roots: Iterable[tuple[str, Requirement]],
    needs: Callable[[str], Iterable[str]],
    environment: Mapping[str, Any],
) -> dict[str, list[tuple[str, Requirement]]]:
    """Return all packages that the roots need, each with its parents and their requirements.

    Args:
        roots: pairs of a label, such as the name of an extra, and a requirement.
        needs: returns the requirements of a package by its canonical name.
        environment: variables for environment markers, such as ``python_version``.
    """
    found: dict[str, list[tuple[str, Requirement]]] = {}
    queue = [pair for pair in roots if _applies(pair[1], environment, "")]
    done: set[tuple[str, str]] = set()
    while queue:
        parent, requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        found.setdefault(name, []).append((parent, requirement))
        for extra in ("", *requirement.extras):
            if (name, extra) not in done:
                done.add((name, extra))
                inner = [Requirement(text) for text in needs(name)]
                queue += [(name, each) for each in inner if _applies(each, environment, extra)]
    return found


def _applies(requirement: Requirement, environment: Mapping[str, Any], extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({**environment, "extra": extra})
