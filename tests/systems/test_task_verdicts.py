"""Tests of the verdict over tasks: it tests the mean of the differences of tasks, also with unequal numbers of trials."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

from dialmeter import score_system
from dialmeter.core.comparison import Resampling, TaskDifference, task_difference
from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation, DomainGoal, Move
from dialmeter.studies.act_success import act_settings, score_acts
from dialmeter.systems.compare import LogComparison, compare_systems
from dialmeter.users.scorer import UserScorer

from .trials import tries

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def compared(base: dict[str, str], system: dict[str, str]) -> LogComparison:
    """Compare two agents on tasks with trials such as ``++-``."""
    results = {
        name: score_system(tries(**tasks), ["Success"], ci=0) for name, tasks in (("base", base), ("system", system))
    }
    return compare_systems(results, Resampling(0.95, 100, 1))


def only(comparison: LogComparison) -> TaskDifference:
    [found] = comparison.versus
    assert isinstance(found, TaskDifference)
    return found


@pytest.mark.parametrize("trials", [(4, 1), (8, 1), (4, 4)])
def test_equal_agents_are_rarely_called_different(trials: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from agent_level import false_alarms  # type: ignore[import-not-found]

    assert false_alarms(trials, simulations=200) <= 0.09


def test_the_verdict_has_the_sign_of_its_difference() -> None:
    """Many tasks are lost by a little and a few are won by much: the sign test contradicts the mean."""
    base = {f"a{task}": "+" for task in range(12)} | {f"b{task}": "-" for task in range(8)}
    system = {f"a{task}": "+++-" for task in range(12)} | {f"b{task}": "++++" for task in range(8)}
    result = compared(base, system)
    found = only(result)
    assert (found.wins, found.losses) == (8, 12)
    assert found.difference == pytest.approx((8 - 12 / 4) / 20)
    assert found.sign_p is None
    assert found.ci is not None
    assert (found.p is not None and found.p < 0.05) == (found.ci[0] > 0 or found.ci[1] < 0)


def test_the_difference_is_the_mean_over_tasks() -> None:
    base, system = {"a": "++--", "b": "+", "c": "---"}, {"a": "+", "b": "+-+-", "c": "-+"}
    result = compared(base, system)
    shares = [{task: mean(sign == "+" for sign in signs) for task, signs in each.items()} for each in (base, system)]
    assert only(result).difference == pytest.approx(mean(shares[1][task] - shares[0][task] for task in base))
    values = [each.value or 0.0 for each in result.results.values()]
    assert only(result).difference == pytest.approx(values[1] - values[0])


@pytest.mark.parametrize(("tasks", "verdict"), [(2, "cannot tell"), (5, "cannot tell"), (6, "better")])
def test_the_sign_test_decides_if_all_tasks_differ_equally(tasks: int, verdict: str) -> None:
    names = [str(task) for task in range(tasks)]
    # 1 - 2/3 and 1/3 differ in the last digit of a float, and are the same difference.
    base = {name: "++-" if number % 2 else "---" for number, name in enumerate(names)}
    system = {name: "+++" if number % 2 else "+--" for number, name in enumerate(names)}
    result = compared(base, system)
    found = only(result)
    assert (found.ci, found.p, found.sign_p) == (None, 2 ** (1 - tasks), 2 ** (1 - tasks))
    assert found.reason
    assert result.ladders[0].verdict == verdict


def test_ratios_of_sums_are_tested_as_one_number() -> None:
    """A task with many items weighs more in the value, so it weighs more in the test, too."""
    base = {str(task): (1.0, 2.0) for task in range(9)} | {"9": (10.0, 100.0)}
    system = {str(task): (2.0, 2.0) for task in range(9)} | {"9": (5.0, 100.0)}
    found = task_difference("Rate", ("base", base), ("system", system), Resampling())
    assert found.difference == pytest.approx((18 + 5) / 118 - (9 + 10) / 118)
    assert (found.wins, found.losses) == (9, 1)
    assert found.ci is not None
    assert found.ci[0] < 0 < found.ci[1]
    assert found.p is not None
    assert found.p > 0.05 > (found.sign_p or 1)


def test_signatures_name_the_goals_and_the_map_of_dialogues_with_acts() -> None:
    def talk(area: str) -> Conversation:
        from dialmeter.model import Act

        acts = (Act("Hotel-Inform", "hotel", "name", ("the inn",)), Act("Hotel-Inform", "hotel", "area", ("east",)))
        return Conversation(
            "d1", (Move("user", acts=()), Move("system", acts=acts)), {"hotel": DomainGoal(info={"area": area})}
        )

    east, west = (score_acts([talk(area)], UserScorer()) for area in ("east", "west"))
    assert (east.value, west.value) == (1.0, 0.0)
    assert east.signature != west.signature
    with pytest.raises(DialmeterError, match="NOT COMPARABLE: one and two differ: tasks"):
        compare_systems({"one": east, "two": west}, Resampling())
    with_map, without = (act_settings(UserScorer(value_map=name)).signed for name in ("multiwoz", None))
    assert with_map != without
