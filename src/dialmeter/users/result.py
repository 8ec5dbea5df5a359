"""The result of scoring a user: scores with signatures, events, warnings, the worst dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..core.account import NOT_IN_FILE, Account, counted, only_field
from ..core.comparison import Resampling
from ..core.result import Result, percent
from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..measure import Score
from ..model import Notice, dialogue_key
from ..values.maps import ValueMap
from .estimates import MEASURES, column, intervals, mean
from .goals import data_digest
from .notices import notices_of
from .outcome import COMBINED, DialogueOutcome
from .profile import Profile
from .rules import UserRules
from .score_table import Book
from .signature import how_scored, signature

NOTHING = "nothing is wanted and nothing counts in any dialogue"


class WorstDialogue(Struct, frozen=True):
    """A dialogue in which the user did badly; None where a measure has no value in it."""

    dialogue: str
    inform: float | None
    request: float | None


class How(Struct, frozen=True):
    """All that dialogues were scored with."""

    rules: UserRules
    profile: Profile
    value_map: ValueMap | None = None
    from_text: bool = False


class UserResult(Result):
    """The result of one pass. Values are fractions; see ``scores``, ``events``, ``by``, ``worst``."""

    def __init__(
        self,
        how: How,
        book: Book,
        *,
        refused: Sequence[InputError] = (),
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> None:
        self.how = how
        self._only = only
        self.rules = how.rules
        self.book = book
        self.refused = list(refused)
        self.resampling = resampling
        self.notices = [*notices, *notices_of(book.remarks, self.refused)]

    @property
    def dialogues(self) -> int:
        """How many dialogues were scored."""
        return len(self.book.rows)

    @cached_property
    def account(self) -> Account:
        """How many of the dialogues that were asked for are scored: those of the file, or those that were named."""
        refused = places_of(self.refused)
        if self._only is None:
            asked = self.dialogues + len(refused)
            return Account("dialogue", asked, asked, self.dialogues, counted(refused))
        unscored = {dialogue_key(name): reason for name, reason in refused if dialogue_key(name) in self._only}
        unknown = sorted(self._only - unscored.keys() - set(map(dialogue_key, self.book.rows)))
        reasons = counted([*unscored.items(), *((name, NOT_IN_FILE) for name in unknown)])
        return Account("dialogue", len(self._only), len(self._only) - len(unknown), self.dialogues, reasons)

    @property
    def turns(self) -> int:
        """How many turns they have, of user and system."""
        return self.book.turns

    @property
    def outcomes(self) -> list[DialogueOutcome]:
        """Everything about every dialogue, where the scorer was told to keep it."""
        return list(self.book.outcomes.values())

    @cached_property
    def data(self) -> str:
        """The digest of all goals."""
        return data_digest(self.book.goals.items())

    @cached_property
    def domains(self) -> list[str]:
        """The domains of goals and those that users strayed into, by name."""
        return sorted({domain for row in self.book.rows.values() for _, domain in row} - {COMBINED})

    @cached_property
    def scores(self) -> list[Score]:
        """The six measures, over all domains together and then by domain, with intervals where they were asked for."""
        keys = [(measure, domain) for domain in (COMBINED, *self.domains) for measure in MEASURES]
        columns = {key: column(self.book.rows, *key) for key in keys}
        limits = intervals(self.book.rows, columns, self.resampling) if self.resampling else {}
        shared = how_scored(self.how.rules, self.how.profile, self.how.value_map, self.how.from_text)
        found = []
        for key, values in columns.items():
            measure, domain = key
            span = limits.get(key)
            low, high = (span.low, span.high) if span else (None, None)
            # A domain is in play where a goal has it or a user strays into it.
            in_play = sum((MEASURES[measure][0], domain) in row for row in self.book.rows.values())
            found.append(
                Score(
                    measure=measure,
                    value=mean(list(values.values())),
                    ci=None if low is None or high is None else (low, high),
                    n=len(values),
                    unscored=in_play - len(values),
                    ci_reason=(span.reason or "") if span and values else "",
                    reason="" if values else NOTHING,
                    group={"domain": domain},
                    signature=signature(
                        measure,
                        domain,
                        shared,
                        dialogues=self.dialogues,
                        turns=self.turns,
                        data=self.data,
                        account=(*only_field(self._only), *self.account.signed),
                    ),
                )
            )
        return found

    @property
    def named_scores(self) -> dict[str, Score]:
        """The six measures over all domains together."""
        return {score.measure: score for score in self.scores if score.group["domain"] == COMBINED}

    @cached_property
    def events(self) -> dict[str, dict[str, int]]:
        """How often each class of events happened, by domain."""
        found: dict[str, dict[str, int]] = {}
        for (_, name, domain, _), count in sorted(self.book.events.items()):
            inside = found.setdefault(name, {})
            inside[domain] = inside.get(domain, 0) + count
        return {name: found[name] for name in sorted(found)}

    def event_counts(self) -> list[dict[str, Any]]:
        """How often each class of events happened, by family, domain and slot."""
        names = ("family", "class", "domain", "slot")
        return [
            {**dict(zip(names, key, strict=True)), "count": count} for key, count in sorted(self.book.events.items())
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Dialogues, turns, dialogues that could not be scored, and events."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "refused": len(self.refused),
            "events": sum(self.book.events.values()),
        }

    def by(self, group: str) -> list[Score]:
        """The scores by ``domain``.

        Raises:
            DialmeterError: no such group.
        """
        if group != "domain":
            raise DialmeterError(f"scores of users are by domain, not by {group!r}")
        return [score for score in self.scores if score.group["domain"] != COMBINED]

    def distribution(self, measure: str) -> dict[str, list[float]]:
        """The values of single dialogues, by domain and over all domains together, from the lowest.

        The published evaluator puts the values of all domains into those of ``combined``.

        Raises:
            DialmeterError: no such measure.
        """
        if measure not in MEASURES:
            raise DialmeterError(f"there is no measure {measure!r}; {did_you_mean(measure, MEASURES)}")
        found = {
            domain: sorted(column(self.book.rows, measure, domain).values()) for domain in (COMBINED, *self.domains)
        }
        if self.how.rules.faults.distribution_concatenates:
            found[COMBINED] = sorted(value for values in found.values() for value in values)
        return found

    def worst(self, n: int = 10) -> list[WorstDialogue]:
        """The dialogues that lost most, by I-GCDF1 and then R-GCDF1; those without a loss are left out."""
        informs = column(self.book.rows, "I-GCDF1", COMBINED)
        requests = column(self.book.rows, "R-GCDF1", COMBINED)
        found = [WorstDialogue(name, informs.get(name), requests.get(name)) for name in self.book.rows]
        lossy = [each for each in found if min(_or_one(each.inform), _or_one(each.request)) < 1]
        return sorted(lossy, key=lambda each: (_or_one(each.inform), _or_one(each.request), each.dialogue))[:n]

    @property
    def summary(self) -> str:
        """The two F1 measures, and how much was scored."""
        shown = ", ".join(f"{name} {percent(self[name].value)}" for name in ("I-GCDF1", "R-GCDF1"))
        return f"{shown}; {self.dialogues} dialogues, rules {self.rules.name}"


def places_of(refused: Sequence[InputError]) -> list[tuple[str, str]]:
    """The dialogues that cannot be scored, each with the reason; by its line where it has no name."""
    return [(each.dialogue or f"line {each.line}", one_line(each.message, 100)) for each in refused]


def _or_one(value: float | None) -> float:
    return 1.0 if value is None else value
