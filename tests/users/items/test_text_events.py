"""Tests of events of users without acts: the published logs, and the commands that show events."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.readers.conversations import open_trajectories
from dialmeter.users.items.log_items import item_rows, read_items

from ...cli.invoke import call, checked
from ...shared_data import shared

GOAL = "You are mia_li_3668 and fly to Seattle on May 20 in economy, for at most $300."


def test_events_without_reward() -> None:
    found = list(open_trajectories(shared("data", "trajectories", "gpt-4o-airline.json.gz")))
    import msgspec

    without = [msgspec.structs.replace(each, rewards={}) for each in found]
    assert [conversation.events for conversation in item_rows(found)] == [
        conversation.events for conversation in item_rows(without)
    ]


def label_counts(first: int, last: int) -> dict[str, tuple[int, int, int]]:
    """Return kind → found, false, not found, on a range of the hand-made labels. Messages must match, except for early_stop."""
    labels = json.loads(shared("expected", "trajectory_labels.json").read_text())[first:last]
    every = list(open_trajectories(shared("data", "trajectories", "gpt-4o-airline.json.gz")))
    items = {each.id: each for each in item_rows(every)}
    counts: Counter[tuple[str, str]] = Counter()
    for label in labels:
        left = [(each["kind"], each["at"]) for each in label["events"] if each["kind"] != "missed"]
        for event in items[every[label["index"]].id].events:
            if event.name == "missed":
                continue
            hit = next(
                (one for one in left if one[0] == event.name and (one[1] in event.turns or one[0] == "early_stop")),
                None,
            )
            counts[event.name, "found" if hit else "false"] += 1
            if hit:
                left.remove(hit)
        counts.update((kind, "lost") for kind, _ in left)
    return {
        kind: (counts[kind, "found"], counts[kind, "false"], counts[kind, "lost"])
        for kind in sorted({kind for kind, _ in counts})
    }


def test_hand_made_labels_of_events() -> None:
    """The rules were developed on dialogues 1 to 7. The documentation reports the figures of 8 to 15."""
    assert label_counts(0, 7) == {"early_stop": (1, 0, 0), "invented": (4, 0, 1), "leak": (1, 0, 0), "wrong": (1, 0, 2)}
    assert label_counts(7, 15) == {
        "early_stop": (1, 0, 1),
        "invented": (2, 1, 5),
        "leak": (1, 0, 0),
        "volunteered": (0, 0, 1),
        "wrong": (1, 0, 1),
    }


def small_log(folder: Path) -> Path:
    task = {"instruction": GOAL, "actions": [{"name": "book", "kwargs": {"user_id": "mia_li_3668"}}]}
    entries = [
        {
            "task_id": number // 2,
            "trial": number % 2,
            "reward": float(number % 2),
            "info": {"task": task},
            "traj": [
                {"role": "user", "content": "A flight."},
                {"role": "assistant", "content": "Your user id, please?"},
                {
                    "role": "user",
                    "content": ("It is mia_li_3669." if number % 2 == 0 else "mia_li_3668") + " ###STOP###",
                },
            ],
        }
        for number in range(24)
    ]
    path = folder / "log.json"
    path.write_text(json.dumps(entries))
    return path


def test_fault_within_tasks(tmp_path: Path) -> None:
    from dialmeter.core.comparison import Resampling

    found = read_items(open_trajectories(small_log(tmp_path)), resampling=Resampling())
    wrong = next(each for each in found.faults() if each.fault == "wrong")
    assert (wrong.difference, wrong.tasks) == (1.0, 12)
    assert found.lost_by == {"user": 12}


def test_run_query_report_and_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, run = small_log(tmp_path), tmp_path / "run"
    assert call(capsys, "score", log, "--subject", "user", "--out", run, "-q").code == 0
    assert open_run(run).manifest["events"]["wrong"] == 12
    for where in (log, run):
        words = ("find", where, "event=wrong", "--subject", "user", "-f", "json", "-q")
        found = checked(call(capsys, *words), "find")
        assert found["counts"] == {"found": 12, "shown": 12}
        assert found["dialogues"][0]["places"] == ["wrong mia_li_3669"]
    shown = call(capsys, "find", run, "0:0", "-q").out
    assert "! wrong: mia_li_3669 (mia_li_3668)" in shown
    assert call(capsys, "find", run, "party=user", "-q").out.strip().endswith("12 dialogues found")
    assert call(capsys, "find", run, "outcome=failed", "GoalRecall<1", "-q").out.strip().endswith("12 dialogues found")
    assert "no measure 'JGA' of logs; write GoalRecall" in call(capsys, "find", run, "JGA<1", "-q").complaint
    assert "event=lea: no such event; did you mean leak" in call(capsys, "find", run, "event=lea", "-q").complaint
    page = tmp_path / "report.html"
    assert call(capsys, "report", run, "--out", page, "-q").code == 0
    assert "mia_li_3669" in page.read_text()
    other = tmp_path / "other.json"
    other.write_text(log.read_text().replace("mia_li_3669", "mia_li_3668"))
    compared = checked(call(capsys, "compare", log, other, "--subject", "user", "-f", "json", "-q"), "compare-user")
    versus = {each["measure"]: each for each in compared["versus"]}
    assert (versus["Without(wrong)"]["difference"], versus["Without(wrong)"]["better"]) == (0.5, 12)
    assert call(capsys, "compare", other, log, "--subject", "user", "--fail-if", "worse", "-q").code == 1
