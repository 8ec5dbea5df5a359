"""``check --set acts=READER``, and scores from text with the measured accuracy of the reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.model import Conversation, Move
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.simulation.understand import TownMaker

from ...simulation.chat_server import chat_server, saying
from ..invoke import Cli
from ..user_samples import TALKS, users


def spoken(folder: Path, conversations: list[Conversation] = TALKS) -> Path:
    """Write the texts of dialogues without acts."""
    file = folder / "spoken.jsonl"
    bare = [
        Conversation(
            conversation.id,
            tuple(Move(move.speaker, move.text or "East, please.") for move in conversation.moves),
            conversation.goal,
        )
        for conversation in conversations
    ]
    file.write_text("".join(json.dumps(conversation_to_dict(conversation)) + "\n" for conversation in bare))
    return file


def test_dialogues_without_acts(cli: Cli, tmp_path: Path) -> None:
    """There is nothing to compare with, so the file is checked as usual."""
    found = cli.json("check", spoken(tmp_path), "--set", "acts=rules")
    assert (found["valid"], "reader" in found) == (True, False)
    assert "from-text" in {each["code"] for each in found["warnings"]}


def test_reading_quality_with_scores(cli: Cli, tmp_path: Path) -> None:
    accuracy = tmp_path / "accuracy.json"
    accuracy.write_text(cli("check", users(tmp_path), "--set", "acts=rules", "-f", "json").out)
    text = spoken(tmp_path)
    plain = cli.json("score", text, "--set", "acts=rules")
    measured = cli.json("score", text, "--set", f"acts=rules(accuracy={accuracy})")
    [unmeasured], [notice] = (
        [each["message"] for each in found["warnings"] if each["code"] == "from-text"] for found in (plain, measured)
    )
    assert "by rules; accuracy was not measured" in unmeasured
    assert json.loads(accuracy.read_text())["accuracy"] in notice
    assert all("|from:text(rules)|" in each["signature"] for each in measured["scores"])


def test_accuracy_and_model_need_more(cli: Cli, tmp_path: Path) -> None:
    file = users(tmp_path)
    assert "no such reader; known: model, rules, town" in cli.refused("score", file, "--set", "acts=people")
    assert "write acts=rules, or acts=rules(accuracy=FILE)" in cli.refused("score", file, "--set", "acts=rules(x=1)")
    assert "needs the environment variables DIALMETER_ENDPOINT" in cli.refused("score", file, "--set", "acts=model")
    twice = cli.refused("check", file, "--set", "acts=rules(accuracy=x.json)")
    assert twice == "`dialmeter check` measures the accuracy of the reader; write --set acts=rules"
    other = tmp_path / "other.json"
    other.write_text(cli("check", file, "--set", "acts=town", "--set", "profile=town", "-f", "json").out)
    wrong = cli.refused("score", file, "--set", f"acts=rules(accuracy={other})")
    assert wrong == f"{other}: the accuracy is of the reader town, not of rules"
    other.write_text(cli("check", file, "-f", "json").out)
    assert "expected the output of `dialmeter check FILE --set acts=READER -f json`" in cli.refused(
        "score", file, "--set", f"acts=rules(accuracy={other})"
    )


def test_findings_kept_and_shown(cli: Cli, tmp_path: Path) -> None:
    run = tmp_path / "run"
    cli("score", spoken(tmp_path), "--set", "acts=rules", "--out", run)
    rows = list(open_run(run))
    assert {move["read_by"] for row in rows for move in row["talk"]} == {"rules"}
    assert any(move.get("acts") for row in rows for move in row["talk"])
    shown = cli("find", run, TALKS[0].id).out
    assert "in the text " in shown
    assert "(found by rules)" in shown
    cli("report", run)
    page = (run / "report.html").read_text()
    assert 'class="cells found"' in page
    assert "read from the text by rules" in page


def test_language_model_reads(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    with chat_server(lambda *_: saying('{"informs": [], "requests": []}')) as (url, asked):
        monkeypatch.setenv("DIALMETER_ENDPOINT", url)
        monkeypatch.setenv("DIALMETER_MODEL", "tiny")
        monkeypatch.setenv("DIALMETER_CACHE", str(tmp_path / "answers"))
        found = cli.json("score", spoken(tmp_path), "--set", "acts=model", "--workers", "1")
    assert asked
    assert "|from:text(tiny)|" in found["scores"][0]["signature"]


def test_word_only_agents(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The acts that the town's reader finds in the text of an agent are reported in play and in scoring."""
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    file = tmp_path / "played.jsonl"
    with chat_server(lambda *_: saying("I need a train. Goodbye.")) as (url, _):
        monkeypatch.setenv("DIALMETER_ENDPOINT", url)
        monkeypatch.setenv("DIALMETER_MODEL", "tiny")
        words = ["--user", "endpoint", "--goals", "2", "--set", "max-turns=2"]
        played = cli.json("play", *words, "--workers", "1", "--out", file)
    [notice] = [each for each in played["warnings"] if each["code"] == "from-text"]
    assert "from:text(town)" in notice["message"]
    assert "its accuracy was not measured" in notice["message"]
    scored = cli.json("score", file, "--set", "profile=town")
    assert "|from:text(town)|" in scored["scores"][0]["signature"]
    assert any(each["code"] == "from-text" for each in scored["warnings"])


def test_town_reads_its_own_templates() -> None:
    assert TownMaker().acts(Move("user", "I need a train to Tolderby."), None)[0].values == ("tolderby",)
