"""I-GCDF1 and R-GCDF1 of one dialogue: wanted and counted constraints and requests, and events that explain the difference."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from msgspec import Struct

from .alternatives import Alternatives, find_alternatives, unneeded_constraints
from .behaviours.not_in_goal import OutsideMention
from .behaviours.repeating import Repetition
from .behaviours.requesting import RepeatedRequest
from .events import Event, Family, Remark, switched_on
from .goals import GoalUnits, requested_slot, slot_of
from .outcome import Counts, DialogueCounts
from .prepared_dialogue import PreparedDialogue, ScoringSetup
from .system_turn import told, told_slots


class _Place(Struct, eq=False):
    """A domain of a dialogue while its constraints are counted."""

    dialogue: PreparedDialogue
    domain: str
    wants: GoalUnits
    counts: Counts
    events: list[Event]
    choices: list[Alternatives]

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
    """Counts the constraints of dialogues under one rule set."""

    def __init__(self, setup: ScoringSetup) -> None:
        self._setup = setup
        repeated = switched_on("repetition", setup.rules.repetitions)
        self._by_system = [each for each in repeated if each.owner == "system"]
        self._by_user = [each for each in repeated if each.owner == "user"]
        self._notes = [each for each in repeated if each.owner == "log"]
        self._outside = switched_on("not_in_goal", setup.rules.not_in_goal)
        self._as_needed = setup.rules.goals.alternatives == "as_needed"

    def informs(self, dialogue: PreparedDialogue) -> DialogueCounts:
        """Counts the constraints of a dialogue."""
        found = DialogueCounts({}, [], {})
        for domain, wants in dialogue.wants.items():
            choices = find_alternatives(dialogue, domain) if self._as_needed else []
            unneeded = unneeded_constraints(wants, choices)
            counts = found.domains[domain] = Counts([each for each in wants.constraints if each not in unneeded], [])
            place = _Place(dialogue, domain, wants, counts, found.events, choices)
            for each in sorted(unneeded):
                place.log("alternative_not_needed", "goal", each)
            for constraint, turns in sorted(dialogue.said.get(domain, {}).items()):
                self._count(place, constraint, turns)
            dropped = self._finish(place)
            if dropped:
                found.dropped[domain] = dropped
        for domain in sorted(dialogue.said.keys() - dialogue.wants.keys()):
            said = sorted(dialogue.said[domain].items())
            mentions = [(each, turn) for each, turns in said for turn in self._counting(turns)]
            found.domains[domain] = Counts([], [each for each, _ in mentions])
            found.events += [
                Event("informed_domains_outside_goals", "goal", domain, each, (turn,)) for each, turn in mentions
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
        """The class of a constraint outside the goal that the profile always allows; empty if it does not."""
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
        """Explains what is missing at the end: the system said it first, the search failed, a wrong value, or missed.

        Returns:
            The constraints that are removed from the goal.
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
        # A second choice that was never said could have been found: nothing leaves the goal.
        untried = any(each in choice.needed for each in missing for choice in place.choices)
        if rules.empty_db_result.constraints and said and not untried and self._ended_empty(place):
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
        """Did the system find nothing, right after the last constraint of the user in the domain?"""
        dialogue = place.dialogue
        reply = max(turns[-1] for turns in dialogue.said[place.domain].values()) + 1
        if reply >= len(dialogue.turns):
            dialogue.remarks.append(Remark("ends-on-user-turn", reply - 1, place.domain))
            return False
        seen = dialogue.system_turn(reply, place.domain)
        return seen.no_offer and not seen.choice


def _was_told(place: _Place, missing: str) -> bool:
    """Did the system say a missing constraint? Then it is counted."""
    turns = told(place.dialogue, place.domain, missing)
    if turns:
        place.counts.counted.append(missing)
        place.log("sys_preempted_constraint", "goal", missing, turns, credited=True)
    return bool(turns)


