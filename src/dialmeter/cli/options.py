"""Options that several commands share, and functions that read their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..conditions import Condition, parse_condition
from ..core.comparison import check_ci
from ..errors import DialmeterError, one_line
from ..readers.formats import format_with_fields, gold_format_of
from ..values import maps
from ..values.maps import ValueMap
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


def parameter_of(option: Option) -> click.Option:
    """Return the parameter that an option adds to a command."""
    [parameter] = click.command("x")(option(lambda: None)).params
    assert isinstance(parameter, click.Option)
    return parameter


quiet_option = option("--quiet -q", "Print no progress and no warnings.")
verbose_option = option("--verbose -v", "Print everything, not only the summary.")
format_option = option("--format -f style", "Output format.", choices=[*STYLES, "value", "ids"])

PLAIN = (quiet_option,)
"""The last options of a command that prints text only."""
STYLED = (format_option, verbose_option, quiet_option)
"""The last options of a command that prints in every style."""


def command(name: str | None = None, last: Sequence[Option] = STYLED) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command whose Output is printed; help shows the options ``last`` at the end."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        new_command = click.command(name, cls=PrintedCommand)(function)
        new_command.params += click.command("last")(combine_options(*last)(lambda: None)).params
        return new_command

    return decorate


def from_option(what: str) -> Option:
    """Return the options for the format of a file, with ``gold=FORMAT`` for the format of gold, and for its columns."""
    about = f"Format of {what} (default: auto-detect)."
    return combine_options(option("--from FORMAT* format", about, callback=_split_formats), columns_option)


def _split_formats(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> str | None:
    own = [each for each in texts if not each.startswith("gold=")]
    gold = [each.removeprefix("gold=") for each in texts if each.startswith("gold=")]
    format = format_with_fields(own[-1] if own else None, context.meta.get(_COLUMNS, ()))
    context.params["gold_format"] = gold_format_of(format, gold[-1] if gold else None)
    return format


def _keep_columns(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    context.meta[_COLUMNS] = texts


_COLUMNS = "dialmeter.columns"


columns_option = option(
    "--columns KEY=NAME*",
    "Read a key from this column, such as pred=belief or turn=step; may be repeated.",
    is_eager=True,
    expose_value=False,
    callback=_keep_columns,
)
"""Maps keys to columns. The columns become a part of the format."""


def source_options(
    what: str = "predictions", *, several: bool = False, names: str = ""
) -> Callable[[Command], Command]:
    """Return the options for the gold states and the formats of files; ``names`` is the help of --name, if it has that option."""
    about = ": one for all files, or one for each file." if several else ", if the input has only predictions."
    return combine_options(
        option(f"--gold FILE{'*' * several}", f"File with gold states{about}"),
        *([option("--name NAME* names", names)] if names else []),
        from_option(what),
    )


measure_option = option("--measure M* measures", 'Measure, such as "FGA(lam=0.5)"; may be repeated.')
missing_option = option(
    "--missing", "Dialogues that cannot be read or scored are an error, or are unscored.", choices=["error", "skip"]
)


def by_option(groups: Sequence[str]) -> Option:
    """Return the option for scores by group."""
    about = "Also print scores by this group; may be repeated."
    return option("--by *", about, choices=groups)


VERDICTS = ("worse", "unclear", "depends")
"""The words of --fail-if on the verdict of a comparison."""


def _split_verdicts(context: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> list[Condition]:
    context.params["fail_if"] = frozenset(texts) & frozenset(VERDICTS)
    if context.params["fail_if"] and not is_compare(context):
        raise DialmeterError(f"--fail-if {texts[0]} is for `dialmeter compare`")
    return [parse_condition(each) for each in texts if each not in VERDICTS]


def is_compare(context: click.Context) -> bool:
    """Return True if a flow was started by ``compare``, and False if by ``score``."""
    return context.info_name == "compare"


fail_if_option = option(
    "--fail-if CONDITION* conditions", "Exit with code 1 if this is true.", callback=_split_verdicts
)
"""The conditions are parsed; the verdicts become the parameter ``fail_if``."""
force_option = option("--force", "Replace existing output.")


def seed_option(default: int) -> Option:
    """Return the option for the random seed."""
    return option("--seed", "Random seed.", least=0, default=default)


def rules_option(about: str = "Rule set.", default: str = "dialmeter") -> Option:
    """Return the option for the rule set."""
    return option("--rules NAME|FILE.toml rules_name", about, default=default)


goals_option = option("--goals FILE", "File with goals by dialogue, if the dialogues have none.")


def profile_option(
    about: str = "Profile of the corpus, with its names of acts, slots and services: multiwoz, town, sgd.",
    default: str | None = "multiwoz",
) -> Option:
    """Return the option for the profile of a corpus."""
    return option("--profile NAME|FILE.toml", about, default=default)


MAP_HELP = "Value map, with the forms of each value: a file (see `convert --to map`), or multiwoz"
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
    callback=lambda *given: check_ci(given[-1], "ci"),
)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """Return the options for intervals and paired tests. The command gets their settings as ``resampling``; None with --ci 0."""
    resamples_option = option("--resamples", "Number of resamples.", least=100, default=resamples)
    return combine_options(ci_option, resamples_option, seed_option(12345))


LATEX = ("columns", "bold", "caption", "label", "marks")


def _parse_latex(context: click.Context, _: click.Parameter, words: tuple[str, ...]) -> dict[str, str]:
    parts = [word.partition("=") for word in words]
    for key, _equals, _value in parts:
        if key not in LATEX:
            raise DialmeterError(
                f"--latex {one_line(key)}: write bold, columns=1, caption=TEXT, label=NAME or marks=letters"
            )
    if parts and context.params.get("style") in (None, "text"):
        context.params["style"] = "latex"
    return {key: value for key, _equals, value in parts}


latex_option = option("--latex WORD*", "LaTeX: bold, columns=1, caption=TEXT, label=NAME.", callback=_parse_latex)
"""The settings for tables in papers."""

run_options = combine_options(option("--out -o DIR", "Save the run to this folder."), force_option)
