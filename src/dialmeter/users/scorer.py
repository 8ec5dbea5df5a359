"""The scorer of users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..core.comparison import Resampling
from ..core.engine import note
from ..core.run_writer import RowPart, ShardTask
from ..errors import DialmeterError, InputError
from ..garbage import paused_garbage_collection
from ..model import USER, Conversation, dialogue_key
from ..progress import track_reading
from ..readers.conversations import Conversations, open_conversations, open_span
from ..readers.validation import UniqueIds
from ..values.maps import ValueMap
from ..values.maps import load as load_map
from .blame.exchange import Database
from .blame.verdict import blame
from .counting import outcome_of
from .events import DialogueOutcome
from .prepared_dialogue import PreparedDialogue, ScoringSetup
from .profile import Profile
from .profile import load as load_profile
from .result import ScoreTable, UserResult, UserSettings, row_of
from .rules import UserRules
from .rules import load as load_rules
from .text.reader import ActMaker, TextReader, without_acts
from .text.rules import RuleMaker


class UserScorer:
    """Scores dialogues one at a time. A scorer can be pickled, and emptied (``reset``).

    Args:
        rules: a rule set, its name, or a TOML file.
        profile: a profile, its name, or a TOML file.
        value_map: a value map, its name, or its file; without one, values are compared unchanged, ignoring letter case.
        from_text: finds acts in the text of turns without acts; True for the rules of dialmeter.
        keep: keep every outcome in the result; otherwise the result has only scores and counts.
        accuracy: a text on the measured accuracy of reading text.
        all_text: also read the text of turns with acts.

    Attributes:
        settings: the settings that dialogues are scored with.
        setup: rules, profile and value matcher, with their caches.
        score_table: the scored dialogues.

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
        self.setup = ScoringSetup(self.rules, self.profile, self.value_map)
        maker = RuleMaker(self.profile, self.value_map) if from_text is True else from_text or None
        if isinstance(maker, RuleMaker) and not maker.reads_with(self.profile, self.value_map):
            raise DialmeterError("the rules that read text need the profile and the value map of the scorer")
        self.settings = UserSettings(self.rules, self.profile, self.value_map, maker, accuracy, all_text)
        self._reader = TextReader(maker, self.profile) if maker is not None else None
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

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"score_table": self.score_table, "_unique_ids": self._unique_ids}
        return type(self).under, (self.settings, self._keep), state

    def prepare(self, conversation: Conversation) -> PreparedDialogue:
        """Prepare one dialogue for scoring, after finding acts in its text if the scorer reads text.

        Raises:
            InputError: the dialogue cannot be scored: no goal, no turns, or two turns of one speaker in a row.
        """
        if self._reader is not None:
            is_text = self.settings.all_text and all(move.text for move in conversation.moves if move.speaker == USER)
            conversation = self._reader.read(without_acts(conversation) if is_text else conversation)
        return self.setup.prepare(conversation)

    def outcome(self, conversation: Conversation) -> DialogueOutcome:
        """Score one dialogue without adding it to the result.

        Raises:
            InputError: the dialogue cannot be scored.
        """
        return outcome_of(self.prepare(conversation))

    def add(self, conversation: Conversation) -> DialogueOutcome:
        """Score one dialogue and add it to the result.

        Raises:
            InputError: the dialogue cannot be scored, or its id is a duplicate.
        """
        return self._add(conversation)[1]

    def _add(self, conversation: Conversation) -> tuple[PreparedDialogue, DialogueOutcome]:
        self._unique_ids.check(conversation.id)
        dialogue = self.prepare(conversation)
        outcome = outcome_of(dialogue)
        self.score_table.add(outcome)
        return dialogue, outcome

    def add_all(
        self, conversations: Iterable[Conversation], file: str | None = None
    ) -> Iterator[tuple[PreparedDialogue, DialogueOutcome]]:
        """Score dialogues lazily and yield each with its outcome. Dialogues that cannot be scored are refused.

        Args:
            conversations: the dialogues.
            file: the name of their file, for messages.
        """
        for conversation in conversations:
            try:
                scored = self._add(conversation)
            except InputError as error:
                self.score_table.refused.append(error.at(file=file))
            else:
                yield scored

    def result(self, resampling: Resampling | None = None) -> UserResult:
        """Return the result of all dialogues so far, with confidence intervals if their settings are given.

        Raises:
            InputError: no dialogue was scored.
        """
        return UserResult(self.settings, self.score_table, resampling)


class ScoringJob(Struct, frozen=True):
    """What to do with the dialogues of a file. It is the same for all of its shards.

    Attributes:
        scoring: rules, profile and value map.
        format: the format of the file.
        goals: the path of a file of goals.
        only: keys of the dialogues to score; None for all.
        blamed: True to find out who lost each point.
        keep: True to keep the outcomes.
        keep_rows: True to keep the rows of a run.
        keep_talk: True to keep the turns in these rows, which counts of events and patterns do not need.
        database: the database of the dialogues, to check failed searches.
        limit: largest number of turns of a dialogue; None if not known.
    """

    scoring: UserSettings
    format: str = ""
    goals: str | None = None
    only: frozenset[str] | None = None
    blamed: bool = False
    keep: bool = False
    keep_rows: bool = False
    keep_talk: bool = False
    database: Database | None = None
    limit: int | None = None


def score_conversations(
    conversations: Iterable[Conversation],
    job: ScoringJob,
    run_rows: RowPart | None = None,
) -> ScoreTable:
    """Score dialogues. Those that cannot be scored are refused, also those that their open file refused.

    Args:
        conversations: an open file, or dialogues.
        job: what to do with them.
        run_rows: takes the rows of a run; None if no run is written.
    """
    scorer = UserScorer.under(job.scoring, job.keep)
    table = scorer.score_table
    verdicts = table.verdicts = [] if job.blamed else None
    opened = conversations if isinstance(conversations, Conversations) else None

    def selected() -> Iterator[Conversation]:
        for conversation in track_reading(conversations):
            if job.only is None or dialogue_key(conversation.id) in job.only:
                note(f"dialogue {conversation.id}")
                yield conversation

    with paused_garbage_collection():
        for dialogue, outcome in scorer.add_all(selected(), opened.name if opened else None):
            verdict = blame(dialogue, outcome, job.database, job.limit) if job.blamed else None
            if verdicts is not None and verdict is not None:
                verdicts.append(verdict)
            if run_rows is None and not job.keep_rows:
                continue
            row = row_of(dialogue.conversation, outcome, verdict)
            if job.keep_rows:
                table.run_rows.append(row if job.keep_talk else replace(row, talk=()))
            if run_rows is not None and row.id not in run_rows.done:
                run_rows.add(row)
    if opened is not None:
        table.refused += opened.refused
        table.notices += opened.notices
    return table


def score_shard(task: ShardTask[ScoringJob]) -> ScoreTable:
    """Score one shard of a file of dialogues, in this process or a worker process."""
    job = task.settings
    with task.open_rows() as run_rows:
        return score_conversations(open_span(task.span, job.format, job.goals), job, run_rows=run_rows)


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


def turn_limit_of_file(file: str, format: str, goals: str | None) -> int | None:
    """Return the maximum number of turns in a file.

    It is None if it is unknown, if the file can be read only once, or if its format says of each dialogue whether it was cut.
    """
    return None if file == "-" or format == "native" else turn_limit(open_conversations(file, format, goals))
