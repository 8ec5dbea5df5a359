"""Options that several commands share, each declared once, and the functions that read their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from ..conditions import Condition, parse_condition
from ..core.comparison import Resampling, check_ci
from ..model import dialogue_key
from ..readers.fields import format_with_fields
from ..readers.multiwoz.multiwoz import ids_of_list
from ..readers.raw_file import BUDGET_VARIABLE, parse_size
from ..tracking.rule_sets.rules import FIELDS, Rules, change, load
from ..values import maps
from ..values.maps import ValueMap
from ..views.charts.fit import parse_width
from ..views.tables import STYLES
from .printer import PrintedCommand

Option = Callable[[Any], Any]
Command = TypeVar("Command", bound=Callable[..., Any])


def stacked(*options: Option) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which help shows them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def number_option(*names: str, least: int, default: int, about: str) -> Option:
    """An option that takes a whole number."""
    return click.option(*names, type=click.IntRange(min=least), default=default, show_default=True, help=about)


def choice_option(name: str, choices: Sequence[str], about: str, *names: str) -> Option:
    """An option that takes one of a few words, the first by default."""
    return click.option(name, *names, type=click.Choice(choices), default=choices[0], show_default=True, help=about)


@contextmanager
def _budget(size: str) -> Iterator[None]:
    """Sets the budget of every input, in this process and in workers that it starts."""
    before = os.environ.get(BUDGET_VARIABLE)
    os.environ[BUDGET_VARIABLE] = str(parse_size(size, "--max-bytes"))
    try:
        yield
    finally:
        if before is None:
            del os.environ[BUDGET_VARIABLE]
        else:
            os.environ[BUDGET_VARIABLE] = before


def _set_budget(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        context.with_resource(_budget(size))


max_bytes_option = click.option(
    "--max-bytes",
    metavar="SIZE",
    expose_value=False,
    callback=_set_budget,
    help=f"Read at most so many bytes of an input, decompressed: 64M, 32G. Default: {BUDGET_VARIABLE}, or 16G.",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings.")
style_options = stacked(
    click.option("--as", "style", type=click.Choice(STYLES), default="text", show_default=True, help="How to print."),
    click.option("--json", "style", flag_value="json", help="Short for --as json."),
)
json_option = click.option("--json", "style", flag_value="json", help="Print one JSON document.")

PLAIN = (max_bytes_option, quiet_option)
"""The last options of a command that prints text only."""
CHECKING = (json_option, *PLAIN)
"""The last options of a command that prints text or JSON."""
STYLED = (style_options, *PLAIN)
"""The last options of a command that prints in every style."""


def command(name: str | None = None, last: Sequence[Option] = STYLED) -> Callable[[Callable[..., Any]], click.Command]:
    """A command whose Output is printed.

    Args:
        name: of the command; that of the function where it is not given.
        last: the options that help shows last.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        made = click.command(name, cls=PrintedCommand)(function)
        made.params += click.command("last")(stacked(*last)(lambda: None)).params
        return made

    return decorate


def from_option(what: str) -> Option:
    """The option that names the format of a file."""
    about = f"The format of {what}; detected if not given."
    return click.option("--from", "format", metavar="FORMAT", callback=_with_fields, help=about)


def _with_fields(context: click.Context, _: click.Parameter, format: str | None) -> str | None:
    return format_with_fields(format, context.meta.get(_FIELDS, ()))


