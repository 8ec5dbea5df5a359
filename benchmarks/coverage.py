"""How often 95 % intervals contain the truth, and how often `compare` finds a difference between equal systems.

Run with `python benchmarks/coverage.py --data FOLDER` (`--help` for options). FOLDER holds published predictions, dialogues and logs:
`compat/mwzeval`, `users` and `trajectories`. The scored units of a published system are the population, and its value is the truth.
A sample draws units with replacement. All intervals and tests come from the functions that the commands use, with their
settings (1,000 resamples, another seed for every sample).

- JGA and GCA: 1,000 dialogues of MultiWOZ 2.1 with the predictions of LABES. Unit: dialogue.
- I-GCDF1: 48 dialogues of a published user. Unit: dialogue.
- Pass(k=1): 50 tasks with 4 trials each, of an agent in the airline domain. Unit: task.
- error rate: a judge with an error rate of 30 %. Each dialogue has three cases, and the errors in a dialogue are correlated (intraclass
  correlation .25). Unit: dialogue.

Equal systems: LABES and DAMD, two users and two agents, with the two results of every unit swapped at random, so that no system is
better. Two agents have equal probabilities in every task, and 4 trials each, or 8 and 1. Two judges have the same error rate, and in a quarter of
the dialogues the same chance of an error. A false alarm is p < 0.05; where there is an interval of the difference, also an
interval without zero.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialmeter.core.comparison import PairedSample, Resampling, compare_pairs
from dialmeter.judges.ask import JudgeScores, ScorePair
from dialmeter.judges.cases import Case, Place, parse_threshold
from dialmeter.judges.matrix import JudgeDescription, VerdictSettings
from dialmeter.judges.result import JudgeResult
from dialmeter.model import Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.stats.formulas import Formula, ratio
from dialmeter.stats.resampling import bootstrap
from dialmeter.systems.compare import compare_systems
from dialmeter.systems.measures import SUCCESS, SystemOutcome, SystemSettings
from dialmeter.systems.result import SystemResult
from dialmeter.systems.scorer import score_system
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scoring import score_file
from dialmeter.tracking.vectors.measure_columns import columns
from dialmeter.users.result import column
from dialmeter.users.scorer import ScoringJob, UserScorer, score_conversations

SIZES = (20, 50, 200)
LEVEL = 0.05
CASES = 3
"""Cases of a dialogue."""
RATE, INTRACLASS = 0.3, 0.25
"""The error rate of a judge, and the correlation of two errors in a dialogue."""

Floats = NDArray[np.float64]
Limits = tuple[float, float] | None
Draw = Callable[[np.random.Generator, int], Any]


class Study(NamedTuple):
    """A measure: its truth, a function that draws a sample of n units, and the function that makes the interval of a sample."""

    truth: float
    draw: Draw
    interval: Callable[[Any, int], Limits]


class Null(NamedTuple):
    """Two equal systems: a function that draws the results of n units, and the one that compares them (p, and limits of the difference)."""

    draw: Draw
    compare: Callable[[Any, int], tuple[float | None, Limits]]


def resampling(seed: int) -> Resampling:
    """Return the settings of the commands with another seed."""
    return Resampling(seed=seed)


def rows_of(matrix: Floats) -> Draw:
    """Return a function that draws rows of a population with replacement."""
    return lambda generator, n: matrix[generator.integers(len(matrix), size=n)]


def swapped(one: Floats, two: Floats) -> Draw:
    """Return a function that draws rows of two systems with replacement, and swaps the systems in each with probability one half."""

    def draw(generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        rows, swaps = generator.integers(len(one), size=n), generator.random((n, 1)) < 0.5
        first, second = one[rows], two[rows]
        return np.where(swaps, second, first), np.where(swaps, first, second)

    return draw


def value(formula: Formula, matrix: Floats) -> float:
    """Return the value of a population."""
    return float(np.asarray(formula.value(matrix.sum(axis=0)[None][:, formula.take])).item())


def bootstrapped(formula: Formula) -> Callable[[Floats, int], Limits]:
    """The intervals of trackers and users."""
    return lambda rows, seed: bootstrap(rows, {"m": formula}, resamples=1000, seed=seed)["m"].ci


def paired(formula: Formula) -> Callable[[tuple[Floats, Floats], int], tuple[float | None, Limits]]:
    """The comparisons of trackers and users."""

    def compare(pair: tuple[Floats, Floats], seed: int) -> tuple[float | None, Limits]:
        samples = [PairedSample(name, rows, {"m": 0.0}, {"m": []}) for name, rows in zip("ab", pair, strict=True)]
        [found], _ = compare_pairs([(samples[0], samples[1])], {"m": formula}, resampling(seed))
        return found.p, found.ci

    return compare


def agent(successes: NDArray[np.integer[Any]], trials: int, seed: int) -> SystemResult:
    """Return the result of an agent from the number of its successes in each task."""
    outcomes = [
        SystemOutcome(id=f"{task}:{trial}", task=f"{task:04}", trial=trial, success=trial < count, ending="user_stop")
        for task, count in enumerate(successes.tolist())
        for trial in range(trials)
    ]
    return SystemResult(SystemSettings(), outcomes, measures=(SUCCESS,), resampling=resampling(seed))


def agent_interval(drawn: Floats, seed: int) -> Limits:
    """The interval of systems."""
    return agent(drawn[:, 0].astype(int), int(drawn[0, 1]), seed).scores[0].ci


def agents_compared(pair: Any, seed: int) -> tuple[float | None, Limits]:
    """The comparison of systems."""
    results = {name: agent(counts, trials, seed) for name, (counts, trials) in zip("ab", pair, strict=True)}
    [found] = compare_systems(results, resampling(seed)).versus
    return found.p, found.ci


def equal_agents(shares: Floats, trials: tuple[int, int]) -> Draw:
    """Return a function that draws tasks, and the successes of two agents with equal probabilities in every task."""

    def draw(generator: np.random.Generator, n: int) -> list[tuple[NDArray[np.integer[Any]], int]]:
        chances = generator.choice(shares, size=n)
        return [(generator.binomial(count, chances), count) for count in trials]

    return draw


def errors(judges: int) -> Draw:
    """Return a function that draws the errors of judges: judges × dialogues × cases. Each judge has the common chance in half of them."""

    def draw(generator: np.random.Generator, n: int) -> NDArray[np.bool_]:
        total = (1 - INTRACLASS) / INTRACLASS
        chances = generator.beta(RATE * total, (1 - RATE) * total, (judges + 1, n))
        own = generator.random((judges, n)) < 0.5
        return generator.random((judges, n, CASES)) < np.where(own, chances[1:], chances[0])[:, :, None]

    return draw


def judged(wrong: NDArray[np.bool_]) -> JudgeResult:
    """Return the result of judges from their errors."""
    context = (Move("user", "hello"),)
    cases = [
        Case("speaker", "", context, f"{dialogue} {case}", "x", "lower", "coherence", Place(f"d{dialogue:04}", case))
        for dialogue in range(wrong.shape[1])
        for case in range(CASES)
    ]
    names = [f"judge{number}" for number in range(len(wrong))]
    pairs = {
        name: [ScorePair(0.0 if error else 1.0, 0.5) for error in each.ravel().tolist()]
        for name, each in zip(names, wrong, strict=True)
    }
    judges = [JudgeDescription(name, name, True) for name in names]
    return JudgeResult(cases, judges, JudgeScores(pairs, []), VerdictSettings(parse_threshold("fixed=0.1")))


def judges_compared(wrong: NDArray[np.bool_], _: int) -> tuple[float | None, Limits]:
    """The verdict of `score CASES` on two judges, which is paired by dialogue."""
    written = judged(wrong).ladders[0].rungs[0]
    return written.p, written.ci


def attack_compared(wrong: NDArray[np.bool_], _: int) -> tuple[float | None, Limits]:
    """The comparison of two judges under one attack: McNemar's test over cases."""
    found = judged(wrong).comparisons
    return found[0].p if found else 1.0, None


