"""Tests of value maps that are created from goals, ontology and acts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Act, Conversation, DomainGoal, Move
from dialmeter.users.value_map_builder import CollectedValues, DoubtfulForm, read_ontology, value_map


def make_conversation(*acts: Act, goal: DomainGoal | None = None) -> Conversation:
    return Conversation("d1", (Move("user", acts=acts),), {"hotel": goal} if goal else None)


def informs(*values: str, slot: str = "name") -> Act:
    return Act("Hotel-Inform", "hotel", slot, values)


def stated(name: str) -> bool:
    return "Inform" in name


def built(*conversations: Conversation, ontology: dict[str, list[str]] | None = None) -> dict[str, object]:
    collected = CollectedValues(ontology)
    for each in conversations:
        collected.add(each, stated)
    return value_map(collected)[0]


def test_forms_by_similar_goal_value() -> None:
    goal = DomainGoal(info={"Name": "The Copper Kettle"})
    assert built(make_conversation(informs("the copper kettel", "Kettle the copper"), goal=goal)) == {
        "name": {"the copper kettle": ["kettle the copper", "the copper kettel", "the copper kettle"]}
    }


def test_canonical_goal_parts() -> None:
    goal = DomainGoal(
        info={"area": "east"}, fail_info={"area": "west"}, book={"day": "monday"}, fail_book={"day": "sunday"}
    )
    assert built(make_conversation(goal=goal)) == {
        "area": {"east": ["east"], "west": ["west"]},
        "day": {"monday": ["monday"], "sunday": ["sunday"]},
    }


def test_unasked_forms_grouped() -> None:
    said = make_conversation(informs("blue heron inn", "blue heron inn", "blue heron in", "quarry lodge"))
    assert built(said) == {
        "name": {
            "special_keys": {
                "not_in_goal": {
                    "hotel": {"blue heron inn": ["blue heron in", "blue heron inn"], "quarry lodge": ["quarry lodge"]}
                }
            }
        }
    }


def test_empty_acts() -> None:
    assert built(make_conversation(Act("Hotel-Request", "hotel", "name", ("?",)))) == {}


def test_form_between_values() -> None:
    collected = CollectedValues({"name": ["north hall inn", "north hill inn"]})
    collected.add(make_conversation(informs("north hell inn")), stated)
    _, doubts = value_map(collected)
    assert doubts == [DoubtfulForm("name", "north hell inn", "north hall inn", "north hill inn")]


@pytest.mark.parametrize(
    "document",
    [
        {"hotel-semi-area": ["East", "west"], "hotel-book-people": [2]},
        {"hotel": {"area": ["East", "west"], "people": ["2"]}},
        [
            {
                "service_name": "hotel",
                "slots": [
                    {"name": "area", "possible_values": ["East", "west"]},
                    {"name": "people", "possible_values": ["2"]},
                ],
            }
        ],
    ],
)
def test_ontologies_in_three_formats(tmp_path: Path, document: object) -> None:
    path = tmp_path / "ontology.json"
    path.write_text(json.dumps(document), "utf-8")
    assert read_ontology(path) == {"area": ["east", "west"], "people": ["2"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the ontology has no values"),
        ('{"hotel-area": "east"}', "slot hotel-area: the values of 'hotel-area' must be a list"),
        ('{"hotel-area": [', "not valid JSON"),
        ("3", "an ontology must be an object"),
    ],
)
def test_invalid_ontology(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ontology.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"ontology\.json") as caught:
        read_ontology(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_ontology(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_ontology(tmp_path / "nothing.json")
