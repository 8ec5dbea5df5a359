"""``dialmeter list``: tables of what there is, and descriptions of single members."""

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
from ..core.document import Document, make_document
from ..errors import DialmeterError, did_you_mean
from ..judges import attacks as attacking
from ..judges import judge as judging
from ..judges.verdict import READING
from ..readers.formats import CONVERSATION_FORMATS, FORMATS, LOG_FORMATS
from ..registry import Registry
from ..simulation import agents as talking
from ..systems import measures as system_measures
from ..tracking.rule_sets import rules
from ..users import behaviours, profile
from ..users import measures as user_measures
from ..users import rules as user_rules
from ..views.tables import Table
from .options import command, style_options
from .printer import EVERY, Block, Output, message, warn

FAMILIES = {
    "repetition": "a constraint of the goal is said again",
    "not_in_goal": "a constraint is said on a slot that the goal does not have",
    "goal": "the goal as a whole",
    "request": "what the user asks for",
    "text": "a user of an agent's log, with a goal in words",
}
"""The families of events."""
_OWNERS = {"system": "the system", "user": "the user", "log": "nobody: a note"}


class Description(Struct, frozen=True):
    """One member of a registry, for the command and for the pages of the documentation.

    Attributes:
        title: its name, and what it is.
        text: lines between the title and the facts.
        facts: labels and values.
        width: of the labels.
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
        about: what it has.
        table: makes the list.
        describe: describes one of its members by name.
    """

    about: str
    table: Callable[[], Table]
    describe: Callable[[str], object]


class ListDocument(Document, kw_only=True):
    """Formats, formats of conversations, measures, rule sets, classes of events, profiles, attacks, judges or agents, by
    the headings of the table; or the name and the description of one."""

    kind: Literal["list"] = "list"
    command: Literal[
        "list",
        "list formats",
        "list conversations",
        "list logs",
        "list measures",
        "list rules",
        "list events",
        "list profiles",
        "list attacks",
        "list judges",
        "list agents",
    ]
    items: list[dict[str, str]]


def _loaded(registry: Registry, headings: tuple[str, ...], row: Callable[[Any], Iterable[str]]) -> Table:
    """A table of the members of a registry, with a warning for each that cannot be loaded."""
    members, notices = registry.loaded()
    warn(notices, quiet=False)
    return Table("", headings, tuple((name, *row(member)) for name, member in members.items()))


def _formats(about: str, registry: Registry) -> Listing:
    """A list of formats of files; the text of its module describes a format."""
    return Listing(
        about,
        lambda: _loaded(registry, ("format", "carries"), lambda module: [module.CARRIES]),
        lambda name: f"{name}\n\n{(inspect.getdoc(registry.load(name)) or '').rstrip()}",
    )


def _measures() -> Table:
    headings = ("measure", "of", "title", "unit")
    found = _loaded(measure.registry, headings, lambda kind: ("tracker", kind.title, kind.unit))
    more = tuple((each.name, "user", each.title, each.unit) for each in user_measures.ABOUT.values())
    shown = (("Success", system_measures.SUCCESS.title), ("Pass", "All of k trials of a task succeed (pass^k)"))
    more += tuple((name, "system", title, "task") for name, title in shown)
    return msgspec.structs.replace(found, rows=(*found.rows, *more))


