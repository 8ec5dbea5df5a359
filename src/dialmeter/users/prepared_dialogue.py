"""A dialogue prepared for scoring: acts by turn and service, in lower case, with canonical values and act types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from ..errors import InputError, one_line
from ..model import SYSTEM, USER, Act, Conversation, DomainGoal, Goal
from .canonical import Matcher
from .events import Remark
from .goals import GoalUnits, constraint, goal_units, request
from .profile import INFORM, NO_BOOK, PLACEHOLDER, RAW, REQUEST, DomainTraits, Profile, classifier
from .rules import UserRules
from .system_turn import SystemTurn, system_turn

ActEntry: TypeAlias = tuple[int, str, str]
"""The types of an act, its slot and one value; empty if there is none."""

ByService: TypeAlias = dict[str, list[ActEntry]]


class TurnActs(NamedTuple):
    """The acts of a turn.

    Attributes:
        by_service: only services with at least one act.
        parts: all of their types.
        taxi: is one of the services a taxi's?
        remarks: each a code and what it is about.
    """

    by_service: ByService
    parts: int
    taxi: bool
    remarks: list[tuple[str, str]]


KnownActs: TypeAlias = dict[Sequence[Act], TurnActs]


class PreparedTurn(Struct, eq=False):
    """One turn. Only services with at least one act are in ``acts``."""

    number: int
    acts: ByService
    taxi: bool
    """Has it taxi acts, or a word for taxi in its text?"""
    no_book: bool = False
    understood: ByService | None = None
    by_domain: dict[str, SystemTurn] = field(default_factory=dict)


class PreparedDialogue(Struct, eq=False):
    """A dialogue prepared for scoring.

    Attributes:
        turns: all turns in order; user turns are even.
        goal: what the user wants, with domains named as in the profile.
        wants: the units of the goal.
        said: domain → constraint → user turns.
        asked: domain → request → user turns.
    """

    id: str
    turns: list[PreparedTurn]
    goal: Goal
    wants: dict[str, GoalUnits]
    said: dict[str, dict[str, list[int]]]
    asked: dict[str, dict[str, list[int]]]
    remarks: list[Remark]
    setup: ScoringSetup
    task: str = ""

    def system_turn(self, number: int, domain: str) -> SystemTurn:
        """What a system turn does, as seen from a domain."""
        turn = self.turns[number]
        found = turn.by_domain.get(domain)
        if found is None:
            found = turn.by_domain[domain] = system_turn(turn, domain, self.setup)
        return found

    def between(self, after: int, before: int, domain: str) -> list[SystemTurn]:
        """The system turns between two user turns, newest first."""
        return [self.system_turn(number, domain) for number in range(before - 1, after, -2)]


class ScoringSetup:
    """Rules, profile and value matcher of a run, with the answers that were looked up; prepares dialogues."""

    def __init__(self, rules: UserRules, profile: Profile, matcher: Matcher) -> None:
        self.rules = rules
        self.profile = profile
        self.matcher = matcher
        self.no_domains = frozenset([*profile.general, *([profile.booking] if profile.booking else [])])
        self.traits: Callable[[str], DomainTraits] = cache(profile.traits)
        """What the profile says of a domain."""
        self.parts_of: Callable[[str], int] = cache(classifier(profile.acts, rules.faults.nooffer_misspelt))
        """The types of an act, by its name."""
        self._is_known: Callable[[str], bool] = cache(profile.knows)
        patterns = rules.values.no_answer
        self._no_answer = re.compile("|".join(f"(?:{each})" for each in patterns)) if patterns else None
        self._slots: dict[str, str] = {}

    def prepare(self, talk: Conversation) -> PreparedDialogue:
        """Prepares a dialogue.

        Raises:
            InputError: it has no goal or no turns, or user and system do not take turns.
        """
        remarks: list[Remark] = []
        goal = self._named_as_in_profile(_checked(talk), talk, remarks)
        wants = goal_units(goal, self.rules.faults.goal_slots_as_written)
        self._look_at_goal(wants, remarks)
        turns = []
        by_user: KnownActs = {}
        by_system: KnownActs = {}
        views: dict[tuple[int, int, bool], dict[str, SystemTurn]] = {}
        taxi_words = self.profile.taxi.words
        for number, move in enumerate(talk.moves):
            is_system = number % 2 == 1
            acts = self._known_acts(move.acts or (), wants, by_system if is_system else by_user, is_system)
            if acts.remarks:
                remarks += [Remark(code, number, what) for code, what in acts.remarks]
            if move.acts is None:
                remarks.append(Remark("no-acts", number))
            elif move.read_by:
                remarks.append(Remark("from-text", number, move.read_by))
            text = move.text
            turn = PreparedTurn(number, acts.by_service, acts.taxi or any(word in text for word in taxi_words))
            if is_system:
                turn.no_book = bool(acts.parts & NO_BOOK)
                if move.understood is None:
                    remarks.append(Remark("no-understanding", number))
                else:
                    turn.understood = self._known_acts(move.understood, wants, by_user, False).by_service
                # Turns with the same acts are seen alike from a domain.
                turn.by_domain = views.setdefault((id(turn.acts), id(turn.understood), turn.taxi), turn.by_domain)
            turns.append(turn)
        said = self._said(turns, remarks)
        return PreparedDialogue(
            talk.id, turns, goal, wants, said, self._asked(talk, turns), remarks, self, talk.task.lower()
        )

    def _named_as_in_profile(self, goal: Goal, talk: Conversation, remarks: list[Remark]) -> Goal:
        """The goal with a domain that differs from the profile, or from a service of the talk, only in capitals renamed."""
        if all(map(self._is_known, goal)):
            return goal
        services = {act.service for move in talk.moves for act in move.acts or ()}
        known = {name.lower(): name for name in sorted((*self.profile.domains, *filter(self._is_known, services)))}
        found: dict[str, DomainGoal] = {}
        for domain, inside in goal.items():
            name = domain if self._is_known(domain) else known.get(domain.lower(), domain)
            if name in found or (name != domain and name in goal):
                raise InputError(f"the goal has {domain} and {name}, which differ only in capitals", dialogue=talk.id)
            if name != domain:
                remarks.append(Remark("domain-in-other-capitals", None, f"{domain} is read as {name}"))
            found[name] = inside
        return found

    def _look_at_goal(self, wants: Mapping[str, GoalUnits], remarks: list[Remark]) -> None:
        values = self.matcher.map
        for domain, wanted in wants.items():
            if not self._is_known(domain):
                remarks.append(Remark("unknown-domain", None, domain))
            if values is None:
                continue
            for slot, wanted_values in wanted.values.items():
                table = values.table(domain, slot)
                # A slot with steps has more values than its table lists.
                if table is not None and not table.steps:
                    remarks += [
                        Remark("goal-value-not-in-map", None, f"{domain}-{slot}={value}")
                        for value in wanted_values
                        if value not in table.known
                    ]

    def _known_acts(
        self, acts: Sequence[Act], wants: Mapping[str, GoalUnits], known: KnownActs, is_system: bool
    ) -> TurnActs:
        """The acts of a turn, computed once where a dialogue repeats them."""
        found = known.get(acts)
        if found is None:
            remarks: list[tuple[str, str]] = []
            by_service = self._by_service(acts, wants, remarks)
            if is_system:
                self._mark_placeholders(by_service)
            parts = 0
            for entries in by_service.values():
                for each, _, _ in entries:
                    parts |= each
            taxi = any(self.traits(name).taxi for name in by_service)
            found = known[acts] = TurnActs(by_service, parts, taxi, remarks)
        return found

    def _by_service(
        self, acts: Sequence[Act], wants: Mapping[str, GoalUnits], remarks: list[tuple[str, str]]
    ) -> ByService:
        """Acts by service, one value each."""
        found: ByService = {}
        parts_of, slots, matcher, values = self.parts_of, self._slots, self.matcher, self.matcher.map
        rewritten = False
        for act in acts:
            name, service = act.name, act.service
            parts = parts_of(name)
            entries = found.get(service)
            if entries is None:
                entries = found[service] = []
                if not self._is_known(service):
                    remarks.append(("unknown-domain", service))
            if not parts:
                remarks.append(("unknown-act", name))
            written = act.slot
            slot = slots.get(written)
            if slot is None:
                slot = slots[written] = written.lower()
            wanted = wants.get(service)
            if wanted is None or not slot or parts & RAW:
                entries += [(parts, slot, value.lower()) for value in act.values] or [(parts, slot, "")]
                continue
            goal_values = wanted.values.get(slot, ())
            if not act.values:
                entries.append((parts, slot, ""))
            for value in act.values:
                lower = value.lower()
                canonical = matcher(service, slot, lower, goal_values) if lower else lower
                rewritten = rewritten or canonical != lower
                entries.append((parts, slot, canonical))
            # The map holds this slot for other domains only.
            if values and values.is_split(slot) and values.table(service, slot) is None:
                remarks.append(("slot-of-another-domain", f"{service}-{slot}"))
        if rewritten and self.rules.values.collisions == "keep":
            return self._kept(acts, wants)
        return found

    def _kept(self, acts: Sequence[Act], wants: Mapping[str, GoalUnits]) -> ByService:
        """Keeps different values of one slot and turn that have the same canonical form, as the published evaluator does."""
        forms: dict[tuple[str, str, str], dict[str, None]] = {}
        written: dict[str, list[tuple[int, str, str, str]]] = {}
        for act in acts:
            service, slot, parts = act.service, act.slot.lower(), self.parts_of(act.name)
            lines = written.setdefault(service, [])
            normal = service in wants and slot and not parts & RAW
            for value in act.values or ("",):
                lower = value.lower()
                canonical = lower
                if normal and lower:
                    canonical = self.matcher(service, slot, lower, wants[service].values.get(slot, ()))
                    forms.setdefault((service, slot, canonical), {})[lower] = None
                lines.append((parts, slot, lower, canonical))
        return {
            service: [
                (parts, slot, lower if len(forms.get((service, slot, canonical), ())) > 1 else canonical)
                for parts, slot, lower, canonical in lines
            ]
            for service, lines in written.items()
        }

    def _mark_placeholders(self, acts: ByService) -> None:
        """Marks acts of the system that name a slot and give a placeholder instead of a value."""
        if self._no_answer is None:
            return
        for entries in acts.values():
            for place, (parts, slot, value) in enumerate(entries):
                if value and slot and not parts & REQUEST and self._no_answer.search(value):
                    entries[place] = (parts | PLACEHOLDER, slot, value)

    def _said(self, turns: list[PreparedTurn], remarks: list[Remark]) -> dict[str, dict[str, list[int]]]:
        found: dict[str, dict[str, list[int]]] = {}
        for turn in turns[::2]:
            for service, acts in turn.acts.items():
                if service in self.profile.general:
                    continue
                for parts, slot, value in acts:
                    if not parts & INFORM or not slot:
                        continue
                    if service in self.no_domains:
                        remarks.append(Remark("said-in-booking", turn.number, slot))
                        continue
                    if not value:
                        remarks.append(Remark("act-without-value", turn.number, f"{service}-{slot}"))
                        continue
                    _add_mention(found.setdefault(service, {}), constraint(slot, value), turn.number)
        return found

    def _asked(self, talk: Conversation, turns: list[PreparedTurn]) -> dict[str, dict[str, list[int]]]:
        """Requests by domain: from the lists of requested slots if the dialogue has any, else from the acts."""
        if all(move.requested is None for move in talk.moves[::2]):
            return self.request_acts(turns)
        found: dict[str, dict[str, list[int]]] = {}
        for number in range(0, len(turns), 2):
            for service, slots in (talk.moves[number].requested or {}).items():
                for slot in slots if service not in self.no_domains else ():
                    _add_mention(found.setdefault(service, {}), request(service, slot), number)
        return found

    def request_acts(self, turns: list[PreparedTurn]) -> dict[str, dict[str, list[int]]]:
        """Requests by domain, from the acts."""
        found: dict[str, dict[str, list[int]]] = {}
        for turn in turns[::2]:
            for service, acts in turn.acts.items():
                for parts, slot, _ in acts if service not in self.no_domains else ():
                    if parts & REQUEST and slot:
                        _add_mention(found.setdefault(service, {}), request(service, slot), turn.number)
        return found


def _add_mention(mentions: dict[str, list[int]], unit: str, turn: int) -> None:
    """Adds a turn to the mentions of a unit, once."""
    turns = mentions.setdefault(unit, [])
    if not turns or turns[-1] != turn:
        turns.append(turn)


def _checked(talk: Conversation) -> Goal:
    """The goal of a dialogue that can be scored."""
    if not talk.moves:
        raise InputError("a dialogue without turns", dialogue=talk.id)
    if talk.goal is None:
        raise InputError("no goal; a user is scored against its goal", dialogue=talk.id)
    if not talk.goal:
        raise InputError("the goal is empty", dialogue=talk.id)
    for number, move in enumerate(talk.moves):
        if move.speaker == (SYSTEM if number % 2 else USER):
            continue
        if move.speaker not in (USER, SYSTEM):
            raise InputError(
                f"speaker is user or system, found {one_line(move.speaker)!r}", dialogue=talk.id, turn=number
            )
        what = f"two {move.speaker} turns in a row" if number else "the system speaks first"
        raise InputError(f"{what}; user and system take turns, the user first", dialogue=talk.id, turn=number)
    return talk.goal
