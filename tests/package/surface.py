"""The public surface: commands with their options, public Python names with their members, registered names.

Run ``python -m tests.package.surface`` to print it; ``tests/package/surface.txt`` holds what must never disappear.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

import dialmeter

from ..commands import all_commands

ROOT = Path(__file__).parents[2]
_IMPORT = re.compile(r"from (dialmeter[\w.]*) import (?:\(([^)]*)\)|([\w, ]+))")


def surface() -> list[str]:
    """Return every name, one line each, sorted."""
    return sorted({*_commands(), *_python(), *_documented(), *_registered()})


def _commands() -> Iterator[str]:
    for path, command in all_commands():
        yield f"command {path}"
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                for name in (*parameter.opts, *parameter.secondary_opts):
                    choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ()
                    yield f"option {path} {name}"
                    yield from (f"option {path} {name} {choice}" for choice in choices)
            else:
                yield f"argument {path} {parameter.name}"


def _python() -> Iterator[str]:
    for name in dialmeter.__all__:
        yield f"python dialmeter.{name}"
        value = getattr(dialmeter, name)
        if isinstance(value, type):
            inherited = set(dir(Exception)) if issubclass(value, Exception) else set(dir(object))
            yield from (
                f"python dialmeter.{name}.{member}"
                for member in dir(value)
                if not member.startswith("_") and member not in inherited
            )


def _documented() -> Iterator[str]:
    """Yield the names that the documentation imports."""
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for module, several, one in _IMPORT.findall(page.read_text("utf-8")):
            for name in (several or one).replace("\n", " ").split(","):
                if name.strip():
                    yield f"import {module} {name.split()[0]}"


def _registered() -> Iterator[str]:
    from dialmeter import measure
    from dialmeter.judges import attacks, judge
    from dialmeter.readers.formats import CONVERSATION_FORMATS, FORMATS
    from dialmeter.simulation import bots
    from dialmeter.tracking.rule_sets import rules
    from dialmeter.users import behaviours, profile
    from dialmeter.users import rules as user_rules

    registries = {
        "formats": FORMATS.builtin(),
        "dialogues": CONVERSATION_FORMATS.builtin(),
        "measures": measure.registry.builtin(),
        "attacks": attacks.registry.builtin(),
        "judges": judge.registry.builtin(),
        "bots": bots.registry.builtin(),
        "rules": rules.names(),
        "user rules": user_rules.names(),
        "profiles": profile.names(),
        "events": behaviours.names(),
    }
    yield from (f"list {kind} {name}" for kind, names in registries.items() for name in names)


def can_import(line: str) -> bool:
    """Return True if a name that the documentation once imported can still be imported."""
    _, module, name = line.split()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return hasattr(import_module(module), name)
        except dialmeter.MissingExtra:
            # The integration needs a package that is not installed here. The source must define the name.
            source = (ROOT / "src" / module.replace(".", "/")).with_suffix(".py").read_text("utf-8")
            return re.search(rf"^(?:class|def) {name}\b", source, re.MULTILINE) is not None


if __name__ == "__main__":
    sys.stdout.write("\n".join(surface()) + "\n")
