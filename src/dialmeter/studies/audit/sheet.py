"""Sheets on which annotators judge candidates, and the patch that is made from filled sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec import Struct

from ...errors import InputError, one_line
from ...model import dialogue_key
from ...readers.pairs.slot_names import slot_namer
from ...readers.sheets import Cells, SheetKind, check_word
from ...tracking.gold_patch import Correction, GoldPatch
from .audit import GoldAudit
from .candidates import KINDS, Candidate

VERDICTS = {
    "wrong": "gold is wrong, and the proposed value is right",
    "other": "gold is wrong, and another value is right: write it into the column value; empty is no value",
    "right": "gold is right",
    "inconsistent": "gold is acceptable, but other dialogues are annotated differently",
    "unclear": "it cannot be decided",
}
SHEET = SheetKind(
    columns=(
        "number", "kind", "dialogue", "turn", "slot", "gold", "proposed", "votes", "talk", "verdict", "value", "note", "data",
        "changes", "key",
    ),
    needed=("verdict", "data", "changes", "key"),
    hint="`tracker audit --make-sheets` writes a sheet",
    title="Likely errors of gold",
    help=(
        "Read the dialogue, compare gold with the votes of the trackers, and choose a verdict. Trackers may be wrong.",
    ),
    choices={"verdict": VERDICTS},
    fields=("value", "note"),
    jump={"other": "value"},
    heading="{slot}, dialogue {dialogue}, turn {turn}",
    shown={"kind": "kind", "gold": "gold", "proposed": "proposed", "votes": "votes"},
    saved=("number", "dialogue", "turn", "slot", "verdict", "value", "note", "data", "changes", "key"),
)  # fmt: skip


def sheet_rows(audit: GoldAudit) -> list[Cells]:
    """Return the rows of a sheet for the candidates of an audit, the strongest first."""
    data = audit.trackers.trackers[0].result.gold
    return [
        {
            "number": str(number),
            "kind": KINDS[candidate.kind],
            "dialogue": candidate.dialogue,
            "turn": str(candidate.turn),
            "slot": candidate.slot,
            "gold": candidate.gold or "",
            "proposed": proposal(candidate),
            "votes": "\n".join(f"{one_line(name, 60)}: {votes}" for name, votes in format_votes(candidate).items()),
            "talk": "\n".join(
                f"{turn} {speaker}: {one_line(text, 2000)}"
                for turn, utterances in sorted(audit.talk.get(dialogue_key(candidate.dialogue), {}).items())
                for speaker, text in zip(utterances._fields, utterances, strict=True)
                if text
            ),
            "data": data,
            "changes": msgspec.json.encode([msgspec.structs.astuple(each) for each in candidate.corrections]).decode(),
            "key": GoldPatch(candidate.corrections).digest,
        }
        for number, candidate in enumerate((ranked.candidate for ranked in audit.ranked), 1)
    ]


def proposal(candidate: Candidate) -> str:
    """Describe the correction of a candidate in words.

    Example:
        >>> move = Correction("d1", "hotel-area", 2, 3, "east", None)
        >>> proposal(Candidate("early", "d1", 2, "hotel-area", "east", "hotel-area", None, 1.0, (move,), {}))
        'no value at turns 2 to 3'
    """
    if candidate.proposed is None:
        new = "no value"
    elif candidate.proposed_slot == candidate.slot:
        new = candidate.proposed
    else:
        new = f"{candidate.proposed_slot} = {candidate.proposed}"
    pair = candidate.proposed_slot, candidate.proposed
    changed = [each for each in candidate.corrections if (each.slot, each.value) == pair]
    removed = [each for each in candidate.corrections if each.value is None and candidate.proposed is not None]
    before = f"; no value {_format_turns(removed)}" if removed and candidate.proposed_slot == candidate.slot else ""
    return f"{new} {_format_turns(changed)}{before}"


def _format_turns(corrections: Sequence[Correction]) -> str:
    first, last = min(each.first for each in corrections), max(each.last for each in corrections)
    return f"at turn {first}" if first == last else f"at turns {first} to {last}"


def format_votes(candidate: Candidate) -> dict[str, str]:
    """Return, for each tracker, its values in the slots of the candidate as text."""
    has_two_slots = candidate.proposed_slot != candidate.slot
    return {
        name: ", ".join(
            f"{f'{vote.slot} = ' if has_two_slots else ''}{one_line(vote.value, 60)} from turn {vote.first}"
            for vote in votes
        )
        or "no value"
        for name, votes in candidate.votes.items()
    }


class FilledSheets(Struct, frozen=True):
    """The verdicts of annotators.

    Attributes:
        patch: the corrections on which all annotators of a candidate agree.
        verdicts: number of candidates by verdict; ``disagreement`` if annotators differ.
        candidates: number of candidates.
    """

    patch: GoldPatch
    verdicts: dict[str, int]
    candidates: int


class _JudgedCandidate(Struct, frozen=True):
    verdict: str
    corrections: tuple[Correction, ...]
    place: str


def read_sheets(paths: Sequence[str]) -> FilledSheets:
    """Make a patch from filled sheets, one per annotator.

    Raises:
        InputError: a sheet is invalid, was made for other gold, or has two corrections of one slot at one turn; the error has
            the line.
    """
    by_key: dict[str, list[_JudgedCandidate]] = {}
    data: dict[str, str] = {}
    for path in paths:
        for key, (judged, digest) in _read_sheet(path).items():
            by_key.setdefault(key, []).append(judged)
            data.setdefault(digest, judged.place)
    if len(data) > 1:
        one, other = list(data.items())[:2]
        raise InputError(f"{other[1]}: the sheet was made for gold {other[0]}, but {one[1]} for gold {one[0]}")
    verdicts: Counter[str] = Counter()
    approved: list[_JudgedCandidate] = []
    for of_candidate in by_key.values():
        decisions = {(judged.verdict, judged.corrections) for judged in of_candidate if judged.verdict}
        verdict = next(iter(decisions))[0] if len(decisions) == 1 else "disagreement" if decisions else "no verdict"
        verdicts[verdict] += 1
        if verdict in ("wrong", "other"):
            approved.append(next(judged for judged in of_candidate if judged.verdict))
    _check_overlaps(approved)
    order = [*VERDICTS, "disagreement", "no verdict"]
    return FilledSheets(
        GoldPatch([each for judged in approved for each in judged.corrections], next(iter(data), "")),
        {word: verdicts[word] for word in order if verdicts[word]},
        len(by_key),
    )


def _read_sheet(path: str) -> dict[str, tuple[_JudgedCandidate, str]]:
    """Return the judged candidates of a sheet and the digest of their gold, by key."""
    candidates: dict[str, tuple[_JudgedCandidate, str]] = {}

    def take(cells: dict[str, str], line: int) -> None:
        verdict = cells["verdict"] and check_word("verdict", cells["verdict"], VERDICTS)
        if cells["key"] in candidates:
            raise InputError("duplicate candidate")
        judged = _JudgedCandidate(verdict, _corrections(cells), f"{Path(path).name} line {line}")
        candidates[cells["key"]] = judged, cells["data"]

    SHEET.read(path, take)
    if not candidates:
        raise InputError("the sheet has no candidates", file=path)
    return candidates


def _corrections(cells: Mapping[str, str]) -> tuple[Correction, ...]:
    """Return the corrections of a row according to its verdict."""
    try:
        parts = msgspec.json.decode(cells["changes"], type=list[tuple[str, str, int, int, str | None, str | None]])
    except msgspec.DecodeError:
        parts = []
    corrections = tuple(Correction(*each) for each in parts)
    if not corrections or GoldPatch(corrections).digest != cells["key"]:
        raise InputError("the column changes or key was edited; edit only verdict, value and note")
    if cells["verdict"] != "other":
        return corrections
    slot = corrections[0].slot
    value = cells["value"] or None
    own = [each for each in corrections if each.slot == slot]
    # If only some of the turns get a value, only these turns get the other value.
    replaced = [each for each in own if each.value is not None] or own
    return tuple(msgspec.structs.replace(each, value=value) if each in replaced else each for each in own)


def _check_overlaps(approved: Sequence[_JudgedCandidate]) -> None:
    """Raise InputError if two approved candidates correct the same slot at the same turn."""
    name_of = slot_namer()
    by_slot: dict[tuple[str, str], list[tuple[Correction, str]]] = {}
    for judged in approved:
        for each in judged.corrections:
            by_slot.setdefault((dialogue_key(each.dialogue), name_of(each.slot)), []).append((each, judged.place))
    for group in by_slot.values():
        for (one, here), (other, there) in combinations(group, 2):
            if here != there and one.first <= other.last and other.first <= one.last:
                message = f"{there}: corrects the same slot and turn as {here}; approve only one of them"
                raise InputError(message, dialogue=other.dialogue, turn=max(one.first, other.first), slot=other.slot)
