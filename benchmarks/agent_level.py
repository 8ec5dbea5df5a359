"""False alarms of `compare` of logs: share of verdicts "better" or "worse" between equal agents.

Run with `python benchmarks/agent_level.py` (`--help` for options). Both agents have the same chance of success in every task,
and may have different numbers of trials. So every such verdict is a false alarm, and a correct test gives five of them in a
hundred at the confidence level of 95 %. With 2,000 simulations the share is known to ± 1 point.
"""

import argparse

import numpy as np

from dialmeter.core.comparison import Resampling
from dialmeter.systems.compare import compare_systems
from dialmeter.systems.measures import SUCCESS, SystemOutcome, SystemSettings
from dialmeter.systems.result import SystemResult

DESIGNS = ((4, 4), (4, 1), (1, 4), (8, 1))
QUICK = Resampling(0.95, 10, 0)
"""The bootstrap stands beside the verdict and does not decide it, so few resamples are enough."""


def simulate(generator: np.random.Generator, tasks: int, trials: int, success: float, spread: float) -> SystemResult:
    """Return the result of an agent.

    Args:
        generator: the source of random numbers.
        tasks: number of tasks.
        trials: number of dialogues of each task.
        success: mean chance of success.
        spread: tasks differ: their chance of success is higher or lower by up to this much.
    """
    chances = success + spread * np.linspace(-1, 1, tasks)
    reached = generator.random((tasks, trials)) < chances[:, None]
    outcomes = [
        SystemOutcome(
            id=f"{task}:{trial}", task=str(task), trial=trial, success=bool(reached[task, trial]), ending="user_stop"
        )
        for task in range(tasks)
        for trial in range(trials)
    ]
    return SystemResult(SystemSettings("reward"), outcomes, measures=[SUCCESS])


def false_alarms(
    trials: tuple[int, int],
    *,
    tasks: int = 115,
    success: float = 0.9,
    spread: float = 0.0,
    simulations: int = 2_000,
    seed: int = 1,
) -> float:
    """Return the share of simulations in which one of two equal agents is called better or worse.

    Args:
        trials: number of trials of each task, of the baseline and of the other agent.
        tasks: number of tasks.
        success: chance of success of both agents.
        spread: difference between tasks; see `simulate`.
        simulations: number of simulated pairs of agents.
        seed: seed of the simulations.
    """
    generator = np.random.default_rng([seed, tasks, *trials])
    alarms = 0
    for _ in range(simulations):
        base, other = (simulate(generator, tasks, count, success, spread) for count in trials)
        [ladder] = compare_systems({"base": base, "other": other}, QUICK).ladders
        alarms += ladder.verdict in ("better", "worse")
    return alarms / simulations


def main() -> None:
    """Print the share of false alarms for several numbers of tasks and trials."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--tasks", type=int, nargs="+", default=[20, 50, 115])
    parser.add_argument("--success", type=float, default=0.9)
    parser.add_argument("--spread", type=float, default=0.0)
    options = parser.parse_args()
    print("tasks  trials  false alarms")
    for tasks in options.tasks:
        for trials in DESIGNS:
            share = false_alarms(
                trials, tasks=tasks, success=options.success, spread=options.spread, simulations=options.simulations
            )
            print(f"{tasks:5}  {trials[0]:2} : {trials[1]}  {100 * share:10.1f} %", flush=True)


if __name__ == "__main__":
    main()
