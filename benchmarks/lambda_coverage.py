"""Coverage of the interval of a fitted lambda, on made-up ratings: FGA at a known lambda plus noise.

Run ``python benchmarks/lambda_coverage.py > benchmarks/lambda_coverage.txt``; it needs the files that ``DIALMETER_SHARED`` names.
"""

from __future__ import annotations

import math
import os
import random
from pathlib import Path

from dialmeter.measure import parse
from dialmeter.model import dialogue_key
from dialmeter.studies.human import Ratings, fit_lambda
from dialmeter.tracking.scoring import score_file

SEEDS = 100
LAMBDAS = ("0", "0.3", "1", "inf")
NOISES = (0.1, 0.3)


def main() -> None:
    """Print one line for each lambda and noise."""
    file = Path(os.environ.get("DIALMETER_SHARED", "../shared")) / "data/tracking/som_dst_100.json"
    result = score_file(str(file), measures=["JGA"])
    names = {dialogue_key(name): name for name in result.measure_columns.main.dialogues}
    print(f"{SEEDS} sets of ratings each; 95 % intervals; Pearson is a mean over the sets")
    print("lambda  noise  interval holds it  Pearson on all  on other dialogues")
    for text in LAMBDAS:
        values = result.measure_columns.per_dialogue(parse(f"FGA(lam={text})"))
        for noise in NOISES:
            held = 0
            fitted, held_out = [], []
            for seed in range(SEEDS):
                draw = random.Random(seed)
                rated = {
                    key: {"x": (each or 0) + draw.gauss(0, noise)} for key, each in zip(names, values, strict=True)
                }
                fit = fit_lambda(result, Ratings(("x",), rated, names), list(names.values()))
                low, high = (math.inf if limit == "inf" else float(limit) for limit in fit.ci or (math.nan, math.nan))
                held += low <= float(text) <= high
                fitted.append(fit.pearson or 0)
                held_out.append(fit.held_out.value or 0)
            means = (math.fsum(each) / SEEDS for each in (fitted, held_out))
            print(f"{text:>6}  {noise:>5}  {held:>10} of {SEEDS}  {'  '.join(f'{mean:>14.3f}' for mean in means)}")


if __name__ == "__main__":
    main()
