"""Text that is not English: attacks, judges and readers of text say so instead of giving numbers without meaning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dialmeter.english import known_words
from dialmeter.errors import DialmeterError
from dialmeter.judges.attacks import Attack, Facet, Variant
from dialmeter.judges.builtin.ngram import NgramFluency
from dialmeter.judges.builtin.surface import ContextOverlap, Distinct, words
from dialmeter.judges.cases import Case, Place
from dialmeter.judges.scorer import attack_replies, score_judge
from dialmeter.model import USER, Conversation, Move, Step, TaskGoal, Trajectory
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.users.items.log_items import language_notices

from ...cli.invoke import Cli
from ...users.conversations import goal
from ...users.scoring import score_user

CHINESE = (
    ("我想在城东找一家便宜的酒店。", "好的，您打算住几晚？", "住３晚，两个人。", "已经为您订好了，祝您旅途愉快。"),
    ("请问附近有没有好吃的川菜馆？", "有一家在市中心，价格中等。", "请帮我订四个人的位子。", "订好了，还需要帮助吗？"),
    ("明天早上有去上海的火车吗？", "有的，八点半从南站出发。", "票价是多少？", "二等座一百二十元。"),
    ("我要一辆出租车去机场。", "请问您几点出发？", "下午两点。", "好的，司机会在门口等您。"),
    ("博物馆周一开门吗？", "周一不开门，周二到周日开放。", "门票多少钱？", "门票免费，但是需要预约。"),
    ("这家酒店有停车场吗？", "有的，而且是免费的。", "早餐包括在房费里吗？", "早餐每位三十元。"),
    ("我想换一个安静一点的房间。", "可以，我们给您换到五楼。", "谢谢，什么时候可以搬？", "现在就可以。"),
    ("请告诉我医院的电话号码。", "电话号码是零一二三四五。", "地址在哪里？", "在人民路二十号。"),
    ("有没有适合孩子玩的公园？", "城西有一个很大的公园。", "几点关门？", "晚上九点关门。"),
    ("我想取消昨天的预订。", "请告诉我您的预订号码。", "号码是七八九。", "已经取消了，欢迎下次再来。"),
)
TALKS = [
    Conversation(f"zh{number}", tuple(Move(("user", "system")[turn % 2], text) for turn, text in enumerate(texts)))
    for number, texts in enumerate(CHINESE)
]
ENGLISH = Conversation(
    "en",
    (Move("user", "Where is the inn that you told me of?"), Move("system", "The inn is in Mill Lane, near the river.")),
)


def written(folder: Path, talks: list[Conversation]) -> str:
    path = folder / "talks.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(talk)) for talk in talks))
    return str(path)


def test_no_attack_on_chinese(tmp_path: Path, cli: Cli) -> None:
    corpus, out = written(tmp_path, TALKS), tmp_path / "cases.jsonl"
    said = cli("judge", "attack", corpus, "--set", "light", "--out", out, code=2)
    [line] = said.err.splitlines()
    assert "none of 10 dialogues is English (fewer than 30 % of the words are common English words)" in line
    assert not out.exists()
    with pytest.raises(DialmeterError, match="none of 10 dialogues is English"):
        attack_replies(TALKS, light=True)


def test_chinese_dialogues_among_others(tmp_path: Path, cli: Cli) -> None:
    corpus, out = written(tmp_path, [*TALKS, ENGLISH]), tmp_path / "cases.jsonl"
    command = ["judge", "attack", corpus, "--set", "light", "--attack", "repetition:word", "-f", "json", "--out", out]
    document = json.loads(cli(*command).out)
    [notice] = [each for each in document["warnings"] if each["code"] == "not-english"]
    assert notice["count"] == 10
    assert "10 of 11 dialogues are not English (0 % of the words are common English words" in notice["message"]
    assert 10 in document["yields"][0]["reasons"].values()
    assert [json.loads(line)["source"]["dialogue"] for line in out.read_text("utf-8").splitlines()] == ["en"]


def test_own_attack_on_chinese() -> None:
    variant = Variant("twice", lambda snippet, _: 2 * snippet.reply.text, "Says the reply twice.")
    own = Attack(name="echo", facet="naturalness", expected="lower", help="", variants=(variant,))
    assert len(attack_replies(TALKS, [own], cases=10, light=True)) == 10


@pytest.mark.parametrize(
    ("judge", "facet"),
    [
        ("overlap", "coherence"),
        ("distinct", "naturalness"),
        ("ngram-fluency", "naturalness"),
        ("ngram-coherence", "coherence"),
    ],
)
def test_judges_of_words_read_letters_of_chinese(judge: str, facet: Facet) -> None:
    cases = [
        Case("speaker", "", talk.moves[:1], talk.moves[1].text, talk.moves[3].text, "lower", facet, Place(talk.id, 1))
        for talk in TALKS
    ]
    result = score_judge(cases, [judge])
    assert not result.silent
    assert any(cell.value is not None for cell in result.scores if cell.judge == judge)


def test_judges_of_words_on_chinese() -> None:
    context = (Move("user", "我想在城东找一家便宜的酒店。"),)
    right, wrong = ContextOverlap().score([(context, "城东有便宜的酒店。"), (context, "博物馆周一不开门。")])
    assert right > 0.5 > wrong == 0
    assert Distinct().score([((), "好好好好")]) < Distinct().score([((), "您打算住几晚")])
    corpus = [list(texts) for texts in CHINESE]
    good, bad = NgramFluency(corpus).score([((), "已经为您订好了"), ((), "了好订您为经已")])
    assert good > bad


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ไปโรงแรม", 8),
        ("ห้องว่าง", 6),
        ("कोई फर्क नहीं पड़ता", 4),
        ("لا يُهِمّ", 2),
        ("호텔을 찾아요", 2),
        ("ホテルを2泊", 6),
    ],
)
def test_words_by_script(text: str, expected: int) -> None:
    assert len(words(text)) == expected


@pytest.mark.parametrize("english", [True, False])
def test_warning_of_judges_that_know_only_english(english: bool) -> None:
    class Network:
        name, identity, higher_is_better, facets, scale = "network", "network 1", True, None, None

        def score(self, items: Sequence[Any]) -> list[float]:
            return [float(len(item.reply)) for item in items]

    judge = Network()
    judge.english = english  # type: ignore[attr-defined]
    cases = [
        Case(
            "speaker",
            "",
            talk.moves[:3],
            *(talk.moves[n].text for n in (1, 3)),
            "lower",
            "coherence",
            Place(talk.id, 1),
        )
        for talk in TALKS
    ]
    found = [each.message for each in score_judge(cases, [judge], ci=0).notices if each.code == "not-english"]
    assert len(found) == english
    assert all("network know only English" in message for message in found)


def test_reading_acts_from_chinese_text() -> None:
    chinese = Conversation("zh", TALKS[0].moves, goal(hotel={"info": {"area": "east"}}))
    [notice] = [each for each in score_user([chinese], from_text=True, ci=0).notices if each.code == "not-english"]
    assert notice.where == ("zh: 0 % of the words are common English words",)


def test_labels_of_chinese_dialogues(tmp_path: Path, cli: Cli) -> None:
    east = goal(hotel={"info": {"area": "east"}})
    corpus = written(tmp_path, [Conversation(talk.id, talk.moves, east) for talk in TALKS])
    said = cli("study", "audit", corpus)
    assert "10 of 10 dialogues are not English (0 % of the words are common English words" in said.err


def test_items_of_an_instruction_in_spanish() -> None:
    instruction = "Usted es Ana García y quiere cambiar su vuelo a Sevilla; su código de reserva es ZFA04Y."
    said = Step(0, USER, "I want to change my flight to Seville, and my code is ZFA04Y.")
    [notice] = language_notices([Trajectory(id="1:0", task="1", steps=(said,), goal=TaskGoal(instruction, ()))])
    assert "1 of 1 dialogues are not English" in notice.message


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("I want a cheap hotel in the east. Is there one with free parking, please?", True),
        ("Ich möchte ein Zimmer für zwei Nächte in der Stadt, es soll günstig sein und im Osten liegen.", False),
        ("Quiero un hotel barato en el centro, no me importa el tipo. ¿Hay uno que tenga wifi?", False),
        ("Cambridge Belfry", True),  # too short to tell
    ],
)
def test_share_of_known_words(text: str, english: bool) -> None:
    assert known_words([text]).is_english is english
