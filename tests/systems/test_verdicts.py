"""Verdicts on systems: tasks that decide them, and infrastructure errors."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from dialmeter.core.comparison import Resampling, TaskDifference, task_difference
from dialmeter.core.open_runs import open_run
from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation, DomainGoal, Ending, Move
from dialmeter.readers.conversations import open_trajectories
from dialmeter.readers.layouts.agents import ending_of_error
from dialmeter.studies.log_score import act_settings, score_acts
from dialmeter.systems.compare import LogComparison, compare_systems
from dialmeter.systems.measures import SystemSettings
from dialmeter.systems.scorer import score_system
from dialmeter.users.scorer import UserScorer

from ..cli.invoke import Cli
from ..shared_data import shared
from .trials import SKIPPED, log, tries

RESET = "litellm.APIConnectionError: Vertex_aiException - [Errno 54] Connection reset by peer"
NAMES = {
    "gpt": "retail_tool-calling-gpt-4.1-mini_0610135038.json",
    "gemini": "retail_tool-calling-gemini-2.0-flash_0605191952.json",
}


def calls() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "calls.json").read_text())
    return found


def test_texts_of_errors() -> None:
    for text, is_infrastructure in calls()["infrastructure texts"]:
        assert ending_of_error(text) == ("infrastructure" if is_infrastructure else "crash"), text
    in_tool = 'File "/opt/tau_bench/envs/retail/tools/cancel_order.py", line 9, in invoke'
    assert ending_of_error(RESET, 'File "/home/tools/tau/run.py", line 9') == "infrastructure"
    assert ending_of_error(RESET, in_tool) == "crash"


@pytest.mark.parametrize(
    ("reason", "info", "ending"),
    [
        ("infrastructure_error", None, "infrastructure"),
        ("unexpected_error", None, "crash"),
        ("unexpected_error", {"error_type": "RateLimitError", "error": "slow down"}, "infrastructure"),
        ("agent_error", {"error": RESET}, "infrastructure"),
        ("agent_error", {"error": "KeyError: 'name'"}, "crash"),
        ("user_error", {"error": RESET, "error_traceback": 'File "tau2/environment/toolkit.py", line 1'}, "crash"),
        ("context_window_exceeded", None, "limit"),
        ("too_many_errors", {"error": RESET}, "limit"),
    ],
)
def test_endings_of_tau2_bench(reason: str, info: Any, ending: Ending, tmp_path: Path) -> None:
    run = {"task_id": "a", "trial": 0, "messages": [], "termination_reason": reason, "info": info}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"info": {"agent_info": {}}, "tasks": [], "simulations": [run]}))
    [found] = open_trajectories(path)
    assert found.ending == ending


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        ({"message": "openai.InternalServerError: Error code: 500"}, "infrastructure"),
        ({"message": "TimeoutError", "traceback": 'File "inspect_ai/model/_call_tools.py", line 3'}, "crash"),
        ({"message": "AssertionError"}, "crash"),
        (None, "limit"),
    ],
)
def test_endings_of_inspect(error: Any, ending: Ending, tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "messages": [], "scores": {}, "error": error, "limit": {"type": "message"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": [sample]}))
    [found] = open_trajectories(path)
    assert found.ending == ending


def test_both_values_of_published_logs() -> None:
    for name, wanted in calls()["files"].items():
        result = score_system(log(name), resampling=None)
        endings = Counter(each.ending for each in result.outcomes)
        assert (endings["infrastructure"], endings["crash"]) == (wanted["runs"].get("infra", 0), 0)
        second = result.without_infrastructure or result
        assert result.value == pytest.approx(wanted["success"]["as failures"], abs=1e-6)
        assert second.value == pytest.approx(wanted["success"]["left out"], abs=1e-6)
        assert (result.without_infrastructure is None) == (not wanted["runs"].get("infra"))


def test_both_verdicts_of_published_logs() -> None:
    for pair, wanted in calls()["pairs"].items():
        system, base = pair.split(" - ")
        results = {name: score_system(log(name), resampling=None, measures=["Success"]) for name in (base, system)}
        compared = compare_systems(results, Resampling(0.95, 10_000, 0))
        [ladder], [versus] = compared.ladders, compared.versus
        assert isinstance(versus, TaskDifference)
        figures = [wanted["success"]["as failures"], wanted["success"]["left out"]]
        assert versus.bootstrap_ci == pytest.approx(figures[0]["ci95_bootstrap"], abs=0.02)
        rungs = [each for each in ladder.rungs if each.assumption in ("as written", "infrastructure")]
        for rung, known in zip(rungs, figures, strict=False):
            assert rung.difference == pytest.approx(known["diff"], abs=1e-6), pair
            assert rung.ci == pytest.approx(known["ci95"], abs=1e-6), pair
            assert (rung.verdict, rung.n) == (known["verdict"], known["tasks"]), pair
        assert len(rungs) == (2 if any(wanted["success"]["infra"]) else 1)
        assert (ladder.verdict == "depends") == bool(wanted["success"].get("flips")), pair


def test_the_verdict_that_turns_with_connection_errors(cli: Cli) -> None:
    words = ["compare", *(f"{name}={log(file)}" for name, file in NAMES.items())]
    document = cli.json(*words, "--fail-if", "worse", "--set", "resamples=100", code=1)
    [ladder] = document["ladder"]
    assert ladder["verdict"] == "depends"
    rungs = {each["name"]: (each["verdict"], round(100 * each["difference"], 2), each["n"]) for each in ladder["rungs"]}
    assert rungs == {
        "infrastructure=failed": ("worse", -25.22, 115),
        "infrastructure=skipped": ("cannot tell", -6.25, 80),
        "CallGCA": ("worse", -35.41, 115),
        "without dead tasks": ("worse", -26.79, 112),
        "without early ends": ("worse", -26.17, 107),
    }
    assert [warning["code"] for warning in document["warnings"]] == ["infrastructure"]
    alone = cli.json(*words, "-q", "--set", "infrastructure=skipped")
    assert [each["assumption"] for each in alone["ladder"][0]["rungs"]] == ["as written", "calls", "tasks", "user"]
    assert alone["versus"][0]["difference"] == pytest.approx(-0.0625)


def test_the_headline_reads_well() -> None:
    compared = compare_systems(
        {name: score_system(log(file), resampling=None) for name, file in NAMES.items()}, Resampling()
    )
    assert compared.ladders[0].headline == (
        "DEPENDS on infrastructure: gemini is worse by 25.22 Success, but not shown to be worse "
        "without the 35 tasks where its connection broke."
    )


@pytest.mark.parametrize(
    ("infrastructure", "value", "second", "signed"),
    [("both", 0.5, 1.0, "failed"), ("failed", 0.5, None, "failed"), ("skipped", 1.0, None, "skipped")],
)
def test_settings(infrastructure: Any, value: float, second: float | None, signed: str) -> None:
    result = score_system(tries(a="+#", b="#+"), settings=SystemSettings("", infrastructure))
    assert result.value == value
    assert (result.without_infrastructure.value if result.without_infrastructure else None) == second
    assert f"|infrastructure:{signed}|" in result.signature
    if result.without_infrastructure:
        alone = score_system(tries(a="+#", b="#+"), settings=SKIPPED)
        assert result.without_infrastructure.to_dicts() == alone.to_dicts()


def test_a_crash_stays_a_failure() -> None:
    result = score_system(tries(a="+!", b="!+"), settings=SKIPPED)
    assert (result.value, result.infrastructure_errors) == (0.5, [])


def test_warning_above_two_percent() -> None:
    few = score_system(tries(a="+" * 49 + "#"))
    many = score_system(tries(a="+" * 48 + "##"))
    assert [notice.code for notice in few.notices] == []
    [notice] = many.notices
    assert notice.message == (
        "2 of 50 dialogues were ended by an infrastructure error; Success is 96.00, and 100.00 without them"
    )


def test_only_the_errors_of_a_pair_count_for_its_ladder() -> None:
    agents = {
        "base": tries(a="+", b="-", c="+"),
        "good": tries(a="+", b="+", c="+"),
        "lost": tries(a="#", b="-", c="+"),
    }
    compared = compare_systems({name: score_system(given) for name, given in agents.items()}, Resampling())
    assert [[rung.n for rung in ladder.rungs] for ladder in compared.ladders] == [[3], [3, 2]]
    nothing = {"base": score_system(tries(a="+", b="+")), "lost": score_system(tries(a="#", b="#"))}
    [ladder] = compare_systems(nothing, Resampling()).ladders
    assert [(rung.difference, rung.n) for rung in ladder.rungs] == [(-1.0, 2), (None, 0)]


def test_output_and_run(tmp_path: Path, cli: Cli) -> None:
    talk = [{"role": "user", "content": "Bye. ###STOP###"}]
    lost = {"info": {"error": RESET, "traceback": ""}, "traj": []}
    entries = [
        {"task_id": task, "trial": 0, "reward": float(task % 2), "info": {}, "traj": talk} | (lost if task > 3 else {})
        for task in range(6)
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(entries))
    done = cli("score", path, "--out", tmp_path / "run", "-v")
    assert done.out.splitlines()[0] == "Success 33.33, and 50.00 without infrastructure errors."
    assert "Success, infrastructure errors unscored" in done.out
    assert "|infrastructure:failed|" in done.out
    assert "|infrastructure:skipped|" in done.out
    assert "2 of 6 dialogues were ended by an infrastructure error" in done.err
    manifest = open_run(tmp_path / "run").manifest
    assert [each["value"] for each in manifest["scores"] + manifest["scores_without_infrastructure"]] == [
        pytest.approx(1 / 3),
        0.5,
    ]
    page = tmp_path / "page.html"
    cli("report", tmp_path / "run", "--out", page, "-q")
    assert "without infrastructure errors" in page.read_text("utf-8")
    document = cli.json("score", path, "-q")
    assert [each["value"] for each in document["scores_without_infrastructure"]] == [0.5]
    rows = cli("score", path, "-f", "csv", "-q").out.splitlines()
    assert [row.split(",")[:3] for row in rows[1:]] == [
        ["", "Success", "0.333333"],
        ["unscored", "Success", "0.500000"],
    ]
    failed = cli.json("score", path, "-q", "--set", "infrastructure=failed")
    assert (failed["scores_without_infrastructure"], failed["scores"][0]["signature"]) == (
        [],
        document["scores"][0]["signature"],
    )


BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def compared(base: dict[str, str], system: dict[str, str]) -> LogComparison:
    """Compare two agents on tasks with trials such as ``++-``."""
    results = {
        name: score_system(tries(**tasks), ["Success"], resampling=None)
        for name, tasks in (("base", base), ("system", system))
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

    verdict, _ = false_alarms(trials, simulations=200)
    assert verdict <= 0.09


def test_the_number_of_tasks_that_a_difference_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from agent_level import power

    _, found = power(0.2, 4, simulations=300)
    assert 0.7 < found < 0.9


def test_the_verdict_has_the_sign_of_its_difference() -> None:
    """Many tasks are lost by a little and a few are won by much: the sign test contradicts the mean."""
    base = {f"a{task}": "+" for task in range(12)} | {f"b{task}": "-" for task in range(8)}
    system = {f"a{task}": "+++-" for task in range(12)} | {f"b{task}": "++++" for task in range(8)}
    result = compared(base, system)
    found = only(result)
    assert (found.better, found.worse) == (8, 12)
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
    assert (found.better, found.worse) == (9, 1)
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
