"""What is shared by the commands that find acts in words: the reader, and its measured accuracy."""

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
    """The options that name a language model.

    Args:
        purpose: what it is for, as help says it.
    """
    return combine_options(
        click.option("--endpoint", metavar="URL", help=f"Where a language model answers, for {purpose}."),
        click.option("--model", metavar="NAME", help="The model at --endpoint."),
        click.option(
            "--key-variable",
            default="OPENAI_API_KEY",
            show_default=True,
            metavar="NAME",
            help="The environment variable with the key for --endpoint.",
        ),
    )


cache_option = click.option(
    "--cache", metavar="DIR", default="", help="Keep the answers of the model here, to go on after a break."
)
reading_options = combine_options(
    choice_option(
        "--reader",
        ["rules", "town", "model"],
        "What finds acts in words: rules, the templates of the town, or a language model at --endpoint.",
    ),
    endpoint_options("--reader model"),
    cache_option,
)


def act_maker_from_options(options: dict[str, Any]) -> ActMaker:
    """The reader that the options name.

    Raises:
        DialmeterError: a language model without an address.
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
    """What it would take to have a language model read the turns without acts; nothing is sent.

    Raises:
        DialmeterError: no language model is named.
    """
    if options["reader"] != "model":
        raise DialmeterError("--dry-run is about language models; name one with --reader model, --endpoint and --model")
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
        notes=("a prompt names the domain of the turns before; where their answers are not known, it is shorter here",),
    )


class _Measured(Struct):
    reader: str
    summary: str
    kind: str = ""
    command: str = ""


def measured_accuracy(file: str, reader: str) -> str:
    """What a file of ``user understand --json`` says of a reader.

    Raises:
        InputError: another file, or another reader.
    """
    source = Source(file)
    found = parse_as(source.read_all(), _Measured, source.name, what="JSON of `dialmeter user understand --json`")
    if found.command != "user understand":
        raise InputError("not what `dialmeter user understand --json` prints", file=source.name)
    if found.reader != reader:
        raise InputError(f"measured of the reader {found.reader}, not of {reader}", file=source.name)
    return found.summary
