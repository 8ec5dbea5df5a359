"""Kills commands at random moments, resumes them, and compares the output with that of an undisturbed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from .simulation.played import play_to_file

SMALL_SHARDS = (
    "import sys, dialmeter.readers.conversations, dialmeter.readers.corpus, dialmeter.readers.source as shards; "
    "shards.spans.__defaults__ = (60_000,); "
    "from dialmeter.cli.main import run; run(sys.argv[1:])"
)
"""The command line with shards so small that a test's file has several."""
NO_CACHE = {**os.environ, "DIALMETER_NO_CACHE": "1"}


class Killed(NamedTuple):
    """What came of one kill: was there something to go on with, and are the bytes those of an undisturbed run?"""

    seed: int
    after: float
    began: bool
    finished: bool
    same: bool


class Command(NamedTuple):
    """A command that writes to ``--out`` and can be gone on with."""

    name: str
    words: Sequence[str | Path]

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        words = [*map(str, self.words), "--quiet", "--out", str(out)]
        return subprocess.Popen(
            [sys.executable, "-c", SMALL_SHARDS, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=NO_CACHE,
        )

    def run(self, out: Path, again: bool = False) -> float:
        """Runs it to its end, and says how long that took. ``again``: a run that was killed, perhaps after its last file."""
        begun = time.monotonic()
        process = self.start(out)
        _, complaint = process.communicate()
        there = again and any(words in complaint for words in (b"holds a finished run", b"already exists"))
        assert process.returncode == 0 or there, f"{self.name}: {complaint.decode()}"
        return time.monotonic() - begun


def commands(folder: Path, dialogues: int = 120) -> list[Command]:
    """The commands that run long, on dialogues of the town."""
    talk, cases = folder / "talk.jsonl", folder / "cases.jsonl"
    play_to_file(talk, goals=dialogues, seed=3, noise=0.1)
    attack = ["judge", "attack", talk, "--set", "light", "--limit", "25", "--quiet", "--out", cases]
    subprocess.run(
        [sys.executable, "-m", "dialmeter", *map(str, attack)], check=True, stdout=subprocess.DEVNULL, env=NO_CACHE
    )
    attacks = [word for name in ("contradiction", "pronoun", "repetition", "speaker") for word in ("--attack", name)]
    judges = ("--judge", "ngram-coherence", "--judge", "ngram-fluency", "--judge", "overlap")
    return [
        Command("score", ("score", talk, "--workers", "2")),
        Command("play", ("play", "--goals", str(dialogues), "--set", "seed=3", "--set", "noise=0.1", "--workers", "2")),
        Command("judge score", ("score", cases, *judges)),
        Command("judge score with workers", ("score", cases, *judges, "--workers", "2")),
        Command(
            "judge attack",
            ("judge", "attack", talk, *attacks, "--set", "light", "--limit", "100", "--workers", "2"),
        ),
    ]


def killings(
    command: Command, folder: Path, seeds: Sequence[int], told: Callable[[Killed], None] = lambda _: None
) -> list[Killed]:
    """Kills a command once for every seed, each time with another output, and resumes it."""
    whole = folder / "whole"
    seconds = command.run(whole)
    wanted = contents(whole)
    found = []
    for seed in seeds:
        out = folder / f"killed-{seed}"
        after = Random(f"{command.name} {seed}").uniform(0.3, 1.0) * seconds
        process = command.start(out)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        finished = process.returncode == 0
        places = [out.with_name(out.name + end) for end in ("", ".part", ".parts")]
        began = not finished and any(map(contents, places))
        if not finished:
            command.run(out, again=True)
        found.append(Killed(seed, after, began, finished, contents(out) == wanted))
        told(found[-1])
    return found


def contents(out: Path) -> dict[str, bytes]:
    """All bytes that a command left, but for the log of when and where it ran."""
    if out.is_file():
        return {"": out.read_bytes()}
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "log.json")
    return {str(path.relative_to(out)): path.read_bytes() for path in files}
