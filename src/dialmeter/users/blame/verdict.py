"""The losses of a dialogue with their causes, the verdicts for recall and precision, and the confusions behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import fsum
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ...model import Conversation
from ..events import DialogueOutcome, DomainOutcome, Measured
from ..goals import requested_slot
from ..prepared_dialogue import PreparedDialogue, ScoringSetup
from .exchange import (
    PARTIES,
    REASONS,
    Cause,
    Exchange,
    ExchangeItem,
    Party,
    acts_in_words,
    confusion,
    first_cause,
    most_frequent,
)
from .failures import Database
from .precision import OUTSIDE_CONSTRAINT_TESTS, OUTSIDE_REQUEST_TESTS, Mention, Repeat, repeat_cause
from .recall import CONSTRAINT_TESTS, REQUEST_TESTS, LostUnit, blocker
from .words import WordSearch

Side: TypeAlias = Literal["recall", "precision"]
_SECONDARY = ("not needed", "label")
"""Parties that decide a dialogue only if there is no other party."""
_MISHEARD = ("user misheard system", "system misheard user")


class Loss(Struct, frozen=True, omit_defaults=True):
    """A unit that cost a point.

    Attributes:
        side: recall for a unit of the goal that is not counted; precision for a counted unit that is not wanted.
        measured: constraints (I) or requests (R); empty if a dialogue was cut and nothing else is missing.
        domain: the domain of the unit.
        about: the constraint or the request.
        weight: number of points; 0 for a unit that was removed from the goal.
        party: the party to blame.
        turn: the turn of the evidence; None if there is none.
        why: the reason.
        evidence: a sentence that says what was said and what was heard.
        said: the acts that were misheard; empty if nobody misheard.
        heard: the acts that were heard instead.
    """

    side: Side
    measured: Measured | Literal[""]
    domain: str
    about: str
    weight: int
    party: Party
    turn: int | None
    why: str
    evidence: str
    said: str = ""
    heard: str = ""


class Confusion(Struct, frozen=True):
    """The points that were lost because certain acts were heard as other acts.

    Attributes:
        party: who misheard whom.
        said: the acts that were misheard.
        heard: the acts that were heard instead.
        dialogues: number of dialogues that lost points by it.
        points: number of lost points.
        gains: increase of I-GCDF1 and R-GCDF1, over all domains together, if these points had not been lost.
        example: a dialogue.
    """

    party: Party
    said: str
    heard: str
    dialogues: int
    points: int
    gains: dict[str, float]
    example: str


class SideVerdict(Struct, frozen=True):
    """The party to blame for most losses of one side, and the first turn that shows it."""

    party: Party
    turn: int | None
    why: str

    @property
    def text(self) -> str:
        """The verdict as one line of text.

        Example:
            >>> SideVerdict("system misheard user", 3, "value_misheard").text
            'system misheard user, turn 3: the system searches with a value that it heard but nobody said'
        """
        turn = "" if self.turn is None else f", turn {self.turn}"
        return f"{self.party}{turn}: {REASONS[self.why][1]}"


class BlameVerdict(Struct, frozen=True):
    """The losses of a dialogue, and the parties to blame for recall and precision.

    Attributes:
        dialogue: the id of the dialogue.
        losses: all units that cost a point, and units that were removed from the goal.
        recall: the verdict on missing units; None if there are none.
        precision: the verdict on unwanted units; None if there are none.
        failed: True if a wanted unit is missing, or the dialogue was cut.
        confusions: the points that were lost because somebody misheard, by what was said and heard.
    """

    dialogue: str
    losses: tuple[Loss, ...]
    recall: SideVerdict | None
    precision: SideVerdict | None
    failed: bool
    confusions: tuple[Confusion, ...] = ()

    @property
    def main(self) -> SideVerdict | None:
        """The verdict on missing units, else on unwanted units."""
        return self.recall or self.precision


class Blamer:
    """Finds the causes of lost points.

    Args:
        setup: rules, profile and value matcher of the scores.
        database: checks if a search could succeed. Without one, the goal is compared with the values that the system lists.
        limit: maximum number of turns of a dialogue. Without it, only dialogues that are marked as cut count as cut.
    """

    def __init__(self, setup: ScoringSetup, database: Database | None = None, limit: int | None = None) -> None:
        self._words = WordSearch(setup.profile, setup.matcher.map)
        self._database = database
        self._limit = limit

    def verdict(self, talk: Conversation, dialogue: PreparedDialogue, outcome: DialogueOutcome) -> BlameVerdict | None:
        """Return the verdict on a dialogue, or None if it lost nothing and was not cut.

        Args:
            talk: the dialogue.
            dialogue: the same, prepared for scoring.
            outcome: the scores of the dialogue.
        """
        exchange = Exchange(dialogue, talk, self._limit)
        losses = tuple(self._losses(exchange, outcome))
        if not losses and not talk.cut:
            return None
        if not any(loss.side == "recall" and loss.weight for loss in losses) and talk.cut:
            cause = blocker(exchange, self._database)
            losses = (*losses, _loss(exchange, Unit("recall", "", "", "", 1), cause))
        missing = [loss for loss in losses if loss.side == "recall" and loss.weight and loss.party != "not needed"]
        recall, precision = (
            _decide([loss for loss in losses if loss.side == side]) for side in ("recall", "precision")
        )
        return BlameVerdict(talk.id, losses, recall, precision, bool(missing), tuple(_confusions(losses, outcome)))

    def _losses(self, exchange: Exchange, outcome: DialogueOutcome) -> Iterator[Loss]:
        sides: tuple[tuple[Measured, Mapping[str, DomainOutcome]], ...] = (
            ("I", outcome.inform),
            ("R", outcome.request),
        )
        for measured, domains in sides:
            for domain, each in domains.items():
                wanted, counted = Counter(each.wanted), Counter(each.counted)
                for about, weight in sorted((wanted - counted).items()):
                    cause = self._missing_cause(exchange, measured, domain, about)
                    yield _loss(exchange, Unit("recall", measured, domain, about, weight), cause)
                for about, weight in sorted((counted - wanted).items()):
                    cause = self._unwanted_cause(exchange, outcome, measured, domain, about)
                    yield _loss(exchange, Unit("precision", measured, domain, about, weight), cause)
        for domain, dropped in outcome.dropped.items():
            for about in dropped:
                measured = "I" if "=" in about else "R"
                cause = self._missing_cause(exchange, measured, domain, about)
                yield _loss(exchange, Unit("recall", measured, domain, about, 0), cause)

    def _missing_cause(self, exchange: Exchange, measured: Measured, domain: str, about: str) -> Cause:
        """Return the cause of a missing unit of the goal."""
        lost = LostUnit(exchange, domain, *_slot_and_value(measured, domain, about), self._words, self._database)
        return first_cause(CONSTRAINT_TESTS if measured == "I" else REQUEST_TESTS, lost)

    def _unwanted_cause(
        self, exchange: Exchange, outcome: DialogueOutcome, measured: Measured, domain: str, about: str
    ) -> Cause:
        """Return the cause of a unit that is not in the goal, or that is repeated."""
        is_constraint = measured == "I"
        slot, value = _slot_and_value(measured, domain, about)
        turns = (outcome.said if is_constraint else outcome.asked)[domain][about]
        item = ExchangeItem("tell" if is_constraint else "ask", domain, slot, value, value)
        units = exchange.dialogue.goal_units.get(domain)
        in_goal = units is not None and about in (units.constraints if is_constraint else units.requests)
        family = "repetition" if is_constraint else "request"
        credited = {
            event.turns
            for event in outcome.events
            if event.credited and (event.family, event.domain, event.about) == (family, domain, about)
        }
        pairs = [pair for pair in pairwise(turns) if pair not in credited]
        if not in_goal or not pairs:
            said = next(
                (each for each in exchange.said[turns[0]] if each.key == item.key and each.value == value), item
            )
            tests = OUTSIDE_CONSTRAINT_TESTS if is_constraint else OUTSIDE_REQUEST_TESTS
            return first_cause(tests, Mention(exchange, said, turns[0]))
        return most_frequent([repeat_cause(Repeat(exchange, item, *pair, self._database)) for pair in pairs])


class Unit(NamedTuple):
    """A unit that cost a point: its side, measure, domain, text and weight."""

    side: Side
    measured: Measured | Literal[""]
    domain: str
    about: str
    weight: int


def _slot_and_value(measured: Measured, domain: str, about: str) -> tuple[str, str]:
    """Return the slot and the value of a constraint, or the slot of a request and an empty value."""
    if measured == "I":
        slot, _, value = about.partition("=")
        return slot, value
    prefix = f"{domain.lower()}-"
    return about.removeprefix(prefix) if about.startswith(prefix) else requested_slot(about), ""


def _loss(exchange: Exchange, unit: Unit, cause: Cause) -> Loss:
    said = heard = ""
    if cause.turn and cause.party in _MISHEARD:
        general, moves = exchange.setup.profile.general, exchange.talk.moves
        acts = (moves[cause.turn - 1].acts or (), moves[cause.turn].understood or ())
        said, heard = confusion(*([act for act in each if act.service not in general] for each in acts))
    return Loss(*unit, cause.party, cause.turn, cause.why, _evidence(exchange.talk, cause), said, heard)


def _confusions(losses: Iterable[Loss], outcome: DialogueOutcome) -> Iterator[Confusion]:
    grouped: dict[tuple[Party, str, str], list[Loss]] = {}
    for loss in losses:
        if loss.weight and loss.said:
            grouped.setdefault((loss.party, loss.said, loss.heard), []).append(loss)
    for key, group in grouped.items():
        gains = {"I-GCDF1": _gain(outcome, "I", group), "R-GCDF1": _gain(outcome, "R", group)}
        yield Confusion(*key, 1, sum(loss.weight for loss in group), gains, outcome.id)


def _gain(outcome: DialogueOutcome, measured: Measured, losses: Iterable[Loss]) -> float:
    """Return how much F1 of a dialogue would rise without these losses: missing units are said, and unwanted units are not."""
    score = outcome.combined[measured]
    if score is None:
        return 0.0
    domains = outcome.inform if measured == "I" else outcome.request
    points = Counter({"recall": 0, "precision": 0})
    for loss in losses:
        points[loss.side] += loss.weight if loss.measured == measured else 0
    # F1 is twice the number of equal units, divided by the number of all units.
    size = sum(len(each.wanted) + len(each.counted) for each in domains.values())
    mended = size + points["recall"] - points["precision"]
    return (min(1.0, (score.f1 * size + 2 * points["recall"]) / mended) if mended else 1.0) - score.f1


def _evidence(talk: Conversation, cause: Cause) -> str:
    """Describe the turn of the evidence: what was said, and in case of a misunderstanding also what was heard."""
    meaning = REASONS[cause.why][1] + (f" ({cause.detail})" if cause.detail else "")
    if cause.turn is None:
        return meaning
    move = talk.moves[cause.turn]
    if cause.party in _MISHEARD and cause.turn:
        speaker = talk.moves[cause.turn - 1].speaker
        said, heard = acts_in_words(talk.moves[cause.turn - 1].acts), acts_in_words(move.understood)
        return f"turn {cause.turn}: {meaning}; the {speaker} said {said}, the {move.speaker} heard {heard}"
    return f"turn {cause.turn}: {meaning}; the {move.speaker} said {acts_in_words(move.acts)}"


def _decide(losses: Iterable[Loss]) -> SideVerdict | None:
    """Return the party with the most votes. On a tie, the earlier turn decides.

    Units of recall vote with their weight, units of precision with one vote each.
    """
    voting = [loss for loss in losses if loss.weight]
    voting = [loss for loss in voting if loss.party not in _SECONDARY] or voting
    if not voting:
        return None
    votes: Counter[str] = Counter()
    for loss in voting:
        votes[_voter(loss)] += loss.weight if loss.side == "recall" else 1

    def rank(loss: Loss) -> tuple[int, int]:
        return -votes[_voter(loss)], -1 if loss.turn is None else loss.turn

    best = min(voting, key=rank)
    return SideVerdict(best.party, best.turn, best.why)


def _voter(loss: Loss) -> str:
    """Return the party that a loss votes for. The two directions of mishearing vote together."""
    return "mishearing" if loss.party in _MISHEARD else loss.party


def blame_table(verdicts: Iterable[BlameVerdict]) -> dict[str, dict[str, dict[Party, int]]]:
    """Return the number of lost points by side, measure and party.

    Example:
        >>> loss = Loss("recall", "I", "hotel", "area=east", 1, "user", 4, "stopped", "")
        >>> blame_table([BlameVerdict("d1", (loss,), None, None, True)])["recall"]["I"]["user"]
        1
    """
    points: Counter[tuple[str, str, Party]] = Counter()
    for verdict in verdicts:
        for loss in verdict.losses:
            points[loss.side, loss.measured, loss.party] += loss.weight
    return {
        side: {measured: {party: points[side, measured, party] for party in PARTIES} for measured in ("I", "R")}
        for side in ("recall", "precision")
    }


def confusion_table(verdicts: Iterable[BlameVerdict], dialogues: Mapping[str, int]) -> list[Confusion]:
    """Return the confusions of all dialogues, those with the most lost points first.

    Args:
        verdicts: the verdicts on the dialogues.
        dialogues: number of dialogues in which a measure has a value. Gains are means over them.

    Example:
        >>> heard = Confusion("user misheard system", "Booking-Book", "Train-OfferBooked", 1, 3, {"I-GCDF1": 0.5}, "d1")
        >>> verdict = BlameVerdict("d1", (), None, None, True, (heard,))
        >>> [(each.points, each.gains) for each in confusion_table([verdict], {"I-GCDF1": 10})]
        [(3, {'I-GCDF1': 0.05})]
    """
    grouped: dict[tuple[Party, str, str], list[Confusion]] = {}
    for verdict in verdicts:
        for each in verdict.confusions:
            grouped.setdefault((each.party, each.said, each.heard), []).append(each)
    table = []
    for key, group in sorted(grouped.items()):
        gains = {name: fsum(each.gains[name] for each in group) / n for name, n in dialogues.items() if n}
        table.append(Confusion(*key, len(group), sum(each.points for each in group), gains, group[0].example))
    return sorted(table, key=lambda each: -each.points)
