"""Events of the published evaluator and of dialmeter in the same form: (dialogue, domain, about, detail) → count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dialmeter.users.events import DialogueOutcome, Event

Found = Counter[tuple[str, str, str, Any]]

FAMILIES = {
    "constraints_not_in_goal": "not_in_goal",
    "multiple_constraint_informs": "repetition",
    "multiple_slot_requests": "request",
}
LOOK_UPS = (
    "preprocessed_user_constraints",
    "preprocessed_sys_constraints",
    "preprocessed_sys_nlu",
    "slots_missing_from_cmap",
)


def classes(events: Mapping[str, Any]) -> dict[tuple[str, str, str], Any]:
    """Return published events by measure, group (empty if there is none) and class, without the looked-up data."""
    found = {}
    for measure, by_class in events.items():
        for name, tree in by_class.items():
            if name in FAMILIES:
                found.update({(measure, name, inner): each for inner, each in tree.items()})
            elif name not in LOOK_UPS:
                found[measure, "", name] = tree
    return found


def theirs(name: str, tree: Mapping[str, Any]) -> Found:
    """Return the events of one class of published events."""
    found: Found = Counter()
    if name == "missed_domain":
        return Counter((dialogue, domain, "", ()) for dialogue, domains in tree.items() for domain in domains)
    if name == "auto_ref":
        return Counter((dialogue, domain, "", ()) for domain, dialogues in tree.items() for dialogue in dialogues)
    if name == "wrong_taxi_annotations":
        return Counter(
            (dialogue, "", about, turn)
            for dialogue, items in tree.items()
            for each in items
            for about, turn in each.items()
        )
    for dialogue, domains in tree.items():
        for domain, items in domains.items():
            for each in items:
                found.update((dialogue, domain, about, detail) for about, detail in _item(each))
    return found


def _item(item: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(item, str):
        return [(item, ())]
    if isinstance(item, list):
        return [(each, ()) for each in item]
    if "expected" in item:
        return [(item["expected"], item["provided"])]
    return [(about, tuple(sorted(what)) if isinstance(what, list) else what) for about, what in item.items()]


def ours(outcomes: Iterable[DialogueOutcome], measure: str, group: str, name: str) -> Found:
    """Return the events of dialmeter in the same form."""
    found: Found = Counter()
    for outcome in outcomes:
        for event in outcome.events:
            of_measure = (event.family == "request") == (measure == "rgcd_f1")
            if event.name == name and of_measure and event.family == FAMILIES.get(group, event.family):
                found[outcome.id, *_place(event, outcome)] += 1
    return found


_COUNTED = (
    "repeated_inform",
    "multiple_req",
    "auto_matched_value",
    "auto_matched_slot",
    "auto_matched_slot_value_pair",
)
_REASONS = ("system_req_nlu_failure", "repeated_despite_receiving_answer", "user_prempted_request", "delayed_response")
_BARE = ("repetitions_warning", "missed_constraints", "failed_dialogue", "informed_domains_outside_goals")


def _place(event: Event, outcome: DialogueOutcome) -> tuple[str, str, Any]:
    about = event.about.replace("=", "===")
    if event.name in ("missed_domain", "auto_ref"):
        return event.domain, "", ()
    if event.name == "wrong_taxi_annotations":
        return "", about, event.turns[0]
    if event.name in _COUNTED:
        return event.domain, about, len(event.turns)
    if event.name in _REASONS:
        return event.domain, about, len(outcome.asked[event.domain][event.about])
    if event.name == "informed_wrong_value":
        return event.domain, about, event.said.replace("=", "===")
    if event.name in ("sys_preempted_constraint", "spurious_annotation"):
        return event.domain, about, event.turns
    if event.name in _BARE or event.family == "request":
        return event.domain, about, ()
    return event.domain, about, event.turns if event.family == "repetition" else event.turns[0]
