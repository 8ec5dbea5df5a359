"""User runs: a row is a dialogue with its goal, and a finding is an event in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from ...model import Act
from ...users.behaviours import ALL
from ...users.blame.verdict import Loss
from ...users.events import Event
from ...users.result import UserRow
from ..chart_files import Chart, slug
from ..charts.bars import BARS
from ..charts.data import grouped
from ..html_env import score
from ..tables import Table, interval
from ..user import confusion_rows
from .charts import CountsChart, add_score, spread_charts
from .findings import Finding
from .kinds import Cell, Conditions, Grouping, RowsLink, RunKind, fields, linked_table, no_link, pivot
from .messages import act_words

if TYPE_CHECKING:
    from .opened_run import OpenedRun

CREDIT = {True: "credited", False: "not credited"}
_MEANING = {each.name: each.about for each in ALL}
_CHART_EVENTS = 12
"""Largest number of classes of events in the chart of events."""
_EVENTS = CountsChart(
    "events", "Number of events", ("domain", "event"), "{event} in {domain}: {size:,}", "number of events"
)
_PARTIES = CountsChart(
    "parties",
    "Lost units of the goal by who lost them",
    ("party", "domain"),
    "lost by {party} in {domain}: {size:,}",
    "lost units",
)


class UserKind(RunKind):
    """Runs of ``score`` of users."""

    NAME = "user"
    UNIT = ("dialogue", "dialogues")
    ROW = UserRow
    FIRST_COLUMN = "I-GCDF1"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"credit": (CREDIT[False],)}
    GROUPINGS = tuple(
        Grouping(field, "events without credit per 100 dialogues", {"credit": (CREDIT[False],)}, reasons)
        for field, reasons in (
            ("event", ("domain", "slot")),
            ("domain", ("event", "slot")),
            ("slot", ("event", "domain")),
        )
    )
    FIELDS = fields(
        "domain event family slot credit party reason confusion",
        family="about",
        party="lost by",
        reason="reason of the loss",
    )

    def scan(self, row: UserRow, sums: Counter[Finding]) -> Counter[Finding]:
        """Return every event, every lost unit with the responsible party, and the domains of the goal.

        Example:
            >>> event = Event("unmatched", "repetition", "inn", "area=east", (0, 2))
            >>> row = UserRow(id="d", goal={}, talk=(), inform={}, request={}, combined={}, events=(event,))
            >>> dict(KIND.scan(row, Counter()))
            {('inn', 'unmatched', 'repetition', 'area', 'not credited', '', '', ''): 1}
        """
        findings: Counter[Finding] = Counter()
        for event in row.events:
            findings[event.domain, event.name, event.family, event.slot, CREDIT[event.credited], "", "", ""] += 1
        for loss in row.verdict.losses if row.verdict else ():
            confusion = f"{loss.said} → {loss.heard}" if loss.weight and loss.heard else ""
            slot = loss.about.partition("=")[0]
            findings[loss.domain, "", "", slot, "", loss.lost_by, loss.reason, confusion] += loss.weight
        for domain in row.goal:
            findings[domain, "", "", "", "", "", "", ""] = 1
        return findings

    def summary(self, row: UserRow) -> tuple[str, str]:
        """Return the numbers of turns and events with the responsible party, and the first utterance."""
        main = row.verdict.main if row.verdict else None
        blame = f", lost by {main.lost_by}" if main else ""
        first = next((move.text for move in row.talk if move.text), "")
        return f"{len(row.talk)} turns, {len(row.events)} events{blame}", first

    def texts(self, row: UserRow) -> Iterator[str]:
        """Yield the utterances of both speakers, their acts, and the units of the goal."""
        for move in row.talk:
            yield move.text
            for act in move.acts or ():
                yield from (act.name, act.slot, *act.values)
        for units in (*row.inform.values(), *row.request.values()):
            yield from (*units.wanted, *units.counted)

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield F1 with its interval, precision and recall, by domain; then the confusion that lost the most points."""
        cells = {(str(each["measure"]), str(each.get("domain", ""))): each for each in run.scores}
        rows: list[list[Cell]] = []
        for (measure, domain), f1_score in cells.items():
            if not measure.endswith("GCDF1"):
                continue
            parts = [cells.get((f"{measure[0]}-{part}", domain), {}) for part in ("precision", "recall")]
            filters = {"by": measure, **({} if domain in ("", "combined") else {"domain": domain})}
            f1, precision, recall = ((score(each.get("value")), filters) for each in (f1_score, *parts))
            limits = interval(f1_score.get("ci"), str(f1_score.get("ci_reason") or ""))
            rows.append([measure, domain, f1, limits, precision, recall, (str(f1_score.get("n", "")), filters)])
        headings = ("measure", "domain", "F1", "interval", "precision", "recall", "n")
        yield linked_table(run, link, "Scores", headings, rows, numeric=range(2, 7))
        if confusions := _confusions(run):
            title = "The confusion that lost the most points"
            yield replace(_confusion_table(run, link, confusions[:1]), title=title)

    def page(self, row: UserRow, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal and its fulfilment, and the utterances with their acts, understanding and events."""
        at_turn: dict[int, list[dict[str, Any]]] = {}
        for event in row.events:
            place = event.turns[-1] if event.turns and 0 <= event.turns[-1] < len(row.talk) else -1
            at_turn.setdefault(place, []).append(_show_event(event, filters))
        losses_by_reason: dict[tuple[Any, ...], list[Loss]] = {}
        for loss in row.verdict.losses if row.verdict else ():
            key = (-1 if loss.turn is None else loss.turn, loss.side, loss.domain, loss.reason, loss.evidence)
            losses_by_reason.setdefault(key, []).append(loss)
        for (place, *_), losses in losses_by_reason.items():
            at_turn.setdefault(place, []).append(_show_losses(losses, filters))
        turns = [
            {
                "turn": place,
                "speaker": move.speaker,
                "text": move.text,
                "acts": _compare_acts(move.acts, after.understood if after else None),
                "listener": after.speaker if after else "",
                "reader": move.read_by,
                "events": at_turn.get(place, []),
            }
            for place, (move, after) in enumerate(zip_longest(row.talk, row.talk[1:]))
        ]
        main = row.verdict.main if row.verdict else None
        return {
            "id": row.id,
            "goal": [_goal_domain(name, row) for name in dict.fromkeys([*row.inform, *row.request, *row.goal])],
            "moves": turns,
            "elsewhere": at_turn.get(-1, []),
            "verdict": main.text if main else "",
            "cut": row.cut,
        }

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield the scores by domain, their distribution, the events, and the lost points by party."""
        yield _domains_chart(run, link)
        yield from spread_charts(run, link)
        findings = run.findings
        events = product(findings.options("domain"), findings.ranked("event")[:_CHART_EVENTS])
        yield from _EVENTS.of(run, link, events)
        if findings.options("party"):
            yield from _PARTIES.of(run, link)

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the events by domain with their meaning, the events by slot, and the lost points by party and by confusion."""
        findings = run.findings
        domains, parties = findings.options("domain"), findings.options("party")
        by_domain: dict[str, Any] = {"columns": domains, "total": "all", "meaning": _MEANING}
        yield pivot(run, link, "events", findings.ranked("event"), "event", "domain", **by_domain)
        fields = ("domain", "slot", "credit")
        places = sorted({(domain, slot) for domain, slot, credit in findings.counts(*fields) if slot and credit})
        yield pivot(run, link, "events by slot", places, *fields, columns=CREDIT.values(), zero="0")
        if parties:
            yield pivot(
                run, link, "lost points by who lost them", domains, "domain", "party", columns=parties, zero="0"
            )
        if confusions := _confusions(run):
            yield _confusion_table(run, link, confusions)


def _domains_chart(run: OpenedRun, link: RowsLink) -> Chart:
    """Return F1 of a user by domain."""
    chart = Chart(f"domains-{slug(run.key)}", "Scores by domain", BARS, y_label="F1 in percent")
    for each in grouped(run.scores, lambda each: each["measure"]):
        measure, domain = str(each["measure"]), str(each.get("domain", "combined"))
        if measure.endswith("GCDF1"):
            filters = {"by": measure, **({} if domain == "combined" else {"domain": domain})}
            text = f"{measure} in {domain}: {each.get('n')} dialogues, worst first"
            add_score(chart, (measure, domain), each, link(run, filters), text)
    return chart


def _confusions(run: OpenedRun) -> Sequence[Mapping[str, Any]]:
    return (run.manifest.get("verdicts") or {}).get("confusions") or ()


def _confusion_table(run: OpenedRun, link: RowsLink, confusions: Sequence[Mapping[str, Any]]) -> Table:
    """Return the confusions; numbers link to the dialogues that lost points by them."""
    table = confusion_rows(confusions)
    links = {
        (row, column): link(run, {"party": each["lost_by"], "confusion": f"{each['said']} → {each['heard']}"})
        for row, each in enumerate(confusions)
        for column in table.numeric
    }
    return replace(table, links={cell: address for cell, address in links.items() if address})


KIND = UserKind()


# Template variables of a dialogue: the goal and its fulfilment, and every turn with acts, understanding and events.


def _show_losses(losses: Sequence[Loss], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the points of one domain that were lost for the same reason, at the turn of the evidence."""
    first = losses[0]
    facts = {"party": first.lost_by, "domain": first.domain, "reason": first.reason}
    is_filtered = not filters.keys().isdisjoint(("party", "reason"))
    return {
        "name": f"lost by {first.lost_by}",
        "domain": first.domain,
        "about": ", ".join(loss.about for loss in losses),
        "said": "",
        "note": "missing" if first.side == "recall" else "too much",
        "credited": False,
        "meaning": first.evidence,
        "marked": is_filtered and all(filters.get(name, text) == text for name, text in facts.items()),
    }


def _show_event(event: Event, filters: Mapping[str, str]) -> dict[str, Any]:
    facts = {"domain": event.domain, "event": event.name, "family": event.family, "slot": event.slot}
    facts["credit"] = CREDIT[event.credited]
    return {
        "name": event.name.replace("_", " "),
        "domain": event.domain,
        "about": event.about,
        "said": event.said,
        "note": f"turns {', '.join(map(str, event.turns))}" if len(event.turns) > 1 else "",
        "credited": event.credited,
        "meaning": _MEANING.get(event.name, ""),
        "marked": bool(filters) and all(facts.get(name, "") == text for name, text in filters.items()),
    }


def _goal_domain(name: str, row: UserRow) -> dict[str, Any]:
    measured = [
        (words, result.score, units(result.wanted, result.counted))
        for words, group in (("said", row.inform), ("asked for", row.request))
        if (result := group.get(name)) is not None
    ]
    return {"name": name, "in_goal": name in row.goal, "measured": measured}


def units(wanted: Sequence[str], counted: Sequence[str]) -> list[dict[str, Any]]:
    """Return the units in both multisets, then the units in only one.

    Example:
        >>> [tuple(unit.values()) for unit in units(["area=east", "stars=4"], ["area=east", "area=east"])]
        [('area=east', 'correct', 1), ('stars=4', 'missed', 1), ('area=east', 'extra', 1)]
    """
    goal, said = Counter(wanted), Counter(counted)
    kinds = (("correct", goal & said), ("missed", goal - said), ("extra", said - goal))
    return [
        {"text": text, "kind": kind, "times": times} for kind, counts in kinds for text, times in sorted(counts.items())
    ]


def _compare_acts(said: Sequence[Act] | None, understood: Sequence[Act] | None) -> list[dict[str, str]]:
    """Compare the acts of a speaker with the understood acts: equal acts first, then acts with the same name and slot.

    An act is correct, missed, wrong or extra; the kind is empty if it is unknown how it was understood.
    """
    if said is None or understood is None:
        return [{"act": act_words(act), "kind": ""} for act in said or ()]
    remaining = list(understood)
    acts: list[dict[str, str]] = []
    unmatched: list[Act] = []
    for act in said:
        same = next((other for other in remaining if _act_key(other) == _act_key(act)), None)
        if same is None:
            unmatched.append(act)
        else:
            remaining.remove(same)
            acts.append({"act": act_words(act), "kind": "correct"})
    for act in unmatched:
        near = next((other for other in remaining if _act_key(other)[:2] == _act_key(act)[:2]), None)
        if near is None:
            acts.append({"act": act_words(act), "kind": "missed"})
        else:
            remaining.remove(near)
            acts.append({"act": act_words(act), "kind": "wrong", "instead": _act_key(near)[2] or "nothing"})
    return [*acts, *({"act": act_words(act), "kind": "extra"} for act in remaining)]


def _act_key(act: Act) -> tuple[str, str, str]:
    """Return the name, slot and values of an act, regardless of case."""
    values = "|".join(value.strip().lower() for value in act.values if value != "?")
    return act.name.lower(), act.slot.lower(), values
