"""The account of judges: each judge has one, and a judge that scored nothing is an error."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.judges.judge import Item
from dialmeter.judges.scorer import score_judge

from ..cli.invoke import Cli
from ..judges.chat_server import Reply, saying, serve
from ..judges.made import Oracle, cases, write_cases

HTML: Reply = (200, "<html>please log in</html>", {})


class Halting(Oracle):
    """A judge of naturalness only, one reply at a time. It fails on the replies of every second dialogue."""

    name = "halting"
    facets = frozenset({"naturalness"})
    batch_size = 1

    def score(self, items: Sequence[Item]) -> list[float]:
        ((_, reply),) = items
        if int(reply.split()[1]) % 4 == 1:
            raise RuntimeError("no memory")
        return [float("nan")] if int(reply.split()[1]) % 4 == 3 else [float(self._one(reply))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker", "repetition"), count=12))
    return tmp_path / "cases.jsonl"


@pytest.mark.parametrize(
    ("reply", "reason", "why"),
    [
        ((401, "who are you", {}), "for which the server gave no answer", "refuses: status 401: who are you"),
        ((500, "tired", {}), "for which the server gave no answer", "status 500: tired (1 try)"),
        (HTML, "whose answer could not be read", "not an answer of a chat model"),
        (saying("I would rather not."), "whose answer could not be read", "no number from 1 to 5"),
    ],
)
def test_an_endpoint_that_gives_no_score(
    reply: Reply, reason: str, why: str, file: Path, tmp_path: Path, cli: Cli
) -> None:
    """A bug gave exit code 0 and an empty column."""
    run = tmp_path / "run"
    with serve(lambda body, number: reply) as server:
        judge = f'llm(endpoint="{server.url}", model=m, retries=0)'
        said = cli("judge", "score", file, "--judge", judge, "--quiet", "--out", run, code=2)
    assert said.out == ""
    assert "scored none of 24 cases: " in said.complaint
    assert reason in said.complaint
    assert why in said.complaint
    assert said.complaint.endswith("; the run is unfinished, continue with --resume")
    assert not (run / "run.json").exists()


def test_a_program_that_crashes_beside_a_judge_that_does_not(file: Path, tmp_path: Path, cli: Cli) -> None:
    ready = tmp_path / "ready"
    program = f"import os, sys\nif not os.path.exists({str(ready)!r}): raise SystemExit(3)\nfor line in sys.stdin: print(len(line))"
    (tmp_path / "crash.py").write_text(program)
    words = [
        "judge",
        "score",
        file,
        "--judge",
        "overlap",
        "--judge-command",
        "mine=" + shlex.join([sys.executable, str(tmp_path / "crash.py")]),
    ]
    said = cli(*words, "--quiet", "--out", tmp_path / "run", code=2)
    assert said.complaint.startswith("mine scored none of 24 cases: ")
    # The scores of the other judge are still printed, and the run can be resumed.
    assert "\noverlap: 24 of 24 cases scored\n" in said.out
    [row] = [line for line in said.out.splitlines() if line.startswith("speaker")]
    assert "–" in row.split()
    ready.touch()
    cli(*words, "--quiet", "--out", tmp_path / "run", "--resume")
    assert open_run(tmp_path / "run").manifest["account"]["scored"] == 48


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ((401, "who are you", {}), "refuses: status 401: who are you"),
        ((500, "tired", {}), "status 500: tired (1 try)"),
        (HTML, "not an answer of a chat model: '<html>please log in</html>' (1 try)"),
        ((200, "", {}), "not an answer of a chat model: '' (1 try)"),
        (saying(""), "the answer is empty"),
    ],
)
def test_the_column_says_why_it_has_no_value(reply: Reply, why: str, file: Path, cli: Cli) -> None:
    with serve(lambda body, number: reply) as server:
        judge = f'mine=llm(endpoint="{server.url}", model=m, retries=0)'
        words = ["judge", "score", file, "--judge", judge, "--judge", "overlap", "--quiet"]
        said = cli(*words, code=2)
        found = cli.json(*words, code=2)
    [line] = [line for line in said.out.splitlines() if line.startswith("mine –: no case was scored: ")]
    assert line.endswith(why)
    assert {score["reason"].endswith(why) for score in found["scores"] if score["judge"] == "mine"} == {True}
    # A judge without scores is not the base of comparisons, even if it comes first.
    assert {each["judge"] for each in found["comparisons"]} == {"overlap"}
    # No request is sent twice, and none after the first batch of failures.
    assert len(server.asked) == 2 * 32


def test_judges_that_scored_different_cases_are_compared_on_the_common_ones(
    file: Path, tmp_path: Path, cli: Cli
) -> None:
    for name, rows in {"one": {1: (1, 0), 2: (1, 0), 3: (0, 1)}, "two": {2: (1, 0), 3: (1, 0), 4: (0, 1)}}.items():
        lines = ["case,human,adversarial", *(f"{case},{human},{other}" for case, (human, other) in rows.items())]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    words = ["judge", "score", file, "--scores", tmp_path / "one.csv", "--scores", tmp_path / "two.csv"]
    found = cli.json(*words, "--threshold", "fixed=0.5")
    [both] = [each for each in found["comparisons"] if each["other"] == "two"]
    assert (both["n"], both["cases"], both["error"], both["other_error"]) == (2, 12, 0.5, 0.0)
    [row] = [
        line
        for line in cli(*words, "--threshold", "fixed=0.5").out.splitlines()
        if line.startswith("town") and " two " in line
    ]
    assert row.split()[4:9] == ["2", "of", "12", "50.00", "0.00"]


def test_reasons_are_told_apart(cli: Cli) -> None:
    result = score_judge(cases(("speaker", "repetition"), count=12), {"halting": Halting(), "oracle": Oracle()})
    account = result.accounts["halting"]
    assert {each.reason: each.count for each in account.reasons} == {
        "outside what the judge claims to judge": 12,
        "whose request failed": 3,
        "whose answer could not be read": 3,
    }
    assert (account.asked, account.found, account.scored, account.unscored) == (24, 24, 6, 18)
    assert (result.account.asked, result.account.scored) == (48, 30)
    cell = result["halting", "repetition"]
    assert "|scored:6/12@" in cell.signature
    assert "scored:" not in result["oracle", "repetition"].signature
    assert result.silent == []


def test_every_judge_has_its_own_n(file: Path, tmp_path: Path, cli: Cli) -> None:
    """A bug showed n = 12 for a judge that scored two of twelve cases."""
    lines = ["case,human,adversarial", *(f"{number},{number},0" for number in (1, 2, 13, 14))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    words = ["judge", "score", file, "--scores", tmp_path / "mine.csv", "--threshold", "fixed=0.5"]
    text = cli(*words).out
    assert text.splitlines()[1].split()[:5] == ["attack", "the", "score", "cases", "mine"]
    [row] = [line for line in text.splitlines() if line.startswith("speaker")]
    assert row.split()[3:6] == ["12", "0.0", "(2)"]
    assert "\n24 cases requested, 24 found, 4 scored, 20 unscored: 20 without a score in the file (" in text
    found = cli.json(*words)
    assert found["accounts"]["mine"] == found["account"]
    assert {score["n"] for score in found["scores"] if score["judge"] == "mine"} == {2}


def test_a_judge_that_no_case_concerns_is_not_silent(tmp_path: Path, cli: Cli) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",)))
    said = cli("judge", "score", tmp_path / "cases.jsonl", "--judge", "ngram-fluency")
    assert "12 unscored: 12 outside what the judge claims to judge (" in said.out


def test_explaining(file: Path, tmp_path: Path, cli: Cli) -> None:
    found = cli.json("judge", "explain", file, "--judge", "overlap", "--cases", "2")
    assert (found["account"]["unit"], found["account"]["asked"], found["account"]["scored"]) == ("case", 4, 4)
    assert (
        "\n4 of 4 cases explained"
        in cli("judge", "explain", file, "--judge", "overlap", "--cases", "2", "--examples", "0").out
    )