def _keep_fields(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    context.meta[_FIELDS] = texts


_FIELDS = "dialmeter.fields"


def fields_option(what: str) -> Option:
    """The option that names columns; they become a part of the format."""
    about = f"The column of {what} that holds something, such as pred=belief or turn=step; may be repeated."
    return click.option(
        "--fields",
        multiple=True,
        metavar="KEY=NAME",
        is_eager=True,
        expose_value=False,
        callback=_keep_fields,
        help=about,
    )


def name_option(about: str) -> Option:
    """The option that names each of several files."""
    return click.option("--name", "names", multiple=True, metavar="NAME", help=about)


def source_options(
    what: str = "predictions",
    gold: str = "The file with gold states, if FILE has only predictions.",
    *,
    several: bool = False,
    names: str = "",
) -> Callable[[Command], Command]:
    """The options that say where gold states are, and how files are read.

    Args:
        what: the files whose format --from names.
        gold: the help of --gold.
        several: there may be several files, and as many files with gold.
        names: the help of --name, where the files may be named.
    """
    about = "Gold states: one for all files, or one for each." if several else gold
    return stacked(
        click.option("--gold", multiple=several, metavar="FILE", help=about),
        *([name_option(names)] if names else []),
        from_option(what),
        fields_option(what),
        click.option(
            "--gold-from", "gold_format", metavar="FORMAT", help=f"The format of the gold file{'s' * several}."
        ),
    )


schema_option = click.option("--schema", metavar="FILE", help="The slots that exist (SGD schema, ontology, or a list).")


def only_option(doing: str = "score") -> Option:
    """The option that names the dialogues to look at."""
    about = f"A file with one dialogue id per line: {doing} only these; all must be there, see --missing."
    return click.option("--only", metavar="LIST", help=about)


prediction_options = stacked(source_options(), schema_option, only_option())
input_options = stacked(click.argument("file"), prediction_options)

measure_option = click.option(
    "--measure", "measures", multiple=True, metavar="M", help='A measure, such as "FGA(lam=0.5)"; may be repeated.'
)
turns_option = choice_option("--turns", ["active", "all"], "Turns of a group.")
signatures_option = click.option("--signatures", is_flag=True, help="Print the full signature of every score.")


skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Exit 0 although some dialogues cannot be read or scored."
)


def by_option(groups: Sequence[str], doing: str) -> Option:
    """The option that names groups."""
    return click.option(
        "--by", multiple=True, type=click.Choice(groups), help=f"Also {doing} by group; may be repeated."
    )


def fail_if_option(*examples: str, of: str = "") -> Option:
    """The option that names conditions under which a command ends with exit code 1."""
    listed = " or ".join(f'"{each}"' for each in examples)
    about = f"Exit 1 if it holds{of}, e.g. {listed}."
    return click.option("--fail-if", "conditions", multiple=True, metavar="CONDITION", help=about)


def fail_if_worse_option(subject: str) -> Option:
    """The option by which a comparison ends with exit code 1."""
    about = f"Exit 1 if {subject} is significantly worse than the first."
    return click.option("--fail-if-worse", is_flag=True, help=about)


def force_option(what: str) -> Option:
    """The option that allows a command to replace what is there."""
    return click.option("--force", is_flag=True, help=f"Replace {what}.")


def resume_option(what: str) -> Option:
    """The option that continues what was interrupted."""
    return click.option("--resume", is_flag=True, help=f"Go on with {what}.")


def seed_option(default: int, about: str = "The seed of all random choices.") -> Option:
    """The option that names the seed."""
    return number_option("--seed", least=0, default=default, about=about)


RULE_HELP = {
    "names": "slot names: as-is, multiwoz (spellings of published files brought together), mwzeval",
    "clash": "two written names that become one slot with different values: keep (both as written), last, error",
    "only": "slots that are looked at, as domain/section/slot, comma separated; or all",
    "values": "normaliser steps, comma separated: tidy, trim, blanks, no-blanks, lower, digits, number-word, mwzeval; or as-is",
    "none": "words that mean absent, comma separated; keep for none, drop for the usual seven; gold=…;pred=… for each side",
    "dontcare": "keep, drop, drop-exact, or merge spellings; gold=…;pred=… for each side",
    "extra": "slots that gold lacks: penalise, ignore-slots, ignore-domains, unlisted",
    "alternatives": "several gold values: any-of, any-of-both, listed, first, first-listed, literal, set",
    "map": "a map of values and their forms: a file (see `user values`), or multiwoz",
    "match": "exact, or a similarity such as ratio>=90 or fuzzywuzzy-partial>95",
    "backend": "what fuzzywuzzy computes with: levenshtein, difflib",
    "missing": "a turn without prediction, or a dialogue of --only that the file lacks: error, empty, skip, predicted-only",
    "undefined": "a ratio 0/0: none, zero",
    "state": "cumulative; or update where each turn holds only what is new (update-pred: in predictions only)",
}
RULE_OPTIONS = {name: "--only-slots" if name == "only" else f"--{name}" for name in FIELDS}
"""The option that changes each rule; --only is taken."""


def rules_option(about: str = "The rule set.", default: str = "dialmeter") -> Option:
    """The option that names a rule set."""
    return click.option(
        "--rules", "rules_name", default=default, show_default=True, metavar="NAME|FILE.toml", help=about
    )


patch_option = click.option(
    "--patch", metavar="FILE", help="Corrections of gold, from `tracker audit --read-sheet`; applied before scoring."
)

