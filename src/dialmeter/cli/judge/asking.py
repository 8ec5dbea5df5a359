"""What is shared by the commands that ask judges: options, where scores are kept, who asks, and conditions on scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ...conditions import Condition
from ...core.engine import note
from ...core.record import RunInput
from ...core.run_writer import RunWriter
from ...judges.ask import Ask, Asker, Shard, ShardAnswer
from ...judges.judge import Judge, load_weights
from ...judges.judge_recipe import RecipeAsker
from ..options import Option, combine_options
from ..work import cluster_from_options, is_local_work, run_shards, work_options, workers_from_options
from .endpoints import models_of
from .options import ChosenJudges


def scores_option(about: str) -> Option:
    """The option that names files with scores of judges."""
    return click.option("--scores", "score_files", multiple=True, metavar="[NAME=]FILE", help=about)


asking_options = combine_options(
    work_options,
    click.option(
        "--cluster-resource",
        metavar="NAME=N",
        help="On a cluster, neural judges go only to workers that declare this, as in GPU=1.",
    ),
    click.option("--store", metavar="DIR", help="Keep scores in this folder, for this run and others."),
)
"""The options that say where judges are asked, and where their scores are kept."""


def score_files_from_options(options: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Name and path of each file of --scores; the name is None where it is not given."""
    parts = [text.partition("=") for text in options["score_files"]]
    return [(name, path) if equals else (None, name) for name, equals, path in parts]


def run_inputs(role: str, file: str, options: dict[str, Any]) -> list[RunInput]:
    """The inputs of a run: the file that is judged, and the files of --scores."""
    return [RunInput(role, file), *(RunInput("scores", path) for _, path in score_files_from_options(options))]


def score_store_from_options(
    options: dict[str, Any], writer: RunWriter | None, judges: Mapping[str, Judge]
) -> str | Path | None:
    """The folder of scores, in which language models keep their answers, too: that of --store, else one in the run."""
    store = options["store"] or (writer.begin() / "scores" if writer else None)
    if store:
        for model in models_of(judges).values():
            model.keep_answers(str(store))
    return store


def unfinished_lines(writer: RunWriter | None, *found: Sequence[str]) -> list[list[str]]:
    """Closes the run if there are messages on why it is unfinished, and adds to each of them how to go on.

    Args:
        writer: of the run, if there is one.
        found: lists of messages.
    """
    if writer is None or not any(found):
        return [list(lines) for lines in found]
    writer.close()
    return [[f"{line}; the run is unfinished, go on with --resume" for line in lines] for lines in found]


def check_cells(
    conditions: Iterable[Condition], cells: Sequence[Mapping[str, Any]], overall: Sequence[Mapping[str, Any]]
) -> None:
    """Ends the command if a condition of --fail-if holds. It may name several groups, as ``error[contradiction, pang-c]``.

    Args:
        guards: the conditions.
        cells: scores with their groups.
        overall: the scores that a condition without a group is about.
    """
    for condition in conditions:
        *others, last = [part.strip() for part in condition.group.split(",")] if condition.group else [None]
        in_groups = [each for each in cells if all(part in each.values() for part in others)]
        replace(condition, group=last).check(overall if last is None else in_groups)


def ask_from_options(chosen: ChosenJudges, judges: Mapping[str, Judge], file: str, options: dict[str, Any]) -> Ask:
    """A function that asks judges: in this process, in others, or on a cluster, as the options say.

    Judges that must stay in this process, and the trivial ones, are always asked here.

    Args:
        chosen: the judges that were named.
        judges: all judges to ask, the trivial ones among them.
        file: what is judged.
        options: of the command.
    """

    def ask(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        # The size of the file decides how many workers there are by default, although workers do not read it.
        how = {**options, "workers": workers_from_options(options, [file]), "quiet": True}
        here = Asker(judges.__getitem__).ask
        away = [shard for shard in shards if shard.judge in chosen.recipes]
        if is_local_work(how, (), len(away)):
            for name in dict.fromkeys(shard.judge for shard in shards):
                load_weights(judges[name])
            yield from map(here, shards)
            return
        yield from (here(shard) for shard in shards if shard.judge not in chosen.recipes)
        names = {shard.judge for shard in away}
        recipes = {name: recipe for name, recipe in chosen.recipes.items() if name in names}
        if cluster_from_options(options) is not None:
            recipes = {name: recipe.rooted(judges[name]) for name, recipe in recipes.items()}
        files = [file for recipe in recipes.values() for file in recipe.files]
        work = partial(_work, RecipeAsker(recipes, chosen.talk))
        yield from run_shards(
            work, away, how, files, special=lambda shard: getattr(judges[shard.judge], "neural", False)
        )

    return ask


def _work(asker: RecipeAsker, shard: Shard) -> ShardAnswer:
    note(str(shard))
    return asker.ask(shard)
