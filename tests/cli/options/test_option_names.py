"""An option has one kind and one help text in all commands, except for the differences in a table with reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

import click
import pytest

from ...commands import all_commands


class Difference(NamedTuple):
    """Why an option may differ between commands, and how: patterns of its help texts, and its kinds if it has several."""

    reason: str
    helps: tuple[str, ...]
    kinds: tuple[str, ...] = ()


ONE_OR_MORE = ("text", "text, repeated")
ALLOWED = {
    "--as": Difference(
        "a report is a page and not a table", ("Output format.", "Format of the report (default: from the extension *")
    ),
    "--attack": Difference(
        "two commands make cases, one selects them",
        (
            "Attack, one of its variants, paper (*), or all; may be repeated.",
            "Attack, as for `judge attack`; may be repeated.",
            "Only cases of this attack; may be repeated.",
        ),
    ),
    "--cache": Difference("the help names what is cached", ("Cache * in this folder*.",)),
    "--cases": Difference(
        "two commands make cases, one selects them",
        ("Number of cases of each attack.", "Use only the first N cases of each attack (default: all)."),
    ),
    "--common": Difference(
        "a file may be in several boards",
        (
            "Use only the dialogues that all files have.",
            "Score only the dialogues that are complete in all files of a board.",
        ),
    ),
    "--details": Difference("the help names the details", ("Also print *.", "Print all details of *.")),
    "--dialogue": Difference(
        "in a query it is one of the conditions, and a dialogue has one id",
        ("Print this dialogue turn by turn.", "Print this dialogue turn by turn; may be repeated."),
        ONE_OR_MORE,
    ),
    "--domain": Difference(
        "a comparison has only scores of domains",
        ("Compare scores of this domain.", "Domain of the event, of the score, or of the goal."),
    ),
    "--endpoint": Difference("the help names the task of the model", ("URL of * Needs --model.",)),
    "--examples": Difference("the help names the examples", ("Number of * to print*.",)),
    "--fail-if": Difference(
        "the help has a measure of the command", ("Exit with code 1 if this condition is true*, such as *.",)
    ),
    "--from": Difference("the help names the file", ("Format of * (default: auto-detect).",)),
    "--goals": Difference(
        "goals are drawn, or come from a file, which the help describes",
        (
            "File with goals by dialogue, if the dialogues have none.",
            "Number of goals to draw.",
            "Number of goals to draw, or a file with goals (MultiWOZ format) or with dialogues.",
            "Edited sheet of items from `dialmeter user goals --make-sheets`.",
        ),
        ("text", "integer"),
    ),
    "--gold": Difference("some commands take several files", ("File with gold states*.",), ONE_OR_MORE),
    "--limit": Difference("the help names what is printed", ("Maximum number of *.",)),
    "--make-sheets": Difference(
        "the help describes the sheets",
        ("Write * to this f*.", "DIALOGUES is a log of an agent: write * to this file *."),
    ),
    "--map": Difference("it is one of the rules of trackers", ("*Value map, with the forms of each value: *.",)),
    "--measure": Difference(
        "the help has measures of the command; a query is about one measure",
        ("Measure, such as *; may be repeated.", "Measure of *.", "Measure to cite; may be repeated."),
        ONE_OR_MORE,
    ),
    "--missing": Difference(
        "`tracker rules` changes it in all rule sets",
        ("Change one rule. *.", "Treatment of a turn without prediction (default: that of each rule set)."),
        ("text", "choice"),
    ),
    "--name": Difference(
        "the help says what has the name; a set has one name",
        ("Name of *; give one for each *.", "Name of the set."),
        ONE_OR_MORE,
    ),
    "--only": Difference(
        "`tracker sensitivity` has no --missing",
        (
            "Use only the dialogues in this file, one id per line.",
            "Use only the dialogues in this file, one id per line. See --missing for ids that are not in FILE.",
        ),
    ),
    "--out": Difference(
        "the help names what the command makes",
        (
            "Save * to this folder*.",
            "Output folder*.",
            "Output file*.",
            "Write * to this file (default: print *).",
            "With --read-sheets: write * to this file*.",
        ),
    ),
    "--profile": Difference(
        "only some input of `system` has acts", ("Profile of the corpus, *.", "For dialogues with acts: profile of *.")
    ),
    "--read-sheets": Difference(
        "a rater of trackers fills one file for each dialogue",
        ("Filled sheet, one per person; may be repeated.", "Folder with filled text sheets."),
        ONE_OR_MORE,
    ),
    "--rules": Difference(
        "trackers and users have other rule sets; `tracker rules` compares several",
        (
            "Rule set.",
            "Rule set: dialmeter, or gcdf1-repo for the published evaluator.",
            "Use only these rule sets. The first is the base. May be repeated.",
        ),
        ONE_OR_MORE,
    ),
    "--scale": Difference("the help says who rates", ("Rating scale on the sheets.", "Rating scale for --endpoint.")),
    "--scores": Difference("the help describes the columns", ("File with scores of *; may be repeated.",)),
    "--seed": Difference(
        "one training for each seed",
        ("Random seed.", "Random seed; may be repeated."),
        ("integer", "integer, repeated"),
    ),
    "--system": Difference("`user cross` takes several", ("System, *.", "System; may be repeated *."), ONE_OR_MORE),
    "--trivial": Difference(
        "the default is none or all",
        ("Also compare a trivial tracker, *.", "Trivial tracker as yardstick; may be repeated (default: all)."),
    ),
    "--user": Difference(
        "`user cross` takes several", ("Simulated user, *.", "Simulated user; may be repeated *."), ONE_OR_MORE
    ),
    "--version": Difference(
        "that of dialmeter has the usual name of such an option",
        ("Show the version and exit.", "Version of the set *."),
        ("flag", "text"),
    ),
}


def all_options() -> Iterator[tuple[str, click.Option]]:
    """Yield the options of all commands, with the name of the command."""
    for path, command in all_commands():
        yield from ((path, parameter) for parameter in command.params if isinstance(parameter, click.Option))


def kind_of(option: click.Option) -> str:
    name = "flag" if option.is_flag else option.type.name.removesuffix(" range")
    return f"{name}, repeated" if option.multiple else name


def differences(options: list[click.Option]) -> list[str]:
    """Return the options whose kind or help differs in a way that is not in the table, and entries that nobody needs."""
    kinds: dict[str, set[str]] = defaultdict(set)
    helps: dict[str, set[str]] = defaultdict(set)
    for option in options:
        for name in option.opts:
            if name.startswith("--") and not option.hidden:
                kinds[name].add(kind_of(option))
                helps[name].add(option.help or "")
    found = []
    for name in sorted(kinds):
        allowed = ALLOWED.get(name, Difference("", ("*",)))
        if len(helps[name]) > 1 and name not in ALLOWED:
            found.append(f"{name}: several help texts: {sorted(helps[name])}")
        found += [
            f"{name}: new help text: {text}"
            for text in sorted(helps[name])
            if not any(fnmatchcase(text, each) for each in allowed.helps)
        ]
        if len(kinds[name]) > 1 and not kinds[name] <= set(allowed.kinds):
            found.append(f"{name}: several kinds: {sorted(kinds[name])}")
    for name, allowed in ALLOWED.items():
        unused = [each for each in allowed.helps if not any(fnmatchcase(text, each) for text in helps[name])]
        if unused or len(helps[name]) < 2 or not set(allowed.kinds) <= kinds[name]:
            found.append(f"{name}: the table allows more than needed: {unused or allowed}")
    return found


def test_options_are_the_same_everywhere() -> None:
    assert differences([option for _, option in all_options()]) == []


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (click.Option(["--quiet"], is_flag=True, help="Print less."), "--quiet: several help texts"),
        (click.Option(["--ci"], is_flag=True, help="Confidence level *."), "--ci: several kinds"),
        (click.Option(["--limit"], type=int, help="How many."), "--limit: new help text: How many."),
        (click.Option(["--limit"], is_flag=True, help="Maximum number of tests."), "--limit: several kinds"),
    ],
)
def test_a_differing_option_is_found(option: click.Option, message: str) -> None:
    found = differences([*(each for _, each in all_options()), option])
    assert [line for line in found if line.startswith(message)]


def test_every_option_has_a_help_text() -> None:
    assert [(path, each.opts) for path, each in all_options() if not each.hidden and not each.help] == []


def test_no_option_is_hidden() -> None:
    assert [(path, each.opts) for path, each in all_options() if each.hidden] == []
