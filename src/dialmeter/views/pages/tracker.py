"""Tracker runs: a row is a dialogue, and a finding is the result for a slot at a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec.structs import asdict, replace

from ...model import Value, domain_of
from ...tracking.compared import SIGNS, TrackedDialogue, TrackedTurn, value_text
from ...tracking.diagnosis.findings import Mistake
from ..chart_files import Chart
from ..tables import Table, percent
from ..tracker import mistakes_table
from .charts import measures_chart, mistakes_chart, spread_charts, turns_chart, values_chart
from .findings import RIGHT_TURN, WRONG_TURN, Finding
from .kinds import Cell, Conditions, Grouping, RowsLink, RunKind, fields, linked_table, no_link

if TYPE_CHECKING:
    from .opened_run import OpenedRun


MISTAKES = ("missed", "wrong", "extra")
_MOST_MISTAKES = 20
"""Largest number of pairs of gold and predicted value on a page."""
_CONFUSED_SLOTS = 2
"""Number of slots with a chart of gold and predicted values."""


def _columns(*rows: TrackedDialogue) -> list[str]:
    """Return the slots grouped by domain, in the order of their first occurrence."""
    seen = dict.fromkeys(slot for row in rows for turn in row.turns for slot in turn.slots)
    domains = list(dict.fromkeys(map(domain_of, seen)))
    return sorted(seen, key=lambda slot: domains.index(domain_of(slot)))


def _cell(slot: str, turn: TrackedTurn, before: TrackedTurn, filters: Mapping[str, str]) -> dict[str, Any] | None:
    """Return one slot at one turn: it is fresh if gold or prediction changed, and marked if it matches the filters."""
    result = turn.slots.get(slot)
    if result is None:
        return None
    gold, pred = value_text(turn.gold.get(slot)), value_text(turn.pred.get(slot))
    facts = {"domain": domain_of(slot), "slot": slot, "class": result.kind, "age": result.age or ""}
    facts |= {"turn": str(turn.turn), "gold": gold, "pred": pred}
    carried = result.age == "carried-over"
    return {
        "slot": slot,
        "kind": result.kind,
        "words": f"{result.kind}, carried over" if carried else result.kind,
        "sign": SIGNS[result.kind],
        "gold": gold,
        "pred": pred,
        "carried": carried,
        "fresh": (gold, pred) != tuple(value_text(state.get(slot)) for state in (before.gold, before.pred)),
        "marked": bool(filters) and all(facts[name] == text for name, text in filters.items()),
    }


_BEFORE = TrackedTurn(turn=-1, gold={}, pred={}, exact=True, slots={})
_domain = lru_cache(maxsize=4096)(domain_of)


@lru_cache(maxsize=4096)
def _domains(slots: tuple[str, ...]) -> frozenset[str]:
    """Return the domains of slots. Cached, because the same sets of slots occur often."""
    return frozenset(map(domain_of, slots))


class TrackerKind(RunKind):
    """Runs of trackers."""

    NAME = "tracker"
    UNIT = ("dialogue", "dialogues")
    ROW = TrackedDialogue
    FIRST_COLUMN = "FGA(lam=0.5)"
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"class": MISTAKES}
    GROUPINGS = tuple(
        Grouping(
            field,
            "mistakes per 100 turns",
            {"class": MISTAKES},
            reasons,
            chances={"class": (RIGHT_TURN, WRONG_TURN)},
        )
        for field, reasons in (("slot", ("class", "gold", "pred")), ("domain", ("slot", "class")))
    )
    FIELDS = fields(
        "domain slot class age turn gold pred",
        age="new or carried",
        gold="gold value",
        pred="predicted value",
        unlisted=("gold", "pred"),
    )

    def scan(self, row: TrackedDialogue, sums: Counter[Finding]) -> dict[Finding, int]:
        """Return each mistake at each of its turns, each right value at its first turn, and each turn as right or wrong.

        Example:
            >>> from dialmeter.tracking.compared import SlotOutcome
            >>> slots = {"inn-area": SlotOutcome("missed", "new")}
            >>> turn = TrackedTurn(turn=0, gold={"inn-area": "east"}, pred={}, exact=False, slots=slots)
            >>> KIND.scan(TrackedDialogue("d", (turn,)), Counter())
            {('inn', 'inn-area', 'missed', 'new', '0', 'east', ''): 1, ('', '', 'turn wrong', '', '0', '', ''): 1}
        """
        findings: dict[Finding, int] = {}
        right: dict[tuple[str, Value | None], list[int]] = {}
        turns: dict[frozenset[str], int] = {}
        wrong_turns: dict[str, int] = {}
        for step in row.turns:
            turn, gold, pred = str(step.turn), step.gold, step.pred
            wrong_domains = []
            for slot, cell in step.slots.items():
                value = pred.get(slot)
                if cell.kind == "correct":
                    first_and_count = right.get((slot, value))
                    if first_and_count is None:
                        right[slot, value] = [step.turn, 1]
                    else:
                        first_and_count[1] += 1
                else:
                    domain, gold_value = _domain(slot), gold.get(slot)
                    wrong_domains.append(domain)
                    # Most values are strings; calling value_text for each would take half of the time.
                    finding = (
                        domain,
                        slot,
                        cell.kind,
                        cell.age or "",
                        turn,
                        gold_value if type(gold_value) is str else value_text(gold_value),
                        value if type(value) is str else value_text(value),
                    )
                    findings[finding] = 1
            findings["", "", RIGHT_TURN if step.exact else WRONG_TURN, "", turn, "", ""] = 1
            domains = _domains(tuple(gold))
            turns[domains] = turns.get(domains, 0) + 1
            if wrong_domains:
                for domain in domains.intersection(wrong_domains):
                    wrong_turns[domain] = wrong_turns.get(domain, 0) + 1
        for (slot, value), (first, count) in right.items():
            text = value_text(value)
            findings[_domain(slot), slot, "correct", "", str(first), text, text] = count
        for domains, count in turns.items():
            for domain in domains:
                sums["domain", domain, "turns"] += count
                sums["domain", domain, "right"] += count
        for domain, count in wrong_turns.items():
            sums["domain", domain, "right"] -= count
        return findings

    def summary(self, row: TrackedDialogue) -> tuple[str, str]:
        """Return the number of wrong turns, and the first utterance of the user."""
        wrong = sum(not turn.exact for turn in row.turns)
        return f"{wrong} of {len(row.turns)} turns wrong", next((turn.user for turn in row.turns if turn.user), "")

    def texts(self, row: TrackedDialogue) -> Iterator[str]:
        """Yield the utterances of both speakers, and every slot and value of both states.

        Example:
            >>> states = {"gold": {"inn-area": "east"}, "pred": {"inn-area": ("west", "west end")}}
            >>> turn = TrackedTurn(turn=0, exact=False, slots={}, user="Hello", **states)
            >>> list(KIND.texts(TrackedDialogue("d", (turn,))))
            ['', 'Hello', 'inn-area', 'east', 'inn-area', 'west | west end']
        """
        for turn in row.turns:
            yield from (turn.system, turn.user)
            for state in (turn.gold, turn.pred):
                for slot, value in state.items():
                    yield from (slot, value_text(value))

    def page(self, row: TrackedDialogue, filters: Mapping[str, str], slots: Sequence[str] = ()) -> dict[str, Any]:
        """Return the turn × slot grid.

        Example:
            >>> from dialmeter.tracking.compared import SlotOutcome
            >>> slots = {"inn-area": SlotOutcome("missed", "new")}
            >>> turn = TrackedTurn(turn=0, user="East.", gold={"inn-area": "east"}, pred={}, exact=False, slots=slots)
            >>> shown = KIND.page(TrackedDialogue("d", (turn,)), {"class": "missed"})
            >>> shown["turns"][0]["cells"][0]["sign"], shown["turns"][0]["cells"][0]["marked"], shown["domains"]
            ('−', True, [('inn', 1)])
        """
        slots = slots or _columns(row)
        turns = [
            {**asdict(turn), "cells": [_cell(slot, turn, before, filters) for slot in slots]}
            for before, turn in zip((_BEFORE, *row.turns), row.turns, strict=False)
        ]
        counts = dict.fromkeys((*SIGNS, "carried-over"), 0)
        for cell in filter(None, (cell for turn in turns for cell in turn["cells"])):
            # Carried-over mistakes are counted separately.
            counts["carried-over" if cell["carried"] else cell["kind"]] += 1
        return {
            "id": row.id,
            "slots": slots,
            "domains": [(name, len(list(group))) for name, group in groupby(slots, domain_of)],
            "turns": turns,
            "classes": counts,
            "spoken": any(turn.user or turn.system for turn in row.turns),
        }

    def pair(self, first: TrackedDialogue, second: TrackedDialogue, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return two trackers' states of one dialogue: for every turn, the slots that changed or that either tracker has wrong."""
        slots = _columns(first, second)
        own, other = (self.page(row, filters, slots) for row in (first, second))
        others = {turn["turn"]: turn["cells"] for turn in other["turns"]}
        for turn in own["turns"]:
            pairs = zip(slots, turn["cells"], others.get(turn["turn"], [None] * len(slots)), strict=True)
            turn["pairs"] = [
                pair
                for pair in pairs
                if any(cell and (cell["fresh"] or cell["kind"] != "correct") for cell in pair[1:])
            ]
        wanted = filters.get("slot")
        opened = [
            turn["turn"] for turn in own["turns"] if any(_differs(*pair, wanted=wanted) for pair in turn["pairs"])
        ]
        return {**own, "opened": opened[0] if opened else None}

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield the measures, the turns, the distribution of scores and the mistakes."""
        yield measures_chart(run, link)
        yield turns_chart(run, link)
        yield from spread_charts(run, link)
        yield mistakes_chart(run, link)
        wrong = run.findings.counts("slot", where={"class": "wrong"})
        for (slot,) in sorted(wrong, key=lambda key: (-wrong[key], key))[:_CONFUSED_SLOTS]:
            yield values_chart(run, link, slot)

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield shares of right turns and numbers of mistakes, by domain, slot and turn."""
        if mistakes := _stored_mistakes(run.manifest)[:_MOST_MISTAKES]:
            yield _add_links(mistakes_table(mistakes), mistakes, run, link)
        for group, unit in (("domain", "turns"), ("slot", "turns"), ("turn", "dialogues")):
            kinds = run.findings.counts(group, "class")
            carried = run.findings.counts(group, where={"age": "carried-over"})
            rows: list[list[Cell]] = []
            named = {name for name, kind in kinds if group == "turn" or kind in (*MISTAKES, "correct")}
            for name in sorted(named, key=int if group == "turn" else str):
                right_class = RIGHT_TURN if group == "turn" else "correct"
                right = kinds[name, right_class]
                if group == "domain":
                    units, right = (run.findings.sums[group, name, count] for count in ("turns", "right"))
                elif group == "slot":
                    units = right + kinds[name, "missed"] + kinds[name, "wrong"]
                else:
                    units = right + kinds[name, WRONG_TURN]
                    right_class = RIGHT_TURN if right else WRONG_TURN
                cells_and_filters: list[tuple[str, dict[str, str]]] = [
                    (str(units), {}),
                    (
                        percent(right / units) if units else "–",
                        {"class": right_class} if kinds[name, right_class] else {},
                    ),
                    *((str(kinds[name, kind]), {"class": kind}) for kind in MISTAKES),
                    *([] if group == "turn" else [(str(carried[(name,)]), {"age": "carried-over"})]),
                ]
                # An empty text is not a filter: dialogues without a domain cannot be listed.
                cells = [(text, {group: name, **more}) if name else text for text, more in cells_and_filters]
                rows.append([name or "(none)", *cells])
            headings = (group, unit, "right, %", *MISTAKES, *([] if group == "turn" else ["of these carried over"]))
            numeric = range(6) if group == "turn" else None
            yield linked_table(run, link, f"by {group}", headings, rows, numeric=numeric)


KIND = TrackerKind()


def _differs(
    slot: str, first: Mapping[str, Any] | None, second: Mapping[str, Any] | None, *, wanted: str | None
) -> bool:
    """Return whether two trackers have different values for a slot, if it is the wanted one; by default any slot."""
    return wanted in (None, slot) and (first and first["pred"]) != (second and second["pred"])


def _stored_mistakes(manifest: Mapping[str, Any]) -> list[Mistake]:
    """Return the mistakes in the manifest of a run; none if they are missing or malformed."""
    try:
        return msgspec.convert(manifest.get("mistakes", []), list[Mistake])
    except msgspec.ValidationError:
        return []


def _add_links(table: Table, mistakes: Sequence[Mistake], run: OpenedRun, link: RowsLink) -> Table:
    """Return the table of mistakes with links from its numbers to the dialogues."""
    links = {}
    for at, each in enumerate(mistakes):
        sides = {name: value for name, value in (("gold", each.gold), ("pred", each.pred)) if value}
        kind = "extra" if each.gold is None else "missed" if each.pred is None else "wrong"
        if address := link(run, {"slot": each.slot, "class": kind, **sides}):
            links[at, 3] = address
    return replace(table, links=links)
