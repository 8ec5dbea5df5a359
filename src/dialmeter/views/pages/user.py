"""User runs: a row is a dialogue with its goal, and a finding is an event in it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...users.behaviours import ALL
from ...users.events import Event
from ...users.record import UserRow
from ..html_env import score
from ..tables import Table, interval
from .findings import Finding
from .headline import first_score
from .kinds import Field, Headline, Picture, RowsLink, Scanned

if TYPE_CHECKING:
    from .kinds import Column
    from .opened import Opened

NAME = "user"
UNIT = ("dialogue", "dialogues")
HIGHER_IS_BETTER = True
PAGE = "user_row.html"
FIELDS = (
    Field("domain", "domain"),
    Field("event", "event"),
    Field("family", "about"),
    Field("slot", "slot"),
    Field("credit", "credit"),
    Field("party", "who lost it"),
)
CREDIT = {True: "credited", False: "not credited"}
MEASURED = {"I": "said", "R": "asked for"}


class Loss(Struct, frozen=True):
    """A unit of the goal that was not met, and whose fault that is."""

    domain: str
    about: str
    party: str


class Blame(Struct, frozen=True):
    """A verdict, as far as it is counted."""

    losses: tuple[Loss, ...]


class Row(Struct, frozen=True):
    """A dialogue, as far as it is counted."""

    id: str
    goal: dict[str, Any]
    events: tuple[Event, ...]
    verdict: Blame | None = None


_DECODER = msgspec.json.Decoder(Row)
ROW = UserRow


def scan(line: bytes, sums: Counter[Finding]) -> Scanned:
    """Every event, every lost unit with whose fault it is, and the domains of the goal.

    Example:
        >>> scan(b'{"id": "d", "goal": {}, "events": [{"class": "unmatched", "family": "repetition", "domain": "inn", '
        ...      b'"about": "area=east", "turns": [0, 2]}]}', Counter()).findings
        {('inn', 'unmatched', 'repetition', 'area', 'not credited', ''): 1}
    """
    row = _DECODER.decode(line)
    found: dict[Finding, int] = {}
    for event in row.events:
        key: Finding = (event.domain, event.name, event.family, event.slot, CREDIT[event.credited], "")
        found[key] = found.get(key, 0) + 1
    for loss in row.verdict.losses if row.verdict else ():
        key = (loss.domain, "", "", loss.about.partition("=")[0], "", loss.party)
        found[key] = found.get(key, 0) + 1
    for domain in row.goal:
        found[domain, "", "", "", "", ""] = 1
    return Scanned(row.id, found)


def teaser(row: Mapping[str, Any]) -> tuple[str, str]:
    """How much of the goal was lost, and what the user said first."""
    talk = row["talk"]
    events = f"{len(row['events'])} events"
    verdict = row.get("verdict")
    blame = f", lost by {verdict['party']}" if verdict else ""
    first = next((move.get("text", "") for move in talk if move.get("text")), "")
    return f"{len(talk)} turns, {events}{blame}", first


def texts(row: Mapping[str, Any]) -> Iterator[str]:
    """What both said."""
    yield from (move.get("text", "") for move in row["talk"])


def derived(columns: Mapping[str, Column]) -> Mapping[str, Column]:
    """None: all measures are in the index."""
    return {}


def beside(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Nothing: rows hold all."""
    return {}


def cell(column: str, value: float) -> str:
    """A share in percent."""
    return score(value)


def ranking(columns: Sequence[str]) -> str:
    """Inform first."""
    return "I-GCDF1" if "I-GCDF1" in columns else columns[0]


def headline(manifest: Mapping[str, Any]) -> Headline:
    """The first score."""
    return first_score(manifest)


def means(run: Opened) -> list[dict[str, Any]]:
    """None: every score stands for itself."""
    return []


def headlines(run: Opened) -> Iterator[Table]:
    """F1 with its interval, precision and recall, by domain."""
    cells = {(str(each["measure"]), str(each.get("domain", ""))): each for each in run.scores}
    rows = []
    for (measure, domain), whole in cells.items():
        if not measure.endswith("GCDF1"):
            continue
        parts = [cells.get((f"{measure[0]}-{part}", domain), {}) for part in ("precision", "recall")]
        values = (score(each.get("value")) for each in (whole, *parts))
        f1, precision, recall = values
        rows.append(
            (
                measure,
                domain,
                f1,
                interval(whole.get("ci"), str(whole.get("ci_reason") or "")),
                precision,
                recall,
                str(whole.get("n", "")),
            )
        )
    headings = ("measure", "domain", "F1", "interval", "precision", "recall", "n")
    yield Table("Scores", headings, tuple(rows), frozenset(range(2, 7)))


def again(manifest: Mapping[str, Any]) -> str:
    """The command that makes the run again, beside its input."""
    name = next((str(each.get("name")) for each in manifest.get("inputs") or ()), "DIALOGUES")
    words = ["dialmeter", "user", "score", name, "--rules", str((manifest.get("rules") or {}).get("name"))]
    words += ["--profile", str((manifest.get("profile") or {}).get("name"))]
    words += ["--blame"] if manifest.get("blame") else []
    words += ["--from-text"] if manifest.get("from_text") else []
    words += ["--seed", str(manifest["seed"])] if manifest.get("seed") is not None else []
    return shlex.join(words)


def page(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """The goal, and the talk with acts, what was understood, and events in place."""
    from .user_talk import talk

    return talk(row, wanted)


def pair(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two users with the same goal."""
    from .user_talk import talk

    return {"talks": [talk(row, {}) for row in (first, second)]}


def pictures(runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
    """The charts of users."""
    from .user_pictures import pictures as drawn

    return drawn(runs, link)


def breakdowns(run: Opened) -> Iterator[Table]:
    """Events by domain with what they mean, by slot, and who lost the points."""
    found = run.findings
    domains = found.options("domain")
    counts = found.counts("event", "domain")
    meaning = {each.name: each.about for each in ALL}
    totals = found.counts("event")
    names = [name for (name,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if name]
    rows = tuple(
        (name, str(totals[(name,)]), *(str(counts[name, domain] or "") for domain in domains), meaning.get(name, ""))
        for name in names
    )
    headings = ("event", "all", *domains, "meaning")
    yield Table("events", headings, rows, frozenset(range(1, len(domains) + 2)))
    slots = found.counts("domain", "slot", "credit")
    places = sorted({(domain, slot) for domain, slot, credit in slots if slot and credit})
    told = tuple(
        (domain, slot, *(str(slots[domain, slot, each]) for each in CREDIT.values())) for domain, slot in places
    )
    yield Table("events by slot", ("domain", "slot", *CREDIT.values()), told, frozenset({2, 3}))
    parties = found.options("party")
    if parties:
        lost = found.counts("domain", "party")
        shown = tuple((domain, *(str(lost[domain, party]) for party in parties)) for domain in domains)
        yield Table("who lost units of the goal", ("domain", *parties), shown, frozenset(range(1, len(parties) + 1)))
