"""Scores one span of a file of native lines, wherever that is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from ..core.run_writer import row_part
from ..core.shards import Span
from ..model import Notice, dialogue_key
from ..readers.corpus import Corpus, open_span
from ..readers.pairs.vocabulary import PairDialogue
from ..readers.services.schema import read_schema
from ..rules import Rules
from . import record, show
from .breakdown import By
from .compared import ComparedDialogue
from .scorer import Part, TrackerScorer, read_into


class Settings(Struct, frozen=True):
    """How a file is scored, the same for all of its spans; see ``score_file``."""

    rules: Rules
    measures: tuple[str, ...] | None = None
    schema: str | None = None
    only: frozenset[str] | None = None
    by: tuple[By, ...] = ()
    train_schema: str | None = None

    def scorer(self) -> TrackerScorer:
        """A scorer with these settings."""
        return TrackerScorer(
            self.measures,
            self.rules,
            read_schema(self.schema) if self.schema else None,
            self.by,
            seen=frozenset(read_schema(self.train_schema).services) if self.train_schema else frozenset(),
        )


class SpanTask(Struct, frozen=True):
    """What is to be scored, and what is wanted of it.

    Attributes:
        span: the lines to read.
        number: the span's place among the spans.
        settings: how to score.
        parts: where the rows of the run go.
        shown: keys of dialogues that are to be printed.
    """

    span: Span
    number: int
    settings: Settings
    parts: str | None = None
    shown: frozenset[str] = frozenset()


class SpanScore(Struct):
    """What scoring a span comes to."""

    part: Part
    notices: list[Notice]
    printed: dict[str, list[str]]


def score_span(
    task: SpanTask,
    watch: Callable[[Iterable[Any], Corpus], Iterable[Any]] = lambda dialogues, corpus: dialogues,
) -> SpanScore:
    """Scores a span.

    Args:
        task: what to score.
        watch: wraps the dialogues, for a progress bar or to tell which one is being scored.

    Raises:
        InputError: whatever is wrong with the span, with its place in the file.
    """
    scorer = task.settings.scorer()
    corpus = open_span(task.span)
    rows = row_part(task.parts, task.number) if task.parts is not None else None
    printed: dict[str, list[str]] = {}

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        if rows is not None and dialogue.id not in rows.done:
            rows.add(record.row(dialogue, compared))
        if dialogue_key(dialogue.id) in task.shown:
            printed[dialogue_key(dialogue.id)] = list(show.lines(dialogue, compared))

    looked_at = rows is not None or bool(task.shown)
    read_into(scorer, corpus, only=task.settings.only, sink=take if looked_at else None, watch=watch)
    if rows is not None:
        rows.flush()
        rows.close()
    return SpanScore(scorer.part, corpus.notices, printed)
