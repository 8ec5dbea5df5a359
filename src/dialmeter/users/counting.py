"""I-GCDF1 and R-GCDF1 of one dialogue: wanted and counted units, and events that explain the differences.

Goals can be conditional: a first choice, and a second choice that is wanted only if the first fails. A domain of a goal has up to
two pairs of parts, ``fail_info`` with ``info`` and ``fail_book`` with ``book``. Values of a slot that differ between the two parts of
a pair are alternatives; all other constraints are unconditional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from .behaviours import Mention
from .events import Behaviour, DialogueOutcome, DomainOutcome, Event, Family, Owner, Remark, compare, pooled
from .goals import GoalUnits, goal_digest, requested_slot, slot_of
from .prepared_dialogue import PreparedDialogue, ScoringSetup, booked_domain, stated_slots, stating_turns
from .profile import NO_BOOK

_PAIRS = (("fail_info", "info"), ("fail_book", "book"))
_UNTESTABLE = re.compile(r"yes|no|\d{1,2}")
"""Values that cannot be found reliably in a text: texts express them in other words, or they are part of other numbers."""


class Choice(NamedTuple):
    """The two choices of one pair of parts, in one dialogue: the one that the user tries first, and the other one.

    Attributes:
        tried: the constraints of the choice that the user tries first.
        needed: the constraints of the other choice that are wanted: all if the first fails, else those that the user says.
        unneeded: the constraints of the other choice that are not wanted.
    """

    tried: frozenset[str]
    needed: frozenset[str]
    unneeded: frozenset[str]


def split_alternatives(parts: Mapping[str, Sequence[str]]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the alternatives of each pair of parts of a goal, with the failing choice first. Pairs without alternatives are skipped.

    Example:
        >>> split_alternatives({"fail_info": ["area=east", "stars=4"], "info": ["area=west", "stars=4", "type=hotel"]})
        [(('area=east',), ('area=west',))]
        >>> split_alternatives({"info": ["area=west"], "book": ["day=monday"], "fail_book": ["day=friday"]})
        [(('day=friday',), ('day=monday',))]
    """
    alternatives = []
    for failing, main in _PAIRS:
        first, second = parts.get(failing, ()), parts.get(main, ())
        slots = {slot_of(each) for each in first}
        given_up = tuple(each for each in first if each not in second)
        instead = tuple(each for each in second if slot_of(each) in slots and each not in first)
        if given_up and instead:
            alternatives.append((given_up, instead))
    return alternatives


def find_choices(dialogue: PreparedDialogue, domain: str) -> list[Choice]:
    """Find out which choices of a goal were tried in a dialogue, and which of the others are wanted."""
    parts, said = dialogue.goal_units[domain].parts, dialogue.said.get(domain, {})
    choices = []
    for given_up, instead in split_alternatives(parts):
        first, second = (
            min((said[each][0] for each in units if each in said), default=None) for units in (given_up, instead)
        )
        tried, other, begun = given_up, instead, first
        if _is_absent(given_up, dialogue.task) or (second is not None and (first is None or second < first)):
            tried, other, begun = instead, given_up, second
        is_booking = set(given_up) <= set(parts.get("fail_book", ()))
        is_failed = begun is not None and _fails(dialogue, domain, begun, is_booking=is_booking)
        needed = frozenset(each for each in other if is_failed or each in said)
        choices.append(Choice(frozenset(tried), needed, frozenset(other) - needed))
    return choices


def _absent_choices(units: Mapping[str, GoalUnits], task: str) -> list[list[str]]:
    """Return the failing choices of a goal that the text of the task does not mention, with their domains."""
    return [
        [domain, *sorted(given_up)]
        for domain, each in units.items()
        for given_up, _ in (split_alternatives(each.parts) if task else ())
        if _is_absent(given_up, task)
    ]


def _fails(dialogue: PreparedDialogue, domain: str, after: int, *, is_booking: bool) -> bool:
    """Return True if a system turn after a given turn reports a failed search, or a failed booking, in the domain."""
    for number in range(after + 1, len(dialogue.turns), 2):
        acts = dialogue.turns[number].acts
        if not is_booking:
            if dialogue.system_turn(number, domain).no_offer:
                return True
        elif any(types & NO_BOOK for types, _, _ in acts.get(domain, ())):
            return True
        else:
            booking = acts.get(dialogue.setup.profile.booking, ())
            if any(types & NO_BOOK for types, _, _ in booking) and booked_domain(dialogue, number) == domain:
                return True
    return False


