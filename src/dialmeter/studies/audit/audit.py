"""The audit of gold: which of its values are likely errors, ranked by what trackers say about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from ...model import Notice
from .candidates import Candidate, CandidateFinder
from .corrected import corrected_scores
from .mentions import Mentions
from .same_words import SpokenValues
from .trackers import AuditedTracker, TrackerSet, Utterances
from .votes import Votes, weigh


class RankedCandidate(Struct, frozen=True):
    """A candidate with its rank.

    Attributes:
        candidate: the candidate.
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group.
        tied: how many candidates share the rank, itself included.
        corrected: by tracker and measure, the score if this candidate alone were corrected.
    """

    candidate: Candidate
    rank: int
    tied: int
    corrected: dict[str, dict[str, float | None]]


class Reliability(Struct, frozen=True):
    """What the votes of a tracker are worth, over all slots; None for a tracker without a vote.

    Attributes:
        tracker: its name.
        votes: does it vote? A file that was given gold states does not.
        equal_to_gold: the share of turns that equal gold in the slots that it predicts.
        precision: of the values that it holds, the share that the others hold together.
        recall: of the values that the others hold together, the share that it holds.
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
        mentions: how many mentions gold has.
        ranked: the strongest candidates.
        found: how many candidates there are.
        kinds: how many of each kind.
        reliability: of every tracker.
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
    """Audits gold.

    Args:
        trackers: with gold; see ``read_trackers``.
        talk: utterances by dialogue and turn; dialogues may be missing.
        most: how many candidates are ranked; those that tie with the last one are, too.
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
        _ranked(listed, corrected_scores(trackers, listed)),
        len(candidates),
        dict(sorted(kinds.items(), key=lambda each: (-each[1], each[0]))),
        _reliability(trackers, votes),
        _notices(trackers, talk, refused),
    )


def find_candidates(
    trackers: TrackerSet, mentions: Mentions, votes: Votes, talk: Mapping[str, Mapping[int, Utterances]]
) -> tuple[list[Candidate], list[str]]:
    """All candidates, the strongest first, and the places of those that no patch can correct.

    Args:
        trackers: with gold.
        mentions: of the trackers that vote.
        votes: their weights.
        talk: utterances by dialogue and turn.
    """
    held: dict[str, set[int]] = {}
    for each in mentions.listed:
        if each.gold:
            held.setdefault(each.dialogue, set()).add(each.cell)
    spoken = SpokenValues(trackers, talk, {key: frozenset(cells) for key, cells in held.items()})
    words = {place: spoken.of(each) for place, each in enumerate(mentions.listed)} if talk else {}
    finder = CandidateFinder(trackers, mentions, votes, words)
    return finder.find(), finder.refused


def _ranked(
    candidates: Sequence[Candidate], corrected: Sequence[dict[str, dict[str, float | None]]]
) -> list[RankedCandidate]:
    found: list[RankedCandidate] = []
    for _, group in groupby(zip(candidates, corrected, strict=True), key=lambda each: each[0].strength):
        tied = list(group)
        rank = len(found) + 1
        found += [RankedCandidate(candidate, rank, len(tied), scores) for candidate, scores in tied]
    return found


def _reliability(trackers: TrackerSet, votes: Votes | None) -> list[Reliability]:
    places = {each.name: place for place, each in enumerate(trackers.voters)}

    def of(tracker: AuditedTracker) -> Reliability:
        place = places.get(tracker.name)
        if place is None or votes is None:
            return Reliability(tracker.name, False, tracker.check.share, None, None, None)
        rates = (float(each[place]) for each in (votes.precision, votes.recall, votes.for_alone))
        return Reliability(tracker.name, True, tracker.check.share, *rates)

    return [of(each) for each in trackers.trackers]


_OF_SCORES = "fga-free"
"""A warning about a score, which an audit does not need."""


def _notices(
    trackers: TrackerSet, talk: Mapping[str, Mapping[int, Utterances]], refused: Sequence[str]
) -> list[Notice]:
    given = [each for each in trackers.trackers if each.check.was_given_gold]
    seen: dict[tuple[str, str], Notice] = {}
    for each in trackers.trackers:
        seen |= {(n.code, n.message): n for n in each.result.notices if n.code != _OF_SCORES}
    found = [*seen.values()]
    for each in given:
        share = 100 * (each.check.share or 0)
        message = (
            f"{each.name} was given gold states and has no vote: its states equal gold at {share:.1f} % of turns, "
            f"in the {len(each.check.predicted)} slots that it predicts"
        )
        found.append(Notice("given-gold", 1, message))
    if not trackers.voters:
        found.append(Notice("no-votes", 1, "no tracker has a vote, so that there are no candidates"))
    elif len(trackers.voters) == 1:
        message = (
            "one tracker votes, and its reliability is its agreement with gold: candidates are where it departs from gold, "
            "and most are its own errors; give two trackers or more"
        )
        found.append(Notice("one-tracker", 1, message))
    if refused:
        message = (
            f"{len(refused)} candidates are not listed, because no patch can correct them: gold writes the slot under two "
            "names, or it writes the value as trackers do, and the rules read the two sides differently"
        )
        found.append(Notice("no-correction", len(refused), message, tuple(refused[:10])))
    without = sum(key not in talk for key in trackers.names)
    if without:
        message = (
            f"{without} of {len(trackers.names)} dialogues have no utterances: nobody can read them on a sheet, and the same "
            "words elsewhere have no vote; give a file that has them with --talk"
        )
        found.append(Notice("no-utterances", without, message))
    return found
