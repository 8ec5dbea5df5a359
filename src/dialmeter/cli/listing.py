"""``dialmeter list``"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click
from msgspec import NODEFAULT
from msgspec.structs import fields

from .. import conversations, formats, measure, rules
from ..report.tables import Table, render
from .options import style_options
from .say import document, print_json, warn


@click.command("list")
@click.argument("what", type=click.Choice(["formats", "conversations", "measures", "rules"]))
@click.argument("name", required=False)
@style_options
def list_(what: str, name: str | None, style: str) -> None:
    """List formats of states, layouts of conversations, measures or rules; with NAME, describe one."""
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
    members, notices = formats.registry.loaded()
    warn(notices, quiet=False)
    rows = [(name, module.CARRIES) for name, module in members.items()]
    return Table("", ("format", "carries"), tuple(rows))


def _format(name: str) -> str:
    return f"{name}\n\n{inspect.getdoc(formats.registry.load(name)) or ''}"


def _conversations() -> Table:
    members, notices = conversations.registry.loaded()
    warn(notices, quiet=False)
    rows = [(name, module.CARRIES) for name, module in members.items()]
    return Table("", ("layout", "carries"), tuple(rows))


def _conversation(name: str) -> str:
    return f"{name}\n\n{inspect.getdoc(conversations.registry.load(name)) or ''}"


def _measures() -> Table:
    members, notices = measure.registry.loaded()
    warn(notices, quiet=False)
    rows = [(name, kind.title, kind.unit) for name, kind in members.items()]
    return Table("", ("measure", "title", "unit"), tuple(rows))


def _measure(name: str) -> str:
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
    rows = [(each.name, each.evidence, each.about) for each in map(rules.named, rules.names())]
    return Table("", ("rules", "checked against", "about"), tuple(rows))


def _rule_set(name: str) -> str:
    found = rules.load(name)
    lines = [f"{found.name}: {found.about}", f"checked against: {found.evidence}", ""]
    lines += [f"{field:13} {found.shown(field)}" for field in rules.FIELDS]
    lines += [
        f"{'hyphen cut':13} {'yes' if found.hyphen_cut else 'no'}",
        f"{'measures':13} {', '.join(found.measures)}",
    ]
    for kind, settings in found.settings.items():
        lines.append(f"{kind:13} {', '.join(f'{key}={value}' for key, value in settings.items())}")
    return "\n".join(lines)


_KINDS: dict[str, tuple[Callable[[], Table], Callable[[str], Any]]] = {
    "formats": (_formats, _format),
    "conversations": (_conversations, _conversation),
    "measures": (_measures, _measure),
    "rules": (_rules, _rule_set),
}
