"""Tracker runs: a row is a dialogue, and a finding is what became of a slot at a turn."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from ...model import Value, domain_of
from ...tracking.diagnosis.findings import Mistake
from ..html_env import score
from ..tables import Table, percent
from ..tracker import mistakes_table
from .findings import Finding
from .headline import first_score, score_table
from .kinds import Field, Headline, Picture, RowsLink, Scanned

if TYPE_CHECKING:
    from .kinds import Column
    from .opened import Opened

NAME = "tracker"
UNIT = ("dialogue", "dialogues")
HIGHER_IS_BETTER = True
PAGE = "tracker_row.html"
FIELDS = (
    Field("domain", "domain"),
    Field("slot", "slot"),
    Field("class", "class"),
    Field("age", "new or carried"),
    Field("turn", "turn"),
    Field("gold", "gold value", listed=False),
    Field("pred", "predicted value", listed=False),
)
MISTAKES = ("missed", "wrong", "over")
RIGHT_TURN, WRONG_TURN = "turn right", "turn wrong"


class Cell(Struct, frozen=True, gc=False):
    """What became of a slot."""

    kind: str = field(name="class")
    age: str | None = None


class Step(Struct, frozen=True):
    """A turn of a row, without the talk."""

    turn: int
    exact: bool
    gold: dict[str, Value]
    pred: dict[str, Value]
    slots: dict[str, Cell]


class Row(Struct, frozen=True):
    """A row, as far as it is counted."""

    id: str
    turns: tuple[Step, ...]


_DECODER = msgspec.json.Decoder(Row)


class _SpokenStep(Step, frozen=True, kw_only=True):
    """A turn of a row, with the talk."""

    user: str
    system: str


class ShownDialogue(Struct, frozen=True):
    """A row, as it is shown."""

    id: str
    turns: tuple[_SpokenStep, ...]


ROW = ShownDialogue


def scan(line: bytes, sums: Counter[Finding]) -> Scanned:
    """A mistake is found at each of its turns, a right value where it begins, and every turn as right or wrong.

    Example:
        >>> scan(b'{"id": "d", "turns": [{"turn": 0, "exact": false, "gold": {"inn-area": "east"}, "pred": {}, '
        ...      b'"slots": {"inn-area": {"class": "missed", "age": "new"}}}]}', Counter()).findings
        {('inn', 'inn-area', 'missed', 'new', '0', 'east', ''): 1, ('', '', 'turn wrong', '', '0', '', ''): 1}
    """
    row = _DECODER.decode(line)
    findings: dict[Finding, int] = {}
    begun: dict[tuple[str, str], Finding] = {}
    for step in row.turns:
        turn = str(step.turn)
        wrong_domains = set()
        for slot, cell in step.slots.items():
            domain, pred = domain_of(slot), shown(step.pred.get(slot))
            if cell.kind == "correct":
                finding = begun.get((slot, pred))
                if finding is None:
                    finding = begun[slot, pred] = (domain, slot, "correct", "", turn, pred, pred)
                findings[finding] = findings.get(finding, 0) + 1
            else:
                wrong_domains.add(domain)
                findings[domain, slot, cell.kind, cell.age or "", turn, shown(step.gold.get(slot)), pred] = 1
        for domain in {domain_of(slot) for slot in step.gold}:
            sums["domain", domain, "turns"] += 1
            if domain not in wrong_domains:
                sums["domain", domain, "right"] += 1
        findings["", "", RIGHT_TURN if step.exact else WRONG_TURN, "", turn, "", ""] = 1
    return Scanned(row.id, findings)


def shown(value: Value | None) -> str:
    """A value as one text; alternatives between bars, nothing for an absent one.

    Example:
        >>> shown("east"), shown(("6:00", "06:00")), shown(None)
        ('east', '6:00 | 06:00', '')
    """
    return value if isinstance(value, str) else " | ".join(value or ())


def teaser(row: Mapping[str, Any]) -> tuple[str, str]:
    """How many turns are wrong, and what the user said first."""
    turns = row["turns"]
    wrong = sum(not turn["exact"] for turn in turns)
    return f"{wrong} of {len(turns)} turns wrong", next((turn["user"] for turn in turns if turn["user"]), "")


def texts(row: Mapping[str, Any]) -> Iterator[str]:
    """What both said."""
    for turn in row["turns"]:
        yield from (turn["system"], turn["user"])


def headline(manifest: Mapping[str, Any]) -> Headline:
    """The first score."""
    return first_score(manifest)


def means(run: Opened) -> list[dict[str, Any]]:
    """None: every score stands for itself."""
    return []


def headlines(run: Opened) -> Iterator[Table]:
    """One row per measure."""
    yield score_table(run)


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
    """As in the table of the worst dialogues: FGA where it was asked for, else the first."""
    return "FGA(lam=0.5)" if "FGA(lam=0.5)" in columns else columns[0]


def again(manifest: Mapping[str, Any]) -> str:
    """The command that makes the run again, beside its input."""
    inputs = {each.get("role"): str(each.get("name")) for each in manifest.get("inputs") or ()}
    tracker = next((each["tracker"] for each in manifest.get("inputs") or () if each.get("tracker")), "")
    file = inputs.pop("predictions", "FILE") + (f"#{tracker}" if tracker else "")
    words = ["dialmeter", "tracker", "score", file]
    for role, name in inputs.items():
        words += [f"--{role}", name]
    rules = manifest.get("rules") or {}
    words += ["--rules", str(rules.get("name", "dialmeter"))]
    for measure in manifest.get("measures") or ():
        words += ["--measure", str(measure)]
    if manifest.get("seed") is not None:
        words += ["--seed", str(manifest["seed"])]
    return shlex.join(words)


def page(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """The turn × slot grid."""
    from .tracker_grid import grid

    return grid(row, wanted)


def pair(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Both trackers' states under the same talk."""
    from .tracker_grid import side_by_side

    return side_by_side(first, second)


