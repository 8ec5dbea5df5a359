"""Options with which commands name judges."""

from __future__ import annotations

import shlex
from typing import Any

import click

from ..errors import DialmeterError
from ..judges.cases import Case
from ..judges.judge import Judge, load_judge
from ..judges.objects import CommandJudge
from .options import stacked

judge_options = stacked(
    click.option(
        "--judge",
        "judges",
        multiple=True,
        metavar="J",
        help='A judge by name, such as overlap or "pang-c(model=FOLDER)", or as module:object; NAME=... renames it.',
    ),
    click.option(
        "--judge-command",
        "commands",
        multiple=True,
        metavar="[NAME=]COMMAND",
        help="A program that reads JSON lines and writes one number per line.",
    ),
    click.option("--endpoint", metavar="URL", help="A chat endpoint (OpenAI-compatible) as a judge; needs --model."),
    click.option("--model", metavar="NAME", help="The model that the endpoint is asked for."),
    click.option("--template", metavar="FILE", help="The prompt for the endpoint, with {context} and {reply}."),
    click.option("--scale", metavar="LOW-HIGH", default="1-5", show_default=True, help="The scale of the endpoint."),
    click.option(
        "--parse",
        type=click.Choice(["digit", "logprobs"]),
        default="digit",
        show_default=True,
        help="How the endpoint's answer becomes a number.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="How often the endpoint is asked about each reply.",
    ),
    click.option("--cache", metavar="DIR", help="Keep the endpoint's answers in this folder."),
    click.option(
        "--lower-is-better",
        "lower",
        multiple=True,
        metavar="NAME",
        help="Of a command or a score file; may be repeated.",
    ),
    click.option("--corpus", metavar="FILE", help="Dialogues for judges that learn; those of the cases are left out."),
    click.option("--from", "form", metavar="FORMAT", help="The layout of --corpus; found where it is not named."),
)


def chosen_judges(options: dict[str, Any], cases: list[Case]) -> dict[str, Judge]:
    """The judges that the options name, in this order: --judge, --judge-command, --endpoint.

    Raises:
        DialmeterError: a judge cannot be had, or two have the same name.
    """
    offered = {"talk": _talk(options["corpus"], options["form"], cases)}
    pairs = [load_judge(text, offered) for text in options["judges"]]
    for text in options["commands"]:
        name, equals, rest = text.partition("=")
        named = bool(equals) and name.replace("-", "").replace("_", "").isalnum()
        words = shlex.split(rest if named else text)
        if not words:
            raise DialmeterError("--judge-command is empty")
        judge = CommandJudge(words, name if named else "")
        judge.higher_is_better = judge.name not in options["lower"]
        pairs.append((judge.name, judge))
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("--endpoint and --model go together")
    if options["endpoint"]:
        pairs.append((options["model"], _endpoint(options)))
    found: dict[str, Judge] = {}
    for name, each in pairs:
        if name in found:
            raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
        found[name] = each
    return found


def _endpoint(options: dict[str, Any]) -> Judge:
    from ..judges.adapters.llm import LanguageModel

    return LanguageModel(
        endpoint=options["endpoint"],
        model=options["model"],
        template=options["template"] or "",
        scale=options["scale"],
        parse=options["parse"],
        repeats=options["repeats"],
        cache=options["cache"] or "",
    )


def _talk(corpus: str | None, form: str | None, cases: list[Case]) -> list[list[str]]:
    from ..judges.result import talk_of

    if not corpus:
        return talk_of(cases)
    from ..conversations import open_conversations

    taken = {case.source.dialogue for case in cases}
    opened = open_conversations(corpus, form)
    found = [[move.text for move in talk.moves if move.text] for talk in opened if talk.id not in taken]
    if not found:
        raise DialmeterError(f"{corpus}: no dialogue is left to learn from: all of them are in the cases")
    return found
