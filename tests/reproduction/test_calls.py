"""The figures of calls, noise, audit and cost in published logs of agents, and the constructed cases."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from dialmeter.core.calls import _READING
from dialmeter.core.comparison import Resampling, standard_error
from dialmeter.model import ABORTED, ExpectedAction, Step, TaskGoal, ToolCall, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.readers.layouts.agents import _INFRASTRUCTURE, _REFUSED
from dialmeter.stats.noise import Noise, difference_variances, mean_squares, needs, needs_of, noise_of
from dialmeter.systems.calls import calls_of_log, count_marks, writing_tools
from dialmeter.systems.compare import compare_systems, needed_difference, needed_tasks
from dialmeter.systems.measures import _ASSENT, CALLS, SUCCESS, SystemSettings, parse_system_measure
from dialmeter.systems.result import SystemResult
from dialmeter.systems.scorer import check_log, score_system
from dialmeter.systems.task_audit import AuditedRun, AuditedTask, agent_name, audit_tasks

from ..shared_data import shared
from ..systems.trials import log

DEFAULTS = SystemSettings()
SKIPPED = SystemSettings(infrastructure="skipped")
FILES = (
    "gpt-4o-airline.json",
    "retail_act-gemini-2.0-flash_0605165116.json",
    "retail_tool-calling-gemini-2.0-flash_0605191952.json",
    "retail_tool-calling-gpt-4.1-mini_0610135038.json",
    "tau2_airline_gemini2_5_flash_10tasks_2t.json",
    "tau2_airline_gemini2_5_flash_10tasks_2t_retry_agent.json",
)


@cache
def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "calls.json").read_text())
    return found


@cache
def scored(name: str, settings: SystemSettings = DEFAULTS) -> SystemResult:
    return score_system(log(name), settings=settings, resampling=None)


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-6)


def test_constructed_cases() -> None:
    cases = expected()["cases"]
    assert len(cases) == 13
    for case in cases:
        actions = tuple(
            ExpectedAction(name, arguments, compared=tuple(keys[0]) if keys else None)
            for name, arguments, *keys in case["gold"]
        )
        made = tuple(
            ToolCall(name, arguments, result="done" if not ok or ok[0] else "Error", failed=bool(ok) and not ok[0])
            for name, arguments, *ok in case["made"]
        )
        trajectory = Trajectory(id="1:0", task="1", goal=TaskGoal("", actions), steps=(Step(0, "system", calls=made),))
        # Another task has expected calls, so nothing expected here means that nothing may be changed.
        other = Trajectory(id="2:0", task="2", goal=TaskGoal("", (ExpectedAction("cancel_order", {"id": "A"}),)))
        [outcome, _] = calls_of_log([trajectory, other], writing_tools([trajectory, other]))
        wanted = case["expected"]
        assert outcome is not None
        assert outcome.counts() == tuple(wanted[key] for key in "MWOC"), case
        assert outcome.counts("call") == tuple(wanted["calls"][key] for key in "MWOC"), case
        assert (outcome.exact, outcome.ignored, outcome.failed) == (
            wanted["exact"],
            wanted["ignored"],
            wanted["failed"],
        )
        assert outcome.accuracy() == close(wanted["CallGCA"])


def test_word_lists() -> None:
    rules = expected()["rules"]
    assert sorted(rules["reading words"]) == sorted(_READING)
    for found, key in ((_INFRASTRUCTURE, "infra"), (_REFUSED, "not infra")):
        assert set(found.pattern.split("|")) == set(rules[key].split("|"))
        assert found.flags & re.IGNORECASE
    assert _ASSENT.pattern.endswith(rules["assent"])
    assert _ASSENT.flags & re.IGNORECASE


@pytest.mark.parametrize("name", FILES)
def test_calls_of_published_logs(name: str) -> None:
    wanted, failed, skipped = expected()["files"][name], scored(name), scored(name, SKIPPED)
    kinds = Counter(
        {"limit": "limit", "infrastructure": "infra", "crash": "crash"}.get(each.ending, "run")
        for each in failed.outcomes
    )
    assert kinds == wanted["runs"]
    assert [failed.value, skipped.value] == close([wanted["success"][key] for key in ("as failures", "left out")])
    for measure in ("CallGCA", "CallExact"):
        assert failed[measure].value == close(wanted[measure]["as failures"])
        assert skipped[measure].value == close(wanted[measure]["left out"])
    assert skipped["CallGCA(level=call)"].value == close(wanted["CallGCA level=call"]["left out"])
    calls = [each.calls for each in skipped.scored if each.calls is not None]
    pairs = [pair for each in calls for pair in each.pairs]
    for level, key in (("argument", "arguments"), ("call", "calls")):
        counts = count_marks(pairs, level)  # type: ignore[arg-type]
        assert counts == tuple(wanted[key][each] for each in "MWOC")
        [row] = [each for each in skipped.call_counts if each.level == key and not each.tool]
        assert row.shares == close(
            {each: wanted[key][each] for each in ("VP", "VR", "LP", "LR")} | {"CallGCA": wanted[key]["pooled"]}
        )
    assert sum(each.failed for each in calls) == wanted["failed writing calls"]
    assert sum(each.ignored for each in calls) == wanted["ignored inner keys"]
    facts = [told for each in calls for _, told in each.facts]
    assert {"expected": len(facts), "told": sum(facts)} == wanted["facts"]
    values = [each.number("CallGCA") or 0.0 for each in skipped.scored if not each.success]
    assert len(values) == wanted["failed dialogues"]["n"]
    assert sum(values) / len(values) == close(wanted["failed dialogues"]["mean"])
    assert sum(each >= 0.8 for each in values) / len(values) == close(wanted["failed dialogues"]["share_ge_08"])
    assert values.count(0) / len(values) == close(wanted["failed dialogues"]["share_0"])


@pytest.mark.parametrize("name", FILES)
def test_calls_of_published_dialogues(name: str) -> None:
    wanted, outcomes = expected()["files"][name], {each.id: each for each in scored(name).outcomes}
    assert len(wanted["dialogues"]) == len(outcomes)
    same = {each.id: each.same_database for each in open_trajectories(log(name))}
    explained, databases = Counter[str](), Counter[str]()
    for task, trial, *row in wanted["dialogues"]:
        each = outcomes[f"{task}:{trial}"]
        assert each.calls is not None
        if row == ["infra"]:
            assert each.calls.lost
            continue
        told = [fact for _, fact in each.calls.facts]
        found = [*each.calls.counts(), each.number("CallGCA"), each.calls.exact, sum(told), len(told), each.success]
        assert found == close(row), each.id
        explains = bool(each.calls.exact) and all(told) and each.ending != "limit"
        explained[f"{int(explains)},{int(bool(each.success))}"] += 1
        databases[f"{int(each.calls.exact or 0)},{same[each.id]}"] += 1
    assert dict(explained) == wanted["exact, facts, ended = success"]
    assert dict(databases) == wanted["exact and database"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("settings", "key"), [(DEFAULTS, "as failures"), (SKIPPED, "left out")])
def test_noise_of_published_logs(name: str, settings: SystemSettings, key: str) -> None:
    result = scored(name, settings)
    known = expected()["files"][name]["noise CallGCA left out"]
    for measure, wanted in ((SUCCESS, expected()["files"][name]["noise"][key]), (CALLS[0], known)):
        if measure is SUCCESS or (settings is SKIPPED and not isinstance(known, str)):
            squares = mean_squares(list(result.trial_values(measure).values()))
            assert squares == close(tuple(wanted["anova"][each] for each in ("MSB", "MSW", "k0")))
            assert result.score_of(measure).value == close(wanted["mean"])
    check_noise(result.noise, expected()["files"][name]["noise"][key])
    if settings is SKIPPED:
        check_noise(result.noise_of(CALLS[0]), None if isinstance(known, str) else known)


def check_noise(noise: Noise | None, wanted: Any) -> None:
    if wanted is None:
        assert noise is None
        return
    assert noise is not None
    assert (noise.tasks, list(noise.trials), noise.is_upper_bound) == (
        wanted["tasks"],
        wanted["trials"],
        wanted["noise_is_upper_bound"],
    )
    for found, key in (
        (noise.tasks_that_flip, "tasks_that_flip"),
        (noise.pair_flip_rate, "pair_flip_rate"),
        (noise.within, "s2_within"),
        (noise.between, "s2_between"),
        (noise.trials_harmonic, "trials_harmonic"),
    ):
        assert found == (close(wanted[key]) if key in wanted else None)
    assert noise.icc == (None if wanted["anova"]["icc"] is None else close(wanted["anova"]["icc"]))
    assert noise.icc_ci == (close(wanted["anova"]["icc_ci95"]) if "icc_ci95" in wanted["anova"] else None)
    for spread, key in ((noise.rerun, "rerun"), (noise.unpaired, "unpaired")):
        assert [spread.se, spread.floor, spread.needed] == close(
            [wanted[key][each] for each in ("se", "floor95", "mdd80")]
        )


def test_needed_tasks_and_trials() -> None:
    known = expected()["needed"]["airline, two such agents, no interaction"]
    values = list(scored("gpt-4o-airline.json").trial_values().values())
    five, ten = (needs_of(values, values, difference) for difference in (0.05, 0.1))
    assert five is not None
    assert ten is not None
    assert five.tasks == known["difference .05, 4 trials: tasks"]
    assert ten.tasks == known["difference .10, 4 trials: tasks"]
    assert ten.trials == known["difference .10, 50 tasks: trials"]
    within = mean_squares(values)[1] or 0.0
    assert needs(0, 2 * within, 1, 50, 0.1).tasks == known["difference .10, 1 trial: tasks"]
    assert needs(0.05, 2 * within, 4, 50, 0.1).trials == known["difference .10, 50 tasks, interaction .05: trials"]
    assert needs(0.5, 2 * within, 4, 50, 0.1).trials is None


def test_noise_is_never_zero() -> None:
    for values in ([[1.0]] * 9, [[0.0]] * 9, [[1.0, 1.0]] * 9, [[0.0], [1.0]] * 9):
        noise = noise_of(values)
        assert noise is not None
        assert noise.is_upper_bound
        assert noise.rerun.floor > 0


@pytest.mark.parametrize("name", FILES)
def test_cost_of_published_logs(name: str) -> None:
    check_costs(scored(name, SKIPPED), expected()["files"][name]["cost"])


def test_cost_of_inspect_logs() -> None:
    for name, known in expected()["inspect cost"].items():
        path = shared("data", "trajectories", "inspect", name)
        result = score_system(path, resampling=None)
        assert (len(result.outcomes), len(result.scored)) == (known["samples"], known["scored"])
        assert sum(each.ending in ABORTED for each in result.outcomes) == known["errors"]
        unfinished = [
            each.message for each in check_log(open_trajectories(path)).notices if each.code == "unfinished-log"
        ]
        assert not unfinished if known["status"] == "success" else f"status {known['status']};" in unfinished[0]
        check_costs(result, {key: known[key] for key in ("total_tokens", "seconds")})
        assert sum(bool(each.success) for each in result.scored) == known["solved"]


def check_costs(result: SystemResult, known: dict[str, Any]) -> None:
    costs = {each.name.replace(" ", "_"): each for each in result.costs}
    for key, wanted in known.items():
        if wanted is None:
            assert key not in costs
            continue
        found = costs[key]
        assert (found.runs, found.solved) == (wanted["runs"], wanted["solved"])
        names = {"total": "total", "per_run": "per_run", "per_solved": "per_solved", "share_on_failed": "on_failed"}
        for name in names.keys() & wanted.keys():
            value = getattr(found, names[name])
            assert value == (None if wanted[name] is None else close(wanted[name])), (key, name)


@cache
def audited(benchmark: str) -> list[AuditedTask]:
    runs: list[AuditedRun] = []
    for name in FILES:
        if name.startswith({"airline": "gpt-4o-airline"}.get(benchmark, benchmark)):
            agent = agent_name(name.removesuffix(".json"))
            score_system(
                log(name), on_row=lambda *row, agent=agent: runs.append(AuditedRun(agent, *row)), resampling=None
            )  # type: ignore[misc]
    return audit_tasks(runs)


@pytest.mark.parametrize("benchmark", ["retail", "airline", "tau2"])
def test_audit_of_published_logs(benchmark: str) -> None:
    wanted = expected()["audit"][benchmark]
    assert [each.task for each in audited(benchmark)] == [each["task"] for each in wanted]
    for found, known in zip(audited(benchmark), wanted, strict=True):
        assert found.score == close(known["score"])
        assert (found.runs, found.agents, found.solved) == (known["runs"], known["agents"], known["solved"])
        assert {each.name: each.value for each in found.signals} == close(known["signals"])
        assert len(list(found.evidence)) >= len(found.signals)


def test_audit_against_labels() -> None:
    """Of the labelled tasks among the first ones, how many a reader found to be wrong; beside tasks that nobody solves."""
    labels = json.loads(shared("expected", "calls_labels.json").read_text())["labels"]
    for benchmark, known in expected()["audit precision (labels here)"].items():
        verdicts = {each["task"]: each["verdict"] for each in labels if each["benchmark"] == f"tau-bench {benchmark}"}
        for count, wanted in known.items():
            first = [verdicts[each.task] for each in audited(benchmark)[: int(count)] if each.task in verdicts]
            assert {
                "labelled": len(first),
                "clear": first.count("clear"),
                "doubtful": first.count("doubtful"),
            } == wanted


def test_ended_while_agreeing() -> None:
    for name in FILES:
        ended = [each for each in scored(name).outcomes if each.ended_agreeing]
        wanted = expected()["files"][name]["ended by the user while agreeing"]
        assert {"all": len(ended), "failed": sum(not each.success for each in ended)} == wanted


@pytest.mark.parametrize("measure", ["Success", "CallGCA"])
@pytest.mark.parametrize("pair", range(4))
def test_verdicts_on_published_pairs(pair: int, measure: str) -> None:
    name, figures = list(expected()["pairs"].items())[pair]
    figures = figures["success" if measure == "Success" else measure]
    system, base = name.split(" - ")
    results = {each: score_system(log(each), [measure], resampling=None) for each in (base, system)}
    compared = compare_systems(results, Resampling(0.95, 10_000, 0))
    assert [len(results[each].infrastructure_errors) for each in (system, base)] == figures["infra"]
    [ladder] = compared.ladders
    rungs = {each.assumption: each for each in ladder.rungs}
    written = rungs["as written"]
    for rung, known in (
        (written, figures["as failures"]),
        (rungs.get("infrastructure", written), figures["left out"]),
    ):
        assert (rung.n, rung.verdict) == (known["tasks"], known["verdict"])
        assert rung.difference == close(known["diff"])
        assert rung.ci == close(known["ci95"])
        assert standard_error(rung.ci, rung.n, 0.95) == close(known["se"])
        assert needed_difference(rung, 0.95) == close(known["mdd80"])
        assert needed_tasks(rung, 0.95) == known.get("tasks_for_80_at_this_difference")
    assert (ladder.verdict == "depends") == figures["flips"]
    # Where the verdicts differ, the specification's cannot tell is said as what it depends on.
    assert ladder.verdict == ("depends" if figures["flips"] else figures["verdict"])
    [difference] = [each for each in compared.versus if each.measure == measure]
    known = figures["as failures"]
    assert difference.bootstrap_ci == pytest.approx(known["ci95_bootstrap"], abs=0.02)
    assert [compared.results[each][measure].value for each in (system, base)] == close([known["a"], known["b"]])
    if "s2_noise" in figures["as failures"]:
        chosen = parse_system_measure(measure)
        values = [list(compared.results[each].trial_values(chosen).values()) for each in (system, base)]
        found = difference_variances(*values, is_share=measure == "Success")
        # Without an observed flip, the bound on the noise stands where the mean square is 0.
        wanted = (figures["as failures"]["s2_interaction"], figures["as failures"]["s2_noise"])
        if measure != "Success":
            assert found == close(wanted)
        else:
            within = [mean_squares(each)[1] or 0.0 for each in values]
            assert sum(within) == close(wanted[1])
            assert found is not None
            assert found[1] > wanted[1]


@pytest.mark.parametrize("pair", range(4))
def test_calls_separate_systems_more_sharply(pair: int) -> None:
    """Differences without infrastructure errors, in standard errors."""
    name, figures = list(expected()["pairs"].items())[pair]
    system, base = name.split(" - ")
    found = {}
    for measure in ("Success", "CallGCA"):
        results = {each: score_system(log(each), [measure], resampling=None) for each in (base, system)}
        [ladder] = compare_systems(results, Resampling(0.95, 1000, 0)).ladders
        rungs = {each.assumption: each for each in ladder.rungs}
        rung = rungs.get("infrastructure", rungs["as written"])
        error = standard_error(rung.ci, rung.n, 0.95)
        found["success" if measure == "Success" else measure] = rung.difference / error if error else None
    wanted = figures.get("z") or {}
    assert {each: found[each] for each in wanted if each != "squared ratio"} == pytest.approx(
        {each: value for each, value in wanted.items() if each != "squared ratio"}, abs=1e-5
    )
    if wanted.get("squared ratio") is not None:
        assert (found["CallGCA"] / found["success"]) ** 2 == pytest.approx(wanted["squared ratio"], rel=1e-5)
