"""Scoring of one span of a file. This is a separate module to keep the imports of workers small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...core.engine import is_noting, note
from ...core.shards import ShardTask
from ...readers.corpus import Corpus
from ...tracking.scoring import TrackerSettings, TrackerShard, score_shard


def score_span(task: ShardTask[TrackerSettings]) -> TrackerShard:
    """Score a span, and note the current dialogue if the engine requests it."""
    return score_shard(task, _note_each) if is_noting() else score_shard(task)


def _note_each(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
    for each in dialogues:
        note(f"dialogue {each.id}")
        yield each
