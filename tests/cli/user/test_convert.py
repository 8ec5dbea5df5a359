"""``dialmeter convert --to goals``, ``map`` and ``profile``: files that people can edit and ``score`` reads."""

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
    cli("convert", file, out, "--to", "goals", *words)
    return dict(json.loads(out.read_text()))


def test_schema_guided_dialogues(cli: Cli, tmp_path: Path) -> None:
    file = shared("data", "tracking", "sgd", "dialogues_001.json.gz")
    goals = tmp_path / "goals.json"
    assert len(derived(cli, file, goals, "--set", "profile=sgd")) == 128
    found = cli.json("score", file, "--gold", goals, "--set", "profile=sgd", "--set", "ci=0")
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
    found = cli.json("score", file, "--gold", goals, "--set", f"profile={profile}", "--set", "ci=0")
    assert found["scores"][0]["value"] == 1


def test_goals_of_final_states(cli: Cli, tmp_path: Path) -> None:
    path, states = tmp_path / "talk.jsonl", tmp_path / "states.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    states.write_text(json.dumps({"dialogue_id": "d1", "turns": [{"gold": {"hotel-area": "east"}}]}))
    found = derived(cli, path, tmp_path / "goals.json", "--set", f"states={states}")
    assert found == {"d1": {"hotel": {"info": {"area": "east"}}}}


def test_goals_printed_without_file(cli: Cli, tmp_path: Path) -> None:
    assert json.loads(cli("convert", users(tmp_path), "-", "--to", "goals").out)


def test_nothing_to_derive_from(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": [{"speaker": "user", "text": "East."}]}))
    result = cli("convert", path, "-", "--to", "goals", code=2)
    assert ("no goals can be derived" in result.err, result.err.count("\n")) == (True, 1)
    out = tmp_path / "taken"
    out.write_text("")
    cli("convert", users(tmp_path), out, "--to", "goals", code=2)


TALK = make_conversation(
    goal(restaurant={"info": {"food": "thai", "area": "centre"}}),
    user("Restaurant-Inform food=thai food | Restaurant-Inform area=centre"),
    system("Restaurant-Inform area=the centre | Restaurant-Request pricerange=?"),
    user("Restaurant-Inform food=thai food | Restaurant-Inform name=blue spice"),
    system("general-bye"),
)


def test_map_is_printed(cli: Cli, tmp_path: Path) -> None:
    assert json.loads(cli("convert", users(tmp_path, [TALK]), "-", "--to", "map", "--set", "similarity=0.6").out) == {
        "area": {"centre": ["centre", "the centre"]},
        "food": {"thai": ["thai", "thai food"]},
        "name": {"special_keys": {"not_in_goal": {"restaurant": {"blue spice": ["blue spice"]}}}},
    }


def test_from_dialogues_to_map_to_score(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    before = cli.json("score", file)["scores"][2]
    result = cli("convert", file, values, "--to", "map", "--set", "similarity=0.6")
    assert result.err.splitlines() == [
        f"{values}: 3 slots, 2 values with 4 forms, 1 values that are in no goal, 0 doubtful forms",
        f"next  edit it, then run dialmeter score {file} --set map={values}",
    ]
    after = cli.json("score", file, "--set", f"map={values}")["scores"][2]
    assert before["measure"] == after["measure"] == "I-recall"
    assert before["value"] < after["value"] == 1


def test_edited_map(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    cli("convert", file, values, "--to", "map")
    found = json.loads(values.read_text())
    assert found["food"]["special_keys"]["not_in_goal"] == {"restaurant": {"thai food": ["thai food"]}}
    found["food"] = {"thai": ["thai", "thai food"]}
    values.write_text(json.dumps(found))
    recall = cli.json("score", file, "--set", f"map={values}")["scores"][2]
    assert recall["value"] == 1


def test_ambiguous_forms_named(cli: Cli, tmp_path: Path) -> None:
    ontology = tmp_path / "ontology.json"
    ontology.write_text(json.dumps({"restaurant": {"name": ["blue spice house", "blue spice mouse"]}}))
    words = [tmp_path / "map.json", "--to", "map", "--set", f"schema={ontology}", "--set", "similarity=0.7"]
    assert (
        "check name: 'blue spice' was assigned to 'blue spice house', but is also similar to 'blue spice mouse'"
        in cli("convert", users(tmp_path, [TALK]), *words).err
    )


def test_map_not_overwritten(cli: Cli, tmp_path: Path) -> None:
    file, values = users(tmp_path, [TALK]), tmp_path / "map.json"
    values.write_text("edited by hand")
    assert cli.refused("convert", file, values, "--to", "map") == f"{values}: already exists; use --force to replace it"
    assert values.read_text() == "edited by hand"
    cli("convert", file, values, "--to", "map", "--force")
    assert json.loads(values.read_text())
    assert "cannot be written" in cli.refused("convert", file, tmp_path / "no" / "map.json", "--to", "map")


def test_talk_without_values(cli: Cli, tmp_path: Path) -> None:
    assert "no map can be built" in cli.refused(
        "convert", users(tmp_path, [Conversation("d", (Move("user", "hello"),))]), "-", "--to", "map"
    )


def test_profile_to_edit(cli: Cli, tmp_path: Path) -> None:
    """The profile is that of --set profile; acts and services that it does not know are comments."""
    file, profile = users(tmp_path), tmp_path / "own.toml"
    result = cli("convert", file, profile, "--to", "profile", "--set", "profile=sgd")
    assert result.err == f"{profile}: profile sgd; unknown: 10 acts, 4 services\n"
    lines = profile.read_text().splitlines()
    assert lines[0].startswith("# unknown acts: ")
    assert "Hotel-Inform (" in lines[0]
    assert lines[1].startswith("# unknown services: ")
    scores = [cli.json("score", file, "--set", f"profile={each}")["scores"] for each in (profile, "sgd")]
    own, shipped = ([each["value"] for each in listed] for listed in scores)
    assert own == shipped
    known = cli("convert", file, "-", "--to", "profile").out
    assert not known.startswith("#")
