"""User runs: a row is a dialogue with its goal, and a finding is an event in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Struct

from ...users.behaviours import ALL
from ...users.blame.verdict import SideVerdict, party_in_words
from ...users.events import Event
from ...users.record import UserRow
from ..chart_files import Chart
from ..html_env import score
from ..tables import Table, interval
from .acts import act_words
from .charts import domains_chart, events_chart, of_run, parties_chart, spread_charts
from .findings import Finding
from .kinds import Cell, Conditions, Field, Grouping, RowsLink, RunKind, Scanned, linked_table, no_link

if TYPE_CHECKING:
    from .opened import Opened

CREDIT = {True: "credited", False: "not credited"}
MEASURED = {"I": "said", "R": "asked for"}
_MEANING = {each.name: each.about for each in ALL}


class _Loss(Struct, frozen=True):
    """A unit of the goal that was not met, and the party to blame."""

    domain: str
    about: str
    party: str
    why: str
    weight: int = 1


class _Blame(Struct, frozen=True):
    """A verdict, as far as it is counted."""

    losses: tuple[_Loss, ...] = ()


class _Row(Struct, frozen=True):
    """A dialogue, as far as it is counted."""

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
    MISTAKEN: ClassVar[Conditions] = {"credit": (CREDIT[False],)}
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
        Field("party", "who lost it"),
        Field("why", "why it was lost"),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """Every event, every lost unit with the party to blame, and the domains of the goal.

        Example:
            >>> KIND.scan(b'{"id": "d", "goal": {}, "events": [{"class": "unmatched", "family": "repetition", "domain": "inn", '
            ...           b'"about": "area=east", "turns": [0, 2]}]}', Counter()).findings
            {('inn', 'unmatched', 'repetition', 'area', 'not credited', '', ''): 1}
        """
        row = _DECODER.decode(line)
        found: dict[Finding, int] = {}
        for event in row.events:
            key: Finding = (event.domain, event.name, event.family, event.slot, CREDIT[event.credited], "", "")
            found[key] = found.get(key, 0) + 1
        for loss in row.verdict.losses if row.verdict else ():
            key = (loss.domain, "", "", loss.about.partition("=")[0], "", loss.party, loss.why)
            found[key] = found.get(key, 0) + loss.weight
        for domain in row.goal:
            found[domain, "", "", "", "", "", ""] = 1
        return Scanned(row.id, found)

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """How much of the goal was lost, and what the user said first."""
        talk = row["talk"]
        events = f"{len(row['events'])} events"
        verdict = row.get("verdict")
        party = _main(verdict).get("party")
        blame = f", lost by {party}" if party else ""
        first = next((move.get("text", "") for move in talk if move.get("text")), "")
        return f"{len(talk)} turns, {events}{blame}", first

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """What both said, their acts, and what the goal wanted."""
        for move in row["talk"]:
            yield move.get("text", "")
            for act in move.get("acts") or ():
                yield from map(str, (act["name"], act.get("slot", ""), *(act.get("values") or ())))
        for found in (*row["inform"].values(), *row["request"].values()):
            yield from (*found["wanted"], *found["counted"])

    def headlines(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """F1 with its interval, precision and recall, by domain."""
        cells = {(str(each["measure"]), str(each.get("domain", ""))): each for each in run.scores}
        rows: list[list[Cell]] = []
        for (measure, domain), whole in cells.items():
            if not measure.endswith("GCDF1"):
                continue
            parts = [cells.get((f"{measure[0]}-{part}", domain), {}) for part in ("precision", "recall")]
            chosen = {"by": measure, **({} if domain in ("", "combined") else {"domain": domain})}
            f1, precision, recall = ((score(each.get("value")), chosen) for each in (whole, *parts))
            limits = interval(whole.get("ci"), str(whole.get("ci_reason") or ""))
            rows.append([measure, domain, f1, limits, precision, recall, (str(whole.get("n", "")), chosen)])
        headings = ("measure", "domain", "F1", "interval", "precision", "recall", "n")
        yield linked_table(run, link, "Scores", headings, rows, numeric=range(2, 7))

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """The goal, and the talk with acts, understanding and events in place."""
        return talk(row, wanted)

    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """For each run, scores by domain, their spread, events, and who lost the points."""
        for run in runs:
            of = of_run(run, runs)
            yield domains_chart(run, link, of)
            yield from spread_charts(run, link, of)
            yield events_chart(run, link, of)
            if run.findings.options("party"):
                yield parties_chart(run, link, of)

    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that makes the run again, in the folder of its input."""
        name = next((str(each.get("name")) for each in manifest.get("inputs") or ()), "DIALOGUES")
        words = ["user", "score", name, "--rules", str((manifest.get("rules") or {}).get("name"))]
        words += ["--profile", str((manifest.get("profile") or {}).get("name"))]
        words += ["--blame"] if manifest.get("blame") else []
        reader = manifest.get("from_text")
        words += ["--from-text", "--reader", str(reader)] if reader else []
        words += ["--seed", str(manifest["seed"])] if manifest.get("seed") is not None else []
        return words

    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Events by domain with what they mean, by slot, and who lost the points."""
        found = run.findings
        domains = found.options("domain")
        counts = found.counts("event", "domain")
        totals = found.counts("event")
        rows: list[list[Cell]] = [
            [
                name,
                (str(totals[(name,)]), {"event": name}),
                *((str(counts[name, domain] or ""), {"event": name, "domain": domain}) for domain in domains),
                _MEANING.get(name, ""),
            ]
            for name in found.ranked("event")
        ]
        headings = ("event", "all", *domains, "meaning")
        yield linked_table(run, link, "events", headings, rows, numeric=range(1, len(domains) + 2))
        slots = found.counts("domain", "slot", "credit")
        places = sorted({(domain, slot) for domain, slot, credit in slots if slot and credit})
        by_slot: list[list[Cell]] = [
            [
                domain,
                slot,
                *(
                    (str(slots[domain, slot, each]), {"domain": domain, "slot": slot, "credit": each})
                    for each in CREDIT.values()
                ),
            ]
            for domain, slot in places
        ]
        columns = ("domain", "slot", *CREDIT.values())
        yield linked_table(run, link, "events by slot", columns, by_slot, numeric=(2, 3))
        parties = found.options("party")
        if parties:
            lost = found.counts("domain", "party")
            shown: list[list[Cell]] = [
                [domain, *((str(lost[domain, party]), {"domain": domain, "party": party}) for party in parties)]
                for domain in domains
            ]
            yield linked_table(run, link, "who lost the points", ("domain", *parties), shown)


KIND = UserKind()


# A dialogue for its page: the goal and what was met of it, and every turn with acts, understanding and events.


class HeardAct(NamedTuple):
    """An act that was said, and how the other side understood it: correct, missed, wrong or over; empty if unknown."""

    act: str
    kind: str
    instead: str = ""


class GoalUnit(NamedTuple):
    """A constraint or request: correct where it counts as wanted, missed or over."""

    text: str
    kind: str
    times: int


class ShownEvent(NamedTuple):
    """An event with its meaning, or points that were lost for one reason."""

    name: str
    domain: str
    about: str
    said: str
    note: str
    credited: bool
    meaning: str
    marked: bool


def talk(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """What the page of a dialogue shows."""
    at_turn: dict[int, list[ShownEvent]] = {}
    moves = row["talk"]
    for event in msgspec.convert(row["events"], list[Event]):
        place = event.turns[-1] if event.turns and 0 <= event.turns[-1] < len(moves) else -1
        at_turn.setdefault(place, []).append(_shown(event, wanted))
    verdict = row.get("verdict")
    together: dict[tuple[int, str, str, str, str], list[Mapping[str, Any]]] = {}
    for loss in (verdict or {}).get("losses", ()):
        place = -1 if loss["turn"] is None else loss["turn"]
        key = (place, loss["side"], loss["domain"], loss["why"], loss["evidence"])
        together.setdefault(key, []).append(loss)
    for (place, *_), losses in together.items():
        at_turn.setdefault(place, []).append(_shown_losses(losses, wanted))
    shown = []
    for place, move in enumerate(moves):
        after = moves[place + 1] if place + 1 < len(moves) else {}
        shown.append(
            {
                "turn": place,
                "speaker": move["speaker"],
                "text": move.get("text", ""),
                "acts": _heard(move.get("acts"), after.get("understood")),
                "listener": after.get("speaker", ""),
                "reader": move.get("read_by", ""),
                "events": at_turn.get(place, []),
            }
        )
    return {
        "id": row["id"],
        "goal": [_domain(name, row) for name in dict.fromkeys([*row["inform"], *row["request"], *row["goal"]])],
        "moves": shown,
        "elsewhere": at_turn.get(-1, []),
        "verdict": msgspec.convert(found, SideVerdict).text if (found := _main(verdict)) else "",
        "cut": bool(row.get("cut")),
    }


def _main(verdict: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The verdict on what is missing, else on what was too much; empty if there is none."""
    return (verdict or {}).get("recall") or (verdict or {}).get("precision") or {}


