"""``--dry-run`` of every command that calls language models: nothing is sent, and a real run sends the estimated requests."""

from __future__ import annotations

import json
import shlex
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
from .invoke import Cli, files_in, set_place
from .samples import written
from .user_samples import TALKS, silent, users

pytest.importorskip("httpx", reason="the extra llm is not installed")

ROLES = ("user", "assistant") * 2
SCORE, ACTS = '{"score": 4}', '{"informs": [], "requests": []}'
PLAY = "play --user endpoint --goals 2 --set max-turns=3 --workers 1 --out played.jsonl --quiet"
PEOPLE = "score ratings.jsonl -j small=llm --set ci=0 --quiet"
READ = "score silent.jsonl --set acts=model --set missing=skip --workers 1 --quiet"
COMMANDS = {
    "judge explain cases.jsonl -j small=llm --quiet": SCORE,
    PEOPLE: SCORE,
    "score dialogues.jsonl --set ci=0 -j small=llm --quiet": SCORE,
    "score cases.jsonl -j small=llm --quiet": SCORE,
    'judge attack talk.jsonl --attack "llm(kind=clumsy)" -n 3 --set light --quiet --out attacked.jsonl': "",
    READ: ACTS,
}
"""Commands, and what the model answers; without an answer, a sentence about the reply."""


@pytest.fixture
def folder(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the commands read."""
    monkeypatch.chdir(tmp_path)
    said = ("Where is inn {}?", "The inn {} is in Mill Lane.", "Is it quiet?", "Yes, it is a quiet inn.")
    talks = [
        {
            "id": f"d{n}",
            "messages": [{"role": role, "content": text.format(n)} for role, text in zip(ROLES, said, strict=True)],
        }
        for n in range(6)
    ]
    rated_dialogues = [
        {
            "id": each.id,
            "turns": [{"speaker": move.speaker, "text": move.text} for move in each.moves],
            "ratings": each.ratings,
        }
        for each in dialogues()
    ]
    for name, rows in (("talk", talks), ("dialogues", rated_dialogues)):
        written(tmp_path / f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write_cases(tmp_path / "cases.jsonl", cases(("repetition",), count=1))
    write(rated(), tmp_path / "ratings.jsonl")
    log_file(tmp_path, "I am mia_li_3668. ###STOP###")
    users(tmp_path)
    users(tmp_path, map(silent, TALKS), "silent.jsonl")
    return tmp_path


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Callable[[Server], None]:
    """Let commands use a server."""
    return lambda server: set_place(
        monkeypatch, endpoint=server.url, model="small", price="in=1,out=2", no_cache="true"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_dry_run_requests(command: str, folder: Path, cli: Cli, place: Callable[[Server], None]) -> None:
    def reply(body: dict[str, Any], number: int) -> Reply:
        result = body["messages"][-1]["content"].partition("\nReply:\n")[2].partition("\n")[0]
        return saying(COMMANDS[command] or f"Is {result} of not")

    before = files_in(folder)
    with serve(reply) as server:
        place(server)
        words = shlex.split(command)
        text = cli(*words, "--dry-run").out
        assert server.asked == []
        assert files_in(folder) == before
        cli(*words)
    assert "nothing was sent" in text
    [line] = [line for line in text.splitlines() if " small " in line]
    calls, known, prompt_tokens, answer_tokens, cost = line.split()[-5:]
    assert (int(calls), int(known)) == (len(server.asked), 0)
    assert float(cost) == pytest.approx((int(prompt_tokens) + 2 * int(answer_tokens)) / 1e6, abs=1e-4)


@pytest.mark.parametrize("command", [PEOPLE, READ, PLAY])
def test_document(command: str, folder: Path, cli: Cli, place: Callable[[Server], None]) -> None:
    with serve(lambda body, number: saying(ACTS)) as server:
        place(server)
        words = shlex.split(command)
        found = cli.json(*words, "--dry-run")
        assert server.asked == []
    assert found["command"] == f"{words[0]} dry-run"
    [estimate] = found["estimates"].values()
    assert estimate["calls"] > 0
    assert found["cost"] == estimate["cost"] > 0


def test_prompts_of_rehearsal(folder: Path, cli: Cli, place: Callable[[Server], None]) -> None:
    """A model that answers like the stand-in gets as many requests as estimated. Only the wording of the system may differ."""
    cli(*["play", "--goals", "2", "--set", "max-turns=3", "--workers", "1", "--quiet", "--out", "stand-in.jsonl"])
    lines = [
        move.text for talk in open_conversations("stand-in.jsonl") for move in talk.moves if move.speaker == "user"
    ]
    with serve(lambda body, number: saying(lines[number])) as server:
        place(server)
        words = shlex.split(PLAY)
        told = cli.json(*words, "--dry-run")["estimates"]["endpoint-user(model=small) with rule"]
        cli(*words)
        asked = [each.body["messages"] for each in server.asked]
    assert told["calls"] == len(asked) == len(lines)
    assert told["prompt_tokens"] == pytest.approx(sum(map(estimate_tokens, asked)), rel=0.02)
