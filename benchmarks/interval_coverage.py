"""Coverage of 95 % intervals for few dialogues and for values near the end of the range.

Run with `python benchmarks/interval_coverage.py` (`--help` for options). Dialogues differ in length and in difficulty,
and the turns of one dialogue are correlated: each dialogue has its own probability, drawn from a beta distribution
whose mean is the truth. JGA is the share of right turns. The measure of dialogues is the mean over dialogues of the share of four
units, like recall. A miss is to the left if the whole interval is below the truth, and to the right if it is above.

There are three intervals: percentiles, as dialmeter computed them before it treated the ends of the range; the limits that it
gives now; and BCa (Efron 1987, Better Bootstrap Confidence Intervals, JASA 82) with the same ends, which is not used. Then the
share of p < 0.05 between equal systems is printed, from `paired_level.py`.
"""

import argparse
import time
from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

import paired_level
from dialmeter.stats.draws import resampled_sums
from dialmeter.stats.formulas import Floats, Formula, evaluate, exact, ratio
from dialmeter.stats.intervals import expanded_tail, normal
from dialmeter.stats.resampling import percentile_interval

SIZES = (10, 20, 50, 200)
TRUTHS = (0.7, 0.97, 1.0)
CONFIDENCE = 0.95
SPREAD = 2.0
"""The sum of the beta distribution's parameters: the smaller, the more dialogues differ."""
UNITS = 4
FORMULAS = {"JGA (turns)": ratio(0, 1), "recall (dialogues)": ratio(2, 3)}
WAYS = ("percentiles", "dialmeter", "BCa")


class Coverage(NamedTuple):
    """Counts of intervals that contained the truth, were below or above it, or did not exist; and the mean width."""

    holds: float
    left: float
    right: float
    none: float
    width: float


def simulate(generator: np.random.Generator, dialogues: int, truth: float) -> Floats:
    """Return right turns, turns, share of units, and one; a row per dialogue."""
    turns = np.minimum(2 + generator.poisson(5, dialogues), 15)
    skill = generator.beta(SPREAD * truth, SPREAD * (1 - truth), dialogues) if truth < 1 else np.ones(dialogues)
    units = generator.binomial(UNITS, skill) / UNITS
    return np.stack([generator.binomial(turns, skill), turns, units, np.ones(dialogues)], axis=1)


def bca(columns: Floats, formula: Formula, values: Floats) -> tuple[float, float] | None:
    """Return the bias-corrected and accelerated interval; None if all resamples are equal."""
    if values.min() == values.max():
        return None
    whole = columns.sum(axis=0)
    point = evaluate(formula, whole[None])[0]
    without = evaluate(formula, whole - columns)
    apart = without.mean() - without
    acceleration = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    below = (np.count_nonzero(values < point) + 0.5 * np.count_nonzero(values == point)) / len(values)
    bias = normal().inv_cdf(min(max(below, 1 / len(values)), 1 - 1 / len(values)))
    ends = []
    for tail in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2):
        z = bias + normal().inv_cdf(tail)
        ends.append(normal().cdf(bias + z / (1 - acceleration * z)))
    low, high = np.quantile(values, ends)
    return float(low), float(high)


def intervals(columns: Floats, resamples: int, seed: int) -> Iterator[tuple[str, str, tuple[float, float] | None]]:
    """Yield measure, method, and limits."""
    sums = resampled_sums(exact(columns), resamples, seed)
    for name, formula in FORMULAS.items():
        values = evaluate(formula, sums)
        tail = expanded_tail(CONFIDENCE, len(columns))
        low, high = np.nanquantile(values, [tail, 1 - tail])
        found = percentile_interval(values, CONFIDENCE, len(columns), formula, columns)
        yield name, "percentiles", None if np.isnan(low) else (float(low), float(high))
        ends = found.ci
        yield name, "dialmeter", ends
        yield name, "BCa", bca(columns, formula, values) or ends


def study(dialogues: int, truth: float, samples: int, resamples: int, seed: int) -> dict[tuple[str, str], Coverage]:
    """Return the coverage of every measure and method."""
    generator = np.random.default_rng([seed, dialogues, round(1000 * truth)])
    found: dict[tuple[str, str], list[tuple[float, float] | None]] = {}
    for number in range(samples):
        columns = simulate(generator, dialogues, truth)
        for name, way, ends in intervals(columns, resamples, seed + number):
            found.setdefault((name, way), []).append(ends)
    return {key: _coverage(ends, truth) for key, ends in found.items()}


def _coverage(found: list[tuple[float, float] | None], truth: float) -> Coverage:
    there = [each for each in found if each is not None]
    near = 1e-9
    left = sum(high < truth - near for _, high in there) / len(found)
    right = sum(low > truth + near for low, _ in there) / len(found)
    width = sum(high - low for low, high in there) / len(there) if there else 0.0
    none = 1 - len(there) / len(found)
    return Coverage(1 - left - right - none, left, right, none, width)


def main() -> None:
    """Print one line per number of dialogues, truth, measure and method."""
    parser = argparse.ArgumentParser(description="Coverage of 95 % intervals.")
    parser.add_argument("--dialogues", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--nulls", type=int, default=1_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    print("| dialogues | truth | measure | interval | holds the truth | below it | above it | none | mean width |")
    print("|---:|---:|---|---|---:|---:|---:|---:|---:|")
    for dialogues in options.dialogues:
        for truth in TRUTHS:
            samples = options.samples if truth < 1 else 10  # nothing varies there
            found = study(dialogues, truth, samples, options.resamples, options.seed)
            for (name, way), each in found.items():
                shares = " | ".join(f"{100 * share:.1f}" for share in each)
                print(f"| {dialogues} | {100 * truth:g} | {name} | {way} | {shares} |", flush=True)
    error = 100 * sqrt(0.95 * 0.05 / options.samples)
    print(
        f"\n{options.samples} samples, {options.resamples} resamples each: one standard error is {error:.1f} points.\n"
    )
    print("| dialogues | test | " + " | ".join(paired_level.FORMULAS) + " |")
    print("|---:|---|" + "---:|" * len(paired_level.FORMULAS))
    for dialogues in options.dialogues:
        for test, row in paired_level.study(options.nulls, dialogues, options.resamples, options.seed).items():
            print(
                f"| {dialogues} | {test} | " + " | ".join(f"{100 * share:.1f}" for share in row.values()) + " |",
                flush=True,
            )
    print(f"\n{options.nulls} pairs of equal systems. {time.perf_counter() - start:.0f} s in all.")


if __name__ == "__main__":
    main()
