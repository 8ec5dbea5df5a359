"""The published GCDF1 evaluator on its own dialogues and on constructed ones, figure by figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.layouts.services import Gcdf1
from dialmeter.users.events import COMBINED, DialogueOutcome, Measured
from dialmeter.users.rules import changed, named
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap

from ..shared_data import shared
from ..users.published import classes, ours, theirs

MEASURES: dict[str, tuple[Measured, str]] = {
    "igcd_f1": ("I", "f1"),
    "igcd_precision": ("I", "precision"),
    "igcd_recall": ("I", "recall"),
    "rgcd_f1": ("R", "f1"),
    "rgcd_precision": ("R", "precision"),
    "rcgd_recall": ("R", "recall"),
}
SWITCHES = {"igcd_f1__constraints_not_in_goal__sys_checks__requests": "not_in_goal.elicited_by_sys_question"}
"""Published settings that the constructed cases set, by our names."""

CRASHES = {
    "ends_with_user_turn": ("ends-on-user-turn", {"hotel": (1.0, 0.5)}, {}),
    "outside_domain_request": ("request-outside-goal", {"hotel": (1.0, 1.0)}, {"restaurant": (0.0, 1.0)}),
    "inform_without_value": ("act-without-value", {"hotel": (1.0, 1.0)}, {}),
    "goal_value_not_in_cmap": ("goal-value-not-in-map", {"hotel": (0.0, 0.0)}, {}),
    "departure_in_hotel": ("slot-of-another-domain", {"hotel": (2 / 3, 1.0)}, {}),
}
"""Where the published evaluator stops: the remark, and precision and recall by domain of both measures."""


@cache
def value_map() -> ValueMap:
    return ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))


@cache
def expected() -> dict[str, Any]:
    return json.loads(shared("expected", "users.json").read_bytes())


@cache
def outcomes() -> dict[str, DialogueOutcome]:
    scorer = UserScorer("gcdf1-repo", "multiwoz", value_map())
    talks = open_conversations(shared("data", "users", "fixture48_dialogues.json.gz"))
    assert talks.format == "gcdf1"
    found = {talk.id: scorer.add(talk) for talk in talks}
    assert not talks.refused
    return found


@cache
def cases() -> dict[str, Any]:
    return json.loads(shared("data", "users", "edge_cases.json").read_bytes())


def scores_of(outcome: DialogueOutcome, name: str) -> dict[str, float]:
    measured, part = MEASURES[name]
    domains = outcome.inform if measured == "I" else outcome.request
    found = {domain: outcome.score(measured, domain) for domain in (*domains, COMBINED)}
    return {domain: getattr(score, part) for domain, score in found.items() if score is not None}


def close(one: Mapping[str, float], other: Mapping[str, float], by: float) -> bool:
    return one.keys() == other.keys() and all(abs(one[key] - other[key]) <= by for key in one)


def test_published_multisets() -> None:
    assert outcomes().keys() == expected()["per_dialogue"].keys()
    for name, figures in expected()["per_dialogue"].items():
        outcome = outcomes()[name]
        for measure, domains, join in (("igcd", outcome.inform, "==="), ("rgcd", outcome.request, "-")):
            for part, key in (("wanted", f"{measure}_true_pos"), ("counted", f"{measure}_pos")):
                found = [each.replace("=", join) for domain in domains.values() for each in getattr(domain, part)]
                assert sorted(found) == sorted(figures.get(key, [])), (name, key)


def test_published_scores() -> None:
    for name, figures in expected()["per_dialogue"].items():
        for measure in MEASURES:
            assert close(scores_of(outcomes()[name], measure), figures.get(measure, {}), 1e-9), (name, measure)


def test_means_over_published_dialogues() -> None:
    aggregate = expected()["aggregate"]
    for measure, by_domain in aggregate["scores"].items():
        for domain, mean in by_domain.items():
            values = [scores[domain] for each in outcomes().values() if domain in (scores := scores_of(each, measure))]
            assert sum(values) / len(values) == pytest.approx(mean, abs=1e-9)
            if measure in aggregate["counts"]:
                assert len(values) == aggregate["counts"][measure][domain]


def test_published_events() -> None:
    compared = 0
    for (measure, group, name), tree in classes(expected()["aggregate"]["events"]).items():
        if group and name == "wrong_taxi_annotations":
            assert not tree
            continue
        assert ours(outcomes().values(), measure, group, name) == theirs(name, tree), (group, name)
        compared += sum(theirs(name, tree).values())
    assert compared == sum(len(outcome.events) for outcome in outcomes().values())


def case_names() -> list[str]:
    try:
        return list(cases())
    except pytest.skip.Exception:
        return []


def score_case(name: str, rules: str = "gcdf1-repo") -> DialogueOutcome:
    case = cases()[name]
    set_ = [f"{SWITCHES[key]}={str(value).lower()}" for key, value in case["options"].items()]
    talk = Gcdf1.conversation(case["dialogue"])
    return UserScorer(changed(named(rules), *set_), "multiwoz", value_map()).add(talk)


def test_number_of_constructed_cases() -> None:
    assert len(cases()) == 46


@pytest.mark.parametrize("name", [name for name in case_names() if name not in CRASHES])
def test_constructed_case(name: str) -> None:
    outcome, published = score_case(name), cases()[name]["published_evaluator"]
    for measure, figures in published["scores"].items():
        found = {domain: round(value, 4) for domain, value in scores_of(outcome, measure).items()}
        assert found == figures, measure
    events: dict[str, Any] = {}
    for path, tree in published["events"].items():
        measure, *groups, last = path.split(".")
        inside = events.setdefault(measure, {})
        for group in groups:
            inside = inside.setdefault(group, {})
        inside[last] = tree
    compared = 0
    for (measure, group, last), tree in classes(events).items():
        assert ours([outcome], measure, group, last) == theirs(last, tree), (group, last)
        compared += sum(theirs(last, tree).values())
    assert compared == len(outcome.events)


@pytest.mark.parametrize("rules", ["gcdf1-repo", "dialmeter"])
@pytest.mark.parametrize("name", [name for name in case_names() if name in CRASHES])
def test_published_evaluator_crash(name: str, rules: str) -> None:
    assert "crash" in cases()[name]["published_evaluator"]
    code, informs, asked = CRASHES[name]
    outcome = score_case(name, rules)
    assert code in [remark.code for remark in outcome.remarks]
    for domains, figures in ((outcome.inform, informs), (outcome.request, asked)):
        found = {name: (each.score.precision, each.score.recall) for name, each in domains.items() if each.score}
        assert found == figures


def test_ending_on_user_turn() -> None:
    assert [event.name for event in score_case("ends_with_user_turn").events] == ["missed_constraints"]


def test_unknown_goal_value() -> None:
    outcome = score_case("goal_value_not_in_cmap")
    assert outcome.inform["hotel"].wanted == ["area=riverside"]
    assert outcome.inform["hotel"].counted == ["area=river side"]


def test_slot_of_other_domain() -> None:
    assert "departure=ely" in score_case("departure_in_hotel").inform["hotel"].counted
