"""``dialmeter list``"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click
from msgspec import NODEFAULT
from msgspec.structs import fields

from .. import measure, rules
from ..errors import DialmeterError, did_you_mean
from ..readers.layouts import CONVERSATION_FORMATS, FORMATS
from ..users import measures as user_measures
from ..users import rules as user_rules
from ..views.tables import Table, render
from . import listing_talkers as talkers
from . import listing_users as users
from .options import style_options
from .say import document, print_json, warn

_NAMES = (
    "formats",
    "conversations",
    "measures",
    "rules",
    "events",
    "profiles",
    "attacks",
    "judges",
    "agents",
)


@click.command("list")
@click.argument("what", type=click.Choice(_NAMES))
@click.argument("name", required=False)
@style_options
def list_(what: str, name: str | None, style: str) -> None:
    """List what there is: formats of states, layouts of conversations, measures, rule sets; for users the classes of
    events and the profiles of corpora; attacks, judges, and agents that talk. With NAME, describe one."""
    listing, describe = _KINDS[what]
    if name is not None:
        text = describe(name)
        if style == "json":
            print_json(document("list", f"list {what}", [], items=[{"name": name, "description": text}]))
        else:
            click.echo(text)
        return
    table = listing()
    if style == "json":
        items = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
        print_json(document("list", f"list {what}", [], items=items))
    else:
        click.echo(render(table, style))


def _formats() -> Table:
    members, notices = FORMATS.loaded()
    warn(notices, quiet=False)
    rows = [(name, module.CARRIES) for name, module in members.items()]
    return Table("", ("format", "carries"), tuple(rows))


def _format(name: str) -> str:
    return f"{name}\n\n{inspect.getdoc(FORMATS.load(name)) or ''}"


def _conversations() -> Table:
    members, notices = CONVERSATION_FORMATS.loaded()
    warn(notices, quiet=False)
    rows = [(name, module.CARRIES) for name, module in members.items()]
    return Table("", ("layout", "carries"), tuple(rows))


def _conversation(name: str) -> str:
    return f"{name}\n\n{inspect.getdoc(CONVERSATION_FORMATS.load(name)) or ''}"


def _measures() -> Table:
    members, notices = measure.registry.loaded()
    warn(notices, quiet=False)
    rows = [(name, "tracker", kind.title, kind.unit) for name, kind in members.items()]
    rows += [(each.name, "user", each.title, each.unit) for each in user_measures.ABOUT.values()]
    return Table("", ("measure", "of", "title", "unit"), tuple(rows))


def _measure(name: str) -> str:
    if user_measures.known(name):
        return users.measure_text(user_measures.described(name))
    kind = type(measure.parse(name if "(" in name else _callable_form(name)))
    lines = [f"{kind.__name__}: {kind.title}", "", inspect.getdoc(kind) or "", "", f"formula     {kind.formula}"]
    texts = measure.parameter_help(kind)
    for each in measure.parameters(kind):
        default = "needed" if each.default is NODEFAULT else f"default {each.default}"
        lines.append(f"parameter   {each.name} ({default}): {texts[each.name]}")
    lines.append(
        f"range       {kind.low:g} to {kind.high:g}, {'higher' if kind.higher_is_better else 'lower'} is better"
    )
    lines.append(f"no value    {kind.why_unscored}")
    lines.append(f"cite        {', '.join(kind.cite) or 'dialmeter'}")
    return "\n".join(lines)


def _callable_form(name: str) -> str:
    """A measure with its needed parameters filled in, so that it can be described by its bare name."""
    known = next((each for each in measure.registry.names() if each.lower() == name.lower()), name)
    needed = [each.name for each in fields(measure.registry.load(known)) if each.default is NODEFAULT]
    return f"{known}({', '.join(f'{each}=1' for each in needed)})"


def _rules() -> Table:
    rows = [(each.name, "tracker", each.evidence, each.about) for each in map(rules.named, rules.names())]
    rows += [(each.name, "user", each.evidence, each.about) for each in map(user_rules.named, user_rules.names())]
    return Table("", ("rules", "for", "checked against", "about"), tuple(rows))


def _rule_sets(name: str) -> str:
    """The rule sets of that name or in that file: one for trackers, one for users, or both."""
    found, errors = [], []
    for describe in (_rule_set, users.rules_text):
        try:
            found.append(describe(name))
        except DialmeterError as error:
            errors.append(error)
    if not found:
        known = {*rules.names(), *user_rules.names()}
        raise (
            errors[0]
            if name.endswith(".toml")
            else DialmeterError(
                f"unknown rule set {name!r}; {did_you_mean(name, known)} (a file of your own must end in .toml)"
            )
        )
    return "\n\n".join(found)


def _rule_set(name: str) -> str:
    found = rules.load(name)
    lines = [f"{found.name}: {found.about}", "for: trackers", f"checked against: {found.evidence}", ""]
    lines += [f"{field:13} {found.shown(field)}" for field in rules.FIELDS]
    lines += [
        f"{'hyphen cut':13} {'yes' if found.hyphen_cut else 'no'}",
        f"{'measures':13} {', '.join(found.measures)}",
    ]
    for kind, settings in found.settings.items():
        lines.append(f"{kind:13} {', '.join(f'{key}={value}' for key, value in settings.items())}")
    if found.only:
        lines += ["", "looks only at", *(f"  {'/'.join(cell)}" for cell in found.only)]
    if found.faults:
        lines += ["", "what the original does that you may not expect", *(f"  {fault}" for fault in found.faults)]
    return "\n".join(lines)


_KINDS: dict[str, tuple[Callable[[], Table], Callable[[str], Any]]] = {
    "formats": (_formats, _format),
    "conversations": (_conversations, _conversation),
    "measures": (_measures, _measure),
    "rules": (_rules, _rule_sets),
    "events": (users.events, users.event),
    "profiles": (users.profiles, users.profile_text),
    "attacks": (talkers.attacks, talkers.attack),
    "judges": (talkers.judges, talkers.judge),
    "agents": (talkers.agents, talkers.agent),
}
