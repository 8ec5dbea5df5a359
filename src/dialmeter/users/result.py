"""The result of scoring a user: scores with signatures, events, warnings, the worst dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from .._version import __version__
from ..core.account import NOT_IN_FILE, Account, count_reasons, only_field, refused_dialogues
from ..core.comparison import Resampling
from ..core.result import Result, percent
from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..measure import Score
from ..model import Notice, dialogue_key
from ..values.maps import ValueMap
from .events import Remark
from .goals import data_digest
from .outcome import COMBINED, DialogueOutcome
from .profile import Profile
from .rules import UserRules
from .score_table import MEASURES, ScoreTable, column, intervals, mean
from .text.reader import ActMaker

NOTHING = "nothing is wanted and nothing counts in any dialogue"


class WorstDialogue(Struct, frozen=True):
    """A dialogue in which the user did badly; None where a measure has no value in it."""

    dialogue: str
    inform: float | None
    request: float | None


class UserSettings(Struct, frozen=True):
    """What dialogues are scored with."""

    rules: UserRules
    profile: Profile
    value_map: ValueMap | None = None
    from_text: ActMaker | None = None
    """What finds acts in the words of turns that have none."""
    accuracy: str = ""
    """What was measured of it, in words; empty where nothing was."""

    @property
    def reader(self) -> str:
        """The name of what finds acts in words; empty where acts are not looked for there."""
        return "" if self.from_text is None else self.from_text.name

    @property
    def signed(self) -> tuple[str, ...]:
        """The fields of signatures that all scores share."""
        return how_scored(self.rules, self.profile, self.value_map, (self.reader,) if self.reader else ())


class UserResult(Result):
    """The result of one pass. Values are fractions; see ``scores``, ``events``, ``by``, ``worst``."""

    def __init__(
        self,
        how: UserSettings,
        score_table: ScoreTable,
        *,
        refused: Sequence[InputError] = (),
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> None:
        self.how = how
        self._only = only
        self.rules = how.rules
        self.score_table = score_table
        self.refused = list(refused)
        self.resampling = resampling
        self.notices = [*notices, *notices_of(score_table.remarks, self.refused, how.accuracy)]

    @property
    def signed(self) -> tuple[str, ...]:
        """The fields of signatures that all scores share; they name who read text, in a file or now."""
        how = self.how
        readers = {remark.what for _, remark in self.score_table.remarks.get("from-text", ())} | {how.reader} - {""}
        return how_scored(how.rules, how.profile, how.value_map, sorted(readers))

    @property
    def dialogues(self) -> int:
        """How many dialogues were scored."""
        return len(self.score_table.rows)

    @cached_property
    def account(self) -> Account:
        """How many of the dialogues that were asked for are scored: those of the file, or those that were named."""
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
        """How many turns they have, of user and system."""
        return self.score_table.turns

    @property
    def outcomes(self) -> list[DialogueOutcome]:
        """Everything about every dialogue, where the scorer keeps it."""
        return list(self.score_table.outcomes.values())

    @cached_property
    def data(self) -> str:
        """The digest of all goals."""
        return data_digest(self.score_table.goals.items())

    @cached_property
    def domains(self) -> list[str]:
        """The domains of goals and those that users strayed into, by name."""
        return sorted({domain for row in self.score_table.rows.values() for _, domain in row} - {COMBINED})

    @cached_property
    def scores(self) -> list[Score]:
        """The six measures, over all domains together and then by domain, with intervals where they were asked for."""
        keys = [(measure, domain) for domain in (COMBINED, *self.domains) for measure in MEASURES]
        columns = {key: column(self.score_table.rows, *key) for key in keys}
        limits = intervals(self.score_table.rows, columns, self.resampling) if self.resampling else {}
        shared, account = self.signed, (*only_field(self._only), *self.account.signed)
        counts = (f"d:{self.dialogues}", f"t:{self.turns}", f"data:{self.data}", f"v:{__version__}")
        found = []
        for key, values in columns.items():
            measure, domain = key
            span = limits.get(key)
            # A domain is in play where a goal has it or a user strays into it.
            in_play = sum((MEASURES[measure][0], domain) in row for row in self.score_table.rows.values())
            # The name of a domain comes from a file, and bars set off the parts of a signature.
            plain = one_line(domain.replace("|", "/").replace("`", "'"))
            found.append(
                Score(
                    measure=measure,
                    value=mean(list(values.values())),
                    ci=span.ci if span else None,
                    n=len(values),
                    unscored=in_play - len(values),
                    ci_reason=(span.reason or "") if span and values else "",
                    reason="" if values else NOTHING,
                    group={"domain": domain},
                    signature="|".join((measure, *shared, f"domain:{plain}", *account, *counts)),
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
        for (_, name, domain, _), count in sorted(self.score_table.events.items()):
            inside = found.setdefault(name, {})
            inside[domain] = inside.get(domain, 0) + count
        return {name: found[name] for name in sorted(found)}

    def event_counts(self) -> list[dict[str, Any]]:
        """How often each class of events happened, by family, domain and slot."""
        names = ("family", "class", "domain", "slot")
        return [
            {**dict(zip(names, key, strict=True)), "count": count}
            for key, count in sorted(self.score_table.events.items())
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Dialogues, turns, dialogues that could not be scored, and events."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "refused": len(self.refused),
            "events": sum(self.score_table.events.values()),
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
            domain: sorted(column(self.score_table.rows, measure, domain).values())
            for domain in (COMBINED, *self.domains)
        }
        if self.how.rules.faults.distribution_concatenates:
            found[COMBINED] = sorted(value for values in found.values() for value in values)
        return found

    def worst(self, n: int = 10) -> list[WorstDialogue]:
        """The dialogues that lost most, by I-GCDF1 and then R-GCDF1; without those that lost nothing."""
        informs = column(self.score_table.rows, "I-GCDF1", COMBINED)
        requests = column(self.score_table.rows, "R-GCDF1", COMBINED)
        found = [WorstDialogue(name, informs.get(name), requests.get(name)) for name in self.score_table.rows]
        lossy = [each for each in found if min(_or_one(each.inform), _or_one(each.request)) < 1]
        return sorted(lossy, key=lambda each: (_or_one(each.inform), _or_one(each.request), each.dialogue))[:n]

    @property
    def summary(self) -> str:
        """The two F1 measures, and how much was scored."""
        shown = ", ".join(f"{name} {percent(self[name].value)}" for name in ("I-GCDF1", "R-GCDF1"))
        return f"{shown}; {self.dialogues} dialogues, rules {self.rules.name}"


def _or_one(value: float | None) -> float:
    return 1.0 if value is None else value


def how_scored(
    rules: UserRules, profile: Profile, value_map: ValueMap | None, readers: Sequence[str]
) -> tuple[str, ...]:
    """The fields that all numbers of a run share: rules with what is changed in them, profile, value map.

    Example:
        >>> from .profile import named as profile
        >>> from .rules import changed, named
        >>> how_scored(changed(named("gcdf1-repo"), "requests.max=1"), profile("multiwoz"), None, ())
        ('rules:gcdf1-repo', 'requests.max:1', 'profile:multiwoz', 'values:exact')
    """
    base = (f"base:{rules.base}",) if rules.base not in ("", rules.name) else ()
    changes = (f"{name}:{value}" for name, value in rules.changes().items())
    return (
        f"rules:{rules.name}",
        *base,
        *changes,
        f"profile:{profile.shown or profile.name}",
        f"map:{value_map.shown}" if value_map is not None and rules.values.map else "values:exact",
        *((f"from:text({'+'.join(readers)})",) if readers else ()),
    )


SHOWN = 5
"""How many places a notice names."""

_MESSAGES = {
    "no-understanding": "system turns without what was understood; repetitions are not put down to misunderstanding there",
    "unknown-domain": "services that the profile does not know",
    "domain-in-other-capitals": "domains of goals that differ from the profile only in capitals; they are matched",
    "unknown-act": "acts whose name the profile does not know; they play no part",
    "act-without-value": "constraints said without a value; they are unscored",
    "said-in-booking": "constraints said in the service of bookings, which is no domain; they are unscored",
    "goal-value-not-in-map": "goal values that the value map does not know; what is said is looked for in the whole map",
    "slot-of-another-domain": "values of slots that the value map holds for other domains only; they stay as they are",
    "ends-on-user-turn": "domains whose last constraint has no reply; the search is not taken to have failed",
    "request-outside-goal": "slots asked for in domains that the goal does not have; they count as not wanted",
    "from-text": "turns without acts whose constraints and requests were found in the text",
    "no-acts": "turns without acts; nothing is found in them (--from-text looks at their words)",
}


def notices_of(
    remarks: Mapping[str, Sequence[tuple[str, Remark]]], refused: Sequence[InputError], accuracy: str = ""
) -> list[Notice]:
    """Notices in the order of their codes, after that of the unscored dialogues.

    Args:
        remarks: by code, each with its dialogue.
        refused: dialogues that cannot be scored.
        accuracy: what was measured of the reading of text, in words.

    Example:
        >>> notices_of({"unknown-act": [("d1", Remark("unknown-act", 3, "Hotel-Sing"))]}, [])[0].where
        ('d1 turn 3: Hotel-Sing',)
    """
    found = []
    if refused:
        where = tuple(str(error) for error in refused[:SHOWN])
        message = f"{len(refused)} dialogues that cannot be scored"
        found.append(Notice("refused", len(refused), message, where))
    for code in sorted(remarks):
        places = sorted({_place(dialogue, remark) for dialogue, remark in remarks[code]})
        count = len(remarks[code])
        more = _reading(remarks[code], accuracy) if code == "from-text" else ""
        found.append(Notice(code, count, f"{count} {_MESSAGES[code]}{more}", tuple(places[:SHOWN])))
    return found


def _reading(remarks: Iterable[tuple[str, Remark]], accuracy: str) -> str:
    """Who read the text, and how well."""
    readers = ", ".join(sorted({remark.what for _, remark in remarks}))
    return f" by {readers}; {accuracy or 'how well was not measured (see `dialmeter user understand`)'}"


def _place(dialogue: str, remark: Remark) -> str:
    turn = "" if remark.turn is None else f" turn {remark.turn}"
    return f"{dialogue}{turn}: {remark.what}" if remark.what else f"{dialogue}{turn}"