def requests(dialogue: PreparedDialogue, ended_empty: Container[str]) -> DialogueCounts:
    """Counts the requests of a dialogue.

    Args:
        dialogue: the dialogue.
        ended_empty: domains in which the search ended without an entity.
    """
    rules = dialogue.setup.rules.requests
    drops = dialogue.setup.rules.empty_db_result.requests
    found = DialogueCounts({}, [], {})
    for domain, wants in dialogue.wants.items():
        wanted = list(wants.requests)
        if drops and domain in ended_empty:
            found.dropped[domain] = tuple(wanted)
            wanted = []
        asked = dialogue.asked.get(domain, {})
        counts = found.domains[domain] = Counts(wanted, [])
        if rules.provision and wanted:
            _provide(dialogue, domain, counts, asked, found.events)
        for each, turns in sorted(asked.items()):
            counts.counted += [each] * (len(turns) if rules.count_fp else 1)
            may_ask = rules.auto_ref and wants.books and each in dialogue.setup.profile.always_requestable
            if may_ask and each not in counts.wanted:
                counts.wanted.append(each)
                found.events.append(Event("auto_ref", "request", domain, each, tuple(turns), True))
            if len(turns) > 1:
                _repeated(dialogue, domain, each, turns, found)
        if counts.counted and not counts.wanted:
            found.events += [
                Event("requests_not_in_goal", "request", domain, each, (turn,))
                for each, turns in sorted(asked.items())
                for turn in (turns if rules.count_fp else turns[:1])
            ]
    for domain in sorted(dialogue.asked.keys() - dialogue.wants.keys()):
        _outside(dialogue, domain, found)
    return found


def _outside(dialogue: PreparedDialogue, domain: str, found: DialogueCounts) -> None:
    every = dialogue.setup.rules.requests.count_fp
    asked = sorted(dialogue.asked[domain].items())
    found.domains[domain] = Counts([], [each for each, turns in asked for _ in (turns if every else turns[:1])])
    for each, turns in asked:
        found.events.append(Event("requested_domains_outside_goals", "request", domain, each, tuple(turns)))
        dialogue.remarks.append(Remark("request-outside-goal", turns[0], each))


def _provide(
    dialogue: PreparedDialogue, domain: str, counts: Counts, asked: Container[str], events: list[Event]
) -> None:
    """Counts the wanted slots that the system gives before the user requests them."""
    listed = dialogue.setup.rules.requests.provision_domains
    if "*" not in listed and domain not in listed:
        return
    told = told_slots(dialogue, domain)
    name = "provision_slots" if dialogue.asked.get(domain) else "provision_entire_domain"
    for each in counts.wanted:
        turn = told.get(requested_slot(each))
        if turn is not None and each not in asked:
            counts.counted.append(each)
            events.append(Event(name, "request", domain, each, (turn,), True))


def _repeated(dialogue: PreparedDialogue, domain: str, each: str, turns: list[int], found: DialogueCounts) -> None:
    rules, events = dialogue.setup.rules.requests, found.events
    events.append(Event("multiple_req", "request", domain, each, tuple(turns)))
    if len(turns) > rules.warn_above:
        events.append(Event("repetitions_warning", "request", domain, each, tuple(turns)))
    for k, (before, again) in enumerate(pairwise(turns), 1):
        seen = RepeatedRequest(
            domain=domain,
            request=each,
            slot=requested_slot(each),
            between=dialogue.between(before, again, domain),
            first=dialogue.turns[before],
            again=dialogue.turns[again],
            setup=dialogue.setup,
        )
        names, excused = _why(seen, dialogue.setup)
        credited = excused and rules.count_fp and k <= rules.max
        if credited:
            found.domains[domain].wanted.append(each)
        events += [Event(name, "request", domain, each, (before, again), credited) for name in names]


def _why(seen: RepeatedRequest, setup: ScoringSetup) -> tuple[list[str], bool]:
    """The classes of a repeated request, and whether it is excused: the reply decides, if the rules validate replies."""
    found = [each for each in switched_on("request", setup.rules.requests) if each.holds and each.holds(seen)]
    wrong_labels = [each for each in found if each.owner == "log"]
    if wrong_labels:
        return [wrong_labels[0].name], False
    replies = [each for each in found if each.switch == _REPLIES][:1]
    reasons = [*(each for each in found if each.switch != _REPLIES), *replies]
    return [each.name for each in reasons], any(each.excuses for each in replies or reasons)


_REPLIES = "validate_policy"
"""The switch of the classes that say what the system replied; the first that holds is the reason."""
