"""``--dry-run`` of every command that calls language models: nothing is sent, and a real run sends the estimated requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.endpoint import estimate_tokens
from dialmeter.readers.conversations import open_conversations

from ..judges.chat_server import Reply, Server, saying, serve
from ..judges.made import cases, write_cases
from ..judges.people.test_people import dialogues, rated, write
from ..users.items.test_items import log_file
from .invoke import Cli
from .user_samples import TALKS, silent, users

pytest.importorskip("httpx", reason="the extra llm is not installed")

Words = list[Any]


def model(server: Server) -> Words:
    return ["--endpoint", server.url, "--model", "small", "--price", "in=1,out=2", "--quiet"]


def talk_file(folder: Path) -> Path:
    result = ["Where is inn {}?", "The inn {} is in Mill Lane.", "Is it quiet?", "Yes, it is a quiet inn."]
    rows = [
        {
            "id": f"d{number}",
            "messages": [
                {"role": ("user", "assistant")[turn % 2], "content": text.format(number)}
                for turn, text in enumerate(result)
            ],
        }
        for number in range(6)
    ]
    (folder / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "talk.jsonl"


def explain(folder: Path, server: Server) -> Words:
    write_cases(folder / "cases.jsonl", cases(("repetition",), count=1))
    return ["judge", "explain", folder / "cases.jsonl", *model(server)]


def bench(folder: Path, server: Server) -> Words:
    return ["judge", "bench", "run", folder / "set.jsonl", "--out", folder / "submissions", *model(server)]


def human(folder: Path, server: Server) -> Words:
    return ["judge", "human", write(rated(), folder / "ratings.jsonl"), "--ci", "0", *model(server)]


def human_of_dialogues(folder: Path, server: Server) -> Words:
    rows = [
        {
            "id": item.id,
            "turns": [{"speaker": move.speaker, "text": move.text} for move in item.moves],
            "ratings": item.ratings,
        }
        for item in dialogues()
    ]
    (folder / "ratings.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judge = f"mine=llm(endpoint={server.url}, model=small)"
    return ["judge", "human", folder / "ratings.jsonl", "--ci", "0", "--judge", judge, "--quiet"]


def attack(folder: Path, server: Server) -> Words:
    words = ["judge", "attack", talk_file(folder), "--attack", f"llm(endpoint={server.url}, model=small, kind=clumsy)"]
    words += ["--cases", "3", "--light", "--no-cache", "--out", folder / "cases.jsonl"]
    return [*words, "--price", "in=1,out=2", "--quiet"]


def goals(folder: Path, server: Server) -> Words:
    log = log_file(folder, "I am mia_li_3668. ###STOP###")
    return ["user", "goals", log, "--make-sheets", folder / "goals.csv", *model(server)]


def score(folder: Path, server: Server) -> Words:
    file = users(folder, [silent(talk) for talk in TALKS])
    return ["user", "score", file, "--from-text", "--reader", "model", "--skip-bad", "--workers", "1", *model(server)]


def understand(folder: Path, server: Server) -> Words:
    return ["user", "understand", users(folder), "--reader", "model", *model(server)]


def play(folder: Path, server: Server) -> Words:
    words = ["user", "play", "--user", "endpoint", "--goals", "2", "--max-turns", "3", "--out", folder / "talk.jsonl"]
    return [*words, "--workers", "1", *model(server)]


def cross(folder: Path, server: Server) -> Words:
    words = ["user", "cross", "--user", "agenda", "--system", "rule", "--system", "endpoint", "--goals", "2"]
    return [*words, "--max-turns", "3", "--workers", "1", "--ci", "0", *model(server)]


SCORE, ITEMS, ACTS = '{"score": 4}', '{"items": []}', '{"informs": [], "requests": []}'


@pytest.mark.parametrize(
    ("words_of", "answer"),
    [
        (explain, SCORE),
        (bench, SCORE),
        (human, SCORE),
        (human_of_dialogues, SCORE),
        (attack, ""),
        (goals, ITEMS),
        (score, ACTS),
        (understand, ACTS),
    ],
)
def test_real_run_sends_what_dry_run_says(
    words_of: Callable[[Path, Server], Words], answer: str, tmp_path: Path, cli: Cli
) -> None:
    def reply(body: dict[str, Any], number: int) -> Reply:
        result = body["messages"][-1]["content"].partition("\nReply:\n")[2].partition("\n")[0]
        return saying(answer or f"Is {result} of not")

    made = ["--attack", "repetition", "--cases", "4", "--light", "--out", tmp_path / "set.jsonl", "--quiet"]
    cli("judge", "bench", "make", talk_file(tmp_path), *made)
    before = {path.name for path in tmp_path.iterdir()} - {"set.jsonl"}
    with serve(reply) as server:
        words = words_of(tmp_path, server)
        text = cli(*words, "--dry-run").out
        assert server.asked == []
        inputs = {"cases.jsonl", "ratings.jsonl", "log.json", "users.jsonl", "set.jsonl"}
        assert {path.name for path in tmp_path.iterdir()} <= before | inputs
        cli(*words)
    assert "nothing was sent" in text
    [line] = [line for line in text.splitlines() if " small " in line]
    calls, known, prompt_tokens, answer_tokens, cost = line.split()[-5:]
    assert (int(calls), int(known)) == (len(server.asked), 0)
    if "--price" in words:
        assert float(cost) == pytest.approx((int(prompt_tokens) + 2 * int(answer_tokens)) / 1e6, abs=1e-4)


@pytest.mark.parametrize("words_of", [human, understand, play, cross])
def test_document(words_of: Callable[[Path, Server], Words], tmp_path: Path, cli: Cli) -> None:
    with serve(lambda body, number: saying(ACTS)) as server:
        words = words_of(tmp_path, server)
        found = cli.json(*words, "--dry-run")
        assert server.asked == []
    assert found["command"] == f"{words[0]} {words[1]} dry-run"
    [estimate] = found["estimates"].values()
    assert estimate["calls"] > 0
    assert found["cost"] == estimate["cost"] > 0


def test_prompts_of_rehearsal(tmp_path: Path, cli: Cli) -> None:
    """A model that answers like the stand-in gets as many requests as estimated. Only the wording of the system may differ."""
    first = ["user", "play", "--goals", "2", "--max-turns", "3", "--workers", "1", "--quiet"]
    cli(*first, "--out", tmp_path / "stand-in.jsonl")
    talks = open_conversations(tmp_path / "stand-in.jsonl")
    lines = [move.text for talk in talks for move in talk.moves if move.speaker == "user"]
    with serve(lambda body, number: saying(lines[number])) as server:
        words = play(tmp_path, server)
        told = cli.json(*words, "--dry-run")["estimates"]["endpoint-user(model=small) with rule"]
        cli(*words)
        asked = [each.body["messages"] for each in server.asked]
    assert told["calls"] == len(asked) == len(lines)
    assert told["prompt_tokens"] == pytest.approx(sum(map(estimate_tokens, asked)), rel=0.02)
