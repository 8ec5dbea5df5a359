"""Every command that writes ends, or has a full disk, at every file operation; then it goes on, and leaves the same bytes.

Run with ``python benchmarks/crash_points.py``. Each point is a forked process, so that what was imported once is there.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import NamedTuple

from dialmeter.cli.main import run
from dialmeter.core import run_writer
from dialmeter.core.open_runs import file_of_run
from dialmeter.readers import source

from ..golden.execution import stand_in
from ..golden.logs import write_logs, write_ratings
from ..simulation.played import play_to_file
from .failing_disk import KILLED, NEEDS_SPACE, FailingDisk, Failure
from .scenarios import ATTACK, Scenario
from .sheets import fill_sheet

_RUN_FILES = ("run.json", "rows.jsonl", "index.npz", "findings.npz")
_DONE = re.compile(r"holds a finished run|already exists|is not (?:an )?empty")
"""What a command says that is gone on with although it had come to its end."""
_SECONDS = re.compile(rb'"seconds":\s*[\d.e-]+')


class Point(NamedTuple):
    """What came of one failure; no trouble if all is as it should be."""

    number: int
    operation: str
    how: Failure
    trouble: str


def memory_folder() -> str | None:
    """Where files are in memory, so that flushing costs nothing; None where there is no such place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def write_inputs(folder: Path) -> None:
    """Writes what the scenarios read."""
    folder.mkdir()
    play_to_file(folder / "talk.jsonl", goals=9, seed=3, noise=0.1)
    play_to_file(folder / "other.jsonl", goals=5, seed=4, noise=0.3)
    lines = (folder / "other.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "few.jsonl").write_bytes(b"".join(lines[:2]))
    (folder / "two.jsonl").write_bytes(b"".join(lines[:2]).replace(b'"wednesday"', b'"thursday"'))
    (folder / "ratios.csv").write_text("file,ratio,seed,domain\nfew.jsonl,0.1,1,\ntwo.jsonl,0.01,1,\n")
    (folder / "right.jsonl").write_text(
        '{"dialogue_id":"a","turns":[{"turn":0,"gold":{"a-b":"1"},"pred":{"a-b":"1"}}]}\n', "utf-8"
    )
    ratings = [
        f"USER\t{text}\t\t{score},3,3\nSYSTEM\tyes\t\t" for text, score in (("thanks", 4), ("no", 2), ("well", 3))
    ]
    talk = "\n".join(["", *ratings, "USER\tOVERALL\t\t3,3,3"])
    (folder / "ratings.txt").write_text("\n".join([talk] * 12) + "\n", "utf-8")
    with stand_in(folder):
        write_logs()
        write_ratings()
    for words in (
        f"{ATTACK.replace('../input/', '')} cases.jsonl",
        "score few.jsonl --subject tracker --set ci=0 -q --out run",
        "study people few.jsonl --make-sheet rated.csv -q",
        "study audit few.jsonl two.jsonl -q --make-sheet audited.csv",
        "study people cases.jsonl -q --make-sheet verdicts.csv",
    ):
        _expect(_forked(words, folder), words)
    fill_sheet(folder / "audited.csv", "wrong")
    fill_sheet(folder / "verdicts.csv", "valid")
    fill_sheet(folder / "rated.csv", "3", "rating")


def points_of(scenario: Scenario, place: Path, sample: int | None = None) -> Iterator[Point]:
    """Fails at every operation of a command, or at some, and goes on.

    Args:
        scenario: the command.
        place: a folder with ``input`` in it.
        sample: how many points; all without it.

    Raises:
        RuntimeError: the command fails even if nobody disturbs it.
    """
    template, whole = place / "template", place / "whole"
    template.mkdir()
    for words in scenario.before:
        _expect(_forked(words, template), words)
    shutil.copytree(template, whole)
    # In this process, so that what it imports is there for all that follow.
    _expect(_forked(scenario.words, whole, scenario.shards, here=True), scenario.words)
    wanted, readable = contents(whole), {_readable(each, scenario.kept) for each in (template, whole)}
    counted = place / "counted"
    shutil.copytree(template, counted)
    told = place / "operations"
    _expect(_forked(scenario.words, counted, scenario.shards, FailingDisk(counted), told), scenario.words)
    operations = told.read_text().split()
    chosen: list[tuple[int, Failure]] = [(at, "kill") for at in range(len(operations))]
    chosen += [(at, "full") for at, kind in enumerate(operations) if kind in NEEDS_SPACE]
    most = min(each for each in (sample, scenario.most, len(chosen)) if each is not None)
    if most < len(chosen):
        chosen = sorted(Random(scenario.name).sample(chosen, most))
    for at, how in chosen:
        work = place / "work"
        shutil.copytree(template, work)
        code, said = _forked(scenario.words, work, scenario.shards, FailingDisk(work, at, how))
        trouble = _trouble(code, said, how)
        if not trouble and _readable(work, scenario.kept) not in readable:
            trouble = f"{scenario.kept} is neither the old one nor the new one"
        if not trouble:
            again = f"{scenario.words.replace(' --force', '')} {scenario.again}"
            code, said = _forked(again, work, scenario.shards)
            if _DONE.search(said) and scenario.before and contents(work) == contents(template):
                # Nothing had begun, and the older one is untouched.
                code, said = _forked(scenario.words, work, scenario.shards)
            if code and not _DONE.search(said):
                trouble = f"going on: exit code {code}, {said}"
            elif contents(work) != wanted:
                trouble = f"other bytes: {_differences(contents(work), wanted)}"
        yield Point(at, operations[at], how, trouble)
        shutil.rmtree(work)


def _trouble(code: int, said: str, how: Failure) -> str:
    if how == "kill":
        return "" if code in (KILLED, 0) else f"exit code {code}: {said}"
    lines = said.splitlines()
    fine = code == 0 or (code in (2, 3) and len(lines) == 1 and lines[0].startswith("dialmeter: "))
    return "" if fine and "internal error" not in said else f"exit code {code}: {said}"


def _readable(folder: Path, name: str) -> tuple[bytes | None, ...]:
    """A run, file or folder as somebody sees who opens it now."""
    path = folder / name
    if not name or not path.exists():
        return ()
    if path.is_file():
        return (path.read_bytes(),)
    if (path / "run.json").exists():
        return tuple(file_of_run(path, each).read_bytes() for each in _RUN_FILES)
    shown = contents(path).items()
    return tuple(data for name, data in shown if name != "notes.jsonl" and not name.startswith("."))


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, but for the log of when and where a run was made, and how long a judge took."""
    return {
        str(path.relative_to(folder)): _SECONDS.sub(b"", path.read_bytes()) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != "log.json"
    }


def _differences(found: dict[str, bytes | None], wanted: dict[str, bytes | None]) -> str:
    return ", ".join(sorted(name for name in {*found, *wanted} if found.get(name, 0) != wanted.get(name, 0)))


def _expect(ended: tuple[int, str], words: str) -> None:
    if ended[0]:
        raise RuntimeError(f"{words}: exit code {ended[0]}: {ended[1]}")


def _forked(
    words: str,
    folder: Path,
    small_shards: bool = False,
    disk: FailingDisk | None = None,
    told: Path | None = None,
    here: bool = False,
) -> tuple[int, str]:
    """Runs a command in a separate process, and returns its exit code and its error message."""
    if here:
        # Somewhere else first, so that this process has imported all that the command needs.
        warm = folder.with_name("warm")
        shutil.copytree(folder, warm)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            _run_quietly(words.split(), warm, small_shards, None)
        shutil.rmtree(warm)
    complaints = folder.with_name("complaints")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        code = 99
        try:
            null, file = os.open(os.devnull, os.O_WRONLY), os.open(complaints, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(file, 2)
            # Not what pytest put in their place.
            sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w", closefd=False)) for number in (1, 2))
            code = _run_quietly(words.split(), folder, small_shards, disk)
            if told and disk:
                told.write_text(" ".join(disk.operations))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), complaints.read_text("utf-8", "replace").strip()


def _run_quietly(words: Sequence[str], folder: Path, small_shards: bool, disk: FailingDisk | None) -> int:
    before, default, batch = Path.cwd(), source.spans.__defaults__, run_writer._BATCH
    os.environ["DIALMETER_NO_CACHE"] = "1"
    run_writer._BATCH = 4
    os.chdir(folder)
    if small_shards:
        source.spans.__defaults__ = (20_000,)
    if disk is not None:
        disk.install()
    try:
        run(list(words))
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        os.chdir(before)
        del os.environ["DIALMETER_NO_CACHE"]
        source.spans.__defaults__ = default
        run_writer._BATCH = batch
    return 0