def _shown_losses(losses: Sequence[Mapping[str, Any]], wanted: Mapping[str, str]) -> ShownEvent:
    """Points of one domain that were lost for the same reason, at the turn of the evidence."""
    first = losses[0]
    party = party_in_words(first["party"], first.get("of", ""))
    asked = not wanted.keys().isdisjoint(("party", "why"))
    marked = asked and all(wanted.get(name, first[name]) == first[name] for name in ("party", "domain", "why"))
    units = ", ".join(loss["about"] for loss in losses)
    note = "missing" if first["side"] == "recall" else "too much"
    return ShownEvent(f"lost by {party}", first["domain"], units, "", note, False, first["evidence"], marked)


def _shown(event: Event, wanted: Mapping[str, str]) -> ShownEvent:
    facts = {
        "domain": event.domain,
        "event": event.name,
        "family": event.family,
        "slot": event.slot,
        "credit": CREDIT[event.credited],
        "party": "",
        "why": "",
    }
    return ShownEvent(
        event.name.replace("_", " "),
        event.domain,
        event.about,
        event.said,
        f"turns {', '.join(map(str, event.turns))}" if len(event.turns) > 1 else "",
        event.credited,
        _MEANING.get(event.name, ""),
        bool(wanted) and all(facts[name] == text for name, text in wanted.items()),
    )


