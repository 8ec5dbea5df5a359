"""The options for judges."""

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
        help='Judge, such as overlap or "pang-c(model=FOLDER)", or module:object; NAME=... renames it. May be repeated.',
    ),
    click.option(
        "--judge-command",
        "commands",
        multiple=True,
        metavar="[NAME=]COMMAND",
        help="Program as a judge: it reads JSON lines and writes one number per line. May be repeated.",
    ),
    endpoint_options,
    click.option(
        "--lower-is-better",
        "lower",
        multiple=True,
        metavar="NAME",
        help="Name of a --judge-command or a --scores file for which lower scores are better; may be repeated.",
    ),
    click.option("--corpus", metavar="FILE", help="Dialogues to train judges on. Dialogues of the cases are skipped."),
    from_option("--corpus"),
)


class ChosenJudges(NamedTuple):
    """The judges of the options.

    Attributes:
        judges: name → judge; the weights are not loaded yet.
        recipes: name → recipe, for judges that can run in another process.
        talk: the training data of judges that learn.
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
    """Return the judges of the options, in this order: --judge, --judge-command, members of panels, --endpoint.

    Args:
        options: the options of the command.
        cases: the cases to judge. Their dialogues are not used for training.
        talk: the training data without --corpus (default: the contexts of the cases).
        level: the level of the judged items. Judges of replies are averaged over the replies of a dialogue.
        pairwise: accept judges that compare pairs of replies.

    Raises:
        DialmeterError: a judge cannot be made, or two judges have the same name.
    """
    training_talk = (
        talk
        if talk is not None and not options["corpus"]
        else _training_talk(options["corpus"], options["format"], cases)
    )
    chosen = ChosenJudges({}, {}, training_talk)
    recipes = [Recipe(for_level(parse_call(text), level)) for text in options["judges"]]
    recipes += [_command_recipe(text) for text in options["commands"]]
    members = [Recipe(for_level(parse_call(text), level)) for text in panel_members(options["judges"])]
    for recipe in (*recipes, *members):
        judge = recipe.make({"talk": chosen.talk})
        name = (recipe.call.alias if recipe.call else "") or judge.name
        if recipe.command:
            judge.higher_is_better = name not in options["lower"]
        if recipe in members and name in chosen.judges:
            continue
        _add_judge(chosen, name, judge)
        if not getattr(judge, "stays", False):
            chosen.recipes[name] = recipe
    for name, judge in endpoint_judges(options):
        _add_judge(chosen, name, judge)
    for name, judge in chosen.judges.items():
        if is_pairwise(judge) and not pairwise:
            raise DialmeterError(f"judge {name} compares pairs of replies; only `judge score` accepts such judges")
    return chosen


def _add_judge(chosen: ChosenJudges, name: str, judge: Judge) -> None:
    if name in chosen.judges:
        raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
    chosen.judges[name] = judge


def _command_recipe(text: str) -> Recipe:
    name, equals, rest = text.partition("=")
    named = bool(equals) and name.replace("-", "").replace("_", "").isalnum()
    words = shlex.split(rest if named else text)
    if not words:
        raise DialmeterError("--judge-command is empty")
    return Recipe(command=tuple(words), name=name if named else "")


def _training_talk(corpus: str | None, format: str | None, cases: list[Case]) -> list[list[str]]:
    from ...judges.scorer import talk_of

    if not corpus:
        return talk_of(cases)
    from ...readers.conversations import open_conversations

    case_dialogues = {case.source.dialogue for case in cases}
    opened = open_conversations(corpus, format)
    dialogues = [[move.text for move in talk.moves if move.text] for talk in opened if talk.id not in case_dialogues]
    if not dialogues:
        raise DialmeterError(f"{corpus}: no dialogue is left for training, because all dialogues are in the cases")
    return dialogues