def _is_absent(units: Sequence[str], task: str) -> bool:
    """Return True if the text of the task mentions none of the constraints; False if this cannot be tested."""
    values = [each.partition("=")[2] for each in units]
    testable = [value for value in values if not _UNTESTABLE.fullmatch(value)]
    return bool(task and testable) and not any(re.search(rf"\b{re.escape(value)}\b", task) for value in testable)


def unneeded_constraints(choices: Sequence[Choice]) -> frozenset[str]:
    """Return the constraints of a domain's goal that are not wanted. A constraint that another pair of parts wants is wanted."""
    unneeded = frozenset().union(*(choice.unneeded for choice in choices))
    return unneeded.difference(*(choice.tried | choice.needed for choice in choices))


def outcome_of(dialogue: PreparedDialogue) -> DialogueOutcome:
    """Score a prepared dialogue.

    Example:
        >>> from dialmeter.model import Act, Conversation, DomainGoal, Move
        >>> from dialmeter.users.scorer import UserScorer
        >>> said = Move("user", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
        >>> goal = {"hotel": DomainGoal(info={"area": "east"})}
        >>> outcome_of(UserScorer().prepare(Conversation("d1", (said,), goal))).score("I").f1
        1.0
    """
    setup, conversation = dialogue.setup, dialogue.conversation
    events: list[Event] = []
    informs, dropped = _count_constraints(dialogue, events)
    requests = _count_requests(dialogue, events, dropped)
    is_conditional = setup.rules.goals.alternatives == "as_needed"
    absent = _absent_choices(dialogue.goal_units, dialogue.task) if is_conditional else []
    for counts in (*informs.values(), *requests.values()):
        counts.wanted.sort()
        counts.counted.sort()
        counts.score = compare(counts.wanted, counts.counted)
    return DialogueOutcome(
        id=conversation.id,
        turns=len(conversation.moves),
        cut=conversation.cut,
        goal=dialogue.goal,
        goal_digest=goal_digest(dialogue.goal_units, absent),
        inform=informs,
        request=requests,
        combined={
            "I": pooled(informs, with_domain=not setup.rules.faults.combined_ignores_domain),
            "R": pooled(requests, with_domain=False),
        },
        events=tuple(sorted(events, key=lambda event: (event.turns[-1:], event.domain, event.about, event.name))),
        said=dialogue.said,
        asked=dialogue.asked,
        request_acts=setup.request_acts(dialogue.turns),
        dropped=dropped,
        remarks=tuple(dialogue.remarks),
    )


class _DomainCounter(Struct, eq=False):
    """Counts the constraints or the requests of one domain of a dialogue."""

    dialogue: PreparedDialogue
    domain: str
    counts: DomainOutcome
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
        """Record an event."""
        self.events.append(Event(name, family, self.domain, about, tuple(turns), credited, said))

    def explain(self, family: Family, unit: str, turns: Sequence[int], names: Sequence[str], credited: bool) -> None:
        """Record the reasons for a mention. A credited mention is wanted once more."""
        if credited:
            self.counts.wanted.append(unit)
        for name in names:
            self.log(name, family, unit, turns, credited=credited)

    def mention(self, unit: str, slot: str, first: int, again: int) -> Mention:
        """Return a mention with the system turns before it, after another turn."""
        turns, between = self.dialogue.turns, self.dialogue.between(first, again, self.domain)
        return Mention(self.domain, slot, unit, between, turns[max(first, 0)], turns[again], self.dialogue.setup)


def _count_constraints(
    dialogue: PreparedDialogue, events: list[Event]
) -> tuple[dict[str, DomainOutcome], dict[str, tuple[str, ...]]]:
    """Return the counts of the constraints by domain, and domain → constraints that were removed from its goal."""
    rules = dialogue.setup.rules
    domains: dict[str, DomainOutcome] = {}
    removed: dict[str, tuple[str, ...]] = {}
    for domain, units in dialogue.goal_units.items():
        choices = find_choices(dialogue, domain) if rules.goals.alternatives == "as_needed" else []
        unneeded = unneeded_constraints(choices)
        counts = domains[domain] = DomainOutcome([each for each in units.constraints if each not in unneeded], [])
        counter = _DomainCounter(dialogue, domain, counts, events)
        for each in sorted(unneeded):
            counter.log("alternative_not_needed", "goal", each)
        for constraint, turns in sorted(dialogue.said.get(domain, {}).items()):
            _count_constraint(counter, units, constraint, turns)
        if dropped := _explain_missing(counter, choices):
            removed[domain] = dropped
    for domain in sorted(dialogue.said.keys() - dialogue.goal_units.keys()):
        counts = domains[domain] = DomainOutcome([], [])
        for each, turns in sorted(dialogue.said[domain].items()):
            for turn in turns if rules.repetitions.count_fp else turns[:1]:
                counts.counted.append(each)
                events.append(Event("informed_domains_outside_goals", "goal", domain, each, (turn,)))
    return domains, removed


