"""Who asks the judges of a command: this process, processes of its own, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...core.engine import note
from ...judges.ask import Ask, Asker, Shard, ShardAnswer
from ...judges.judge import Judge, load_weights
from ...judges.judge_recipe import RecipeAsker
from ..work import chosen_cluster, chosen_workers, is_worked_here, worked
from .options import Chosen


def asking(chosen: Chosen, judges: Mapping[str, Judge], options: dict[str, Any]) -> Ask:
    """Has shards answered wherever the options say. Judges that stay, and the trivial ones, are asked here.

    Args:
        chosen: the judges that were named.
        judges: all judges to ask, the trivial ones among them.
        options: of the command.
    """

    def ask(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        # How many workers there are by default is a matter of the cases, which workers do not read.
        how = {**options, "workers": chosen_workers(options, [options["cases_file"]]), "quiet": True}
        here = Asker(judges.__getitem__).ask
        away = [shard for shard in shards if shard.judge in chosen.recipes]
        if is_worked_here(how, (), len(away)):
            for name in dict.fromkeys(shard.judge for shard in shards):
                load_weights(judges[name])
            yield from map(here, shards)
            return
        yield from (here(shard) for shard in shards if shard.judge not in chosen.recipes)
        names = {shard.judge for shard in away}
        recipes = {name: recipe for name, recipe in chosen.recipes.items() if name in names}
        if chosen_cluster(options) is not None:
            recipes = {name: recipe.rooted(judges[name]) for name, recipe in recipes.items()}
        files = [file for recipe in recipes.values() for file in recipe.files]
        work = partial(_work, RecipeAsker(recipes, chosen.talk))
        yield from worked(work, away, how, files, special=lambda shard: getattr(judges[shard.judge], "neural", False))

    return ask


def _work(asker: RecipeAsker, shard: Shard) -> ShardAnswer:
    note(str(shard))
    return asker.ask(shard)
