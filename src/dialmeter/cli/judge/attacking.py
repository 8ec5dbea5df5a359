"""Attacks for a command: in this process, in worker processes, or on a cluster, with a checkpoint for interruptions."""

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
from ...judges.attacks import Attack
from ...judges.attempts import AttackCheckpoint, Attacked, AttackPart, attack_identity
from ...judges.language import Resources
from ...model import Conversation
from ..progress import attack_progress
from ..work import cluster_from_options, is_local_work, run_shards, workers_from_options


@contextmanager
def attack_with_checkpoint(
    talks: Sequence[Conversation], attacks: Sequence[Attack], out: Path, options: dict[str, Any]
) -> Iterator[Attacked]:
    """Attack a corpus. A checkpoint stays next to the output until the caller has written the output."""
    with ExitStack() as stack:
        # A language model is called from this process, because workers would not share its limits and its cache.
        uses_model = any(attack.name.startswith(PREFIX) for attack in attacks)
        is_local = uses_model or is_local_work(options, [options["corpus"]], len(talks))
        resources = Resources(
            options["pipeline"],
            options["light"],
            _analysis_folder(options, stack, is_local),
            options["paraphraser"] or "",
        )
        language = stack.enter_context(closing(resources.open()))
        names = resource_names(language)
        settings = (Path(options["corpus"]).name, options["seed"], options["cases"], options["speaker"])
        identity = attack_identity(talks, *settings, *options["names"], options["paraphraser"], names)
        checkpoint = AttackCheckpoint(out, identity, resume=options["resume"], force=options["force"])
        stack.callback(checkpoint.close)
        yield attack_corpus(
            talks,
            attacks,
            language,
            cases=options["cases"],
            seed=options["seed"],
            corpus=Path(options["corpus"]).name,
            speaker=options["speaker"],
            watch=attack_progress("attacking", options["quiet"]),
            working=None if is_local else partial(_attack_elsewhere, options=options, resources=resources, names=names),
            checkpoint=checkpoint,
        )
        checkpoint.remove()


def _analysis_folder(options: dict[str, Any], stack: ExitStack, is_local: bool) -> str | None:
    """Return the folder for analyses. With --no-cache, worker processes share a temporary folder."""
    if not options["no_cache"]:
        return os.path.abspath(options["cache"] or cache_folder())
    return None if is_local or options["light"] else stack.enter_context(TemporaryDirectory(prefix="dialmeter-"))


def _attack_elsewhere(
    setting: AttackSetting,
    tasks: Sequence[AttackTask],
    options: dict[str, Any],
    resources: Resources,
    names: tuple[str, ...],
) -> Iterable[AttackPart]:
    if cluster_from_options(options) is not None:
        # A database in a home folder that several machines share may break. Use a folder only if --cache names it.
        resources = replace(resources, cache=resources.cache if options["cache"] else None)
    work = partial(_attack_noted, AttackWork(tuple(options["names"]), resources, names, setting, options["cases"]))
    worker_options = {**options, "workers": workers_from_options(options, [options["corpus"]]), "quiet": True}
    return run_shards(work, tasks, worker_options, ())


def _attack_noted(work: AttackWork, task: AttackTask) -> AttackPart:
    note(f"dialogues {task.talks[0].id} to {task.talks[-1].id}")
    return work(task)
