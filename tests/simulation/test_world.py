"""The town, and goals: sampled, from files, and of another world."""

from __future__ import annotations

import importlib.util
import json
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.goals import foreign_values, read_goals, sample_goals
from dialmeter.simulation.outcome import outcome
from dialmeter.simulation.world import DAYS, reference, town

from ..cli.invoke import Cli
from ..shared_data import shared

TOOL = Path(__file__).parents[2] / "tools" / "make_town.py"
DATA = files("dialmeter.simulation").joinpath("data", "town")
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


@pytest.mark.parametrize("domain", town().domains)
def test_every_domain_has_variety(domain: str) -> None:
    rows = town().tables[domain]
    assert len(rows) >= 40
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    if not town().domains[domain].is_granted:
        names = [row[town().domains[domain].entity] for row in rows]
        assert len(set(names)) == len(names)
    for slot in town().domains[domain].request:
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
    ("domain", "slot"), [(name, slot) for name, each in town().domains.items() for slot in each.informable]
)
def test_paraphrase_of_every_value(domain: str, slot: str) -> None:
    assert town().goal_values(domain, slot)
    for value, said in town().forms(domain, slot).items():
        assert said[0] == value
        assert len(said) >= 2
        assert {town().canonical(domain, slot, form) for form in said} == {value}
    known = set(town().forms(domain, slot)) | set(_not_in_goal(domain, slot))
    assert set(town().values(domain, slot)) <= known


def _not_in_goal(domain: str, slot: str) -> dict[str, list[str]]:
    entry = town().spellings[slot]
    entry = entry if "special_keys" in entry else entry[domain]
    found: dict[str, list[str]] = entry["special_keys"]["not_in_goal"]
    return found


def test_goals_can_be_reached() -> None:
    for domain, goal in PARTS:
        if domain == "taxi":
            continue
        rows = town().search(domain, goal.info)
        assert rows
        assert not any(town().failing_slots(domain, row, goal.book) for row in rows if goal.book)


def test_failing_goals_fail() -> None:
    searches = [(domain, goal) for domain, goal in PARTS if goal.fail_info]
    bookings = [(domain, goal) for domain, goal in PARTS if goal.fail_book]
    assert len(searches) > 80
    assert len(bookings) > 40
    for domain, goal in searches:
        assert not town().search(domain, goal.fail_info)
        assert len(goal.info.items() - goal.fail_info.items()) == 1
    for domain, goal in bookings:
        assert all(town().failing_slots(domain, row, goal.fail_book) for row in town().search(domain, goal.info))


def test_goal_domains_and_requests() -> None:
    assert {len(goal) for goal in GOALS} == {1, 2, 3}
    assert {domain for domain, _ in PARTS} == set(town().domains)
    assert all(set(goal.requests) <= set(town().domains[domain].request) - set(goal.info) for domain, goal in PARTS)
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


GOAL = {
    "hotel": {
        "info": {"area": "North", "book day": "friday"},
        "book": {"people": "2", "invalid": False},
        "reqt": ["phone"],
    },
    "taxi": {},
}


@pytest.mark.parametrize(
    "layout",
    [
        {"MUL1.json": GOAL},
        {"MUL1.json": {"goal": GOAL}},
        {"MUL1.json": {"goal": GOAL, "log": [{"text": "hello", "metadata": {}}]}},
    ],
)
def test_layouts(tmp_path: Path, layout: object) -> None:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(layout))
    goals, notices = read_goals(path, town())
    assert list(goals) == ["MUL1.json"]
    assert goals["MUL1.json"]["hotel"].info == {"area": "north", "day": "friday"}
    assert goals["MUL1.json"]["hotel"].requests == ("phone",)
    assert not notices


