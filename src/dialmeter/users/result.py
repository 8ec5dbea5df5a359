"""The result of scoring a user: the table of scored dialogues, scores with signatures, events, warnings, and the record of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from math import fsum
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from .._version import __version__
from ..core.account import NOT_IN_FILE, Account, count_reasons, only_field, refused_dialogues
from ..core.comparison import Resampling, sign_interval
from ..core.record import run_identity
from ..core.result import Result, RunFields
from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..measure import Score
from ..model import Conversation, Move, Notice, dialogue_key
from ..numeric import np
from ..stats.formulas import Floats, ratio
from ..stats.intervals import Interval
from ..stats.resampling import bootstrap
from ..values.maps import ValueMap
from .analysis.patterns import Pattern, patterns_of
from .blame.verdict import BlameVerdict
from .events import COMBINED, DialogueOutcome, Family, Measured, Parts, Remark, ScoredDialogue
from .goals import data_digest
from .measures import MEASURES, Key, name_of
from .profile import Profile
from .rules import UserRules
from .text.reader import ActMaker
from .text.rules import RuleMaker

NOTHING = "nothing is wanted and nothing counts in any dialogue"


class WorstDialogue(Struct, frozen=True):
    """A dialogue with a low score. A measure without a value in the dialogue is None."""

    dialogue: str
    inform: float | None
    request: float | None


class UserSettings(Struct, frozen=True):
    """Settings for scoring dialogues."""

    rules: UserRules
    profile: Profile
    value_map: ValueMap | None = None
    from_text: ActMaker | None = None
    """Finds acts in the text of turns without acts; None if text is not read."""
    accuracy: str = ""
    """A text on the measured accuracy of ``from_text``; empty if it was not measured."""
    all_text: bool = False
    """True to read the text of all turns, also of turns with acts; dialogues without text keep their acts."""

    @property
    def reader(self) -> str:
        """The name of the reader of text; empty if text is not read."""
        if self.from_text is None:
            return ""
        return f"{self.from_text.name}:all" if self.all_text else self.from_text.name

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields that all scores share."""
        return self.signed_with((self.reader,) if self.reader else ())

    def signed_with(self, readers: Sequence[str]) -> tuple[str, ...]:
        """Return the signature fields of scores with these readers of text.

        Example:
            >>> from .profile import named as profile
            >>> from .rules import changed, named
            >>> UserSettings(changed(named("gcdf1-repo"), "requests.max=1"), profile("multiwoz")).signed_with(())
            ('rules:gcdf1-repo', 'requests.max:1', 'profile:multiwoz', 'values:exact')
        """
        rules, has_map = self.rules, self.rules.values.map or any(each.startswith(RuleMaker.name) for each in readers)
        return (
            f"rules:{rules.name}",
            *((f"base:{rules.base}",) if rules.base not in ("", rules.name) else ()),
            *(f"{name}:{value}" for name, value in rules.changes().items()),
            f"profile:{self.profile.shown}",
            f"map:{self.value_map.label}" if self.value_map and has_map else "values:exact",
            *((f"from:text({'+'.join(readers)})",) if readers else ()),
        )


EventKey: TypeAlias = tuple[Family, str, str, str]
"""Family, class, domain and slot of an event."""

ScoreRow: TypeAlias = dict[tuple[Measured, str], Parts | None]
"""The scores of one dialogue, by measure and domain; None if nothing is wanted or counted."""