def pictures(runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
    """The charts of trackers."""
    from .tracker_pictures import pictures as drawn

    return drawn(runs, link)


_MISTAKES = 20
"""How many pairs of gold and predicted value a page shows."""


def _mistakes(manifest: Mapping[str, Any]) -> list[Mistake]:
    """The mistakes that a run has noted; none where it was written before they were, or by somebody else."""
    try:
        return msgspec.convert(manifest.get("mistakes", []), list[Mistake])
    except msgspec.ValidationError:
        return []


def breakdowns(run: Opened) -> Iterator[Table]:
    """Shares of right turns and numbers of mistakes, by domain, slot and turn."""
    if mistakes := _mistakes(run.manifest):
        yield mistakes_table(mistakes[:_MISTAKES])
    found = run.findings
    for group in ("domain", "slot"):
        kinds = found.counts(group, "class")
        carried = found.counts(group, where={"age": "carried-over"})
        names = sorted({name for name, kind in kinds if kind in (*MISTAKES, "correct")})
        rows = []
        for name in names:
            missed, wrong, over = (kinds[name, kind] for kind in MISTAKES)
            if group == "domain":
                turns, right = (found.sums[group, name, what] for what in ("turns", "right"))
            else:
                right = kinds[name, "correct"]
                turns = right + missed + wrong
            share = percent(right / turns) if turns else "–"
            rows.append((name or "(none)", str(turns), share, *map(str, (missed, wrong, over)), str(carried[(name,)])))
        headings = (group, "turns", "right, %", *MISTAKES, "of these carried over")
        yield Table(f"by {group}", headings, tuple(rows), frozenset(range(1, 7)))
    turns_by = found.counts("turn", "class")
    numbers = sorted({int(turn) for turn, _ in turns_by})
    rows = []
    for number in numbers:
        turn = str(number)
        right, wrong = turns_by[turn, RIGHT_TURN], turns_by[turn, WRONG_TURN]
        sizes = [turns_by[turn, kind] for kind in MISTAKES]
        rows.append((turn, str(right + wrong), percent(right / ((right + wrong) or 1)), *map(str, sizes)))
    yield Table("by turn", ("turn", "dialogues", "right, %", *MISTAKES), tuple(rows), frozenset(range(6)))
