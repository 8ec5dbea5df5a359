"""What ``dialmeter list`` knows of attacks, of judges, and of agents that talk in the town."""

from __future__ import annotations

import inspect

import msgspec

from ..judges import attacks as attacking
from ..judges import judge as judging
from ..judges.verdict import READING
from ..simulation import agents as talking
from ..views.tables import Table
from .say import warn


def attacks() -> Table:
    """Every attack, with what its score must do."""
    members, notices = attacking.registry.loaded()
    warn(notices, quiet=False)
    rows = tuple((each.name, each.facet, READING[each.expected], each.help) for each in members.values())
    return Table("", ("attack", "facet", "the score", "what it does"), rows)


def attack(name: str) -> str:
    """One attack with its variants."""
    found = attacking.named(name)
    lines = [f"{found.name}: {found.help}", "", f"facet       {found.facet}"]
    lines.append(f"expected    the score of the adversarial reply {READING[found.expected]}")
    for variant in found.variants:
        needs = f" (needs {', '.join(variant.needs)})" if variant.needs else ""
        lines.append(f"variant     {variant.name}: {variant.help}{needs}")
    lines.append(f"cite        {', '.join(found.cite) or 'dialmeter'}")
    return "\n".join(lines)


def judges() -> Table:
    """Every judge that can be named."""
    members, notices = judging.registry.loaded()
    warn(notices, quiet=False)
    rows = tuple((name, (inspect.getdoc(member) or "").partition("\n")[0]) for name, member in members.items())
    return Table("", ("judge", "what it scores"), rows)


def judge(name: str) -> str:
    """One judge with its parameters."""
    found = judging.registry.load(name)
    doc = (inspect.getdoc(found) or "").split("\n\nExample:")[0]
    lines = [f"{name}: {doc}"]
    for key, each in inspect.signature(found).parameters.items():
        default = "needed" if each.default is inspect.Parameter.empty else f"default {each.default!r}"
        lines.append(f"parameter   {key} ({default})")
    return "\n".join(lines)


def agents() -> Table:
    """Every user and system that can be named."""
    members, notices = talking.registry.loaded()
    warn(notices, quiet=False)
    rows = tuple((name, kind.role, kind.about) for name, kind in members.items())
    return Table("", ("agent", "role", "what it does"), rows)


def agent(name: str) -> str:
    """One agent with its dials."""
    kind = talking.registry.load(name)
    dials = msgspec.structs.asdict(kind.dials)
    return "\n".join(
        [
            f"{name} ({kind.role}): {kind.about}",
            *(f"dial        {key} (default {value})" for key, value in dials.items()),
        ]
    )
