"""Scores one shard of a file of dialogues."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from ..core.shards import ShardTask
from ..errors import InputError
from ..model import Conversation, Notice, dialogue_key
from ..readers.conversations import Conversations, open_span
from .analysis.blame import Blamer, BlameVerdict
from .record import UserRow, row_of
from .result import UserSettings
from .score_table import Book
from .scorer import UserScorer


class UserShardSettings(Struct, frozen=True):
    """How a file is scored, the same for all of its shards.

    Attributes:
        form: the layout.
        how: rules, profile and value map.
        goals: a file of goals.
        only: keys of the dialogues to score; all where it is None.
        blamed: say who lost each point.
        kept: return the rows, too.
    """

    form: str
    how: UserSettings
    goals: str | None = None
    only: frozenset[str] | None = None
    blamed: bool = False
    kept: bool = False


class UserShard(Struct):
    """The scores of one shard, and what else was wanted of it."""

    book: Book
    refused: list[InputError]
    notices: list[Notice]
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def score_shard(
    task: ShardTask[UserShardSettings],
    talks: Conversations | None = None,
    watch: Callable[[Iterable[Conversation]], Iterable[Conversation]] = iter,
    at: Callable[[str], None] = lambda _: None,
) -> UserShard:
    """Scores one shard of a file of dialogues, in whatever process.

    Args:
        task: what to score.
        talks: the shard, where it is open already.
        watch: wraps the conversations, for a progress bar.
        at: is called with the name of each dialogue before it is scored.
    """
    settings = task.settings
    how = settings.how
    scorer = UserScorer(how.rules, how.profile, how.value_map, from_text=how.from_text)
    blamer = Blamer(how.profile) if settings.blamed else None
    found = UserShard(scorer.book, scorer.refused, [], [], [])
    talks = talks or open_span(task.span, settings.form, settings.goals)
    with task.open_rows() as part:
        for talk in watch(talks):
            if settings.only is not None and dialogue_key(talk.id) not in settings.only:
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
            if part is None and not settings.kept:
                continue
            row = row_of(talk, outcome, verdict)
            if settings.kept:
                found.rows.append(row)
            if part is not None and talk.id not in part.done:
                part.add(row)
    found.refused += talks.refused
    found.notices += talks.notices
    return found
