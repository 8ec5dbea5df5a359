"""User runs: a row is a dialogue with its goal, and a finding is an event in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...users.behaviours import ALL
from ...users.blame import SideVerdict
from ...users.events import Event
from ...users.record import UserRow
from ..chart_files import Chart, slug
from ..charts.bars import BARS
from ..charts.data import grouped
from ..html_env import score
from ..tables import Table, interval
from ..user import confusion_rows
from .acts import act_words
from .charts import add_score, counts_chart, spread_charts, title_suffix
from .findings import Finding
from .kinds import (
    Cell,
    Conditions,
    Field,
    Grouping,
    RowsLink,
    RunKind,
    ScannedRow,
    linked_table,
    no_link,
    pivot,
)

if TYPE_CHECKING:
    from .opened_run import OpenedRun

CREDIT = {True: "credited", False: "not credited"}
MEASURED = {"I": "said", "R": "asked for"}
_MEANING = {each.name: each.about for each in ALL}
_CHART_EVENTS = 12
"""Largest number of classes of events in the chart of events."""


class _Loss(Struct, frozen=True):
    """A unit of the goal that was not met, and the responsible party."""

    domain: str
    about: str
    party: str
    why: str
    weight: int = 1
    said: str = ""
    heard: str = ""


class _Blame(Struct, frozen=True):
    """The counted fields of a verdict."""

    losses: tuple[_Loss, ...] = ()


class _Row(Struct, frozen=True):
    """The counted fields of a dialogue."""

    id: str
    goal: dict[str, Any]
    events: tuple[Event, ...]
    verdict: _Blame | None = None


_DECODER = msgspec.json.Decoder(_Row)


class UserKind(RunKind):
    """Runs of ``user score``."""

    NAME = "user"
    UNIT = ("dialogue", "dialogues")
    ROW = UserRow
    FIRST_COLUMN = "I-GCDF1"
    COMMAND = "user score DIALOGUES"
    OPTIONS: ClassVar[Mapping[str, str]] = {"seed": "seed"}
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"credit": (CREDIT[False],)}
    GROUPINGS = tuple(
        Grouping(field, "events without credit per 100 dialogues", {"credit": (CREDIT[False],)}, reasons)
        for field, reasons in (
            ("event", ("domain", "slot")),
            ("domain", ("event", "slot")),
            ("slot", ("event", "domain")),
        )
    )
    FIELDS = (
        Field("domain", "domain"),
        Field("event", "event"),
        Field("family", "about"),
        Field("slot", "slot"),
        Field("credit", "credit"),
        Field("party", "lost by"),
        Field("why", "reason of the loss"),
        Field("confusion", "confusion"),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> ScannedRow:
        """Return every event, every lost unit with the responsible party, and the domains of the goal.

        Example:
            >>> KIND.scan(b'{"id": "d", "goal": {}, "events": [{"class": "unmatched", "family": "repetition", "domain": "inn", '
            ...           b'"about": "area=east", "turns": [0, 2]}]}', Counter()).findings
            {('inn', 'unmatched', 'repetition', 'area', 'not credited', '', '', ''): 1}
        """
        row = _DECODER.decode(line)
        findings: dict[Finding, int] = {}
        for event in row.events:
            key: Finding = (event.domain, event.name, event.family, event.slot, CREDIT[event.credited], "", "", "")
            findings[key] = findings.get(key, 0) + 1
        for loss in row.verdict.losses if row.verdict else ():
            confusion = f"{loss.said} → {loss.heard}" if loss.weight and loss.heard else ""
            key = (loss.domain, "", "", loss.about.partition("=")[0], "", loss.party, loss.why, confusion)
            findings[key] = findings.get(key, 0) + loss.weight
        for domain in row.goal:
            findings[domain, "", "", "", "", "", "", ""] = 1
        return ScannedRow(row.id, findings)

    def summary(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return the numbers of turns and events with the responsible party, and the first utterance."""
        talk = row["talk"]
        events = f"{len(row['events'])} events"
        verdict = row.get("verdict")
        party = _main_verdict(verdict).get("party")
        blame = f", lost by {party}" if party else ""
        first = next((move.get("text", "") for move in talk if move.get("text")), "")
        return f"{len(talk)} turns, {events}{blame}", first

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the utterances of both speakers, their acts, and the units of the goal."""
        for move in row["talk"]:
            yield move.get("text", "")
            for act in move.get("acts") or ():
                yield from map(str, (act["name"], act.get("slot", ""), *(act.get("values") or ())))
        for units in (*row["inform"].values(), *row["request"].values()):
            yield from (*units["wanted"], *units["counted"])

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

    def page(self, row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the goal, and the utterances with their acts, understanding and events."""
        return talk(row, filters)

    def charts(self, runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Chart]:
        """Yield for each run the scores by domain, their distribution, the events, and the lost points by party."""
        for run in runs:
            suffix = title_suffix(run, runs)
            yield _domains_chart(run, link, suffix)
            yield from spread_charts(run, link, suffix)
            findings = run.findings
            yield counts_chart(
                run,
                link,
                ("domain", "event"),
                name="events",
                title=f"Number of events{suffix}",
                text="{event} in {domain}: {size:,}",
                y_label="number of events",
                order=product(findings.options("domain"), findings.ranked("event")[:_CHART_EVENTS]),
            )
            if findings.options("party"):
                yield counts_chart(
                    run,
                    link,
                    ("party", "domain"),
                    name="parties",
                    title=f"Lost units of the goal by party{suffix}",
                    text="lost by {party} in {domain}: {size:,}",
                    y_label="lost units",
                )

    def options(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the command."""
        names = {f"--{key}": (manifest.get(key) or {}).get("name") for key in ("rules", "profile")}
        reader = manifest.get("from_text")
        return {**names, "--blame": bool(manifest.get("blame")), "--from-text": bool(reader), "--reader": reader} | (
            super().options(manifest)
        )

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
            yield pivot(run, link, "lost points by party", domains, "domain", "party", columns=parties, zero="0")
        if confusions := _confusions(run):
            yield _confusion_table(run, link, confusions)


def _domains_chart(run: OpenedRun, link: RowsLink, suffix: str) -> Chart:
    """Return F1 of a user by domain."""
    chart = Chart(f"domains-{slug(run.key)}", f"Scores by domain{suffix}", BARS, y_label="F1 in percent")
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
        (row, column): link(run, {"party": each["party"], "confusion": f"{each['said']} → {each['heard']}"})
        for row, each in enumerate(confusions)
        for column in table.numeric
    }
    return replace(table, links={cell: address for cell, address in links.items() if address})


KIND = UserKind()


# Template variables of a dialogue: the goal and its fulfilment, and every turn with acts, understanding and events.


class HeardAct(NamedTuple):
    """An act, and how the other side understood it: correct, missed, wrong or over; empty if unknown."""

    act: str
    kind: str
    instead: str = ""


class GoalUnit(NamedTuple):
    """A constraint or request: correct if it is in the goal and was counted, else missed or over."""

    text: str
    kind: str
    times: int


class ShownEvent(NamedTuple):
    """An event with its meaning, or the points lost for one reason."""

    name: str
    domain: str
    about: str
    said: str
    note: str
    credited: bool
    meaning: str
    marked: bool


def talk(row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a dialogue."""
    at_turn: dict[int, list[ShownEvent]] = {}
    moves = row["talk"]
    for event in msgspec.convert(row["events"], list[Event]):
        place = event.turns[-1] if event.turns and 0 <= event.turns[-1] < len(moves) else -1
        at_turn.setdefault(place, []).append(_show_event(event, filters))
    verdict = row.get("verdict")
    losses_by_reason: dict[tuple[int, str, str, str, str], list[Mapping[str, Any]]] = {}
    for loss in (verdict or {}).get("losses", ()):
        place = -1 if loss["turn"] is None else loss["turn"]
        key = (place, loss["side"], loss["domain"], loss["why"], loss["evidence"])
        losses_by_reason.setdefault(key, []).append(loss)
    for (place, *_), losses in losses_by_reason.items():
        at_turn.setdefault(place, []).append(_show_losses(losses, filters))
    turns = []
    for place, move in enumerate(moves):
        after = moves[place + 1] if place + 1 < len(moves) else {}
        turns.append(
            {
                "turn": place,
                "speaker": move["speaker"],
                "text": move.get("text", ""),
                "acts": _compare_acts(move.get("acts"), after.get("understood")),
                "listener": after.get("speaker", ""),
                "reader": move.get("read_by", ""),
                "events": at_turn.get(place, []),
            }
        )
    return {
        "id": row["id"],
        "goal": [_goal_domain(name, row) for name in dict.fromkeys([*row["inform"], *row["request"], *row["goal"]])],
        "moves": turns,
        "elsewhere": at_turn.get(-1, []),
        "verdict": msgspec.convert(main, SideVerdict).text if (main := _main_verdict(verdict)) else "",
        "cut": bool(row.get("cut")),
    }


def _main_verdict(verdict: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the verdict on missing units, else the verdict on superfluous units; empty if there is none."""
    return (verdict or {}).get("recall") or (verdict or {}).get("precision") or {}


def _show_losses(losses: Sequence[Mapping[str, Any]], filters: Mapping[str, str]) -> ShownEvent:
    """Return the points of one domain that were lost for the same reason, at the turn of the evidence."""
    first = losses[0]
    is_filtered = not filters.keys().isdisjoint(("party", "why"))
    marked = is_filtered and all(filters.get(name, first[name]) == first[name] for name in ("party", "domain", "why"))
    units = ", ".join(loss["about"] for loss in losses)
    note = "missing" if first["side"] == "recall" else "too much"
    return ShownEvent(f"lost by {first['party']}", first["domain"], units, "", note, False, first["evidence"], marked)


def _show_event(event: Event, filters: Mapping[str, str]) -> ShownEvent:
    facts = {
        "domain": event.domain,
        "event": event.name,
        "family": event.family,
        "slot": event.slot,
        "credit": CREDIT[event.credited],
        "party": "",
        "why": "",
        "confusion": "",
    }
    return ShownEvent(
        event.name.replace("_", " "),
        event.domain,
        event.about,
        event.said,
        f"turns {', '.join(map(str, event.turns))}" if len(event.turns) > 1 else "",
        event.credited,
        _MEANING.get(event.name, ""),
        bool(filters) and all(facts[name] == text for name, text in filters.items()),
    )


def _goal_domain(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    measured = []
    for letter, group in (("I", row["inform"]), ("R", row["request"])):
        result = group.get(name)
        if result is not None:
            measured.append((MEASURED[letter], result.get("score"), units(result["wanted"], result["counted"])))
    return {"name": name, "in_goal": name in row["goal"], "measured": measured}


def units(wanted: Sequence[str], counted: Sequence[str]) -> list[GoalUnit]:
    """Return the units in both multisets, then the units in only one.

    Example:
        >>> [tuple(unit) for unit in units(["area=east", "stars=4"], ["area=east", "area=east"])]
        [('area=east', 'correct', 1), ('stars=4', 'missed', 1), ('area=east', 'over', 1)]
    """
    goal, said = Counter(wanted), Counter(counted)
    kinds = (("correct", goal & said), ("missed", goal - said), ("over", said - goal))
    return [GoalUnit(text, kind, times) for kind, counts in kinds for text, times in sorted(counts.items())]


def _compare_acts(
    said: Sequence[Mapping[str, Any]] | None, understood: Sequence[Mapping[str, Any]] | None
) -> list[HeardAct]:
    """Compare the acts of a speaker with the understood acts: equal acts first, then acts with the same name and slot."""
    if said is None:
        return []
    if understood is None:
        return [HeardAct(act_words(act), "") for act in said]
    remaining = [dict(act) for act in understood]
    acts: list[HeardAct] = []
    unmatched: list[Mapping[str, Any]] = []
    for act in said:
        same = next(
            (
                other
                for other in remaining
                if _act_key(other) == _act_key(act) and _act_values(other) == _act_values(act)
            ),
            None,
        )
        if same is not None:
            remaining.remove(same)
            acts.append(HeardAct(act_words(act), "correct"))
        else:
            unmatched.append(act)
    for act in unmatched:
        near = next((other for other in remaining if _act_key(other) == _act_key(act)), None)
        if near is not None:
            remaining.remove(near)
            acts.append(HeardAct(act_words(act), "wrong", _act_values(near) or "nothing"))
        else:
            acts.append(HeardAct(act_words(act), "missed"))
    return [*acts, *(HeardAct(act_words(act), "over") for act in remaining)]


def _act_key(act: Mapping[str, Any]) -> tuple[str, str]:
    return str(act["name"]).lower(), str(act.get("slot", "")).lower()


def _act_values(act: Mapping[str, Any]) -> str:
    return "|".join(str(value).strip().lower() for value in act.get("values") or () if value != "?")
