"""Options that several commands share, and functions that read their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from ..conditions import Condition, parse_condition
from ..core.comparison import Resampling, check_ci
from ..readers.formats import format_with_fields
from ..readers.layouts.multiwoz import ids_of_list
from ..readers.raw_file import BUDGET_VARIABLE, parse_size
from ..tracking.rule_sets.rules import FIELDS, Rules, change, load
from ..values import maps
from ..values.maps import ValueMap
from ..views.charts.fit import parse_width
from ..views.tables import STYLES
from .printer import PrintedCommand

Option = Callable[[Any], Any]
Command = TypeVar("Command", bound=Callable[..., Any])


def combine_options(*options: Option) -> Callable[[Command], Command]:
    """Return one decorator that adds several options, in the order in which help shows them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def number_option(*names: str, least: int, default: int, about: str) -> Option:
    """Return an option that takes an integer."""
    return click.option(*names, type=click.IntRange(min=least), default=default, show_default=True, help=about)


def choice_option(name: str, choices: Sequence[str], about: str, *names: str) -> Option:
    """Return an option that takes one of a few words. The first word is the default."""
    return click.option(name, *names, type=click.Choice(choices), default=choices[0], show_default=True, help=about)


@contextmanager
def _budget(size: str) -> Iterator[None]:
    """Set the maximum size of an input, in this process and in the workers that it starts."""
    before = os.environ.get(BUDGET_VARIABLE)
    os.environ[BUDGET_VARIABLE] = str(parse_size(size, "--max-bytes"))
    try:
        yield
    finally:
        if before is None:
            del os.environ[BUDGET_VARIABLE]
        else:
            os.environ[BUDGET_VARIABLE] = before


