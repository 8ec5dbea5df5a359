"""Speed and memory of the paired bootstrap.

Run with `python benchmarks/stats_speed.py`. It prints the speed-up of 10,000 paired resamples of 1,000
dialogues with 30 columns per system over a plain Python loop and over a numpy loop over resamples (both timed on a part
of the resamples and scaled up). Then it prints time and peak memory of the same for 100,000 dialogues.
"""

import random
import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from dialmeter.stats.formulas import Floats, Formula, ratio
from dialmeter.stats.resampling import PairedDraws, paired_bootstrap
from rows import Row, at_least, at_most

COLUMNS = 30
RESAMPLES = 10_000
FORMULAS: dict[str, Formula] = {f"m{k}": ratio(2 * k, 2 * k + 1) for k in range(COLUMNS // 2)}


def systems(dialogues: int) -> tuple[Floats, Floats]:
    """Return two systems with counts of right turns and turns for fifteen measures."""
    generator = np.random.default_rng(1)
    pair = []
    for _ in range(2):
        turns = generator.integers(1, 16, size=(dialogues, COLUMNS // 2))
        right = generator.binomial(turns, 0.6)
        pair.append(np.stack([right, turns], axis=2).reshape(dialogues, COLUMNS).astype(np.float64))
    return pair[0], pair[1]


def python_loop(first: list[list[float]], second: list[list[float]], resamples: int) -> list[list[float]]:
    """Resample with a plain loop: draw dialogues, add up each column, divide."""
    draw = random.Random(1)
    n = len(first)
    differences = []
    for _ in range(resamples):
        drawn = [draw.randrange(n) for _ in range(n)]
        a = [sum(column) for column in zip(*[first[i] for i in drawn], strict=True)]
        b = [sum(column) for column in zip(*[second[i] for i in drawn], strict=True)]
        differences.append([b[k] / b[k + 1] - a[k] / a[k + 1] for k in range(0, COLUMNS, 2)])
    return differences


def numpy_loop(first: Floats, second: Floats, resamples: int) -> None:
    """Resample with a loop over resamples that uses numpy."""
    generator = np.random.default_rng(1)
    for _ in range(resamples):
        drawn = generator.integers(len(first), size=len(first))
        a, b = first[drawn].sum(axis=0), second[drawn].sum(axis=0)
        _ = b[::2] / b[1::2] - a[::2] / a[1::2]


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Return the best of a few timings."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def peak_megabytes() -> float:
    """Return the peak resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def measured() -> dict[str, float]:
    """Return the seconds by method of resampling, and the peak memory for many dialogues."""
    first, second = systems(1_000)
    rows = first.tolist(), second.tolist()
    found = {
        "bootstrap": seconds(lambda: paired_bootstrap(first, second, FORMULAS, resamples=RESAMPLES), repeats=3),
        "randomisation": seconds(
            lambda: PairedDraws([first, second], FORMULAS, RESAMPLES, 0).randomisation(0, 1), repeats=3
        ),
        "python": seconds(lambda: python_loop(*rows, resamples=200)) * RESAMPLES / 200,
        "numpy": seconds(lambda: numpy_loop(first, second, 2_000)) * RESAMPLES / 2_000,
    }
    large = systems(100_000)
    found["large"] = seconds(lambda: paired_bootstrap(*large, FORMULAS, resamples=RESAMPLES))
    found["peak"] = peak_megabytes()
    return found


def ratios() -> list[Row]:
    """Return the rows with targets."""
    found = measured()
    ratio = found["python"] / found["bootstrap"]
    return [
        at_least(f"plain loop ÷ paired bootstrap, 1,000 dialogues, {RESAMPLES:,} resamples", ratio, 30),
        at_most("peak memory of 100,000 dialogues, MB", found["peak"], 1500),
    ]


def main() -> None:
    """Measure time, then memory."""
    found = measured()
    ours = found["bootstrap"]
    print(f"1,000 dialogues, {COLUMNS} columns per system, {RESAMPLES:,} resamples")
    print(f"  paired bootstrap      {ours:8.2f} s")
    print(f"  paired randomisation  {found['randomisation']:8.2f} s")
    print(f"  plain Python loop     {found['python']:8.2f} s   ratio {found['python'] / ours:6.0f}")
    print(f"  numpy loop            {found['numpy']:8.2f} s   ratio {found['numpy'] / ours:6.1f}")
    print(f"100,000 dialogues: {found['large']:.1f} s, peak {found['peak']:.0f} MB")


if __name__ == "__main__":
    main()
