"""The outputs of systems on published logs, whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..shared_data import shared
from .invoke import Cli

FILES = {
    "gpt-4o-airline": "gpt-4o-airline",
    "gpt-4.1-mini": "retail_tool-calling-gpt-4.1-mini_0610135038",
    "gemini-2.0-flash": "retail_tool-calling-gemini-2.0-flash_0605191952",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published logs under short names, in the current folder."""
    for name, file in FILES.items():
        shutil.copy(shared("data", "trajectories", f"{file}.json.gz"), tmp_path / f"{name}.json.gz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


OUTPUTS = {
    "score gpt-4o-airline.json.gz": """\
Success 42.00; 26 of 50 tasks flip between trials.
  user  its faults go with failure in a task: +9.62, 1.92 to 19.23
Success    42.00  32.00 to 52.00
Pass(k=4)  20.00  10.00 to 32.00
200 of 200 dialogues, 50 tasks, 4 trials
signature  Success+1|infrastructure:failed|trials:4|tasks:50|data:dbde4f8078|
           v:0.1.0
next  dialmeter find gpt-4o-airline.json.gz task=0
""",
    "compare gpt-4.1-mini.json.gz gemini-2.0-flash.json.gz": """\
DEPENDS on infrastructure: gemini-2.0-flash is worse by 25.22 Success, but not
shown to be worse without the 35 tasks where its connection broke.
  infrastructure=failed  -25.22  -36.12 to -14.32  p <.001  worse
  infrastructure=skipped  -6.25    -18.18 to 5.68  p .300   cannot tell
  noise  80 tasks, 1 trial: power .8 needs a difference of 17 points
         gpt-4.1-mini  gemini-2.0-flash  difference  better/same/worse
Success         53.91             28.70      -25.22            9/68/38
115 of 115 tasks in both logs
signature  Success|infrastructure:failed|tasks:115|data:8bdc947491|v:0.1.0
next  dialmeter find gemini-2.0-flash.json.gz ending=infrastructure
""",
    "compare gpt-4.1-mini.json.gz gemini-2.0-flash.json.gz --set infrastructure=skipped": """\
CANNOT TELL: gemini-2.0-flash is 6.25 Success below gpt-4.1-mini, which is not
shown to be more than chance.
  noise  80 tasks, 1 trial: power .8 needs a difference of 17 points
         gpt-4.1-mini  gemini-2.0-fl…  difference  p (Holm)  better/same/worse
Success         47.50           41.25       -6.25      .300            9/57/14
80 of 115 tasks in both logs
signature  Success|infrastructure:skipped|tasks:80|data:3d00a10248|v:0.1.0
""",
    "score gemini-2.0-flash.json.gz": """\
Success 28.70, and 41.25 without infrastructure errors.
  infrastructure  35 of 115 dialogues broke off by a connection or server error;
                  they count as failures above
Success  28.70  20.87 to 37.39
115 of 115 dialogues, 115 tasks, 1 trial
signature  Success|infrastructure:failed|tasks:115|data:8bdc947491|v:0.1.0
next  dialmeter find gemini-2.0-flash.json.gz ending=infrastructure
""",
    "score gpt-4o-airline.json.gz --by ending -m Success": """\
Success 42.00; 26 of 50 tasks flip between trials.
  user  its faults go with failure in a task: +9.62, 1.92 to 19.23
                  Success  dialogues
ending=limit         0.00          5
ending=user_stop    33.33        147
ending=transfer     72.92         48
200 of 200 dialogues, 50 tasks, 4 trials
signature  Success|infrastructure:failed|trials:4|tasks:50|data:dbde4f8078|
           v:0.1.0
next  dialmeter find gpt-4o-airline.json.gz task=0
""",
    "find gemini-2.0-flash.json.gz ending=infrastructure -n 2": """\
dialogue
────────
20:0
32:0
35 dialogues found, 2 shown
""",
    "score gpt-4o-airline.json.gz -m Success -f value": "42.00\n",
    "check gpt-4o-airline.json.gz": """\
READY to be scored.
read as system, tau-bench; 200 dialogues, 50 tasks
next  dialmeter score gpt-4o-airline.json.gz
""",
}


@pytest.mark.parametrize("words", OUTPUTS)
def test_output(words: str, cli: Cli) -> None:
    done = cli(*words.split())
    assert done.out == OUTPUTS[words]
    assert "warning: gemini" not in done.err
    assert all(len(line) <= 80 for line in done.out.splitlines())


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


def test_found_dialogues_are_scored(tmp_path: Path, cli: Cli) -> None:
    ids = cli("find", "gemini-2.0-flash.json.gz", "ending=infrastructure", "-f", "ids").out
    assert len(ids.split()) == 35
    (tmp_path / "ids").write_text(ids)
    document = cli.json("score", "gemini-2.0-flash.json.gz", "--only", "ids")
    assert (document["counts"]["dialogues"], document["scores"][0]["value"]) == (35, 0.0)
    (tmp_path / "tasks").write_text("0\n7\n")
    assert cli.json("score", "gpt-4o-airline.json.gz", "--only", "tasks")["counts"]["dialogues"] == 8
    (tmp_path / "tasks").write_text("0\nnone\n")
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
def test_a_table_of_rewards(name: str, text: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / name).write_text(text)
    document = cli.json("score", name)
    assert document["format"] == "rewards"
    assert document["scores"][0]["value"] == 0.75


def test_a_reward_that_is_no_number(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "bad.csv").write_text("task,reward\na,x\n")
    assert "dialogue a:0: reward: expected a number, found 'x'" in cli("score", "bad.csv", code=2).err
