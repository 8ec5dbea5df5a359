"""The pages on measures, events, formats and rule sets, and parts that all generated pages use."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from dialmeter import citations, measure
from dialmeter.cli.listing import FAMILIES, Description, describe_measure, describe_rules
from dialmeter.readers.formats import CONVERSATION_FORMATS, FORMATS
from dialmeter.readers.layouts.own import WRITERS
from dialmeter.tracking.rule_sets import rules
from dialmeter.users import behaviours
from dialmeter.users import rules as user_rules
from dialmeter.users.score_table import ABOUT as USER_MEASURES
from dialmeter.users.score_table import UserMeasure
from dialmeter.views.user_figures import NOT_IN_GOAL, REPETITIONS, REQUESTED_AGAIN

SAMPLE = "dialmeter sample .    # writes the files that this page uses"


def description(found: Description, heading: str = "") -> list[str]:
    """Return a description as Markdown: a heading, the text, and a list of facts."""
    text = (*found.text, found.title.removeprefix(f"{heading}: "), "") if heading else found.text
    facts = [f"- **{label}** {value}" for label, value in found.facts]
    lines = [f"# {heading or found.title}", "", *text, *facts, ""]
    return [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]


def bibtex(keys: Sequence[str]) -> list[str]:
    return ["```bibtex", *(citations.entries()[key] for key in keys), "```", ""] if keys else []


def measure_page(name: str) -> str:
    kind = measure.registry.load(name)
    how = "from sums over the corpus" if kind.pooled else f"as a mean over {kind.unit}s"
    example = f"{name}(lam=0.5)" if name == "FGA" else name
    return "\n".join(
        [
            *description(describe_measure(name)),
            f"Computed {how}.",
            "",
            *("```sh", SAMPLE, _measure_command(example), "```", ""),
            *bibtex(kind.cite),
        ]
    )


def _measure_command(example: str) -> str:
    frames = measure.parse(example).reads() == "frames"
    files = "frames.jsonl --schema schema.json" if frames else "new.jsonl"
    return f'dialmeter tracker score {files} --measure "{example}"'


def measures_index() -> str:
    rows = [
        f"| [{name}]({name}.md) | {kind.title} | {kind.unit} |"
        for name, kind in ((name, measure.registry.load(name)) for name in measure.registry.names())
    ]
    lines = ["# Measures", "", "## Of trackers", "", "| measure | title | unit |", "|---|---|---|", *rows]
    lines += ["", "## Of users", "", "What they count and tolerate: [users](../users.md).", ""]
    lines += ["| measure | title | unit |", "|---|---|---|"]
    lines += [f"| [{each.name}]({each.name}.md) | {each.title} | {each.unit} |" for each in USER_MEASURES.values()]
    return "\n".join([*lines, ""])


def user_measure_page(found: UserMeasure) -> str:
    return "\n".join(
        [
            *description(describe_measure(found.name)),
            "What is wanted, what counts and what is tolerated: [users](../users.md). Switches: [rule sets](../rules.md).",
            "",
            "```sh",
            SAMPLE,
            "dialmeter user score agenda.jsonl",
            f'dialmeter user score agenda.jsonl --fail-if "{found.name} < 0.8"',
            *("```", ""),
            *bibtex(found.cite),
        ]
    )


def events_page() -> str:
    lines = [
        "# Events",
        "",
        "Each event in a dialogue has a class. `dialmeter user score` counts events by class and domain,",
        "`dialmeter user query RUN --event CLASS` finds the dialogues, and `dialmeter list events CLASS` describes a class. The effect",
        "on scores: [users](users.md).",
        "",
        "Caused by: the system, the user, or nobody (`log`: only a note).",
    ]
    for family, title in FAMILIES.items():
        lines += [
            "",
            f"## {title[0].upper()}{title[1:]} (`{family}`)",
            "",
            "| class | caused by | meaning |",
            "|---|---|---|",
        ]
        lines += [
            f"| `{each.name}` | {each.owner} | {each.about} |" for each in behaviours.ALL if each.family == family
        ]
    lines += [
        "",
        "## Labels of the published figures",
        "",
        "| figure | published label | in words | classes |",
        "|---|---|---|---|",
    ]
    figures = (("2", REPETITIONS), ("3", NOT_IN_GOAL), ("7", REQUESTED_AGAIN))
    lines += [
        f"| {figure} | {label.published} | {label.words} | {', '.join(f'`{name}`' for name in label.classes)} |"
        for figure, labels in figures
        for label in labels
    ]
    return "\n".join([*lines, ""])


def user_rules_section() -> list[str]:
    sets = [user_rules.named(name) for name in user_rules.names()]
    lines = [
        "# Rule sets for users",
        "",
        "Each switch can be changed: `--rules gcdf1-repo --set repetitions.max=4`. What the faults do: [users](users.md).",
        "",
    ]
    lines += [f"- `{each.name}`: {each.about} Checked against: {each.evidence}." for each in sets]
    lines += ["", f"| switch | {' | '.join(each.name for each in sets)} |", f"|---|{'---|' * len(sets)}"]
    for switch in user_rules.switches(sets[0]):
        values = [user_rules.shown(user_rules.switches(each)[switch]) for each in sets]
        lines.append(f"| `{switch}` | {' | '.join(values)} |")
    return [*lines, ""]


def formats_page() -> str:
    lines = ["# Formats", "", "The format of a file is auto-detected. `--from NAME` sets it.", ""]
    for name in FORMATS.names():
        module = FORMATS.load(name)
        lines += [f"## {name}", "", f"Carries {module.DESCRIPTION}.", "", (inspect.getdoc(module) or "").rstrip(), ""]
    written = [f"| `{name}` | {each.about} | {each.loses} |" for name, each in WRITERS.items()]
    lines += [
        "## Written files",
        "",
        "`dialmeter convert IN OUT --to FORMAT` writes one of these formats. Reading it again gives the same states. States, utterances",
        "and intents of IN are written. Acts, goals, schemas and other trackers (`pred:NAME`) of IN are not written. A warning counts",
        "the content that a format cannot store.",
        "",
        "| format | content | not stored |",
        "|---|---|---|",
        *written,
        "",
    ]
    return "\n".join(lines)


def conversations_page() -> str:
    lines = [
        "# Formats of conversations",
        "",
        "Users and judges are measured on conversations: every move of both speakers, with acts and goals if a file has them.",
        "The format of a file is auto-detected. `--from NAME` sets it. Trackers read [formats of states](formats.md).",
        "Goals may be in a separate file: `{dialogue: goal}` in MultiWOZ's format, or `data.json` of MultiWOZ 2.1 itself.",
        "They replace the goals in the dialogues. Ids that are only in one of the two files are counted and listed.",
        "",
        "| format | carries |",
        "|---|---|",
    ]
    modules = {name: CONVERSATION_FORMATS.load(name) for name in CONVERSATION_FORMATS.builtin()}
    lines += [f"| [{name}](#{name}) | {module.DESCRIPTION} |" for name, module in modules.items()]
    for name, module in modules.items():
        lines += ["", f"## {name}", "", (inspect.getdoc(module) or "").rstrip()]
    return "\n".join([*lines, ""])


def rules_page() -> str:
    lines = [
        "# Rule sets for trackers",
        "",
        "There are other rule sets [for users](#rule-sets-for-users). `dialmeter list rules NAME` prints a rule set. Each field can be changed: `--rules trade --none keep`.",
        "[The page on conformance](conformance.md) describes the comparison with the original scorers. [Own rules](howto/own-rules.md) explains",
        "the choices of each field.",
        "",
    ]
    for found in map(rules.named, rules.names()):
        lines += [
            f"## {found.name}",
            "",
            found.about,
            "",
            f"Checked against: {found.evidence}.",
            "",
            "| field | choice |",
            "|---|---|",
        ]
        lines += [f"| {label} | {value} |" for label, value in describe_rules(found).facts]
        if found.only:
            lines += ["", f"Scores only {', '.join(f'`{chr(47).join(cell)}`' for cell in found.only)}."]
        if found.faults:
            lines += ["", "Surprising behaviour of the original:", ""]
            lines += [f"- {fault}" for fault in found.faults]
        lines.append("")
    return "\n".join([*lines, *user_rules_section()])
