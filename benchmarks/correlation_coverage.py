"""Coverage of 95 % intervals of a correlation over clusters.

Run with `python benchmarks/correlation_coverage.py` (`--help` for options). A study has some contexts with six replies each. The score
and the rating of a reply are the sum of a part of its context and an independent part, each bivariate normal. So the correlation
over replies is known: Pearson's is R, Spearman's is 6 / π · asin(R / 2), Kendall's is 2 / π · asin(R). The interval is the one of
`dialmeter score RATINGS`: expanded percentiles over resampled contexts. `--items` adds the interval that treats replies as
independent.
"""

import argparse
from math import asin, pi

import numpy as np

from dialmeter.stats.correlation import ResampledVariable, cluster_weights
from dialmeter.stats.resampling import percentile_interval

REPLIES = 6
CLUSTERS = (60, 25)
R = 0.5
SHARE = 0.5
"""The share of the variance that replies to one context have in common."""
TRUTH = {"Pearson": R, "Spearman": 6 / pi * asin(R / 2), "Kendall": 2 / pi * asin(R)}


def study(clusters: int, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores and ratings of one simulated study."""
    covariance = [[1.0, R], [R, 1.0]]
    common = draw.multivariate_normal([0, 0], covariance, clusters).repeat(REPLIES, axis=0)
    own = draw.multivariate_normal([0, 0], covariance, clusters * REPLIES)
    both = np.sqrt(SHARE) * common + np.sqrt(1 - SHARE) * own
    return both[:, 0], both[:, 1]


def covered(
    clusters: int, studies: int, resamples: int, seed: int, measures: list[str], ways: list[str]
) -> dict[tuple[str, str], int]:
    """Return the number of intervals that contain the truth, by unit of resampling and by measure."""
    found = dict.fromkeys(((way, measure) for way in ways for measure in measures), 0)
    draw = np.random.default_rng([seed, clusters])
    numbers = {"contexts": np.arange(clusters).repeat(REPLIES), "items": np.arange(clusters * REPLIES)}
    for number in range(studies):
        x, y = study(clusters, draw)
        for way in ways:
            each = numbers[way]
            weights = cluster_weights(each, resamples, seed=number)
            first, second = ResampledVariable(weights, x), ResampledVariable(weights, y)
            for measure in measures:
                interval = percentile_interval(first.correlation(measure, second), 0.95, int(each.max()) + 1)
                low, high = interval.ci or (1.0, -1.0)
                found[way, measure] += low <= TRUTH[measure] <= high
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--studies", type=int, default=1000)
    options.add_argument("--resamples", type=int, default=300)
    options.add_argument("--kendall", action="store_true", help="Add Kendall, which takes ten times as long.")
    options.add_argument("--items", action="store_true", help="Add the interval that treats replies as independent.")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    measures = list(TRUTH) if chosen.kendall else ["Pearson", "Spearman"]
    ways = ["contexts", "items"] if chosen.items else ["contexts"]
    print(
        f"{chosen.studies} studies, {REPLIES} replies to a context, {chosen.resamples} resamples, R = {R}, seed {chosen.seed}"
    )
    print("contexts  drawn     " + "  ".join(f"{measure:>8}" for measure in measures))
    for clusters in CLUSTERS:
        found = covered(clusters, chosen.studies, chosen.resamples, chosen.seed, measures, ways)
        for way in ways:
            shares = "  ".join(f"{found[way, measure] / chosen.studies:8.3f}" for measure in measures)
            print(f"{clusters:>8}  {way:<8}  {shares}", flush=True)


if __name__ == "__main__":
    main()
