"""Audit of gold: values that are likely errors, ranked by the votes of trackers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from ...measure import Score
from ...model import Notice, dialogue_key
from ...readers.pairs.vocabulary import PairDialogue
from ...tracking.gold_patch import GoldPatch
from ...tracking.scorer import TrackerScorer
from ...tracking.vectors.measure_columns import columns, order_of
from .candidates import Candidate, CandidateFinder, SpokenValues
from .trackers import MEASURES, AuditedTracker, TrackerSet, Utterances
from .votes import Mentions, Votes, weigh


class RankedCandidate(Struct, frozen=True):
    """A candidate with its rank.

    Attributes:
        candidate: the candidate.
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group.
        tied: number of candidates that share the rank, including this one.
        corrected: by tracker and measure, the score if only this candidate were corrected.
    """

    candidate: Candidate
    rank: int
    tied: int
    corrected: dict[str, dict[str, float | None]]


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
        trackers: gold and trackers.
        talk: utterances by dialogue and turn.
        mentions: number of mentions in gold.
        ranked: the strongest candidates.
        found: number of candidates.
        kinds: number of candidates by kind.
        reliability: reliability of every tracker.
        notices: warnings.
    """

    trackers: TrackerSet
    talk: Mapping[str, Mapping[int, Utterances]]
    mentions: int
    ranked: list[RankedCandidate]
    found: int
    kinds: dict[str, int]
    reliability: list[Reliability]
    notices: list[Notice]


def audit_gold(trackers: TrackerSet, talk: Mapping[str, Mapping[int, Utterances]], most: int) -> GoldAudit:
    """Audit gold.

    Args:
        trackers: trackers with gold; see ``read_trackers``.
        talk: utterances by dialogue and turn; dialogues may be missing.
        most: number of candidates to rank; those that tie with the last one are also ranked.
    """
    mentions = Mentions([each.reads for each in (trackers.voters or trackers.trackers)], trackers.pairs)
    votes = weigh(mentions, len(trackers.pairs.slot_names)) if trackers.voters else None
    candidates, refused = find_candidates(trackers, mentions, votes, talk) if votes else ([], [])
    limit = candidates[most - 1].strength if 0 < most < len(candidates) else None
    listed = [each for each in candidates if limit is None or each.strength >= limit]
    kinds: Counter[str] = Counter(each.kind for each in candidates)
    return GoldAudit(
        trackers,
        talk,
        sum(bool(each.gold) for each in mentions.listed),
        _rank(listed, corrected_scores(trackers, listed)),
        len(candidates),
        dict(sorted(kinds.items(), key=lambda each: (-each[1], each[0]))),
        _reliability(trackers, votes),
        _notices(trackers, talk, refused),
    )


def find_candidates(
    trackers: TrackerSet, mentions: Mentions, votes: Votes, talk: Mapping[str, Mapping[int, Utterances]]
) -> tuple[list[Candidate], list[str]]:
    """Return all candidates, the strongest first, and dialogue and slot of those that no patch can correct.

    Args:
        trackers: trackers with gold.
        mentions: mentions of the voting trackers.
        votes: weights of their votes.
        talk: utterances by dialogue and turn.
    """
    gold: dict[str, set[int]] = {}
    for each in mentions.listed:
        if each.gold:
            gold.setdefault(each.dialogue, set()).add(each.cell)
    spoken = SpokenValues(trackers, talk, {key: frozenset(cells) for key, cells in gold.items()})
    words = {index: spoken.of(each) for index, each in enumerate(mentions.listed)} if talk else {}
    finder = CandidateFinder(trackers, mentions, votes, words)
    return finder.find(), finder.refused


def _rank(
    candidates: Sequence[Candidate], corrected: Sequence[dict[str, dict[str, float | None]]]
) -> list[RankedCandidate]:
    ranked: list[RankedCandidate] = []
    for _, group in groupby(zip(candidates, corrected, strict=True), key=lambda each: each[0].strength):
        tied = list(group)
        rank = len(ranked) + 1
        ranked += [RankedCandidate(candidate, rank, len(tied), scores) for candidate, scores in tied]
    return ranked


def _reliability(trackers: TrackerSet, votes: Votes | None) -> list[Reliability]:
    indices = {each.name: index for index, each in enumerate(trackers.voters)}

    def of(tracker: AuditedTracker) -> Reliability:
        index = indices.get(tracker.name)
        if index is None or votes is None:
            return Reliability(tracker.name, False, tracker.check.share, None, None, None)
        rates = (float(each[index]) for each in (votes.precision, votes.recall, votes.for_alone))
        return Reliability(tracker.name, True, tracker.check.share, *rates)

    return [of(each) for each in trackers.trackers]


