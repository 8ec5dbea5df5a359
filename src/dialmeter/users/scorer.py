"""The scorer of users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..core.comparison import Resampling, make_resampling
from ..core.shards import ShardTask
from ..errors import DialmeterError, InputError, placing
from ..garbage import paused_garbage_collection
from ..model import USER, Conversation, Notice, dialogue_key
from ..readers.conversations import Conversations, open_conversations, open_span
from ..readers.validation import UniqueIds
from ..values.maps import ValueMap
from ..values.maps import load as load_map
from .blame import Blamer, BlameVerdict, Database
from .canonical import Matcher
from .counting import absent_choices, count_constraints, count_requests
from .events import Counts, DialogueOutcome, DomainOutcome, compare, pooled
from .goals import goal_digest
from .prepared_dialogue import Mentions, PreparedDialogue, ScoringSetup
from .profile import Profile
from .profile import load as load_profile
from .record import UserRow, row_of
from .result import UserResult, UserSettings
from .rules import UserRules
from .rules import load as load_rules
from .score_table import Key, ScoreTable
from .text import ActMaker, RuleMaker, TextReader
from .text.accuracy import without_acts


class UserScorer:
    """Scores dialogues one at a time. A scorer can be pickled, merged with another one (``merge``), and emptied (``reset``).

    Args:
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file; without one, values are compared unchanged, ignoring letter case.
        from_text: finds acts in the text of turns without acts; True for the rules of dialmeter.
        keep: keep every outcome in the result; otherwise the result has only scores and counts.
        accuracy: a text on the measured accuracy of reading text.
        all_text: also read the text of turns with acts.

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
        all_text: bool = False,
    ) -> None:
        self.rules = rules if isinstance(rules, UserRules) else load_rules(str(rules))
        self.profile = profile if isinstance(profile, Profile) else load_profile(str(profile))
        self.value_map = load_map(value_map) if isinstance(value_map, str | Path) else value_map
        matcher = Matcher.under(self.rules.values, self.value_map, self.profile.kept_values)
        self._setup = ScoringSetup(self.rules, self.profile, matcher)
        maker = RuleMaker(self.profile, self.value_map) if from_text is True else from_text or None
        if isinstance(maker, RuleMaker) and not maker.reads_with(self.profile, self.value_map):
            raise DialmeterError("the rules that read text need the profile and the value map of the scorer")
        self._settings = UserSettings(self.rules, self.profile, self.value_map, maker, accuracy, all_text)
        self._reader = TextReader(maker, self.profile) if maker is not None else None
        self._read: tuple[Conversation, Conversation] | None = None
        self._prepared: tuple[Conversation, PreparedDialogue] | None = None
        self._keep = keep
        self.reset()

    @classmethod
    def under(cls, settings: UserSettings, keep: bool = False) -> UserScorer:
        """Return a scorer with these settings."""
        return cls(**asdict(settings), keep=keep)

    def reset(self) -> None:
        """Remove all dialogues."""
        self._unique_ids = UniqueIds()
        self.score_table = ScoreTable(self._keep)
        self.refused: list[InputError] = []

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: getattr(self, name) for name in ("score_table", "refused", "_unique_ids")}
        return type(self).under, (self.settings, self._keep), state

    @property
    def settings(self) -> UserSettings:
        """The settings that dialogues are scored with."""
        return self._settings

    @property
    def setup(self) -> ScoringSetup:
        """Rules, profile and value matcher, with their caches."""
        return self._setup

    def add(self, conversation: Conversation) -> DialogueOutcome:
        """Score one dialogue and add it to the result.

        Raises:
            InputError: the dialogue cannot be scored: no goal, no turns, two turns of one speaker in a row, or a duplicate id.
        """
        self._unique_ids.check(conversation.id)
        outcome = self.outcome(conversation)
        self.score_table.add(outcome)
        return outcome

    def prepare(self, conversation: Conversation) -> PreparedDialogue:
        """Prepare one dialogue for scoring.

        Raises:
            InputError: the dialogue cannot be scored.
        """
        if self._prepared is None or self._prepared[0] is not conversation:
            self._prepared = conversation, self.setup.prepare(self.read(conversation))
        return self._prepared[1]

    def read(self, conversation: Conversation) -> Conversation:
        """Return a dialogue with acts read from its text, or the dialogue itself if the scorer does not read text."""
        if self._reader is None:
            return conversation
        if self._read is None or self._read[0] is not conversation:
            is_text = self.settings.all_text and all(move.text for move in conversation.moves if move.speaker == USER)
            self._read = conversation, self._reader.read(without_acts(conversation) if is_text else conversation)
        return self._read[1]

    def outcome(self, conversation: Conversation) -> DialogueOutcome:
        """Score one dialogue without adding it to the result.

        Raises:
            InputError: the dialogue cannot be scored.
        """
        dialogue = self.prepare(conversation)
        informs = count_constraints(dialogue)
        requests = count_requests(dialogue, informs.dropped)
        combined_ignores_domain = self.rules.faults.combined_ignores_domain
        dropped = {
            domain: (*informs.dropped.get(domain, ()), *requests.dropped.get(domain, ())) for domain in informs.dropped
        }
        events = sorted(
            [*informs.events, *requests.events],
            key=lambda event: (event.turns[-1:], event.domain, event.about, event.name),
        )
        is_conditional = self.rules.goals.alternatives == "as_needed"
        absent = absent_choices(dialogue.goal_units, dialogue.task) if is_conditional else []
        return DialogueOutcome(
            id=conversation.id,
            turns=len(conversation.moves),
            cut=conversation.cut,
            goal=dialogue.goal,
            goal_digest=goal_digest(dialogue.goal_units, absent),
            inform=_outcomes(informs.domains),
            request=_outcomes(requests.domains),
            combined={
                "I": pooled(informs.domains, with_domain=not combined_ignores_domain),
                "R": pooled(requests.domains, with_domain=False),
            },
            events=tuple(events),
            said=_frozen(dialogue.said),
            asked=_frozen(dialogue.asked),
            request_acts=_frozen(self.setup.request_acts(dialogue.turns)),
            dropped=dropped,
            remarks=tuple(dialogue.remarks),
        )

    def add_all(
        self, conversations: Iterable[Conversation], file: str | None = None
    ) -> Iterator[tuple[Conversation, DialogueOutcome]]:
        """Score dialogues lazily and yield each with its outcome. Dialogues that cannot be scored are refused.

        Args:
            conversations: the dialogues.
            file: the name of their file, for messages.
        """
        for conversation in conversations:
            try:
                outcome = self.add(conversation)
            except InputError as error:
                self.refuse(error.at(file=file))
            else:
                yield conversation, outcome

    def refuse(self, error: InputError) -> None:
        """Record a dialogue that cannot be scored."""
        self.refused.append(error)

    def merge(self, other: UserScorer) -> None:
        """Add the dialogues of another scorer with the same rules, profile and value map.

        Raises:
            DialmeterError: the scorers have different settings.
            InputError: a dialogue is in both.
        """
        if self.settings.signed != other.settings.signed:
            raise DialmeterError("only scorers with the same rules, profile and value map can be merged")
        self.score_table.merge(other.score_table)
        self._unique_ids.merge(other._unique_ids)
        self.refused += other.refused

    def result(
        self,
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
        measures: Sequence[Key] = (),
        verdicts: Sequence[BlameVerdict] | None = None,
    ) -> UserResult:
        """Return the result of all dialogues so far.

        Args:
            notices: other warnings, such as those about the file.
            resampling: settings of the confidence intervals; None for no intervals.
            only: keys of the requested dialogues; None for all.
            measures: the requested measures; all of them if none is requested.
            verdicts: who lost the points of each dialogue; None if it is not known.

        Raises:
            InputError: no dialogue was scored.
        """
        if not self.score_table.rows:
            first = f"; first error: {self.refused[0]}" if self.refused else ""
            raise InputError(f"no dialogue can be scored{first}")
        return UserResult(
            self.settings,
            self.score_table,
            refused=self.refused,
            notices=notices,
            resampling=resampling,
            only=only,
            measures=measures,
            verdicts=verdicts,
        )


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
    progress: Callable[[Iterable[Conversation]], Iterable[Conversation]] = lambda conversations: conversations,
    on_row: Callable[[Conversation, DialogueOutcome], None] | None = None,
) -> UserResult:
    """Score a user simulator: does it say and ask for all that its goals require, and nothing else?

    Args:
        dialogues: the path of a file or folder, open conversations, or an iterable of conversations.
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file.
        format: the format of the file; default: auto-detect.
        from_text: finds acts in the text of turns without acts; True for the rules of dialmeter.
        ci: confidence level of the intervals; 0 for no intervals.
        resamples: number of bootstrap resamples of dialogues.
        seed: seed of the bootstrap.
        keep: keep every outcome in the result.
        progress: wraps the conversations, for example in a progress bar.
        on_row: called with every scored dialogue and its outcome.

    Raises:
        DialmeterError: no dialogue can be scored, or the file cannot be read.

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
    conversations = open_conversations(dialogues, format) if isinstance(dialogues, str | Path) else dialogues
    opened = conversations if isinstance(conversations, Conversations) else None
    name = opened.name if opened is not None else None
    with paused_garbage_collection():
        for conversation, outcome in scorer.add_all(progress(conversations), name):
            if on_row is not None:
                on_row(conversation, outcome)
    for error in opened.refused if opened is not None else ():
        scorer.refuse(error)
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


def _frozen(mentions: Mentions) -> dict[str, dict[str, tuple[int, ...]]]:
    return {domain: {unit: tuple(turns) for unit, turns in units.items()} for domain, units in mentions.items()}


def turn_limit(conversations: Iterable[Conversation]) -> int | None:
    """Return the maximum number of turns: the length of the longest dialogues, if at least two have this length.

    Example:
        >>> from dialmeter.model import Move
        >>> short, long = Conversation("a", (Move("user", "Hi."),)), Conversation("b", (Move("user", "Hi."),) * 2)
        >>> turn_limit([short, long]), turn_limit([short, long, long])
        (None, 2)
    """
    lengths = Counter(len(conversation.moves) for conversation in conversations)
    longest = max(lengths, default=0)
    return longest if lengths[longest] > 1 else None


class UserShardSettings(Struct, frozen=True):
    """Settings for scoring a file. They are the same for all of its shards.

    Attributes:
        format: the format of the file.
        scoring: rules, profile and value map.
        goals: the path of a file of goals.
        only: keys of the dialogues to score; None for all.
        blamed: True to find out who lost each point.
        keep_rows: True to return the rows, too.
        keep_talk: True to return the rows with their turns, which counts of events and patterns do not need.
        database: the database of the dialogues, to check failed searches.
        limit: largest number of turns of a dialogue; None if not known.
    """

    format: str
    scoring: UserSettings
    goals: str | None = None
    only: frozenset[str] | None = None
    blamed: bool = False
    keep_rows: bool = False
    keep_talk: bool = False
    database: Database | None = None
    limit: int | None = None


class UserShard(Struct):
    """The result of scoring one shard. ``verdicts`` and ``rows`` are empty unless requested."""

    score_table: ScoreTable
    refused: list[InputError]
    notices: list[Notice]
    verdicts: list[BlameVerdict]
    rows: list[UserRow]


def score_shard(
    task: ShardTask[UserShardSettings],
    conversations: Conversations | None = None,
    progress: Callable[[Iterable[Conversation]], Iterable[Conversation]] = iter,
    at: Callable[[str], None] = lambda _: None,
) -> UserShard:
    """Score one shard of a file of dialogues, in this process or a worker process.

    Args:
        task: the shard to score.
        conversations: the shard, if it is already open.
        progress: wraps the conversations, for example in a progress bar.
        at: called with the name of each dialogue before it is scored.
    """
    settings = task.settings
    scorer = UserScorer.under(settings.scoring)
    blamer = Blamer(scorer.setup, settings.database, settings.limit) if settings.blamed else None
    shard = UserShard(scorer.score_table, scorer.refused, [], [], [])
    conversations = conversations or open_span(task.span, settings.format, settings.goals)

    def selected(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            if settings.only is None or dialogue_key(conversation.id) in settings.only:
                at(f"dialogue {conversation.id}")
                yield conversation

    with task.open_rows() as part, paused_garbage_collection():
        for conversation, outcome in scorer.add_all(selected(progress(conversations)), conversations.name):
            read = scorer.read(conversation)
            verdict = blamer.verdict(read, scorer.prepare(conversation), outcome) if blamer is not None else None
            if verdict is not None:
                shard.verdicts.append(verdict)
            if part is None and not settings.keep_rows:
                continue
            row = row_of(read, outcome, verdict)
            if settings.keep_rows:
                shard.rows.append(row if settings.keep_talk else replace(row, talk=()))
            if part is not None and conversation.id not in part.done:
                part.add(row)
    shard.refused += conversations.refused
    shard.notices += conversations.notices
    return shard
