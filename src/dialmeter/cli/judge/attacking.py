"""Attacks for a command: in this process, in worker processes, or on a cluster, with a checkpoint in case they are interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from ...core.cache_folder import cache_folder
from ...core.engine import note
from ...judges.adapters.llm_attack import PREFIX
from ...judges.attack_run import AttackSetting, AttackTask, AttackWork, attack_corpus, resource_names
from ...judges.attack_statistics import Attacked
from ...judges.attacks import Attack
from ...judges.checkpoint import AttackCheckpoint, AttackPart, attack_identity
from ...judges.language import Resources
from ...model import Conversation
from ..progress import attack_progress
from ..work import cluster_from_options, is_local_work, run_shards, workers_from_options


@contextmanager
def attacked(
    talks: Sequence[Conversation], attacks: Sequence[Attack], out: Path, options: dict[str, Any]
) -> Iterator[Attacked]:
    """Attacks a corpus. A checkpoint is kept next to the output until the caller has written the output."""
    with ExitStack() as stack:
        # A language model is asked in this process: workers would not share its limits and its cache.
        is_written = any(attack.name.startswith(PREFIX) for attack in attacks)
        here = is_written or is_local_work(options, [options["corpus"]], len(talks))
        resources = Resources(
            options["pipeline"], options["light"], _cache(options, stack, here), options["paraphraser"] or ""
        )
        language = stack.enter_context(closing(resources.open()))
        names = resource_names(language)
        settings = (Path(options["corpus"]).name, options["seed"], options["cases"], options["speaker"])
        identity = attack_identity(talks, *settings, *options["names"], options["paraphraser"], names)
        kept = AttackCheckpoint(out, identity, resume=options["resume"], force=options["force"])
        stack.callback(kept.close)
        yield attack_corpus(
            talks,
            attacks,
            language,
            cases=options["cases"],
            seed=options["seed"],
            corpus=Path(options["corpus"]).name,
            speaker=options["speaker"],
            watch=attack_progress("attacking", options["quiet"]),
            working=None if here else partial(_elsewhere, options=options, resources=resources, names=names),
            checkpoint=kept,
        )
        kept.remove()


def _cache(options: dict[str, Any], stack: ExitStack, here: bool) -> str | None:
    """The folder of analyses. With --no-cache, worker processes share a temporary one."""
    if not options["no_cache"]:
        return os.path.abspath(options["cache"] or cache_folder())
    return None if here or options["light"] else stack.enter_context(TemporaryDirectory(prefix="dialmeter-"))


def _elsewhere(
    setting: AttackSetting,
    tasks: Sequence[AttackTask],
    options: dict[str, Any],
    resources: Resources,
    names: tuple[str, ...],
) -> Iterable[AttackPart]:
    if cluster_from_options(options) is not None:
        # A database in a home folder that several machines share may break: use a folder only if --cache names it.
        resources = replace(resources, cache=resources.cache if options["cache"] else None)
    work = partial(_work, AttackWork(tuple(options["names"]), resources, names, setting, options["cases"]))
    how = {**options, "workers": workers_from_options(options, [options["corpus"]]), "quiet": True}
    return run_shards(work, tasks, how, ())


def _work(work: AttackWork, task: AttackTask) -> AttackPart:
    note(f"dialogues {task.talks[0].id} to {task.talks[-1].id}")
    return work(task)
