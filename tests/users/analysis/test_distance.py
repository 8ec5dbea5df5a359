"""Tests of distances to people: none for the same user, some for another user, and each measure detects its property."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.errors import DialmeterError
from dialmeter.model import Act, Conversation, Move
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.users.analysis.distance import Distance, distances

from ...cli.invoke import call, checked

HOW = Resampling(resamples=300)


def make_conversations(user: str, seed: int, count: int = 60) -> list[Conversation]:
    return list(play(sampled(count, seed=seed), Setting(choose(user, "user"), choose("rule", "system"), seed=seed)))


def by_name(people: list[Conversation], bot: list[Conversation]) -> dict[str, Distance]:
    return {each.measure: each for each in distances(people, bot, HOW)}


def test_two_samples_of_user() -> None:
    found = by_name(make_conversations("agenda", 1), make_conversations("agenda", 2))
    apart = [each.measure for each in found.values() if each.ci and not each.ci[0] <= 0 <= each.ci[1]]
    assert len(apart) <= 1
    assert all(each.p > 0.01 for each in found.values() if each.p is not None)


def test_hasty_and_patient_users() -> None:
    found = by_name(make_conversations("agenda", 1), make_conversations("hasty", 2))
    for name in ("Turns", "Vocabulary"):
        assert found[name].ci is not None
        assert found[name].ci[1] < 0


def make_conversation(*texts: str, acts: tuple[Act, ...] | None = None) -> Conversation:
    return Conversation(
        "d", tuple(move for text in texts for move in (Move("user", text, acts), Move("system", "Yes.")))
    )


def test_each_measure() -> None:
    area, stars = Act("Hotel-Inform", "hotel", "area", ("east",)), Act("Hotel-Inform", "hotel", "stars", ("4",))
    people = [make_conversation("Is it cheap?", "Fine, thanks.", acts=(area, stars))]
    bot = [make_conversation("I want it.", "I want it.", "I want it.", acts=(stars, area))]
    found = by_name(people, bot)
    values = {name: (each.people, each.bot) for name, each in found.items()}
    assert values["Turns"] == (2, 3)
    assert values["TurnLength"] == (2.5, 3)
    assert values["ActsPerTurn"] == (2, 2)
    assert values["Vocabulary"] == (5, 3)
    assert values["Distinct2"] == (1, pytest.approx(2 / 6))
    assert values["Repetitions"] == (0, pytest.approx(2 / 3))
    assert values["Questions"] == (0.5, 0)
    assert found["SlotOrder"].difference == 1.0
    assert found["ActKL"].difference == pytest.approx(0, abs=0.05)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for user in ("agenda", "looping"):
        files.append(tmp_path / f"{user}.jsonl")
        assert call(capsys, "play", "--goals", "8", "--user", user, "--out", files[-1], "-q").code == 0
    found = checked(call(capsys, "study", "distance", *files, "-f", "json", "-q"), "study-distance-user")
    assert [each["measure"] for each in found["distances"]][:2] == ["Turns", "TurnLength"]
    assert {each["system"] for each in found["scores"]} == {"agenda", "looping"}
    out = call(capsys, "study", "distance", *files, "-q").out
    assert out.startswith("looping differs from agenda in ")
    assert "Repetitions" in out
    three = call(capsys, "study", "distance", *files, files[0], "-q")
    assert (three.code, "takes two files" in three.err) == (2, True)
    with pytest.raises(DialmeterError, match="the dialogues of people have no user turns"):
        distances([], make_conversations("agenda", 1, 1), HOW)
