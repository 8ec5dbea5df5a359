"""Options and functions of the commands that find acts in text: the reader, and its measured accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from msgspec import Struct

from ...errors import DialmeterError, InputError
from ...model import Conversation
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...simulation.language.understand import TownMaker
from ...users.profile import load as load_profile
from ...users.text import ActMaker, RuleMaker, TextReader
from ..dry_run import dry_run_output
from ..options import Command, choice_option, combine_options, value_map_from_options
from ..printer import Output


def endpoint_options(purpose: str) -> Callable[[Command], Command]:
    """Return the options for a language model.

    Args:
        purpose: the purpose of the model, for the help.
    """
    return combine_options(
        click.option("--endpoint", metavar="URL", help=f"URL of a language model for {purpose}. Needs --model."),
        click.option("--model", metavar="NAME", help="Name of the model at --endpoint."),
        click.option(
            "--key-variable",
            default="OPENAI_API_KEY",
            show_default=True,
            metavar="NAME",
            help="Environment variable with the API key for --endpoint.",
        ),
    )


cache_option = click.option(
    "--cache",
    metavar="DIR",
    default="",
    help="Cache the answers of the model in this folder, to continue after an interruption.",
)
reading_options = combine_options(
    choice_option(
        "--reader",
        ["rules", "town", "model"],
        "Reader that finds acts in text: rules, the templates of the town, or a language model at --endpoint.",
    ),
    endpoint_options("--reader model"),
    cache_option,
)


def act_maker_from_options(options: dict[str, Any]) -> ActMaker:
    """Return the reader of --reader.

    Raises:
        DialmeterError: a language model has no URL or no name.
    """
    profile = load_profile(options["profile"])
    if options["reader"] == "town":
        return TownMaker()
    if options["reader"] == "rules":
        return RuleMaker(profile, value_map_from_options(options))
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError("--reader model needs --endpoint URL and --model NAME")
    from ...users.text.model_maker import ModelMaker

    return ModelMaker(profile, options["endpoint"], options["model"], options["key_variable"], options["cache"])


def reading_dry_run(command: str, options: dict[str, Any], talks: Sequence[Conversation]) -> Output:
    """Estimate the calls of a language model that finds acts in turns without acts. Nothing is sent.

    Raises:
        DialmeterError: the reader is not a language model.
    """
    if options["reader"] != "model":
        raise DialmeterError(
            "--dry-run estimates calls of language models; give --reader model, --endpoint and --model"
        )
    from ...users.text.model_maker import ModelMaker

    maker = act_maker_from_options(options)
    assert isinstance(maker, ModelMaker)
    counter = maker.count_requests()
    reader = TextReader(maker, load_profile(options["profile"]))
    for talk in talks:
        reader.read(talk)
    return dry_run_output(
        command,
        {maker.name: counter.estimate},
        {"dialogues": len(talks)},
        who="reader",
        price=options["price"],
        notes=("a prompt names the domain of earlier turns; it is shorter here if their answers are not cached",),
    )


class _Measured(Struct):
    reader: str
    summary: str
    kind: str = ""
    command: str = ""


def measured_accuracy(file: str, reader: str) -> str:
    """Return the accuracy of a reader from a file of ``user understand --json``.

    Raises:
        InputError: the file has other content, or is about another reader.
    """
    source = Source(file)
    measured = parse_as(source.read_all(), _Measured, source.name, what="JSON of `dialmeter user understand --json`")
    if measured.command != "user understand":
        raise InputError("expected the output of `dialmeter user understand --json`", file=source.name)
    if measured.reader != reader:
        raise InputError(f"the accuracy is of the reader {measured.reader}, not of {reader}", file=source.name)
    return measured.summary
