"""I-GCDF1 and R-GCDF1 of one dialogue: wanted and counted units, and events that explain the differences."""

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
from .system_turn import stated_slots, stating_turns


class _DomainCounter(Struct, eq=False):
    """Counts the constraints of one domain of a dialogue."""

    dialogue: PreparedDialogue
    domain: str
    units: GoalUnits
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
        """Record an event."""
        self.events.append(Event(name, family, self.domain, about, tuple(turns), credited, said))


class ConstraintCounter:
    """Counts the constraints of dialogues under one rule set."""

    def __init__(self, setup: ScoringSetup) -> None:
        self._setup = setup
        repeated = switched_on("repetition", setup.rules.repetitions)
        self._by_system = [each for each in repeated if each.owner == "system"]
        self._by_user = [each for each in repeated if each.owner == "user"]
        self._notes = [each for each in repeated if each.owner == "log"]
        self._outside_tests = switched_on("not_in_goal", setup.rules.not_in_goal)
        self._as_needed = setup.rules.goals.alternatives == "as_needed"

    def count(self, dialogue: PreparedDialogue) -> DialogueCounts:
        """Count the constraints of a dialogue."""
        totals = DialogueCounts({}, [], {})
        for domain, units in dialogue.goal_units.items():
            choices = find_alternatives(dialogue, domain) if self._as_needed else []
            unneeded = unneeded_constraints(choices)
            counts = totals.domains[domain] = Counts([each for each in units.constraints if each not in unneeded], [])
            counter = _DomainCounter(dialogue, domain, units, counts, totals.events, choices)
            for each in sorted(unneeded):
                counter.log("alternative_not_needed", "goal", each)
            for constraint, turns in sorted(dialogue.said.get(domain, {}).items()):
                self._count_constraint(counter, constraint, turns)
            dropped = self._explain_missing(counter)
            if dropped:
                totals.dropped[domain] = dropped
        for domain in sorted(dialogue.said.keys() - dialogue.goal_units.keys()):
            said = sorted(dialogue.said[domain].items())
            mentions = [(each, turn) for each, turns in said for turn in self._counted_turns(turns)]
            totals.domains[domain] = Counts([], [each for each, _ in mentions])
            totals.events += [
                Event("informed_domains_outside_goals", "goal", domain, each, (turn,)) for each, turn in mentions
            ]
        return totals

    def _counted_turns(self, turns: list[int]) -> list[int]:
        """Return all mentions, or only the first if repetitions do not count."""
        return turns if self._setup.rules.repetitions.count_fp else turns[:1]

    def _count_constraint(self, counter: _DomainCounter, constraint: str, turns: list[int]) -> None:
        counter.counts.counted += [constraint] * len(self._counted_turns(turns))
        if len(turns) > 1:
            counter.log("repeated_inform", "repetition", constraint, turns)
            if len(turns) > self._setup.rules.repetitions.warn_above:
                counter.log("repetitions_warning", "repetition", constraint, turns)
        if slot_of(constraint) not in counter.units.slots:
            self._count_outside_goal(counter, constraint, turns)
        elif len(turns) > 1:
            self._explain_repeated(counter, constraint, turns)
        elif constraint not in counter.units.constraints:
            counter.log("single_repetitions_nog", "goal", constraint, turns)

    def _count_outside_goal(self, counter: _DomainCounter, constraint: str, turns: list[int]) -> None:
        rules, dialogue, domain = self._setup.rules, counter.dialogue, counter.domain
        slot = slot_of(constraint)
        mentions = len(self._counted_turns(turns))
        allowed = self._always_allowed(domain, slot, constraint)
        if allowed:
            credit = min(mentions, rules.auto_match.max)
            counter.counts.wanted += [constraint] * credit
            counter.log(allowed, "not_in_goal", constraint, turns, credited=credit > 0)
            return
        for k, number in enumerate(turns, 1):
            if number == 0:
                counter.log("first_turn", "not_in_goal", constraint, (0,))
                continue
            mention = OutsideMention(domain, slot, dialogue.between(-1, number, domain), self._setup)
            names = [each.name for each in self._outside_tests if each.holds and each.holds(mention)]
            if names and mention.names_entity and dialogue.turns[number].taxi:
                counter.log("wrong_taxi_annotations", "not_in_goal", constraint, (number,))
                continue
            credited = bool(names) and k <= min(rules.not_in_goal.max, mentions)
            if credited:
                counter.counts.wanted.append(constraint)
            for name in names or ["unmatched"]:
                counter.log(name, "not_in_goal", constraint, (number,), credited=credited)

    def _always_allowed(self, domain: str, slot: str, constraint: str) -> str:
        """Return the class of a constraint outside the goal that the profile always allows, or an empty string."""
        on, fine = self._setup.rules.auto_match, self._setup.profile.fine
        value = constraint[len(slot) + 1 :]
        if on.values and value in fine.values:
            return "auto_matched_value"
        if on.slots and slot in self._setup.traits(domain).fine_slots:
            return "auto_matched_slot"
        if on.pairs and value in fine.pairs.get(slot, ()):
            return "auto_matched_slot_value_pair"
        return ""

    def _explain_repeated(self, counter: _DomainCounter, constraint: str, turns: list[int]) -> None:
        rules, dialogue, domain = self._setup.rules, counter.dialogue, counter.domain
        slot = slot_of(constraint)
        wanted = constraint in counter.units.constraints or rules.faults.credit_wrong_values
        may_credit = wanted and rules.repetitions.count_fp
        for k, pair in enumerate(pairwise(turns), 1):
            between = dialogue.between(*pair, domain)
            repetition = Repetition(domain, slot, constraint, between, dialogue.turns[pair[1]], self._setup)
            names = [each.name for each in self._by_system if each.holds and each.holds(repetition)]
            for note in self._notes:
                if note.holds and note.holds(repetition):
                    counter.log(note.name, "repetition", constraint, pair)
            if not names:
                names = [each.name for each in self._by_user if each.holds and each.holds(repetition)]
            credited = bool(names) and k <= rules.repetitions.max and may_credit
            if credited:
                counter.counts.wanted.append(constraint)
            for name in names or ["unmatched"]:
                counter.log(name, "repetition", constraint, pair, credited=credited)

    def _explain_missing(self, counter: _DomainCounter) -> tuple[str, ...]:
        """Explain the missing constraints: the system said it first, the search failed, the user said a wrong value, or missed it.

        Returns:
            The constraints that are removed from the goal.
        """
        rules, dialogue, counts = self._setup.rules, counter.dialogue, counter.counts
        if counts.wanted and not counts.counted:
            counter.log("missed_domain", "goal")
        missing = sorted(set(counts.wanted) - set(counts.counted))
        if missing and rules.preemption.compensate:
            missing = [each for each in missing if not _count_if_stated(counter, each)]
        if not missing:
            return ()
        said = dialogue.said.get(counter.domain, {})
        # A second choice that was never said might have been found, so nothing is removed from the goal.
        untried = any(each in choice.needed for each in missing for choice in counter.choices)
        if rules.empty_db_result.constraints and said and not untried and self._ended_empty(counter):
            for each in missing:
                counter.log("failed_dialogue", "goal", each)
            counts.wanted = [each for each in counts.wanted if each not in missing]
            return tuple(missing)
        wrong = sorted(said.keys() - set(counts.wanted))
        for each in missing:
            other = next((other for other in wrong if slot_of(other) == slot_of(each)), None)
            if other is None:
                counter.log("missed_constraints", "goal", each)
            else:
                counter.log("informed_wrong_value", "goal", each, said[other], said=other)
        return ()

    def _ended_empty(self, counter: _DomainCounter) -> bool:
        """Return True if the system found nothing, right after the user's last constraint in the domain."""
        dialogue = counter.dialogue
        reply = max(turns[-1] for turns in dialogue.said[counter.domain].values()) + 1
        if reply >= len(dialogue.turns):
            dialogue.remarks.append(Remark("ends-on-user-turn", reply - 1, counter.domain))
            return False
        turn = dialogue.system_turn(reply, counter.domain)
        return turn.no_offer and not turn.choice


