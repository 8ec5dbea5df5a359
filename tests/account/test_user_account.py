"""The account of users, and of simulated dialogues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.users.scorer import score_user

from ..cli.invoke import Cli
from ..cli.user_samples import TALKS, users

MUTE = """
class Mute:
    def init_session(self, *given): pass
    def response(self, *given): return ""
    def is_terminated(self): return True

mute = Mute()
"""


def with_a_bad_one(folder: Path) -> Path:
    """Write the users' file with one more dialogue that has no goal."""
    file = users(folder)
    line = json.loads(file.read_text("utf-8").splitlines()[0])
    del line["goal"]
    file.write_text(file.read_text("utf-8") + json.dumps({**line, "dialogue_id": "bad"}) + "\n", "utf-8")
    return file


def test_a_dialogue_that_cannot_be_scored(tmp_path: Path, cli: Cli) -> None:
    file, run = with_a_bad_one(tmp_path), tmp_path / "run"
    said = cli("user", "score", file, "--skip-bad", "--out", run)
    line = "5 dialogues requested, 5 found, 4 scored, 1 unscored: 1 no goal; a user is scored against its goal (bad)"
    assert f"\n{line}\n\nsignature" in said.out
    found = cli.json("user", "score", file, "--skip-bad")
    assert found["account"] == json.loads((run / "run.json").read_bytes())["account"]
    assert all("|scored:4/5|d:4|" in score["signature"] for score in found["scores"])
    cli("user", "score", file, code=2)
    assert f"\naccount: {line}\nnot ready to be scored\n" in cli("user", "check", file, code=2).out
    # The run has the same account, and commands that read the run show it.
    for command in ("query", "patterns"):
        assert line in cli("user", command, run).out
        document = cli.json("user", command, run)
        assert document["account"] == found["account"]


def test_comparing_asks_for_the_goals_that_all_have(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "other").mkdir()
    file, other = with_a_bad_one(tmp_path), users(tmp_path / "other")
    said = cli("user", "compare", file, other, "--name", "a", "--name", "b")
    assert "warning: a: 1 dialogues that cannot be scored [" in said.err
    assert "\neach of 2: 4 of 4 dialogues scored\n" in said.out
    assert "|only:" in said.out
    found = cli.json("user", "compare", file, other, "--name", "a", "--name", "b")
    assert (found["account"]["asked"], list(found["accounts"])) == (8, ["a", "b"])


def test_python() -> None:
    assert score_user(TALKS, ci=0).account.line == "4 of 4 dialogues scored"


@pytest.fixture
def mute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mute_agent.py").write_text(MUTE)
    monkeypatch.syspath_prepend(tmp_path)
    return "mute_agent:mute"


@pytest.mark.parametrize("side", ["user", "system"])
def test_an_agent_that_says_nothing(side: str, mute: str, tmp_path: Path, cli: Cli) -> None:
    """A bug gave exit code 0 and a file of empty turns."""
    words = ["--goals", "3", "--workers", "1", "--quiet", f"--{side}", mute]
    complaint = cli.refused("user", "play", *words, "--out", tmp_path / "talk.jsonl")
    assert "none of 3 dialogues was played: 3 in which the " in complaint
    assert "none of 3 dialogues was played: " in cli.refused("user", "cross", *words)


def test_dialogues_that_are_played(tmp_path: Path, cli: Cli) -> None:
    words = ["--goals", "3", "--workers", "1", "--quiet"]
    out = tmp_path / "talk.jsonl"
    assert "\n3 of 3 dialogues played\n" in cli("user", "play", *words, "--out", out).out
    found = cli.json("user", "play", *words, "--out", out, "--force")
    assert found["account"] == {"unit": "dialogue", "asked": 3, "found": 3, "scored": 3, "unscored": 0, "reasons": []}
    crossed = cli.json("user", "cross", *words)
    assert crossed["accounts"] == {"agenda with rule": found["account"]}
