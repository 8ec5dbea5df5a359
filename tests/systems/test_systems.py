"""Tests of systems: the published figures of logs, the definition of pass^k, bad logs, runs, and the how-to guide."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.comparison import Resampling, TaskDifference
from dialmeter.core.open_runs import open_run
from dialmeter.errors import DialmeterError, InputError
from dialmeter.model import TaskGoal, Trajectory
from dialmeter.systems.compare import compare_systems
from dialmeter.systems.measures import SystemSettings
from dialmeter.systems.scorer import score_system
from dialmeter.users.items.log_items import item_rows

from ..cli.invoke import Cli
from ..shared_data import shared
from .trials import SKIPPED, log, tries

ROOT = Path(__file__).parents[2]


def expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "trajectories.json").read_text())
    return found


@pytest.mark.parametrize(("infrastructure", "key"), [("both", "pass"), ("skipped", "pass_without_crashed")])
def test_pass_of_published_logs(infrastructure: Any, key: str) -> None:
    wanted = expected()
    for name, figures in {**wanted["tau"], **wanted["tau2"]}.items():
        known = figures.get(key)
        if known is None:
            continue
        result = score_system(log(name), settings=SystemSettings("", infrastructure))
        assert len(result.by_task) == known["tasks"]
        assert result.trials == (known["trials_min"], known["trials_max"])
        scores = [each for each in result.scores if each.measure.startswith(("Success", "Pass"))]
        for k, score in enumerate(scores, 1):
            figure = known[f"pass^{k}"]
            assert score.value == pytest.approx(figure["value"], abs=1e-9), (name, k)
            assert score.ci == pytest.approx(figure["ci95"], abs=0.02), (name, k)
        assert len(scores) == known["trials_max"]


def test_pass_of_inspect_logs() -> None:
    for name, figures in json.loads(shared("expected", "inspect.json").read_text()).items():
        for scorer, known in figures["pass"].items():
            path = shared("data", "trajectories", "inspect", name)
            result = score_system(path, settings=SystemSettings(scorer), resampling=None)
            values = [each.value for each in result.scores if each.measure.startswith(("Success", "Pass"))]
            assert values == pytest.approx(list(known.values()), abs=1e-9)


def test_paired_figures_of_published_logs() -> None:
    for pair, known in expected()["paired"].items():
        system, base = pair.split(" - ")
        results = {name: score_system(log(name), resampling=None) for name in (base, system)}
        found = compare_systems(results, Resampling(0.95, 10_000, 0))
        first = found.versus[0]
        assert len(found.results[base].by_task) == known["common_tasks"]
        assert first.difference == pytest.approx(known["diff_pass^1"], abs=1e-9)
        assert isinstance(first, TaskDifference)
        assert first.bootstrap_ci == pytest.approx(known["ci95"], abs=0.02)
        assert (first.better, first.worse, first.same) == (known["a_better"], known["b_better"], known["tie"])
        trials = {task: len(tries) for task, tries in found.results[base].by_task.items()}
        is_equal = trials == {task: len(tries) for task, tries in found.results[system].by_task.items()}
        assert first.sign_p == (pytest.approx(known["sign_test_p"], rel=1e-9) if is_equal else None)


def test_pass_is_the_share_of_draws_that_all_succeed() -> None:
    signs = "++-+-"
    result = score_system(tries(a=signs), measures=[f"Pass(k={k})" for k in range(1, 6)])
    for k, score in enumerate(result.scores, 1):
        draws = list(combinations(signs, k))
        assert score.value == pytest.approx(sum(set(draw) == {"+"} for draw in draws) / len(draws))
    assert result.scores[0].ci is None


def test_the_order_of_dialogues_does_not_matter() -> None:
    given = tries(a="++-", b="-+-", c="+++", d="---")
    assert score_system(given).to_dicts() == score_system(given[::-1]).to_dicts()


def test_unequal_trials_and_what_is_unscored() -> None:
    given = tries(a="++", b="-", c="?", d="#+")
    result = score_system(given, ["Success", "Pass(k=2)"], SKIPPED)
    success, twice = result.scores
    assert (success.value, success.n) == (pytest.approx(2 / 3), 3)
    assert (twice.value, twice.n, twice.unscored) == (1.0, 1, 2)
    assert result.account.line == (
        "6 dialogues requested, 6 found, 4 scored, 2 unscored: 1 without a reward (c:0); "
        "1 ended by an infrastructure error (d:0)"
    )
    assert [notice.code for notice in result.notices] == ["tasks-unscored", "infrastructure", "unequal-trials"]
    assert "infrastructure:skipped|scored:4/6|trials:1-2|tasks:3|d:4" in success.signature
    failed = score_system(tries(a="++", b="-", d="!+"))
    assert failed["Success"].value == pytest.approx(0.5)


def test_results_that_count_errors_differently_are_not_compared() -> None:
    given = tries(a="+-", b="-+")
    results = {"one": score_system(given), "two": score_system(given, settings=SKIPPED)}
    with pytest.raises(DialmeterError, match="NOT COMPARABLE: one and two differ: infrastructure: failed ≠ skipped"):
        compare_systems(results, Resampling())
    with pytest.raises(DialmeterError, match="have no task in common"):
        compare_systems({"one": score_system(tries(a="+")), "two": score_system(tries(b="+"))}, Resampling())


def entry(task: int, trial: int = 0, reward: float | None = 1.0, **more: Any) -> dict[str, Any]:
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Cancel trip <b>X100</b>."},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": "X100"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "name": "cancel", "content": "Error: no such trip"},
        {"role": "assistant", "content": "There is no such trip."},
        {"role": "user", "content": "Bye. ###STOP###"},
    ]
    task_info = {
        "instruction": "Cancel X100.",
        "actions": [{"name": "cancel", "kwargs": {"id": "X100"}}],
        "outputs": [],
    }
    return {"task_id": task, "trial": trial, "reward": reward, "info": {"task": task_info}, "traj": talk, **more}


def written(path: Path, *entries: Any) -> Path:
    path.write_text(json.dumps(list(entries)))
    return path


BAD = {
    "cut": (lambda: json.dumps([entry(0), entry(1)])[:-40], "cut off"),
    "no rewards": (lambda: json.dumps([entry(0, reward=None)]), "no dialogue can be scored: without a reward"),
    "no log": (lambda: '{"a": 1}', "unknown log format"),
    "empty": (lambda: "[]", "an empty list without dialogues"),
    "ids twice": (lambda: json.dumps([entry(0), entry(0)]), "dialogue 0:0: duplicate dialogue id"),
    "info in words": (lambda: json.dumps([entry(0, info="x")]), "info must be an object, found a string"),
    "no samples": (lambda: json.dumps({"version": 2, "status": "success", "eval": {}}), "no dialogue"),
    "another version": (
        lambda: json.dumps({"info": {"agent_info": {}}, "tasks": [], "simulation_index": []}),
        "no simulations; give the folder",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_logs_get_one_line(kind: str, tmp_path: Path, cli: Cli) -> None:
    make, message = BAD[kind]
    path = tmp_path / "log.json"
    path.write_text(make())
    for command in ("score", "check"):
        done = cli(command, path, "--subject", "system", "-q", code=2)
        # A path may be broken at the end of a line.
        said = "".join(f"{done.out}{done.err}".split())
        wanted = "without a reward" if kind == "no rewards" else message
        assert wanted.replace(" ", "") in said
        assert "log.json" in said
        assert all(line.startswith("dialmeter: ") for line in done.err.splitlines())


def test_an_inspect_log_of_another_version_is_noticed(tmp_path: Path, cli: Cli) -> None:
    sample = {"id": 1, "epoch": 1, "messages": [], "scores": {"match": {"value": "C"}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 9, "status": "success", "eval": {}, "samples": [sample]}))
    assert "the log has version 9; it is read like versions 2 and 3" in cli("score", path).err


def test_simulations_that_only_the_index_has_are_refused(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "simulations").mkdir()
    one = {"id": "s0", "task_id": "a", "trial": 0, "messages": [], "termination_reason": "user_stop"}
    index = [{"id": f"s{trial}", "task_id": "a", "trial": trial} for trial in (0, 1)]
    (tmp_path / "results.json").write_text(json.dumps({"info": {}, "tasks": [], "simulation_index": index}))
    (tmp_path / "simulations" / "s0.json").write_text(json.dumps({**one, "reward_info": {"reward": 1.0}}))
    done = cli("score", tmp_path, "-q", code=2)
    assert (
        "dialogue a:1: simulation_index lists this simulation, but the folder simulations has no file for it"
        in done.err
    )
    cli("score", tmp_path, "-q", "--set", "missing=skip")


def test_one_trial_only(tmp_path: Path, cli: Cli) -> None:
    score, *calls = cli.json("score", written(tmp_path / "log.json", entry(0)), "-q")["scores"]
    assert {each["measure"] for each in calls} <= {"CallGCA", "CallGCA(level=call)", "CallExact"}
    assert (score["measure"], score["value"], score["ci"]) == ("Success", 1.0, None)
    [score] = cli.json("score", tmp_path / "log.json", "--measure", "Pass(k=3)", "-q")["scores"]
    assert (score["value"], score["reason"]) == (None, "no task has enough trials")


def test_a_run_is_kept_and_shown(tmp_path: Path, cli: Cli) -> None:
    path = written(tmp_path / "log.json", entry(0), entry(0, 1, 0.0), entry(1), entry(1))
    out = tmp_path / "runs" / "a"
    cli("score", path, "--out", out, "--set", "missing=skip", "-q")
    run = open_run(out)
    assert run.manifest["unscored_dialogues"] == ["dialogue 1:0: duplicate dialogue id"]
    assert str(tmp_path) not in (out / "run.json").read_text()
    assert [row["id"] for row in run] == ["0:0", "0:1", "1:0"]
    assert run.index()["Success"].tolist() == [1.0, 0.0, 1.0]
    page = tmp_path / "report.html"
    cli("report", out, "--out", page, "-q")
    text = page.read_text()
    assert "Cancel trip &lt;b&gt;X100&lt;/b&gt;." in text
    assert "no such trip" in text
    cli("report", out, "--charts", tmp_path / "charts", "-q")
    charts = {"success.svg", "success.csv", "endings.svg", "endings.csv"}
    assert {each.name for each in (tmp_path / "charts").iterdir()} == charts
    assert "holds a finished run" in cli("score", path, "--out", out, "-q", code=2).err


def test_documents_fit_their_schemas(tmp_path: Path, cli: Cli) -> None:
    one = written(tmp_path / "one.json", *(entry(task, reward=float(task % 2)) for task in range(6)))
    two = written(tmp_path / "two.json", *(entry(task) for task in range(5)))
    found = cli.json("compare", one, two, "-q")
    assert found["counts"] == {"tasks": 5, "systems": 2}
    assert [warning["code"] for warning in found["warnings"]] == ["alone"]
    checkup = cli.json("check", one, "-q")
    assert (checkup["counts"]["tool_errors"], checkup["endings"], checkup["valid"]) == (6, {"user_stop": 6}, True)


def test_the_same_ids_with_other_goals_are_noticed(tmp_path: Path, cli: Cli) -> None:
    one = written(tmp_path / "one.json", entry(0), entry(1))
    other = entry(1)
    other["info"] = {"task": {**other["info"]["task"], "instruction": "Cancel X100, and Y200."}}
    two = written(tmp_path / "two.json", entry(0), other)
    for subject in ("system", "user"):
        assert "1 tasks have different goals in several logs" in cli("compare", one, two, "--subject", subject).err


GRADES = {"exact": "I", "model_graded": "C"}
BOTH = "the log has rewards of 2 scorers: exact, model_graded; choose one, for example --set scorer=exact"


def sample(number: int, scores: dict[str, Any]) -> dict[str, Any]:
    values = {name: {"value": value} for name, value in scores.items()}
    return {"id": number, "epoch": 1, "messages": [], "scores": values}


def inspect_log(path: Path, *scores: dict[str, Any]) -> Path:
    samples = [sample(number, each) for number, each in enumerate(scores)]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}))
    return path


def mixed(seed: int) -> list[dict[str, Any]]:
    """The scores of ten samples, with keys in a random order, some of them null or absent."""
    draw = random.Random(seed)
    listed = []
    for _ in range(10):
        names = draw.sample(sorted(GRADES), 2)
        listed.append({name: draw.choice([GRADES[name], GRADES[name], None]) for name in names[: draw.choice([1, 2])]})
    return [{"exact": "I"}, {"model_graded": "C"}, *listed]


@pytest.mark.parametrize("seed", range(5))
def test_one_scorer_decides_in_the_whole_log(seed: int, tmp_path: Path) -> None:
    path = inspect_log(tmp_path / "log.json", *mixed(seed))
    with pytest.raises(InputError, match=BOTH):
        score_system(path)
    for scorer, value in (("exact", 0.0), ("model_graded", 1.0)):
        result = score_system(path, settings=SystemSettings(scorer))
        assert result.value == value
        assert f"|scorer:{scorer}|" in result.signature
        scored = sum(each.get(scorer) is not None for each in mixed(seed))
        assert (result.account.scored, result.account.asked) == (scored, 12)


def test_the_order_of_keys_changes_nothing(tmp_path: Path, cli: Cli) -> None:
    turned = [GRADES if number % 2 else dict(reversed(GRADES.items())) for number in range(10)]
    outputs = []
    for scores in (turned, turned[::-1]):
        path = inspect_log(tmp_path / "log.json", *scores)
        assert cli("score", path, "-q", code=2).err.strip() == f"dialmeter: {path}: {BOTH}"
        document = cli.json("score", path, "--set", "scorer=exact", "-q")
        outputs.append(document["scores"])
        assert "rewards of several scorers; to score it, choose one with --set scorer=NAME" in cli("check", path).err
    assert outputs[0] == outputs[1]


def test_a_single_scorer_needs_no_name_and_is_signed(tmp_path: Path, cli: Cli) -> None:
    path = inspect_log(tmp_path / "log.json", {"exact": "C"}, {"exact": "I", "model_graded": None}, {})
    [score] = cli.json("score", path, "-q")["scores"]
    assert (score["value"], score["signature"].split("|")[1]) == (0.5, "scorer:exact")


def test_unknown_scorers_and_samples_without_the_scorer(tmp_path: Path, cli: Cli) -> None:
    path = inspect_log(tmp_path / "log.json", {"exact": "C"}, {"model_graded": "C"}, {})
    done = cli("score", path, "--set", "scorer=exact")
    assert "1 of 3 dialogues, 1 task, 1 trial; 1 without a reward of exact (1:1);" in done.out
    assert "log.json: there is no scorer 'exat'" in cli("score", path, "--set", "scorer=exat", "-q", code=2).err


def test_logs_with_different_scorers_are_not_compared(tmp_path: Path, cli: Cli) -> None:
    one = inspect_log(tmp_path / "one.json", *[{"exact": "C"}] * 3)
    two = inspect_log(tmp_path / "two.json", *[{"model_graded": "C"}] * 3)
    done = cli("compare", one, two, "-q", code=2)
    assert "NOT COMPARABLE: one and two differ: scorer: exact ≠ model_graded" in done.err


def test_items_of_users_take_no_outcome_from_an_arbitrary_scorer() -> None:
    def talk(rewards: dict[str, float]) -> Trajectory:
        return Trajectory(id="a:0", task="a", rewards=rewards, goal=TaskGoal("Cancel X100."))

    assert [items.success for items in item_rows([talk({"exact": 1.0})])] == [True]
    assert [items.success for items in item_rows([talk({"exact": 1.0, "model_graded": 0.0})])] == [None]
