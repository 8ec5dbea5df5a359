"""Tracker runs: a row is a dialogue, and a finding is the result for a slot at a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ...model import Value, domain_of
from ...tracking.diagnosis.findings import Mistake
from ..chart_files import Chart, chart
from ..charts import lines
from ..tables import Table, percent
from ..tracker import mistakes_table
from .charts import confusion_chart, measures_chart, mistakes_chart, of_run, spread_charts, turns_chart
from .findings import RIGHT_TURN, WRONG_TURN, Finding
from .kinds import Cell, Conditions, Field, Grouping, RowsLink, RunKind, Scanned, linked_table, no_link
from .tracker_grid import grid, shown, side_by_side

if TYPE_CHECKING:
    from .opened import Opened

MISTAKES = ("missed", "wrong", "over")
_MOST_MISTAKES = 20
"""How many pairs of gold and predicted value a page shows."""
_CONFUSED_SLOTS = 2
"""How many slots have a chart of gold and predicted values."""


class _Cell(Struct, frozen=True, gc=False):
    """The result for a slot."""

    kind: str = field(name="class")
    age: str | None = None


class _Step(Struct, frozen=True):
    """A turn of a row, without the talk."""

    turn: int
    exact: bool
    gold: dict[str, Value]
    pred: dict[str, Value]
    slots: dict[str, _Cell]


class _Row(Struct, frozen=True):
    """A row, as far as it is counted."""

    id: str
    turns: tuple[_Step, ...]


_DECODER = msgspec.json.Decoder(_Row)


class _SpokenStep(_Step, frozen=True, kw_only=True):
    """A turn of a row, with the talk."""

    user: str
    system: str


class ShownDialogue(Struct, frozen=True):
    """A row, as it is shown."""

    id: str
    turns: tuple[_SpokenStep, ...]


_domain = lru_cache(maxsize=4096)(domain_of)


@lru_cache(maxsize=4096)
def _domains(slots: tuple[str, ...]) -> frozenset[str]:
    """The domains of slots: states of few slots come again and again."""
    return frozenset(map(domain_of, slots))


class TrackerKind(RunKind):
    """Runs of ``tracker score``."""

    NAME = "tracker"
    UNIT = ("dialogue", "dialogues")
    ROW = ShownDialogue
    FIRST_COLUMN = "FGA(lam=0.5)"
    MISTAKEN: ClassVar[Conditions] = {"class": MISTAKES}
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
    FIELDS = (
        Field("domain", "domain"),
        Field("slot", "slot"),
        Field("class", "class"),
        Field("age", "new or carried"),
        Field("turn", "turn"),
        Field("gold", "gold value", listed=False),
        Field("pred", "predicted value", listed=False),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """A mistake is found at each of its turns, a right value where it begins, and every turn as right or wrong.

        Example:
            >>> KIND.scan(b'{"id": "d", "turns": [{"turn": 0, "exact": false, "gold": {"inn-area": "east"}, "pred": {}, '
            ...           b'"slots": {"inn-area": {"class": "missed", "age": "new"}}}]}', Counter()).findings
            {('inn', 'inn-area', 'missed', 'new', '0', 'east', ''): 1, ('', '', 'turn wrong', '', '0', '', ''): 1}
        """
        row = _DECODER.decode(line)
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
                    begun = right.get((slot, value))
                    if begun is None:
                        right[slot, value] = [step.turn, 1]
                    else:
                        begun[1] += 1
                else:
                    domain, wanted = _domain(slot), gold.get(slot)
                    wrong_domains.append(domain)
                    # Most values are plain texts, and a call for each would take half of the time.
                    finding = (
                        domain,
                        slot,
                        cell.kind,
                        cell.age or "",
                        turn,
                        wanted if type(wanted) is str else shown(wanted),
                        value if type(value) is str else shown(value),
                    )
                    findings[finding] = 1
            findings["", "", RIGHT_TURN if step.exact else WRONG_TURN, "", turn, "", ""] = 1
            domains = _domains(tuple(gold))
            turns[domains] = turns.get(domains, 0) + 1
            if wrong_domains:
                for domain in domains.intersection(wrong_domains):
                    wrong_turns[domain] = wrong_turns.get(domain, 0) + 1
        for (slot, value), (first, count) in right.items():
            text = shown(value)
            findings[_domain(slot), slot, "correct", "", str(first), text, text] = count
        for domains, count in turns.items():
            for domain in domains:
                sums["domain", domain, "turns"] += count
                sums["domain", domain, "right"] += count
        for domain, count in wrong_turns.items():
            sums["domain", domain, "right"] -= count
        return Scanned(row.id, findings)

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """How many turns are wrong, and what the user said first."""
        turns = row["turns"]
        wrong = sum(not turn["exact"] for turn in turns)
        return f"{wrong} of {len(turns)} turns wrong", next((turn["user"] for turn in turns if turn["user"]), "")

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """What both said, and every slot and value of both states.

        Example:
            >>> turn = {"system": "", "user": "Hello", "gold": {"inn-area": "east"}, "pred": {"inn-area": ["west", "west end"]}}
            >>> list(KIND.texts({"turns": [turn]}))
            ['', 'Hello', 'inn-area', 'east', 'inn-area', 'west | west end']
        """
        for turn in row["turns"]:
            yield from (turn["system"], turn["user"])
            for state in (turn["gold"], turn["pred"]):
                for slot, value in state.items():
                    yield from (slot, shown(value))

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """The turn × slot grid."""
        return grid(row, wanted)

    def pair(self, first: Mapping[str, Any], second: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """Both trackers' states under the same talk."""
        return side_by_side(first, second, wanted)

    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """Measures and turns of all runs together, then the spread and the mistakes of each."""
        yield measures_chart(runs, link)
        if len(runs) > 1:
            values = {run.key: {score["measure"]: score.get("value") for score in run.scores} for run in runs}
            title = "Do measures agree on the order?"
            yield chart("parallel", title, lines.draw_parallel, lines.parallel_table, values)
        yield turns_chart(runs, link)
        for run in runs:
            of = of_run(run, runs)
            yield from spread_charts(run, link, of)
            yield mistakes_chart(run, link, of)
            wrong = run.findings.counts("slot", where={"class": "wrong"})
            for (slot,) in sorted(wrong, key=lambda key: (-wrong[key], key))[:_CONFUSED_SLOTS]:
                yield confusion_chart(run, link, slot, of)

    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that makes the run again, in the folder of its input."""
        inputs = {each.get("role"): str(each.get("name")) for each in manifest.get("inputs") or ()}
        tracker = next((each["tracker"] for each in manifest.get("inputs") or () if each.get("tracker")), "")
        file = inputs.pop("predictions", "FILE") + (f"#{tracker}" if tracker else "")
        words = ["tracker", "score", file]
        for role, name in inputs.items():
            words += [f"--{role}", name]
        rules = manifest.get("rules") or {}
        words += ["--rules", str(rules.get("name", "dialmeter"))]
        for measure in manifest.get("measures") or ():
            words += ["--measure", str(measure)]
        if manifest.get("seed") is not None:
            words += ["--seed", str(manifest["seed"])]
        return words

    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Shares of right turns and numbers of mistakes, by domain, slot and turn."""
        if mistakes := _mistakes(run.manifest)[:_MOST_MISTAKES]:
            yield _with_links(mistakes_table(mistakes), mistakes, run, link)
        found = run.findings
        for group in ("domain", "slot"):
            kinds = found.counts(group, "class")
            carried = found.counts(group, where={"age": "carried-over"})
            rows: list[list[Cell]] = []
            for name in sorted({name for name, kind in kinds if kind in (*MISTAKES, "correct")}):
                missed, wrong, _ = (kinds[name, kind] for kind in MISTAKES)
                if group == "domain":
                    turns, right = (found.sums[group, name, what] for what in ("turns", "right"))
                else:
                    right = kinds[name, "correct"]
                    turns = right + missed + wrong
                share = percent(right / turns) if turns else "–"
                # An empty text is no filter, so that dialogues without a domain cannot be listed.
                of = {group: name} if name else None
                counted: list[tuple[str, dict[str, str]]] = [
                    (str(turns), {}),
                    (share, {"class": "correct"} if kinds[name, "correct"] else {}),
                    *((str(kinds[name, kind]), {"class": kind}) for kind in MISTAKES),
                    (str(carried[(name,)]), {"age": "carried-over"}),
                ]
                cells = [(text, {**of, **more}) if of else text for text, more in counted]
                rows.append([name or "(none)", *cells])
            headings = (group, "turns", "right, %", *MISTAKES, "of these carried over")
            yield linked_table(run, link, f"by {group}", headings, rows)
        turns_by = found.counts("turn", "class")
        rows = []
        for number in sorted({int(turn) for turn, _ in turns_by}):
            turn = str(number)
            right, wrong = turns_by[turn, RIGHT_TURN], turns_by[turn, WRONG_TURN]
            rows.append(
                [
                    turn,
                    (str(right + wrong), {"turn": turn}),
                    (
                        percent(right / ((right + wrong) or 1)),
                        {"turn": turn, "class": RIGHT_TURN if right else WRONG_TURN},
                    ),
                    *((str(turns_by[turn, kind]), {"turn": turn, "class": kind}) for kind in MISTAKES),
                ]
            )
        columns = ("turn", "dialogues", "right, %", *MISTAKES)
        yield linked_table(run, link, "by turn", columns, rows, numeric=range(6))


KIND = TrackerKind()


def _mistakes(manifest: Mapping[str, Any]) -> list[Mistake]:
    """The mistakes that a run has noted; none where the manifest lacks them or is malformed."""
    try:
        return msgspec.convert(manifest.get("mistakes", []), list[Mistake])
    except msgspec.ValidationError:
        return []


def _with_links(table: Table, mistakes: Sequence[Mistake], run: Opened, link: RowsLink) -> Table:
    """The table of mistakes, whose numbers lead to their dialogues."""
    links = {}
    for at, each in enumerate(mistakes):
        sides = {name: value for name, value in (("gold", each.gold), ("pred", each.pred)) if value}
        kind = "over" if each.gold is None else "missed" if each.pred is None else "wrong"
        if address := link(run, {"slot": each.slot, "class": kind, **sides}):
            links[at, 3] = address
    return replace(table, links=links)
