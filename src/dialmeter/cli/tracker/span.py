"""The work on one span of a file. A separate module, so that workers do not import what only the command needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...core.engine import is_noting, note
from ...core.shards import ShardTask
from ...readers.corpus import Corpus
from ...tracking.scoring import TrackerSettings, TrackerShard, score_shard


def score_span(task: ShardTask[TrackerSettings]) -> TrackerShard:
    """Scores a span, and notes the current dialogue if the engine asks for it."""
    return score_shard(task, _noting) if is_noting() else score_shard(task)


def _noting(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
    for each in dialogues:
        note(f"dialogue {each.id}")
        yield each
