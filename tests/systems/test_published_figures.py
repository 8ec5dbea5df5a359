"""Tests against the other published figures of logs: messages, stops, endings, rewards, standard errors, items by dialogue."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

import pytest

from dialmeter.model import SYSTEM, USER, Step, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.readers.layouts.agents import TOKENS, plain_text
from dialmeter.systems.measures import SystemSettings
from dialmeter.systems.scorer import check_log, score_system
from dialmeter.users.items.goal_items import form_of, items_of, places_in
from dialmeter.users.items.log_items import read_items

from ..shared_data import shared

TRANSFER = "transfer_to_human_agents"


def expected(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "trajectories.json").read_text())[kind]
    return found


@cache
def read(name: str) -> list[Trajectory]:
    return list(open_trajectories(shared("data", "trajectories", f"{name}.gz")))


def has_token(step: Step) -> bool:
    return step.speaker == USER and any(token in step.text for token in TOKENS)


def messages(found: list[Trajectory]) -> Counter[str]:
    """Return the counts that the expected file has under ``counts``. There, calls inside texts count as texts."""
    counts: Counter[str] = Counter()
    for each in found:
        steps = each.steps
        said = [step.text.strip() for step in steps if step.speaker == USER]
        own = [step for step in steps if step.speaker == SYSTEM]
        calls = [step for step in own if step.calls and not step.calls[0].in_text]
        stops = [place for place, step in enumerate(steps) if has_token(step)]
        counts["assistant messages with more than one tool call"] += sum(len(step.calls) > 1 for step in own)
        counts["assistant messages with text only"] += len(own) - len(calls)
        counts["assistant messages without text and call"] += sum(
            not (step.calls or step.text or step.aside) for step in own
        )
        apart = [(one, other) for one, other in pairwise(steps) if not one.calls]
        counts["consecutive assistant messages"] += sum(one.speaker == other.speaker == SYSTEM for one, other in apart)
        counts["dialogues with consecutive user messages"] += any(
            one.speaker == other.speaker == USER for one, other in apart
        )
        counts["STOP in last message"] += any(place == len(steps) - 1 for place in stops)
        counts["STOP not standalone"] += sum(bool(plain_text(steps[place].text)) for place in stops)
        counts["any message after STOP"] += any(place < len(steps) - 1 for place in stops)
        counts[f"dialogues with {TRANSFER}"] += any(call.name == TRANSFER for step in calls for call in step.calls)
        counts["dialogues with a user message repeated verbatim"] += len(set(said)) < len(said)
        if steps:
            # A result is part of its call, and comes last where the call does.
            counts[f"last message by {'user' if not steps[-1].calls or steps[-1].calls[0].in_text else 'tool'}"] += 1
        else:
            counts["empty traj"] += 1
    return counts


def test_messages_and_rewards_of_tau_bench() -> None:
    for name, wanted in expected("tau").items():
        found, counts = read(name), messages(read(name))
        for what, count in wanted["counts"].items():
            if what in counts:
                assert counts[what] == count, (name, what)
        assert mean(each.rewards["reward"] for each in found) == pytest.approx(wanted["mean_reward"], abs=1e-12)
        assert Counter(each.source or "None" for each in found) == Counter(wanted["info.source"])


def test_messages_and_rewards_of_tau2_bench() -> None:
    for name, wanted in expected("tau2").items():
        found, counts = read(name), messages(read(name))
        assert len(found) == wanted["counts"]["simulations"]
        assert counts["STOP in last message"] == wanted["counts"]["stop token in last message"]
        assert counts["STOP not standalone"] == wanted["counts"]["stop token not standalone"]
        assert counts["any message after STOP"] == wanted["counts"]["any message after the stop token"]
        assert sum(not each.rewards for each in found) == wanted["counts"]["reward_info null"]
        assert mean(each.rewards["reward"] for each in found) == pytest.approx(wanted["mean_reward"], abs=1e-12)
        by = Counter(
            {USER: "user", SYSTEM: "assistant"}[step.speaker]
            for each in found
            for step in each.steps
            for _ in step.calls
        )
        assert by == Counter(wanted["requestor"])
        checked = check_log(open_trajectories(shared("data", "trajectories", f"{name}.gz")))
        assert checked.sources == wanted["termination"]
        assert checked.basis == wanted["reward_basis"]
        places = places_in(found)
        rows = []
        for each in found:
            said = [step.text.lower() for step in each.steps if step.speaker == USER]
            forms = (
                [form_of(item.kind, item.value, places) for item in items_of(each.goal, places)] if each.goal else []
            )
            rows.append([each.task, each.trial, len(forms), sum(any(map(form.search, said)) for form in forms)])
        assert rows == wanted["goal_rule_R1"]["per_simulation (task, trial, items, conveyed)"]


def test_standard_errors_over_tasks() -> None:
    for name, wanted in {**expected("tau"), **expected("tau2")}.items():
        result = score_system(read(name), resampling=None)
        success = [each for each in result.measures if each.name.startswith(("Success", "Pass"))]
        for k, measure in enumerate(success, 1):
            values = list(result.values(measure).values())
            assert stdev(values) / len(values) ** 0.5 == pytest.approx(wanted["pass"][f"pass^{k}"]["se_task"], abs=1e-9)


def test_what_inspect_computed_itself() -> None:
    for name, wanted in json.loads(shared("expected", "inspect.json").read_text()).items():
        for scorer, known in wanted["header_results"].items():
            result = score_system(
                shared("data", "trajectories", "inspect", name), settings=SystemSettings(scorer), resampling=None
            )
            values = list(result.values(result.measures[0]).values())
            assert result.scores[0].value == pytest.approx(known["accuracy"], abs=1e-9)
            error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
            assert error == pytest.approx(known["stderr"], abs=1e-9)
        assert sorted(result.by_task) == wanted["ids"]
        assert result.trials[1] == wanted["epochs"]


def test_unsaid_items_and_failure() -> None:
    for name, wanted in expected("tau").items():
        known = wanted["goal_rule_R1"]
        found = read_items(read(name))
        unsaid = found.faults()[0]
        assert (len(found.dialogues), found.items) == (known["dialogues with items"], known["items"])
        assert list(unsaid.failed) == known["dialogues with a missed item, failed"]
        assert list(unsaid.successful) == known["dialogues with a missed item, ok"]
        within = known["within tasks with both outcomes"]
        assert unsaid.tasks == within["tasks"]
        assert [list(unsaid.failed_within), list(unsaid.successful_within)] == [
            within["failed: missed, all"],
            within["ok: missed, all"],
        ]
        difference = within["mean difference of miss rate (failed - ok), tasks weighted equally"]
        assert unsaid.difference == (difference if difference is None else pytest.approx(difference, abs=1e-9))
