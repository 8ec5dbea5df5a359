"""``dialmeter user compare``: users on the same goals."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from dialmeter.model import Conversation

from ...users.conversations import goal, make_conversation, system, user
from ..invoke import Cli, checked
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
    found = cli.json("compare", *pair(tmp_path, [*changed, added]))
    assert found["counts"]["dialogues"] == 8
    notices = {each["code"]: (each["count"], each["where"]) for each in found["warnings"]}
    assert notices["alone"] == (3, ["d10", "d11", "extra"])
    assert notices["other-goal"] == (2, ["d0", "d5"])
    assert {each["n"] for each in found["scores"] if each["measure"] == "I-recall"} == {8}
    [recall] = [each for each in found["versus"] if each["measure"] == "I-recall"]
    assert (recall["difference"], recall["losses"]) == (-0.5, 8)


def test_few_dialogues_no_p(cli: Cli, tmp_path: Path) -> None:
    result = cli("compare", *pair(tmp_path, HASTY[:3]), "-f", "json")
    found = checked(result, "user-compare")
    assert {each["p"] for each in found["versus"]} == {None}
    assert "few-dialogues" in {each["code"] for each in found["warnings"]}


def test_three_users_with_names(cli: Cli, tmp_path: Path) -> None:
    files = [*pair(tmp_path), users(tmp_path, FULL, "third.jsonl")]
    names = [word for name in ("ann", "bob", "cat") for word in ("--name", name)]
    found = cli.json("compare", *files, *names)
    assert [each["system"] for each in found["versus"] if each["measure"] == "I-GCDF1"] == ["bob", "cat"]


def test_worse_users_fail(cli: Cli, tmp_path: Path) -> None:
    files = pair(tmp_path)
    result = cli("compare", *files, "--fail-if", "worse", code=1)
    assert result.complaint.startswith("hasty is worse than full under I-")
    cli("compare", *reversed(files), "--fail-if", "worse")


def test_warnings_name_user(cli: Cli, tmp_path: Path) -> None:
    bad = [*HASTY, Conversation("empty", (), HOTEL)]
    assert "warning: hasty: 1 dialogues that cannot be scored [" in cli("compare", *pair(tmp_path, bad)).err
