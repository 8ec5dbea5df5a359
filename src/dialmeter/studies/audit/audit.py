"""Audit of gold: values that are likely errors, ranked by the votes of trackers; sheets on which annotators judge them, and the patch
that is made from filled sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...errors import InputError, one_line
from ...model import Notice, dialogue_key
from ...readers.pairs.slot_names import slot_namer
from ...readers.pairs.vocabulary import PairDialogue
from ...readers.sheets import Cells, SheetKind, check_word
from ...stats.formulas import evaluate
from ...tracking.gold_patch import Correction, GoldPatch
from ...tracking.scorer import TrackerScorer
from ...tracking.vectors.measure_columns import columns, order_of
from .candidates import KINDS, Candidate, CandidateFinder, CorrectedScore, Utterance, words_of_mentions
from .trackers import MEASURES, TrackerSet, Utterances
from .votes import Mentions, Votes, weigh


class Reliability(Struct, frozen=True):
    """The reliability of a tracker over all slots. Precision, recall and independence are None for a tracker without a vote.

    Attributes:
        tracker: name of the tracker.
        votes: true if it votes. A file that was given gold states does not.
        equal_to_gold: the share of turns that equal gold in the slots that it predicts.
        precision: the share of its values that the majority of the others also has.
        recall: the share of the values of the majority of the others that it also has.
        independence: the part of its votes for values that it does not share with other trackers.
    """

    tracker: str
    votes: bool
    equal_to_gold: float | None
    precision: float | None
    recall: float | None
    independence: float | None


class GoldAudit(Struct, frozen=True):
    """The result of an audit.

    Attributes:
        utterances: utterances by dialogue and turn.
        mentions: number of mentions in gold.
        ranked: the strongest candidates.
        found: number of candidates.
        kinds: number of candidates by kind.
    """

    trackers: TrackerSet
    utterances: Mapping[str, Mapping[int, Utterances]]
    mentions: int
    ranked: list[Candidate]
    found: int
    kinds: dict[str, int]
    reliability: list[Reliability]
    notices: list[Notice]


def audit_gold(trackers: TrackerSet, utterances: Mapping[str, Mapping[int, Utterances]], most: int) -> GoldAudit:
    """Audit gold. ``most`` candidates are ranked, and those that tie with the last one. Dialogues may have no utterances."""
    mentions = Mentions([each.reads for each in (trackers.voters or trackers.trackers)], trackers.pairs)
    votes = weigh(mentions, len(trackers.pairs.slot_names)) if trackers.voters else None
    candidates, refused = find_candidates(trackers, mentions, votes, utterances) if votes else ([], [])
    limit = candidates[most - 1].strength if 0 < most < len(candidates) else None
    listed = [each for each in candidates if limit is None or each.strength >= limit]
    tied = Counter(each.strength for each in listed)
    ranks = dict(zip(tied, accumulate(tied.values(), initial=1), strict=False))
    corrected = corrected_scores(trackers, listed)
    ranked = []
    for number, each in enumerate(listed):
        said = utterances.get(dialogue_key(each.dialogue), {})
        talk = [
            Utterance(turn, speaker, text)
            for turn in [turn for turn in sorted(said) if turn <= each.turn][-2:]
            for speaker, text in zip(Utterances._fields, said[turn], strict=True)
            if text
        ]
        scores = [CorrectedScore(*owner, values[number]) for owner, values in corrected.items()]
        rank, count = ranks[each.strength], tied[each.strength]
        ranked.append(replace(each, rank=rank, tied=count, talk=talk, corrected=scores))
    kinds: Counter[str] = Counter(each.kind for each in candidates)
    return GoldAudit(
        trackers,
        utterances,
        sum(bool(each.gold) for each in mentions.listed),
        ranked,
        len(candidates),
        dict(sorted(kinds.items(), key=lambda each: (-each[1], each[0]))),
        _reliability(trackers, votes),
        _notices(trackers, utterances, refused),
    )


def find_candidates(
    trackers: TrackerSet, mentions: Mentions, votes: Votes, utterances: Mapping[str, Mapping[int, Utterances]]
) -> tuple[list[Candidate], list[str]]:
    """Return all candidates, the strongest first, and dialogue and slot of those that no patch can correct."""
    words = words_of_mentions(trackers, mentions, utterances)
    finder = CandidateFinder(trackers, mentions, votes, words)
    return finder.find(), finder.refused


def _reliability(trackers: TrackerSet, votes: Votes | None) -> list[Reliability]:
    columns = (votes.precision, votes.recall, votes.for_alone) if votes is not None else ()
    voters = trackers.voters if votes is not None else ()
    rates = {each.name: [float(column[at]) for column in columns] for at, each in enumerate(voters)}
    unknown = [None, None, None]
    return [
        Reliability(each.name, each.name in rates, each.check.share, *rates.get(each.name, unknown))
        for each in trackers.trackers
    ]


def _notices(
    trackers: TrackerSet, utterances: Mapping[str, Mapping[int, Utterances]], refused: Sequence[str]
) -> list[Notice]:
    # A warning about scores is not relevant for an audit.
    seen = {(n.code, n.message): n for each in trackers.trackers for n in each.result.notices if n.code != "fga-free"}
    notices = [*seen.values()]
    for each in trackers.trackers:
        if each.check.was_given_gold:
            message = (
                f"{each.name} was given gold states and has no vote: its states equal gold at "
                f"{100 * (each.check.share or 0):.1f} % of turns, in the {len(each.check.predicted)} slots that it predicts"
            )
            notices.append(Notice("given-gold", 1, message))
    missing = sum(key not in utterances for key in trackers.names)
    others = (
        ("no-votes", not trackers.voters, "no tracker has a vote, so there are no candidates"),
        (
            "one-tracker",
            len(trackers.voters) == 1,
            "only one tracker votes, and its reliability is its agreement with gold; candidates are its differences from "
            "gold, and most are its own errors; use two trackers or more",
        ),
        (
            "no-correction",
            len(refused),
            f"{len(refused)} candidates are not listed because no patch can correct them: gold has the slot under two "
            "names, or gold and trackers have the same text but the rules treat it differently on the two sides",
        ),
        (
            "no-utterances",
            missing,
            f"{missing} of {len(trackers.names)} dialogues have no utterances, so a sheet cannot show them, and the same "
            "words elsewhere have no vote; give a file with utterances: --text FILE",
        ),
    )
    return notices + [
        Notice(code, int(count), message, tuple(refused[:10]) if code == "no-correction" else ())
        for code, count, message in others
        if count
    ]


def corrected_scores(trackers: TrackerSet, candidates: Sequence[Candidate]) -> dict[tuple[str, str], list[float]]:
    """Return, for each tracker and measure, the scores of the whole corpus if one candidate alone were corrected."""
    scores: dict[tuple[str, str], list[float]] = {}
    for tracker in trackers.trackers if candidates else ():
        # Every candidate is a separate dialogue here, named by its index.
        scorer = TrackerScorer(MEASURES, trackers.rules, vocabulary=trackers.words)
        for index, candidate in enumerate(candidates):
            read = tracker.reads[dialogue_key(candidate.dialogue)]
            corrected = GoldPatch(candidate.corrections).apply(read, trackers.words)
            renamed = PairDialogue(f"{index:09}", corrected.place)
            for name in ("numbers", "gold", "pred", "turns"):
                setattr(renamed, name, getattr(corrected, name))
            scorer.add_pairs(renamed)
        new, formulas = columns(scorer.result().measure_columns, scorer.result().measures)
        measure_columns = tracker.result.measure_columns
        old, _ = columns(measure_columns, tracker.result.measures)
        keys = [dialogue_key(measure_columns.main.dialogues[position]) for position in order_of(measure_columns)]
        rows = {key: row for row, key in enumerate(keys)}
        replaced = old[[rows[dialogue_key(candidate.dialogue)] for candidate in candidates]]
        sums = old.sum(axis=0) - replaced + new
        scores |= {(tracker.name, name): evaluate(each, sums).tolist() for name, each in formulas.items()}
    return scores


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
    hint="`dialmeter study audit … --make-sheet FILE` writes a sheet",
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
                for turn, utterances in sorted(audit.utterances.get(dialogue_key(candidate.dialogue), {}).items())
                for speaker, text in zip(utterances._fields, utterances, strict=True)
                if text
            ),
            "data": data,
            "changes": msgspec.json.encode([msgspec.structs.astuple(each) for each in candidate.corrections]).decode(),
            "key": GoldPatch(candidate.corrections).digest,
        }
        for number, candidate in enumerate(audit.ranked, 1)
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
        own: set[str] = set()

        def take(cells: dict[str, str], line: int, path: str = path, own: set[str] = own) -> None:
            verdict = cells["verdict"] and check_word("verdict", cells["verdict"], VERDICTS)
            if cells["key"] in own:
                raise InputError("duplicate candidate")
            judged = _JudgedCandidate(verdict, _corrections(cells), f"{Path(path).name} line {line}")
            own.add(cells["key"])
            by_key.setdefault(cells["key"], []).append(judged)
            data.setdefault(cells["data"], judged.place)

        SHEET.read(path, take)
        if not own:
            raise InputError("the sheet has no candidates", file=path)
    if len(data) > 1:
        one, other = list(data.items())[:2]
        raise InputError(f"{other[1]}: the sheet was made for gold {other[0]}, but {one[1]} for gold {one[0]}")
    verdicts: Counter[str] = Counter()
    approved: list[_JudgedCandidate] = []
    for of_candidate in by_key.values():
        judged = [each for each in of_candidate if each.verdict]
        decisions = {(each.verdict, each.corrections) for each in judged}
        verdict = judged[0].verdict if len(decisions) == 1 else "disagreement" if decisions else "no verdict"
        verdicts[verdict] += 1
        approved += judged[:1] if verdict in ("wrong", "other") else []
    _check_overlaps(approved)
    order = [*VERDICTS, "disagreement", "no verdict"]
    return FilledSheets(
        GoldPatch([each for judged in approved for each in judged.corrections], next(iter(data), "")),
        {word: verdicts[word] for word in order if verdicts[word]},
        len(by_key),
    )


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
    return tuple(replace(each, value=value) if each in replaced else each for each in own)


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
