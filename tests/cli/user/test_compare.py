"""``dialmeter user compare``: users on the same goals."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from dialmeter.model import Conversation

from ...users.talks import goal, system, talk, user
from ..invoke import call, checked, files_in
from ..user_samples import ASK, BOTH, HOTEL, PHONE, TALKS, users

FULL = [talk(HOTEL, BOTH, system("general-reqmore"), ASK, PHONE, name=f"d{number}") for number in range(12)]
"""A user that says everything in its goal."""
HASTY = [
    talk(HOTEL, user("Hotel-Inform area=east"), system("general-reqmore"), ASK, PHONE, name=each.id) for each in FULL
]
"""A user that forgets the stars."""
OTHER = goal(hotel={"info": {"area": "west", "stars": "4"}, "requests": ["phone"]})


def pair(folder: Path, second: list[Conversation] = HASTY) -> tuple[Path, Path]:
    return users(folder, FULL, "full.jsonl"), users(folder, second, "hasty.jsonl")


@pytest.mark.parametrize(
    "options",
    [[], ["--domain", "hotel"], ["--rules", "gcdf1-repo"], ["--ci", "0.9", "--resamples", "200", "--seed", "1"]],
    ids=" ".join,
)
def test_json_is_as_its_schema_says(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = checked(call(capsys, "user", "compare", *pair(tmp_path), "--json", *options), "user-compare")
    assert found["counts"] == {"dialogues": 12, "systems": 2}
    assert {each["system"] for each in found["scores"]} == {"full", "hasty"}
    [recall] = [each for each in found["versus"] if each["measure"] == "I-recall"]
    assert (recall["base"], recall["system"], recall["difference"]) == ("full", "hasty", -0.5)
    assert (recall["wins"], recall["ties"], recall["losses"]) == (0, 0, 12)
    assert recall["p_holm"] < 0.05
    [precision] = [each for each in found["versus"] if each["measure"] == "I-precision"]
    assert (precision["difference"], precision["p"]) == (0, 1)


def test_text_markdown_latex_and_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = pair(tmp_path)
    text = call(capsys, "user", "compare", *files).out
    assert "-50.00 **" in text
    assert "12 dialogues with the same goal for every user\nsignature  I-GCDF1,I-precision," in text
    markdown = call(capsys, "user", "compare", *files, "--as", "markdown").out
    assert "| I-recall | full |" in markdown
    assert "\n\nSignature: `I-GCDF1," in markdown
    latex = call(capsys, "user", "compare", *files, "--as", "latex").out
    assert r"$-$50.00\textsuperscript{**" in latex
    assert latex.splitlines()[-1].startswith("% signature  I-GCDF1,")
    table = call(capsys, "user", "compare", *files, "--as", "csv").out.splitlines()
    assert table[0] == (
        "user,domain,measure,value,low,high,n,unscored,reason,base,difference,difference_low,difference_high,"
        "p,p_holm,wins,ties,losses,signature"
    )
    assert len(table) == 13
    assert [line.split(",")[9] for line in table[1:]] == [""] * 6 + ["full"] * 6
    in_hotel = call(capsys, "user", "compare", *files, "--domain", "hotel").out
    assert in_hotel.startswith("WORSE: hasty is worse than full by 33.33 I-GCDF1.\n")
    assert "hasty against full: worse under I-GCDF1 (-33.33), I-recall (-50.00); cannot tell under" in in_hotel
    assert "\n\nin hotel\nmeasure " in in_hotel
    assert "\nP values are corrected by Holm over 6 tests (6 measures, 1 pair).\n" in in_hotel


def test_goals_that_differ_are_left_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    changed = [replace(each, goal=OTHER) if each.id in ("d0", "d5") else each for each in HASTY[:10]]
    added = talk(HOTEL, BOTH, system(""), name="extra")
    found = checked(call(capsys, "user", "compare", *pair(tmp_path, [*changed, added]), "--json"), "user-compare")
    assert found["counts"]["dialogues"] == 8
    notices = {each["code"]: (each["count"], each["where"]) for each in found["warnings"]}
    assert notices["alone"] == (3, ["d10", "d11", "extra"])
    assert notices["other-goal"] == (2, ["d0", "d5"])
    assert {each["n"] for each in found["scores"] if each["measure"] == "I-recall"} == {8}
    [recall] = [each for each in found["versus"] if each["measure"] == "I-recall"]
    assert (recall["difference"], recall["losses"]) == (-0.5, 8)


def test_few_dialogues_give_no_p_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = call(capsys, "user", "compare", *pair(tmp_path, HASTY[:3]), "--json")
    found = checked(result, "user-compare")
    assert {each["p"] for each in found["versus"]} == {None}
    assert "few-dialogues" in {each["code"] for each in found["warnings"]}


def test_three_users_with_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [*pair(tmp_path), users(tmp_path, FULL, "third.jsonl")]
    names = [word for name in ("ann", "bob", "cat") for word in ("--name", name)]
    found = checked(call(capsys, "user", "compare", *files, *names, "--json"), "user-compare")
    assert [each["system"] for each in found["versus"] if each["measure"] == "I-GCDF1"] == ["bob", "cat"]


def test_worse_users_fail(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = pair(tmp_path)
    result = call(capsys, "user", "compare", *files, "--fail-if-worse")
    assert result.code == 1
    assert result.complaint.startswith("hasty is worse than full under I-")
    assert call(capsys, "user", "compare", *reversed(files), "--fail-if-worse").code == 0


def test_warnings_name_the_user(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = [*HASTY, Conversation("empty", (), HOTEL)]
    result = call(capsys, "user", "compare", *pair(tmp_path, bad))
    assert result.code == 0
    assert "warning: hasty: 1 dialogues that cannot be scored [" in result.err


def test_a_chart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "user", "compare", *pair(tmp_path), "--charts", tmp_path / "charts").code == 0
    files = files_in(tmp_path / "charts")
    assert sorted(files) == ["ladder.csv", "ladder.svg", "users.csv", "users.svg"]
    assert b"hasty,I-recall,0.5," in files["users.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["full.jsonl"], "compare needs two files or more"),
        (["full.jsonl", "-"], "compare reads its files twice"),
        (["full.jsonl", "hasty.jsonl", "--name", "one"], "give --name once for each of the 2 files"),
        (["full.jsonl", "hasty.jsonl", "--name", "a", "--name", "a"], "two users are called 'a'"),
        (["full.jsonl", "full.jsonl"], "two users are called"),
        (["full.jsonl", "hasty.jsonl", "--domain", "spa"], "no domain 'spa'; known: combined, hotel"),
        (["full.jsonl", "others.jsonl"], "full and others have no dialogue with the same name and the same goal"),
        (["full.jsonl", "nowhere.jsonl"], "no such file"),
    ],
)
def test_comparisons_that_cannot_be_made(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair(tmp_path)
    users(tmp_path, TALKS, "others.jsonl")
    monkeypatch.chdir(tmp_path)
    result = call(capsys, "user", "compare", *words)
    assert result.code == 2
    assert message in result.complaint
