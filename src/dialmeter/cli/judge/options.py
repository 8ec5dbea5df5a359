"""Options with which commands name judges."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

import click

from ...errors import DialmeterError
from ...judges.builtin.panel import members_of as panel_members
from ...judges.cases import Case
from ...judges.judge import Judge, is_pairwise, parse_call
from ...judges.judge_recipe import Recipe
from ...judges.people.columns import for_level
from ...readers.ratings.rated_item import Level
from ..options import combine_options, from_option
from .endpoints import endpoint_judges, endpoint_options

judge_options = combine_options(
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
    endpoint_options,
    click.option(
        "--lower-is-better",
        "lower",
        multiple=True,
        metavar="NAME",
        help="Of a command or a score file; may be repeated.",
    ),
    click.option("--corpus", metavar="FILE", help="Dialogues for judges that learn; those of the cases are skipped."),
    from_option("--corpus"),
)


class ChosenJudges(NamedTuple):
    """The judges that options name.

    Attributes:
        judges: by name; their weights are not loaded yet.
        recipes: how to make the judges that can be asked in another process.
        talk: what judges that learn are trained on.
    """

    judges: dict[str, Judge]
    recipes: dict[str, Recipe]
    talk: list[list[str]]


def judges_from_options(
    options: dict[str, Any],
    cases: list[Case],
    *,
    talk: list[list[str]] | None = None,
    level: Level = "reply",
    pairwise: bool = False,
) -> ChosenJudges:
    """The judges that the options name, in this order: --judge, --judge-command, members of panels, --endpoint.

    Args:
        options: of the command.
        cases: what is judged; their dialogues are not learned from.
        talk: what judges learn from without --corpus; the contexts of the cases where it is not given.
        level: of what is judged: judges of replies are averaged over the replies of a dialogue.
        pairwise: True if judges that compare pairs of replies can be asked.

    Raises:
        DialmeterError: a judge cannot be made, or two have the same name.
    """
    learned = talk if talk is not None and not options["corpus"] else _talk(options["corpus"], options["format"], cases)
    found = ChosenJudges({}, {}, learned)
    recipes = [Recipe(for_level(parse_call(text), level)) for text in options["judges"]]
    recipes += [_command(text) for text in options["commands"]]
    members = [Recipe(for_level(parse_call(text), level)) for text in panel_members(options["judges"])]
    for recipe in (*recipes, *members):
        judge = recipe.make({"talk": found.talk})
        name = (recipe.call.alias if recipe.call else "") or judge.name
        if recipe.command:
            judge.higher_is_better = name not in options["lower"]
        if recipe in members and name in found.judges:
            continue
        _add(found, name, judge)
        if not getattr(judge, "stays", False):
            found.recipes[name] = recipe
    for name, judge in endpoint_judges(options):
        _add(found, name, judge)
    for name, judge in found.judges.items():
        if is_pairwise(judge) and not pairwise:
            raise DialmeterError(f"judge {name} compares pairs of replies; only judge score asks such judges")
    return found


def _add(found: ChosenJudges, name: str, judge: Judge) -> None:
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


def _talk(corpus: str | None, format: str | None, cases: list[Case]) -> list[list[str]]:
    from ...judges.scorer import talk_of

    if not corpus:
        return talk_of(cases)
    from ...readers.conversations import open_conversations

    taken = {case.source.dialogue for case in cases}
    opened = open_conversations(corpus, format)
    found = [[move.text for move in talk.moves if move.text] for talk in opened if talk.id not in taken]
    if not found:
        raise DialmeterError(f"{corpus}: no dialogue is left to learn from: all of them are in the cases")
    return found
