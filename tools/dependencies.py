"""The requirements in pyproject.toml, and all packages that they need in turn."""

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
# An editable installation needs this package beside those in [build-system]: hatchling asks for it while it builds.
EDITABLE = "editables>=0.3"
# What torch needs in the registry's build and not in builds for processors only.
CUDA = re.compile(r"(cuda|nvidia)-|triton\b")


def requirements_by_group() -> dict[str, list[Requirement]]:
    """The requirements in pyproject.toml: ``core``, every extra, and ``build``."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = content["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    groups["build"] = [*content["build-system"]["requires"], EDITABLE]
    parsed = {group: [Requirement(text) for text in texts] for group, texts in groups.items()}
    # An extra that names other extras of dialmeter adds nothing: they are groups themselves.
    others = {group: [each for each in found if each.name != project["name"]] for group, found in parsed.items()}
    return {group: found for group, found in others.items() if found}


def installed_needs(name: str) -> list[str]:
    """The requirements of an installed package; none where it is not installed."""
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []


def transitive(
    roots: Iterable[tuple[str, Requirement]],
    needs: Callable[[str], Iterable[str]],
    environment: Mapping[str, Any],
) -> dict[str, list[tuple[str, Requirement]]]:
    """All packages that the roots need, each with who needs it and how the requirement is written.

    Args:
        roots: pairs of a label, such as the name of an extra, and a requirement.
        needs: gives the requirements of a package by its canonical name.
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
