"""The sheet on which annotators judge candidates, and the patch that is made of filled sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec import Struct

from ...errors import InputError, one_line
from ...model import dialogue_key
from ...readers.csv_files import csv_text, read_csv
from ...readers.pairs.slot_names import slot_namer
from ...readers.source import Source
from ...tracking.gold_patch import Correction, GoldPatch
from .audit import GoldAudit, RankedCandidate
from .candidates import KINDS, Candidate
from .trackers import Utterances

VERDICTS = {
    "wrong": "gold is wrong, and the proposed value is right",
    "other": "gold is wrong, and another value is right: write it into the column value; empty is no value",
    "right": "gold is right",
    "inconsistent": "gold can be defended, but other dialogues are annotated in another way",
    "unclear": "nobody can tell",
}
COLUMNS = (
    "number", "kind", "dialogue", "turn", "slot", "gold", "proposed", "votes", "talk", "verdict", "value", "note", "data",
    "changes", "key",
)  # fmt: skip
KEPT = ("number", "dialogue", "turn", "slot", "verdict", "value", "note", "data", "changes", "key")
"""What the page saves: enough to make a patch."""
_NEEDED = ("verdict", "data", "changes", "key")


class AuditRow(Struct, frozen=True):
    """A candidate as an annotator sees it; all cells are text."""

    number: str
    kind: str
    dialogue: str
    turn: str
    slot: str
    gold: str
    proposed: str
    votes: str
    talk: str
    data: str
    changes: str
    key: str


def sheet_rows(audit: GoldAudit) -> list[AuditRow]:
    """The candidates of an audit, the strongest first."""
    data = audit.trackers.trackers[0].result.data
    return [
        _row(number, each, audit.talk.get(dialogue_key(each.candidate.dialogue), {}), data)
        for number, each in enumerate(audit.ranked, 1)
    ]


def _row(number: int, ranked: RankedCandidate, talk: Mapping[int, Utterances], data: str) -> AuditRow:
    found = ranked.candidate
    return AuditRow(
        str(number),
        KINDS[found.kind],
        found.dialogue,
        str(found.turn),
        found.slot,
        found.gold or "",
        proposal(found),
        "\n".join(f"{one_line(name, 60)}: {said}" for name, said in votes_said(found).items()),
        "\n".join(
            f"{turn} {who}: {one_line(text, 2000)}"
            for turn, said in sorted(talk.items())
            for who, text in (("system", said.system), ("user", said.user))
            if text
        ),
        data,
        msgspec.json.encode([msgspec.structs.astuple(each) for each in found.corrections]).decode(),
        GoldPatch(found.corrections).digest,
    )


def proposal(candidate: Candidate) -> str:
    """What the correction would do, in words.

    Example:
        >>> move = Correction("d1", "hotel-area", 2, 3, "east", None)
        >>> proposal(Candidate("early", "d1", 2, "hotel-area", "east", "hotel-area", None, 1.0, (move,), {}))
        'no value at turns 2 to 3'
    """
    if candidate.proposed is None:
        what = "no value"
    elif candidate.proposed_slot == candidate.slot:
        what = candidate.proposed
    else:
        what = f"{candidate.proposed_slot} = {candidate.proposed}"
    place = candidate.proposed_slot, candidate.proposed
    given = [each for each in candidate.corrections if (each.slot, each.value) == place]
    gone = [each for each in candidate.corrections if each.value is None and candidate.proposed is not None]
    before = f"; no value {_turns(gone)}" if gone and candidate.proposed_slot == candidate.slot else ""
    return f"{what} {_turns(given)}{before}"


def _turns(corrections: Sequence[Correction]) -> str:
    first, last = min(each.first for each in corrections), max(each.last for each in corrections)
    return f"at turn {first}" if first == last else f"at turns {first} to {last}"


def votes_said(candidate: Candidate) -> dict[str, str]:
    """By tracker, what it has in the slots in question."""
    several = candidate.proposed_slot != candidate.slot
    return {
        name: ", ".join(
            f"{f'{vote.slot} = ' if several else ''}{one_line(vote.value, 60)} from turn {vote.first}" for vote in votes
        )
        or "no value"
        for name, votes in candidate.votes.items()
    }


def csv_sheet(rows: Sequence[AuditRow]) -> str:
    """A sheet for a spreadsheet program. No cell is a formula."""
    return csv_text(COLUMNS, ([str(getattr(row, name, "")) for name in COLUMNS] for row in rows))


class FilledSheets(Struct, frozen=True):
    """What annotators said.

    Attributes:
        patch: the corrections on which all annotators of a candidate agree.
        verdicts: how many candidates have which verdict; ``disagreement`` where annotators differ.
        candidates: how many there are.
    """

    patch: GoldPatch
    verdicts: dict[str, int]
    candidates: int


class _Judged(Struct, frozen=True):
    verdict: str
    corrections: tuple[Correction, ...]
    place: str


def read_sheets(paths: Sequence[str]) -> FilledSheets:
    """Makes a patch from filled sheets, one per annotator.

    Raises:
        InputError: a sheet that cannot be read, of other gold, or with two corrections of one slot at one turn; with the line.
    """
    found: dict[str, list[_Judged]] = {}
    data: dict[str, str] = {}
    for path in paths:
        for key, (judged, made_for) in _read_sheet(path).items():
            found.setdefault(key, []).append(judged)
            data.setdefault(made_for, judged.place)
    if len(data) > 1:
        one, other = list(data.items())[:2]
        raise InputError(f"{other[1]}: the sheet was made for gold {other[0]}, and {one[1]} for gold {one[0]}")
    verdicts: Counter[str] = Counter()
    taken: list[_Judged] = []
    for each in found.values():
        given = {(judged.verdict, judged.corrections) for judged in each if judged.verdict}
        verdict = next(iter(given))[0] if len(given) == 1 else "disagreement" if given else "no verdict"
        verdicts[verdict] += 1
        if verdict in ("wrong", "other"):
            taken.append(next(judged for judged in each if judged.verdict))
    _check_apart(taken)
    order = [*VERDICTS, "disagreement", "no verdict"]
    return FilledSheets(
        GoldPatch([each for judged in taken for each in judged.corrections], next(iter(data), "")),
        {word: verdicts[word] for word in order if verdicts[word]},
        len(found),
    )


def _read_sheet(path: str) -> dict[str, tuple[_Judged, str]]:
    found: dict[str, tuple[_Judged, str]] = {}
    hint = "`tracker audit --sheet` writes a sheet"
    for line, row in read_csv(Source(path), _NEEDED, hint).rows:
        cells = {name: row.get(name, "").strip() for name in (*_NEEDED, "value")}
        if cells["verdict"] not in ("", *VERDICTS):
            known = ", ".join(VERDICTS)
            raise InputError(f"verdict is {known}, not {one_line(cells['verdict'])!r}", file=path, line=line)
        if cells["key"] in found:
            raise InputError("a candidate that is in the sheet twice", file=path, line=line)
        judged = _Judged(cells["verdict"], _corrections(cells, path, line), f"{Path(path).name} line {line}")
        found[cells["key"]] = judged, cells["data"]
    if not found:
        raise InputError("the sheet has no candidate", file=path)
    return found


def _corrections(cells: Mapping[str, str], path: str, line: int) -> tuple[Correction, ...]:
    """The corrections of a row as its verdict wants them."""
    try:
        parts = msgspec.json.decode(cells["changes"], type=list[tuple[str, str, int, int, str | None, str | None]])
    except msgspec.DecodeError:
        parts = []
    corrections = tuple(Correction(*each) for each in parts)
    if not corrections or GoldPatch(corrections).digest != cells["key"]:
        raise InputError(
            "the columns changes and key were edited; only verdict, value and note are", file=path, line=line
        )
    if cells["verdict"] != "other":
        return corrections
    slot = corrections[0].slot
    value = cells["value"] or None
    own = [each for each in corrections if each.slot == slot]
    # Where a part of the turns gets a value, only this part gets the other one.
    given = [each for each in own if each.value is not None] or own
    return tuple(msgspec.structs.replace(each, value=value) if each in given else each for each in own)


def _check_apart(taken: Sequence[_Judged]) -> None:
    """Raises InputError where two approved candidates correct one slot at one turn."""
    name_of = slot_namer()
    by_slot: dict[tuple[str, str], list[tuple[Correction, str]]] = {}
    for judged in taken:
        for each in judged.corrections:
            by_slot.setdefault((dialogue_key(each.dialogue), name_of(each.slot)), []).append((each, judged.place))
    for group in by_slot.values():
        for (one, here), (other, there) in combinations(group, 2):
            if here != there and one.first <= other.last and other.first <= one.last:
                message = f"{there}: corrects what {here} corrects; approve one of the two"
                raise InputError(message, dialogue=other.dialogue, turn=max(one.first, other.first), slot=other.slot)
