"""What ``dialmeter list`` knows of users: measures, classes of events, profiles, rule sets."""

from __future__ import annotations

import textwrap

import msgspec

from ..errors import DialmeterError, did_you_mean
from ..users import profile, rules
from ..users.behaviours import ALL, names
from ..users.measures import UserMeasure
from ..views.tables import Table

_FAMILIES = {
    "repetition": "a constraint of the goal is said again",
    "not_in_goal": "a constraint is said on a slot that the goal does not have",
    "goal": "the goal as a whole",
    "request": "what the user asks for",
}
_OWNERS = {"system": "the system", "user": "the user", "log": "nobody: a note"}


def measure_text(found: UserMeasure) -> str:
    """A measure of users, described."""
    return "\n".join(
        [
            f"{found.name}: {found.title}",
            "",
            *textwrap.wrap(found.about, 100),
            "",
            f"formula     {found.formula}",
            "range       0 to 1, higher is better",
            f"no value    {found.why_unscored}",
            f"cite        {', '.join(found.cite)}",
            "computed    dialmeter user score; by domain, too",
        ]
    )


def events() -> Table:
    """Every class of events."""
    rows = tuple((each.name, each.family, each.owner, each.about) for each in ALL)
    return Table("", ("event", "family", "caused by", "meaning"), rows)


def event(name: str) -> str:
    """One class of events, in every family that has it."""
    found = [each for each in ALL if each.name == name.lower()]
    if not found:
        raise DialmeterError(f"unknown event {name!r}; {did_you_mean(name, names())}")
    parts = []
    for each in found:
        lines = [
            f"{each.name}: {each.about}",
            f"family      {each.family} ({_FAMILIES[each.family]})",
            f"caused by   {_OWNERS[each.owner]}",
        ]
        switch = each.full_switch
        if each.switch == each.name:
            on = {other: rules.shown(rules.switches(rules.named(other))[switch]) for other in rules.names()}
            lines.append(f"switch      {switch}: {', '.join(f'{value} under {other}' for other, value in on.items())}")
        parts.append("\n".join([*lines, f"find them   dialmeter user query RUN --event {each.name}"]))
    return "\n\n".join(parts)


def profiles() -> Table:
    """The shipped profiles."""
    found = [profile.named(name) for name in profile.names()]
    rows = tuple((each.name, ", ".join(each.domains), each.about) for each in found)
    return Table("", ("profile", "domains", "about"), rows)


def profile_text(name: str) -> str:
    """A profile with all that it states."""
    found = profile.load(name)
    whole = msgspec.to_builtins(found)
    lines = [f"{found.name}: {found.about}", ""]
    for key, value in whole.items():
        if key in ("name", "about", "shown"):
            continue
        pairs = value.items() if isinstance(value, dict) else [("", value)]
        lines += [f"{f'{key}.{inner}' if inner else key:28} {_shown(each)}".rstrip() for inner, each in pairs]
    return "\n".join(lines)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_shown(each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def rules_text(name: str) -> str:
    """A rule set for users with every switch, and what the default has where that is something else."""
    found = rules.load(name)
    usual = rules.switches(rules.named("dialmeter"))
    lines = [f"{found.name}: {found.about}", "for: users", f"checked against: {found.evidence}", ""]
    for switch, value in rules.switches(found).items():
        other = "" if value == usual[switch] else f"   (dialmeter: {rules.shown(usual[switch])})"
        lines.append(f"{switch:44} {rules.shown(value)}{other}")
    return "\n".join(lines)
