"""Coverage of 95 % intervals of a pass rate that is corrected for the errors of a judge, and the bias of the difference of two systems.

Run with `python benchmarks/label_coverage.py` (`--help` for options). People would pass a share of items (rate); the judge passes a
share se of these, and fails a share sp of the others. It judges 1,000 items without a label and n with one. Items are independent.

Ways: the judge's own rate; the rate among labels; post-stratified; PPI++; Rogan and Gladen with the interval of Lang and Reiczigel;
Rogan and Gladen with percentiles of resampled labels, as another package has it. The second table has labels whose origin differs
from what a way assumes: from elsewhere, where half of the items pass, or the same number for passed and failed verdicts. The third
has two equal systems on which the judge errs differently.
"""

import argparse
from collections.abc import Callable

import numpy as np

from dialmeter.stats.corrected import plain_rate, post_stratified, ppi, rogan_gladen
from dialmeter.stats.formulas import Floats
from dialmeter.stats.labels import Clusters

UNLABELLED = 1000
JUDGES = ((0.7, 0.9, 0.8), (0.9, 0.95, 0.7))
SIZES = (50, 100, 200)
Limits = tuple[float, float] | None


def drawn(generator: np.random.Generator, n: int, rate: float, se: float, sp: float) -> tuple[Floats, Floats]:
    """Return labels and verdicts of items."""
    labels: Floats = np.array(generator.random(n) < rate, dtype=np.float64)
    right = generator.random(n) < np.where(labels == 1, se, sp)
    verdicts: Floats = np.where(right, labels, 1 - labels)
    return labels, verdicts


def bootstrapped(generator: np.random.Generator, verdicts: Floats, labels: Floats) -> Limits:
    """Return percentiles of Rogan and Gladen's rate over resampled labels; the verdicts without labels are fixed."""
    known = ~np.isnan(labels)
    passed, failed = (verdicts[known & (labels == label)] for label in (1, 0))
    if not len(passed) or not len(failed):
        return None
    se = generator.binomial(len(passed), passed.mean(), 2000) / len(passed)
    sp = generator.binomial(len(failed), 1 - failed.mean(), 2000) / len(failed)
    usable = se + sp > 1
    found = np.clip((verdicts[~known].mean() + sp - 1)[usable] / (se + sp - 1)[usable], 0, 1)
    low, high = np.percentile(found, [2.5, 97.5]) if len(found) else (0.0, 1.0)
    return float(low), float(high)


def ways(generator: np.random.Generator) -> dict[str, Callable[[Floats, Floats, Clusters], Limits]]:
    """Return the ways to an interval, by name."""
    return {
        "judge only": lambda f, y, _: plain_rate(f[np.isnan(y)]).ci,
        "labels only": lambda _, y, __: plain_rate(y[~np.isnan(y)]).ci,
        "post-stratified": lambda f, y, clusters: post_stratified(f, y, clusters)[0].ci,
        "PPI++": lambda f, y, clusters: ppi(f, y, clusters).ci,
        "Rogan-Gladen": lambda f, y, clusters: rogan_gladen(f, y, clusters).ci,
        "its label bootstrap": lambda f, y, _: bootstrapped(generator, f, y),
    }


def labelled(generator: np.random.Generator, n: int, rate: float, se: float, sp: float, origin: str) -> tuple[Floats, Floats]:  # fmt: skip
    """Return verdicts and labels of all items, nan without a label."""
    labels, verdicts = drawn(generator, UNLABELLED + n, rate, se, sp)
    known = np.arange(len(labels)) < n
    if origin == "elsewhere":
        labels[:n], verdicts[:n] = drawn(generator, n, 0.5, se, sp)
    elif origin == "by-verdict":
        chosen = [np.flatnonzero(verdicts == verdict)[: n // 2] for verdict in (0, 1)]
        known = np.isin(np.arange(len(labels)), np.concatenate(chosen))
    return verdicts, np.where(known, labels, np.nan)


def coverage(runs: int, seed: int, n: int, judge: tuple[float, float, float], origin: str) -> list[str]:
    """Return a cell for each way: the share of intervals that hold the rate, and their mean width."""
    generator = np.random.Generator(np.random.PCG64(seed))
    found: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(runs):
        verdicts, labels = labelled(generator, n, *judge, origin)
        clusters = Clusters([f"{at:05}" for at in range(len(labels))])
        for name, way in ways(generator).items():
            limits = way(verdicts, labels, clusters)
            if limits is not None:
                held = limits[0] <= judge[0] <= limits[1]
                found.setdefault(name, []).append((held, limits[1] - limits[0]))
    rows = {name: np.array(each, dtype=np.float64).mean(axis=0) for name, each in found.items()}
    return [f"{rows[name][0]:.2f} ({rows[name][1]:.2f})" if name in rows else "–" for name in ways(generator)]


def bias(runs: int, seed: int) -> list[str]:
    """Return the mean difference of two equal systems (.70): by the judge, with common error rates, and corrected one by one."""
    generator = np.random.Generator(np.random.PCG64(seed))
    found = []
    for _ in range(runs):
        sides = [labelled(generator, 100, 0.7, 0.9, sp, "random") for sp in (0.8, 0.5)]
        known = [~np.isnan(labels) for _, labels in sides]
        labels, verdicts = (
            np.concatenate([side[at][own] for side, own in zip(sides, known, strict=True)]) for at in (1, 0)
        )
        se, sp = verdicts[labels == 1].mean(), 1 - verdicts[labels == 0].mean()
        judged = [side[0][~own].mean() for side, own in zip(sides, known, strict=True)]
        clusters = Clusters([f"{at:05}" for at in range(len(sides[0][0]))])
        corrected = [post_stratified(*side, clusters)[0].value or 0.0 for side in sides]
        found.append((judged[0] - judged[1], (judged[0] - judged[1]) / (se + sp - 1), corrected[0] - corrected[1]))
    return [f"{each:+.2f}" for each in np.mean(found, axis=0)]


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = list(ways(np.random.Generator(np.random.PCG64(0))))
    print(f"{given.runs} runs, seed {given.seed}; coverage (mean width)\n")
    print(f"| rate/se/sp | n | {' | '.join(names)} |\n|---|---:|{'---|' * len(names)}")
    for judge in JUDGES:
        for n in SIZES:
            cells = coverage(given.runs, given.seed, n, judge, "random")
            print(f"| {'/'.join(map(str, judge))} | {n} | {' | '.join(cells)} |")
    print(f"\n| labels | n | {' | '.join(names)} |\n|---|---:|{'---|' * len(names)}")
    for origin in ("elsewhere", "by-verdict"):
        print(f"| {origin} | 100 | {' | '.join(coverage(given.runs, given.seed, 100, (0.8, 0.9, 0.8), origin))} |")
    print("\n| two equal systems | judge only | common error rates | each corrected |\n|---|---|---|---|")
    print(f"| mean difference | {' | '.join(bias(given.runs, given.seed))} |")


if __name__ == "__main__":
    main()
