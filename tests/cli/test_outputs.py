"""The outputs of commands, whole, and what else one does with the files that they are about."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from .invoke import Cli
from .outputs import KEPT, KeptOutput, kept_outputs, link_files
from .user_samples import users

OUTPUTS = [each for path in sorted(KEPT.iterdir()) for each in kept_outputs(path.stem)]
TWO = "compare labes.json.gz uniconv.json.gz --gold mw21.json.gz --set missing=empty"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    link_files(folder)
    return folder


@pytest.fixture(autouse=True)
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for every test."""
    work = tmp_path / "work"
    shutil.copytree(files, work, symlinks=True)
    monkeypatch.chdir(work)
    return work


@pytest.mark.parametrize("kept", OUTPUTS, ids=[each.command for each in OUTPUTS])
def test_output(kept: KeptOutput, cli: Cli) -> None:
    found = cli(*shlex.split(kept.command), "-q", code=kept.code)
    lines = found.out.splitlines()
    assert "\n".join(lines) == kept.text
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_the_next_command_works(cli: Cli) -> None:
    """The verdict that depends on spelling turns, as it says."""
    printed = cli(*TWO.split()).out.partition("\nnext  dialmeter ")[2].replace("\\\n", " ")
    assert printed.split() == [*TWO.split(), "--set", "map=multiwoz"]
    assert cli(*printed.split()).out.startswith("BETTER: uniconv is better than labes by 11.88 JGA.\n")


def test_a_saved_run_is_printed_again(cli: Cli) -> None:
    words = ["score", "uniconv.json.gz", "--gold", "mw21.json.gz"]
    first = cli(*words, "-o", "run").out.splitlines()[:-2]
    again = cli("score", "run").out.splitlines()
    assert again[: len(first)] == first
    assert cli.json("score", "run")["scores"] == cli.json(*words)["scores"]
    assert "a saved run cannot be changed" in cli.refused("score", "run", "--set", "map=multiwoz")
    cli("score", "damd.json.gz", "--gold", "mw21.json.gz", "--set", "missing=empty", "-o", "damd")
    assert "NOT COMPARABLE: run and damd differ under JGA: missing: error ≠ empty" in cli.refused(
        "compare", "run", "damd"
    )


def test_two_files_and_swapped_files(cli: Cli) -> None:
    assert cli.refused("score", "mw21.json.gz", "labes.json.gz") == (
        "`dialmeter score` takes one file; if labes.json.gz is gold, type: "
        "dialmeter score mw21.json.gz --gold labes.json.gz; "
        "to compare them, type: dialmeter compare mw21.json.gz labes.json.gz"
    )


def test_next_commands_work(cli: Cli) -> None:
    """Every summary ends with a command that can be pasted."""

    for command in ("score fixture48.json.gz --set map=multiwoz", "check fixture48.json.gz"):
        last = cli(*command.split(), "-q").out.replace(" \\\n     ", "").splitlines()[-1]
        assert cli(*shlex.split(last.removeprefix("next  dialmeter ")), "-q").out


def test_compared_users(cli: Cli, folder: Path) -> None:
    users(folder, name="old.jsonl")
    users(folder, name="new.jsonl")
    assert (
        cli("compare", "old.jsonl", "new.jsonl", "-q").out
        == """\
CANNOT TELL: new and old have the same I-GCDF1.
  as written            +0.00    cannot tell
  acts read from text † +0.00    cannot tell
  † another question; it cannot turn the verdict
           old    new  difference  p (Holm)  better/same/worse
I-GCDF1  77.56  77.56       +0.00         –              0/4/0
R-GCDF1  88.89  88.89       +0.00         –              0/4/0
4 of 4 dialogues with the same goal
signature  I-GCDF1+1|rules:dialmeter|d:4|t:24|data:87bdba3abc|v:0.1.0
next  dialmeter find new.jsonl 'I-GCDF1<1'
"""
    )


def test_runs_are_found_and_checked(cli: Cli, tmp_path: Path) -> None:
    run = tmp_path / "run"
    said = cli("score", "cases.jsonl", "-j", "overlap", "--out", run)
    assert f"next  dialmeter find {run}" in said.out.replace(" \\\n      ", " ")
    found = cli.json("find", run, "judge=overlap", "outcome=failed", "attack=speaker")
    assert found["found"] == 40
    assert cli.json("find", run, "judge=overlap", "outcome=right", "attack=speaker")["found"] == 0
    assert cli("check", run, "cases.jsonl").out.startswith("READY")
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(Path("cases.jsonl").read_bytes().splitlines(keepends=True)[:-1]))
    assert cli("check", run, other, code=2).out.startswith("NOT READY: ")


def test_one_value(cli: Cli) -> None:
    assert cli("score", "ratings.jsonl", "-j", "overlap", "-m", "spearman[overall]", "-f", "value").out == "48.91\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("compare cases.jsonl -j distinct -j overlap --fail-if worse", 1),
        ("compare cases.jsonl -j overlap -j distinct --fail-if worse", 0),
        ("compare ratings.jsonl -j overlap -j distinct --fail-if worse", 1),
        ("compare ratings.jsonl -j overlap -j length --fail-if worse", 0),
        ("compare ratings.jsonl -j overlap -j length --fail-if unclear", 1),
        ("compare ratings.jsonl -j overlap", 2),
        ("compare cases.jsonl -j overlap", 2),
    ],
)
def test_verdicts_for_scripts(command: str, code: int, cli: Cli) -> None:
    cli(*command.split(), "--quiet", code=code)


