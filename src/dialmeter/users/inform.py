"""I-GCDF1 of one dialogue: what the goal wants said, what counts as said, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from .behaviours.not_in_goal import OutsideMention
from .behaviours.repeating import Repetition
from .events import Event, Family, Remark, switched_on
from .goals import GoalUnits, slot_of
from .prepared_dialogue import PreparedDialogue, ScoringSetup
from .score import Counts, DialogueCounts
from .system_turn import told


class _Place(Struct, eq=False):
    """A domain of a dialogue while its constraints are gone through."""

    dialogue: PreparedDialogue
    domain: str
    wants: GoalUnits
    counts: Counts
    events: list[Event]

    def log(
        self,
        name: str,
        family: Family,
        about: str = "",
        turns: Sequence[int] = (),
        *,
        credited: bool = False,
        said: str = "",
    ) -> None:
        """Notes an event."""
        self.events.append(Event(name, family, self.domain, about, tuple(turns), credited, said))


class InformWalk:
    """Goes through the constraints of dialogues under one rule set."""

    def __init__(self, setup: ScoringSetup) -> None:
        self._setup = setup
        repeated = switched_on("repetition", setup.rules.repetitions)
        self._by_system = [each for each in repeated if each.owner == "system"]
        self._by_user = [each for each in repeated if each.owner == "user"]
        self._notes = [each for each in repeated if each.owner == "log"]
        self._outside = switched_on("not_in_goal", setup.rules.not_in_goal)

    def informs(self, dialogue: PreparedDialogue) -> DialogueCounts:
        """What the constraints of a dialogue come to."""
        found = DialogueCounts({}, [], {})
        for domain, wants in dialogue.wants.items():
            counts = found.domains[domain] = Counts(list(wants.constraints), [])
            place = _Place(dialogue, domain, wants, counts, found.events)
            for constraint, turns in sorted(dialogue.said.get(domain, {}).items()):
                self._count(place, constraint, turns)
            dropped = self._finish(place)
            if dropped:
                found.dropped[domain] = dropped
        for domain in sorted(dialogue.said.keys() - dialogue.wants.keys()):
            said = sorted(dialogue.said[domain].items())
            found.domains[domain] = Counts([], [each for each, turns in said for _ in self._counting(turns)])
            found.events += [
                Event("informed_domains_outside_goals", "goal", domain, each, tuple(turns)) for each, turns in said
            ]
        return found

    def _counting(self, turns: list[int]) -> list[int]:
        """Every mention, or the first where repetitions do not count."""
        return turns if self._setup.rules.repetitions.count_fp else turns[:1]

    def _count(self, place: _Place, constraint: str, turns: list[int]) -> None:
        place.counts.counted += [constraint] * len(self._counting(turns))
        if len(turns) > 1:
            place.log("repeated_inform", "repetition", constraint, turns)
            if len(turns) > self._setup.rules.repetitions.warn_above:
                place.log("repetitions_warning", "repetition", constraint, turns)
        if slot_of(constraint) not in place.wants.slots:
            self._outside_goal(place, constraint, turns)
        elif len(turns) > 1:
            self._repeated(place, constraint, turns)
        elif constraint not in place.wants.constraints:
            place.log("single_repetitions_nog", "goal", constraint, turns)

    def _outside_goal(self, place: _Place, constraint: str, turns: list[int]) -> None:
        rules, dialogue, domain = self._setup.rules, place.dialogue, place.domain
        slot = slot_of(constraint)
        most = len(self._counting(turns))
        fine = self._always_fine(domain, slot, constraint)
        if fine:
            credit = min(most, rules.auto_match.max)
            place.counts.wanted += [constraint] * credit
            place.log(fine, "not_in_goal", constraint, turns, credited=credit > 0)
            return
        for k, number in enumerate(turns, 1):
            if number == 0:
                place.log("first_turn", "not_in_goal", constraint, (0,))
                continue
            mention = OutsideMention(domain, slot, dialogue.between(-1, number, domain), self._setup)
            names = [each.name for each in self._outside if each.holds and each.holds(mention)]
            if names and mention.names_entity and dialogue.turns[number].taxi:
                place.log("wrong_taxi_annotations", "not_in_goal", constraint, (number,))
                continue
            credited = bool(names) and k <= min(rules.not_in_goal.max, most)
            if credited:
                place.counts.wanted.append(constraint)
            for name in names or ["unmatched"]:
                place.log(name, "not_in_goal", constraint, (number,), credited=credited)

    def _always_fine(self, domain: str, slot: str, constraint: str) -> str:
        """The class under which a constraint outside the goal is fine wherever it is said; empty if it is not."""
        on, fine = self._setup.rules.auto_match, self._setup.profile.fine
        value = constraint[len(slot) + 1 :]
        if on.values and value in fine.values:
            return "auto_matched_value"
        if on.slots and slot in self._setup.traits(domain).fine_slots:
            return "auto_matched_slot"
        if on.pairs and value in fine.pairs.get(slot, ()):
            return "auto_matched_slot_value_pair"
        return ""

    def _repeated(self, place: _Place, constraint: str, turns: list[int]) -> None:
        rules, dialogue, domain = self._setup.rules, place.dialogue, place.domain
        slot = slot_of(constraint)
        wanted = constraint in place.wants.constraints or rules.faults.credit_wrong_values
        may_credit = wanted and rules.repetitions.count_fp
        for k, pair in enumerate(pairwise(turns), 1):
            between = dialogue.between(*pair, domain)
            seen = Repetition(domain, slot, constraint, between, dialogue.turns[pair[1]], self._setup)
            names = [each.name for each in self._by_system if each.holds and each.holds(seen)]
            for note in self._notes:
                if note.holds and note.holds(seen):
                    place.log(note.name, "repetition", constraint, pair)
            if not names:
                names = [each.name for each in self._by_user if each.holds and each.holds(seen)]
            credited = bool(names) and k <= rules.repetitions.max and may_credit
            if credited:
                place.counts.wanted.append(constraint)
            for name in names or ["unmatched"]:
                place.log(name, "repetition", constraint, pair, credited=credited)

    def _finish(self, place: _Place) -> tuple[str, ...]:
        """What is missing at the end: said first by the system, given up with the search, wrong, or missed.

        Returns:
            What left the goal.
        """
        rules, dialogue, counts = self._setup.rules, place.dialogue, place.counts
        if counts.wanted and not counts.counted:
            place.log("missed_domain", "goal")
        missing = sorted(set(counts.wanted) - set(counts.counted))
        if missing and rules.preemption.compensate:
            missing = [each for each in missing if not _was_told(place, each)]
        if not missing:
            return ()
        said = dialogue.said.get(place.domain, {})
        if rules.empty_db_result.constraints and said and self._ended_empty(place):
            for each in missing:
                place.log("failed_dialogue", "goal", each)
            counts.wanted = [each for each in counts.wanted if each not in missing]
            return tuple(missing)
        wrong = sorted(said.keys() - set(counts.wanted))
        for each in missing:
            other = next((other for other in wrong if slot_of(other) == slot_of(each)), None)
            if other is None:
                place.log("missed_constraints", "goal", each)
            else:
                place.log("informed_wrong_value", "goal", each, said[other], said=other)
        return ()

    def _ended_empty(self, place: _Place) -> bool:
        """Did the system find nothing right after the last that the user said in the domain?"""
        dialogue = place.dialogue
        reply = max(turns[-1] for turns in dialogue.said[place.domain].values()) + 1
        if reply >= len(dialogue.turns):
            dialogue.remarks.append(Remark("ends-on-user-turn", reply - 1, place.domain))
            return False
        seen = dialogue.system_turn(reply, place.domain)
        return seen.no_offer and not seen.choice


def _was_told(place: _Place, missing: str) -> bool:
    """Counts a missing constraint that the system told, and says whether it did."""
    turns = told(place.dialogue, place.domain, missing)
    if turns:
        place.counts.counted.append(missing)
        place.log("sys_preempted_constraint", "goal", missing, turns, credited=True)
    return bool(turns)
