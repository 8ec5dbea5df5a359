"""``dialmeter user goals`` and ``user values``: goals and maps that people can edit and ``user score`` reads."""

from __future__ import annotations

import json
from pathlib import Path

from dialmeter.model import Conversation, Move

from ...shared_data import shared
from ...users.conversations import goal, make_conversation, system, user
from ..invoke import Cli
from ..user_samples import users

TASKMASTER = [
    {
        "conversation_id": "dlg-1",
        "utterances": [
            {"speaker": "USER", "text": "Hello."},
            {
                "speaker": "USER",
                "text": "A latte, please.",
                "segments": [{"text": "latte", "annotations": [{"name": "coffee.name.drink.accept"}]}],
            },
            {"speaker": "ASSISTANT", "text": "What size?"},
            {
                "speaker": "USER",
                "text": "A small one.",
                "segments": [{"text": "small", "annotations": [{"name": "coffee.size"}]}],
            },
            {"speaker": "ASSISTANT", "text": "Done."},
        ],
    }
]


def derived(cli: Cli, file: Path, out: Path, *words: str) -> dict[str, object]:
    cli("user", "goals", file, "--out", out, *words)
    return dict(json.loads(out.read_text()))


def test_schema_guided_dialogues(cli: Cli, tmp_path: Path) -> None:
    file = shared("data", "tracking", "sgd", "dialogues_001.json.gz")
    goals = tmp_path / "goals.json"
    assert len(derived(cli, file, goals, "--set", "profile=sgd")) == 128
    found = cli.json("score", file, "--goals", goals, "--set", "profile=sgd", "--set", "ci=0")
    scores = {each["measure"]: each["value"] for each in found["scores"] if each["domain"] == "combined"}
    assert found["counts"]["dialogues"] == 128
    assert scores["I-recall"] == scores["R-recall"] == 1
    assert scores["I-GCDF1"] > 0.95


def test_taskmaster_can_be_scored(cli: Cli, tmp_path: Path) -> None:
    file, goals, profile = tmp_path / "tm.json", tmp_path / "goals.json", tmp_path / "tm.toml"
    file.write_text(json.dumps(TASKMASTER))
    profile.write_text('domains = ["coffee"]\n[acts]\ninform = "^inform$"\nrequest = "^request$"\n')
    assert derived(cli, file, goals, "--set", f"profile={profile!s}") == {
        "dlg-1": {"coffee": {"info": {"name.drink": "latte", "size": "small"}}}
    }
    found = cli.json("score", file, "--goals", goals, "--set", f"profile={profile}", "--set", "ci=0")
    assert found["scores"][0]["value"] == 1


def test_goals_of_final_states(cli: Cli, tmp_path: Path) -> None:
    path, states = tmp_path / "talk.jsonl", tmp_path / "states.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    states.write_text(json.dumps({"dialogue_id": "d1", "turns": [{"gold": {"hotel-area": "east"}}]}))
    found = derived(cli, path, tmp_path / "goals.json", "--states", str(states))
    assert found == {"d1": {"hotel": {"info": {"area": "east"}}}}


def test_goals_printed_without_file(cli: Cli, tmp_path: Path) -> None:
    assert json.loads(cli("user", "goals", users(tmp_path)).out)


def test_nothing_to_derive_from(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    result = cli("user", "goals", path, code=2)
    assert ("no goals can be derived" in result.err, result.err.count("\n")) == (True, 1)
    out = tmp_path / "taken"
    out.write_text("")
    cli("user", "goals", users(tmp_path), "--out", out, code=2)


TALK = make_conversation(
    goal(restaurant={"info": {"food": "thai", "area": "centre"}}),
    user("Restaurant-Inform food=thai food | Restaurant-Inform area=centre"),
    system("Restaurant-Inform area=the centre | Restaurant-Request pricerange=?"),
    user("Restaurant-Inform food=thai food | Restaurant-Inform name=blue spice"),
    system("general-bye"),
)


def test_map_is_printed(cli: Cli, tmp_path: Path) -> None:
    assert json.loads(cli("user", "values", users(tmp_path, [TALK]), "--similarity", "0.6").out) == {
        "area": {"centre": ["centre", "the centre"]},
        "food": {"thai": ["thai", "thai food"]},
        "name": {"special_keys": {"not_in_goal": {"restaurant": {"blue spice": ["blue spice"]}}}},
    }


def test_from_dialogues_to_map_to_score(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    before = cli.json("score", file)["scores"][2]
    result = cli("user", "values", file, "--similarity", "0.6", "--out", values)
    assert result.out.splitlines()[2].split() == ["area", "1", "2", "0", "0"]
    assert result.out.endswith(f"\nNext: edit it, then run dialmeter user score {file} --map {values}\n")
    after = cli.json("score", file, "--set", f"map={values}")["scores"][2]
    assert before["measure"] == after["measure"] == "I-recall"
    assert before["value"] < after["value"] == 1


def test_edited_map(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    cli("user", "values", file, "--out", values)
    found = json.loads(values.read_text())
    assert found["food"]["special_keys"]["not_in_goal"] == {"restaurant": {"thai food": ["thai food"]}}
    found["food"] = {"thai": ["thai", "thai food"]}
    values.write_text(json.dumps(found))
    recall = cli.json("score", file, "--set", f"map={values}")["scores"][2]
    assert recall["value"] == 1


def test_ontology_adds_values(cli: Cli, tmp_path: Path) -> None:
    ontology = tmp_path / "ontology.json"
    ontology.write_text(json.dumps({"restaurant-semi-name": ["Blue Spice", "Red Spice"]}))
    assert json.loads(cli("user", "values", users(tmp_path, [TALK]), "--ontology", ontology).out)["name"] == {
        "blue spice": ["blue spice"],
        "red spice": ["red spice"],
    }


def test_ambiguous_forms_named(cli: Cli, tmp_path: Path) -> None:
    ontology = tmp_path / "ontology.json"
    ontology.write_text(json.dumps({"restaurant": {"name": ["blue spice house", "blue spice mouse"]}}))
    words = [users(tmp_path, [TALK]), "--ontology", ontology, "--similarity", "0.7", "--out", tmp_path / "map.json"]
    assert (
        "check name: 'blue spice' was assigned to 'blue spice house', but is also similar to 'blue spice mouse'"
        in cli("user", "values", *words).out
    )


def test_map_not_overwritten(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    values.write_text("edited by hand")
    assert (
        cli.refused("user", "values", file, "--out", values) == f"{values}: already exists; use --force to replace it"
    )
    assert values.read_text() == "edited by hand"
    cli("user", "values", file, "--out", values, "--force")
    assert json.loads(values.read_text())
    assert "cannot be written" in cli.refused("user", "values", file, "--out", tmp_path / "no" / "map.json")


def test_talk_without_values(cli: Cli, tmp_path: Path) -> None:
    assert "no map can be built" in cli.refused(
        "user", "values", users(tmp_path, [Conversation("d", (Move("user", "hello"),))])
    )
