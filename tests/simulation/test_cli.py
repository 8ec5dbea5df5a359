"""``dialmeter play``: one pair, and several pairs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.progress import State, shown_by
from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, sampled, write

from ..cli.invoke import Cli, call_process, files_in
from .chat_server import Answer, chat_server, saying


def words(line: str, *more: str | Path) -> list[str | Path]:
    """Return the words of a command, and more words."""
    return [*line.split(" "), *more]


def test_play(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    said = cli(*words("play --goals 12 --set seed=7 --workers 1 --out", path))
    assert said.out.splitlines()[:2] == [
        "agenda with rule completes 12 of 12 goals.",
        "GoalCompletion  100.00  73.54 to 100.00",
    ]
    assert said.err.splitlines()[-1] == "playing: 100 % (12 of 12)"
    talks = list(open_conversations(path))
    assert [talk.id for talk in talks] == [f"town-7-{number:04}" for number in range(12)]


def test_what_is_played_is_scored_by_the_other_commands(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    cli(*words("play --goals 12 --set noise=0.2 --set seed=7 --workers 1 -q --out", path))
    user = cli.json("score", path, "--subject", "user", "--set", "profile=town")
    assert user["scores"][0]["n"] == 12
    tracker = cli.json("score", path)
    assert tracker["counts"]["dialogues"] == 12
    assert 0 < tracker["scores"][0]["value"] < 1


def test_workers_change_no_byte(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        line = words(f"play --goals 30 --set noise=0.1 --workers {workers} -q --out", tmp_path / workers)
        assert call_process(*line, PYTHONHASHSEED=workers).code == 0
    first, second = files_in(tmp_path).values()
    assert first == second


def test_goals_of_a_file(cli: Cli, tmp_path: Path) -> None:
    goals = tmp_path / "goals.json"
    attraction = {"info": {"name": "Nettle Gallery"}, "reqt": ["phone"]}
    goals.write_text(json.dumps({"g1": {"attraction": attraction, "police": {"reqt": ["phone"]}}}))
    said = cli("play", "--goals", goals, "--out", tmp_path / "t.jsonl")
    assert "warning: 1 goals have domains that the demo data does not have" in said.err
    talk = next(iter(open_conversations(tmp_path / "t.jsonl")))
    assert talk.id == "g1"
    cli("play", "--goals", tmp_path / "t.jsonl", "--out", tmp_path / "again.jsonl", "-q")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "t.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--user", "agendo"], "unknown bot 'agendo'; did you mean agenda?"),
        (["--system", "agenda"], "agenda is a user and cannot be the system"),
        (["--goals", "none.json"], "--goals none.json: not a number and not an existing file"),
        (["--goals", "0"], "--goals must be a number of goals"),
        (["--set", "noise=2"], "Invalid value for '--set noise'"),
        (
            ["--user", "endpoint"],
            "endpoint needs a language model: set DIALMETER_ENDPOINT=URL and DIALMETER_MODEL=NAME",
        ),
        (["--system", "no_such_module:Agent"], "bot no_such_module:Agent cannot be loaded"),
    ],
)
def test_bad_options(options: list[str], complaint: str, cli: Cli, tmp_path: Path) -> None:
    assert cli.refused("play", "--goals", "2", *options, "--out", tmp_path / "t.jsonl").startswith(complaint)
    assert not files_in(tmp_path)


def test_an_endpoint_that_fails_leaves_a_file_to_go_on_with(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    path = tmp_path / "talk.jsonl"
    broken = True

    def answer(number: int, body: object) -> Answer:
        return Answer(400, b"no") if broken and number == 2 else saying("Goodbye.")

    with chat_server(answer) as (url, _):
        monkeypatch.setenv("DIALMETER_ENDPOINT", url)
        monkeypatch.setenv("DIALMETER_MODEL", "tiny")
        line = words("play --user endpoint --goals 4 --workers 1 -q --out", path)
        said = cli(*line, code=3)
        assert "dialogue town-12345-0002" in said.complaint
        assert "2 of 4 dialogues are done; the same command again continues" in said.complaint
        broken = False
        done = cli(*line)
    assert "endpoint-user(model=tiny) with rule completes" in done.out


def test_without_httpx_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "httpx.py").write_text("raise ImportError")
    line = words("play --user endpoint -q --out", tmp_path / "t.jsonl")
    place = {"DIALMETER_ENDPOINT": "http://127.0.0.1:9", "DIALMETER_MODEL": "m"}
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    said = call_process(*line, PYTHONPATH=path, **place)
    assert said.code == 2
    assert said.complaint.endswith(
        "a language model at an endpoint needs an optional part: pip install 'dialmeter[llm]'"
    )


def test_an_agent_in_the_current_folder_is_found_by_every_worker(tmp_path: Path) -> None:
    source = Path(__file__).with_name("foreign_agents.py")
    (tmp_path / "my_agents.py").write_bytes(source.read_bytes())
    line = words("play --system my_agents:Parrot --goals 4 --set max-turns=3 --workers 2 --out t.jsonl -q")
    said = call_process(*line, cwd=tmp_path)
    assert said.code == 0
    assert "agenda with my_agents:Parrot completes" in said.out


CROSS = words(
    "play --user agenda --user hasty --system rule --system eager --goals 20 "
    "--set seed=7 --workers 1 --set resamples=200 -q"
)


def test_cross_as_json(cli: Cli) -> None:
    found = cli.json(*CROSS)
    assert found["counts"] == {
        **{"users": 2, "systems": 2, "goals": 20, "dialogues": 80},
        **{"turns": 573, "cut": 0, "completed": 57},
    }
    scores = {(each["measure"], each["user"], each["system"]): each for each in found["scores"]}
    assert len(scores) == 5 * 4
    for system in ("rule", "eager"):
        first, hasty = (scores["GoalCompletion", user, system] for user in ("agenda", "hasty"))
        assert first["value"] == 1
        assert first["difference"] is None
        assert hasty["difference"] == pytest.approx(hasty["value"] - first["value"])
        assert hasty["difference_ci"][0] <= hasty["difference"] <= hasty["difference_ci"][1] < 0
        assert scores["Turns", "hasty", system]["difference_ci"][1] < 0
    assert len({each["signature"] for each in found["scores"]}) == len(scores)


def test_cross_agrees_with_play_and_score(cli: Cli, tmp_path: Path) -> None:
    cross = {(each["measure"], each["user"], each["system"]): each for each in cli.json(*CROSS)["scores"]}
    path = tmp_path / "talk.jsonl"
    cli(*words("play --user hasty --system eager --goals 20 --set seed=7 -q --out", path))
    scored = cli.json("score", path, "--subject", "user", "--set", "profile=town", "-q")["scores"]
    values = {each["measure"]: each["value"] for each in scored if each["domain"] == "combined"}
    for measure in ("I-GCDF1", "R-GCDF1"):
        assert cross[measure, "hasty", "eager"]["value"] == pytest.approx(values[measure])


def test_cross_as_text_and_run(cli: Cli, tmp_path: Path) -> None:
    assert "GoalCompletion: hasty with rule, hasty with eager worse than agenda." in cli(*CROSS).out
    said = cli(*CROSS, "-v", "--out", tmp_path / "run")
    assert "goals completed, %" in said.out
    assert "|noise:0|turns:30|seed:7|rules:dialmeter|profile:town|values:exact|d:20|t:" in said.out
    assert "signature  GoalCompletion," in said.out
    assert "|user:agenda,hasty|system:rule,eager|" in said.out
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"run.json", "document.json"} <= names
    cli("report", tmp_path / "run", "-o", tmp_path / "page.html", "-q")
    assert "goals completed" in (tmp_path / "page.html").read_text("utf-8").lower()


def test_one_pair_needs_a_file(cli: Cli) -> None:
    assert cli.refused("play", "--goals", "2").startswith(
        "play writes dialogues to a file; type: dialmeter play --goals 2 -o "
    )


def test_cross_with_the_same_agent_twice(cli: Cli) -> None:
    complaint = cli.refused("play", "--user", "agenda", "--user", " agenda ", "--goals", "2", "-q")
    assert complaint == "agenda is given twice; give each bot once"


TASKS = sampled(25, 7)
SETTING = Setting(choose("agenda", "user"), choose("rule", "system"), 0.1, 7)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "talk.jsonl"
    assert write(path, TASKS, SETTING) == 25
    assert sorted(each.name for each in path.parent.iterdir()) == ["talk.jsonl"]
    return path.read_bytes()


def _stopped_after(path: Path, count: int) -> None:
    """Leaves the file as a run leaves it that is interrupted."""

    def stop(items: Iterable[Any], doing: str, state: State, every: int) -> Iterator[Any]:
        yield from islice(items, count)
        raise KeyboardInterrupt

    token = shown_by.set(stop)
    with pytest.raises(KeyboardInterrupt):
        write(path, TASKS, SETTING)
    shown_by.reset(token)


@pytest.mark.parametrize("count", [0, 1, 12, 24])
@pytest.mark.parametrize("torn", [b"", b'{"dialogue_id": "to'])
def test_going_on(tmp_path: Path, whole: bytes, count: int, torn: bytes) -> None:
    path = tmp_path / "talk.jsonl"
    _stopped_after(path, count)
    assert not path.exists()
    part = tmp_path / "talk.jsonl.parts"
    if count:
        assert part.read_bytes().count(b"\n") == count + 1
        with part.open("ab") as file:
            file.write(torn)
    write(path, TASKS, SETTING)
    assert path.read_bytes() == whole
    assert sorted(each.name for each in tmp_path.iterdir()) == ["talk.jsonl"]


def test_a_killed_process(tmp_path: Path) -> None:
    """The real thing: the command with two workers, killed hard as soon as it has written something."""
    line = "-m dialmeter play --goals 600 --set seed=7 --workers 2 --quiet"
    words = [sys.executable, *line.split(" ")]
    path, part = tmp_path / "talk.jsonl", tmp_path / "talk.jsonl.parts"
    with subprocess.Popen([*words, "--out", str(path)], stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None and not (part.exists() and part.stat().st_size > 100_000):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert 1 < part.read_bytes().count(b"\n") <= 600
    subprocess.run([*words, "--out", str(path)], check=True, stdout=subprocess.DEVNULL)
    other = tmp_path / "other.jsonl"
    subprocess.run([*words, "--out", str(other), "--workers", "1"], check=True, stdout=subprocess.DEVNULL)
    assert path.read_bytes() == other.read_bytes()


def test_what_is_there_is_not_overwritten(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text("precious")
    with pytest.raises(DialmeterError, match="already exists; use --force to replace it"):
        write(path, TASKS, SETTING)
    assert path.read_text() == "precious"
    write(path, TASKS, SETTING, force=True)
    assert path.read_bytes() == whole


def test_an_unfinished_file_is_gone_on_with_only_by_its_own_setting(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    _stopped_after(path, 3)
    other = Setting(choose("hasty", "user"), choose("rule", "system"), 0.1, 7)
    with pytest.raises(DialmeterError, match="other bots, goals or settings"):
        write(path, TASKS, other)
    with pytest.raises(DialmeterError, match="other bots, goals or settings"):
        write(path, TASKS[:20], SETTING)
    write(path, TASKS, SETTING)


def test_folder_in_place_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="is a folder"):
        write(tmp_path, TASKS, SETTING)