def test_bad_cases_are_not_ready(cli: Cli, tmp_path: Path) -> None:
    lines = Path("cases.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join([*lines[:5], lines[5].replace('"lower"', '"lowest"')]), "utf-8")
    said = cli("check", tmp_path / "bad.jsonl", code=2).out
    assert "line 6: expected is 'lowest', not one of " in " ".join(said.split())


def test_three_logs(cli: Cli) -> None:
    names = {"a": "gpt-4.1-mini", "b": "gemini-2.0-flash", "c": "gpt-4.1-mini"}
    done = cli("compare", *(f"{name}={file}.json.gz" for name, file in names.items()))
    assert done.out.splitlines()[:5] == [
        "Success: c not told apart from a; b depends on infrastructure against a.",
        "  infrastructure  b: 35 of 115 dialogues broke off",
        "   Success  difference  p (Holm)  better/same/worse",
        "a    53.91",
        "b    28.70      -25.22     <.001            9/68/38",
    ]
    assert "115 of 115 tasks in all 3 logs\n" in done.out


@pytest.mark.parametrize(
    ("words", "code"),
    [("worse", 1), ("depends", 1), ("unclear", 0), ("Success < 0.2", 0), ("Success < 0.3", 1)],
)
def test_fail_if(words: str, code: int, cli: Cli) -> None:
    command = (
        ["score", "gemini-2.0-flash.json.gz"]
        if "<" in words
        else ["compare", "gpt-4.1-mini.json.gz", "gemini-2.0-flash.json.gz"]
    )
    cli(*command, "--fail-if", words, code=code)


def test_found_dialogues_are_scored(folder: Path, cli: Cli) -> None:
    ids = cli("find", "gemini-2.0-flash.json.gz", "ending=infrastructure", "-f", "ids").out
    assert len(ids.split()) == 35
    (folder / "ids").write_text(ids)
    document = cli.json("score", "gemini-2.0-flash.json.gz", "--only", "ids")
    assert (document["counts"]["dialogues"], document["scores"][0]["value"]) == (35, 0.0)
    (folder / "tasks").write_text("0\n7\n")
    assert cli.json("score", "gpt-4o-airline.json.gz", "--only", "tasks")["counts"]["dialogues"] == 8
    (folder / "tasks").write_text("0\nnone\n")
    assert cli.refused("score", "gpt-4o-airline.json.gz", "--only", "tasks") == (
        "gpt-4o-airline.json.gz: 1 of 2 dialogues of --only are not there; the first is 'none' "
        "(`dialmeter find gpt-4o-airline.json.gz -f ids` prints the ids)"
    )


@pytest.mark.parametrize(
    ("conditions", "count"),
    [
        (["outcome=failed"], 116),
        (["outcome=right"], 84),
        (["Success<0.5"], 116),
        (["Pass(k=4) < 1"], 160),
        (["task=0"], 4),
        (["task=0", "outcome=right"], 0),
        (["tool=think", "ending=transfer"], 6),
        (["3:0"], 1),
    ],
)
def test_find(conditions: list[str], count: int, cli: Cli) -> None:
    assert cli.json("find", "gpt-4o-airline.json.gz", *conditions)["found"] == count


def test_find_in_a_run_and_in_two_logs(cli: Cli) -> None:
    cli("score", "gemini-2.0-flash.json.gz", "-o", "run")
    assert cli.json("find", "run", "ending=infrastructure")["found"] == 35
    words = ["A=gpt-4.1-mini.json.gz", "B=gemini-2.0-flash.json.gz", "A.outcome=right", "B.outcome=failed"]
    assert cli.json("find", *words)["found"] == 38


def test_a_dialogue_turn_by_turn(cli: Cli) -> None:
    lines = cli("find", "gpt-4o-airline.json.gz", "0:0", "--show").out.splitlines()
    assert "0:0  failed, user_stop" in lines
    assert "  1 user    Hi! I'm looking to book a flight from New York to Seattle on May 20th." in lines
    assert "  6 call    get_user_details(user_id=mia_li_3668)" in lines


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", "task,trial,reward\na,0,1\na,1,0\nb,0,1\nb,1,1\n"),
        ("r.tsv", "Task ID\tSuccess\na\t1\na\t0\nb\t1\nb\t1\n"),
        ("r.jsonl", '{"task": "a", "reward": 1}\n{"task": "a", "reward": 0}\n{"task": "b", "reward": true}\n'),
    ],
)
def test_a_table_of_rewards(name: str, text: str, folder: Path, cli: Cli) -> None:
    (folder / name).write_text(text)
    document = cli.json("score", name)
    assert document["format"] == "chat"
    assert document["scores"][0]["value"] == 0.75


def test_a_reward_that_is_no_number(folder: Path, cli: Cli) -> None:
    (folder / "bad.csv").write_text("task,reward\na,x\n")
    said = cli("score", "bad.csv", code=2).err
    assert 'which words of reward mean that the task was reached: x? Answer with --columns "outcome=reward:x"' in said


def test_pages_show_the_kept_output() -> None:
    """The first screen of README, and the page about comparisons, have the output on the published logs."""
    kept = next(each for each in OUTPUTS if each.command == "compare gpt-4.1-mini.json.gz gemini-2.0-flash.json.gz")
    shown = kept.text.replace(".gz", "")
    root = Path(__file__).parents[2]
    assert f"$ dialmeter {kept.command.replace('.gz', '')}\n{shown}\n```" in (root / "README.md").read_text("utf-8")
    ladder = shown[: shown.index("         gpt-4.1-mini")]
    assert f"```text\n{ladder}```" in (root / "docs" / "compare.md").read_text("utf-8")
