"""What was requested, found and scored, for trackers, users and judges."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.core.account import Account, Reason
from dialmeter.core.open_runs import open_run
from dialmeter.judges.judge import Item
from dialmeter.judges.scorer import score_judge

from ..cli.invoke import Cli
from ..cli.samples import TOWN, native_lines, nested_document, written
from ..cli.user_samples import users
from ..judges.chat_server import Reply, saying, serve
from ..judges.made import Oracle, cases, write_cases

ABSENT = "1 of 3 dialogues of --only are not in the file or have no gold: pmul1"
LINE = "3 dialogues requested, 2 found, 2 scored, 1 unscored: 1 not in the file (pmul1)"
DIGEST = hashlib.sha256(b"d1\nd3\npmul1").hexdigest()[:10]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "town.jsonl", native_lines(TOWN))


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """Write a list of three dialogues, one of which is in no file."""
    return written(tmp_path / "split.txt", "D1.json\nd3\nPMUL1.json\n")


@pytest.mark.parametrize("command", ["score", "check", "study rules", "study bias", "study people"])
def test_list_with_an_absent_dialogue(command: str, file: Path, split: Path, tmp_path: Path, cli: Cli) -> None:
    """A bug scored the file as if the list were complete."""
    more = ["--sheet", str(written(tmp_path / "r.csv", "dialogue,rater,rating\nd1,a,1\nd3,a,0\n"))]
    said = cli(*command.split(), file, "--only", split, "--quiet", *(more if "people" in command else ()), code=2)
    assert said.complaint.startswith(f"{file}: {ABSENT}")
    assert not said.out.startswith("READY")


@pytest.mark.parametrize("command", ["score", "check", "study rules", "study bias", "study people"])
def test_one_rule_of_identity_for_file_and_list(command: str, tmp_path: Path, cli: Cli) -> None:
    """A list merged ids that differ in blanks while a file did not, and it could not hold an empty id or one with a comma."""
    file = written(tmp_path / "f.jsonl", native_lines(dict(zip(["", " a", "B, c.json"], TOWN.values(), strict=True))))
    listed = written(tmp_path / "list.txt", '""\n\n A.json \n"b, c"\n')
    ratings = written(tmp_path / "r.csv", 'dialogue,rater,rating\na,x,1\n"b, c",x,0\n')
    more = ["--sheet", ratings] if "people" in command else []
    words = [*command.split(), file, *more, "--only", listed, "--quiet"]
    cli(*words)
    written(tmp_path / "list.txt", '""\n"b, c"\n"x"\n')
    assert "1 of 3 dialogues of --only are not in the file or have no gold: x" in cli.refused(*words)
    written(tmp_path / "f.jsonl", native_lines(dict(zip(["a", "a ", "b"], TOWN.values(), strict=True))))
    assert "dialogue a : duplicate dialogue id" in cli.refused(*words)


def test_an_empty_id_selects_its_dialogue(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "f.jsonl", native_lines(dict(zip(["", "a.json.json", "b"], TOWN.values(), strict=True))))
    for text, key in (('""', b""), ("a.JSON.json", b"a.json")):
        only = written(tmp_path / "list.txt", f"{text}\n")
        [score] = cli.json("score", file, "--only", only, "--measure", "JGA")["scores"]
        assert f"|only:{hashlib.sha256(key).hexdigest()[:10]}|d:1|" in score["signature"]


def test_curves(tmp_path: Path, split: Path, cli: Cli) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    written(folder / "ratio_0.1_seed_1_prediction.json", nested_document(TOWN))
    assert ABSENT in cli.refused("study", "curve", folder, "--only", split)


@pytest.mark.parametrize("missing", ["skip", "empty"])
def test_what_allows_it_says_so_everywhere(missing: str, file: Path, split: Path, tmp_path: Path, cli: Cli) -> None:
    words = ["score", file, "--only", split, "--set", f"missing={missing}", "--measure", "JGA", "--set", "ci=0"]
    run = tmp_path / "run"
    text = cli(*words, "--out", run, "-v")
    assert "\n2 of 3 dialogues; 1 not in the file (pmul1)\nsignature  " in text.out
    assert f"\n{LINE}\n\nsignature" in text.out
    assert ABSENT.partition(":")[0] in text.err
    found = cli.json(*words)
    account = {"unit": "dialogue", "asked": 3, "found": 2, "scored": 2, "unscored": 1}
    account["reasons"] = [{"reason": "not in the file", "count": 1, "where": "pmul1"}]
    assert found["account"] == json.loads((run / "run.json").read_bytes())["account"] == account
    assert f"|only:{DIGEST}|scored:2/3|d:2|t:5|" in found["scores"][0]["signature"]
    assert LINE in cli("report", run, "-o", "-", "-f", "markdown").out
    check = cli("check", file, "--only", split, "--set", f"missing={missing}", "-v")
    assert f"\naccount: {LINE}\nready to be scored\n" in check.out


def test_prediction_without_gold(tmp_path: Path, cli: Cli) -> None:
    """A prediction without gold is not requested, unless a list names it."""
    some = {name: turns for name, turns in TOWN.items() if name != "d2"}
    gold = written(tmp_path / "gold.jsonl", native_lines(some, "gold"))
    words = ["score", written(tmp_path / "all.jsonl", native_lines(TOWN, "pred")), "--gold", gold]
    assert "\n2 of 2 dialogues\n" in cli(*words).out
    only = written(tmp_path / "only.txt", "d1\nd2\n")
    assert "1 of 2 dialogues of --only" in cli.refused(*words, "--only", only)
    said = cli(*words, "--only", only, "--set", "missing=skip")
    assert "\n1 of 2 dialogues; 1 without a gold state (d2)\n" in said.out


def test_shards_have_the_account_of_the_whole(file: Path, split: Path, tmp_path: Path) -> None:
    """The accounts of two parts of a corpus add up to that of the whole."""
    from dialmeter.tracking.scorer import TrackerScorer

    parts = [TrackerScorer(["JGA"], "dialmeter") for _ in range(2)]
    for name, turns in TOWN.items():
        parts[name == "d3"].add(name, [turn["gold"] for turn in turns], [turn["pred"] for turn in turns])
    whole = TrackerScorer(["JGA"], "dialmeter")
    for part in parts:
        whole.merge_part(part.part)
    assert whole.result().account == Account("dialogue", 3, 3, 3)


def test_slots_that_are_looked_at_have_a_field_of_their_own(file: Path, cli: Cli) -> None:
    said = cli("score", file, "--set", "only-slots=hotel//area")
    assert "|only-slots:" in said.out
    assert "|only:" not in said.out


def test_reasons_add_up_to_what_is_unscored() -> None:
    account = Account("dialogue", 5, 4, 2, (Reason("not in the file", 1, "a"), Reason("without a prediction", 2, "b")))
    assert sum(each.count for each in account.reasons) == account.unscored == account.plain()["unscored"]


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
    said = cli("score", file, "--set", "missing=skip", "--out", run, "-v")
    line = "5 dialogues requested, 5 found, 4 scored, 1 unscored: 1 no goal; scores need the goal of the user (bad)"
    assert "\n4 of 5 dialogues; 1 no goal; scores need the goal of the user (bad)\nsignature  " in said.out
    assert f"\n{line}\n\nsignature" in said.out
    found = cli.json("score", file, "--set", "missing=skip")
    assert found["account"] == json.loads((run / "run.json").read_bytes())["account"]
    assert all("|scored:4/5|d:4|" in score["signature"] for score in found["scores"])
    cli("score", file, code=2)
    assert f"\naccount: {line}\nnot ready to be scored\n" in cli("check", file, "-v", code=2).out
    assert f"\n{line}\n" in cli("score", file, "--by", "domain", code=2).out


def test_comparing_asks_for_the_goals_that_all_have(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "other").mkdir()
    file, other = with_a_bad_one(tmp_path), users(tmp_path / "other")
    said = cli("compare", f"a={file}", f"b={other}", "-v")
    assert "warning: a: 1 dialogues that cannot be scored [" in said.err
    assert "\n4 of 4 dialogues with the same goal\n" in said.out
    assert "\neach of 2: 4 of 4 dialogues scored\n" in said.out
    assert "|only:" in said.out
    found = cli.json("compare", f"a={file}", f"b={other}")
    assert (found["account"]["asked"], list(found["accounts"])) == (8, ["a", "b"])


@pytest.fixture
def mute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mute_agent.py").write_text(MUTE)
    monkeypatch.syspath_prepend(tmp_path)
    return "mute_agent:mute"


@pytest.mark.parametrize("side", ["user", "system"])
def test_an_agent_that_says_nothing(side: str, mute: str, tmp_path: Path, cli: Cli) -> None:
    """A bug gave exit code 0 and a file of empty turns."""
    words = ["--goals", "3", "--workers", "1", "--quiet", f"--{side}", mute]
    complaint = cli.refused("play", *words, "--out", tmp_path / "talk.jsonl")
    assert "none of 3 dialogues was played: 3 in which the " in complaint
    other = ["--user" if side == "user" else "--system", "agenda" if side == "user" else "rule"]
    assert "none of 3 dialogues was played: " in cli.refused("play", *words, *other)


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
def cases_file(tmp_path: Path) -> Path:
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
def test_endpoint_without_score(
    reply: Reply, reason: str, why: str, cases_file: Path, tmp_path: Path, cli: Cli
) -> None:
    """A bug gave exit code 0 and an empty column."""
    run = tmp_path / "run"
    with serve(lambda body, number: reply) as server:
        judge = f'llm(endpoint="{server.url}", model=m, retries=0)'
        said = cli("score", cases_file, "--judge", judge, "--quiet", "--out", run, code=2)
    assert said.out == ""
    assert "scored none of 24 cases: " in said.complaint
    assert reason in said.complaint
    assert why in said.complaint
    assert said.complaint.endswith("; the run is unfinished; the same command continues it")
    assert not (run / "run.json").exists()


def test_a_program_that_crashes_beside_a_judge_that_does_not(cases_file: Path, tmp_path: Path, cli: Cli) -> None:
    ready = tmp_path / "ready"
    program = f"import os, sys\nif not os.path.exists({str(ready)!r}): raise SystemExit(3)\nfor line in sys.stdin: print(len(line))"
    (tmp_path / "crash.py").write_text(program)
    command = shlex.join([sys.executable, str(tmp_path / "crash.py")])
    words = ["score", cases_file, "--judge", "overlap", "--judge", f"mine=cmd(run='{command}')"]
    said = cli(*words, "--quiet", "--verbose", "--out", tmp_path / "run", code=2)
    assert said.complaint.startswith("mine scored none of 24 cases: ")
    # The scores of the other judge are still printed, and the run can be resumed.
    assert "\noverlap: 24 of 24 cases scored\n" in said.out
    [row] = [line for line in said.out.splitlines() if line.startswith("speaker")]
    assert "–" in row.split()
    assert "  unscored  mine: 24 of 24, " in said.out
    ready.touch()
    cli(*words, "--quiet", "--out", tmp_path / "run")
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
def test_the_column_says_why_it_has_no_value(reply: Reply, why: str, tmp_path: Path, cli: Cli) -> None:
    cases_file = tmp_path / "cases.jsonl"
    write_cases(cases_file, cases(("speaker", "repetition"), count=48))
    with serve(lambda body, number: reply) as server:
        judge = f'mine=llm(endpoint="{server.url}", model=m, retries=0)'
        words = ["score", cases_file, "--judge", judge, "--judge", "overlap", "--quiet"]
        said = cli(*words, "-v", code=2)
        asked = [str(each.body) for each in server.asked]
        found = cli.json(*words, code=2)
    assert said.out.startswith("mine has no error rate: none of 96 cases counts.\n")
    [line] = [line for line in said.out.splitlines() if line.startswith("mine –: no case was scored: ")]
    assert line.endswith(why)
    assert {score["reason"].endswith(why) for score in found["scores"] if score["judge"] == "mine"} == {True}
    # A judge without scores is not the base of comparisons, even if it comes first.
    assert {each["judge"] for each in found["comparisons"]} == {"overlap"}
    # No request is sent twice. Some of the next batch are sent before the first one has failed, and none after it.
    assert 32 <= len(set(asked)) == len(asked) <= 2 * 32


def test_judges_with_different_cases(cases_file: Path, tmp_path: Path, cli: Cli) -> None:
    for name, rows in {"one": {1: (1, 0), 2: (1, 0), 3: (0, 1)}, "two": {2: (1, 0), 3: (1, 0), 4: (0, 1)}}.items():
        lines = ["case,human,adversarial", *(f"{case},{human},{other}" for case, (human, other) in rows.items())]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    words = ["score", cases_file, "-j", f"{tmp_path / 'one.csv'}", "-j", f"{tmp_path / 'two.csv'}"]
    found = cli.json(*words, "--set", "threshold=fixed=0.5")
    [both] = [each for each in found["comparisons"] if each["other"] == "two"]
    assert (both["n"], both["cases"], both["error"], both["other_error"]) == (2, 12, 0.5, 0.0)
    [row] = [
        line
        for line in cli(*words, "-v", "--set", "threshold=fixed=0.5").out.splitlines()
        if line.startswith("town") and " two " in line
    ]
    assert row.split()[4:9] == ["2", "of", "12", "50.00", "0.00"]


def test_reasons_are_told_apart() -> None:
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


def test_every_judge_has_its_own_n(cases_file: Path, tmp_path: Path, cli: Cli) -> None:
    """A bug showed n = 12 for a judge that scored two of twelve cases."""
    lines = ["case,human,adversarial", *(f"{number},{number},0" for number in (1, 2, 13, 14))]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    words = ["score", cases_file, "-j", f"{tmp_path / 'mine.csv'}", "--set", "threshold=fixed=0.5"]
    assert "\n  unscored  mine: 20 of 24, without a score in the file\n" in cli(*words).out
    text = cli(*words, "-v").out
    assert ["attack", "the", "score", "cases", "mine"] in [line.split()[:5] for line in text.splitlines()]
    row = next(line for line in text.splitlines() if line.startswith("speaker"))
    assert row.split()[3:6] == ["12", "0.0", "(2)"]
    assert "\n24 cases requested, 24 found, 4 scored, 20 unscored: 20 without a score in the file (" in text
    found = cli.json(*words)
    assert found["accounts"]["mine"] == found["account"]
    assert {score["n"] for score in found["scores"] if score["judge"] == "mine"} == {2}


def test_a_judge_that_no_case_concerns_is_not_silent(tmp_path: Path, cli: Cli) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",)))
    said = cli("score", tmp_path / "cases.jsonl", "--judge", "ngram-fluency")
    assert said.out.startswith("ngram-fluency has no error rate: none of 12 cases counts.\n")
    assert "\n  unscored  ngram-fluency: 12 of 12, not its facet\n" in said.out
    assert "\n0 of 12 cases; 12 outside what the judge claims to judge (" in said.out
