"""What a worker does with a span of a file. By itself, so that a worker starts without all that only the command needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...core.engine import is_noting, note
from ...readers.corpus import Corpus
from ...tracking.file_shard import SpanScore, SpanTask, score_span


def score_noted(task: SpanTask) -> SpanScore:
    """Scores a span, and notes which dialogue it is at where somebody wants to know."""
    return score_span(task, _noting) if is_noting() else score_span(task)


def _noting(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
    for each in dialogues:
        note(f"dialogue {each.id}")
        yield each
