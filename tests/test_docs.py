"""Pages that are generated are up to date, and examples in the how-tos run."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

import dialmeter
from dialmeter.cli.main import cli

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date(generator: ModuleType) -> None:
    stale = [path.name for path, text in generator.pages().items() if path.read_text("utf-8") != text]
    assert not stale, f"run python tools/make_docs.py: {stale}"


def test_no_page_of_a_measure_that_is_gone(generator: ModuleType) -> None:
    known = {path for path in generator.pages() if path.parent.name == "measures"}
    assert set((ROOT / "docs" / "measures").iterdir()) == known


COMMANDS = [
    (page.name, line)
    for page in [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs" / "howto").glob("*.md")),
    ]
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    for line in re.sub(r"\\\n\s*", " ", block).splitlines()
    if line.startswith("dialmeter ")
]


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_commands_on_the_pages_exist(page: str, line: str) -> None:
    """Every command line in the documentation parses: its commands and its options are real."""
    words = shlex.split(line.partition(" | ")[0], comments=True)[1:]
    command, context = cli, None
    while hasattr(command, "get_command") and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, f"{page}: {line}"
        command, words = found, words[1:]
    # The names of the help option are those of the whole command line: click keeps them in the command.
    with cli.make_context("dialmeter", ["list"], resilient_parsing=True) as parent:
        command.make_context("dialmeter", words, parent=parent, resilient_parsing=False)


def test_the_how_tos_have_commands() -> None:
    assert len(COMMANDS) > 15


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "howto" / page).read_text("utf-8"), re.DOTALL)


def test_the_example_of_an_attack_runs() -> None:
    blocks = [block for block in python_blocks("attack-a-judge.md") if ">>>" in block]
    assert blocks
    for block in blocks:
        found = doctest.DocTestParser().get_doctest(block, {}, "attack-a-judge.md", None, 0)
        assert doctest.DocTestRunner().run(found).failed == 0


def test_the_python_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page shows of results, scorers and judges runs on a file of the embedded town."""
    monkeypatch.chdir(tmp_path)
    dialmeter.play_to_file("dialogues.jsonl", goals=8, seed=1)
    trackers, judges = python_blocks("python.md")
    scoring = trackers[trackers.index("result = score_tracker({") : trackers.index("for dialogue in read(")]
    names = {name: getattr(dialmeter, name) for name in dialmeter.__all__}
    other = dialmeter.TrackerScorer(["JGA", "GCA"])
    other.add("d3", gold=[{"hotel-area": "east"}], pred=[{"hotel-area": "east"}])
    measures = 'score_tracker({"d1": [{"hotel-area": "east"}]}, {"d1": [{"hotel-area": "west"}]}, ["FGA(lam=0.5)"])'
    shown = re.sub(r"^result = .*$", f"result = {measures}", scoring, count=1, flags=re.MULTILINE)
    exec(shown, {**names, "other_scorer": other})
    exec(judges.replace('["paper"]', '["speaker"]').replace("seed=7", "seed=7, light=True"), names)
