"""Tests of events and counts: one dialogue on each line of ``data/events.jsonl``, with its settings and its whole outcome.

A name says which class the example shows, or which class it nearly shows. An event is its family and class, domain, constraint or
request, turns, and a plus if it is credited. Units are wanted / counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter.users.behaviours import ALL
from dialmeter.users.events import DialogueOutcome, DomainOutcome, Event
from dialmeter.users.profile import named
from dialmeter.users.rules import changed, settings
from dialmeter.users.rules import named as named_rules
from dialmeter.values.maps import ValueMap

from .conversations import example_conversation, goal, make_conversation, read_examples, scored, system, user
from .scoring import score_user

EXAMPLES = read_examples("events.jsonl")
FAULTS = [name for name in settings(named_rules("dialmeter")) if name.startswith("faults.")]


def outcome_of(example: Mapping[str, Any], *changes: str) -> DialogueOutcome:
    profile = named("multiwoz")
    return scored(
        example_conversation(example),
        *example.get("changes", ()),
        *changes,
        rules=example.get("rules", "dialmeter"),
        profile=replace(profile, fine=replace(profile.fine, pairs=example.get("allowed_pairs", profile.fine.pairs))),
        value_map=ValueMap(example["map"]) if "map" in example else None,
    )


def event_text(event: Event) -> str:
    turns = "@" + ",".join(map(str, event.turns)) if event.turns else ""
    said = f"(said {event.said})" if event.said else ""
    parts = (f"{event.family}/{event.name}", event.domain, event.about, turns, "+" if event.credited else "", said)
    return " ".join(filter(None, parts))


def units_text(domains: Mapping[str, DomainOutcome]) -> dict[str, str]:
    return {
        domain: " / ".join(", ".join(units) for units in (each.wanted, each.counted)).strip()
        for domain, each in domains.items()
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_outcome(example: Mapping[str, Any]) -> None:
    outcome = outcome_of(example)
    assert list(map(event_text, outcome.events)) == example["events"]
    assert units_text(outcome.inform) == example["inform"]
    requests = {domain: units for domain, units in units_text(outcome.request).items() if units != "/"}
    assert requests == example.get("request", {})
    assert {domain: list(units) for domain, units in outcome.dropped.items()} == example.get("dropped", {})
    scores = [outcome.score("I"), outcome.score("R")]
    assert [score and round(score.f1, 4) for score in scores] == example["f1"]


def test_every_class_has_example() -> None:
    shown = {event.split()[0] for example in EXAMPLES for event in example["events"]}
    assert shown == {f"{each.family}/{each.name}" for each in ALL if each.family != "text"}


@pytest.mark.parametrize("each", [each for each in ALL if each.setting], ids=lambda each: each.full_setting)
def test_every_test_has_setting(each: Any) -> None:
    title = f"{each.family}/{each.name} "
    shown = [example for example in EXAMPLES if any(event.startswith(title) for event in example["events"])]
    outcomes = [outcome_of(example, f"{each.full_setting}=false") for example in shown]
    assert not any(event_text(event).startswith(title) for outcome in outcomes for event in outcome.events)


def test_fault_defaults() -> None:
    default, published = settings(named_rules("dialmeter")), settings(named_rules("gcdf1-repo"))
    differing = {name for name in default if default[name] != published[name]}
    others = {"values.nfkc", "values.collisions", "values.no_answer", "goals.alternatives"}
    assert differing == {*FAULTS, *others}
    assert not any(default[name] for name in FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_settings(fault: str) -> None:
    assert changed(named_rules("dialmeter"), f"{fault}=true").changes() == {fault: "true"}
    changes = [example for example in EXAMPLES if outcome_of(example) != outcome_of(example, f"{fault}=true")]
    assert changes or fault == "faults.distribution_concatenates"


def test_distribution_values() -> None:
    wanted = goal(hotel={"info": {"area": "east"}}, train={"info": {"day": "monday"}})
    each = make_conversation(wanted, user("Hotel-Inform area=east"), system("general-bye"))
    assert score_user([each], ci=0).distribution("I-recall") == {"combined": [0.5], "hotel": [1.0], "train": [0.0]}
    published = score_user([each], "gcdf1-repo", ci=0).distribution("I-recall")
    assert published["combined"] == [0.0, 0.5, 1.0]
