"""The losses of a dialogue, each with its cause, and a verdict on either side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ...model import Conversation
from ..goals import requested_slot
from ..outcome import DialogueOutcome, DomainOutcome, Measured
from ..prepared_dialogue import PreparedDialogue, ScoringSetup
from .cause import PARTIES, REASONS, Cause, Party, first_cause, most_frequent
from .exchange import Exchange, ExchangeItem, acts_in_words
from .failures import Database
from .precision import OUTSIDE_CONSTRAINT_TESTS, OUTSIDE_REQUEST_TESTS, Mention, Repeat, repeat_cause
from .recall import CONSTRAINT_TESTS, REQUEST_TESTS, LostUnit, blocker
from .words import WordSearch

Side: TypeAlias = Literal["recall", "precision"]
_SECONDARY = ("not needed", "label")
"""Parties that decide a dialogue only where no other does."""


class Loss(Struct, frozen=True, omit_defaults=True):
    """A unit that cost a point.

    Attributes:
        side: recall, of the goal and not counted; or precision, counted and not wanted.
        measured: constraints (I) or requests (R); empty where a dialogue was cut and nothing else is missing.
        domain: of the unit.
        about: the constraint or the request.
        weight: how many points; 0 for a unit that left the goal.
        party: who is to blame.
        of: whose words were not understood, where understanding is to blame.
        turn: of the evidence; None where there is none.
        why: the reason.
        evidence: a sentence with what was said and what was heard.
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
    of: Literal["user", "system", ""] = ""


class SideVerdict(Struct, frozen=True, omit_defaults=True):
    """Who is to blame for most of one side, and the first turn that shows it."""

    party: Party
    turn: int | None
    why: str
    of: Literal["user", "system", ""] = ""

    @property
    def text(self) -> str:
        """The verdict in a line.

        Example:
            >>> SideVerdict("understanding", 3, "value_misheard", "user").text
            'understanding of the user, turn 3: the system searches with a value that it heard and nobody said'
        """
        return f"{party_in_words(self.party, self.of)}{at_turn(self.turn)}: {REASONS[self.why][1]}"


class BlameVerdict(Struct, frozen=True):
    """What a dialogue lost, and who is to blame, on either side.

    Attributes:
        dialogue: its id.
        losses: every unit that cost a point, and those that left the goal.
        recall: who is to blame for what is missing; None where nothing is.
        precision: who is to blame for what was too much; None where nothing was.
        failed: is a wanted unit missing, or was the dialogue cut?
    """

    dialogue: str
    losses: tuple[Loss, ...]
    recall: SideVerdict | None
    precision: SideVerdict | None
    failed: bool

    @property
    def main(self) -> SideVerdict | None:
        """The verdict on what is missing, else on what was too much."""
        return self.recall or self.precision


def party_in_words(party: str, of: str) -> str:
    """A party as shown.

    Example:
        >>> party_in_words("understanding", "system"), party_in_words("goal", "")
        ('understanding of the system', 'goal')
    """
    return f"{party} of the {of}" if of else party


def at_turn(turn: int | None) -> str:
    """A turn at the end of a phrase."""
    return "" if turn is None else f", turn {turn}"


