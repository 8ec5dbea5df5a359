"""Options with which commands name judges."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

import click

from ...errors import DialmeterError
from ...judges.builtin.panel import members_of as panel_members
from ...judges.cases import Case
from ...judges.judge import Judge, parse_call
from ...judges.judge_recipe import Recipe
from ...judges.people.columns import for_level
from ...readers.ratings.rated_item import Level
from ..options import choice_option, from_option, number_option, stacked

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
    choice_option(
        "--parse",
        ["json", "labelled", "last", "letters", "logprobs", "digit"],
        "How the endpoint's answer becomes a number; digit is the old name of labelled.",
    ),
    number_option("--repeats", least=1, default=1, about="How often the endpoint is asked about each reply."),
    click.option("--cache", metavar="DIR", help="Keep the endpoint's answers in this folder."),
    click.option(
        "--lower-is-better",
        "lower",
        multiple=True,
        metavar="NAME",
        help="Of a command or a score file; may be repeated.",
    ),
    click.option("--corpus", metavar="FILE", help="Dialogues for judges that learn; those of the cases are skipped."),
    from_option("--corpus", "layout", "FORMAT"),
)


class Chosen(NamedTuple):
    """The judges that options name.

    Attributes:
        judges: by name; their weights are not loaded yet.
        recipes: how those are made that can be asked in another process.
        talk: what judges that learn are trained on.
    """

    judges: dict[str, Judge]
    recipes: dict[str, Recipe]
    talk: list[list[str]]


def chosen_judges(
    options: dict[str, Any], cases: list[Case], *, talk: list[list[str]] | None = None, level: Level = "reply"
) -> Chosen:
    """The judges that the options name, in this order: --judge, --judge-command, members of panels, --endpoint.

    Args:
        options: of the command.
        cases: what is judged; their dialogues are not learned from.
        talk: what judges learn from without --corpus; the contexts of the cases where it is not given.
        level: of what is judged: judges of replies are averaged over the replies of a dialogue.

    Raises:
        DialmeterError: a judge cannot be had, or two have the same name.
    """
    learned = talk if talk is not None and not options["corpus"] else _talk(options["corpus"], options["form"], cases)
    found = Chosen({}, {}, learned)
    recipes = [Recipe(for_level(parse_call(text), level)) for text in options["judges"]]
    recipes += [_command(text) for text in options["commands"]]
    beside = [Recipe(for_level(parse_call(text), level)) for text in panel_members(options["judges"])]
    for recipe in (*recipes, *beside):
        judge = recipe.make({"talk": found.talk})
        name = (recipe.call.alias if recipe.call else "") or judge.name
        if recipe.command:
            judge.higher_is_better = name not in options["lower"]
        if recipe in beside and name in found.judges:
            continue
        _add(found, name, judge)
        if not getattr(judge, "stays", False):
            found.recipes[name] = recipe
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("--endpoint and --model go together")
    if options["endpoint"]:
        _add(found, options["model"], _endpoint(options))
    return found


def _add(found: Chosen, name: str, judge: Judge) -> None:
    if name in found.judges:
        raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
    found.judges[name] = judge


def _command(text: str) -> Recipe:
    name, equals, rest = text.partition("=")
    named = bool(equals) and name.replace("-", "").replace("_", "").isalnum()
    words = shlex.split(rest if named else text)
    if not words:
        raise DialmeterError("--judge-command is empty")
    return Recipe(command=tuple(words), name=name if named else "")


def _endpoint(options: dict[str, Any]) -> Judge:
    from ...judges.adapters.llm import LanguageModel

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
    from ...judges.scorer import talk_of

    if not corpus:
        return talk_of(cases)
    from ...readers.conversations import open_conversations

    taken = {case.source.dialogue for case in cases}
    opened = open_conversations(corpus, form)
    found = [[move.text for move in talk.moves if move.text] for talk in opened if talk.id not in taken]
    if not found:
        raise DialmeterError(f"{corpus}: no dialogue is left to learn from: all of them are in the cases")
    return found
