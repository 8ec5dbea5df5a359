"""Judges by name, as Python objects, as programs and from other packages; and the modules that commands load."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.judges.external_judges import CommandJudge
from dialmeter.judges.judge import Judge, load_judge, registry
from dialmeter.model import Move

from ..docs.test_plugins import install, run
from .made import cases, write_cases

CONTEXT = (Move("user", "where is the museum?"),)


def test_built_in_judges() -> None:
    assert all(callable(registry.load(name)) for name in registry.builtin())
    for name in ("constant", "random", "length", "overlap", "distinct"):
        shown, judge = load_judge(name)
        assert shown == name
        assert isinstance(judge, Judge)
        assert len(judge.score([(CONTEXT, "the museum is here"), (CONTEXT, "")])) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lenght", "unknown judge 'lenght'; did you mean length?"),
        ("random(sead=3)", "judge random has no parameter 'sead'; did you mean seed?"),
        ("random(seed=three)", "judge random: seed must be a number, not 'three'"),
        ("random(3)", "'random(3)': write parameters as key=value, separated by commas"),
        ("constant(value=3)", "judge constant has no parameter 'value'; it has no parameters"),
        ("ngram-fluency", "judge ngram-fluency needs dialogues"),
        ("random(seed=3", "is not a judge"),
        ("no_such_module:thing", "cannot be loaded: ModuleNotFoundError"),
        ("math:nothing", "cannot be loaded: AttributeError"),
        ("math:pi", "is neither a judge nor a function"),
        ("math:sqrt", "has no higher_is_better"),
    ],
)
def test_loading_errors_are_one_line(text: str, message: str) -> None:
    with pytest.raises(DialmeterError, match=r"^[^\n]*$") as raised:
        load_judge(text)
    assert message in str(raised.value)


def module(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)


def test_a_function_an_object_and_a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
class Mine:
    name, higher_is_better, scale, facets = "mine", True, (0.0, 1.0), frozenset({"interest"})
    def __init__(self, by="1"):
        self.by = float(by)
    def score(self, items):
        return [self.by for _ in items]
ready = Mine("2")
def letters(context, reply):
    return len(reply) + len(context)
"""
    module(tmp_path, monkeypatch, "mine_b", text)
    name, judge = load_judge("mine_b:letters(higher_is_better=false)")
    assert (name, judge.higher_is_better) == ("mine_b:letters", False)
    assert judge.score([(CONTEXT, "four")]) == [5.0]
    assert load_judge("mine_b:ready")[1].score([(CONTEXT, "x")]) == [2.0]
    name, judge = load_judge("better=mine_b:Mine(by=3)")
    assert name == "better"
    assert judge.score([(CONTEXT, "x")]) == [3.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("name = 'x'", "has no higher_is_better, scale, facets"),
        ("name, higher_is_better, scale, facets = 'x', 1, None, None", "higher_is_better must be True or False, not 1"),
        ("name, higher_is_better, scale, facets = 'x', True, None, {'grammar'}", "unknown facet 'grammar'"),
    ],
)
def test_wrong_attributes(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    name = f"mine_{abs(hash(request.node.name))}"
    module(tmp_path, monkeypatch, name, f"class Half:\n    {body}\n    def score(self, items): return []\n")
    with pytest.raises(DialmeterError, match=message):
        load_judge(f"{name}:Half")


def program(text: str) -> CommandJudge:
    return CommandJudge(shlex.join([sys.executable, "-c", text]))


def test_a_program_reads_lines_and_writes_numbers() -> None:
    text = (
        "import sys, json\nfor line in sys.stdin:\n    d = json.loads(line); print(len(d['reply']) + len(d['context']))"
    )
    assert program(text).score([(CONTEXT, "four\nlines"), (CONTEXT, "é" * 3)]) == [11.0, 4.0]


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (program("import sys; sys.exit('out of luck')"), r"python\S* ended with code 1: out of luck"),
        (program("print('high')"), r"python\S* wrote 'high', which is not a number"),
        (CommandJudge("no-such-program"), "cannot run no-such-program: No such file"),
    ],
)
def test_a_program_that_fails(judge: CommandJudge, message: str) -> None:
    with pytest.raises(DialmeterError, match=message):
        judge.score([(CONTEXT, "x")])


HEAVY = ("numpy", "scipy", "rich", "jinja2", "matplotlib", "torch", "transformers", "spacy", "httpx")


def test_the_judge_of_the_page_on_plug_ins(tmp_path: Path) -> None:
    install(tmp_path)
    write_cases(tmp_path / "cases.jsonl", cases(("repetition",), 4))
    done = run(tmp_path, "score", str(tmp_path / "cases.jsonl"), "--judge", "signposts(words='please')", "-f", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["scores"][0]
    assert (found["judge"], found["value"]) == ("signposts", 1.0)


@pytest.mark.parametrize("words", [["judge", "--help"], ["score", "--help"], ["judge", "explain", "--help"]])
def test_help_is_light(words: list[str]) -> None:
    code = f"from dialmeter.cli.main import cli; cli.main({words!r}, standalone_mode=False)"
    report = f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "[]"
