"""The flow of ``dialmeter find`` for users: events, lost points and goals of dialogues, and events and verdicts of logs of agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.open_runs import is_run, open_run
from ...errors import DialmeterError, one_line
from ...readers.conversations import is_log
from ...users.analysis.dialogue_lines import lines
from ...users.behaviours import names as event_names
from ...users.blame.causes import PARTIES, REASONS
from ...users.blame.verdict import Loss
from ...users.events import Event
from ...users.items.goal_items import goal_recall
from ...users.items.log_items import KIND, ItemRow, item_lines
from ...users.items.text_events import FAULTS
from ...users.measures import MEASURES, key_of
from ...users.result import UserRow
from .. import options as shared
from ..find import FindRequest, FoundItem, FoundRow, check_values, find_options, find_output, key_of_condition
from ..printer import Output, warn
from ..work import work_options
from .inputs import only_option, read_user_rows, scoring_options
from .logs import GOAL_RECALL, LOG_PARTIES, read_item_rows


@shared.command("find")
@find_options
@only_option
@scoring_options
@shared.missing_option
@work_options
def find(**options: Any) -> Output:
    """Find dialogues of users by event, lost point, goal or score, in files of dialogues, runs, and logs of agents."""
    return find_output(rows, {**options, "conditions": [_sorted_goal(each) for each in options["conditions"]]})


def _sorted_goal(condition: str) -> str:
    """Write the domains of a goal in alphabetical order.

    Example:
        >>> _sorted_goal("goal=train+hotel"), _sorted_goal("event=unmatched")
        ('goal=hotel+train', 'event=unmatched')
    """
    key, equals, value = condition.partition("=")
    if not equals or key.rpartition(".")[2] != "goal":
        return condition
    return f"{key}={'+'.join(sorted(part.strip() for part in value.split('+')))}"


def rows(file: str, request: FindRequest) -> Iterator[FoundRow]:
    """Yield the dialogues of a file of dialogues, of a run, or of a log of an agent."""
    options = dict(request.options)
    kind = open_run(file).manifest.get("kind") if is_run(file) else ""
    if kind == KIND or (not kind and is_log(file, options["format"], unknown=False)):
        check_values(request, {"event": list(FAULTS), "party": LOG_PARTIES})
        for each in read_item_rows(file, options):
            yield _log_row(each, request)
        return
    check_values(request, {"event": event_names(), "party": PARTIES, "reason": list(REASONS)})
    found, notices = read_user_rows(file, options)
    warn([each for each in notices if each.code != "unscored" or options["missing"] == "error"], options["quiet"])
    asks_blame = any(key_of_condition(each) in ("party", "reason") for each in request.options["conditions"])
    for row in found:
        if asks_blame and is_run(file) and not open_run(file).manifest.get("blame"):
            raise DialmeterError(f"{file}: the run has no data on who lost points; it was made with --set blame=no")
        yield found_row(row, request.measures, several=len(request.options["files"]) > 1)


def found_row(row: UserRow, measures: Sequence[str], *, several: bool = False) -> FoundRow:
    """Return a dialogue with its events, its lost points and the domains that it is about.

    Args:
        row: the dialogue.
        measures: the measures whose values are needed, such as ``I-GCDF1[hotel]``.
        several: True if dialogues of several users are compared. Then the same unit of the goal is the same place in both.
    """
    losses = row.verdict.losses if row.verdict is not None else ()
    spoken_of = dict.fromkeys([*row.goal, *row.inform, *row.request])
    items = [
        *(_event_item(event, number) for number, event in enumerate(row.events)),
        *(_loss_item(loss, number) for number, loss in enumerate(losses)),
        *(FoundItem(("domain", domain), {"domain": domain}, f"domain {one_line(domain)}") for domain in spoken_of),
    ]
    if several:
        items = [each._replace(place=each.place[2:] if len(each.place) > 2 else each.place) for each in items]
    parts = [part for each in row.goal.values() for part in (*each.parts, *(["requests"] if each.requests else []))]
    goal = ["+".join(sorted(row.goal)), *dict.fromkeys(parts)]
    values = {}
    for text in measures:
        [(measure, domain)] = key_of(text)
        measured, part = MEASURES[measure]
        score = row.score(measured, domain)
        values[text] = None if score is None else getattr(score, part)
    return FoundRow(row.id, {"goal": goal}, items, values, lambda: lines(row))


def _event_item(event: Event, number: int) -> FoundItem:
    said = [event.about.partition("=")[2].lower(), event.said.lower()]
    turns = f" (turn {', '.join(map(str, event.turns))})" if event.turns else ""
    return FoundItem(
        ("event", number, event.domain, event.about),
        {
            "event": event.name,
            "domain": event.domain,
            "slot": event.slot,
            "value": [each for each in said if each],
            "turn": [str(turn) for turn in event.turns],
        },
        f"{event.name} {one_line(event.about, 80) or one_line(event.domain)}{turns}",
    )


def _loss_item(loss: Loss, number: int) -> FoundItem:
    slot, _, value = loss.about.partition("=")
    return FoundItem(
        ("loss", number, loss.domain, loss.about),
        {
            "party": loss.lost_by,
            "reason": loss.reason,
            "domain": loss.domain,
            "slot": slot if loss.measured == "I" else slot.removeprefix(f"{loss.domain}-"),
            "value": value,
            "turn": [] if loss.turn is None else str(loss.turn),
        },
        f"{loss.lost_by}, {loss.reason}: {one_line(loss.about, 80)}",
    )


def _log_row(row: ItemRow, request: FindRequest) -> FoundRow:
    for text in request.measures:
        if text.lower() != GOAL_RECALL.lower():
            raise DialmeterError(f"no measure {one_line(text)!r} of logs; write {GOAL_RECALL}")
    outcomes = {True: ["right", "successful"], False: ["failed"], None: []}
    items = [
        FoundItem(
            ("event", number),
            {"event": event.name, "value": event.said, "turn": [str(turn) for turn in event.turns]},
            f"{event.name} {one_line(event.said or event.about, 80)}",
        )
        for number, event in enumerate(row.events)
    ]
    facts = {"goal": row.trajectory.task, "outcome": outcomes[row.success], "party": row.lost_by}
    values = dict.fromkeys(request.measures, goal_recall(row.outcomes))
    return FoundRow(row.id, facts, items, values, lambda: item_lines(row))
