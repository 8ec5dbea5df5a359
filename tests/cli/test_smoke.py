"""One short command of each kind on the sample files: it ends well and prints something."""

from __future__ import annotations

from pathlib import Path

import pytest

from .invoke import Cli

COMMANDS = [
    "check base.jsonl",
    "check agenda.jsonl --set profile=town",
    "check desk-base.json",
    "check cases.jsonl",
    "check ratings.jsonl",
    "score base.jsonl --set ci=0",
    "score agenda.jsonl --set profile=town --set ci=0",
    "score cases.jsonl -j overlap",
    "score ratings.jsonl -j overlap --set ci=0",
    "score desk-base.json --set ci=0",
    "compare base.jsonl new.jsonl",
    "compare agenda.jsonl forgetful.jsonl --set profile=town",
    "compare desk-base.json desk-new.json",
    "compare cases.jsonl -j overlap -j distinct",
    "compare ratings.jsonl -j overlap -j distinct",
    "find base.jsonl slot=hotel-area -n 3",
    "find cases.jsonl attack=speaker -n 3",
    "study rules base.jsonl",
    "judge attack agenda.jsonl -n 1 --attack repetition --set light -o attacked.jsonl",
    "play --goals 2 -o played.jsonl",
    "convert base.jsonl -",
    "list measures",
    "cite JGA",
]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from dialmeter.cli.demo import write_sample

    folder = tmp_path_factory.mktemp("smoke")
    write_sample(folder, force=True)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_smoke(command: str, sample: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)
    assert cli(*command.split()).out
