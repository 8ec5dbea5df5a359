"""Scoring users: dialogues one by one, then a result that can be asked again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..formats.parts import Once
from ..model import Conversation
from .book import Book
from .canonical import Matcher, ValueMap
from .events import Event
from .inform import InformWalk
from .outcome import DialogueOutcome, DomainOutcome
from .profile import Profile
from .profile import load as load_profile
from .request import requests
from .rules import UserRules
from .rules import load as load_rules
from .scene import Stage
from .score import Counts, compare, pooled


class UserScorer:
    """Takes dialogues one by one.

    Args:
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        values: a value map, or its file; without one values are compared as they are, letter case aside.
        keep: keep every outcome in the result; without it only scores and counts are.

    Example:
        >>> from dialmeter.model import Act, DomainGoal, Move
        >>> scorer = UserScorer()
        >>> said = Move("user", "East, please.", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
        >>> goal = {"hotel": DomainGoal(info={"area": "east", "stars": "4"})}
        >>> outcome = scorer.add(Conversation("d1", (said, Move("system", "Sure.", acts=(), understood=())), goal))
        >>> outcome.score("I").recall, [event.name for event in outcome.events]
        (0.5, ['missed_constraints'])
    """

    def __init__(
        self,
        rules: str | Path | UserRules = "dialmeter",
        profile: str | Path | Profile = "multiwoz",
        values: str | Path | ValueMap | None = None,
        *,
        keep: bool = False,
    ) -> None:
        self.rules = rules if isinstance(rules, UserRules) else load_rules(str(rules))
        self.profile = profile if isinstance(profile, Profile) else load_profile(str(profile))
        self.values = ValueMap.read(values) if isinstance(values, str | Path) else values
        matcher = Matcher.under(self.rules.values, self.values, self.profile.kept_values)
        self._stage = Stage(self.rules, self.profile, matcher)
        self._walk = InformWalk(self._stage)
        self._once = Once()
        self.book = Book(keep)

    def add(self, talk: Conversation) -> DialogueOutcome:
        """Scores one dialogue.

        Raises:
            InputError: it cannot be scored: no goal, no turns, two turns of one speaker in a row, or seen before.
        """
        self._once.check(talk.id)
        outcome = self.outcome(talk)
        assert talk.goal is not None
        self.book.add(outcome, talk.goal)
        return outcome

    def outcome(self, talk: Conversation) -> DialogueOutcome:
        """Scores one dialogue without taking it into the result.

        Raises:
            InputError: it cannot be scored.
        """
        scene = self._stage.scene(talk)
        informs = self._walk.informs(scene)
        asked = requests(scene, informs.dropped)
        combined_ignores_domain = self.rules.faults.combined_ignores_domain
        dropped = {
            domain: (*informs.dropped.get(domain, ()), *asked.dropped.get(domain, ())) for domain in informs.dropped
        }
        return DialogueOutcome(
            id=talk.id,
            turns=len(talk.moves),
            cut=talk.cut,
            domains=tuple(scene.wants),
            inform=_outcomes(informs.domains),
            request=_outcomes(asked.domains),
            combined={
                "I": pooled(informs.domains, with_domain=not combined_ignores_domain),
                "R": pooled(asked.domains, with_domain=False),
            },
            events=_in_order(informs.events, asked.events),
            said=_frozen(scene.said),
            asked=_frozen(scene.asked),
            dropped=dropped,
            remarks=tuple(scene.remarks),
        )


def _outcomes(domains: Mapping[str, Counts]) -> dict[str, DomainOutcome]:
    return {
        domain: DomainOutcome(
            tuple(sorted(counts.wanted)), tuple(sorted(counts.counted)), compare(counts.wanted, counts.counted)
        )
        for domain, counts in domains.items()
    }


def _in_order(*lists: list[Event]) -> tuple[Event, ...]:
    events = [event for each in lists for event in each]
    return tuple(sorted(events, key=lambda event: (event.turns[-1:], event.domain, event.about, event.name)))


def _frozen(mentions: Mapping[str, Mapping[str, list[int]]]) -> dict[str, dict[str, tuple[int, ...]]]:
    return {domain: {each: tuple(turns) for each, turns in inside.items()} for domain, inside in mentions.items()}