def describe_measure(name: str) -> Description:
    """A measure of trackers or of users: formula, parameters, range, when it has no value, what to cite.

    Example:
        >>> describe_measure("JGA").facts[0][0], describe_measure("I-GCDF1").facts[1]
        ('formula', ('range', '0 to 1, higher is better'))
    """
    facts: list[tuple[str, str]] = []
    if name.lower() in ("success", "pass") or name.lower().startswith("pass("):
        text = "Pass(k=2)" if name.lower() == "pass" else name
        chosen = system_measures.parse_system_measure(text)
        parameter = (("parameter", "k (needed): how many trials of a task must all succeed"),) if "k=" in text else ()
        rest = (("range", "0 to 1, higher is better"), ("cite", "yao-2024"), ("computed", "dialmeter system score"))
        return Description(f"{chosen.name}: {chosen.title}", ("",), (("formula", chosen.formula), *parameter, *rest))
    if user_measures.known(name):
        found: Any = user_measures.described(name)
        title, text = f"{found.name}: {found.title}", "\n".join(textwrap.wrap(found.about, 100))
        bounds = "0 to 1, higher is better"
    else:
        found = type(measure.parse(name if "(" in name else _callable_form(name)))
        title, text = f"{found.__name__}: {found.title}", inspect.getdoc(found) or ""
        texts = measure.parameter_help(found)
        for each in measure.parameters(found):
            default = "needed" if each.default is NODEFAULT else f"default {each.default}"
            facts.append(("parameter", f"{each.name} ({default}): {texts[each.name]}"))
        bounds = f"{found.low:g} to {found.high:g}, {'higher' if found.higher_is_better else 'lower'} is better"
    facts += [("range", bounds), ("no value", found.why_unscored), ("cite", ", ".join(found.cite) or "dialmeter")]
    if user_measures.known(name):
        facts.append(("computed", "dialmeter user score; by domain, too"))
    return Description(title, ("", text, ""), (("formula", found.formula), *facts))


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
    for describe in (_rule_set, _user_rule_set):
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
                f"unknown rule set {name!r}; {did_you_mean(name, known)} (the name of your own file must end in .toml)"
            )
        )
    return "\n\n".join(found)


def describe_rules(found: rules.Rules) -> Description:
    """A rule set for trackers with the choice of every field."""
    facts = [(name, found.shown(name)) for name in rules.FIELDS]
    facts += [("hyphen cut", "yes" if found.hyphen_cut else "no"), ("measures", ", ".join(found.measures))]
    facts += [
        (kind, ", ".join(f"{key}={value}" for key, value in settings.items()))
        for kind, settings in found.settings.items()
    ]
    text = ("for: trackers", f"checked against: {found.evidence}", "")
    return Description(f"{found.name}: {found.about}", text, tuple(facts), width=13)


def _rule_set(name: str) -> str:
    found = rules.load(name)
    lines = [str(describe_rules(found))]
    if found.only:
        lines += ["", "looks only at", *(f"  {'/'.join(cell)}" for cell in found.only)]
    if found.faults:
        lines += ["", "what the original does that you may not expect", *(f"  {fault}" for fault in found.faults)]
    return "\n".join(lines)


def _events() -> Table:
    rows = tuple((each.name, each.family, each.owner, each.about) for each in behaviours.ALL)
    return Table("", ("event", "family", "caused by", "meaning"), rows)


def _event(name: str) -> str:
    """A class of events, in every family that has it."""
    found = [each for each in behaviours.ALL if each.name == name.lower()]
    if not found:
        raise DialmeterError(f"unknown event {name!r}; {did_you_mean(name, behaviours.names())}")
    parts = []
    for each in found:
        facts = [("family", f"{each.family} ({FAMILIES[each.family]})"), ("caused by", _OWNERS[each.owner])]
        switch = each.full_switch
        if each.switch == each.name:
            on = {
                other: user_rules.shown(user_rules.switches(user_rules.named(other))[switch])
                for other in user_rules.names()
            }
            facts.append(("switch", f"{switch}: {', '.join(f'{value} under {other}' for other, value in on.items())}"))
        facts.append(("find them", f"dialmeter user query RUN --event {each.name}"))
        parts.append(str(Description(f"{each.name}: {each.about}", (), tuple(facts))))
    return "\n\n".join(parts)


def _profiles() -> Table:
    found = [profile.named(name) for name in profile.names()]
    rows = tuple((each.name, ", ".join(each.domains), each.about) for each in found)
    return Table("", ("profile", "domains", "about"), rows)


def _profile(name: str) -> str:
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