def _count_constraint(counter: _DomainCounter, units: GoalUnits, constraint: str, turns: list[int]) -> None:
    rules = counter.dialogue.setup.rules.repetitions
    counter.counts.counted += [constraint] * (len(turns) if rules.count_fp else 1)
    if len(turns) > 1:
        counter.log("repeated_inform", "repetition", constraint, turns)
        if len(turns) > rules.warn_above:
            counter.log("repetitions_warning", "repetition", constraint, turns)
    if slot_of(constraint) not in units.slots:
        _explain_outside_goal(counter, constraint, turns)
    elif len(turns) > 1:
        _explain_repeated(counter, constraint, turns, is_wanted=constraint in units.constraints)
    elif constraint not in units.constraints:
        counter.log("single_repetitions_nog", "goal", constraint, turns)


def _explain_outside_goal(counter: _DomainCounter, constraint: str, turns: list[int]) -> None:
    setup, slot = counter.dialogue.setup, slot_of(constraint)
    rules = setup.rules
    mentions = len(turns) if rules.repetitions.count_fp else 1
    allowed = _always_allowed(setup, counter.domain, slot, constraint)
    if allowed:
        credit = min(mentions, rules.auto_match.max)
        counter.counts.wanted += [constraint] * credit
        counter.log(allowed, "not_in_goal", constraint, turns, credited=credit > 0)
        return
    for k, number in enumerate(turns, 1):
        if number == 0:
            counter.log("first_turn", "not_in_goal", constraint, (0,))
            continue
        mention = counter.mention(constraint, slot, -1, number)
        names = [each.name for each in setup.tests["not_in_goal"] if each.test(mention)]
        if names and mention.names_entity and mention.again.taxi:
            counter.log("wrong_taxi_annotations", "not_in_goal", constraint, (number,))
            continue
        credited = bool(names) and k <= min(rules.not_in_goal.max, mentions)
        counter.explain("not_in_goal", constraint, (number,), names or ["unmatched"], credited)


def _always_allowed(setup: ScoringSetup, domain: str, slot: str, constraint: str) -> str:
    """Return the class of a constraint outside the goal that the profile always allows, or an empty string."""
    on, fine = setup.rules.auto_match, setup.profile.fine
    value = constraint[len(slot) + 1 :]
    if on.values and value in fine.values:
        return "auto_matched_value"
    if on.slots and slot in setup.traits(domain).fine_slots:
        return "auto_matched_slot"
    if on.pairs and value in fine.pairs.get(slot, ()):
        return "auto_matched_slot_value_pair"
    return ""


def _explain_repeated(counter: _DomainCounter, constraint: str, turns: list[int], *, is_wanted: bool) -> None:
    """Explain the repetitions of a constraint by what the system did, else by what the user did."""
    rules, tests = counter.dialogue.setup.rules, counter.dialogue.setup.tests["repetition"]
    may_credit = (is_wanted or rules.faults.credit_wrong_values) and rules.repetitions.count_fp
    for k, pair in enumerate(pairwise(turns), 1):
        repetition = counter.mention(constraint, slot_of(constraint), *pair)
        names: dict[Owner, list[str]] = {"system": [], "user": [], "log": []}
        for each in tests:
            if (each.owner != "user" or not names["system"]) and each.test(repetition):
                names[each.owner].append(each.name)
        counter.explain("repetition", constraint, pair, names["log"], credited=False)
        reasons = names["system"] or names["user"]
        credited = bool(reasons) and k <= rules.repetitions.max and may_credit
        counter.explain("repetition", constraint, pair, reasons or ["unmatched"], credited)


def _explain_missing(counter: _DomainCounter, choices: Sequence[Choice]) -> tuple[str, ...]:
    """Explain the missing constraints: the system said it first, the search failed, the user said a wrong value, or missed it.

    Returns:
        The constraints that are removed from the goal.
    """
    dialogue, domain, counts = counter.dialogue, counter.domain, counter.counts
    rules = dialogue.setup.rules
    if counts.wanted and not counts.counted:
        counter.log("missed_domain", "goal")
    missing = []
    for each in sorted(set(counts.wanted) - set(counts.counted)):
        turns = stating_turns(dialogue, domain, each) if rules.preemption.compensate else ()
        if turns:
            counts.counted.append(each)
            counter.log("sys_preempted_constraint", "goal", each, turns, credited=True)
        else:
            missing.append(each)
    if not missing:
        return ()
    said = dialogue.said.get(domain, {})
    # A second choice that was never said might have been found, so nothing is removed from the goal.
    untried = any(each in choice.needed for each in missing for choice in choices)
    if rules.empty_db_result.constraints and said and not untried and _ended_empty(dialogue, domain):
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


