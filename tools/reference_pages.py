"""The generated pages: commands, settings, measures, attacks, events and formats."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping

import click

from dialmeter import measure
from dialmeter.cli.listing import FAMILIES, Description, describe_attack, describe_measure, settings_table
from dialmeter.cli.main import LazyGroup, cli
from dialmeter.judges import attacks
from dialmeter.judges.cases import READING
from dialmeter.readers.formats import CONVERSATION_FORMATS, FORMATS, LOG_FORMATS
from dialmeter.readers.layouts.own import WRITERS
from dialmeter.registry import Registry
from dialmeter.tracking.rule_sets import rules
from dialmeter.users import behaviours
from dialmeter.users import rules as user_rules
from dialmeter.users.score_table import ABOUT as USER_MEASURES
from dialmeter.views.user_figures import NOT_IN_GOAL, REPETITIONS, REQUESTED_AGAIN

SAMPLE = "dialmeter demo . --files-only    # writes the files that this page uses"


def table(headings: str, rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a table in Markdown; the headings are separated by bars."""
    names = headings.split("|")
    cells = (" | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) for row in rows)
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|", *(f"| {row} |" for row in cells), ""]


def description(found: Description) -> list[str]:
    """Return a description as Markdown: the text, and a list of facts."""
    text = [line for line in found.text if line]
    return [*text, *[""] * bool(text), *(f"- **{label}** {value}" for label, value in found.facts), ""]


def commands(group: LazyGroup, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            yield from commands(command, f"{before}{name} ")
        elif command is not None:
            yield f"{before}{name}", command


def commands_page() -> str:
    """Return the page on commands: what each does, and its options. Options that have one meaning everywhere are described once."""
    found = dict(commands(cli))
    shared, own = _options(found)
    lines = [
        "# Commands",
        "",
        "`dialmeter COMMAND --help` prints the same. Options of the whole program stand before the command:",
        "`--config FILE`, `--isolated` (read no configuration file), `--version`, `--completion SHELL`.",
        "",
        *table("command|what it does", [(f"[{each}](#{_anchor(each)})", _about(found[each])) for each in found]),
        "Exit codes: 0 fine, 1 a condition of `--fail-if` holds, 2 bad input or usage, 3 unfinished (the same command again",
        "continues), 4 internal error, 130 interrupted.",
        "",
        "## Options that mean the same everywhere",
        "",
        *table("option|meaning", [(f"`{flag}`", about) for flag, about in shared.items()]),
    ]
    lines += [f"- {word}: {', '.join(f'`{flag}`' for flag in flags)}" for word, flags in _GROUPS.items()]
    lines.append("")
    for name, command in found.items():
        used = [f"`{flag.split()[0].rstrip(',')}`" for flag, about in _flags(command) if shared.get(flag) == about]
        arguments = " ".join(
            each.make_metavar(click.Context(command)) for each in command.params if isinstance(each, click.Argument)
        )
        lines += [
            f"## {name}",
            "",
            f"`dialmeter {name} {arguments}`".replace(" `", "`"),
            "",
            inspect.cleandoc(command.help or ""),
            "",
        ]
        listed = ", ".join(used)
        for word, flags in _GROUPS.items():
            listed = listed.replace(", ".join(f"`{flag}`" for flag in flags), word)
        lines += [f"Options: {listed}.", ""] if used else []
        lines += [*[f"- `{flag}` {about}" for flag, about in own[name]], ""] if own[name] else []
    return "\n".join(lines)


_GROUPS = {
    "*input*": ("--gold", "--from", "--columns"),
    "*output*": ("--out", "--force"),
    "*look*": ("--format", "--verbose", "--quiet"),
}


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _about(command: click.Command) -> str:
    return (command.help or "").partition("\n\n")[0].replace("\n", " ")


def _flags(command: click.Command) -> list[tuple[str, str]]:
    """Return the options of a command as people write them, each with its help."""
    found = []
    for each in command.params:
        if isinstance(each, click.Option):
            names = ", ".join(sorted(each.opts, key=len, reverse=True))
            value = "" if each.is_flag else f" {each.make_metavar(click.Context(command))}"
            found.append((f"{names}{value}", each.help or ""))
    return found


def _options(found: Mapping[str, click.Command]) -> tuple[dict[str, str], dict[str, list[tuple[str, str]]]]:
    """Split options into those that several commands share with one meaning, and those of each command."""
    places: dict[tuple[str, str], int] = {}
    for command in found.values():
        for each in _flags(command):
            places[each] = places.get(each, 0) + 1
    shared = {flag: about for (flag, about), count in places.items() if count > 1}
    own = {
        name: [each for each in _flags(command) if shared.get(each[0]) != each[1]] for name, command in found.items()
    }
    return shared, own


_RULE = "Change one rule. "


def settings_page() -> str:
    """Return the page on settings, with the value that each rule set has."""
    rows = [(f"`{row[0]}`", *row[1:]) for row in settings_table().rows]
    lines = [
        "# Settings",
        "",
        "A setting changes a number. It is given as `--set key=value`, or in [dialmeter.toml](rules.md), and it is part of the",
        "signature. `dialmeter list settings KEY` describes one.",
        "",
        *table("key|commands|values|meaning", [row for row in rows if not row[3].startswith(_RULE)]),
        "## Rules of trackers",
        "",
        "`score`, `compare`, `check`, `find` and the studies of trackers have these; [own rules](rules.md) explains them.",
        "",
        *table("key|meaning", [(row[0], row[3].removeprefix(_RULE)) for row in rows if row[3].startswith(_RULE)]),
        "## Rule sets of trackers",
        "",
        "`--rules NAME` chooses one; each row is a setting. [Which JGA?](which-jga.md) says what they do, and",
        "`dialmeter list rules NAME` what an original does that you may not expect.",
        "",
    ]
    sets = [rules.named(name) for name in rules.names()]
    values = [(f"`{field}`", *(each.shown(field) for each in sets)) for field in rules.FIELDS]
    lines += table(f"setting|{'|'.join(each.name for each in sets)}", [row for row in values if len(set(row[1:])) > 1])
    users = [user_rules.named(name) for name in user_rules.names()]
    settings = [
        (f"`{key}`", *(user_rules.shown(user_rules.settings(each)[key]) for each in users))
        for key in user_rules.settings(users[0])
    ]
    lines += ["", "## Rule sets of users", "", "Each can be changed: `--set repetitions.max=4`. Equal in both:", ""]
    lines += [", ".join(f"{row[0]} {row[1]}" for row in settings if row[1] == row[2]) + ".", ""]
    lines += table(f"setting|{'|'.join(each.name for each in users)}", [row for row in settings if row[1] != row[2]])
    return "\n".join(lines)


def _once(text: str, name: str, seen: dict[str, str]) -> str:
    """Return the text of a parameter, or where it was described before."""
    first = seen.setdefault(text, name)
    return text if first == name else f"{text.partition(':')[0]}: as for {first}"


_USUAL = (("range", "0 to 1, higher is better"), ("no value", "nothing to count"))
"""Facts of measures that the page says once."""


def measures_page() -> str:
    """Return the page on measures."""
    lines = [
        "# Measures",
        "",
        "`--measure NAME` requests one, `-m all` all of a subject; `dialmeter list measures NAME` prints this text. A value is",
        "between 0 and 1 in Python and JSON, and in percent in tables. Unless a measure says otherwise, it goes from 0 to 1, higher is",
        "better, it is a mean over turns, and a unit with nothing to count is unscored. Most measures of trackers take `average=dialogue`:",
        "first the mean within each dialogue, then over dialogues (default: over all turns). `dialmeter cite NAME` prints the reference.",
        "",
        "```sh",
        SAMPLE,
        'dialmeter score new.jsonl -m "FGA(lam=0.5)" -m SlotF1',
        "dialmeter score agenda.jsonl -m all",
        'dialmeter score desk-base.json -m "Pass(k=2)"',
        "```",
        "",
        "## Of trackers",
        "",
    ]
    seen: dict[str, str] = {}
    for name in measure.registry.builtin():
        kind = measure.registry.load(name)
        how = "from sums over the corpus" if kind.pooled else f"as a mean over {kind.unit}s"
        found = [fact for fact in describe_measure(name).facts if fact not in _USUAL and fact[0] != "cite"]
        facts = [
            (label, _once(text, name, seen) if label == "parameter" else text)
            for label, text in found
            if not text.startswith("average (")
        ]
        facts += [("computed", how)] * (how != "as a mean over turns")
        lines += [f"### {kind.__name__}: {kind.title}", ""]
        lines += description(Description("", describe_measure(name).text, tuple(facts)))
    lines += ["## Of users", "", "What they count and tolerate: [users](users.md).", ""]
    for each in USER_MEASURES.values():
        described = describe_measure(each.name)
        own = tuple(fact for fact in described.facts if fact[0] in ("formula", "no value") and fact not in _USUAL)
        about = described.text if each.name.endswith("GCDF1") else ()
        lines += [f"### {each.name}: {each.title}", "", *description(Description("", about, own))]
    lines += ["## Of systems", ""]
    for name in ("Success", "Pass(k=2)"):
        lines += [f"### {describe_measure(name).title}", "", *description(describe_measure(name))]
    return "\n".join(lines)


def attacks_page() -> str:
    """Return the page on attacks."""
    lines = [
        "# Attacks",
        "",
        "An attack changes a reply, and says what an ideal judge does. `--attack NAME:VARIANT` takes one variant only. Without",
        "`--attack`, those of the paper but co-reference are made; `--attack all` makes all. Whether they do what they say was read by people:",
        "`benchmarks/attack_validity.md`.",
        "",
        "```sh",
        SAMPLE,
        "dialmeter judge attack agenda.jsonl --attack pronoun:person --attack dullness -n 20 -o attacked.jsonl",
        "```",
        "",
    ]
    for title, names in (("The twelve of the paper", attacks.PAPER), ("Beyond the paper", attacks.BEYOND)):
        lines += [f"## {title}", ""]
        lines += table(
            "attack|facet|the score|what it does",
            [
                (f"[{each.name}](#{each.name})", each.facet, READING[each.expected], each.help)
                for each in map(attacks.named, names)
            ],
        )
        for name in names:
            found = describe_attack(name)
            facts = tuple(fact for fact in found.facts if fact[0] == "variant")
            lines += [f"### {name}", "", *description(Description("", (), facts))]
    return "\n".join(lines)


def events_page() -> str:
    """Return the page on events of users."""
    lines = [
        "# Events",
        "",
        "Each event in a dialogue of a user has a class. `dialmeter score` counts events by class and domain, and",
        "`dialmeter find RUN event=CLASS` finds the dialogues. What they do to a score: [users](users.md).",
        "",
        "Caused by: the system, the user, or nobody (`log`: only a note).",
        "",
    ]
    for family, title in FAMILIES.items():
        lines += [f"## {title[0].upper()}{title[1:]} (`{family}`)", ""]
        found = [(f"`{each.name}`", each.owner, each.about) for each in behaviours.ALL if each.family == family]
        lines += table("class|caused by|meaning", found)
    lines += ["## Labels of the published figures", ""]
    figures = (("2", REPETITIONS), ("3", NOT_IN_GOAL), ("7", REQUESTED_AGAIN))
    rows = [
        (figure, label.published, label.words, ", ".join(f"`{name}`" for name in label.classes))
        for figure, labels in figures
        for label in labels
    ]
    return "\n".join([*lines, *table("figure|published label|in words|classes", rows)])


def formats_page() -> str:
    """Return the page on formats of files."""
    lines = [
        "# Formats",
        "",
        "The format of a file is detected. `--from NAME` names it, `--columns KEY=COLUMN` names columns. Any other file with one",
        "record per turn or per dialogue: [my file](my-file.md).",
        "",
        "## Of states, for trackers",
        "",
        *_formats("formats", FORMATS),
        "## Of dialogues, for users and judges",
        "",
        "Every move of both speakers, with acts and goals if a file has them. Goals may be in a file of their own (`--gold`):",
        "`{dialogue: goal}` in MultiWOZ's format, or `data.json` of MultiWOZ 2.1 itself.",
        "",
        *_formats("dialogues", CONVERSATION_FORMATS),
        "## Of logs, for systems",
        "",
        *_formats("logs", LOG_FORMATS, known=CONVERSATION_FORMATS),
        "## Written files",
        "",
        "`dialmeter convert IN OUT --to FORMAT` writes one of these. A warning counts what a format cannot hold.",
        "",
        *table("format|content|not stored", [(f"`{name}`", each.about, each.loses) for name, each in WRITERS.items()]),
    ]
    return "\n".join(lines)


_WHOLE = ("native", "rows", "llm")
"""Formats that people write themselves, which the page describes in full."""
_WORDS = 45


def _short(kind: str, name: str, text: str) -> str:
    """Return the first paragraphs of the description of a format; the command prints the rest."""
    parts = text.split("\n\n")
    while name not in _WHOLE and len(parts) > 1 and len(" ".join(parts).split()) > _WORDS:
        del parts[-1]
    shown = "\n\n".join(parts)
    return shown if shown == text else f"{shown}\n\nMore: `dialmeter list {kind} {name}`."


def _formats(kind: str, registry: Registry, known: Registry | None = None) -> list[str]:
    """Return the formats of a registry; a format that another registry has described is only named."""
    lines = []
    for name in registry.builtin():
        module = registry.load(name)
        described = known is not None and name in known.builtin()
        text = f"See [above](#{name})." if described else _short(kind, name, (inspect.getdoc(module) or "").rstrip())
        lines += [f"### {name}", "", f"Has {module.DESCRIPTION}.", "", text, ""]
    return lines
