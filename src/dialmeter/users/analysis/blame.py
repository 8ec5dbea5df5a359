"""Who is to blame for what a dialogue lost: the goal, understanding, the system, or the user, in this order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ...model import Act, Conversation
from ..behaviours import ALL
from ..events import Event
from ..goals import requested_slot
from ..outcome import DialogueOutcome, DomainOutcome, Measured
from ..profile import NO_BOOK, SLOT_VALUES, Profile, classifier

Party: TypeAlias = Literal["goal", "understanding", "system", "user"]
PARTIES: tuple[Party, ...] = get_args(Party)

Database: TypeAlias = Callable[[str, Mapping[str, str]], int]
"""How many entities of a domain meet some constraints."""


class GoalLoss(Struct, frozen=True, omit_defaults=True):
    """A unit of the goal that was not met: whose fault, decided by what, at which turn.

    ``about`` is empty where nothing is missing but the dialogue ran into its limit of turns.
    """

    measured: Measured | None
    domain: str
    about: str
    party: Party
    because: str
    turn: int


class BlameVerdict(Struct, frozen=True):
    """Who is to blame for a failed dialogue: the party with most of its losses, and the earliest turn that decided one."""

    party: Party
    because: str
    turn: int
    losses: tuple[GoalLoss, ...]

    @property
    def text(self) -> str:
        """The verdict in a line.

        Example:
            >>> BlameVerdict("user", "missed", 3, ()).text
            'user (missed, turn 3)'
        """
        return f"{self.party} ({self.because}, turn {self.turn})"


_Reason: TypeAlias = tuple[str, int]
"""What decides, and at which turn."""


class Blamer:
    """Gives verdicts.

    Args:
        profile: what acts mean.
        database: to check that a search could not succeed; without one a search that the system gave up is believed.
    """

    def __init__(self, profile: Profile, database: Database | None = None) -> None:
        self._profile = profile
        self._database = database
        self._parts = classifier(profile.acts)

    def verdict(self, talk: Conversation, outcome: DialogueOutcome) -> BlameVerdict | None:
        """The verdict on a dialogue; None where it did not fail."""
        scores = (outcome.combined["I"], outcome.combined["R"])
        if not talk.cut and all(score is None or score.recall == 1 for score in scores):
            return None
        lost: list[tuple[Measured | None, str, str]] = [*_lost(outcome)] or [(None, "", "")]
        losses = tuple(self._loss(talk, outcome, *unit) for unit in lost)
        votes = Counter(loss.party for loss in losses)
        party = max(PARTIES, key=lambda each: votes[each])
        turn, because = min((loss.turn, loss.because) for loss in losses if loss.party == party)
        return BlameVerdict(party, because, turn, losses)

    def _loss(
        self, talk: Conversation, outcome: DialogueOutcome, measured: Measured | None, domain: str, about: str
    ) -> GoalLoss:
        # What was never begun was lost elsewhere: another domain may have kept the user from it.
        begun = bool(outcome.said.get(domain) or outcome.asked.get(domain))
        domains = (domain,) if begun else (*outcome.domains,)
        rules: tuple[tuple[Party, Iterator[_Reason]], ...] = (
            ("goal", self._by_goal(talk, outcome, domain, about)),
            ("understanding", self._by_understanding(talk, outcome, domains)),
            ("system", self._by_system(talk, outcome, domains)),
        )
        for party, reasons in rules:
            first = min(reasons, key=lambda reason: (reason[1], reason[0]), default=None)
            if first is not None:
                return GoalLoss(measured, domain, about, party, *first)
        last = len(talk.moves) - 1
        names = _names("user")
        own = [event for event in outcome.events if event.domain in domains and event.turns and event.name in names]
        first = min(
            ((event.name, event.turns[-1]) for event in own), key=lambda each: each[1], default=("missed", last)
        )
        return GoalLoss(measured, domain, about, "user", *first)

    def _by_goal(self, talk: Conversation, outcome: DialogueOutcome, domain: str, about: str) -> Iterator[_Reason]:
        if about and about in outcome.dropped.get(domain, ()):
            wanted = (talk.goal or {})[domain].info
            if self._database is None or self._database(domain, wanted) == 0:
                yield "failed_dialogue", 1 + max(turns[-1] for turns in outcome.said[domain].values())

    def _by_understanding(
        self, talk: Conversation, outcome: DialogueOutcome, domains: tuple[str, ...]
    ) -> Iterator[_Reason]:
        yield from _blaming("understanding", outcome.events, domains)
        services = {*domains, self._profile.booking}
        for number in range(2, len(talk.moves), 2):
            heard, said = talk.moves[number].understood, talk.moves[number - 1].acts
            if heard is not None and said is not None and _plain(heard, services) != _plain(said, services):
                yield "failed_user_nlu", number

    def _by_system(self, talk: Conversation, outcome: DialogueOutcome, domains: tuple[str, ...]) -> Iterator[_Reason]:
        yield from _blaming("system", outcome.events, domains)
        goal = talk.goal or {}
        for domain in domains:
            for request, turns in outcome.asked.get(domain, {}).items():
                if not self._answers(talk, domain, requested_slot(request), turns[0]):
                    yield "unanswered_request", turns[0]
            if domain in goal and self._profile.traits(domain).transactional and not goal[domain].fail_book:
                yield from self._needless_failures(talk, domain, {**goal[domain].info, **goal[domain].book})

    def _answers(self, talk: Conversation, domain: str, slot: str, asked: int) -> bool:
        services = (domain, self._profile.booking)
        return any(
            act.slot.lower() == slot and act.service in services and self._parts(act.name) & SLOT_VALUES
            for move in talk.moves[asked + 1 :: 2]
            for act in move.acts or ()
        )

    def _needless_failures(self, talk: Conversation, domain: str, wanted: Mapping[str, str]) -> Iterator[_Reason]:
        """Bookings that fail though the goal does not say that they should, and entities are there."""
        if self._database is not None and not self._database(domain, wanted):
            return
        for number in range(1, len(talk.moves), 2):
            acts = talk.moves[number].acts or ()
            if any(self._parts(act.name) & NO_BOOK and act.service in (domain, self._profile.booking) for act in acts):
                yield "no_book_without_cause", number


@cache
def _names(party: Party) -> frozenset[str]:
    """The classes of events that blame a party."""
    return frozenset(each.name for each in ALL if each.blames == party)


def _blaming(party: Party, events: Iterable[Event], domains: tuple[str, ...]) -> Iterator[_Reason]:
    names = _names(party)
    return ((event.name, event.turns[0]) for event in events if event.name in names and event.domain in domains)


def _plain(acts: Iterable[Act], services: set[str]) -> set[tuple[str, str, str, tuple[str, ...]]]:
    return {
        (act.service, act.name.lower(), act.slot.lower(), tuple(value.lower() for value in act.values))
        for act in acts
        if act.service in services
    }


def _lost(outcome: DialogueOutcome) -> Iterator[tuple[Measured, str, str]]:
    """Units that were wanted and do not count, and those that left the goal."""
    sides: tuple[tuple[Measured, Mapping[str, DomainOutcome]], ...] = (("I", outcome.inform), ("R", outcome.request))
    for measured, domains in sides:
        for domain, each in domains.items():
            for about in sorted((Counter(each.wanted) - Counter(each.counted)).elements()):
                yield measured, domain, about
    for domain, gone in outcome.dropped.items():
        for about in gone:
            yield "I" if "=" in about else "R", domain, about


def table(verdicts: Iterable[BlameVerdict]) -> dict[str, dict[Party, int]]:
    """How many losses are put down to whom, by domain.

    Example:
        >>> loss = GoalLoss("I", "hotel", "area=east", "user", "missed", 3)
        >>> table([BlameVerdict("user", "missed", 3, (loss,))])
        {'hotel': {'goal': 0, 'understanding': 0, 'system': 0, 'user': 1}}
    """
    counts = Counter((loss.domain, loss.party) for verdict in verdicts for loss in verdict.losses)
    return {
        domain: {party: counts[domain, party] for party in PARTIES}
        for domain in sorted({domain for domain, _ in counts})
    }