def played(user: str, noise: float) -> Floats:
    """Return I-GCDF1 of a user in the town, and one; a row per goal."""
    setting = Setting(choose(user, "user"), choose("rule", "system"), noise, 7)
    job = ScoringJob(UserScorer(profile="town").settings)
    return _user_rows(score_conversations(play(sampled(300, 7), setting), job).rows)


def _user_rows(rows: Any) -> Floats:
    values = column(rows, "I-GCDF1", "combined")
    return np.array([[values.get(name, 0.0), name in values] for name in sorted(rows)], dtype=np.float64)


def studies(data: Path) -> tuple[dict[str, Study], dict[str, Null]]:
    """Return all studies, one entry per measure, and one per pair of equal systems."""
    systems = {}
    for name in ("labes", "damd"):
        files = (data / "compat" / "mwzeval" / f"{each}.json.gz" for each in (f"{name}.pred", "mw21.gold"))
        pred, gold = map(str, files)
        result = score_file(pred, gold, measures=["JGA", "GCA"], rules=change(named("dialmeter"), missing="empty"))
        systems[name], formulas = columns(result.measure_columns, result.measures)
    job = ScoringJob(UserScorer(value_map=data / "users" / "multiwoz21_canonical_map.json.gz").settings)
    spoken = _user_rows(
        score_conversations(open_conversations(data / "users" / "fixture48_dialogues.json.gz"), job).rows
    )
    tasks = score_system(data / "trajectories" / "gpt-4o-airline.json.gz", resampling=None).tasks
    trials = np.array([[task.successes, task.trials] for task in tasks], dtype=np.float64)
    shares = (trials[:, 0] + 0.5) / (trials[:, 1] + 1)
    labes = systems["labes"]
    own = {
        **{
            name: Study(value(formula, labes), rows_of(labes), bootstrapped(formula))
            for name, formula in formulas.items()
        },
        "I-GCDF1": Study(value(ratio(), spoken), rows_of(spoken), bootstrapped(ratio())),
        "error rate": Study(RATE, errors(1), lambda wrong, _: judged(wrong).scores[0].ci),
        "Pass(k=1)": Study(value(ratio(), trials), rows_of(trials), agent_interval),
    }
    nulls = {
        **{
            f"trackers, {name}": Null(swapped(labes, systems["damd"]), paired(formula))
            for name, formula in formulas.items()
        },
        "users, I-GCDF1": Null(swapped(played("agenda", 0.1), played("forgetful", 0.0)), paired(ratio())),
        "systems, 4 and 4 trials": Null(equal_agents(shares, (4, 4)), agents_compared),
        "systems, 8 trials and 1": Null(equal_agents(shares, (8, 1)), agents_compared),
        "judges, verdict": Null(errors(2), judges_compared),
        "judges, one attack": Null(errors(2), attack_compared),
    }
    return own, nulls