rule_options = stacked(
    rules_option(),
    patch_option,
    *(
        click.option(
            option,
            f"rule_{name}",
            metavar="FILE|NAME" if name == "map" else "CHOICE",
            help=f"Change one rule: {RULE_HELP[name]}.",
        )
        for name, option in RULE_OPTIONS.items()
    ),
)


def chosen_rules(options: dict[str, Any]) -> Rules:
    """Takes the rule options out of a command's options and makes the rule set."""
    rules = change(load(options.pop("rules_name")), **{name: options.pop(f"rule_{name}") for name in FIELDS})
    patch = options.pop("patch")
    return replace(rules, patch=patch) if patch else rules


def chosen_dialogues(options: dict[str, Any]) -> frozenset[str] | None:
    """The keys of the dialogues that --only names."""
    return frozenset(map(dialogue_key, ids_of_list(options["only"]))) if options["only"] else None


def prediction_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """What prediction_options, measure_option and rule_options say, as arguments of functions that score a file."""
    return {
        "format": options["format"],
        "gold_format": options["gold_format"],
        "schema": options["schema"],
        "only": chosen_dialogues(options),
        "measures": options["measures"] or None,
        "rules": chosen_rules(options),
    }


def chosen_guards(options: dict[str, Any]) -> list[Condition]:
    """The conditions of --fail-if."""
    return [parse_condition(text) for text in options["conditions"]]


def check_guards(guards: Iterable[Condition], scores: Sequence[Mapping[str, Any]]) -> None:
    """Ends the command if a condition of --fail-if holds."""
    for guard in guards:
        guard.check(scores)


def _refuse(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise click.UsageError("--values is renamed to --map", ctx)


map_option = stacked(
    click.option("--map", "value_map", metavar="FILE|NAME", help=f"{RULE_HELP['map'].capitalize()}."),
    click.option("--values", hidden=True, expose_value=False, callback=_refuse),
)
"""The value map. --values is its old name, which is refused."""


def chosen_map(options: dict[str, Any]) -> ValueMap | None:
    """The value map that a command's options name, if they name one."""
    return maps.load(options["value_map"]) if options["value_map"] else None


def map_file(options: dict[str, Any]) -> str | None:
    """The file of the value map; None without a map and for one that is shipped."""
    chosen: str | None = options["value_map"]
    return None if chosen in maps.names() else chosen


ci_option = click.option(
    "--ci", type=float, default=0.95, show_default=True, help="The confidence of intervals; 0 for none."
)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """The options of intervals and paired tests, with a default number of resamples."""
    drawn = number_option("--resamples", least=100, default=resamples, about="How often dialogues are drawn.")
    return stacked(ci_option, drawn, seed_option(12345))


def chosen_confidence(options: dict[str, Any]) -> float:
    """The confidence of intervals; 0 for none."""
    return check_ci(options["ci"], "--ci")


def chosen_resampling(options: dict[str, Any]) -> Resampling | None:
    """How intervals are to be made, or None with --ci 0."""
    confidence = chosen_confidence(options)
    return Resampling(confidence, options["resamples"], options["seed"]) if confidence else None


chart_options = stacked(
    click.option("--charts", metavar="DIR", help="Draw charts into this folder, each with its data as CSV."),
    choice_option("--chart-format", ["svg", "pdf", "png"], "Of --charts."),
    click.option(
        "--width",
        metavar="LENGTH",
        callback=lambda _context, _parameter, text: parse_width(text) if text else None,
        help="Of charts: 84mm, 3.3in or 240pt; by default as the data need.",
    ),
    click.option("--dpi", type=click.IntRange(20, 2400), help="Of charts as PNG (150 if not given)."),
    click.option("--font-size", type=click.FloatRange(4, 40), help="Of charts, in points (9 if not given)."),
    click.option("--no-title", is_flag=True, help="Charts without a title, because a paper has captions."),
)

paper_options = stacked(
    choice_option("--columns", ["1", "2"], "In LaTeX: how many columns of a page with two a table may take."),
    click.option("--bold", is_flag=True, help="In LaTeX and Markdown: the best values in bold letters."),
    click.option("--caption", metavar="TEXT", help="In LaTeX: the caption, before the title of a table that has one."),
    click.option("--label", metavar="NAME", help="In LaTeX: the label; tab: and the command where it is not given."),
)
"""The options of tables that go into papers."""

run_options = stacked(
    click.option("--out", metavar="DIR", help="Keep the run in this folder."),
    choice_option("--rows", ["lines", "parquet"], "With --out: JSON lines, or Parquet beside them."),
    resume_option("an unfinished run in --out"),
    force_option("a run in --out"),
)
