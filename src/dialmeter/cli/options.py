"""Options that several commands share, and functions that read their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from ..conditions import Condition, parse_condition
from ..core.comparison import check_ci
from ..readers.formats import format_with_fields
from ..readers.raw_file import BUDGET_VARIABLE, parse_size
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


def option(
    names: str,
    about: str,
    *,
    choices: Sequence[str] = (),
    optional: bool = False,
    least: int | None = None,
    default: Any = None,
    **more: Any,
) -> Option:
    """Return an option of a command.

    Args:
        names: the option, its metavar with a star if it may be repeated, and the name of its parameter if that differs. An
            option without a metavar, choices and a type is a flag.
        about: its help.
        choices: the words that it takes. The first is the default, unless the option may be repeated or is optional.
        optional: an option with choices has no default.
        least: the smallest integer that it takes.
        default: help shows it, unless it is empty.
        more: other arguments of ``click.option``.

    Example:
        >>> command = click.command("score")(option("--measure M* measures", "Measure.")(lambda measures: None))
        >>> command.params[0].name, command.params[0].multiple, command.params[0].metavar
        ('measures', True, 'M')
    """
    flags = [word for word in names.split() if word.startswith("-")]
    words = names.split()[len(flags) :]
    parameter = [words.pop()] if words and words[-1].isidentifier() and words[-1].islower() else []
    metavar = words[0] if words else ""
    many = metavar.endswith("*")
    if choices:
        more["type"] = click.Choice(choices)
        default = choices[0] if default is None and not many and not optional else default
    elif least is not None:
        more["type"] = click.IntRange(min=least)
    if default is not None:
        more |= {"default": default, "show_default": more.get("show_default", default != "")}
    if not metavar and "type" not in more and default is None:
        more["is_flag"] = True
    return click.option(*flags, *parameter, help=about, metavar=metavar.rstrip("*") or None, multiple=many, **more)


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


max_bytes_option = option(
    "--max-bytes SIZE",
    f"Maximum size of an input after decompression, such as 64M or 32G (default: {BUDGET_VARIABLE}, or 16G).",
    expose_value=False,
    callback=_apply_budget,
)
quiet_option = option("--quiet -q", "Print no progress and no warnings.")
style_options = combine_options(
    option("--as style", "Output format.", default="text", choices=STYLES),
    click.option("--json", "style", flag_value="json", help="Same as --as json."),
)

PLAIN = (max_bytes_option, quiet_option)
"""The last options of a command that prints text only."""
STYLED = (style_options, *PLAIN)
"""The last options of a command that prints in every style."""


def command(name: str | None = None, last: Sequence[Option] = STYLED) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command whose Output is printed; help shows the options ``last`` at the end."""

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


fields_option = option(
    "--fields KEY=NAME*",
    "Read a key from this column, such as pred=belief or turn=step; may be repeated.",
    is_eager=True,
    expose_value=False,
    callback=_keep_fields,
)
"""Maps keys to columns. The columns become a part of the format."""
gold_from_option = option("--gold-from FORMAT gold_format", "Format of gold (default: auto-detect).")


def source_options(
    what: str = "predictions", *, several: bool = False, names: str = ""
) -> Callable[[Command], Command]:
    """Return the options for the gold states and the formats of files; ``names`` is the help of --name, if it has that option."""
    about = ": one for all files, or one for each file." if several else ", if the input has only predictions."
    return combine_options(
        option(f"--gold FILE{'*' * several}", f"File with gold states{about}"),
        *([option("--name NAME* names", names)] if names else []),
        from_option(what),
        fields_option,
        gold_from_option,
    )


measure_option = option("--measure M* measures", 'Measure, such as "FGA(lam=0.5)"; may be repeated.')
signatures_option = option("--signatures", "Print the full signature of every score.")


skip_bad_option = option("--skip-bad", "Exit with code 0 even if some dialogues cannot be read or scored.")


def by_option(groups: Sequence[str]) -> Option:
    """Return the option for scores by group."""
    about = "Also print scores by this group; may be repeated."
    return option("--by *", about, choices=groups)


def fail_if_option(*examples: str, of: str = "") -> Option:
    """Return the option for conditions that end a command with exit code 1."""
    listed = " or ".join(f'"{each}"' for each in examples)
    about = f"Exit with code 1 if this condition is true{of}, such as {listed}; may be repeated."
    return option("--fail-if CONDITION* conditions", about, callback=lambda *given: [*map(parse_condition, given[-1])])


