"""A dialogue as text, turn by turn: what was said, what was understood, and the events of each turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import one_line
from ...model import Act, DomainGoal, full_name
from ..behaviours import ALL
from ..blame.verdict import Loss
from ..events import Event, Measured, Parts
from ..result import UserRow

# These two classes blame nobody, but they cost credit.
_COSTLY = ("spurious_annotation", "wrong_taxi_annotations")
_NOTES = frozenset((each.family, each.name) for each in ALL if each.owner == "log" and each.name not in _COSTLY)


def lines(row: UserRow) -> Iterator[str]:
    """Yield the dialogue as lines of plain text.

    Example:
        >>> from dialmeter.model import Conversation, Move
        >>> from dialmeter.users.scorer import UserScorer
        >>> from dialmeter.users.result import row_of
        >>> said = Move("user", "East, please.", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
        >>> goal = {"hotel": DomainGoal(info={"area": "east", "stars": "4"})}
        >>> conversation = Conversation("d1", (said, Move("system", "Sure.", acts=(), understood=())), goal)
        >>> print("\\n".join(lines(row_of(conversation, UserScorer().outcome(conversation)))))
        dialogue d1   I-GCDF1 66.67 (P 100.00, R 50.00)   R-GCDF1 –
        goal
          hotel   info area=east, stars=4
        turn 0  user    East, please.
            said        hotel-inform area=east
        turn 1  system  Sure.
            understood  nothing
        not said or not asked
          − missed_constraints: hotel stars=4
        + counts as wanted   − does not   · a note
    """
    yield f"dialogue {one_line(row.id, 80)}   {_score(row, 'I', 'I-GCDF1')}   {_score(row, 'R', 'R-GCDF1')}"
    yield "goal"
    for domain, domain_goal in row.goal.items():
        yield f"  {one_line(domain)}   {_goal(domain_goal)}"
    at_turn: dict[int, list[Event]] = {}
    for event in row.events:
        at_turn.setdefault(event.turns[-1] if event.turns else -1, []).append(event)
    for number, move in enumerate(row.talk):
        yield f"turn {number}  {one_line(move.speaker, 12):6}  {one_line(move.text, 300)}".rstrip()
        if move.read_by:
            yield f"    in the text {_acts(move.acts or ())} (found by {one_line(move.read_by)})"
        elif move.acts:
            yield f"    said        {_acts(move.acts)}"
        if move.understood is not None and number:
            yield f"    understood  {_acts(move.understood)}"
        for event in at_turn.pop(number, ()):
            yield f"    {_event(event)}"
        for loss in row.verdict.losses if row.verdict is not None else ():
            if loss.turn == number:
                yield f"    {_loss(loss)}"
    unplaced_events = [event for events in at_turn.values() for event in events]
    if unplaced_events:
        yield "not said or not asked"
        for event in unplaced_events:
            yield f"  {_event(event)}"
    if row.events:
        yield "+ counts as wanted   − does not   · a note"
    if row.cut:
        yield "the dialogue ended at its limit of turns"
    if row.verdict is not None:
        if unplaced_losses := [loss for loss in row.verdict.losses if loss.turn is None]:
            yield from (f"  {_loss(loss)}" for loss in unplaced_losses)
        for side, verdict in (("missing", row.verdict.recall), ("too much", row.verdict.precision)):
            if verdict is not None:
                yield f"verdict on what is {side}: {verdict.text}"


def _score(row: UserRow, measured: Measured, name: str) -> str:
    parts: Parts | None = row.score(measured)
    if parts is None:
        return f"{name} –"
    return f"{name} {100 * parts.f1:.2f} (P {100 * parts.precision:.2f}, R {100 * parts.recall:.2f})"


def _goal(domain_goal: DomainGoal) -> str:
    parts = [
        f"{name} " + ", ".join(f"{one_line(slot)}={one_line(value)}" for slot, value in pairs.items())
        for name, pairs in domain_goal.parts.items()
    ]
    if domain_goal.requests:
        parts.append("ask for " + ", ".join(map(one_line, domain_goal.requests)))
    return "; ".join(parts) or "nothing"


def _acts(acts: Sequence[Act]) -> str:
    """Return acts as text, grouped by name and service."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for act in acts:
        pairs = grouped.setdefault((act.name, act.service), [])
        if act.slot:
            value = "|".join(map(one_line, act.values))
            pairs.append(one_line(act.slot) + (f"={value}" if value and value != "?" else ""))
    shown = [f"{one_line(full_name(*act))} {', '.join(pairs)}".rstrip() for act, pairs in grouped.items()]
    return "; ".join(shown) or "nothing"


def _loss(loss: Loss) -> str:
    """Return a lost point with its cause."""
    points = {"recall": "missing", "precision": "too much"}[loss.side]
    unit = one_line(loss.about, 80) if loss.measured == "R" else f"{one_line(loss.domain)} {one_line(loss.about, 80)}"
    return f"! lost by {loss.lost_by}, {loss.reason}: {unit} ({points}); {one_line(loss.evidence, 300)}"


def _event(event: Event) -> str:
    """Return an event with a sign: + if it counts as wanted, · for a note that costs no points, − for the others."""
    sign = "+" if event.credited else "·" if (event.family, event.name) in _NOTES else "−"
    about = f" {one_line(event.about, 80)}" if event.about else ""
    said = f", said {one_line(event.said, 60)}" if event.said else ""
    turns = f" (turns {', '.join(map(str, event.turns))})" if len(event.turns) > 1 else ""
    domain = "" if event.about.startswith(f"{event.domain}-") else f" {one_line(event.domain)}"
    return f"{sign} {event.name}:{domain}{about}{said}{turns}"
