# ruff: noqa: T201
"""Runs many mutated inputs: ``python -m tests.fuzz.run --inputs 1000000 --seed 1 --workers 2 --log benchmarks/fuzz.txt``.

Inputs run in forked children, a chunk in each, so that nothing that one leaves in memory lasts. An input depends on the seed and its
number only: one that fails can be made again with ``--only NUMBER``. Ended chunks are kept in ``--state``, and a second call goes on.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..golden.execution import stand_in
from .attempt import attempt, draw_input, execute, peak_megabytes
from .samples import write_samples
from .targets import Target, targets

CHUNK = 2_000
HANGS = 30
"""Seconds of CPU after which an input is stopped."""
ADDRESSES = 4 << 30
"""Bytes of address space that a chunk may add to what is imported, so that a mistake does not take the machine along."""


def run_chunk(
    first: int, last: int, seed: int, samples: Path, current: Path | None = None, kind: str = ""
) -> dict[str, Any]:
    """Runs inputs in a separate folder, in this process: counts, the worst CPU time, troubles."""
    every = _chosen(kind)
    counts: Counter[str] = Counter()
    troubles: list[dict[str, Any]] = []
    worst, slowest = 0.0, ""
    with tempfile.TemporaryDirectory(prefix="dialmeter-fuzz-") as place:
        folder = Path(place).resolve() / "town"
        shutil.copytree(samples, folder)
        with stand_in(folder):
            originals = {target.path: Path(target.path).read_bytes() for target in every}
            for number in range(first, last):
                target, command, data, changes = draw_input(number, seed, every, originals)
                if current:
                    current.write_text(str(number))
                    signal.setitimer(signal.ITIMER_PROF, HANGS)
                found = attempt(target, command, data, changes, originals[target.path])
                counts[f"{target.kind}\t{found.code}"] += 1
                if found.seconds > worst:
                    worst, slowest = found.seconds, f"{number}: {target.kind}: {command}: {changes}"
                if found.trouble:
                    troubles.append({"number": number, **found._asdict()})
    return {
        "first": first, "last": last, "counts": dict(counts), "worst": worst, "slowest": slowest,
        "megabytes": peak_megabytes(), "troubles": troubles,
    }  # fmt: skip


def _chosen(kind: str) -> list[Target]:
    return [target for target in targets() if kind in target.kind]


def _once(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A method of a click command that works once for each command."""
    made: dict[int, Any] = {}

    def kept(self: click.Command, context: click.Context) -> Any:
        if id(self) not in made:
            made[id(self)] = method(self, context)
        return made[id(self)]

    return kept


def keep_constant_parts() -> None:
    """Makes once in this process what no input changes, and what takes a quarter of the time of small inputs.

    These are the parsers of the command lines, which are the same for all inputs, and the certificates for TLS.
    """
    click.Command.get_params = _once(click.Command.get_params)  # type: ignore[method-assign]
    click.Command.make_parser = _once(click.Command.make_parser)  # type: ignore[method-assign]
    context = ssl.create_default_context()
    ssl.create_default_context = lambda *_, **__: context


def all_command_lines() -> dict[str, set[str]]:
    """Every command line once, and the kinds of files that it reads."""
    found: dict[str, set[str]] = {}
    for target in targets():
        for command in target.commands:
            found.setdefault(command.replace("{}", target.path), set()).add(target.kind)
    return found


def warm_up(samples: Path) -> None:
    """Imports all that commands import, so that children have it from the start."""
    with stand_in(samples.resolve()):
        for command in all_command_lines():
            execute(command, "")


def _child(first: int, last: int, seed: int, samples: Path, result: Path, kind: str) -> None:
    imported = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (imported + ADDRESSES, imported + ADDRESSES))
    keep_constant_parts()
    found = run_chunk(first, last, seed, samples, result.with_suffix(".current"), kind)
    result.with_suffix(".part").write_text(json.dumps(found))
    os.replace(result.with_suffix(".part"), result)


