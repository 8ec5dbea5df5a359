"""What the page about people's own files says about each of its ten shapes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ..cli.invoke import Cli
from .pages import ROOT

PAGE = (ROOT / "docs" / "my-file.md").read_text("utf-8")
SHAPES = re.findall(r"^### \d+\. ([^\n]+)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SAID = re.compile(r"`dialmeter (score [^`]+)` says:\n\n```text\n(.*?)\n```", re.DOTALL)
ANSWERS = re.compile(r"(--columns gold=\w+)|dialmeter (compare \S+|score '[^']+')")


def test_ten_shapes() -> None:
    assert len(SHAPES) == 10


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape[0]))
def test_what_is_said(shape: tuple[str, str], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILE.findall(shape[1]):
        (tmp_path / name).write_text(content, "utf-8")
    ((command, said),) = SAID.findall(shape[1])
    words = [*shlex.split(command), "-m", "JGA", "--set", "ci=0"]
    found = cli(*words, code=2 if said.startswith("dialmeter: ") else 0)
    assert found.err.strip() == said
    if not found.out:
        answers = [answer or f"{command} " for answer, command in ANSWERS.findall(said)]
        assert len(answers) == 2
        for answer in answers:
            typed = shlex.split(answer)
            cli(*(typed if typed[0] in ("score", "compare") else [*words, *typed]))
        return
    assert found.out.startswith("JGA 50.00.")
    read = re.search(r'read as (--columns) "([^"]+)"', said)
    if read and "--gold" not in command:
        assert cli(*words, read[1], read[2]).out.splitlines()[0] == "JGA 50.00."
