"""Queries for dialogues by event, domain, slot, score, shape of the goal, or name.

A dialogue is shown as text, turn by turn: what was said, what was understood, and the events of each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...errors import DialmeterError, did_you_mean, one_line
from ...model import CONSTRAINT_PARTS, Act, DomainGoal, dialogue_key, full_name
from ..behaviours import ALL
from ..behaviours import names as event_names
from ..blame import PARTIES, REASONS, Loss
from ..events import COMBINED, Event, Measured, Parts
from ..record import UserRow
from ..score_table import MEASURES

GOAL_PARTS = (*CONSTRAINT_PARTS, "requests")


class UserQuery(Struct, frozen=True, kw_only=True):
    """The conditions that a dialogue must meet. Conditions that are not given do not apply.

    Attributes:
        events: classes of events. One of them must occur.
        domain: the domain of the event; without events and slot, a domain of the goal or another domain that the user speaks about.
        slot: the slot of the event; without events, of any event.
        measure: the measure for ``low`` and ``high``.
        low: the minimum value.
        high: the maximum value.
        goal: exactly the domains of the goal.
        goal_has: parts that some domain of the goal must have, such as ``fail_info``.
        dialogue: the name of one dialogue.
        party: the party to blame for a lost point, such as ``system``.
        why: the reason of a lost point, such as ``no_answer``.
    """

    events: tuple[str, ...] = ()
    domain: str = ""
    slot: str = ""
    measure: str = "I-GCDF1"
    low: float | None = None
    high: float | None = None
    goal: frozenset[str] = frozenset()
    goal_has: tuple[str, ...] = ()
    dialogue: str = ""
    party: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        for noun, given, known in (
            ("event", self.events, event_names()),
            ("measure", (self.measure,), list(MEASURES)),
            ("party", (self.party,) if self.party else (), PARTIES),
            ("reason", (self.why,) if self.why else (), list(REASONS)),
            ("part of a goal", self.goal_has, GOAL_PARTS),
        ):
            for name in given:
                if name not in known:
                    raise DialmeterError(f"unknown {noun} {name!r}; {did_you_mean(name, known)}")

    def found_in(self, row: UserRow) -> list[Event] | None:
        """Return the events of a dialogue that match the query, or None if the dialogue does not match.

        Example:
            >>> row = UserRow(id="d1", goal={}, talk=(), inform={}, request={}, combined={"I": None, "R": None},
            ...               events=(Event("unmatched", "repetition", "hotel", "area=east", (0, 2)),))
            >>> [event.about for event in UserQuery(events=("unmatched",), domain="hotel").found_in(row)]
            ['area=east']
            >>> UserQuery(events=("unmatched",), slot="stars").found_in(row) is None
            True
        """
        if self.dialogue and dialogue_key(row.id) != dialogue_key(self.dialogue):
            return None
        if not (self._score_matches(row) and self._goal_matches(row)):
            return None
        if self.asks_blame and not self.losses_in(row):
            return None
        events = [event for event in row.events if self._matches(event)]
        if self.asks_blame and not self.events:
            return []
        if self.events or self.slot:
            return events or None
        if self.domain and not (events or self.domain in row.goal or self.domain in row.inform):
            return None
        return events if self.domain else []

    @property
    def asks_blame(self) -> bool:
        """True if the query is about lost points."""
        return bool(self.party or self.why)

    def losses_in(self, row: UserRow) -> list[Loss]:
        """Return the lost points of a dialogue that match the query."""
        if not self.asks_blame or row.verdict is None:
            return []
        return [
            loss
            for loss in row.verdict.losses
            if self.party in ("", loss.party)
            and self.why in ("", loss.why)
            and self.domain in ("", loss.domain)
            and (not self.slot or self.slot.lower() in loss.about.lower())
        ]

    def _matches(self, event: Event) -> bool:
        return (
            (not self.events or event.name in self.events)
            and self.domain in ("", event.domain)
            and self.slot.lower() in ("", event.slot.lower())
        )

    def _score_matches(self, row: UserRow) -> bool:
        if self.low is None and self.high is None:
            return True
        measured, part = MEASURES[self.measure]
        parts = row.score(measured, self.domain or COMBINED)
        if parts is None:
            return False
        value: float = getattr(parts, part)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _goal_matches(self, row: UserRow) -> bool:
        if self.goal and self.goal != frozenset(row.goal):
            return False
        return all(any(getattr(domain, part) for domain in row.goal.values()) for part in self.goal_has)


# These two classes blame nobody, but they cost credit.
_COSTLY = ("spurious_annotation", "wrong_taxi_annotations")
_NOTES = frozenset((each.family, each.name) for each in ALL if each.owner == "log" and each.name not in _COSTLY)


def lines(row: UserRow) -> Iterator[str]:
    """Yield the dialogue as lines of plain text.

    Example:
        >>> from dialmeter.model import Conversation, Move
        >>> from dialmeter.users.scorer import UserScorer
        >>> from dialmeter.users.record import row_of
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
    return f"! lost by {loss.party}, {loss.why}: {unit} ({points}); {one_line(loss.evidence, 300)}"


def _event(event: Event) -> str:
    """Return an event with a sign: + if it counts as wanted, · for a note that costs no points, − for the others."""
    sign = "+" if event.credited else "·" if (event.family, event.name) in _NOTES else "−"
    about = f" {one_line(event.about, 80)}" if event.about else ""
    said = f", said {one_line(event.said, 60)}" if event.said else ""
    turns = f" (turns {', '.join(map(str, event.turns))})" if len(event.turns) > 1 else ""
    domain = "" if event.about.startswith(f"{event.domain}-") else f" {one_line(event.domain)}"
    return f"{sign} {event.name}:{domain}{about}{said}{turns}"