def run_all(inputs: int, seed: int, workers: int, state: Path, kind: str = "") -> list[dict[str, Any]]:
    """Runs all chunks that are not done yet; what every chunk came to, in order."""
    state = (state / kind.replace(" ", "-")).resolve()  # inputs run in another folder
    samples = state / "samples"
    if not samples.is_dir():
        (state / "making").mkdir(parents=True, exist_ok=True)
        write_samples((state / "making").resolve())
        (state / "making").rename(samples)
    warm_up(samples)
    gc.freeze()  # children need not look at what is imported
    results = {first: state / f"{seed}-{first}-{min(first + CHUNK, inputs)}.json" for first in range(0, inputs, CHUNK)}
    waiting = [first for first, result in results.items() if not result.exists()]
    running: dict[int, int] = {}
    started = time.monotonic()
    while waiting or running:
        while waiting and len(running) < workers:
            first = waiting.pop(0)
            sys.stdout.flush()
            child = os.fork()
            if not child:
                try:
                    _child(first, min(first + CHUNK, inputs), seed, samples, results[first], kind)
                finally:
                    os._exit(0 if results[first].exists() else 1)
            running[child] = first
        child, status = os.wait()
        first = running.pop(child)
        if status:
            _record_death(first, min(first + CHUNK, inputs), status, results[first])
        done = sum(result.exists() for result in results.values())
        found = json.loads(results[first].read_text())
        for each in found["troubles"]:
            print(f"  {each['number']}: {each['kind']}: {each['command']}: {each['changes']}: {each['trouble'][:300]}")
        minutes = (time.monotonic() - started) / 60
        print(
            f"{done} of {len(results)} chunks, {minutes:.1f} min, {len(found['troubles'])} troubles in this one",
            flush=True,
        )
    return [json.loads(result.read_text()) for result in results.values()]


def _record_death(first: int, last: int, status: int, result: Path) -> None:
    """A child that was killed: the input is the trouble, and the rest of its chunk is not done."""
    current = result.with_suffix(".current")
    number = int(current.read_text()) if current.exists() else first
    trouble = {"number": number, "kind": "killed", "command": "", "changes": "", "code": status, "seconds": 0, "trouble": f"the process ended with status {status}"}  # fmt: skip
    found = {"first": first, "last": last, "counts": {f"killed\t{status}": 1}, "worst": 0, "slowest": "", "megabytes": 0, "troubles": [trouble]}  # fmt: skip
    result.write_text(json.dumps(found))


def write_log(found: list[dict[str, Any]], seed: int, path: Path) -> None:
    """Counts by kind and outcome, the worst CPU time, the most memory, and what was wrong."""
    counts: Counter[str] = Counter()
    for chunk in found:
        counts.update(chunk["counts"])
    kinds = sorted({key.partition("\t")[0] for key in counts})
    codes = sorted({key.partition("\t")[2] for key in counts})
    troubles = [each for chunk in found for each in chunk["troubles"]]
    slowest = max(found, key=lambda chunk: chunk["worst"])
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    lines = [
        f"inputs {sum(counts.values())}, seed {seed}, commit {commit.strip() or 'unknown'}, Python {sys.version.split()[0]}",
        f"troubles {len(troubles)}",
        f"worst CPU time {slowest['worst']:.2f} s ({slowest['slowest']})",
        f"most memory of a process {max(chunk['megabytes'] for chunk in found):.0f} MB",
        "",
        f"{'kind':36}" + "".join(f"{'exit ' + code:>10}" for code in codes),
        *(f"{kind:36}" + "".join(f"{counts[f'{kind}{chr(9)}{code}']:>10}" for code in codes) for kind in kinds),
        f"{'all':36}" + "".join(f"{sum(counts[f'{kind}{chr(9)}{code}'] for kind in kinds):>10}" for code in codes),
        *(f"{each['number']}: {each['kind']}: {each['command']}: {each['changes']}: {each['trouble']}" for each in troubles),
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    """Exit code 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--state", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--log", type=Path)
    parser.add_argument("--kind", default="", help="only files whose kind contains this text, such as 'tracker run'")
    parser.add_argument("--only", type=int, help="one input: write its file and say what comes of it")
    given = parser.parse_args()
    if given.only is not None:
        return show(given.only, given.seed, given.kind)
    found = run_all(given.inputs, given.seed, given.workers, given.state, given.kind)
    if given.log:
        write_log(found, given.seed, given.log)
    return int(any(chunk["troubles"] for chunk in found))


def show(number: int, seed: int, kind: str) -> int:
    """Makes one input again in a folder that stays."""
    folder = Path(tempfile.mkdtemp(prefix="dialmeter-fuzz-")).resolve()
    write_samples(folder)
    every = _chosen(kind)
    with stand_in(folder):
        originals = {target.path: Path(target.path).read_bytes() for target in every}
        target, command, data, changes = draw_input(number, seed, every, originals)
        found = attempt(target, command, data, changes, originals[target.path])
        Path(target.path).write_bytes(data)
    print(f"cd {folder}; dialmeter {command.replace('{}', target.path)}\n{found}")
    return int(bool(found.trouble))


if __name__ == "__main__":
    sys.exit(main())