def _domain(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    measured = []
    for letter, group in (("I", row["inform"]), ("R", row["request"])):
        found = group.get(name)
        if found is not None:
            parts = found.get("score")
            measured.append((MEASURED[letter], parts, units(found["wanted"], found["counted"])))
    return {"name": name, "in_goal": name in row["goal"], "measured": measured}


def units(wanted: Sequence[str], counted: Sequence[str]) -> list[GoalUnit]:
    """What both multisets have, then what only one has.

    Example:
        >>> [tuple(unit) for unit in units(["area=east", "stars=4"], ["area=east", "area=east"])]
        [('area=east', 'correct', 1), ('stars=4', 'missed', 1), ('area=east', 'over', 1)]
    """
    ours, theirs = Counter(wanted), Counter(counted)
    kinds = (("correct", ours & theirs), ("missed", ours - theirs), ("over", theirs - ours))
    return [GoalUnit(text, kind, times) for kind, found in kinds for text, times in sorted(found.items())]


def _heard(said: Sequence[Mapping[str, Any]] | None, understood: Sequence[Mapping[str, Any]] | None) -> list[HeardAct]:
    """Acts that were said, compared with those understood: by act and slot, then by value."""
    if said is None:
        return []
    if understood is None:
        return [HeardAct(act_words(act), "") for act in said]
    left = [dict(act) for act in understood]
    found: list[HeardAct] = []
    open_: list[Mapping[str, Any]] = []
    for act in said:
        same = next((other for other in left if _key(other) == _key(act) and _values(other) == _values(act)), None)
        if same is not None:
            left.remove(same)
            found.append(HeardAct(act_words(act), "correct"))
        else:
            open_.append(act)
    for act in open_:
        near = next((other for other in left if _key(other) == _key(act)), None)
        if near is not None:
            left.remove(near)
            found.append(HeardAct(act_words(act), "wrong", _values(near) or "nothing"))
        else:
            found.append(HeardAct(act_words(act), "missed"))
    return [*found, *(HeardAct(act_words(act), "over") for act in left)]


def _key(act: Mapping[str, Any]) -> tuple[str, str]:
    return str(act["name"]).lower(), str(act.get("slot", "")).lower()


def _values(act: Mapping[str, Any]) -> str:
    return "|".join(str(value).strip().lower() for value in act.get("values") or () if value != "?")
