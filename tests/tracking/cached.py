"""What the tests of the cache share: scoring with it, and whether the file was read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dialmeter.model import Notice
from dialmeter.resampling import Resampling
from dialmeter.tracking.cache import TallyCache
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import score_file


class Again(NamedTuple):
    """A result, whether the file was read for it, and what was said of the cache."""

    result: TrackerResult
    read: bool
    said: list[Notice]


def scored(path: Path | str, cache: Path | None, **more: Any) -> Again:
    """Scores a file with a cache in a folder, or without one."""
    read: list[bool] = []
    said: list[Notice] = []

    def watch(dialogues: Iterable[Any], corpus: object) -> Iterable[Any]:
        read.append(True)
        return dialogues

    tallies = None if cache is None else TallyCache(cache, said.append)
    result = score_file(str(path), cache=tallies, watch=watch, **more)
    return Again(result, bool(read), said)


def all_of(result: TrackerResult, groups: Iterable[str] = ()) -> list[Any]:
    """Everything that a result says."""
    digest = result.gold_digest
    return [
        [*result.scores],
        result.counts,
        result.notices,
        result.worst(5),
        result.slots,
        result.data,
        result.dialogues,
        result.turns,
        sorted(digest.keys()),
        digest.parts(),
        [result.by(group, turns) for group in ("turn", *groups) for turns in ("active", "all")],
    ]


HOW = Resampling(0.95, 100, 7)


def tallies_in(folder: Path) -> list[Path]:
    """The entries of a cache, by name."""
    return sorted((folder / "tallies").iterdir()) if (folder / "tallies").is_dir() else []