_SCORE_NOTICE = "fga-free"
"""Code of a warning about a score, which is not relevant for an audit."""


def _notices(
    trackers: TrackerSet, talk: Mapping[str, Mapping[int, Utterances]], refused: Sequence[str]
) -> list[Notice]:
    seen: dict[tuple[str, str], Notice] = {}
    for each in trackers.trackers:
        seen |= {(n.code, n.message): n for n in each.result.notices if n.code != _SCORE_NOTICE}
    notices = [*seen.values()]
    for each in trackers.trackers:
        if not each.check.was_given_gold:
            continue
        share = 100 * (each.check.share or 0)
        message = (
            f"{each.name} was given gold states and has no vote: its states equal gold at {share:.1f} % of turns, "
            f"in the {len(each.check.predicted)} slots that it predicts"
        )
        notices.append(Notice("given-gold", 1, message))
    if not trackers.voters:
        notices.append(Notice("no-votes", 1, "no tracker has a vote, so there are no candidates"))
    elif len(trackers.voters) == 1:
        message = (
            "only one tracker votes, and its reliability is its agreement with gold; candidates are its differences from "
            "gold, and most are its own errors; use two trackers or more"
        )
        notices.append(Notice("one-tracker", 1, message))
    if refused:
        message = (
            f"{len(refused)} candidates are not listed because no patch can correct them: gold has the slot under two "
            "names, or gold and trackers have the same text but the rules treat it differently on the two sides"
        )
        notices.append(Notice("no-correction", len(refused), message, tuple(refused[:10])))
    missing = sum(key not in talk for key in trackers.names)
    if missing:
        message = (
            f"{missing} of {len(trackers.names)} dialogues have no utterances, so a sheet cannot show them, and the same "
            "words elsewhere have no vote; give a file with utterances with --talk"
        )
        notices.append(Notice("no-utterances", missing, message))
    return notices


def corrected_scores(trackers: TrackerSet, candidates: Sequence[Candidate]) -> list[dict[str, dict[str, float | None]]]:
    """Return, by candidate, tracker and measure, the score of the whole corpus if only this candidate were corrected."""
    corrected: list[dict[str, dict[str, float | None]]] = [{} for _ in candidates]
    for tracker in trackers.trackers:
        for by_tracker, scores in zip(corrected, _tracker_scores(trackers, tracker, candidates), strict=True):
            by_tracker[tracker.name] = scores
    return corrected


def _tracker_scores(
    trackers: TrackerSet, tracker: AuditedTracker, candidates: Sequence[Candidate]
) -> list[dict[str, float | None]]:
    from ...stats.formulas import evaluate

    if not candidates:
        return []
    # Every candidate is a separate dialogue here, named by its index.
    scorer = TrackerScorer(MEASURES, trackers.rules, vocabulary=trackers.words)
    for index, candidate in enumerate(candidates):
        read = tracker.reads[dialogue_key(candidate.dialogue)]
        scorer.add_pairs(_rename(GoldPatch(candidate.corrections).apply(read, trackers.words), f"{index:09}"))
    new, formulas = columns(scorer.result().measure_columns, scorer.result().measures)
    measure_columns = tracker.result.measure_columns
    old, _ = columns(measure_columns, tracker.result.measures)
    rows = {
        dialogue_key(measure_columns.main.dialogues[position]): row
        for row, position in enumerate(order_of(measure_columns))
    }
    replaced = old[[rows[dialogue_key(candidate.dialogue)] for candidate in candidates]]
    sums = old.sum(axis=0) - replaced + new
    values = {name: evaluate(formula, sums).tolist() for name, formula in formulas.items()}
    return [{name: values[name][index] for name in values} for index in range(len(candidates))]


def _rename(read: PairDialogue, name: str) -> PairDialogue:
    renamed = PairDialogue(name, read.place)
    renamed.numbers, renamed.gold, renamed.pred, renamed.turns = read.numbers, read.gold, read.pred, read.turns
    return renamed


def scores_of(tracker: AuditedTracker) -> dict[str, Score]:
    """Return the scores of a tracker on uncorrected gold, by measure."""
    return {score.measure: score for score in tracker.result.scores}
