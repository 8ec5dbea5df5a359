"""The town: the shipped data equals the output of the script, has enough entries, and its goals can be reached."""

from __future__ import annotations

import importlib.util
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from dialmeter.simulation.goals import sample_goals
from dialmeter.simulation.world import (
    DAYS,
    DOMAINS,
    canonical,
    failing_slots,
    forms,
    goal_values,
    published,
    reference,
    town,
)

TOOL = Path(__file__).parents[2] / "tools" / "make_town.py"
DATA = files("dialmeter.simulation").joinpath("data")
GOALS = sample_goals(town(), 400, seed=7)
PARTS = [(domain, part) for goal in GOALS for domain, part in goal.items()]


def test_shipped_files_from_script() -> None:
    spec = importlib.util.spec_from_file_location("make_town", TOOL)
    assert spec
    assert spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = generator.encoded()
    assert {name: DATA.joinpath(name).read_bytes() for name in written} == written
    assert sum(map(len, written.values())) < 1_000_000


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_has_variety(domain: str) -> None:
    rows = town().tables[domain]
    assert len(rows) >= 40
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    if DOMAINS[domain].entity:
        names = [row[DOMAINS[domain].entity] for row in rows]
        assert len(set(names)) == len(names)
    for slot in DOMAINS[domain].request:
        assert len(town().values(domain, slot)) >= 2


def test_trains_run_all_week() -> None:
    assert set(town().values("train", "day")) == set(DAYS)


@pytest.mark.parametrize("word", ["cambridge", "london", "ely"])
def test_no_real_place(word: str) -> None:
    words = {part for row in town().tables["train"] for value in row.values() for part in value.split()}
    words |= {
        part
        for domain in ("hotel", "restaurant", "attraction")
        for row in town().tables[domain]
        for value in row.values()
        for part in value.split()
    }
    assert word not in words


@pytest.mark.parametrize(
    ("domain", "slot"), [(name, slot) for name, each in DOMAINS.items() for slot in each.informable]
)
def test_paraphrase_of_every_value(domain: str, slot: str) -> None:
    assert goal_values(domain, slot)
    for value, said in forms(domain, slot).items():
        assert said[0] == value
        assert len(said) >= 2
        assert {canonical(domain, slot, form) for form in said} == {value}
    known = set(forms(domain, slot)) | set(_not_in_goal(domain, slot))
    assert set(town().values(domain, slot)) <= known


def _not_in_goal(domain: str, slot: str) -> dict[str, list[str]]:
    entry = published()[slot]
    entry = entry if "special_keys" in entry else entry[domain]
    found: dict[str, list[str]] = entry["special_keys"]["not_in_goal"]
    return found


def test_goals_can_be_reached() -> None:
    for domain, goal in PARTS:
        if domain == "taxi":
            continue
        rows = town().search(domain, goal.info)
        assert rows
        assert not any(failing_slots(domain, row, goal.book) for row in rows if goal.book)


def test_failing_goals_fail() -> None:
    searches = [(domain, goal) for domain, goal in PARTS if goal.fail_info]
    bookings = [(domain, goal) for domain, goal in PARTS if goal.fail_book]
    assert len(searches) > 80
    assert len(bookings) > 40
    for domain, goal in searches:
        assert not town().search(domain, goal.fail_info)
        assert len(goal.info.items() - goal.fail_info.items()) == 1
    for domain, goal in bookings:
        assert all(failing_slots(domain, row, goal.fail_book) for row in town().search(domain, goal.info))


def test_goal_domains_and_requests() -> None:
    assert {len(goal) for goal in GOALS} == {1, 2, 3}
    assert {domain for domain, _ in PARTS} == set(DOMAINS)
    assert all(set(goal.requests) <= set(DOMAINS[domain].request) - set(goal.info) for domain, goal in PARTS)
    assert all(goal.requests or goal.book for _, goal in PARTS)


def test_goals_depend_on_seed_alone() -> None:
    again = msgspec.json.encode(sample_goals(town(), 50, seed=7))
    assert again == msgspec.json.encode(GOALS[:50])
    assert again != msgspec.json.encode(sample_goals(town(), 50, seed=8))


def test_first_and_last_train() -> None:
    line = {"departure": "saltmere", "destination": "fennaby", "day": "friday"}
    after = town().search("train", {**line, "leaveat": "12:00"})
    before = town().search("train", {**line, "arriveby": "12:00"})
    everything = town().search("train", line)
    assert after[0]["leaveat"] == min(row["leaveat"] for row in everything if row["leaveat"] >= "12:00")
    assert before[0]["arriveby"] == max(row["arriveby"] for row in everything if row["arriveby"] <= "12:00")


def test_references_tell_bookings_apart() -> None:
    days = {reference("hotel", "otter house", {"day": day, "people": "2", "stay": "1"}) for day in DAYS}
    assert len(days) == len(DAYS)