def _ended_empty(dialogue: PreparedDialogue, domain: str) -> bool:
    """Return True if the system found nothing, right after the user's last constraint in the domain."""
    reply = max(turns[-1] for turns in dialogue.said[domain].values()) + 1
    if reply >= len(dialogue.turns):
        dialogue.remarks.append(Remark("ends-on-user-turn", reply - 1, domain))
        return False
    turn = dialogue.system_turn(reply, domain)
    return turn.no_offer and not turn.choice


def _count_requests(
    dialogue: PreparedDialogue, events: list[Event], removed: dict[str, tuple[str, ...]]
) -> dict[str, DomainOutcome]:
    """Return the counts of the requests by domain; those of domains in which the search ended without an entity may be removed."""
    rules = dialogue.setup.rules.requests
    domains: dict[str, DomainOutcome] = {}
    for domain, units in dialogue.goal_units.items():
        wanted = list(units.requests)
        if dialogue.setup.rules.empty_db_result.requests and domain in removed:
            removed[domain] += tuple(wanted)
            wanted = []
        asked = dialogue.asked.get(domain, {})
        counts = domains[domain] = DomainOutcome(wanted, [])
        counter = _DomainCounter(dialogue, domain, counts, events)
        if rules.provision and wanted and not {"*", domain}.isdisjoint(rules.provision_domains):
            _count_provided(counter, asked)
        for each, turns in sorted(asked.items()):
            counts.counted += [each] * (len(turns) if rules.count_fp else 1)
            may_ask = rules.auto_ref and units.books and each in dialogue.setup.profile.always_requestable
            if may_ask and each not in counts.wanted:
                counter.explain("request", each, turns, ["auto_ref"], credited=True)
            if len(turns) > 1:
                _explain_repeated_request(counter, each, turns)
        if counts.counted and not counts.wanted:
            for each, turns in sorted(asked.items()):
                for turn in turns if rules.count_fp else turns[:1]:
                    counter.log("requests_not_in_goal", "request", each, (turn,))
    for domain in sorted(dialogue.asked.keys() - dialogue.goal_units.keys()):
        counts = domains[domain] = DomainOutcome([], [])
        for each, turns in sorted(dialogue.asked[domain].items()):
            counts.counted += [each] * (len(turns) if rules.count_fp else 1)
            events.append(Event("requested_domains_outside_goals", "request", domain, each, tuple(turns)))
            dialogue.remarks.append(Remark("request-outside-goal", turns[0], each))
    return domains


def _count_provided(counter: _DomainCounter, asked: Mapping[str, Sequence[int]]) -> None:
    """Count the wanted slots that the system gives before the user requests them."""
    turn_of = stated_slots(counter.dialogue, counter.domain)
    name = "provision_slots" if asked else "provision_entire_domain"
    for each in counter.counts.wanted:
        turn = turn_of.get(requested_slot(each))
        if turn is not None and each not in asked:
            counter.counts.counted.append(each)
            counter.log(name, "request", each, (turn,), credited=True)


def _explain_repeated_request(counter: _DomainCounter, each: str, turns: list[int]) -> None:
    rules = counter.dialogue.setup.rules.requests
    counter.log("multiple_req", "request", each, turns)
    if len(turns) > rules.warn_above:
        counter.log("repetitions_warning", "request", each, turns)
    for k, pair in enumerate(pairwise(turns), 1):
        repeated = counter.mention(each, requested_slot(each), *pair)
        matches = [behaviour for behaviour in counter.dialogue.setup.tests["request"] if behaviour.test(repeated)]
        names, is_excused = _classify_repeated(matches)
        counter.explain("request", each, pair, names, is_excused and rules.count_fp and k <= rules.max)


def _classify_repeated(matches: Sequence[Behaviour]) -> tuple[list[str], bool]:
    """Return the classes of a repeated request, and True if it is excused. The reply decides, if the rules validate replies."""
    wrong_labels = [each for each in matches if each.owner == "log"]
    if wrong_labels:
        return [wrong_labels[0].name], False
    replies = [each for each in matches if each.setting == _REPLIES][:1]
    reasons = [*(each for each in matches if each.setting != _REPLIES), *replies]
    return [each.name for each in reasons], any(each.excuses for each in replies or reasons)


_REPLIES = "validate_policy"
"""The setting of the classes that describe the reply of the system. The first one that matches is the reason."""