class Blamer:
    """Gives verdicts.

    Args:
        setup: rules, profile and values of the scores.
        database: to check that a search could not succeed; without one the goal is compared with what the system lists.
        limit: how many turns a dialogue can have; where it is not given, only dialogues that say so were cut.
    """

    def __init__(self, setup: ScoringSetup, database: Database | None = None, limit: int | None = None) -> None:
        self._words = WordSearch(setup.profile, setup.matcher.map)
        self._database = database
        self._limit = limit

    def verdict(self, talk: Conversation, dialogue: PreparedDialogue, outcome: DialogueOutcome) -> BlameVerdict | None:
        """The verdict on a dialogue; None where it lost nothing and was not cut.

        Args:
            talk: the dialogue.
            dialogue: the same, prepared for scoring.
            outcome: its scores.
        """
        exchange = Exchange(dialogue, talk, self._limit)
        losses = tuple(self._losses(exchange, outcome))
        if not losses and not talk.cut:
            return None
        if not any(loss.side == "recall" and loss.weight for loss in losses) and talk.cut:
            cause = blocker(exchange, self._database)
            losses = (*losses, _loss(talk, Unit("recall", "", "", "", 1), cause))
        missing = [loss for loss in losses if loss.side == "recall" and loss.weight and loss.party != "not needed"]
        recall, precision = (
            _decide([loss for loss in losses if loss.side == side]) for side in ("recall", "precision")
        )
        return BlameVerdict(talk.id, losses, recall, precision, bool(missing))

    def _losses(self, talk: Exchange, outcome: DialogueOutcome) -> Iterator[Loss]:
        sides: tuple[tuple[Measured, Mapping[str, DomainOutcome]], ...] = (
            ("I", outcome.inform),
            ("R", outcome.request),
        )
        for measured, domains in sides:
            for domain, each in domains.items():
                wanted, counted = Counter(each.wanted), Counter(each.counted)
                for about, weight in sorted((wanted - counted).items()):
                    cause = self._missing(talk, measured, domain, about)
                    yield _loss(talk.talk, Unit("recall", measured, domain, about, weight), cause)
                for about, weight in sorted((counted - wanted).items()):
                    cause = self._too_much(talk, outcome, measured, domain, about)
                    yield _loss(talk.talk, Unit("precision", measured, domain, about, weight), cause)
        for domain, gone in outcome.dropped.items():
            for about in gone:
                measured = "I" if "=" in about else "R"
                cause = self._missing(talk, measured, domain, about)
                yield _loss(talk.talk, Unit("recall", measured, domain, about, 0), cause)

    def _missing(self, talk: Exchange, measured: Measured, domain: str, about: str) -> Cause:
        """Why a unit of the goal is missing."""
        lost = LostUnit(talk, domain, *_slot_and_value(measured, domain, about), self._words, self._database)
        return first_cause(CONSTRAINT_TESTS if measured == "I" else REQUEST_TESTS, lost)

    def _too_much(self, talk: Exchange, outcome: DialogueOutcome, measured: Measured, domain: str, about: str) -> Cause:
        """Why a unit was said though it is not in the goal, or was said again."""
        is_constraint = measured == "I"
        slot, value = _slot_and_value(measured, domain, about)
        turns = (outcome.said if is_constraint else outcome.asked)[domain][about]
        item = ExchangeItem("tell" if is_constraint else "ask", domain, slot, value, value)
        wants = talk.dialogue.wants.get(domain)
        in_goal = wants is not None and about in (wants.constraints if is_constraint else wants.requests)
        family = "repetition" if is_constraint else "request"
        credited = {
            event.turns
            for event in outcome.events
            if event.credited and (event.family, event.domain, event.about) == (family, domain, about)
        }
        pairs = [pair for pair in pairwise(turns) if pair not in credited]
        if not in_goal or not pairs:
            said = next((each for each in talk.said[turns[0]] if each.key == item.key and each.value == value), item)
            tests = OUTSIDE_CONSTRAINT_TESTS if is_constraint else OUTSIDE_REQUEST_TESTS
            return first_cause(tests, Mention(talk, said, turns[0]))
        return most_frequent([repeat_cause(Repeat(talk, item, *pair, self._database)) for pair in pairs])


class Unit(NamedTuple):
    """A unit that cost a point: its side, measure, domain, text and weight."""

    side: Side
    measured: Measured | Literal[""]
    domain: str
    about: str
    weight: int


def _slot_and_value(measured: Measured, domain: str, about: str) -> tuple[str, str]:
    """The slot and the value of a constraint; the slot of a request, without a value."""
    if measured == "I":
        slot, _, value = about.partition("=")
        return slot, value
    prefix = f"{domain.lower()}-"
    return about.removeprefix(prefix) if about.startswith(prefix) else requested_slot(about), ""


def _loss(talk: Conversation, unit: Unit, cause: Cause) -> Loss:
    return Loss(*unit, cause.party, cause.turn, cause.why, _evidence(talk, cause), cause.of)


def _evidence(talk: Conversation, cause: Cause) -> str:
    """What happened at the turn of the evidence: both acts where somebody misheard, else what was said."""
    meaning = REASONS[cause.why][1] + (f" ({cause.what})" if cause.what else "")
    if cause.turn is None:
        return meaning
    move = talk.moves[cause.turn]
    if cause.of and cause.turn:
        said, heard = acts_in_words(talk.moves[cause.turn - 1].acts), acts_in_words(move.understood)
        return f"turn {cause.turn}: {meaning}; the {cause.of} said {said}, the {move.speaker} heard {heard}"
    return f"turn {cause.turn}: {meaning}; the {move.speaker} said {acts_in_words(move.acts)}"


def _decide(losses: Iterable[Loss]) -> SideVerdict | None:
    """The party with most weight: units of recall by their weight, units of precision once each; on a tie, the earlier turn."""
    voting = [loss for loss in losses if loss.weight]
    voting = [loss for loss in voting if loss.party not in _SECONDARY] or voting
    if not voting:
        return None
    votes: Counter[Party] = Counter()
    for loss in voting:
        votes[loss.party] += loss.weight if loss.side == "recall" else 1

    def rank(loss: Loss) -> tuple[int, int]:
        return -votes[loss.party], -1 if loss.turn is None else loss.turn

    best = min(voting, key=rank)
    return SideVerdict(best.party, best.turn, best.why, best.of)


def blame_table(verdicts: Iterable[BlameVerdict]) -> dict[str, dict[str, dict[Party, int]]]:
    """How many points were lost, by side, measure and party.

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
