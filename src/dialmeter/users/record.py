"""The run record of a user: identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.record import finish_run, resampling_fields, run_identity
from ..core.run_writer import RunWriter
from ..model import Conversation, Move
from .analysis.patterns import Pattern, patterns_of
from .blame import BlameVerdict
from .events import COMBINED, DialogueOutcome, ScoredDialogue
from .result import UserResult, UserSettings
from .score_table import MEASURES, column


class UserRow(ScoredDialogue, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: the scores and events of a dialogue, and its turns with their acts."""

    talk: tuple[Move, ...]
    patterns: tuple[Pattern, ...] = ()
    verdict: BlameVerdict | None = None


def row_of(conversation: Conversation, outcome: DialogueOutcome, verdict: BlameVerdict | None = None) -> UserRow:
    """Return the row of a scored dialogue."""
    shared = {name: getattr(outcome, name) for name in ScoredDialogue.__struct_fields__}
    return UserRow(**shared, talk=conversation.moves, patterns=tuple(patterns_of(outcome)), verdict=verdict)


def identity(inputs: Sequence[Mapping[str, str | None]], settings: UserSettings, blamed: bool) -> dict[str, Any]:
    """Return the data that identify a run."""
    return run_identity(
        "user",
        inputs,
        rules=settings.rules,
        profile=settings.profile,
        map=settings.value_map.label if settings.value_map is not None else None,
        from_text=settings.reader,
        measures=list(MEASURES),
        blame=blamed,
    )


def finish(writer: RunWriter, result: UserResult, about: Mapping[str, Any], report: str, **more: Any) -> None:
    """Close the run with the scores over all dialogues and of each dialogue."""
    columns = {}
    for measure in MEASURES:
        values = column(result.score_table.rows, measure, COMBINED)
        columns[measure] = [values.get(name) for name in result.score_table.rows]
    finish_run(
        writer,
        {**about, **resampling_fields(result.resampling)},
        result,
        signature=result.signature,
        columns=columns,
        report=report,
        findings={"events": result.events},
        refused=result.refused,
        **more,
    )
