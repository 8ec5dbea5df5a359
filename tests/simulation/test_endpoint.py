"""Language models at an endpoint: a real local server with good and bad answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation
from dialmeter.simulation.bots import Role, choose
from dialmeter.simulation.play import Setting, Unfinished, play, sampled, write

from .chat_server import Answer, chat_server, saying

pytest.importorskip("httpx", reason="the extra llm is not installed")


def setting(role: Role, url: str, **dials: Any) -> Setting:
    model = choose("endpoint", role, {"url": url, "model": "tiny", "pause": 0.0, **dials})
    others = {"user": choose("agenda", "user"), "system": choose("rule", "system")}
    return Setting(**{**others, role: model}, seed=7, max_turns=6)


def first(role: Role, url: str, **dials: Any) -> Conversation:
    return next(play(sampled(1, 7), setting(role, url, **dials)))


def test_user_told_goal_and_leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-word")
    lines = ["I need a train from Dunmereth, to Saltmere.", "on thursday please, the train", "Goodbye."]
    with chat_server(lambda number, body: saying(lines[number])) as (url, asked):
        conversation = first("user", url, key="MY_KEY")
    assert [move.text for move in conversation.moves[::2]] == lines
    assert [(act.slot, act.values[0]) for act in conversation.moves[0].acts or ()] == [
        ("departure", "dunmereth"),
        ("destination", "saltmere"),
    ]
    assert [(act.slot, act.values[0]) for act in conversation.moves[2].acts or ()] == [("day", "thursday")]
    assert not conversation.cut
    prompt = asked[0].body["messages"][0]["content"]
    assert all(value in prompt for goal in (conversation.goal or {}).values() for value in goal.info.values())
    assert {each.path for each in asked} == {"/v1/chat/completions"}
    assert {each.key for each in asked} == {"Bearer secret-word"}
    assert [message["role"] for message in asked[-1].body["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert asked[-1].body["messages"][3]["content"] == conversation.moves[1].text


def test_system_sees_found() -> None:
    text = "I can recommend a place to stay called Otter House."
    with chat_server(lambda number, body: saying(text)) as (url, asked):
        conversation = first("system", url)
    assert [(act.name, act.values) for act in conversation.moves[1].acts or ()] == [
        ("Hotel-Recommend", ("otter house",))
    ]
    notes = asked[-1].body["messages"][-1]
    assert notes["role"] == "system"
    assert notes["content"].startswith("Notes:\ntrain: ")


def test_lasting_error_names_dialogue() -> None:
    with chat_server(lambda number, body: Answer(503)) as (url, asked), pytest.raises(DialmeterError) as refused:
        first("user", url, retries=1)
    assert str(refused.value) == f"dialogue town-7-0000: {url}/chat/completions: status 503 (2 tries)"
    assert len(asked) == 2


def test_played_before_error_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-word")
    path = tmp_path / "talk.jsonl"
    down = True

    def answer(number: int, body: dict[str, Any]) -> Answer:
        return Answer(503) if down and number >= 3 else saying("Goodbye.")

    with chat_server(answer) as (url, asked):
        how = setting("user", url, retries=0)
        with pytest.raises(Unfinished, match=r"dialogue town-7-0003: .*3 of 5 dialogues are done; the same command"):
            write(path, sampled(5, 7), how)
        assert asked[0].key == "Bearer secret-word"
        assert not [each.name for each in tmp_path.iterdir() if b"secret" in each.read_bytes()]
        down = False
        write(path, sampled(5, 7), how)
        assert len(asked) == 4 + 2
    assert path.read_bytes().count(b"\n") == 5
