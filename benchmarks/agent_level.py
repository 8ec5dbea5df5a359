"""Error rates of `compare` of logs: how often are equal agents called different, and how often is a difference found?

Run with `python benchmarks/agent_level.py` (`--help` for options).

False alarms: both agents have the same chance of success in every task, and may have different numbers of trials. So every
verdict "better" or "worse" is a false alarm, and a correct test gives five of them in a hundred at the confidence level of 95 %. The
verdict is from the t interval over tasks; the bootstrap interval that stands beside it is counted, too. With 2,000 simulations a
share is known to ± 1 point.

Power: the second agent is better by the same amount in every task, and there are as many tasks as `score -v` says are needed.
A correct number gives the verdict "better" in about eighty of a hundred.
"""

import argparse

import numpy as np

from dialmeter.core.comparison import Resampling, TaskDifference
from dialmeter.stats.noise import needs
from dialmeter.systems.compare import compare_systems
from dialmeter.systems.measures import SUCCESS, SystemOutcome, SystemSettings
from dialmeter.systems.result import SystemResult

DESIGNS = ((4, 4), (4, 1), (1, 4), (8, 1))
QUICK = Resampling(0.95, 200, 0)
"""The bootstrap stands beside the verdict and does not decide it, so few resamples are enough."""
DIFFERENCES = (0.1, 0.2)


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
) -> tuple[float, float]:
    """Return the share of simulations in which one of two equal agents is called better or worse: by the verdict, and by the bootstrap.

    Args:
        trials: number of trials of each task, of the baseline and of the other agent.
        tasks: number of tasks.
        success: chance of success of both agents.
        spread: difference between tasks; see `simulate`.
        simulations: number of simulated pairs of agents.
        seed: seed of the simulations.
    """
    generator = np.random.default_rng([seed, tasks, *trials])
    alarms = [0, 0]
    for _ in range(simulations):
        base, other = (simulate(generator, tasks, count, success, spread) for count in trials)
        compared = compare_systems({"base": base, "other": other}, QUICK)
        [ladder], [found] = compared.ladders, compared.versus
        assert isinstance(found, TaskDifference)
        limits = found.bootstrap_ci or (0.0, 0.0)
        alarms[0] += ladder.verdict in ("better", "worse")
        alarms[1] += limits[0] > 0 or limits[1] < 0
    return alarms[0] / simulations, alarms[1] / simulations


def power(
    difference: float,
    trials: int,
    *,
    success: float = 0.5,
    spread: float = 0.3,
    simulations: int = 1_000,
    seed: int = 1,
) -> tuple[int, float]:
    """Return the number of tasks that a difference needs, and the share of simulations with so many tasks that find it.

    Args:
        difference: how much better the second agent is in every task.
        trials: number of trials of each task.
        success: mean chance of success of the first agent.
        spread: difference between tasks; see `simulate`.
        simulations: number of simulated pairs of agents.
        seed: seed of the simulations.
    """
    chances = success + spread * np.linspace(-1, 1, 1001)
    noise = sum(float(np.mean(each * (1 - each))) for each in (chances, chances + difference))
    tasks = needs(0.0, noise, trials, 1, difference).tasks
    generator = np.random.default_rng([seed, tasks, trials])
    found = 0
    for _ in range(simulations):
        base = simulate(generator, tasks, trials, success, spread)
        better = simulate(generator, tasks, trials, success + difference, spread)
        [ladder] = compare_systems({"base": base, "better": better}, QUICK).ladders
        found += ladder.verdict == "better"
    return tasks, found / simulations


def main() -> None:
    """Print the share of false alarms for several numbers of tasks and trials, then the power."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--tasks", type=int, nargs="+", default=[6, 20, 50, 115])
    parser.add_argument("--success", type=float, default=0.9)
    parser.add_argument("--spread", type=float, default=0.0)
    options = parser.parse_args()
    print("tasks  trials  false alarms of the verdict  of the bootstrap")
    for tasks in options.tasks:
        for trials in DESIGNS:
            verdict, bootstrap = false_alarms(
                trials, tasks=tasks, success=options.success, spread=options.spread, simulations=options.simulations
            )
            print(
                f"{tasks:5}  {trials[0]:2} : {trials[1]}  {100 * verdict:25.1f} %  {100 * bootstrap:14.1f} %",
                flush=True,
            )
    print("difference  trials  tasks  power")
    for difference in DIFFERENCES:
        for count in (1, 4):
            tasks, share = power(difference, count, simulations=options.simulations)
            print(f"{100 * difference:10.0f}  {count:6}  {tasks:5}  {100 * share:5.1f} %", flush=True)


if __name__ == "__main__":
    main()