def _count_if_stated(counter: _DomainCounter, missing: str) -> bool:
    """Count a missing constraint if the system said it, and return True in this case."""
    turns = stating_turns(counter.dialogue, counter.domain, missing)
    if turns:
        counter.counts.counted.append(missing)
        counter.log("sys_preempted_constraint", "goal", missing, turns, credited=True)
    return bool(turns)


def count_requests(dialogue: PreparedDialogue, ended_empty: Container[str]) -> DialogueCounts:
    """Count the requests of a dialogue.

    Args:
        dialogue: the dialogue.
        ended_empty: domains in which the search ended without an entity.
    """
    rules = dialogue.setup.rules.requests
    drops = dialogue.setup.rules.empty_db_result.requests
    totals = DialogueCounts({}, [], {})
    for domain, units in dialogue.goal_units.items():
        wanted = list(units.requests)
        if drops and domain in ended_empty:
            totals.dropped[domain] = tuple(wanted)
            wanted = []
        asked = dialogue.asked.get(domain, {})
        counts = totals.domains[domain] = Counts(wanted, [])
        if rules.provision and wanted:
            _count_provided(dialogue, domain, counts, asked, totals.events)
        for each, turns in sorted(asked.items()):
            counts.counted += [each] * (len(turns) if rules.count_fp else 1)
            may_ask = rules.auto_ref and units.books and each in dialogue.setup.profile.always_requestable
            if may_ask and each not in counts.wanted:
                counts.wanted.append(each)
                totals.events.append(Event("auto_ref", "request", domain, each, tuple(turns), True))
            if len(turns) > 1:
                _explain_repeated(dialogue, domain, each, turns, totals)
        if counts.counted and not counts.wanted:
            totals.events += [
                Event("requests_not_in_goal", "request", domain, each, (turn,))
                for each, turns in sorted(asked.items())
                for turn in (turns if rules.count_fp else turns[:1])
            ]
    for domain in sorted(dialogue.asked.keys() - dialogue.goal_units.keys()):
        _count_outside_goal(dialogue, domain, totals)
    return totals