fail_if_worse_option = option("--fail-if-worse", "Exit with code 1 if any file is significantly worse than the first.")
resume_option = option("--resume", "Continue unfinished work in --out.")
force_option = option("--force", "Replace existing output.")
make_sheets_option = option(
    "--make-sheets FILE sheet", "Write an empty sheet to this file: .html (interactive) or .csv."
)
read_sheets_option = option("--read-sheets FILE* sheets", "Filled sheet, one per person; may be repeated.")


def seed_option(default: int) -> Option:
    """Return the option for the random seed."""
    return option("--seed", "Random seed.", least=0, default=default)


def rules_option(about: str = "Rule set.", default: str = "dialmeter") -> Option:
    """Return the option for the rule set."""
    return option("--rules NAME|FILE.toml rules_name", about, default=default)


def check_conditions(conditions: Iterable[Condition], scores: Sequence[Mapping[str, Any]]) -> None:
    """End the command if a condition of --fail-if is true."""
    for condition in conditions:
        condition.check(scores)


goals_option = option("--goals FILE", "File with goals by dialogue, if the dialogues have none.")


def profile_option(
    about: str = "Profile of the corpus, with its names of acts, slots and services: multiwoz, town, sgd.",
    default: str = "multiwoz",
) -> Option:
    """Return the option for the profile of a corpus."""
    return option("--profile NAME|FILE.toml", about, default=default)


MAP_HELP = "Value map, with the forms of each value: a file (see `user values`), or multiwoz"
map_option = option("--map FILE|NAME value_map", f"{MAP_HELP}.")


def value_map_from_options(options: dict[str, Any]) -> ValueMap | None:
    """Load the value map of --map; None without it."""
    return maps.load(options["value_map"]) if options["value_map"] else None


def value_map_file(options: dict[str, Any]) -> str | None:
    """Return the file of the value map; None without a map, and for a map that is part of dialmeter."""
    name: str | None = options["value_map"]
    return None if name in maps.names() else name


ci_option = option(
    "--ci",
    "Confidence level of intervals; 0 for no intervals.",
    type=float,
    default=0.95,
    callback=lambda *given: check_ci(given[-1], "--ci"),
)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """Return the options for intervals and paired tests. The command gets their settings as ``resampling``; None with --ci 0."""
    resamples_option = option("--resamples", "Number of resamples.", least=100, default=resamples)
    return combine_options(ci_option, resamples_option, seed_option(12345))


chart_options = combine_options(
    option("--charts DIR", "Write charts to this folder, each with its data as CSV."),
    option("--chart-format", "File format of charts.", choices=["svg", "pdf", "png"]),
    option(
        "--width LENGTH",
        "Width of charts, such as 84mm, 3.3in or 240pt (default: fits the data).",
        callback=lambda *given: parse_width(given[-1]) if given[-1] else None,
    ),
    option("--dpi", "Resolution of PNG charts (default: 150).", type=click.IntRange(20, 2400)),
    option("--font-size", "Font size of charts in points (default: 9).", type=click.FloatRange(4, 40)),
    option("--no-title", "Draw charts without titles, for papers with captions."),
)

paper_options = combine_options(
    option("--columns", "LaTeX: number of columns that a table may take on a two-column page.", choices=["1", "2"]),
    option("--bold", "LaTeX and Markdown: print the best values in bold."),
    option("--caption TEXT", "LaTeX: caption. The title of the table follows, if it has one."),
    option("--label NAME", "LaTeX: label (default: tab: and the name of the command)."),
)
"""The options for tables in papers."""

run_options = combine_options(
    option("--out DIR", "Save the run to this folder."),
    option("--rows", "With --out: save rows as JSON lines only, or also as Parquet.", choices=["lines", "parquet"]),
    resume_option,
    force_option,
)


def repeated_words(names: str) -> list[str]:
    """Return options of the current command as words of a command line, without those that have their default.

    ``names`` are their parameters, in the order of the words.
    """
    context = click.get_current_context()
    parameters = {each.name: each for each in context.command.params}
    words: list[str] = []
    for name in names.split():
        value = context.params[name]
        if value and value != parameters[name].default:
            for each in value if isinstance(value, tuple) else (value,):
                words += [parameters[name].opts[0], *([] if each is True else [str(each)])]
    return words
