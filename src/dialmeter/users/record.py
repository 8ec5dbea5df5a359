"""The run record of a user: identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..core.record import finish_run, resampling_fields, run_identity
from ..core.run_writer import RunWriter
from ..model import Conversation, DomainGoal, Move
from .analysis.patterns import Pattern, patterns_of
from .blame import BlameVerdict
from .events import COMBINED, DialogueOutcome, DomainOutcome, Event, Measured, Parts, Remark
from .result import UserResult, UserSettings
from .score_table import MEASURES, column


class UserRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: the turns of a dialogue with their acts, the counted units, and the events."""

    id: str
    goal: Mapping[str, DomainGoal]
    talk: tuple[Move, ...]
    inform: Mapping[str, DomainOutcome]
    request: Mapping[str, DomainOutcome]
    combined: Mapping[Measured, Parts | None]
    events: tuple[Event, ...]
    patterns: tuple[Pattern, ...] = ()
    remarks: tuple[Remark, ...] = ()
    verdict: BlameVerdict | None = None
    cut: bool = False

    def score(self, measured: Measured, domain: str = COMBINED) -> Parts | None:
        """Return the score of a domain, or of all domains together, or None if there is none."""
        if domain == COMBINED:
            return self.combined.get(measured)
        outcome = (self.inform if measured == "I" else self.request).get(domain)
        return outcome.score if outcome else None


def row_of(talk: Conversation, outcome: DialogueOutcome, verdict: BlameVerdict | None = None) -> UserRow:
    """Return the row of a scored dialogue."""
    return UserRow(
        id=talk.id,
        goal=outcome.goal,
        talk=talk.moves,
        inform=outcome.inform,
        request=outcome.request,
        combined=outcome.combined,
        events=outcome.events,
        patterns=tuple(patterns_of(outcome)),
        remarks=outcome.remarks,
        verdict=verdict,
        cut=talk.cut,
    )


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
