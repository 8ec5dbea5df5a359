"""``dialmeter list``: tables of formats, measures, rule sets and so on, and descriptions of single members."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import click
import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from .. import measure
from ..citations import OTHER_SUBJECTS
from ..core.document import Document
from ..errors import DialmeterError, did_you_mean
from ..judges import attacks as attacking
from ..judges import judge as judging
from ..judges.cases import READING
from ..readers.formats import CONVERSATION_FORMATS, FORMATS, LOG_FORMATS
from ..registry import Registry
from ..simulation import bots as talking
from ..systems import measures as system_measures
from ..tracking.rule_sets import rules
from ..users import behaviours, profile
from ..users import measures as user_measures
from ..users import rules as user_rules
from ..views.summaries.summary import fit
from ..views.tables import Table, table_of
from .door import values_of_settings
from .frame import document_output
from .options import command, format_option, verbose_option
from .printer import EVERY, Block, Output, message_block, warn

FAMILIES = {
    "repetition": "the user repeats a constraint of the goal",
    "not_in_goal": "the user says a constraint for a slot that is not in the goal",
    "goal": "the goal as a whole",
    "request": "requests of the user",
    "text": "users in logs of systems, with goals in words",
}
"""The families of events, with their descriptions."""
_OWNERS = {"system": "the system", "user": "the user", "log": "nobody: a note"}


class Description(Struct, frozen=True):
    """The description of one member of a registry, for the command and for the documentation.

    Attributes:
        title: the name and a short description.
        text: lines between the title and the facts.
        facts: pairs of label and value.
        width: width of the labels in characters.
    """

    title: str
    text: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    width: int = 11

    def __str__(self) -> str:
        return "\n".join([self.title, *self.text, *(f"{label:{self.width}} {value}" for label, value in self.facts)])


class Listing(NamedTuple):
    """A list that can be printed.

    Attributes:
        about: a description of its members.
        table: makes the list.
        describe: describes one member by its name.
    """

    about: str
    table: Callable[[], Table]
    describe: Callable[[str], object]


class ListDocument(Document, kw_only=True):
    """The rows of a list (formats, measures, rule sets, classes of events, profiles, attacks, judges, bots …) by the
    headings of its table, or the name and the description of one member."""

    command: Literal[
        "list",
        "list formats",
        "list dialogues",
        "list logs",
        "list measures",
        "list rules",
        "list events",
        "list profiles",
        "list attacks",
        "list judges",
        "list bots",
        "list settings",
    ]
    items: list[dict[str, str]]


def _registry_table(registry: Registry, headings: tuple[str, ...], row: Callable[[Any], Iterable[str]]) -> Table:
    """Return a table of the members of a registry, and print a warning for each member that cannot be loaded."""
    members, notices = registry.loaded()
    warn(notices, quiet=False)
    return Table("", headings, tuple((name, *row(member)) for name, member in members.items()))


def _format_list(about: str, registry: Registry) -> Listing:
    """Return a list of file formats. The docstring of its module describes a format."""
    return Listing(
        about,
        lambda: _registry_table(registry, ("format", "carries"), lambda module: [module.DESCRIPTION]),
        lambda name: f"{name}\n\n{(inspect.getdoc(registry.load(name)) or '').rstrip()}",
    )


def _measure_table() -> Table:
    headings = ("measure", "of", "title", "unit")
    table = _registry_table(measure.registry, headings, lambda kind: ("tracker", kind.title, kind.unit))
    rows = tuple((each.name, "user", each.title, each.unit) for each in user_measures.ABOUT.values())
    rows += tuple((name, "system", each.title, "task") for name, each in system_measures.LISTED.items())
    return msgspec.structs.replace(table, rows=(*table.rows, *rows))


def describe_measure(name: str) -> Description:
    """Describe a measure: formula, parameters, range, reason for no value, citations.

    Example:
        >>> describe_measure("JGA").facts[0][0], describe_measure("I-GCDF1").facts[1]
        ('formula', ('range', '0 to 1, higher is better'))
    """
    facts: list[tuple[str, str]] = []
    if name.lower().partition("(")[0] in {each.lower().partition("(")[0] for each in system_measures.LISTED}:
        text = f"{name}(k=2)" if name.lower() in ("pass", "anypass") else name
        system_measure = system_measures.parse_system_measure(text)
        facts.append(("formula", system_measure.formula))
        if "k=" in text:
            facts.append(("parameter", "k (required): number of trials of a task"))
        facts += [("range", "0 to 1, higher is better")]
        facts += [("cite", key) for key in OTHER_SUBJECTS[name.lower().partition("(")[0]]]
        facts += [("computed", "dialmeter score LOG")]
        return Description(f"{system_measure.name}: {system_measure.title}", ("",), tuple(facts))
    of_users = user_measures.described(name)
    if of_users is not None:
        kind: Any = of_users
        title, text = f"{kind.name}: {kind.title}", "\n".join(textwrap.wrap(kind.about, 100))
        bounds = "0 to 1, higher is better"
    else:
        kind = type(measure.parse(name if "(" in name else _with_required_parameters(name)))
        title, text = f"{kind.__name__}: {kind.title}", inspect.getdoc(kind) or ""
        texts = measure.parameter_help(kind)
        for each in measure.parameters(kind):
            default = "required" if each.default is NODEFAULT else f"default {each.default}"
            facts.append(("parameter", f"{each.name} ({default}): {texts[each.name]}"))
        bounds = f"{kind.low:g} to {kind.high:g}, {'higher' if kind.higher_is_better else 'lower'} is better"
    facts += [("range", bounds), ("no value", kind.reason_unscored), ("cite", ", ".join(kind.cite) or "dialmeter")]
    if of_users is not None:
        facts.append(("computed", "dialmeter score FILE, also by domain: I-GCDF1[hotel]"))
    return Description(title, ("", text, ""), (("formula", kind.formula), *facts))


def _with_required_parameters(name: str) -> str:
    """Return a measure with values for its required parameters. Its name alone is then enough to describe it."""
    full_name = next((each for each in measure.registry.names() if each.lower() == name.lower()), name)
    required = [each.name for each in fields(measure.registry.load(full_name)) if each.default is NODEFAULT]
    return f"{full_name}({', '.join(f'{each}=1' for each in required)})"


def _rule_table() -> Table:
    rows = [(each.name, "tracker", each.evidence, each.about) for each in map(rules.named, rules.names())]
    rows += [(each.name, "user", each.evidence, each.about) for each in map(user_rules.named, user_rules.names())]
    return Table("", ("rules", "for", "checked against", "about"), tuple(rows))


def _describe_rule_sets(name: str) -> str:
    """Describe the rule sets with this name or in this file: for trackers, for users, or both."""
    descriptions, errors = [], []
    for describe in (_describe_tracker_rules, _describe_user_rules):
        try:
            descriptions.append(describe(name))
        except DialmeterError as error:
            errors.append(error)
    if not descriptions and name.endswith(".toml"):
        raise errors[0]
    if not descriptions:
        hint = did_you_mean(name, {*rules.names(), *user_rules.names()})
        raise DialmeterError(f"unknown rule set {name!r}; {hint} (the name of a file must end in .toml)")
    return "\n\n".join(descriptions)


def describe_rules(rule_set: rules.Rules) -> Description:
    """Describe a rule set for trackers, with the value of every field."""
    facts = [(name, rule_set.shown(name)) for name in rules.FIELDS]
    facts += [("hyphen cut", "yes" if rule_set.hyphen_cut else "no"), ("measures", ", ".join(rule_set.measures))]
    facts += [
        (kind, ", ".join(f"{key}={value}" for key, value in settings.items()))
        for kind, settings in rule_set.settings.items()
    ]
    text = ("for: trackers", f"checked against: {rule_set.evidence}", "")
    return Description(f"{rule_set.name}: {rule_set.about}", text, tuple(facts), width=13)


def _describe_tracker_rules(name: str) -> str:
    rule_set = rules.load(name)
    lines = [str(describe_rules(rule_set))]
    if rule_set.only:
        lines += ["", "scores only", *(f"  {'/'.join(cell)}" for cell in rule_set.only)]
    if rule_set.faults:
        lines += ["", "surprising behaviour of the original", *(f"  {fault}" for fault in rule_set.faults)]
    return "\n".join(lines)


def _describe_event(name: str) -> str:
    """Describe a class of events, in every family that has it."""
    events = [each for each in behaviours.ALL if each.name == name.lower()]
    if not events:
        raise DialmeterError(f"unknown event {name!r}; {did_you_mean(name, behaviours.names())}")
    parts = []
    for each in events:
        facts = [("family", f"{each.family} ({FAMILIES[each.family]})"), ("caused by", _OWNERS[each.owner])]
        setting = each.full_setting
        if each.setting == each.name:
            values = {
                other: user_rules.shown(user_rules.settings(user_rules.named(other))[setting])
                for other in user_rules.names()
            }
            facts.append(
                ("setting", f"{setting}: {', '.join(f'{value} under {other}' for other, value in values.items())}")
            )
        facts.append(("find them", f"dialmeter find RUN event={each.name}"))
        parts.append(str(Description(f"{each.name}: {each.about}", (), tuple(facts))))
    return "\n\n".join(parts)


def _describe_profile(name: str) -> str:
    corpus_profile = profile.load(name)
    fields_ = msgspec.to_builtins(corpus_profile)
    lines = [f"{corpus_profile.name}: {corpus_profile.about}", ""]
    for key, value in fields_.items():
        if key in ("name", "about", "shown"):
            continue
        pairs = value.items() if isinstance(value, dict) else [("", value)]
        lines += [f"{f'{key}.{inner}' if inner else key:28} {_show_value(each)}".rstrip() for inner, each in pairs]
    return "\n".join(lines)


def _show_value(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_show_value(each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _describe_user_rules(name: str) -> str:
    """Describe a rule set for users: every setting, and the value of the default rule set if it differs."""
    rule_set = user_rules.load(name)
    usual = user_rules.settings(user_rules.named("dialmeter"))
    lines = [f"{rule_set.name}: {rule_set.about}", "for: users", f"checked against: {rule_set.evidence}", ""]
    for setting, value in user_rules.settings(rule_set).items():
        other = "" if value == usual[setting] else f"   (dialmeter: {user_rules.shown(usual[setting])})"
        lines.append(f"{setting:44} {user_rules.shown(value)}{other}")
    return "\n".join(lines)


def _attack_table() -> Table:
    headings = ("attack", "facet", "the score", "what it does")
    return _registry_table(attacking.registry, headings, lambda each: (each.facet, READING[each.expected], each.help))


def describe_attack(name: str) -> Description:
    """Describe an attack with its variants.

    Example:
        >>> describe_attack("identical").facts[0]
        ('facet', 'coherence')
    """
    attack = attacking.named(name)
    facts = [("facet", attack.facet), ("expected", f"the score of the adversarial reply {READING[attack.expected]}")]
    for variant in attack.variants:
        needs = f" (needs {', '.join(variant.needs)})" if variant.needs else ""
        facts.append(("variant", f"{variant.name}: {variant.help}{needs}"))
    facts.append(("cite", ", ".join(attack.cite) or "dialmeter"))
    return Description(f"{attack.name}: {attack.help}", ("",), tuple(facts))


def _judge_table() -> Table:
    headings = ("judge", "what it scores")
    return _registry_table(
        judging.registry, headings, lambda member: [(inspect.getdoc(member) or "").partition("\n")[0]]
    )


def _describe_judge(name: str) -> Description:
    judge = judging.registry.load(name)
    doc = (inspect.getdoc(judge) or "").split("\n\nExample:")[0]
    facts = []
    for key, each in inspect.signature(judge).parameters.items():
        default = "required" if each.default is inspect.Parameter.empty else f"default {each.default!r}"
        facts.append(("parameter", f"{key} ({default})"))
    return Description(f"{name}: {doc}", (), tuple(facts))


def _bot_table() -> Table:
    return _registry_table(talking.registry, ("bot", "role", "what it does"), lambda kind: (kind.role, kind.about))


def _describe_bot(name: str) -> Description:
    kind = talking.registry.load(name)
    dials = msgspec.structs.asdict(kind.dials)
    facts = tuple(("dial", f"{key} (default {value})") for key, value in dials.items())
    return Description(f"{name} ({kind.role}): {kind.about}", (), facts)


def _settings() -> dict[str, list[tuple[str, click.Option]]]:
    """Return the commands and options of each setting by key."""
    from .door import settings_by_command

    keys: dict[str, list[tuple[str, click.Option]]] = {}
    for where, key, setting in settings_by_command():
        keys.setdefault(key, []).append((where, setting))
    return dict(sorted(keys.items()))


def _setting_default(setting: click.Option) -> str:
    """Return the default of a setting; for a rule that of the rule set dialmeter."""
    rule = (setting.name or "").removeprefix("rule_")
    if setting.name != rule:
        return fit(rules.named("dialmeter").shown(rule), 20)
    value = setting.default
    return "" if value is None or not isinstance(value, str | int | float) else str(value).lower()


def settings_table() -> Table:
    """Return all settings with the commands that have them."""
    rows = [
        (
            key,
            _setting_default(places[0][1]),
            ", ".join(values_of_settings(each for _, each in places)),
            ", ".join(dict.fromkeys(where for where, _ in places)),
            places[0][1].help or "",
        )
        for key, places in _settings().items()
    ]
    return Table("", ("setting", "default", "values", "of", "meaning"), tuple(rows))


def _describe_setting(key: str) -> Description:
    """Describe a setting: its values, and its default and meaning for each command that has it."""
    settings = _settings()
    if key not in settings:
        raise DialmeterError(f"unknown setting {key!r}; {did_you_mean(key, settings)}")
    facts: dict[tuple[str, str], list[str]] = {}
    for where, setting in settings[key]:
        facts.setdefault((setting.help or "", _setting_default(setting)), []).append(where)
    values = ", ".join(values_of_settings(each for _, each in settings[key]))
    lines = [
        (label, text)
        for (meaning, default), places in facts.items()
        for label, text in (
            ("meaning", meaning),
            ("default", default or "none"),
            ("of", ", ".join(dict.fromkeys(places))),
        )
    ]
    return Description(f"{key}: --set {key}=VALUE", (f"values: {values}", ""), tuple(lines))


_SCREEN = 80


def _fit(table: Table) -> Table:
    """Return the first columns of a table that fit a screen; the cells of the last of them are cut."""
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(table.headings, *table.rows, strict=True)]
    count, room = 0, _SCREEN
    while count < len(widths) and room > _NARROWEST:
        count, room = count + 1, room - widths[count] - 2
    widths[count - 1] += min(room + 2, 0)
    rows = tuple(tuple(map(fit, row, widths[:count])) for row in table.rows)
    return msgspec.structs.replace(table, headings=table.headings[:count], rows=rows)


_WIDEST = 50
_NARROWEST = 20
"""A column that has less room is left out."""


LISTS = {
    "settings": Listing("settings, for --set KEY=VALUE", settings_table, _describe_setting),
    "formats": _format_list("formats of dialogue states", FORMATS),
    "dialogues": _format_list("formats of dialogues", CONVERSATION_FORMATS),
    "logs": _format_list("formats of logs of systems", LOG_FORMATS),
    "measures": Listing("measures of trackers, users and systems", _measure_table, describe_measure),
    "rules": Listing("rule sets of trackers and users", _rule_table, _describe_rule_sets),
    "events": Listing(
        "classes of events, for users",
        lambda: table_of("", behaviours.ALL, "<event=name | <family | <caused by=owner | <meaning=about"),
        _describe_event,
    ),
    "profiles": Listing(
        "profiles of corpora, for users",
        lambda: table_of("", map(profile.named, profile.names()), "<profile=name | <domains:words | <about"),
        _describe_profile,
    ),
    "attacks": Listing("attacks on judges", _attack_table, describe_attack),
    "judges": Listing("judges of dialogues", _judge_table, _describe_judge),
    "bots": Listing("simulated users and systems", _bot_table, _describe_bot),
}


class _Topic(click.Choice[str]):
    """The name of a list. The error for a member of a list says how to describe it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        for topic, each in LISTS.items() if value not in LISTS else ():
            names = (str(row[0]).partition("(")[0] for row in each.table().rows)
            if name := next((one for one in names if one.lower() == value.lower()), None):
                raise DialmeterError(f"{name} is one of the {topic}; type: dialmeter list {topic} {name}")
        return super().convert(value, param, ctx)


@command("list", last=[format_option, verbose_option])
@click.argument("what", type=_Topic(list(LISTS)), required=False)
@click.argument("name", required=False)
def list_(what: str | None, name: str | None, *, style: str, verbose: bool) -> Output:
    """List formats, measures, rule sets, classes of events, profiles, attacks, judges or bots.

    With NAME, describe one member. Without an argument, print the names of all lists. Text has the columns that fit a screen;
    -v prints all.
    """
    if what is None:
        content: str | Table = Table(
            "", ("list", "what it has"), tuple((key, each.about) for key, each in LISTS.items())
        )
    else:
        content = LISTS[what].table() if name is None else str(LISTS[what].describe(name))
    items = (
        [dict(zip(content.headings, row, strict=True)) for row in content.rows]
        if isinstance(content, Table)
        else [{"name": name, "description": content}]
    )
    shown = content
    if isinstance(content, Table) and style == "text" and not verbose:
        shown = _fit(content)
    parts = [Block(shown, EVERY) if isinstance(shown, Table) else message_block(shown)]
    return document_output(ListDocument, parts=parts, command=f"list {what or ''}".rstrip(), items=items)
