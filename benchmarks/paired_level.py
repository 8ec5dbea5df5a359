"""Level of the paired tests: share of p < 0.05 between equal systems.

Run with `python benchmarks/paired_level.py` (`--help` for options). Two trackers make mistakes by the same random
process on the same dialogues. Dialogues differ in length and difficulty, mistakes stay in the state
until they are corrected, and each tracker has its own good and bad dialogues. So every p below 0.05 is a false alarm,
and a correct test gives five of them in a hundred. With 2,000 simulations the share is known to ± 1 point.
"""

import argparse
import time

import numpy as np

from dialmeter.stats.formulas import Floats, Formula, ratio
from dialmeter.stats.resampling import PairedDraws, paired_bootstrap

SIZES = (20, 100, 1_000)
LEVEL = 0.05
ALPHA = 10 / 11


def gca(sums: Floats) -> Floats:
    """Return GCA from the sums of correct, wrong, missed and over: a formula that is not a mean."""
    correct, wrong, missed, over = (sums[..., k] for k in range(4))
    predicted, gold = correct + wrong + over, correct + wrong + missed
    spread = (predicted**2 + gold**2) * (ALPHA / correct + (1 - ALPHA) / (correct + wrong))
    return np.asarray((predicted + gold) / spread, dtype=np.float64)


FORMULAS = {"JGA": ratio(1, 0), "FGA(lam=0.5)": ratio(2, 0), "GCA": Formula(gca, take=slice(3, 7))}


def simulate(generator: np.random.Generator, nulls: int, dialogues: int) -> tuple[Floats, Floats]:
    """Simulate the columns of two equal trackers: turns, exact turns, FGA weight, correct, wrong, missed, over."""
    shape = (nulls, dialogues)
    turns = np.minimum(2 + generator.poisson(5, shape), 15)
    difficulty = generator.normal(-2.2, 0.8, shape)
    changes = generator.poisson(1.2, (15, *shape))
    pair = []
    for _ in range(2):
        error = 1 / (1 + np.exp(-difficulty - generator.normal(0, 0.5, shape)))
        columns = np.zeros((*shape, 7))
        columns[..., 0] = turns
        open_mistakes, since = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        for turn, gold in enumerate(changes):
            live = turn < turns
            slips = generator.binomial(gold, error)
            wrong = generator.binomial(slips, 0.4)
            over = generator.binomial(1, error * 0.5)
            open_mistakes -= generator.binomial(open_mistakes, 0.15)
            open_mistakes += slips + over
            since = np.where(slips + over > 0, 0, since + 1)
            exact = open_mistakes == 0
            columns[..., 1] += live & exact
            columns[..., 2] += live * np.where(exact, 1, 1 - np.exp(-0.5 * since))
            for column, count in ((3, gold - slips), (4, wrong), (5, slips - wrong), (6, over)):
                columns[..., column] += live * count
        pair.append(columns)
    return pair[0], pair[1]


def study(nulls: int, dialogues: int, resamples: int, seed: int) -> dict[str, dict[str, float]]:
    """Return the share of false alarms by test and measure."""
    generator = np.random.default_rng([seed, dialogues])
    tests = ("randomisation", "randomisation, mid-p", "bootstrap", "bootstrap, interval", "bootstrap, not expanded")
    alarms = {test: dict.fromkeys(FORMULAS, 0) for test in tests}
    for start in range(0, nulls, 100):
        count = min(100, nulls - start)
        firsts, seconds = simulate(generator, count, dialogues)
        for k, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
            drawn = seed + start + k
            draws = PairedDraws([first, second], FORMULAS, resamples, drawn)
            swapped, halved = (draws.randomisation(0, 1, mid_p=mid_p) for mid_p in (False, True))
            boot = paired_bootstrap(first, second, FORMULAS, resamples=resamples, seed=drawn)
            plain = paired_bootstrap(first, second, FORMULAS, resamples=resamples, seed=drawn, expand=False)
            for name in FORMULAS:
                low, high = boot[name].low, boot[name].high
                found = (
                    swapped[name].p,
                    halved[name].p,
                    boot[name].p,
                    None if low is None or high is None else float(low <= 0 <= high),
                    plain[name].p,
                )
                for test, p in zip(tests, found, strict=True):
                    alarms[test][name] += p is not None and p < LEVEL
    return {test: {name: count / nulls for name, count in row.items()} for test, row in alarms.items()}


def main() -> None:
    """Print one line per number of dialogues and test."""
    parser = argparse.ArgumentParser(description="Share of p < 0.05 between equal systems.")
    parser.add_argument("--dialogues", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--nulls", type=int, default=2_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'dialogues':>9}  {'test':24}" + "".join(f"{name:>14}" for name in FORMULAS))
    for dialogues in options.dialogues:
        start = time.perf_counter()
        for test, row in study(options.nulls, dialogues, options.resamples, options.seed).items():
            print(f"{dialogues:>9}  {test:24}" + "".join(f"{100 * share:12.2f} %" for share in row.values()))
        print(f"{'':9}  {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
