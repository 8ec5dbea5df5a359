"""Worlds from folders of tables: an invented library, and the published tables and goals of MultiWOZ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.model import Conversation, DomainGoal
from dialmeter.simulation.bots import choose
from dialmeter.simulation.goals import foreign_values, read_goals
from dialmeter.simulation.grammar import intent_of
from dialmeter.simulation.outcome import outcome
from dialmeter.simulation.play import Setting, play, sampled, tasks_from_goals
from dialmeter.simulation.world import World, goals_file, load_world, town

from ..cli.invoke import Cli
from ..shared_data import shared

LIBRARY = """place = "Westmoor"

[domains.book]
search = ["subject", "language", "title"]
book = ["weeks"]
request = ["shelf", "year"]
entity = "title"

[domains.ferry]
search = ["departure", "destination", "leaveat", "arriveby"]
book = ["people"]
request = ["price", "leaveat"]
entity = "ferryid"
needed = ["departure", "destination"]

[domains.locker]
search = ["size"]
request = ["number"]
entity = "number"

[domains.locker.drawn]
number = []

[domains.desk]
search = []
request = ["phone"]
entity = "phone"
drawn.phone = []

[values]
weeks = ["1", "2", "3", "4"]
size = ["small", "large"]
"""
SUBJECTS = ("history", "music", "botany", "physics")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worlds") / "library"
    folder.mkdir()
    (folder / "world.toml").write_text(LIBRARY)
    books = [
        {
            "Title": f"Notes On {subject} {number}",
            "Subject": subject,
            "Language": ("english", "french", "")[number % 3],
            "Shelf": f"{subject[0]}{number}",
            "Covers": [1, 2],
            **({"Year": 1950 + number} if number % 2 else {}),
        }
        for subject in SUBJECTS
        for number in range(6)
    ]
    (folder / "book_db.json").write_text(json.dumps(books))
    ends = (("westmoor", "gull isle"), ("gull isle", "westmoor"))
    lines = [
        f"f{start[0]}{hour},{start},{end},{hour:02}:10,{hour:02}:50,{hour}.00 crowns"
        for start, end in ends
        for hour in range(6, 21, 2)
    ]
    header = "ferryID,departure,destination,leaveAt,arriveBy,price"
    (folder / "ferry.csv").write_text("\n".join([header, *lines]) + "\n")
    return folder


def played(
    name: Path, count: int, user: str = "agenda", system: str = "rule", noise: float = 0.0
) -> list[Conversation]:
    setting = Setting(choose(user, "user"), choose(system, "system"), noise, seed=7, world=str(name))
    return list(play(sampled(count, 7, str(name)), setting))


def reached(talks: Sequence[Conversation], world: World) -> int:
    return sum(outcome(talk, world).complete for talk in talks)


def test_table_keeps_what_its_domain_knows(library: Path) -> None:
    world = load_world(str(library))
    assert world.tables["book"][1] == {
        "title": "notes on history 1",
        "subject": "history",
        "language": "french",
        "shelf": "h1",
        "year": "1951",
    }
    assert (world.tables["book"][2]["language"], world.tables["book"][2]["year"]) == ("unknown", "unknown")
    assert world.values("book", "language") == ("english", "french")
    assert world.goal_values("ferry", "leaveat")[0] == "06:10"
    assert world.title == "the world"
    assert world.label == f"library@{world.digest}"


def test_other_domains_are_played_to_the_end(library: Path) -> None:
    talks = played(library, 60)
    assert {domain for talk in talks for domain in talk.goal or ()} == {"book", "desk", "ferry", "locker"}
    assert reached(talks, load_world(str(library))) == len(talks)
    assert talks[0].id == "library-7-0000"
    assert not any("Saltmere" in move.text for talk in talks for move in talk.moves)


@pytest.mark.parametrize("user", ["forgetful", "looping", "inventive", "hasty"])
def test_every_bot_plays_in_another_world(library: Path, user: str) -> None:
    assert len(played(library, 15, user, "stubborn", noise=0.2)) == 15


def test_first_wishes_of_a_goal_fail() -> None:
    area = {"stars": "5"}
    goal = {
        "hotel": DomainGoal(info={"stars": "4"}, fail_info=area, book={"day": "friday"}, fail_book={"day": "monday"})
    }
    world = town().for_goal(goal)
    assert world.search("hotel", area) == ()
    assert world.search("hotel", {"stars": "4"}) == town().search("hotel", {"stars": "4"})
    # The table does not say which bookings fail, so the goal does.
    assert world.failing_slots("hotel", {"name": "x"}, {"day": "monday"}) == ("day",)
    assert world.failing_slots("hotel", {"name": "x"}, {"day": "friday"}) == ()
    assert town().failing_slots("hotel", {"name": "x"}, {"day": "monday"}) == ()


def test_play_command(library: Path, tmp_path: Path, cli: Cli) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    done = cli("play", "--set", f"world={library}", "--goals", "12", "--workers", "1", "-o", one)
    assert "completes 12 of 12 goals" in done.out
    assert f"world:library@{load_world(str(library)).digest}" in done.out.replace("\n", "").replace(" ", "")
    assert "profile=multiwoz" in done.out
    cli("play", "--set", f"world={library}", "--goals", "12", "--workers", "2", "-o", two)
    assert one.read_bytes() == two.read_bytes()


def test_goals_of_the_folder(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "hotel.csv").write_text("name,area,stars\nthe mill,north,4\nthe barn,south,3\n")
    goals = {
        "g1": {"hotel": {"info": {"area": "North"}, "reqt": ["stars"]}},
        "g2": {"hotel": {"info": {"area": "moon"}}},
    }
    (tmp_path / "goals.json").write_text(json.dumps(goals))
    assert goals_file(str(tmp_path)) == tmp_path / "goals.json"
    done = cli("play", "--set", f"world={tmp_path}", "--workers", "1", "-o", tmp_path / "talk.jsonl")
    assert done.err.startswith(
        "warning: 1 of 2 values of the goals (50.00 %) are not in the tables of the world; at most 1 of 2"
    )
    assert "completes 1 of 2 goals" in done.out


def test_what_is_granted_without_a_table(library: Path) -> None:
    world = load_world(str(library))
    small, large = (world.grant("locker", {"size": size}) for size in ("small", "large"))
    assert small != large
    assert small == world.grant("locker", {"size": "small"})
    assert small["number"].isdecimal()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no table such as hotel.csv; known domains: hotel, "),
        ({"pub.csv": "name\nthe crown\n"}, "no domain pub; known domains: hotel, "),
        ({"hotel.csv": "area\nnorth\n"}, "hotel.csv: no column name"),
        ({"train.csv": "trainid,departure,destination,day\nt1,a,b,monday\n"}, "train.csv: no column leaveat"),
        ({"hotel.csv": "name,area\n"}, "hotel.csv: the table has no row"),
        ({"hotel.json": '{"name": "x"}'}, "hotel.json: expected a list of objects"),
        ({"hotel.json": '["x"]'}, "hotel.json: row 1: expected an object"),
        ({"hotel.csv": "name\nx\n", "values.json": "[]"}, "values.json: expected an object"),
        ({"world.toml": "place = 5"}, "world.toml: "),
        (
            {"world.toml": LIBRARY.replace("weeks = [", "months = ["), "book.csv": "title\nx\n"},
            "world.toml: domains.book: values.weeks must list the values of the booking slot weeks",
        ),
        (
            {"world.toml": LIBRARY.replace("number = []", "key = []"), "book.csv": "title\nx\n"},
            "world.toml: domains.locker.drawn: no number, the entity of the domain",
        ),
    ],
    ids=str,
)
def test_bad_folders(files: dict[str, str], message: str, tmp_path: Path) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises((DialmeterError, InputError)) as caught:
        load_world(str(tmp_path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_folder(cli: Cli, tmp_path: Path) -> None:
    complaint = cli.refused("play", "--set", "world=nowhere", "-o", tmp_path / "talk.jsonl")
    assert complaint == "world=nowhere: no such folder; give a folder of tables, or town"


def test_published_world() -> None:
    """The agenda user and the rule system reach the goals of the MultiWOZ test set in its own tables."""
    folder = shared("data", "world", "multiwoz", "goals.json.gz").parent
    world = load_world(str(folder))
    goals, notices = read_goals(folder / "goals.json.gz", world)
    assert (len(goals), notices) == (500, [])
    notice = foreign_values(goals, world)
    assert notice is not None
    assert "at most 498 of 500 goals" in notice.message
    tasks = tasks_from_goals(goals)
    refused = [task for task in tasks[50:] if any(each.fail_book for each in task.goal.values())]
    chosen = [*tasks[:50], *refused[:10]]
    talks = list(play(chosen, Setting(choose("agenda", "user"), choose("rule", "system"), world=str(folder))))
    assert reached(talks, world) == len(talks) == 60
    intents = {intent_of(each.name) for talk in talks for move in talk.moves for each in move.acts or ()}
    assert {"nooffer", "nobook", "book", "offerbooked"} <= intents


def test_published_goals_by_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path) -> None:
    """The page of the benchmark has these figures."""
    root = Path(__file__).parents[2]
    monkeypatch.syspath_prepend(root / "benchmarks")
    import multiwoz_users

    monkeypatch.setattr(multiwoz_users, "PAIRS", [("agenda", "rule", 0.05)])
    title, reached, scored = next(multiwoz_users.played(shared / "data" / "world" / "multiwoz", tmp_path))
    page = (root / "benchmarks" / "multiwoz_users.md").read_text("utf-8")
    for row in (
        multiwoz_users.row(title, scored, "I-GCDF1"),
        multiwoz_users.row(title, scored, "R-GCDF1"),
        multiwoz_users.blame(title, reached, scored),
    ):
        assert f"| {' | '.join(row)} |" in page
