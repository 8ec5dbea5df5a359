"""Several processes with the same target: one writes it, the others get a one-line error. All can write a shared cache without loss."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.core.lock import Lock
from dialmeter.core.open_runs import open_run
from dialmeter.core.output import Store
from dialmeter.errors import DialmeterError
from dialmeter.judges.ask import stored_scores

from ..cli.invoke import CommandResult, call_process, files_in
from ..cli.samples import native_lines, written

DIALOGUES = 3000
REFUSED = ("is being written by process", "holds a finished run", "already exists", "is being written by another")

DYING = (
    "import os, sys\n"
    "from dialmeter.core import run_writer\n"
    "from dialmeter.core.output import Checkpoint\n"
    "from dialmeter.cli.main import run\n"
    "def dying(method, last):\n"
    "    calls = []\n"
    "    def call(self, *words, **more):\n"
    "        method(self, *words, **more)\n"
    "        calls.append(1)\n"
    "        if len(calls) == last: os._exit(9)\n"
    "    return call\n"
    "run_writer.RowPart.flush = dying(run_writer.RowPart.flush, 3)\n"
    "Checkpoint.add = dying(Checkpoint.add, 40)\n"
    "run(sys.argv[1:])\n"
)
"""The command line, killed when some rows are on disk."""


def run_concurrently(count: int, *words: str | Path) -> list[CommandResult]:
    """Start a command several times concurrently, and return all outcomes."""
    command = [sys.executable, "-m", "dialmeter", *map(str, words)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(count)]
    ended = [(process, *process.communicate()) for process in started]
    return [CommandResult(process.returncode, out.decode(), err.decode()) for process, out, err in ended]


def check_one_succeeded(results: Sequence[CommandResult]) -> None:
    """Check that at least one process succeeded, and that the others were refused."""
    assert any(each.code == 0 for each in results)
    for each in results:
        assert each.code == 0 or (each.code == 2 and any(words in each.complaint for words in REFUSED)), each


def without_log(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files_in(folder).items() if not name.endswith("log.json")}


@pytest.mark.parametrize("count", [2, 5])
def test_resuming_one_run(count: int, tmp_path: Path) -> None:
    turns = [{"gold": {"a-b": "1"}, "pred": {"a-b": "2"}, "user": "hello"}]
    file = written(tmp_path / "p.jsonl", native_lines({f"d{number}": turns for number in range(DIALOGUES)}))
    words = ["score", file, "--quiet", "--set", "ci=0", "--out"]
    assert call_process(*words, tmp_path / "whole").code == 0
    run = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", DYING, *map(str, words), str(run)], check=False, capture_output=True)
    assert killed.returncode == 9
    check_one_succeeded(run_concurrently(count, *words, run))
    assert without_log(run) == without_log(tmp_path / "whole")
    assert sum(1 for _ in open_run(run)) == DIALOGUES == len(open_run(run).index()["offset"])


@pytest.mark.parametrize("count", [2, 5])
def test_resuming_one_file_of_dialogues(count: int, tmp_path: Path) -> None:
    words = ["play", "--goals", "120", "--quiet", "--workers", "1", "--out"]
    assert call_process(*words, tmp_path / "whole.jsonl").code == 0
    path = tmp_path / "talk.jsonl"
    killed = subprocess.run([sys.executable, "-c", DYING, *words, str(path)], check=False, capture_output=True)
    assert killed.returncode == 9
    check_one_succeeded(run_concurrently(count, *words, path))
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["talk.jsonl", "whole.jsonl"]


@pytest.mark.parametrize("count", [2, 5])
def test_one_report(count: int, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d": [{"gold": {"a-b": "1"}, "pred": {}}]}))
    assert call_process("score", file, "--quiet", "--out", tmp_path / "run").code == 0
    assert call_process("report", tmp_path / "run", "--out", tmp_path / "whole.md", "--quiet").code == 0
    check_one_succeeded(run_concurrently(count, "report", tmp_path / "run", "--out", tmp_path / "page.md"))
    check_one_succeeded(run_concurrently(count, "report", tmp_path / "run", "-f", "markdown"))
    for page in (tmp_path / "page.md", tmp_path / "run" / "report.md"):
        assert page.read_bytes() == (tmp_path / "whole.md").read_bytes()
    assert not [*tmp_path.rglob("*.lock"), *tmp_path.rglob("*.part")]


REPORTING = (
    "import sys\n"
    "from dialmeter.cli.main import run\n"
    "for _ in range(3):\n"
    "    try: run(['report', sys.argv[1], '--out', sys.argv[2], '--force', '--quiet'])\n"
    "    except SystemExit as stop: assert stop.code in (0, 2), stop.code\n"
)


@pytest.mark.parametrize("count", [2, 5])
def test_report_with_several_writers(count: int, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d": [{"gold": {"a-b": "1"}, "pred": {}}]}))
    assert call_process("score", file, "--quiet", "--out", tmp_path / "run").code == 0
    page = tmp_path / "page.md"
    assert call_process("report", tmp_path / "run", "--out", page, "--quiet").code == 0
    whole = page.read_bytes()
    command = [sys.executable, "-c", REPORTING, str(tmp_path / "run"), str(page)]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(count)]
    while any(process.poll() is None for process in started):
        assert page.read_bytes() == whole
    assert [process.returncode for process in started] == [0] * count


APPENDING = (
    "import sys\n"
    "from dialmeter.judges.ask import stored_scores\n"
    "for number in range(60):\n"
    "    store = stored_scores(sys.argv[1], 'judge')\n"
    "    store.add({f'{sys.argv[2]}-{number}-{each}': 1.0 for each in range(number * 5)})\n"
    "    store.add({f'{sys.argv[2]}-{number}': 1.0})\n"
)


@pytest.mark.parametrize("count", [2, 5])
def test_one_store(count: int, tmp_path: Path) -> None:
    """Each process writes 60 short and 60 long lines. No line is lost, and no process hangs.

    This prevents unsafe ways of appending with several processes, such as reading all lines and writing them again. The two tests
    below cover bugs that existed.
    """
    commands = [[sys.executable, "-c", APPENDING, str(tmp_path / "cache"), str(number)] for number in range(count)]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for command in commands]
    assert [(process.communicate()[1], process.returncode) for process in started] == [(b"", 0)] * count
    assert len(stored_scores(tmp_path / "cache", "judge").values) == count * (60 + sum(range(0, 300, 5)))


BEGINNING = (
    "import os, sys\n"
    "from dialmeter.judges.ask import stored_scores\n"
    "os.fsync = lambda file: None\n"
    "print('ready', flush=True)\n"
    "sys.stdin.readline()\n"
    "for number in range(400): stored_scores(sys.argv[1], f'judge {number}').add({sys.argv[2]: 1.0})\n"
)


@pytest.mark.parametrize("count", [2, 5])
def test_several_processes_create_one_store(count: int, tmp_path: Path) -> None:
    """Each process may write the first line of a new file. A bug wrote it twice in about one of 30 files, which was then unreadable."""
    commands = [[sys.executable, "-c", BEGINNING, str(tmp_path), str(number)] for number in range(count)]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) for command in commands
    ]
    for process in started:
        assert process.stdout.readline() == b"ready\n"
    for process in started:
        process.stdin.write(b"go\n")
    for process in started:
        process.communicate()
        assert process.returncode == 0
    for number in range(400):
        assert len(stored_scores(tmp_path, f"judge {number}").values) == count


@pytest.mark.parametrize("head", [b"", b'{"judge": 1}\n'])
def test_incomplete_line_in_store(head: bytes, tmp_path: Path) -> None:
    """A bug: a reader cut an incomplete line, or ended it, while another process was writing the rest."""
    file = tmp_path / "store.jsonl"

    def known() -> dict[str, float]:
        return Store(file, float, "a number", head).values

    Store(file, float, "a number", head).add({"a": 1.0})
    last = file.read_bytes().splitlines(keepends=True)[-1]
    with file.open("ab", buffering=0) as writer:
        writer.write(last[:5])
        assert known() == {"a": 1.0}
        writer.write(last[5:])
    assert file.read_bytes().endswith(last + last)
    assert known() == {"a": 1.0}
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"b":')
    Store(file, float, "a number", head).add({"c": 2.0})
    assert file.read_bytes() == whole + b'{"c":2.0}\n'


def test_damaged_line_of_store(tmp_path: Path) -> None:
    file = tmp_path / "store.jsonl"
    Store(file, float, "a number").add({"a": 1.0})
    file.write_bytes(b"[1, 2]\n" + file.read_bytes() + b'{"torn')
    Store(file, float, "a number", skip_damaged=True).add({"b": 1.0})
    assert Store(file, float, "a number", skip_damaged=True).values == {"a": 1.0, "b": 1.0}
    with pytest.raises(DialmeterError, match="line 1: not a number"):
        _ = Store(file, float, "a number").values
    with pytest.raises(DialmeterError, match="cannot be written"):
        Store(file / "below", float, "a number").add({"a": 1.0})


class TestLock:
    """The lock of a target."""

    def test_second_lock_refused(self, tmp_path: Path) -> None:
        with Lock(tmp_path / "x"), pytest.raises(DialmeterError, match=r"x: is being written by process \d+ on "):
            Lock(tmp_path / "x")
        Lock(tmp_path / "x").release()
        assert not list(tmp_path.iterdir())

    def test_lock_of_dead_process(self, tmp_path: Path) -> None:
        code = "import os, sys, pathlib; from dialmeter.core.lock import Lock; lock = Lock(pathlib.Path(sys.argv[1])); os._exit(0)"
        subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], check=True)
        assert json.loads((tmp_path / ".x.lock").read_bytes())["pid"]
        Lock(tmp_path / "x").release()

    def test_lock_of_other_machine(self, tmp_path: Path) -> None:
        (tmp_path / ".x.lock").write_text('{"pid": 7, "host": "elsewhere"}')
        with pytest.raises(DialmeterError, match=r"process 7 on another machine, elsewhere; .* remove .*\.x\.lock"):
            Lock(tmp_path / "x")
        (tmp_path / ".x.lock").unlink()
        Lock(tmp_path / "x").release()

    @pytest.mark.parametrize("content", ["", "{", '{"pid": "x"}'])
    def test_incomplete_lock_file(self, content: str, tmp_path: Path) -> None:
        (tmp_path / ".x.lock").write_text(content)
        Lock(tmp_path / "x").release()
        assert not list(tmp_path.iterdir())

    def test_folder_created_by_lock(self, tmp_path: Path) -> None:
        with Lock(tmp_path / "a" / "b", folder=True):
            assert (tmp_path / "a" / "b" / ".lock").exists()
        assert not list(tmp_path.iterdir())
        (tmp_path / "c").mkdir()
        with Lock(tmp_path / "c" / "d", folder=True):
            (tmp_path / "c" / "d" / "mine").touch()
        assert [path.name for path in (tmp_path / "c" / "d").iterdir()] == ["mine"]
