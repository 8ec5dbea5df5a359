"""R-GCDF1 of one dialogue: what the goal wants asked, what counts as asked, and why."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

from .behaviours import requesting
from .behaviours.requesting import Asking
from .booking import told_slots
from .events import Event, Remark
from .goals import requested_slot
from .outcome import Counts, DialogueCounts
from .prepared_dialogue import Scene, Stage


def requests(scene: Scene, ended_empty: Container[str]) -> DialogueCounts:
    """What the requests of a dialogue come to.

    Args:
        scene: the dialogue.
        ended_empty: domains in which the search ended without an entity.
    """
    rules = scene.stage.rules.requests
    drops = scene.stage.rules.empty_db_result.requests
    found = DialogueCounts({}, [], {})
    for domain, wants in scene.wants.items():
        wanted = list(wants.requests)
        if drops and domain in ended_empty:
            found.dropped[domain] = tuple(wanted)
            wanted = []
        asked = scene.asked.get(domain, {})
        counts = found.domains[domain] = Counts(wanted, [])
        if rules.provision and wanted:
            _provide(scene, domain, counts, asked, found.events)
        for each, turns in sorted(asked.items()):
            counts.counted += [each] * (len(turns) if rules.count_fp else 1)
            may_ask = rules.auto_ref and wants.books and each in scene.stage.profile.always_requestable
            if may_ask and each not in counts.wanted:
                counts.wanted.append(each)
                found.events.append(Event("auto_ref", "request", domain, each, tuple(turns), True))
            if len(turns) > 1:
                _repeated(scene, domain, each, turns, found)
        if counts.counted and not counts.wanted:
            found.events += [
                Event("requests_not_in_goal", "request", domain, each, tuple(turns))
                for each, turns in sorted(asked.items())
            ]
    for domain in sorted(scene.asked.keys() - scene.wants.keys()):
        _outside(scene, domain, found)
    return found


def _outside(scene: Scene, domain: str, found: DialogueCounts) -> None:
    every = scene.stage.rules.requests.count_fp
    asked = sorted(scene.asked[domain].items())
    found.domains[domain] = Counts([], [each for each, turns in asked for _ in (turns if every else turns[:1])])
    for each, turns in asked:
        found.events.append(Event("requested_domains_outside_goals", "request", domain, each, tuple(turns)))
        scene.remarks.append(Remark("request-outside-goal", turns[0], each))


def _provide(scene: Scene, domain: str, counts: Counts, asked: Container[str], events: list[Event]) -> None:
    """What the system gives before it is asked for counts as asked."""
    listed = scene.stage.rules.requests.provision_domains
    if "*" not in listed and domain not in listed:
        return
    told = told_slots(scene, domain)
    name = "provision_slots" if scene.asked.get(domain) else "provision_entire_domain"
    for each in counts.wanted:
        turn = told.get(requested_slot(each))
        if turn is not None and each not in asked:
            counts.counted.append(each)
            events.append(Event(name, "request", domain, each, (turn,), True))


def _repeated(scene: Scene, domain: str, each: str, turns: list[int], found: DialogueCounts) -> None:
    rules, events = scene.stage.rules.requests, found.events
    events.append(Event("multiple_req", "request", domain, each, tuple(turns)))
    if len(turns) > rules.warn_above:
        events.append(Event("repetitions_warning", "request", domain, each, tuple(turns)))
    for k, (before, again) in enumerate(pairwise(turns), 1):
        seen = Asking(
            domain=domain,
            request=each,
            slot=requested_slot(each),
            between=scene.between(before, again, domain),
            first=scene.turns[before],
            again=scene.turns[again],
            reply=scene.turns[before + 1],
            stage=scene.stage,
        )
        names, excused = _why(seen, scene.stage)
        credited = excused and rules.count_fp and k <= rules.max
        if credited:
            found.domains[domain].wanted.append(each)
        events += [Event(name, "request", domain, each, (before, again), credited) for name in names]


def _why(seen: Asking, stage: Stage) -> tuple[list[str], bool]:
    """The classes of a repeated request, and whether it is excused."""
    rules = stage.rules.requests
    if rules.spurious_annotation and requesting.spurious_annotation(seen):
        return ["spurious_annotation"], False
    not_heard = rules.validate_nlu and requesting.system_req_nlu_failure(seen)
    names = ["system_req_nlu_failure"] if not_heard else []
    if not rules.validate_policy:
        return names, not_heard
    answered = requesting.repeated_despite_receiving_answer
    reason = next(
        test for test in (answered, requesting.user_prempted_request, requesting.delayed_response) if test(seen)
    )
    return [*names, reason.__name__], reason is not answered