def test_goals_of_native_lines(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    goal = {"train": {"info": {"day": "monday"}, "requests": ["price"]}}
    lines = [{"dialogue_id": "d1", "goal": goal, "talk": []}, {"dialogue_id": "d2", "talk": []}]
    path.write_text("\n".join(map(json.dumps, lines)))
    goals, notices = read_goals(path, town())
    assert goals["d1"]["train"].requests == ("price",)
    assert [(notice.code, notice.where) for notice in notices] == [("no-goal", ("d2",))]


def test_a_line_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    goal = {"train": {"info": {"day": "monday"}, "requests": ["price"]}}
    path.write_text(
        json.dumps({"dialogue_id": "d1", "goal": goal, "talk": []}) + '\n{"dialogue_id": "d2", "talk": 5}\n'
    )
    goals, notices = read_goals(path, town())
    assert list(goals) == ["d1"]
    assert [notice.code for notice in notices] == ["unread"]
    assert "dialogue d2" in notices[0].where[0]


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"police": {"reqt": ["phone"]}}, "no goal that can be played"),
        ({"hotel": {"wishes": {}}}, r"goals\.json: dialogue g1: .*found 'wishes'"),
        (None, "no such file"),
    ],
    ids=["of another town", "no goal", "no file"],
)
def test_bad_goals(goal: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    if goal:
        path.write_text(json.dumps({"g1": goal}))
    with pytest.raises(InputError, match=message):
        read_goals(path, town())


OWN = {"hotel": {"info": {"area": "harbour"}}}
FOREIGN = {"train": {"info": {"destination": "cambridge", "day": "monday", "leaveAt": "03:17"}}}


def test_sampled_goals_are_at_home() -> None:
    assert (
        foreign_values({str(index): goal for index, goal in enumerate(sample_goals(town(), 300, seed=3))}, town())
        is None
    )


def test_foreign_values_are_named(tmp_path: Path, cli: Cli) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g1": OWN, "g2": FOREIGN}))
    message = "1 of 3 values of the goals (33.33 %) are not in the tables of the demo data; at most 1 of 2 goals can be reached"
    for command in (("play", "--out", out), ("play", "--user", "agenda", "--user", "hasty")):
        done = cli(*command, "--goals", path, "--workers", "1", "-f", "json")
        # The warning comes first, and only once.
        warnings = [line for line in done.err.splitlines() if "tables of the demo data" in line]
        assert warnings == [f"warning: {message} [train-destination: 1, such as cambridge]"]
        assert done.err.startswith("warning: ")
        assert [each["message"] for each in done.json["warnings"]] == [message]
    text = cli("play", "--out", out, "--force", "--goals", path, "--workers", "1", "-q")
    assert " ".join(("goals", *message.split())) in " ".join(text.out.split())
    assert text.err == ""


def test_goals_that_cannot_be_reached_are_refused(tmp_path: Path, cli: Cli) -> None:
    path, out = tmp_path / "goals.json", tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"g2": FOREIGN}))
    complaint = cli.refused("play", "--out", out, "--goals", path)
    assert complaint == (
        "no goal can be reached: 1 of 2 values of the goals (50.00 %) are not in the tables of the demo data "
        "(train-destination: 1, such as cambridge); draw goals of the demo data with --goals 200"
    )
    assert not out.exists()
    with pytest.raises(DialmeterError, match="no goal can be reached"):
        foreign_values(read_goals(path, town())[0], town())


def test_published_goals(tmp_path: Path, cli: Cli) -> None:
    """No goal is reached that is said to be out of reach."""
    path, out = shared("data", "world", "multiwoz", "goals.json.gz"), tmp_path / "talk.jsonl"
    notice = foreign_values(read_goals(path, town())[0], town())
    assert notice is not None
    assert notice.count == 948
    assert "(38.03 %)" in notice.message
    assert "at most 67 of 500 goals" in notice.message
    assert notice.where[0] == "train-departure: 249, such as cambridge"
    cli("play", "--out", out, "--goals", path, "--workers", "1", "-q")
    reached = {
        talk.id: {"goal": talk.goal} for talk in open_conversations(out) if talk.goal and outcome(talk, town()).complete
    }
    at_home = foreign_values({name: each["goal"] for name, each in reached.items()}, town())
    limit = len(reached)
    assert at_home is None or f"at most {limit} of {limit} goals" in at_home.message
