"""What somebody meets who has ratings of an own layout, and judges that fail in every way."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dialmeter as dm
from dialmeter.errors import DialmeterError
from dialmeter.readers.ratings.open_ratings import open_ratings

from ...cli.invoke import Cli

ITEMS = [
    (f"q{at}", f"answer {at}" + " again" * (at % 3), at % 3 == 0, [int((at % 3 == 0) ^ (at % 7 == each)) for each in range(3)])
    for at in range(40)
]  # fmt: skip


def lines(file: Path, **more: Callable[[int, bool, list[int]], Any]) -> Path:
    rows = [
        {"id": name, "context": ["where?"], "reply": reply, **{key: make(at, good, given) for key, make in more.items()}}
        for at, (name, reply, good, given) in enumerate(ITEMS)
    ]  # fmt: skip
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return lines(
        tmp_path / "ok.jsonl",
        ratings=lambda at, good, given: {"ok": given},
        scores=lambda at, good, given: {"mine": good + at / 100},
    )


def test_scores_beside_ratings_are_not_of_people(file: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    by_id = tmp_path / "by-id.json"
    by_id.write_text(json.dumps({row.pop("id"): row for row in rows}))
    read = open_ratings(by_id)
    assert (read.facets, read.carried) == (["ok"], ["scores.mine"])
    assert [each.ratings for each in read.items] == [each.ratings for each in open_ratings(file).items]


def test_a_judge_beside_people_is_not_one_of_them(tmp_path: Path) -> None:
    rows = [
        {"id": name, "question": "where?", "answer": reply, "human": {"helpful": 2 + 2 * good}, "judge": {"helpful": 3}}
        for name, reply, good, _ in ITEMS
    ]
    (tmp_path / "nested.json").write_text(json.dumps(rows))
    read = open_ratings(tmp_path / "nested.json")
    assert (read.facets, read.carried) == (["helpful"], ["judge.helpful"])


def test_verdicts_in_words(tmp_path: Path) -> None:
    words = lines(
        tmp_path / "words.jsonl",
        ratings=lambda at, good, given: {"ok": {"ann": "pass" if good else "fail"}},
        scores=lambda at, good, given: {"word": "Yes" if good else "no", "truth": not good},
    )
    read = open_ratings(words)
    assert read.carried == ["word", "truth"]
    assert [each.scores["word"] for each in read.items] == [each.ratings["ok"][0] for each in read.items]
    assert all(each.scores["truth"] == 1 - each.scores["word"] for each in read.items)


FAILING = {
    "raises": (lambda context, reply: 1 / 0, "ZeroDivisionError: division by zero"),
    "nan": (lambda context, reply: math.nan, "gave nan as a score"),
    "text": (lambda context, reply: "good", "could not convert string to float: 'good'"),
    "nothing": (lambda context, reply: None, "not 'NoneType'"),
}


@pytest.mark.parametrize(("judge", "why"), FAILING.values(), ids=FAILING)
def test_functions_that_score_nothing(judge: Any, why: str, file: Path) -> None:
    with pytest.raises(DialmeterError, match="bad scored none of 40 items: ") as error:
        dm.score(str(file), judges={"bad": judge})
    assert why in str(error.value)


def test_functions_that_score_some(file: Path) -> None:
    text = str(dm.score(str(file), judges={"some": lambda context, reply: 1 / 0 if "1" in reply else len(reply)}))
    assert "unscored  some:" in text
    assert "ZeroDivisionError" in text
    assert "next" not in text  # no command has this function


def test_the_next_command_has_the_judges(file: Path, cli: Cli) -> None:
    text = str(dm.score(str(file), judges={"o": "overlap"}, judge_pass_if=["o >= .4"]))
    line = text.replace("\\\n", " ").partition("next  ")[2]
    assert shlex.split(line)[2:] == [str(file), "--set", "judge-pass-if=o >= .4", "-j", "o=overlap", "-v"]
    assert text.splitlines()[0] in cli(*shlex.split(line)[1:]).out


@pytest.mark.parametrize(("program", "why"), [("print(1/0)", "ended with code 1: ZeroDivisionError"), ("exit(3)", "ended with code 3"), ("print('yes')", "wrote 'yes', which is not a number")])  # fmt: skip
def test_programs_that_score_nothing(program: str, why: str, file: Path, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(program)
    run = shlex.join([sys.executable, str(tmp_path / "judge.py")])
    refused = cli.refused("score", file, "-j", f'bad=cmd(run="{run}")', "-q")
    assert refused.startswith("bad scored none of 40 items: ")
    assert why in refused


SAID = {
    "a constant verdict": (["-j", "constant"], 0, "constant is no better than always saying fail on ok"),
    "a constant score": (["-j", "constant", "--set", "probability=constant"], 0, "gives every item the same score"),
    "a measure of verdicts": (["-m", "kappa"], 2, 'make them: --set "judge-pass-if=mine >= NUMBER"'),
    "the advised setting": (["-m", "kappa", "--set", "judge-pass-if=mine >= .5"], 0, "kappa"),
}


@pytest.mark.parametrize(("words", "code", "expected"), SAID.values(), ids=SAID)
def test_what_is_said(words: list[str], code: int, expected: str, file: Path, cli: Cli) -> None:
    result = cli("score", file, *words, "-q", code=code)
    assert expected in (result.out + result.err).replace("\n", " ")


@pytest.mark.parametrize(("words", "takes"), [(("attack", "-o", "x"), "dialogues"), (("explain", "-j", "overlap"), "cases")])  # fmt: skip
def test_ratings_where_other_files_are_needed(words: tuple[str, ...], takes: str, file: Path, cli: Cli) -> None:
    refused = cli.refused("judge", words[0], file, *words[1:])
    assert f"holds ratings of people, and this command takes {takes}" in refused
    cli(*shlex.split(refused.partition("ratings: dialmeter ")[2]))


REFUSED = {
    "people and a judge": ([{"id": 1, "reply": "x", "human": 1, "llm": 0}], [], "if these are ratings, name them: --columns rating=human --columns score=llm;"),
    "with a judge": ([{"id": 1, "reply": "x", "human": 1, "llm": 0}], ["-j", "overlap"], "neither cases nor ratings; its keys are id, reply, human, llm; name the fields"),
    "an odd word": ([{"id": str(at), "reply": "x", "ratings": {"ok": [word]}} for at, word in enumerate(["pass", "great", "fail"])], [], "line 2, dialogue 1: ok: expected ratings of one scale, found 'great'"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "words", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(rows: list[Any], words: list[str], expected: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "own.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert expected in cli.refused("score", tmp_path / "own.jsonl", *words)


def test_words_beside_numbers(tmp_path: Path) -> None:
    mixed = lines(
        tmp_path / "mixed.jsonl",
        ratings=lambda at, good, given: {"ok": ["pass" if good else 0]},
        scores=lambda at, good, given: {"mine": 1 if good else "fail"},
    )
    assert all(each.scores["mine"] == each.ratings["ok"][0] for each in open_ratings(mixed).items)
