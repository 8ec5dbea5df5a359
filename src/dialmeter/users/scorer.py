"""Scoring users: dialogues one by one, then a result that can be asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ..core.comparison import Resampling
from ..errors import DialmeterError, InputError, placing
from ..model import Conversation, Notice
from ..readers.conversations import Conversations, open_conversations
from ..readers.parts import UniqueIds
from ..values.maps import ValueMap
from ..values.maps import load as load_map
from .canonical import Matcher
from .events import Event
from .from_text import TextReader
from .inform import InformWalk
from .outcome import DialogueOutcome, DomainOutcome
from .prepared_dialogue import ScoringSetup
from .profile import Profile
from .profile import load as load_profile
from .request import requests
from .result import How, UserResult
from .rules import UserRules
from .rules import load as load_rules
from .score import Counts, compare, pooled
from .score_table import Book


class UserScorer:
    """Takes dialogues one by one.

    Args:
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file; without one values are compared as they are, letter case aside.
        from_text: find constraints and requests in the words of turns that have no acts.
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
        value_map: str | Path | ValueMap | None = None,
        *,
        from_text: bool = False,
        keep: bool = False,
    ) -> None:
        self.rules = rules if isinstance(rules, UserRules) else load_rules(str(rules))
        self.profile = profile if isinstance(profile, Profile) else load_profile(str(profile))
        self.value_map = load_map(value_map) if isinstance(value_map, str | Path) else value_map
        matcher = Matcher.under(self.rules.values, self.value_map, self.profile.kept_values)
        self._setup = ScoringSetup(self.rules, self.profile, matcher)
        self._walk = InformWalk(self._setup)
        self._once = UniqueIds()
        self._from_text = TextReader(self.profile, self.value_map) if from_text else None
        self.book = Book(keep)
        self.refused: list[InputError] = []

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
        read = self._from_text.read(talk) if self._from_text else None
        dialogue = self._setup.prepare(read.talk if read else talk)
        dialogue.remarks += read.remarks if read else ()
        informs = self._walk.informs(dialogue)
        asked = requests(dialogue, informs.dropped)
        combined_ignores_domain = self.rules.faults.combined_ignores_domain
        dropped = {
            domain: (*informs.dropped.get(domain, ()), *asked.dropped.get(domain, ())) for domain in informs.dropped
        }
        return DialogueOutcome(
            id=talk.id,
            turns=len(talk.moves),
            cut=talk.cut,
            domains=tuple(dialogue.wants),
            inform=_outcomes(informs.domains),
            request=_outcomes(asked.domains),
            combined={
                "I": pooled(informs.domains, with_domain=not combined_ignores_domain),
                "R": pooled(asked.domains, with_domain=False),
            },
            events=_in_order(informs.events, asked.events),
            said=_frozen(dialogue.said),
            asked=_frozen(dialogue.asked),
            dropped=dropped,
            remarks=tuple(dialogue.remarks),
        )

    def refuse(self, error: InputError) -> None:
        """Notes a dialogue that cannot be scored."""
        self.refused.append(error)

    def merge(self, other: UserScorer) -> None:
        """Takes what another scorer with the same rules has scored, such as another part of the corpus."""
        self.book.merge(other.book)
        self.refused += other.refused

    def result(
        self,
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> UserResult:
        """The result of all dialogues so far.

        Args:
            notices: what else there is to say, such as of the file.
            resampling: how intervals are made; without it there are none.
            only: keys of the dialogues that were asked for; all where it is None.

        Raises:
            InputError: no dialogue was scored.
        """
        if not self.book.rows:
            first = f"; the first: {self.refused[0]}" if self.refused else ""
            raise InputError(f"no dialogue can be scored{first}")
        how = How(self.rules, self.profile, self.value_map, self._from_text is not None)
        return UserResult(how, self.book, refused=self.refused, notices=notices, resampling=resampling, only=only)


def score_user(
    dialogues: str | Path | Conversations | Iterable[Conversation],
    rules: str | Path | UserRules = "dialmeter",
    profile: str | Path | Profile = "multiwoz",
    value_map: str | Path | ValueMap | None = None,
    *,
    form: str | None = None,
    from_text: bool = False,
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    keep: bool = True,
    watch: Callable[[Iterable[Conversation]], Iterable[Conversation]] = lambda talks: talks,
    sink: Callable[[Conversation, DialogueOutcome], None] | None = None,
) -> UserResult:
    """Scores a user simulator: does it say and ask for all that its goals want, and nothing else?

    Args:
        dialogues: a file or folder, one that is open already, or conversations.
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file.
        form: the layout of the file; found where it is not named.
        from_text: find constraints and requests in the words of turns that have no acts.
        ci: the confidence of the intervals; 0 for none.
        resamples: how often dialogues are drawn for them.
        seed: of the draw.
        keep: keep every outcome in the result.
        watch: wraps the conversations, for a progress bar.
        sink: takes every scored dialogue with its outcome.

    Raises:
        DialmeterError: nothing that can be scored, or a file that cannot be read.

    Example:
        >>> from dialmeter.model import Act, DomainGoal, Move
        >>> user = Move("user", "A hotel in the east.", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
        >>> system = Move("system", "Here is one.", acts=(), understood=())
        >>> result = score_user([Conversation("d1", (user, system), {"hotel": DomainGoal(info={"area": "east"})})])
        >>> result["I-GCDF1"].value, result["R-GCDF1"].value
        (1.0, None)
    """
    if not 0 <= ci < 1:
        raise DialmeterError(f"ci lies between 0 and 1, as in 0.95, not {ci}")
    scorer = UserScorer(rules, profile, value_map, from_text=from_text, keep=keep)
    talks = open_conversations(dialogues, form) if isinstance(dialogues, str | Path) else dialogues
    opened = talks if isinstance(talks, Conversations) else None
    name = opened.name if opened is not None else None
    for talk in watch(talks):
        try:
            outcome = scorer.add(talk)
        except InputError as error:
            scorer.refuse(error.at(file=name))
            continue
        if sink is not None:
            sink(talk, outcome)
    for unread in opened.refused if opened is not None else ():
        scorer.refuse(unread)
    notices = opened.notices if opened is not None else ()
    with placing(file=name):
        return scorer.result(notices, Resampling(ci, resamples, seed) if ci else None)


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
