"""Cost of scoring by the size of the corpus: time, CPU time and memory from 1,000 to 1,000,000 dialogues.

Run with `python benchmarks/scale.py [--most 1000000] [--cluster]`. Each size is scored by the command line in new processes,
with one worker, with two, and with `--cluster` on two Dask workers of this machine. A million dialogues need 4 GB of disk.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.clusters import running

import corpus
from rows import Row, at_least, at_most

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WAYS = {"one worker": ("--workers", "1"), "two workers": ("--workers", "2")}
TWO_TARGET = 1.7
REPEATS = 5


def score(path: Path, *more: str) -> dict[str, Any]:
    """Run one command; return wall seconds, CPU seconds, the peak memory of the largest process, and the values."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    script = (
        "import resource, sys; from dialmeter.cli.main import cli; "
        "cli.main(sys.argv[1:], standalone_mode=False); "
        "peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]; "
        "print(max(peaks) / 1024, file=sys.stderr)"
    )
    words = [sys.executable, "-c", script, "score", str(path), "--subject", "tracker", "-f", "json", "--quiet", *more]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    return {
        "seconds": seconds,
        "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "megabytes": float(done.stderr.split()[-1]),
        "turns": found["counts"]["turns"],
        "scores": found["scores"],
    }


def limit(row: dict[str, Any]) -> float:
    """Return the memory limit of a process in megabytes."""
    return 130 + 100 * float(row["turns"]) / 2**20


def ratios(dialogues: int = 300_000, repeats: int = REPEATS) -> list[Row]:
    """Return the median ratio of two workers to one over several rounds, and the memory of the largest process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        corpus.write_corpus(path, dialogues)
        rounds = [{name: score(path, *more) for name, more in WAYS.items()} for _ in range(repeats)]
    faster = median(each["one worker"]["seconds"] / each["two workers"]["seconds"] for each in rounds)
    peak = max(each["two workers"]["megabytes"] for each in rounds)
    most = limit(rounds[0]["one worker"])
    size = f"{dialogues:,} dialogues"
    return [
        at_least(f"command line, one worker ÷ two, {size}", faster, TWO_TARGET),
        at_most(f"peak memory of two workers, {size}, MB", peak, most),
    ]


def measured(dialogues: int, folder: Path, cluster: bool) -> None:
    """Write a corpus of one size, score it with each number of workers, and print a row for each."""
    path = folder / f"{dialogues}.jsonl"
    corpus.write_corpus(path, dialogues)
    rows = {name: score(path, *more) for name, more in WAYS.items()}
    if cluster:
        place = folder / f"cluster-{dialogues}"
        place.mkdir()
        with running(place, workers=2) as processes:
            rows["Dask, two workers"] = score(path, "--cluster", processes.address)
    first = rows["one worker"]
    for name, row in rows.items():
        if row["scores"] != first["scores"]:
            raise SystemExit(f"{dialogues} dialogues, {name}: other scores than with one worker")
        print(
            f"{dialogues:>9,}  {row['turns']:>9,}  {os.path.getsize(path) / 1e6:>7.0f} MB  {name:18} {row['seconds']:>7.1f} s  "
            f"{row['processor']:>7.1f} s  {row['megabytes']:>6.0f} MB of {limit(row):.0f}  {first['seconds'] / row['seconds']:.2f} ×",
            flush=True,
        )
    path.unlink()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Cost of scoring by size.")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="The largest number of dialogues.")
    parser.add_argument("--cluster", action="store_true", help="Also on Dask, with two workers of this machine.")
    options = parser.parse_args()
    print("dialogues      turns     file  way                  clock  processors  peak and limit   against one worker")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            if size <= options.most:
                measured(size, Path(folder), options.cluster)


if __name__ == "__main__":
    main()
