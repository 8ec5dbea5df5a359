"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from ..core.comparison import Resampling
from ..core.inputs import RunInputs
from ..core.run_writer import RunWriter
from ..errors import DialmeterError, InputError
from ..model import dialogue_key
from ..readers.multiwoz.multiwoz import ids_of_list
from ..readers.raw_file import is_stream
from ..rules import FIELDS, Rules, change, load
from ..views.tables import STYLES

Command = TypeVar("Command", bound=Callable[..., Any])

_RULE_HELP = {
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


def stacked(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which help shows them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


source_options = stacked(
    click.option("--gold", metavar="FILE", help="Gold states, where predictions stand alone."),
    click.option("--from", "form", metavar="FORMAT", help="The format of predictions; found where it is not named."),
    click.option("--gold-from", "gold_form", metavar="FORMAT", help="The format of the gold file."),
    click.option("--schema", metavar="FILE", help="The slots that exist (SGD schema, ontology, or a list)."),
    click.option(
        "--only",
        metavar="LIST",
        help="A file with one dialogue id per line: score only these; all must be there, see --missing.",
    ),
)
input_options = stacked(click.argument("file"), source_options)

measure_option = click.option(
    "--measure", "measures", multiple=True, metavar="M", help='A measure, such as "FGA(lam=0.5)"; may be repeated.'
)

rule_options = stacked(
    click.option(
        "--rules", "rules_name", default="dialmeter", show_default=True, metavar="NAME|FILE.toml", help="The rule set."
    ),
    *(
        click.option(
            option,
            f"rule_{name}",
            metavar="FILE|NAME" if name == "map" else "CHOICE",
            help=f"Change one rule: {_RULE_HELP[name]}.",
        )
        for name, option in RULE_OPTIONS.items()
    ),
)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """The options of intervals and paired tests, with a default number of resamples."""
    return stacked(
        click.option(
            "--ci", type=float, default=0.95, show_default=True, help="The confidence of intervals; 0 for none."
        ),
        click.option(
            "--resamples",
            type=click.IntRange(min=100),
            default=resamples,
            show_default=True,
            help="How often dialogues are drawn.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=12345,
            show_default=True,
            help="The seed of all random choices.",
        ),
    )


def chosen_resampling(options: dict[str, Any]) -> Resampling | None:
    """How intervals are to be made, or None with --ci 0."""
    if not 0 <= options["ci"] < 1:
        raise DialmeterError("--ci lies between 0 and 1, as in 0.95; 0 gives no intervals")
    return Resampling(options["ci"], options["resamples"], options["seed"]) if options["ci"] else None


chart_options = stacked(
    click.option("--charts", metavar="DIR", help="Draw charts into this folder, each with its data as CSV."),
    click.option(
        "--chart-format",
        type=click.Choice(["svg", "pdf", "png"]),
        default="svg",
        show_default=True,
        help="Of --charts.",
    ),
)

style_options = stacked(
    click.option("--as", "style", type=click.Choice(STYLES), default="text", show_default=True, help="How to print."),
    click.option("--json", "style", flag_value="json", help="Short for --as json."),
)

run_options = stacked(
    click.option("--out", metavar="DIR", help="Keep the run in this folder."),
    click.option(
        "--rows",
        type=click.Choice(["lines", "parquet"]),
        default="lines",
        show_default=True,
        help="With --out: JSON lines, or Parquet beside them.",
    ),
    click.option("--resume", is_flag=True, help="Go on with an unfinished run in --out."),
    click.option("--force", is_flag=True, help="Replace a run in --out."),
)

quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings.")


def chosen_dialogues(options: dict[str, Any]) -> frozenset[str] | None:
    """The keys of the dialogues that --only names."""
    return frozenset(map(dialogue_key, ids_of_list(options["only"]))) if options["only"] else None


def chosen_rules(options: dict[str, Any]) -> Rules:
    """Takes the rule options out of a command's options and makes the rule set."""
    rules = load(options.pop("rules_name"))
    return change(rules, **{name: options.pop(f"rule_{name}") for name in FIELDS})


def run_writer(
    options: dict[str, Any], inputs: Iterable[str | None], identity: Callable[[], dict[str, Any]]
) -> tuple[RunWriter | None, dict[str, Any]]:
    """What writes the run that --out asks for, and what makes the run this run; None and nothing without --out.

    Args:
        options: of the command.
        inputs: the files that are read, ``-`` among them where it is standard input.
        identity: says what makes the run this run; reads the inputs, and is asked only where there is a run.
    """
    if not options["out"]:
        if options["resume"] or options["force"] or options["rows"] == "parquet":
            raise DialmeterError("--resume, --force and --rows go with --out")
        return None, {}
    if options["resume"] and any(path and is_stream(path) for path in inputs):
        raise DialmeterError(
            "a run from standard input or a pipe cannot be resumed: nobody knows whether the input is the same"
        )
    about = identity()
    parquet = options["rows"] == "parquet"
    writer = RunWriter(options["out"], about, resume=options["resume"], force=options["force"], parquet=parquet)
    click.get_current_context().call_on_close(writer.close)
    return writer, about


def with_inputs(about: dict[str, Any], inputs: RunInputs, writer: RunWriter) -> dict[str, Any]:
    """What makes the run this run, with the hash of every input when all is read.

    Raises:
        InputError: a file changed meanwhile; the run is taken back.
    """
    try:
        return {**about, "inputs": inputs.after_reading()}
    except InputError:
        writer.abandon()
        raise