def _apply_budget(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None:
        context.with_resource(_budget(size))


max_bytes_option = click.option(
    "--max-bytes",
    metavar="SIZE",
    expose_value=False,
    callback=_apply_budget,
    help=f"Maximum size of an input after decompression, such as 64M or 32G (default: {BUDGET_VARIABLE}, or 16G).",
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print no progress and no warnings.")
style_options = combine_options(
    click.option("--as", "style", type=click.Choice(STYLES), default="text", show_default=True, help="Output format."),
    click.option("--json", "style", flag_value="json", help="Same as --as json."),
)

PLAIN = (max_bytes_option, quiet_option)
"""The last options of a command that prints text only."""
STYLED = (style_options, *PLAIN)
"""The last options of a command that prints in every style."""


def command(name: str | None = None, last: Sequence[Option] = STYLED) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command whose Output is printed.

    Args:
        name: of the command (default: the name of the function).
        last: the options that help shows last.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        new_command = click.command(name, cls=PrintedCommand)(function)
        new_command.params += click.command("last")(combine_options(*last)(lambda: None)).params
        return new_command

    return decorate


def from_option(what: str) -> Option:
    """Return the option for the format of a file."""
    about = f"Format of {what} (default: auto-detect)."
    return click.option("--from", "format", metavar="FORMAT", callback=_add_fields_to_format, help=about)


def _add_fields_to_format(context: click.Context, _: click.Parameter, format: str | None) -> str | None:
    return format_with_fields(format, context.meta.get(_FIELDS, ()))


def _keep_fields(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    context.meta[_FIELDS] = texts


_FIELDS = "dialmeter.fields"


fields_option = click.option(
    "--fields",
    multiple=True,
    metavar="KEY=NAME",
    is_eager=True,
    expose_value=False,
    callback=_keep_fields,
    help="Read a key from this column, such as pred=belief or turn=step; may be repeated.",
)
"""Maps keys to columns. The columns become a part of the format."""
gold_from_option = click.option(
    "--gold-from", "gold_format", metavar="FORMAT", help="Format of gold (default: auto-detect)."
)


def name_option(about: str) -> Option:
    """Return the option for the names of several files."""
    return click.option("--name", "names", multiple=True, metavar="NAME", help=about)


def source_options(
    what: str = "predictions", *, several: bool = False, names: str = ""
) -> Callable[[Command], Command]:
    """Return the options for the gold states and the formats of files.

    Args:
        what: the files that --from is about.
        several: the command takes several files, and as many gold files.
        names: the help of --name; empty for a command without --name.
    """
    about = ": one for all files, or one for each file." if several else ", if the input has only predictions."
    return combine_options(
        click.option("--gold", multiple=several, metavar="FILE", help=f"File with gold states{about}"),
        *([name_option(names)] if names else []),
        from_option(what),
        fields_option,
        gold_from_option,
    )


schema_option = click.option(
    "--schema", metavar="FILE", help="File with the slots that exist: an SGD schema, an ontology, or a list."
)


only_option = click.option(
    "--only",
    metavar="LIST",
    help="Use only the dialogues in this file, one id per line. See --missing for ids that are not in FILE.",
)

prediction_options = combine_options(source_options(), schema_option, only_option)
input_options = combine_options(click.argument("file"), prediction_options)

measure_option = click.option(
    "--measure", "measures", multiple=True, metavar="M", help='Measure, such as "FGA(lam=0.5)"; may be repeated.'
)
turns_option = choice_option(
    "--turns", ["active", "all"], "Turns that count for a group: those at which gold has a value of the group, or all."
)
signatures_option = click.option("--signatures", is_flag=True, help="Print the full signature of every score.")


skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Exit with code 0 even if some dialogues cannot be read or scored."
)


def by_option(groups: Sequence[str]) -> Option:
    """Return the option for scores by group."""
    about = "Also print scores by this group; may be repeated."
    return click.option("--by", multiple=True, type=click.Choice(groups), help=about)


def fail_if_option(*examples: str, of: str = "") -> Option:
    """Return the option for conditions that end a command with exit code 1."""
    listed = " or ".join(f'"{each}"' for each in examples)
    about = f"Exit with code 1 if this condition is true{of}, such as {listed}; may be repeated."
    return click.option("--fail-if", "conditions", multiple=True, metavar="CONDITION", help=about)


fail_if_worse_option = click.option(
    "--fail-if-worse", is_flag=True, help="Exit with code 1 if any file is significantly worse than the first."
)
resume_option = click.option("--resume", is_flag=True, help="Continue unfinished work in --out.")
force_option = click.option("--force", is_flag=True, help="Replace existing output.")
make_sheets_option = click.option(
    "--make-sheets",
    "sheet",
    metavar="FILE",
    help="Write an empty sheet to this file: .html (interactive) or .csv.",
)
read_sheets_option = click.option(
    "--read-sheets", "sheets", multiple=True, metavar="FILE", help="Filled sheet, one per person; may be repeated."
)


def seed_option(default: int) -> Option:
    """Return the option for the random seed."""
    return number_option("--seed", least=0, default=default, about="Random seed.")


RULE_HELP = {
    "names": "Slot names: as-is, multiwoz (unify the spellings of published files), mwzeval",
    "clash": "Two names in a file that mean one slot and have different values: keep (both, as in the file), last, error",
    "only": "Slots to score, as domain/section/slot, comma-separated; or all",
    "values": "Steps of the normaliser, comma-separated: nfkc, tidy, trim, blanks, no-blanks, lower, digits, number-word, mwzeval; or as-is",
    "none": "Words that mean absent, comma-separated; keep (no words), drop (the usual seven); gold=…;pred=… for each side",
    "dontcare": "The value dontcare: keep, drop, drop-exact, merge (its spellings); gold=…;pred=… for each side",
    "extra": "Predicted slots that gold does not have: penalise, ignore-slots, ignore-domains, unlisted",
    "alternatives": "Several gold values: any-of, any-of-both, listed, first, first-listed, literal, set",
    "map": "Value map, with the forms of each value: a file (see `user values`), or multiwoz",
    "match": "Comparison of values: exact, or a similarity such as ratio>=90 or fuzzywuzzy-partial>95",
    "backend": "Library that computes fuzzywuzzy similarities: levenshtein, difflib",
    "missing": "Turn without prediction, or dialogue of --only that is not in the file: error, empty, skip, predicted-only",
    "undefined": "Value of a ratio 0/0: none, zero",
    "state": "States in the file: cumulative, or update if each turn has only its new values (update-pred: only in predictions)",
}
RULE_OPTIONS = {name: "--only-slots" if name == "only" else f"--{name}" for name in FIELDS}
"""Rule → option that changes it. The rule ``only`` has another option, because --only selects dialogues."""


def rules_option(about: str = "Rule set.", default: str = "dialmeter") -> Option:
    """Return the option for the rule set."""
    return click.option(
        "--rules", "rules_name", default=default, show_default=True, metavar="NAME|FILE.toml", help=about
    )


patch_option = click.option(
    "--patch",
    metavar="FILE",
    help="Patch with corrections of gold, from `tracker audit --read-sheets`. Applied before scoring.",
)

rule_options = combine_options(
    rules_option(),
    patch_option,
    *(
        click.option(
            option,
            f"rule_{name}",
            metavar="FILE|NAME" if name == "map" else "CHOICE",
            help=f"Change one rule. {RULE_HELP[name]}.",
        )
        for name, option in RULE_OPTIONS.items()
    ),
)


def rules_from_options(options: dict[str, Any]) -> Rules:
    """Remove the rule options from a command's options, and return the rule set."""
    rules = change(load(options.pop("rules_name")), **{name: options.pop(f"rule_{name}") for name in FIELDS})
    patch = options.pop("patch")
    return replace(rules, patch=patch) if patch else rules


def dialogues_from_options(options: dict[str, Any]) -> frozenset[str] | None:
    """Return the keys of the dialogues in the file of --only; None without it."""
    return frozenset(ids_of_list(options["only"])) if options["only"] else None


def prediction_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return prediction_options, measure_option and rule_options as arguments of functions that score a file."""
    return {
        "format": options["format"],
        "gold_format": options["gold_format"],
        "schema": options["schema"],
        "only": dialogues_from_options(options),
        "measures": options["measures"] or None,
        "rules": rules_from_options(options),
    }


def conditions_from_options(options: dict[str, Any]) -> list[Condition]:
    """Parse the conditions of --fail-if."""
    return [parse_condition(text) for text in options["conditions"]]


def check_conditions(conditions: Iterable[Condition], scores: Sequence[Mapping[str, Any]]) -> None:
    """End the command if a condition of --fail-if is true."""
    for condition in conditions:
        condition.check(scores)


map_option = click.option("--map", "value_map", metavar="FILE|NAME", help=f"{RULE_HELP['map']}.")


def value_map_from_options(options: dict[str, Any]) -> ValueMap | None:
    """Load the value map of --map; None without it."""
    return maps.load(options["value_map"]) if options["value_map"] else None


def value_map_file(options: dict[str, Any]) -> str | None:
    """Return the file of the value map; None without a map, and for a map that is part of dialmeter."""
    name: str | None = options["value_map"]
    return None if name in maps.names() else name


ci_option = click.option(
    "--ci", type=float, default=0.95, show_default=True, help="Confidence level of intervals; 0 for no intervals."
)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """Return the options for intervals and paired tests.

    Args:
        resamples: the default of --resamples.
    """
    resamples_option = number_option("--resamples", least=100, default=resamples, about="Number of resamples.")
    return combine_options(ci_option, resamples_option, seed_option(12345))


def confidence_from_options(options: dict[str, Any]) -> float:
    """Return the confidence level of intervals; 0 for no intervals."""
    return check_ci(options["ci"], "--ci")


def resampling_from_options(options: dict[str, Any]) -> Resampling | None:
    """Return the settings for resampling; None with --ci 0."""
    confidence = confidence_from_options(options)
    return Resampling(confidence, options["resamples"], options["seed"]) if confidence else None


chart_options = combine_options(
    click.option("--charts", metavar="DIR", help="Write charts to this folder, each with its data as CSV."),
    choice_option("--chart-format", ["svg", "pdf", "png"], "File format of charts."),
    click.option(
        "--width",
        metavar="LENGTH",
        callback=lambda _context, _parameter, text: parse_width(text) if text else None,
        help="Width of charts, such as 84mm, 3.3in or 240pt (default: fits the data).",
    ),
    click.option("--dpi", type=click.IntRange(20, 2400), help="Resolution of PNG charts (default: 150)."),
    click.option("--font-size", type=click.FloatRange(4, 40), help="Font size of charts in points (default: 9)."),
    click.option("--no-title", is_flag=True, help="Draw charts without titles, for papers with captions."),
)

paper_options = combine_options(
    choice_option("--columns", ["1", "2"], "LaTeX: number of columns that a table may take on a two-column page."),
    click.option("--bold", is_flag=True, help="LaTeX and Markdown: print the best values in bold."),
    click.option("--caption", metavar="TEXT", help="LaTeX: caption. The title of the table follows, if it has one."),
    click.option("--label", metavar="NAME", help="LaTeX: label (default: tab: and the name of the command)."),
)
"""The options for tables in papers."""

run_options = combine_options(
    click.option("--out", metavar="DIR", help="Save the run to this folder."),
    choice_option("--rows", ["lines", "parquet"], "With --out: save rows as JSON lines only, or also as Parquet."),
    resume_option,
    force_option,
)