def _user_rule_set(name: str) -> str:
    """A rule set for users with every switch, and the value of the default rule set where it differs."""
    found = user_rules.load(name)
    usual = user_rules.switches(user_rules.named("dialmeter"))
    lines = [f"{found.name}: {found.about}", "for: users", f"checked against: {found.evidence}", ""]
    for switch, value in user_rules.switches(found).items():
        other = "" if value == usual[switch] else f"   (dialmeter: {user_rules.shown(usual[switch])})"
        lines.append(f"{switch:44} {user_rules.shown(value)}{other}")
    return "\n".join(lines)


def _attacks() -> Table:
    headings = ("attack", "facet", "the score", "what it does")
    return _loaded(attacking.registry, headings, lambda each: (each.facet, READING[each.expected], each.help))


def describe_attack(name: str) -> Description:
    """An attack with its variants.

    Example:
        >>> describe_attack("identical").facts[0]
        ('facet', 'coherence')
    """
    found = attacking.named(name)
    facts = [("facet", found.facet), ("expected", f"the score of the adversarial reply {READING[found.expected]}")]
    for variant in found.variants:
        needs = f" (needs {', '.join(variant.needs)})" if variant.needs else ""
        facts.append(("variant", f"{variant.name}: {variant.help}{needs}"))
    facts.append(("cite", ", ".join(found.cite) or "dialmeter"))
    return Description(f"{found.name}: {found.help}", ("",), tuple(facts))


def _judges() -> Table:
    headings = ("judge", "what it scores")
    return _loaded(judging.registry, headings, lambda member: [(inspect.getdoc(member) or "").partition("\n")[0]])


def _judge(name: str) -> Description:
    found = judging.registry.load(name)
    doc = (inspect.getdoc(found) or "").split("\n\nExample:")[0]
    facts = []
    for key, each in inspect.signature(found).parameters.items():
        default = "needed" if each.default is inspect.Parameter.empty else f"default {each.default!r}"
        facts.append(("parameter", f"{key} ({default})"))
    return Description(f"{name}: {doc}", (), tuple(facts))


def _agents() -> Table:
    return _loaded(talking.registry, ("agent", "role", "what it does"), lambda kind: (kind.role, kind.about))


def _agent(name: str) -> Description:
    kind = talking.registry.load(name)
    dials = msgspec.structs.asdict(kind.dials)
    facts = tuple(("dial", f"{key} (default {value})") for key, value in dials.items())
    return Description(f"{name} ({kind.role}): {kind.about}", (), facts)


_LISTS = {
    "formats": _formats("formats of files of states", FORMATS),
    "conversations": _formats("formats of files of talk", CONVERSATION_FORMATS),
    "logs": _formats("formats of logs of agents", LOG_FORMATS),
    "measures": Listing("measures of trackers, users and systems", _measures, describe_measure),
    "rules": Listing("rule sets of trackers and users", _rules, _rule_sets),
    "events": Listing("classes of events of users", _events, _event),
    "profiles": Listing("profiles of corpora, for users", _profiles, _profile),
    "attacks": Listing("attacks on judges", _attacks, describe_attack),
    "judges": Listing("judges of dialogues", _judges, _judge),
    "agents": Listing("agents that talk", _agents, _agent),
}


@command("list", last=[style_options])
@click.argument("what", type=click.Choice(list(_LISTS)), required=False)
@click.argument("name", required=False)
def list_(what: str | None, name: str | None, **_: str) -> Output:
    """List what there is: formats of states, formats of conversations and of agents' logs, measures, rule sets; for users the classes of
    events and the profiles of corpora; attacks, judges, and agents that talk. With NAME, describe one; without a word, list what can be listed."""
    if what is None:
        found: str | Table = Table(
            "", ("list", "what it has"), tuple((key, each.about) for key, each in _LISTS.items())
        )
    else:
        found = _LISTS[what].table() if name is None else str(_LISTS[what].describe(name))
    items = (
        [dict(zip(found.headings, row, strict=True)) for row in found.rows]
        if isinstance(found, Table)
        else [{"name": name, "description": found}]
    )
    parts = [Block(found, EVERY) if isinstance(found, Table) else message(found)]
    return Output(
        document=lambda _: make_document(ListDocument, command=f"list {what or ''}".rstrip(), items=items), parts=parts
    )
