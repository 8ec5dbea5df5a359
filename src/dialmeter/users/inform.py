"""I-GCDF1 of one dialogue: what the goal wants said, what counts as said, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from .behaviours import OUTSIDE_GOAL, REPEATED_BY_SYSTEM, REPEATED_BY_USER, REPETITION_LOGS
from .behaviours.not_in_goal import Mention
from .behaviours.repeating import Repetition
from .booking import told
from .events import Event, Family, Remark
from .goals import Wants, slot_of
from .scene import Scene, Stage
from .score import Counts


class Informs(Struct):
    """What the constraints of a dialogue come to.

    Attributes:
        domains: the counts by domain, those outside the goal included.
        events: what happened.
        dropped: constraints that left the goal, by domain, because the search ended without an entity.
    """

    domains: dict[str, Counts]
    events: list[Event]
    dropped: dict[str, tuple[str, ...]]


class InformWalk:
    """Goes through the constraints of dialogues under one rule set."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        rules = stage.rules
        repeated, outside = rules.repetitions, rules.not_in_goal
        self._by_system = [each for each in REPEATED_BY_SYSTEM if getattr(repeated, each.name)]
        self._by_user = [each for each in REPEATED_BY_USER if getattr(repeated, each.name)]
        on = {each.name for each in self._by_system}
        failures = ("elicited_by_booking_failure", "elicited_by_no_offers")
        self._logs = [log for log, of in zip(REPETITION_LOGS, failures, strict=True) if of in on]
        self._outside = [each for each in OUTSIDE_GOAL if getattr(outside, each.name)]

    def informs(self, scene: Scene) -> Informs:
        """What the constraints of a dialogue come to."""
        found = Informs({}, [], {})
        for domain, wants in scene.wants.items():
            counts = found.domains[domain] = Counts(list(wants.constraints), [])
            for said in sorted(scene.said.get(domain, {}).items()):
                self._count(scene, domain, wants, counts, *said, found.events)
            self._finish(scene, domain, counts, found)
        for domain in sorted(scene.said.keys() - scene.wants.keys()):
            said_there = scene.said[domain]
            found.domains[domain] = Counts([], self._mentions(said_there.items()))
            found.events += [
                Event("informed_domains_outside_goals", "goal", domain, each, tuple(turns))
                for each, turns in sorted(said_there.items())
            ]
        return found

    def _mentions(self, said: Iterable[tuple[str, list[int]]]) -> list[str]:
        """Every mention, or every constraint once where repetitions do not count."""
        every = self._stage.rules.repetitions.count_fp
        return [each for each, turns in said for _ in (turns if every else turns[:1])]

    def _count(
        self,
        scene: Scene,
        domain: str,
        wants: Wants,
        counts: Counts,
        constraint: str,
        turns: list[int],
        events: list[Event],
    ) -> None:
        rules = self._stage.rules.repetitions
        counts.counted += self._mentions([(constraint, turns)])
        slot = slot_of(constraint)
        if len(turns) > 1:
            events.append(Event("repeated_inform", "repetition", domain, constraint, tuple(turns)))
            if len(turns) > rules.warn_above:
                events.append(Event("repetitions_warning", "repetition", domain, constraint, tuple(turns)))
        if slot not in wants.slots:
            self._outside_goal(scene, domain, counts, constraint, slot, turns, events)
        elif len(turns) > 1:
            self._repeated(scene, domain, wants, counts, constraint, slot, turns, events)
        elif constraint not in wants.constraints:
            events.append(Event("single_repetitions_nog", "goal", domain, constraint, tuple(turns)))

    def _outside_goal(
        self,
        scene: Scene,
        domain: str,
        counts: Counts,
        constraint: str,
        slot: str,
        turns: list[int],
        events: list[Event],
    ) -> None:
        rules = self._stage.rules
        once_only = not rules.repetitions.count_fp
        fine = self._always_fine(domain, slot, constraint)
        if fine:
            credit = min(len(turns), 1 if once_only else len(turns), rules.auto_match.max)
            counts.wanted += [constraint] * credit
            events.append(Event(fine, "not_in_goal", domain, constraint, tuple(turns), credit > 0))
            return
        for k, number in enumerate(turns, 1):
            if number == 0:
                events.append(Event("first_turn", "not_in_goal", domain, constraint, (0,)))
                continue
            mention = Mention(domain, slot, scene.between(-1, number, domain), self._stage)
            names = [each.name for each in self._outside if each.holds and each.holds(mention)]
            if names and mention.names_entity and scene.turns[number].taxi:
                events.append(Event("wrong_taxi_annotations", "not_in_goal", domain, constraint, (number,)))
                continue
            credited = bool(names) and k <= rules.not_in_goal.max and not (once_only and k > 1)
            if credited:
                counts.wanted.append(constraint)
            events += _events(names or ["unmatched"], "not_in_goal", domain, constraint, (number,), credited)

    def _always_fine(self, domain: str, slot: str, constraint: str) -> str:
        """The class under which a constraint outside the goal is fine wherever it is said; empty if it is not."""
        on, fine = self._stage.rules.auto_match, self._stage.profile.fine
        value = constraint[len(slot) + 1 :]
        if on.values and value in fine.values:
            return "auto_matched_value"
        if on.slots and slot in self._stage.traits(domain).fine_slots:
            return "auto_matched_slot"
        if on.pairs and value in fine.pairs.get(slot, ()):
            return "auto_matched_slot_value_pair"
        return ""

    def _repeated(
        self,
        scene: Scene,
        domain: str,
        wants: Wants,
        counts: Counts,
        constraint: str,
        slot: str,
        turns: list[int],
        events: list[Event],
    ) -> None:
        rules = self._stage.rules
        may_credit = rules.repetitions.count_fp and (
            constraint in wants.constraints or rules.faults.credit_wrong_values
        )
        for k, (before, again) in enumerate(pairwise(turns), 1):
            pair = (before, again)
            seen = Repetition(
                domain, slot, constraint, scene.between(before, again, domain), scene.turns[again], self._stage
            )
            names = [each.name for each in self._by_system if each.holds and each.holds(seen)]
            logs = [each.name for each in self._logs if each.holds and each.holds(seen)]
            if not names:
                names = [each.name for each in self._by_user if each.holds and each.holds(seen)]
            credited = bool(names) and k <= rules.repetitions.max and may_credit
            if credited:
                counts.wanted.append(constraint)
            events += _events(logs, "repetition", domain, constraint, pair, False)
            events += _events(names or ["unmatched"], "repetition", domain, constraint, pair, credited)

    def _finish(self, scene: Scene, domain: str, counts: Counts, found: Informs) -> None:
        """What is missing at the end: said first by the system, given up with the search, wrong, or missed."""
        rules, events = self._stage.rules, found.events
        if counts.wanted and not counts.counted:
            events.append(Event("missed_domain", "goal", domain))
        missing = sorted(set(counts.wanted) - set(counts.counted))
        if missing and rules.preemption.compensate:
            for each in list(missing):
                turns = told(scene, domain, each)
                if turns:
                    missing.remove(each)
                    counts.counted.append(each)
                    events.append(Event("sys_preempted_constraint", "goal", domain, each, turns, True))
        if not missing:
            return
        if rules.empty_db_result.constraints and self._ended_empty(scene, domain):
            events += [Event("failed_dialogue", "goal", domain, each) for each in missing]
            counts.wanted = [each for each in counts.wanted if each not in missing]
            found.dropped[domain] = tuple(missing)
            return
        wanted = set(counts.wanted)
        wrong = [each for each in sorted(scene.said.get(domain, ())) if each not in wanted]
        for each in missing:
            said = next((other for other in wrong if slot_of(other) == slot_of(each)), None)
            if said is None:
                events.append(Event("missed_constraints", "goal", domain, each))
            else:
                turns = tuple(scene.said[domain][said])
                events.append(Event("informed_wrong_value", "goal", domain, each, turns, said=said))

    def _ended_empty(self, scene: Scene, domain: str) -> bool:
        """Did the system find nothing right after the last that the user said in the domain?"""
        said = scene.said.get(domain)
        if not said:
            return False
        reply = max(turns[-1] for turns in said.values()) + 1
        if reply >= len(scene.turns):
            scene.remarks.append(Remark("ends-on-user-turn", reply - 1, domain))
            return False
        seen = scene.glance(reply, domain)
        return seen.no_offer and not seen.choice


def _events(
    names: Sequence[str], family: Family, domain: str, about: str, turns: tuple[int, ...], credited: bool
) -> list[Event]:
    return [Event(name, family, domain, about, turns, credited) for name in names]
