"""Events of a dialogue, the declarations of their classes, and the outcome that they explain: precision, recall and F1 of multisets.

Each class of events has one declaration. The settings of rule sets, ``dialmeter list events``, the documentation, verdicts and
charts are derived from it. A class that is found by a test is a function with the decorator :func:`behaviour`; see
``users/behaviours.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct, field

from ..model import Goal
from .goals import requested_slot, slot_of

Family: TypeAlias = Literal["repetition", "not_in_goal", "goal", "request", "text"]
"""The group of an event: a repeated constraint of the goal, a constraint not in the goal, the goal as a whole, a request, or a goal in words."""

Owner: TypeAlias = Literal["system", "user", "log"]
Test = TypeVar("Test", bound=Callable[[Any], bool])


class Event(Struct, frozen=True, omit_defaults=True):
    """One event.

    Attributes:
        name: the class of the event, such as ``unmatched``.
        family: the family of the class. Some classes are in two families.
        domain: the domain in which it happened.
        about: the constraint ``slot=value`` or the request ``domain-slot``; empty for events of a whole domain.
        turns: indexes of the turns involved, from 0; in a log, indexes of messages.
        credited: True if a mention or repetition counts as wanted because of the event.
        said: what the user said, if something else was expected; in a log, the words.
    """

    name: str = field(name="class")
    family: Family
    domain: str
    about: str = ""
    turns: tuple[int, ...] = ()
    credited: bool = False
    said: str = ""

    @property
    def slot(self) -> str:
        """The slot that the event is about.

        Example:
            >>> Event("unmatched", "repetition", "hotel", "area=east", (0, 2)).slot
            'area'
            >>> Event("delayed_response", "request", "hotel", "hotel-phone", (0, 2)).slot
            'phone'
        """
        return requested_slot(self.about) if self.family == "request" else slot_of(self.about)


class Remark(Struct, frozen=True, omit_defaults=True):
    """A defect in the data of a dialogue that can still be scored."""

    code: str
    turn: int | None = None
    what: str = ""


class Behaviour(Struct, frozen=True):
    """The declaration of a class of events.

    Attributes:
        name: the name in the output.
        family: the family of the class.
        owner: who causes the event; ``log`` for a note that blames nobody.
        about: the meaning, in one sentence.
        test: returns True if a mention is of this class; never, if counting finds the class.
        setting: the setting of the rule set that turns the test on; default: the name of the class.
        on: the value of the setting in rule sets that do not state it.
        excuses: True if a repetition with this reason is credited.
    """

    name: str
    family: Family
    owner: Owner
    about: str
    test: Callable[[Any], bool] = lambda _: False
    setting: str = ""
    on: bool = True
    excuses: bool = False

    @property
    def full_setting(self) -> str:
        """The setting with its table in a rule set, or an empty string if there is no setting.

        Example:
            >>> Behaviour("late", "request", "system", "The answer is late.", setting="late").full_setting
            'requests.late'
        """
        return f"{TABLES[self.family]}.{self.setting}" if self.setting else ""


TABLES: dict[Family, str] = {"repetition": "repetitions", "not_in_goal": "not_in_goal", "request": "requests"}
"""Family → the table of a rule set with the settings of its behaviours."""

ALL: list[Behaviour] = []
"""All classes of events that dialmeter finds."""


def declare(new: Behaviour) -> None:
    """Add a class of events."""
    if any((each.family, each.name) == (new.family, new.name) for each in ALL):
        raise ValueError(f"duplicate class {new.name} in the family {new.family}")
    ALL.append(new)


def behaviour(
    family: Family,
    owner: Owner,
    *,
    name: str = "",
    setting: str = "",
    on: bool = True,
    excuses: bool | None = None,
) -> Callable[[Test], Test]:
    """Declare a class of events by the function that finds it, which takes a ``Mention``.

    Name and description are the function's name and the first line of its docstring. Declare the class before ``dialmeter.users.rules`` is imported, because that
    module creates its setting.

    Args:
        family: the family of the class.
        owner: who causes the event.
        name: the name of the class, if it is not the name of the function.
        setting: the setting of another class, if the class shares that setting.
        on: the value of its setting in rule sets that do not state it.
        excuses: True if a repetition with this reason is credited; default: True, except for notes.
    """

    def register(test: Test) -> Test:
        title, about = name or test.__name__, (test.__doc__ or "").strip().partition("\n")[0]
        credit = owner != "log" if excuses is None else excuses
        declare(Behaviour(title, family, owner, about, test, setting or title, on, credit))
        return test

    return register


def switched_on(family: Family, settings: Struct) -> tuple[Behaviour, ...]:
    """Return the behaviours of a family whose tests a table of a rule set turns on."""
    tested = (each for each in ALL if each.family == family and each.setting)
    return tuple(each for each in tested if getattr(settings, each.setting, each.on))


Measured: TypeAlias = Literal["I", "R"]
"""Informed constraints, or requests."""

COMBINED = "combined"
"""All domains together."""

Mentions: TypeAlias = dict[str, dict[str, list[int]]]
"""Domain → constraint or request → user turns in which it is said."""


class DomainOutcome(Struct):
    """One domain of one measure: the multisets of wanted and counted units, and their score, which is None if both are empty."""

    wanted: list[str]
    counted: list[str]
    score: Parts | None = None


class ScoredDialogue(Struct, frozen=True, kw_only=True):
    """The scores of a dialogue and the events that explain them.

    Attributes:
        id: the id of the dialogue.
        cut: True if the dialogue ended at a limit of turns.
        goal: the goal of the user, with domains named as in the profile.
        inform: I-GCDF1 by domain, including domains outside the goal.
        request: R-GCDF1 by domain, including domains outside the goal.
        combined: the scores of all domains together, by measure; None if nothing is wanted or counted.
        events: the events, sorted by turn.
        remarks: defects in the data.
    """

    id: str
    cut: bool = False
    goal: Goal
    inform: Mapping[str, DomainOutcome]
    request: Mapping[str, DomainOutcome]
    combined: Mapping[Measured, Parts | None]
    events: tuple[Event, ...]
    remarks: tuple[Remark, ...] = ()

    def score(self, measured: Measured, domain: str = COMBINED) -> Parts | None:
        """Return the score of a domain, or of all domains together, or None if there is none."""
        if domain == COMBINED:
            return self.combined.get(measured)
        outcome = (self.inform if measured == "I" else self.request).get(domain)
        return outcome.score if outcome else None


class DialogueOutcome(ScoredDialogue, frozen=True, kw_only=True):
    """A scored dialogue.

    Attributes:
        turns: number of turns.
        goal_digest: digest of what the rules see of the goal.
        said: the constraints that the user said.
        asked: the requests that the user made.
        request_acts: the same from the acts alone, if the dialogue also lists requests separately from its acts.
        dropped: domain → constraints and requests that were removed from the goal because a search ended without an entity.
    """

    turns: int
    goal_digest: bytes
    said: Mentions
    asked: Mentions
    request_acts: Mentions
    dropped: Mapping[str, tuple[str, ...]]

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains of the goal."""
        return tuple(self.goal)


