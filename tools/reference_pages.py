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
from dialmeter.systems.measures import CALLS
from dialmeter.tracking.rule_sets import rules
from dialmeter.users import behaviours
from dialmeter.users.measures import ABOUT as USER_MEASURES
from dialmeter.views.user import NOT_IN_GOAL, REPETITIONS, REQUESTED_AGAIN

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
        "Exit codes: 0 fine, 1 a condition of `--fail-if` holds, 2 bad input or usage, 3 unfinished (the same command again",
        "continues), 4 internal error, 130 interrupted.",
        "",
        "## Options that mean the same everywhere",
        "",
        *(f"- `{flag}` {about}" for flag, about in shared.items()),
        "",
        "In the lists below stand together:",
        "",
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


def settings_page() -> str:
    """Return the page on settings, with the value that each rule set has."""
    rows = [
        f"- `{key}={values.replace(', ', '|')}`{f' ({default})' if default else ''}: "
        f"{meaning if of.count(',') > 1 else f'`{of}`: {meaning}'}"
        for key, default, values, of, meaning in settings_table().rows
    ]
    usual, *others = ({field: rules.named(name).shown(field) for field in rules.FIELDS} for name in rules.names())
    changes = [{field: text for field, text in each.items() if text != usual[field]} for each in others]
    shared = {field: text for field, text in usual.items() if any(field in each for each in changes)}
    sets = [
        f"- **{name}**: {', '.join(f'`{field}={text}`' for field, text in each.items())}"
        for name, each in zip(rules.names(), (shared, *changes), strict=True)
    ]
    lines = [
        "# Settings",
        "",
        "A setting changes a number. It is given as `--set key=value`, or in [dialmeter.toml](rules.md), and it is part of the",
        "signature. `dialmeter list settings KEY` describes one, and names the commands that have it.",
        "",
        "The default stands in brackets. Where commands stand before the meaning, only they have the setting.",
        "",
        *rows,
        "",
        "## Rule sets of trackers",
        "",
        "`--rules NAME` chooses one. The others are given by what differs from `dialmeter`. [Which JGA?](which-jga.md) says what",
        "they do, and `dialmeter list rules NAME` what an original does that you may not expect.",
        "",
        *sets,
        "",
        "## Rule sets of users",
        "",
        "[Users](users.md#two-rule-sets) says in what the two differ. `dialmeter list rules gcdf1-repo` prints every setting of",
        "theirs; each can be changed: `--set repetitions.max=4`.",
        "",
    ]
    return "\n".join(lines)


