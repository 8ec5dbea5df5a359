"""Tests of older similarity measures: by hand, against other code, and notices for files that do not match."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from dialmeter.core.comparison import Resampling
from dialmeter.model import Act, Conversation, DomainGoal, Move
from dialmeter.users.analysis.distance import Distance, act_perplexity, paired_measures, score_divergences
from dialmeter.users.profile import named

from ...cli.invoke import call, checked

HOW = Resampling(resamples=300)


def acts(*slots: str) -> tuple[Act, ...]:
    return tuple(Act("Hotel-Inform", "hotel", slot, ("x",)) for slot in slots)


def make_conversation(name: str, *turns: str, replies: str = "Yes.", goal: str = "") -> Conversation:
    """Return a dialogue whose user names the given slots in each turn."""
    moves = [each for turn in turns for each in (Move("user", turn, acts(*turn.split())), Move("system", replies))]
    return Conversation(name, tuple(moves), {"hotel": DomainGoal(info={"area": goal})} if goal else None)


def measured(people: list[Conversation], bot: list[Conversation]) -> tuple[dict[str, Distance], dict[str, str]]:
    found, notices = paired_measures(people, bot, HOW)
    return {each.measure: each for each in found}, {each.code: each.message for each in notices}


def test_turns_in_same_context() -> None:
    people = [make_conversation("a", "area stars", "price"), make_conversation("b", "area area")]
    bot = [make_conversation("b", "area"), make_conversation("a", "area", "price name")]
    found, said = measured(people, bot)
    # The same acts: area, price and one of two areas; the simulated user has 4 acts, people have 5.
    assert found["TurnPrecision"].bot == pytest.approx(3 / 4)
    assert found["TurnRecall"].bot == pytest.approx(3 / 5)
    assert found["TurnF1"].bot == pytest.approx(6 / 9)
    low, high = found["TurnRecall"].ci or (0, 0)
    assert low == pytest.approx(1 / 2)
    assert high == pytest.approx(2 / 3)
    assert said == {}


def test_other_system_turn_not_compared() -> None:
    found, said = measured(
        [make_conversation("a", "area", "price")], [make_conversation("a", "area", "name", replies="No.")]
    )
    assert found["TurnF1"].bot == 1.0
    assert "compare 1 of 2 turns of people" in said["other-context"]


def test_other_dialogues_not_compared() -> None:
    people = [
        make_conversation("a", "area", goal="east"),
        make_conversation("b", "area", goal="east"),
        make_conversation("c", "area"),
    ]
    bot = [make_conversation("a", "area", goal="west"), make_conversation("b", "area", goal="east")]
    found, said = measured(people, bot)
    assert found["TurnF1"].bot == 1.0
    assert "2 of 3 dialogues of people are not in the file of the bot" in said["not-paired"]
    found, said = measured(people[:1], bot)
    assert found == {}
    assert "no dialogue with the same id and goal is in both files" in said["not-paired"]
    silent = [Conversation("a", (Move("user", "Hello."),))]
    found, said = measured(silent, silent)
    assert (found, "compare 0 of 1" in said["other-context"]) == ({}, True)


def test_bleu_against_sacrebleu() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics", reason="the extra references is not installed")
    people = [
        make_conversation("a", "area stars", "price", "name stay"),
        make_conversation("b", "area", "day people stay", "price"),
    ]
    bot = [
        make_conversation("a", "stars area", "price", "name"),
        make_conversation("b", "area", "day people", "price", "stay"),
    ]
    texts = [
        [" ".join(word for move in each.moves for word in sorted(act.slot for act in move.acts or ())) for each in side]
        for side in (people, bot)
    ]
    expected = metrics.BLEU(tokenize="none").corpus_score(texts[1], [texts[0]]).score / 100
    found = measured(people, bot)[0]["ActBLEU"]
    assert found.bot == pytest.approx(expected)
    assert 0 < expected < 1
    assert "tok:none" in found.signed[0]
    silent = Conversation("c", (Move("user", "Hello."),))
    assert measured([*people, silent], [*bot, silent])[0]["ActBLEU"].bot == found.bot
    assert "without 1 of 3 dialogues" in measured([*people, silent], [*bot, silent])[1]["no-acts"]
    assert found.ci is not None
    assert found.ci[0] <= expected <= found.ci[1]


def test_without_sacrebleu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    found, said = measured([make_conversation("a", "area")], [make_conversation("a", "area")])
    assert (list(found), said) == (
        ["TurnPrecision", "TurnRecall", "TurnF1"],
        {"no-sacrebleu": "ActBLEU needs an optional part: pip install 'dialmeter[references]'"},
    )


def test_cramer_von_mises() -> None:
    people, bot = [0.1, 0.2, 0.3, 0.4], [0.15, 0.35]
    # Below each score of people: (2i - 1) / 8 of people, and 0, 1/2, 1/2, 1 of the simulated user.
    sums = sum((one - two) ** 2 for one, two in zip((1 / 8, 3 / 8, 5 / 8, 7 / 8), (0, 1 / 2, 1 / 2, 1), strict=True))
    found = score_divergences({"I-GCDF1": (people, bot), "R-GCDF1": ([], [1.0])}, HOW, ("rules:x",))
    assert [each.measure for each in found] == ["CvM(I-GCDF1)"]
    assert found[0].difference == pytest.approx((48 / 63 * sums) ** 0.5)
    assert found[0].signed == ("rules:x",)
    same, far = (
        score_divergences({"I": ([0.1, 0.5, 0.5, 1.0] * 10, other)}, HOW)[0]
        for other in ([0.1, 0.5, 0.5, 1.0] * 5, [2.0] * 20)
    )
    assert (same.difference, same.p) == (0, 1)
    assert far.difference is not None
    assert far.chance is not None
    assert far.p is not None
    assert far.difference > 0.9
    assert far.chance < 0.5
    assert far.p < 0.01


def test_perplexity_by_hand() -> None:
    def conversation(name: str, asked: str, *said: str) -> Conversation:
        moves = Move("system", acts=(Act("Hotel-Request", "hotel", asked),)), Move("user", acts=acts(*said))
        return Conversation(name, moves)

    people = [conversation("a", "area", "area"), conversation("b", "area", "name"), Conversation("c", (Move("user"),))]
    bot = [conversation("x", "area", "area", "area"), conversation("y", "stars", "stars")]
    # The bot: p(area) = (2 + 2/3) / 5 and p(unknown) = (0 + 2/3) / 5; after "request area", area has 2 of 2 acts, of 1 kind.
    after_area = [(2 + 8 / 15) / 3, (0 + 2 / 15) / 3]
    [found], [unknown] = act_perplexity(people, bot, named("multiwoz"))
    assert found.bot == pytest.approx((after_area[0] * after_area[1]) ** -0.5)
    # Each dialogue of people under the other one: the act is unknown, p = (0 + 1/2) / 2, and after the request half of that.
    assert found.people == pytest.approx(8)
    assert found.difference == pytest.approx(found.bot - 8)
    assert (found.ci, found.p, unknown.count) == (None, None, 1)
    assert found.signed == ("profile:multiwoz", "order:2", "smoothing:witten-bell", "folds:2")
    # Equal ids are in one fold: a user like people has their perplexity.
    assert act_perplexity(people, people, named("multiwoz"))[0][0].difference == 0
    # The names of acts are those of the profile.
    spelt = [Conversation(each.id, tuple(map(lowered, each.moves))) for each in bot]
    assert act_perplexity(people, spelt, named("multiwoz"))[0][0].bot == found.bot
    for few in (people[:1], people[2:]):
        assert act_perplexity(few, bot, named("multiwoz")) == act_perplexity(people, few, named("multiwoz")) == ([], [])


def lowered(move: Move) -> Move:
    return replace(move, acts=tuple(replace(act, name=act.name.lower()) for act in move.acts or ()))


def test_command_and_its_citations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sacrebleu", reason="the extra references is not installed")
    files = []
    for user in ("agenda", "looping"):
        files.append(tmp_path / f"{user}.jsonl")
        assert call(capsys, "play", "--goals", "8", "--user", user, "--out", files[-1], "-q").code == 0
    words = ("study", "distance", *files, "--set", "profile=town")
    found = checked(call(capsys, *words, "-f", "json", "-q"), "study-distance-user")
    scores = {(each["measure"], each["system"]): each for each in found["scores"]}
    score = scores["TurnF1", "looping"]
    assert score["ci"][0] < score["value"] < score["ci"][1]
    assert scores["TurnF1", "agenda"]["value"] is None
    assert "|tok:none|" in scores["ActBLEU", "looping"]["signature"]
    assert "profile:town" in scores["CvM(I-GCDF1)", "looping"]["signature"]
    compared = {each["measure"] for each in found["distances"] if each["difference"] is not None}
    assert compared >= {"CvM(I-GCDF1)", "CvM(R-GCDF1)"}
    assert "|profile:town|order:2|smoothing:witten-bell|" in scores["ActPerplexity", "looping"]["signature"]
    assert {scores["ActPerplexity", user]["ci"] for user in ("agenda", "looping")} == {None}
    assert "TurnF1" not in compared
    assert "other-context" in {each["code"] for each in found["warnings"]}
    cited = call(capsys, "cite", "TurnF1", "ActBLEU", "CvM", "ActKL", "ActPerplexity").out
    for key in ("schatzmann-2005", "jung-2009", "papineni-2002", "williams-2007", "cuayahuitl-2005", "eckert-1997"):
        assert f"{{{key}," in cited


def test_dialogues_without_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for user in ("agenda", "looping"):
        files.append(tmp_path / f"{user}.jsonl")
        assert call(capsys, "play", "--goals", "4", "--user", user, "--out", files[-1], "-q").code == 0
        lines = [json.loads(line) for line in files[-1].read_text().splitlines()]
        files[-1].write_text(
            "".join(json.dumps({k: v for k, v in each.items() if k != "goal"}) + "\n" for each in lines)
        )
    done = call(capsys, "study", "distance", *files, "--set", "profile=town")
    assert done.code == 0
    assert "CvM(" not in done.out
    assert "agenda: 4 of 4 dialogues are unscored for CvM; first reason: " in done.err