class Parts(Struct, frozen=True):
    """Precision, recall and F1 of a comparison."""

    precision: float
    recall: float
    f1: float


def compare(wanted: Sequence[str], counted: Sequence[str]) -> Parts | None:
    """Compare wanted units with counted units. Return None if there are neither.

    Example:
        >>> compare(["a", "b"], ["a", "a"])
        Parts(precision=0.5, recall=0.5, f1=0.5)
        >>> compare(["a"], [])
        Parts(precision=1.0, recall=0.0, f1=0.0)
    """
    if not wanted and not counted:
        return None
    # Plain dictionaries are faster here than ``Counter``.
    remaining: dict[str, int] = {}
    for each in wanted:
        remaining[each] = remaining.get(each, 0) + 1
    true_positives = 0
    for each in counted:
        if count := remaining.get(each, 0):
            remaining[each] = count - 1
            true_positives += 1
    precision = true_positives / len(counted) if counted else 1.0
    recall = true_positives / len(wanted) if wanted else 1.0
    total = precision + recall
    return Parts(precision, recall, 2 * precision * recall / total if total else 0.0)


def pooled(domains: Mapping[str, DomainOutcome], with_domain: bool) -> Parts | None:
    """Compare all domains at once. With ``with_domain``, a unit does not count in a wrong domain.

    Example:
        >>> domains = {"hotel": DomainOutcome(["area=east"], []), "restaurant": DomainOutcome([], ["area=east"])}
        >>> pooled(domains, with_domain=True).f1, pooled(domains, with_domain=False).f1
        (0.0, 1.0)
    """
    prefixes = {domain: f"{domain}-" if with_domain else "" for domain in domains}
    return compare(
        [prefixes[domain] + each for domain, counts in domains.items() for each in counts.wanted],
        [prefixes[domain] + each for domain, counts in domains.items() for each in counts.counted],
    )
