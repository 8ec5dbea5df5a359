"""The scorer of users: takes dialogues one by one and gives a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..core.comparison import Resampling, make_resampling
from ..core.shards import ShardTask
from ..errors import DialmeterError, InputError, placing
from ..garbage import paused_garbage_collection
from ..model import Conversation, Notice, dialogue_key
from ..readers.conversations import Conversations, open_conversations, open_span
from ..readers.parts import UniqueIds
from ..renamed import renamed_argument
from ..values.maps import ValueMap
from ..values.maps import load as load_map
from .blame import Blamer, BlameVerdict, Database
from .canonical import Matcher
from .counting import InformWalk, requests
from .outcome import Counts, DialogueOutcome, DomainOutcome, compare, pooled
from .prepared_dialogue import PreparedDialogue, ScoringSetup
from .profile import Profile
from .profile import load as load_profile
from .record import UserRow, row_of
from .result import UserResult, UserSettings
from .rules import UserRules
from .rules import load as load_rules
from .score_table import ScoreTable
from .text import ActMaker, RuleMaker, TextReader


class UserScorer:
    """Takes dialogues one by one. A scorer can be pickled, merged with another one (``merge``), and emptied (``reset``).

    Args:
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file; without one values are compared as they are, letter case aside.
        from_text: what finds acts in the words of turns that have none; True for the rules of dialmeter.
        keep: keep every outcome in the result; without it only scores and counts are.
        accuracy: what was measured of the reading of text, in words.

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
        from_text: bool | ActMaker | None = False,
        keep: bool = False,
        accuracy: str = "",
    ) -> None:
        self.rules = rules if isinstance(rules, UserRules) else load_rules(str(rules))
        self.profile = profile if isinstance(profile, Profile) else load_profile(str(profile))
        self.value_map = load_map(value_map) if isinstance(value_map, str | Path) else value_map
        matcher = Matcher.under(self.rules.values, self.value_map, self.profile.kept_values)
        self._setup = ScoringSetup(self.rules, self.profile, matcher)
        self._walk = InformWalk(self._setup)
        maker = RuleMaker(self.profile, self.value_map) if from_text is True else from_text or None
        self._settings = UserSettings(self.rules, self.profile, self.value_map, maker, accuracy)
        self._reader = TextReader(maker, self.profile) if maker is not None else None
        self._read: tuple[Conversation, Conversation] | None = None
        self._keep = keep
        self.reset()

    @classmethod
    def under(cls, how: UserSettings) -> UserScorer:
        """A scorer with some settings."""
        return cls(how.rules, how.profile, how.value_map, from_text=how.from_text, accuracy=how.accuracy)

    def reset(self) -> None:
        """Forgets all dialogues."""
        self._once = UniqueIds()
        self.score_table = ScoreTable(self._keep)
        self.refused: list[InputError] = []

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self.rules, self.profile, self.value_map)
        options = {"from_text": self.settings.from_text, "keep": self._keep, "accuracy": self.settings.accuracy}
        return _restored, (type(self), arguments, options, (self.score_table, self.refused, self._once))

    @property
    def settings(self) -> UserSettings:
        """What dialogues are scored with."""
        return self._settings

    @property
    def setup(self) -> ScoringSetup:
        """Rules, profile and values, with what was looked up."""
        return self._setup

    def add(self, talk: Conversation) -> DialogueOutcome:
        """Scores one dialogue.

        Raises:
            InputError: it cannot be scored: no goal, no turns, two turns of one speaker in a row, or seen before.
        """
        self._once.check(talk.id)
        outcome = self.outcome(talk)
        self.score_table.add(outcome)
        return outcome

    def prepare(self, talk: Conversation) -> PreparedDialogue:
        """Prepares one dialogue for scoring.

        Raises:
            InputError: it cannot be scored.
        """
        return self.setup.prepare(self.read(talk))

    def read(self, talk: Conversation) -> Conversation:
        """A dialogue with the acts that are found in its words, where they are looked for."""
        if self._reader is None:
            return talk
        if self._read is None or self._read[0] is not talk:
            self._read = talk, self._reader.read(talk)
        return self._read[1]

    def outcome(self, talk: Conversation) -> DialogueOutcome:
        """Scores one dialogue without taking it into the result.

        Raises:
            InputError: it cannot be scored.
        """
        dialogue = self.prepare(talk)
        informs = self._walk.informs(dialogue)
        asked = requests(dialogue, informs.dropped)
        combined_ignores_domain = self.rules.faults.combined_ignores_domain
        dropped = {
            domain: (*informs.dropped.get(domain, ()), *asked.dropped.get(domain, ())) for domain in informs.dropped
        }
        events = sorted(
            [*informs.events, *asked.events],
            key=lambda event: (event.turns[-1:], event.domain, event.about, event.name),
        )
        return DialogueOutcome(
            id=talk.id,
            turns=len(talk.moves),
            cut=talk.cut,
            goal=dialogue.goal,
            domains=tuple(dialogue.wants),
            inform=_outcomes(informs.domains),
            request=_outcomes(asked.domains),
            combined={
                "I": pooled(informs.domains, with_domain=not combined_ignores_domain),
                "R": pooled(asked.domains, with_domain=False),
            },
            events=tuple(events),
            said=_frozen(dialogue.said),
            asked=_frozen(dialogue.asked),
            request_acts=_frozen(self.setup.request_acts(dialogue.turns)),
            dropped=dropped,
            remarks=tuple(dialogue.remarks),
        )

    def add_all(
        self, talks: Iterable[Conversation], file: str | None = None
    ) -> Iterator[tuple[Conversation, DialogueOutcome]]:
        """Scores dialogues, each when it is asked for; those that cannot be scored are refused.

        Args:
            talks: the dialogues.
            file: where they come from, for messages.
        """
        for talk in talks:
            try:
                outcome = self.add(talk)
            except InputError as error:
                self.refuse(error.at(file=file))
            else:
                yield talk, outcome

    def refuse(self, error: InputError) -> None:
        """Notes a dialogue that cannot be scored."""
        self.refused.append(error)

    def merge(self, other: UserScorer) -> None:
        """Takes the dialogues of another scorer with the same rules, profile and value map.

        Raises:
            DialmeterError: the scorers are not alike.
            InputError: a dialogue is in both.
        """
        if self.settings.signed != other.settings.signed:
            raise DialmeterError("only scorers with the same rules, profile and value map can be merged")
        self.score_table.merge(other.score_table)
        self._once.merge(other._once)
        self.refused += other.refused

    def result(
        self,
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> UserResult:
        """The result of all dialogues so far.

        Args:
            notices: other warnings, such as those of the file.
            resampling: how intervals are made; without it there are none.
            only: keys of the dialogues that were asked for; all where it is None.

        Raises:
            InputError: no dialogue was scored.
        """
        if not self.score_table.rows:
            first = f"; the first: {self.refused[0]}" if self.refused else ""
            raise InputError(f"no dialogue can be scored{first}")
        return UserResult(
            self.settings, self.score_table, refused=self.refused, notices=notices, resampling=resampling, only=only
        )


def _restored(kind: type[UserScorer], arguments: Any, options: Any, state: Any) -> UserScorer:
    """A scorer from its pickle."""
    scorer = kind(*arguments, **options)
    scorer.score_table, scorer.refused, scorer._once = state
    return scorer


@renamed_argument("form", "format")
def score_user(
    dialogues: str | Path | Conversations | Iterable[Conversation],
    rules: str | Path | UserRules = "dialmeter",
    profile: str | Path | Profile = "multiwoz",
    value_map: str | Path | ValueMap | None = None,
    *,
    format: str | None = None,
    from_text: bool | ActMaker | None = False,
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
        format: the format of the file; detected if not given.
        from_text: what finds acts in the words of turns that have none; True for the rules of dialmeter.
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
    resampling = make_resampling(ci, resamples, seed)
    scorer = UserScorer(rules, profile, value_map, from_text=from_text, keep=keep)
    talks = open_conversations(dialogues, format) if isinstance(dialogues, str | Path) else dialogues
    opened = talks if isinstance(talks, Conversations) else None
    name = opened.name if opened is not None else None
    with paused_garbage_collection():
        for talk, outcome in scorer.add_all(watch(talks), name):
            if sink is not None:
                sink(talk, outcome)
    for unread in opened.refused if opened is not None else ():
        scorer.refuse(unread)
    notices = opened.notices if opened is not None else ()
    with placing(file=name):
        return scorer.result(notices, resampling)


def _outcomes(domains: Mapping[str, Counts]) -> dict[str, DomainOutcome]:
    return {
        domain: DomainOutcome(
            tuple(sorted(counts.wanted)), tuple(sorted(counts.counted)), compare(counts.wanted, counts.counted)
        )
        for domain, counts in domains.items()
    }


def _frozen(mentions: Mapping[str, Mapping[str, list[int]]]) -> dict[str, dict[str, tuple[int, ...]]]:
    return {domain: {each: tuple(turns) for each, turns in inside.items()} for domain, inside in mentions.items()}


class UserShardSettings(Struct, frozen=True):
    """How a file is scored, the same for all of its shards.

    Attributes:
        format: the format.
        how: rules, profile and value map.
        goals: a file of goals.
        only: keys of the dialogues to score; all where it is None.
        blamed: say who lost each point.
        kept: return the rows, too.
        database: knows what can be found, to check failed searches.
        limit: how many turns a dialogue can have; None if not known.
    """

    format: str
    how: UserSettings
    goals: str | None = None
    only: frozenset[str] | None = None
    blamed: bool = False
    kept: bool = False
    database: Database | None = None
    limit: int | None = None


class UserShard(Struct):
    """The scores of one shard, and what else was wanted of it."""

    score_table: ScoreTable
    refused: list[InputError]
    notices: list[Notice]
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def score_shard(
    task: ShardTask[UserShardSettings],
    talks: Conversations | None = None,
    watch: Callable[[Iterable[Conversation]], Iterable[Conversation]] = iter,
    at: Callable[[str], None] = lambda _: None,
) -> UserShard:
    """Scores one shard of a file of dialogues, in whatever process.

    Args:
        task: what to score.
        talks: the shard, where it is open already.
        watch: wraps the conversations, for a progress bar.
        at: is called with the name of each dialogue before it is scored.
    """
    settings = task.settings
    how = settings.how
    scorer = UserScorer.under(how)
    blamer = Blamer(scorer.setup, settings.database, settings.limit) if settings.blamed else None
    found = UserShard(scorer.score_table, scorer.refused, [], [], [])
    talks = talks or open_span(task.span, settings.format, settings.goals)

    def chosen(every: Iterable[Conversation]) -> Iterator[Conversation]:
        for talk in every:
            if settings.only is None or dialogue_key(talk.id) in settings.only:
                at(f"dialogue {talk.id}")
                yield talk

    with task.open_rows() as part, paused_garbage_collection():
        for talk, outcome in scorer.add_all(chosen(watch(talks)), talks.name):
            read = scorer.read(talk)
            verdict = blamer.verdict(read, scorer.prepare(talk), outcome) if blamer is not None else None
            if verdict is not None:
                found.verdicts.append(verdict)
            if part is None and not settings.kept:
                continue
            row = row_of(read, outcome, verdict)
            if settings.kept:
                found.rows.append(row)
            if part is not None and talk.id not in part.done:
                part.add(row)
    found.refused += talks.refused
    found.notices += talks.notices
    return found
