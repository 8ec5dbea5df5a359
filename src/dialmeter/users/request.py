"""R-GCDF1 of one dialogue: what the goal wants asked, what counts as asked, and why."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from .behaviours.requesting import RepeatedRequest
from .events import Event, Remark, switched_on
from .goals import requested_slot
from .prepared_dialogue import PreparedDialogue, ScoringSetup
from .score import Counts, DialogueCounts
from .system_turn import told_slots


def requests(dialogue: PreparedDialogue, ended_empty: Container[str]) -> DialogueCounts:
    """What the requests of a dialogue come to.

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
                Event("requests_not_in_goal", "request", domain, each, tuple(turns))
                for each, turns in sorted(asked.items())
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
    """What the system gives before it is asked for counts as asked."""
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
            reply=dialogue.turns[before + 1],
            setup=dialogue.setup,
        )
        names, excused = _why(seen, dialogue.setup)
        credited = excused and rules.count_fp and k <= rules.max
        if credited:
            found.domains[domain].wanted.append(each)
        events += [Event(name, "request", domain, each, (before, again), credited) for name in names]


def _why(seen: RepeatedRequest, setup: ScoringSetup) -> tuple[list[str], bool]:
    """The classes of a repeated request, and whether it is excused; where replies are looked at, the reply decides that."""
    found = [each for each in switched_on("request", setup.rules.requests) if each.holds and each.holds(seen)]
    wrong_labels = [each for each in found if each.owner == "log"]
    if wrong_labels:
        return [wrong_labels[0].name], False
    replies = [each for each in found if each.switch == _REPLIES][:1]
    reasons = [*(each for each in found if each.switch != _REPLIES), *replies]
    return [each.name for each in reasons], any(each.excuses for each in replies or reasons)


_REPLIES = "validate_policy"
"""The switch of the classes that say what the system replied; the first that holds is the reason."""