class ScoreTable:
    """The scored dialogues of a run, or of a part of a run.

    Attributes:
        rows: dialogue → its scores.
        events: number of events by family, class, domain and slot.
        goals: dialogue → the digest of its goal.
        remarks: code → defects in the data, with their dialogues.
        turns: number of turns of all dialogues.
        refused: errors of dialogues that cannot be scored.
        notices: warnings about the file.
        outcomes: dialogue → its outcome; empty unless outcomes are kept.
        verdicts: who lost the points of each dialogue; None if it was not asked for.
        run_rows: the rows of a run; empty unless they are kept.
    """

    def __init__(self, keep: bool = False) -> None:
        self._keep = keep
        self.rows: dict[str, ScoreRow] = {}
        self.events: Counter[EventKey] = Counter()
        self.goals: dict[str, bytes] = {}
        self.remarks: dict[str, list[tuple[str, Remark]]] = {}
        self.turns = 0
        self.refused: list[InputError] = []
        self.notices: list[Notice] = []
        self.outcomes: dict[str, DialogueOutcome] = {}
        self.verdicts: list[BlameVerdict] | None = None
        self.run_rows: list[UserRow] = []

    def add(self, outcome: DialogueOutcome) -> None:
        """Add a scored dialogue."""
        name = outcome.id
        row: ScoreRow = {("I", COMBINED): outcome.combined["I"], ("R", COMBINED): outcome.combined["R"]}
        row.update({("I", domain): each.score for domain, each in outcome.inform.items()})
        row.update({("R", domain): each.score for domain, each in outcome.request.items()})
        self.rows[name] = row
        self.goals[name] = outcome.goal_digest
        self.turns += outcome.turns
        self.events.update([(event.family, event.name, event.domain, event.slot) for event in outcome.events])
        for remark in outcome.remarks:
            self.remarks.setdefault(remark.code, []).append((name, remark))
        if self._keep:
            self.outcomes[name] = outcome

    def merge(self, other: ScoreTable) -> None:
        """Add the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        for name in filter(self.rows.__contains__, other.rows):
            raise InputError("duplicate dialogue id", dialogue=name)
        self.rows.update(other.rows)
        self.goals.update(other.goals)
        self.events.update(other.events)
        self.turns += other.turns
        self.outcomes.update(other.outcomes)
        self.refused += other.refused
        self.notices += [each for each in other.notices if each not in self.notices]
        self.run_rows += other.run_rows
        if other.verdicts is not None:
            self.verdicts = (self.verdicts or []) + other.verdicts
        for code, remarks in other.remarks.items():
            self.remarks.setdefault(code, []).extend(remarks)


def column(rows: Mapping[str, ScoreRow], measure: str, domain: str) -> dict[str, float]:
    """Return dialogue → value in a domain or over all domains (``combined``), for the dialogues that have a value."""
    measured, part = MEASURES[measure]
    key = (measured, domain)
    return {name: getattr(score, part) for name, row in rows.items() if (score := row.get(key)) is not None}


def intervals(
    rows: Mapping[str, ScoreRow], columns: Mapping[Key, Mapping[str, float]], resampling: Resampling
) -> dict[Key, Interval]:
    """Return confidence intervals of the means of columns, all from the same resamples. Empty for fewer than two dialogues."""
    if len(rows) < 2 or not columns:
        return {}
    order = sorted(rows, key=lambda name: (dialogue_key(name), name))
    formulas = {f"{index}": ratio(2 * index, 2 * index + 1) for index in range(len(columns))}
    results = bootstrap(value_matrix(order, columns.values()), formulas, **asdict(resampling))
    return dict(zip(columns, results.values(), strict=True))


def value_matrix(order: Sequence[str], columns: Collection[Mapping[str, float]]) -> Floats:
    """Return a matrix with one row per dialogue, and two columns per column of values: the value, and 1 if it exists."""
    matrix = np.zeros((len(order), 2 * len(columns)))
    for index, values in enumerate(columns):
        for row, name in enumerate(order):
            if name in values:
                matrix[row, 2 * index : 2 * index + 2] = values[name], 1
    return matrix


class UserResult(Result):
    """The result of scoring a user. Values are fractions; see ``scores``, ``events``, ``by``, ``worst``.

    Args:
        settings: the settings for scoring.
        score_table: the scored dialogues.
        resampling: settings of the confidence intervals; None for no intervals.
        only: keys of the requested dialogues; None for all.
        measures: the requested measures, each of one domain or of all; all of them if none is requested.

    Raises:
        InputError: no dialogue was scored.
    """

    def __init__(
        self,
        settings: UserSettings,
        score_table: ScoreTable,
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
        measures: Sequence[Key] = (),
    ) -> None:
        self.refused = score_table.refused
        if not score_table.rows:
            first = f"; first error: {self.refused[0]}" if self.refused else ""
            raise InputError(f"no dialogue can be scored{first}")
        self.settings = settings
        self.rules = settings.rules
        self.score_table = score_table
        self.resampling = resampling
        self.measures = tuple(measures)
        self.verdicts = score_table.verdicts
        self._only = only
        self.notices = [*score_table.notices, *notices_of(score_table.remarks, self.refused, settings.accuracy)]

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature fields that all scores share. They name the readers of text, of this run or of the file."""
        readers = {remark.what for _, remark in self.score_table.remarks.get("from-text", ())}
        return self.settings.signed_with(sorted(readers))

    @property
    def dialogues(self) -> int:
        """Number of scored dialogues."""
        return len(self.score_table.rows)

    @cached_property
    def account(self) -> Account:
        """Number of scored dialogues among the requested ones, which are all of the file unless some were named."""
        refused = refused_dialogues(self.refused)
        if self._only is None:
            asked = self.dialogues + len(refused)
            return Account("dialogue", asked, asked, self.dialogues, count_reasons(refused))
        unscored = {dialogue_key(name): reason for name, reason in refused if dialogue_key(name) in self._only}
        unknown = sorted(self._only - unscored.keys() - set(map(dialogue_key, self.score_table.rows)))
        reasons = count_reasons([*unscored.items(), *((name, NOT_IN_FILE) for name in unknown)])
        return Account("dialogue", len(self._only), len(self._only) - len(unknown), self.dialogues, reasons)

    @property
    def turns(self) -> int:
        """Number of turns of the scored dialogues, of user and system."""
        return self.score_table.turns

    @property
    def outcomes(self) -> list[DialogueOutcome]:
        """The outcomes of all dialogues; empty unless the scorer keeps them."""
        return list(self.score_table.outcomes.values())

    @cached_property
    def data(self) -> str:
        """The digest of all goals."""
        return data_digest(self.score_table.goals.items())

    @cached_property
    def domains(self) -> list[str]:
        """The domains of goals and other domains that users spoke of, sorted by name."""
        return sorted({domain for row in self.score_table.rows.values() for _, domain in row} - {COMBINED})

    @property
    def scores(self) -> list[Score]:
        """The requested measures; if none is requested, ``all_scores``."""
        return [self.score(key) for key in self.measures] or self.all_scores

    @cached_property
    def all_scores(self) -> list[Score]:
        """The six measures, over all domains together and then by domain, with confidence intervals if requested."""
        keys = [(measure, domain) for domain in (COMBINED, *self.domains) for measure in MEASURES]
        columns = {key: column(self.score_table.rows, *key) for key in keys}
        limits = intervals(self.score_table.rows, columns, self.resampling) if self.resampling else {}
        shared, account = self.signed, (*only_field(self._only), *self.account.signed)
        counts = (f"d:{self.dialogues}", f"t:{self.turns}", f"data:{self.data}", f"v:{__version__}")
        scores = []
        for key, values in columns.items():
            measure, domain = key
            interval = limits.get(key)
            ci = interval.ci if interval else None
            # Only dialogues count whose goal has the domain or whose user speaks of it.
            dialogues = sum((MEASURES[measure][0], domain) in row for row in self.score_table.rows.values())
            # Domain names come from files, and vertical bars separate the fields of a signature.
            plain = one_line(domain.replace("|", "/").replace("`", "'"))
            scores.append(
                Score(
                    measure=measure,
                    value=fsum(values.values()) / len(values) if values else None,
                    ci=ci,
                    n=len(values),
                    unscored=dialogues - len(values),
                    ci_reason=(interval.reason or "") if interval and values else "",
                    reason="" if values else NOTHING,
                    group={"domain": domain},
                    signature=sign_interval(
                        "|".join((measure, *shared, f"domain:{plain}", *account, *counts)), self.resampling, ci
                    ),
                )
            )
        return scores

    @property
    def named_scores(self) -> dict[str, Score]:
        """The requested measures; if none is requested, the six over all domains together."""
        keys = self.measures or [(measure, COMBINED) for measure in MEASURES]
        return {name_of(key): self.score(key) for key in keys}

    def score(self, key: Key) -> Score:
        """Return the score of a measure in a domain.

        Raises:
            DialmeterError: no dialogue has the domain.
        """
        measure, domain = key
        if domain not in (COMBINED, *self.domains):
            raise DialmeterError(f"no domain {one_line(domain)!r}; {did_you_mean(domain, self.domains)}")
        return next(each for each in self.all_scores if (each.measure, each.group["domain"]) == (measure, domain))

    @cached_property
    def events(self) -> dict[str, dict[str, int]]:
        """Class of events → domain → number of events."""
        events: dict[str, dict[str, int]] = {}
        for (_, name, domain, _), count in sorted(self.score_table.events.items()):
            by_domain = events.setdefault(name, {})
            by_domain[domain] = by_domain.get(domain, 0) + count
        return {name: events[name] for name in sorted(events)}

    def run_fields(self) -> RunFields:
        """Return the scores of each dialogue over all domains together, and the events."""
        rows = self.score_table.rows
        columns = {measure: column(rows, measure, COMBINED) for measure in MEASURES}
        by_row = {measure: [values.get(name) for name in rows] for measure, values in columns.items()}
        return RunFields(by_row, {"events": self.events})

    @property
    def counts(self) -> dict[str, int]:
        """Number of dialogues, turns, refused dialogues, and events."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "unscored": len(self.refused),
            "events": sum(self.score_table.events.values()),
        }

    def by(self, group: str) -> list[Score]:
        """Return the scores by ``domain``.

        Raises:
            DialmeterError: ``group`` is not ``domain``.
        """
        if group != "domain":
            raise DialmeterError(f"cannot group user scores by {group!r}: use 'domain'")
        return [score for score in self.all_scores if score.group["domain"] != COMBINED]

    def distribution(self, measure: str) -> dict[str, list[float]]:
        """Return the values of single dialogues in ascending order, by domain and over all domains together.

        The published evaluator puts the values of all domains into those of ``combined``.

        Raises:
            DialmeterError: the measure does not exist.
        """
        if measure not in MEASURES:
            raise DialmeterError(f"there is no measure {measure!r}; {did_you_mean(measure, MEASURES)}")
        distributions = {
            domain: sorted(column(self.score_table.rows, measure, domain).values())
            for domain in (COMBINED, *self.domains)
        }
        if self.rules.faults.distribution_concatenates:
            distributions[COMBINED] = sorted(value for values in distributions.values() for value in values)
        return distributions

    def worst(self, n: int = 10) -> list[WorstDialogue]:
        """Return the dialogues with the lowest scores, by I-GCDF1 and then R-GCDF1, excluding perfect ones."""
        rows = self.score_table.rows
        informs, requests = (column(rows, measure, COMBINED) for measure in ("I-GCDF1", "R-GCDF1"))
        ranked = sorted((informs.get(name, 1.0), requests.get(name, 1.0), name) for name in rows)
        imperfect = [name for inform, request, name in ranked if min(inform, request) < 1]
        return [WorstDialogue(name, informs.get(name), requests.get(name)) for name in imperfect[:n]]


SHOWN = 5
"""Maximum number of places that a notice names."""

_MESSAGES = {
    "no-understanding": "system turns without the acts that the system understood; repetitions there are not attributed to misunderstanding",
    "unknown-domain": "services that are not in the profile",
    "domain-in-other-capitals": "domains of goals that differ from the profile only in letter case; they are matched",
    "unknown-act": "acts with names that are not in the profile; they are ignored",
    "act-without-value": "constraints said without a value; they are unscored",
    "said-in-booking": "constraints in the booking service, which is not a domain; they are unscored",
    "goal-value-not-in-map": "goal values that are not in the value map; values that the user says are matched against the whole map",
    "slot-of-another-domain": "values of slots that the value map has only for other domains; they are not changed",
    "ends-on-user-turn": "domains whose last constraint has no reply; the search does not count as failed",
    "request-outside-goal": "slots requested in domains that are not in the goal; they count as not wanted",
    "not-english": "dialogues whose text is not English, although the reader of text knows only English words",
    "from-text": "turns without acts whose constraints and requests were read from the text",
    "no-acts": "turns without acts; they count as empty (to read their text: --set acts=rules)",
}


def notices_of(
    remarks: Mapping[str, Sequence[tuple[str, Remark]]], refused: Sequence[InputError], accuracy: str = ""
) -> list[Notice]:
    """Return a notice about the refused dialogues, then the other notices sorted by code.

    Remarks are pairs of a dialogue and a remark, by code. The last argument is a text on the measured accuracy of reading text.

    Example:
        >>> notices_of({"unknown-act": [("d1", Remark("unknown-act", 3, "Hotel-Sing"))]}, [])[0].where
        ('d1 turn 3: Hotel-Sing',)
    """
    notices = []
    if refused:
        where = tuple(str(error) for error in refused[:SHOWN])
        message = f"{len(refused)} dialogues that cannot be scored"
        notices.append(Notice("unscored", len(refused), message, where))
    for code, listed in sorted(remarks.items()):
        places = {
            dialogue + ("" if each.turn is None else f" turn {each.turn}") + (each.what and f": {each.what}")
            for dialogue, each in listed
        }
        message = f"{len(listed)} {_MESSAGES[code]}"
        if code == "from-text":
            unmeasured = "accuracy was not measured (`dialmeter check FILE --set acts=rules` measures it)"
            message += f" by {', '.join(sorted({each.what for _, each in listed}))}; {accuracy or unmeasured}"
        notices.append(Notice(code, len(listed), message, tuple(sorted(places)[:SHOWN])))
    return notices


class UserRow(ScoredDialogue, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a run: the scores and events of a dialogue, and its turns with their acts."""

    talk: tuple[Move, ...]
    patterns: tuple[Pattern, ...] = ()
    verdict: BlameVerdict | None = None


def row_of(conversation: Conversation, outcome: DialogueOutcome, verdict: BlameVerdict | None = None) -> UserRow:
    """Return the row of a scored dialogue."""
    shared = {name: getattr(outcome, name) for name in ScoredDialogue.__struct_fields__}
    return UserRow(**shared, talk=conversation.moves, patterns=tuple(patterns_of(outcome)), verdict=verdict)


def identity(inputs: Sequence[Mapping[str, str | None]], settings: UserSettings, blamed: bool) -> dict[str, Any]:
    """Return the data that identify a run."""
    return run_identity(
        "user",
        inputs,
        rules=settings.rules,
        profile=settings.profile,
        map=settings.value_map.label if settings.value_map is not None else None,
        from_text=settings.reader,
        measures=list(MEASURES),
        blame=blamed,
    )