def _once(facts: Iterable[tuple[str, str]], name: str, seen: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the facts of a measure; parameters and reasons that an earlier measure has are one fact, which names that measure."""
    known: dict[str, list[str]] = {}
    for label, text in facts:
        first = seen.setdefault(text, name) if label in ("parameter", "formula") else name
        if first == name:
            yield label, text
        else:
            known.setdefault(first, []).append(text.partition(" (")[0] if label == "parameter" else label)
    for first, names in known.items():
        yield "as for " + first, ", ".join(names)


_USUAL = ("range", "0 to 1, higher is better")
"""A fact of most measures, which the page says once."""
_LISTED_ONLY = ("cite", "no value")
"""Facts that `dialmeter list measures NAME` says."""


def measures_page() -> str:
    """Return the page on measures."""
    lines = [
        "# Measures",
        "",
        "`--measure NAME` requests one, `-m all` all of a subject; `dialmeter list measures NAME` also says when there is no value. A value is",
        "between 0 and 1 in Python and JSON, and in percent in tables. Unless a measure says otherwise, it goes from 0 to 1, higher",
        'is better, and a unit with nothing to count is unscored. A formula without "mean" is computed from sums over the corpus.',
        "Most measures of trackers take `average=dialogue`: first the mean within each dialogue, then over dialogues (default: over",
        "all turns). `dialmeter cite NAME` prints the reference.",
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
        found = [fact for fact in describe_measure(name).facts if fact != _USUAL and fact[0] not in _LISTED_ONLY]
        facts = list(_once((fact for fact in found if not fact[1].startswith("average (")), name, seen))
        facts += [("computed", how)] * (how not in ("as a mean over turns", "from sums over the corpus"))
        lines += [f"### {kind.__name__}: {kind.title}", ""]
        lines += description(Description("", describe_measure(name).text, tuple(facts)))
    nothing = describe_measure("I-GCDF1").facts[2][1]
    lines += ["## Of users", "", f"What they count and tolerate: [users](users.md). No value: {nothing}.", ""]
    for each in USER_MEASURES.values():
        described = describe_measure(each.name)
        own = _once((fact for fact in described.facts if fact[0] == "formula"), each.name, seen)
        about = described.text if each.name.endswith("GCDF1") else ()
        lines += [f"### {each.name}: {each.title}", "", *description(Description("", about, tuple(own)))]
    lines += ["## Of systems", ""]
    for name in ("Success", "Pass(k=2)", "AnyPass(k=2)", *(each.name for each in CALLS)):
        described = describe_measure(name)
        own_facts = tuple(fact for fact in described.facts if fact[0] in ("formula", "parameter"))
        lines += [f"### {described.title}", "", *description(Description("", (), own_facts))]
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
        for name in names:
            found, attack = describe_attack(name), attacks.named(name)
            lines += [
                f"### {name}",
                "",
                f"{attack.help} The score of {attack.facet} {READING[attack.expected]}.",
                "",
                *(f"- `{text.replace(':', '`:', 1)}" for label, text in found.facts if label == "variant"),
                "",
            ]
    return "\n".join(lines)


def events_page() -> str:
    """Return the page on events of users."""
    lines = [
        "# Events",
        "",
        "Each event in a dialogue of a user has a class. `dialmeter score` counts events by class and domain, and",
        "`dialmeter find RUN event=CLASS` finds the dialogues. What they do to a score: [users](users.md).",
        "",
        "In brackets stands who causes it: the system, the user, or nobody (`log`: only a note).",
        "",
    ]
    for family, title in FAMILIES.items():
        lines += [f"## {title[0].upper()}{title[1:]} (`{family}`)", ""]
        found = [each for each in behaviours.ALL if each.family == family]
        lines += [*(f"- `{each.name}` ({each.owner}): {each.about}" for each in found), ""]
    lines += ["## Labels of the published figures", ""]
    figures = (("2", REPETITIONS), ("3", NOT_IN_GOAL), ("7", REQUESTED_AGAIN))
    for figure, labels in figures:
        lines += [f"Figure {figure}:", ""]
        lines += [
            f"- {label.published} ({label.words}): {', '.join(f'`{name}`' for name in label.classes)}"
            for label in labels
        ]
        lines.append("")
    return "\n".join(lines)


def formats_page() -> str:
    """Return the page on formats of files."""
    lines = [
        "# Formats",
        "",
        "The format of a file is detected. `--from NAME` names it, `--columns KEY=COLUMN` names columns. Any other file with one",
        "record per turn or per dialogue: [my file](my-file.md). All about a format: `dialmeter list formats NAME` (of states),",
        "`dialmeter list dialogues NAME`, `dialmeter list logs NAME`.",
        "",
        "## Of states, for trackers",
        "",
        *_formats(FORMATS),
        "## Of dialogues, for users and judges",
        "",
        "Every move of both speakers, with acts and goals if a file has them. Goals may be in a file of their own (`--gold`):",
        "`{dialogue: goal}` in MultiWOZ's format, or `data.json` of MultiWOZ 2.1 itself.",
        "",
        *_formats(CONVERSATION_FORMATS),
        "## Of logs, for systems",
        "",
        f"The formats {', '.join(f'[{name}](#{name})' for name in LOG_FORMATS.builtin())} from above.",
        "",
        "## Written files",
        "",
        "`dialmeter convert IN OUT --to FORMAT` writes one of these. A warning counts what a format cannot hold.",
        "",
        *table("format|content|not stored", [(f"`{name}`", each.about, each.loses) for name, each in WRITERS.items()]),
    ]
    return "\n".join(lines)


_WORDS = 45
_MORE = {"native": 400, "rows": 400, "llm": 150}
"""Words about formats that people write themselves, of which the page says more."""


def _short(name: str, text: str) -> str:
    """Return the first paragraphs of the description of a format; `dialmeter list` prints the rest."""
    parts = text.split("\n\n")
    while len(parts) > 1 and len(" ".join(parts).split()) > _MORE.get(name, _WORDS):
        del parts[-1]
    return "\n\n".join(parts)


def _formats(registry: Registry) -> list[str]:
    """Return the formats of a registry."""
    lines = []
    for name in registry.builtin():
        module = registry.load(name)
        text = _short(name, (inspect.getdoc(module) or "").rstrip())
        lines += [f"### {name}", "", f"Has {module.DESCRIPTION}.", "", text, ""]
    return lines