def _count_outside_goal(dialogue: PreparedDialogue, domain: str, totals: DialogueCounts) -> None:
    count_all = dialogue.setup.rules.requests.count_fp
    asked = sorted(dialogue.asked[domain].items())
    totals.domains[domain] = Counts([], [each for each, turns in asked for _ in (turns if count_all else turns[:1])])
    for each, turns in asked:
        totals.events.append(Event("requested_domains_outside_goals", "request", domain, each, tuple(turns)))
        dialogue.remarks.append(Remark("request-outside-goal", turns[0], each))


def _count_provided(
    dialogue: PreparedDialogue, domain: str, counts: Counts, asked: Container[str], events: list[Event]
) -> None:
    """Count the wanted slots that the system gives before the user requests them."""
    listed = dialogue.setup.rules.requests.provision_domains
    if "*" not in listed and domain not in listed:
        return
    turn_of = stated_slots(dialogue, domain)
    name = "provision_slots" if dialogue.asked.get(domain) else "provision_entire_domain"
    for each in counts.wanted:
        turn = turn_of.get(requested_slot(each))
        if turn is not None and each not in asked:
            counts.counted.append(each)
            events.append(Event(name, "request", domain, each, (turn,), True))


def _explain_repeated(
    dialogue: PreparedDialogue, domain: str, each: str, turns: list[int], totals: DialogueCounts
) -> None:
    rules, events = dialogue.setup.rules.requests, totals.events
    events.append(Event("multiple_req", "request", domain, each, tuple(turns)))
    if len(turns) > rules.warn_above:
        events.append(Event("repetitions_warning", "request", domain, each, tuple(turns)))
    for k, (before, again) in enumerate(pairwise(turns), 1):
        repeated = RepeatedRequest(
            domain=domain,
            request=each,
            slot=requested_slot(each),
            between=dialogue.between(before, again, domain),
            first=dialogue.turns[before],
            again=dialogue.turns[again],
            setup=dialogue.setup,
        )
        names, excused = _classify_repeated(repeated, dialogue.setup)
        credited = excused and rules.count_fp and k <= rules.max
        if credited:
            totals.domains[domain].wanted.append(each)
        events += [Event(name, "request", domain, each, (before, again), credited) for name in names]


def _classify_repeated(repeated: RepeatedRequest, setup: ScoringSetup) -> tuple[list[str], bool]:
    """Return the classes of a repeated request, and True if it is excused. The reply decides, if the rules validate replies."""
    matches = [each for each in switched_on("request", setup.rules.requests) if each.holds and each.holds(repeated)]
    wrong_labels = [each for each in matches if each.owner == "log"]
    if wrong_labels:
        return [wrong_labels[0].name], False
    replies = [each for each in matches if each.switch == _REPLIES][:1]
    reasons = [*(each for each in matches if each.switch != _REPLIES), *replies]
    return [each.name for each in reasons], any(each.excuses for each in replies or reasons)


_REPLIES = "validate_policy"
"""The switch of the classes that describe the reply of the system. The first one that matches is the reason."""
