"""Scores one span of a file of dialogues, wherever that is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from ..core.run_writer import row_part
from ..core.shards import Span
from ..errors import InputError
from ..model import Conversation, Notice, dialogue_key
from ..readers.conversations import Conversations, open_span
from .analysis.blame import Blamer, BlameVerdict
from .record import UserRow, row_of
from .result import How
from .score_table import Book
from .scorer import UserScorer


class SpanTask(Struct, frozen=True):
    """What is to be scored, and what is wanted of it.

    Attributes:
        span: the lines to read.
        number: the span's place among the spans.
        form: the layout.
        how: rules, profile and value map.
        goals: a file of goals.
        only: keys of the dialogues to score; all where it is None.
        blamed: say who lost each point.
        kept: give the rows back, too.
        parts: where the rows of the run go.
    """

    span: Span
    number: int
    form: str
    how: How
    goals: str | None = None
    only: frozenset[str] | None = None
    blamed: bool = False
    kept: bool = False
    parts: str | None = None


class SpanScore(Struct):
    """What scoring a span comes to."""

    book: Book
    refused: list[InputError]
    notices: list[Notice]
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def score_span(
    task: SpanTask,
    talks: Conversations | None = None,
    watch: Callable[[Iterable[Conversation]], Iterable[Conversation]] = iter,
    at: Callable[[str], None] = lambda _: None,
) -> SpanScore:
    """Scores a span.

    Args:
        task: what to score.
        talks: the span, where it is open already.
        watch: wraps the conversations, for a progress bar.
        at: is told which dialogue is being scored.
    """
    how = task.how
    scorer = UserScorer(how.rules, how.profile, how.value_map, from_text=how.from_text)
    blamer = Blamer(how.profile) if task.blamed else None
    part = row_part(task.parts, task.number) if task.parts is not None else None
    found = SpanScore(scorer.book, scorer.refused, [], [], [])
    talks = talks or open_span(task.span, task.form, task.goals)
    for talk in watch(talks):
        if task.only is not None and dialogue_key(talk.id) not in task.only:
            continue
        at(f"dialogue {talk.id}")
        try:
            outcome = scorer.add(talk)
        except InputError as error:
            scorer.refuse(error.at(file=talks.name))
            continue
        verdict = blamer.verdict(talk, outcome) if blamer is not None else None
        if verdict is not None:
            found.verdicts.append(verdict)
        if part is None and not task.kept:
            continue
        row = row_of(talk, outcome, verdict)
        if task.kept:
            found.rows.append(row)
        if part is not None and talk.id not in part.done:
            part.add(row)
    if part is not None:
        part.flush()
        part.close()
    found.refused += talks.refused
    found.notices += talks.notices
    return found
