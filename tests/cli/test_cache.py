"""``tracker score --cache``: the same bytes with and without, in shards, by several at once, and with nowhere to write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.simulation.files import play_to_file

from ..killing import SMALL_SHARDS
from .invoke import call, call_process, files_in
from .samples import TOWN, native_lines

SCORE = ("tracker", "score")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "town.jsonl"
    path.write_bytes(native_lines(TOWN))
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIALMETER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "dialmeter"


def entries(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / "tallies")) if folder.exists() else []


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--measure", "FGA(lam=0.2)", "--measure", "VP", "--ci", "0"),
        ("--by", "domain", "--by", "turn", "--by", "slot", "--turns", "all"),
        ("--rules", "fga-repo", "--signatures"),
        ("--json", "--by", "without-domain"),
        ("--as", "markdown", "--none", "keep"),
        ("--fail-if", "JGA < 0.9"),
    ],
)
def test_the_same_output(more: tuple[str, ...], file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = call(capsys, *SCORE, file, *more)
    assert not folder.exists()
    first = call(capsys, *SCORE, file, *more, "--cache")
    kept = files_in(folder / "tallies")
    again = call(capsys, *SCORE, file, *more, "--cache")
    assert plain == first == again
    assert len(kept) == 1
    assert files_in(folder / "tallies") == kept


def test_a_second_scoring_does_not_read(file: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, *SCORE, file, "--cache")
    [name] = entries(folder)
    # Proof that the entry is used: one that is cut off is told of.
    (folder / "tallies" / name).write_bytes(b"")
    said = call(capsys, *SCORE, file, "--cache", "--measure", "FGA(lam=3)")
    assert said.code == 0
    assert [line for line in said.err.splitlines() if "damaged" in line] == [
        f"warning: {folder / 'tallies' / name}: damaged; it is made anew"
    ]
    assert "damaged" not in call(capsys, *SCORE, file, "--cache").err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--out", "run"), "--out looks at the dialogues themselves"),
        (("--show", "d1"), "--show looks at the dialogues themselves"),
        (("--charts", "charts"), "--charts looks at the dialogues themselves"),
        (("--measure", "GCA(credit=fuzzy)"), "a measure looks at more than tallies"),
        (("--rules", "sgd"), "a measure looks at more than tallies"),
    ],
)
def test_what_is_not_kept_is_said_in_one_line(
    more: tuple[str, ...],
    why: str,
    file: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    said = call(capsys, *SCORE, file, *more, "--cache")
    assert said.code == 0
    assert said.err.count("the cache is not used") == 1
    assert f"warning: the cache is not used: {why}\n" in said.err
    assert entries(folder) == []


def test_standard_input_is_not_kept(file: Path, folder: Path) -> None:
    said = call_process(*SCORE, "-", "--cache", "--json", stdin=file.read_bytes())
    plain = call_process(*SCORE, "-", "--json", stdin=file.read_bytes())
    assert (said.code, said.out) == (0, plain.out)
    assert said.err.count("warning: the cache is not used: standard input or a pipe cannot be read twice") == 1
    assert entries(folder) == []


def test_a_pipe_is_not_read_twice(file: Path, folder: Path) -> None:
    command = f"{sys.executable} -m dialmeter tracker score <(cat {file}) --cache --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0
    assert b"cannot be read twice" in done.stderr
    assert entries(folder) == []


@pytest.mark.parametrize("variable", ["DIALMETER_CACHE", "XDG_CACHE_HOME", "HOME"])
def test_nowhere_to_write(variable: str, file: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_bytes(b"")
    variables = {"DIALMETER_CACHE": "", "XDG_CACHE_HOME": "", variable: str(taken)}
    for _ in range(2):
        said = call_process(*SCORE, file, "--cache", "--json", **variables)
        assert said.code == 0
        assert said.out == call_process(*SCORE, file, "--json").out
        assert said.err.count("nothing can be kept there") == 1
        assert "Traceback" not in said.err
    assert "kept" not in call_process(*SCORE, file, "--cache", "--json", "--quiet", **variables).err


def test_bad_input_is_one_line_with_a_cache_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b'{"dialogue_id": 1}\n')
    assert call(capsys, *SCORE, bad, "--cache") == call(capsys, *SCORE, bad)
    missing = tmp_path / "none.jsonl"
    said = call(capsys, *SCORE, missing, "--cache")
    assert said == call(capsys, *SCORE, missing)
    assert said.code == 2


def in_shards(*words: object) -> subprocess.Popen[bytes]:
    code = [sys.executable, "-c", SMALL_SHARDS, *map(str, words)]
    return subprocess.Popen(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(processes: Sequence[subprocess.Popen[bytes]]) -> list[tuple[int, bytes]]:
    found = []
    for process in processes:
        out, err = process.communicate()
        assert b"Traceback" not in err
        found.append((process.returncode, out))
    return found


def test_shards_workers_and_two_at_once(tmp_path: Path, folder: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    play_to_file(talk, goals=60, seed=11, noise=0.2, user="inventive")
    words = (*SCORE, talk, "--json", "--quiet", "--by", "domain")
    [plain] = finished([in_shards(*words, "--workers", 1)])
    assert plain[0] == 0
    # Two write the same entry at once, with two workers each; whoever comes later finds it.
    at_once = finished([in_shards(*words, "--workers", 2, "--cache") for _ in range(2)])
    assert at_once == [plain, plain]
    kept = files_in(folder / "tallies")
    assert len(kept) == 1
    assert finished([in_shards(*words, "--workers", workers, "--cache") for workers in (1, 2)]) == [plain, plain]
    assert files_in(folder / "tallies") == kept
    one = (*SCORE, f"{talk}#keyword", "--json", "--quiet", "--measure", "JGA")
    assert (
        finished([in_shards(*one, "--cache")]) == finished([in_shards(*one, "--cache")]) == finished([in_shards(*one)])
    )
    assert len(entries(folder)) == 2


def test_many_write_at_once_and_nothing_is_left_over(file: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "dialmeter", *SCORE, str(file), "--cache", "--json", "--ci", "0"]
    processes = [
        subprocess.Popen([*command, "--measure", measure], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for measure in ("JGA", "FGA(lam=1, local=code)", "JGA", "FGA(lam=1, local=code)")
    ]
    found = finished(processes)
    assert [code for code, _ in found] == [0] * 4
    assert found[0] == found[2]
    assert found[1] == found[3]
    assert len(entries(folder)) == 2
    assert not [name for name in entries(folder) if name.endswith(".part")]
