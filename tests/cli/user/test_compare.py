"""``dialmeter compare`` of users: users on the same goals."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from dialmeter.model import Conversation

from ...users.conversations import goal, make_conversation, system, user
from ..invoke import Cli
from ..user_samples import ASK, BOTH, HOTEL, PHONE, users

FULL = [
    make_conversation(HOTEL, BOTH, system("general-reqmore"), ASK, PHONE, name=f"d{number}") for number in range(12)
]
"""A user that says everything in its goal."""
HASTY = [
    make_conversation(HOTEL, user("Hotel-Inform area=east"), system("general-reqmore"), ASK, PHONE, name=each.id)
    for each in FULL
]
"""A user that forgets the stars."""
OTHER = goal(hotel={"info": {"area": "west", "stars": "4"}, "requests": ["phone"]})


def pair(folder: Path, second: list[Conversation] = HASTY) -> tuple[Path, Path]:
    return users(folder, FULL, "full.jsonl"), users(folder, second, "hasty.jsonl")


def test_different_goals_unscored(cli: Cli, tmp_path: Path) -> None:
    changed = [replace(each, goal=OTHER) if each.id in ("d0", "d5") else each for each in HASTY[:10]]
    added = make_conversation(HOTEL, BOTH, system(""), name="extra")
    found = cli.json("compare", *pair(tmp_path, [*changed, added]), "-m", "I-recall", "-m", "I-GCDF1")
    assert found["counts"]["dialogues"] == 8
    notices = {each["code"]: (each["count"], each["where"]) for each in found["warnings"]}
    assert notices["alone"] == (3, ["d10", "d11", "extra"])
    assert notices["other-goal"] == (2, ["d0", "d5"])
    assert {each["n"] for each in found["scores"] if each["measure"] == "I-recall"} == {8}
    [recall] = [each for each in found["versus"] if each["measure"] == "I-recall"]
    assert (recall["difference"], recall["worse"]) == (-0.5, 8)


def test_three_users_with_names(cli: Cli, tmp_path: Path) -> None:
    files = [*pair(tmp_path), users(tmp_path, FULL, "third.jsonl")]
    named = [f"{name}={file}" for name, file in zip(("ann", "bob", "cat"), files, strict=True)]
    found = cli.json("compare", *named)
    assert [each["system"] for each in found["versus"] if each["measure"] == "I-GCDF1"] == ["bob", "cat"]


def test_worse_users_fail(cli: Cli, tmp_path: Path) -> None:
    files = pair(tmp_path)
    result = cli("compare", *files, "--fail-if", "worse", code=1)
    assert result.complaint.startswith("hasty is worse than full under I-")
    cli("compare", *reversed(files), "--fail-if", "worse")


def test_warnings_name_user(cli: Cli, tmp_path: Path) -> None:
    bad = [*HASTY, Conversation("empty", (), HOTEL)]
    assert "warning: hasty: 1 dialogues that cannot be scored [" in cli("compare", *pair(tmp_path, bad)).err


def test_measures_of_one_domain(cli: Cli, tmp_path: Path) -> None:
    """The first measure is that of the verdict, and only the requested measures are tested."""
    files = pair(tmp_path)
    found = cli.json("compare", *files, "-m", "I-recall[hotel]", "-m", "R-GCDF1")
    assert [each["measure"] for each in found["versus"]] == ["I-recall[hotel]", "R-GCDF1"]
    assert [(each["measure"], each["domain"], each["system"]) for each in found["scores"]] == [
        ("I-recall", "hotel", "full"),
        ("R-GCDF1", "combined", "full"),
        ("I-recall", "hotel", "hasty"),
        ("R-GCDF1", "combined", "hasty"),
    ]
    assert found["ladder"][0]["measure"] == "I-recall[hotel]"
    assert len(cli.json("compare", *files, "-m", "all")["versus"]) == 6
    assert "no domain 'hotels'; did you mean hotel" in cli.refused("compare", *files, "-m", "I-GCDF1[hotels]")
    assert "there is no measure 'I-GCDF' of users" in cli.refused("compare", *files, "-m", "I-GCDF")


def test_chosen_dialogues(cli: Cli, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("d1\nd2\nd7\n")
    assert cli.json("compare", *pair(tmp_path), "--only", ids)["counts"]["dialogues"] == 3
    assert cli.json("compare", *pair(tmp_path, HASTY[:9]), "--only", "common")["counts"]["dialogues"] == 9