def coverage(study: Study, units: int, samples: int, seed: int) -> Iterator[float]:
    """Yield the shares of intervals with the truth, wholly below it, wholly above it, and missing ones; then the mean width."""
    generator = np.random.default_rng([seed, units])
    limits = [study.interval(study.draw(generator, units), seed + number) for number in range(samples)]
    found = np.array([each for each in limits if each is not None])
    below, above = (found[:, 1] < study.truth).sum(), (found[:, 0] > study.truth).sum()
    yield from (each / samples for each in (len(found) - below - above, below, above, samples - len(found)))
    yield float((found[:, 1] - found[:, 0]).mean())


def false_alarms(null: Null, units: int, samples: int, seed: int) -> tuple[float, float | None]:
    """Return the share of p below the level, and the share of intervals without zero (None if there are no intervals)."""
    generator = np.random.default_rng([seed, units])
    found = [null.compare(null.draw(generator, units), seed + number) for number in range(samples)]
    limits = [each for _, each in found if each is not None]
    excluded = sum(not low <= 0 <= high for low, high in limits)
    return sum(p is not None and p < LEVEL for p, _ in found) / samples, excluded / samples if limits else None


def main() -> None:
    """Print two tables: coverage, and false alarms."""
    parser = argparse.ArgumentParser(description="Coverage of intervals and false alarms of comparisons.")
    parser.add_argument("--data", type=Path, required=True, help="folder with compat, users and trajectories")
    parser.add_argument("--units", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only the entries whose name contains this text")
    options = parser.parse_args()
    start = time.perf_counter()
    own, nulls = studies(options.data)
    print("| measure | truth | units | contain the truth | lie below | lie above | none | mean width |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, study in own.items():
        for units in options.units if options.only in name else ():
            shares = " | ".join(f"{100 * each:.1f}" for each in coverage(study, units, options.samples, options.seed))
            print(f"| {name} | {100 * study.truth:.1f} | {units} | {shares} |", flush=True)
    print("\n| equal | units | p < .05 | interval without 0 |\n|---|---:|---:|---:|")
    for name, null in nulls.items():
        for units in options.units if options.only in name else ():
            p, outside = false_alarms(null, units, options.samples, options.seed)
            shown = "–" if outside is None else f"{100 * outside:.1f}"
            print(f"| {name} | {units} | {100 * p:.1f} | {shown} |", flush=True)
    error = 100 * sqrt(0.95 * 0.05 / options.samples)
    print(f"\n{options.samples} samples each: one standard error is {error:.1f} points near 95 or 5 %.", end=" ")
    print(f"{time.perf_counter() - start:.0f} s in all.")


if __name__ == "__main__":
    main()
