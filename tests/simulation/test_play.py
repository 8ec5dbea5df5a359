"""Whole dialogues: turns, noise, states, and what they reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from dialmeter.errors import DialmeterError
from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.readers.corpus import read
from dialmeter.simulation.bots import choose
from dialmeter.simulation.grammar import BOOKING, act
from dialmeter.simulation.outcome import KEYWORD, GoalSuccess, outcome
from dialmeter.simulation.play import Setting, line, play, sampled
from dialmeter.simulation.world import reference, town

from ..scoring import score_tracker
from .played import GOALS, play_to_file, played

USERS = ("agenda", "forgetful", "looping", "inventive", "hasty")
SYSTEMS = ("rule", "eager", "stubborn")


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_dialogue_runs_in_circles_without_noise(user: str, system: str) -> None:
    talks = played(user, system)
    assert len(talks) == GOALS
    assert not [talk.id for talk in talks if talk.cut]


def test_speakers_take_turns_and_say_something() -> None:
    for talk in played(noise=0.1):
        assert [move.speaker for move in talk.moves] == [USER, SYSTEM] * (len(talk.moves) // 2)
        assert all(move.text and move.acts for move in talk.moves)
        assert talk.moves[0].understood is None
        assert all(move.understood is not None for move in talk.moves[1:])
        assert all((move.requested is not None) == (move.speaker == USER) for move in talk.moves)


def test_without_noise_everything_is_understood() -> None:
    for talk in played():
        for before, move in zip(talk.moves, talk.moves[1:], strict=False):
            assert set(move.understood or ()) == set(before.acts or ()), before.text


def test_with_noise_about_a_tenth_is_not_understood() -> None:
    pairs = [
        (before.acts or (), move.understood or ())
        for talk in played(noise=0.1)
        for before, move in zip(talk.moves, talk.moves[1:], strict=False)
    ]
    said = sum(len(set(acts)) for acts, _ in pairs)
    wrong = sum(len(set(acts) - set(understood)) for acts, understood in pairs)
    assert 0.08 < wrong / said < 0.12


def test_the_same_seed_gives_the_same_dialogues_whatever_the_number_of_workers(tmp_path: Path) -> None:
    for workers in (1, 2):
        play_to_file(tmp_path / f"{workers}.jsonl", goals=45, seed=7, noise=0.2, workers=workers)
    play_to_file(tmp_path / "other.jsonl", goals=45, seed=8, noise=0.2)
    first, second, other = ((tmp_path / f"{name}.jsonl").read_bytes() for name in ("1", "2", "other"))
    assert first == second
    assert first != other
    assert first.count(b"\n") == 45


def test_a_dialogue_does_not_depend_on_its_neighbours() -> None:
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), 0.2, 7)
    tasks = sampled(30, 7)
    assert list(play(tasks, setting))[20:] == list(play(tasks[20:], setting))


def test_the_limit_of_turns_cuts(tmp_path: Path) -> None:
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), max_turns=2)
    talks = list(play(sampled(5, 7), setting))
    assert all(talk.cut and len(talk.moves) == 4 for talk in talks)
    assert line(talks[0], town())["cut"] is True


def test_dialogues_have_states() -> None:
    for talk in played(noise=0.1)[:50]:
        states = line(talk, town())["turns"]
        users = [move for move in talk.moves if move.speaker == USER]
        assert [each["turn"] for each in states] == list(range(len(users)))
        final = {
            f"{domain}-{slot}": value
            for domain, goal in (talk.goal or {}).items()
            for slot, value in {**goal.info, **goal.book}.items()
        }
        if outcome(talk, town()).complete:
            assert final.items() <= states[-1]["gold"].items()


def test_both_trackers_are_right_often_and_wrong_sometimes(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    play_to_file(path, goals=60, seed=7, noise=0.1)
    own = score_tracker(path, measures=["JGA"])["JGA"].value
    gold = [turn for talk in read(path) for turn in talk.turns]
    keyword = [each[KEYWORD] for talk in played(noise=0.1)[:60] for each in line(talk, town())["turns"]]
    right = sum(turn.gold == state for turn, state in zip(gold, keyword, strict=True)) / len(gold)
    assert own is not None
    assert 0.4 < own < 0.95
    assert 0.05 < right < 0.9


def test_without_noise_the_system_tracks_perfectly() -> None:
    assert all(each["gold"] == each["pred"] for talk in played()[:100] for each in line(talk, town())["turns"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agenda(patients=2)", "agenda has no dial 'patients'; did you mean patience"),
        ("agenda(patience=often)", "agenda: Expected `int`"),
        ("agenda(haste=2)", "agenda: Expected `float` <= 1"),
        ("agenda(haste)", "write dials like patience=2"),
        ("agenda)", "is not a bot"),
    ],
)
def test_bad_dials(text: str, message: str) -> None:
    with pytest.raises(DialmeterError) as refused:
        choose(text, "user")
    assert message in str(refused.value)


def test_dials_are_read_and_printed() -> None:
    chosen = choose("agenda(verbosity=1, haste=0.50)", "user")
    assert chosen.text == "agenda(haste=0.5, verbosity=1)"
    setting = Setting(chosen, choose("rule", "system"), seed=7)
    talks = list(play(sampled(10, 7), setting))
    assert all(len(move.acts or ()) <= 1 for talk in talks for move in talk.moves[:-2:2])


ROW = next(row for row in town().tables["hotel"] if row["full"] == "")
BOOK = {"day": "friday", "people": "2", "stay": "1"}
GOAL = {"hotel": DomainGoal(info={"area": ROW["area"], "stars": ROW["stars"]}, book=BOOK, requests=("phone",))}
CODE = reference("hotel", ROW["name"], BOOK)
SAID = [act("hotel", "inform", slot, value) for slot, value in {**GOAL["hotel"].info, **BOOK}.items()]
ANSWER = [
    act("hotel", "recommend", "name", ROW["name"]),
    act("hotel", "inform", "phone", ROW["phone"]),
    act(BOOKING, "book", "ref", CODE),
]


def found(said: list[Act], answer: list[Act]) -> GoalSuccess:
    talk = Conversation("d", (Move(USER, acts=tuple(said)), Move(SYSTEM, acts=tuple(answer))), GOAL)
    return outcome(talk, town())


def success(conveyed: bool, found: bool, answers: tuple[int, int], booked: bool) -> GoalSuccess:
    return GoalSuccess((int(booked), 1), answers, (int(found), 1), conveyed)


def test_all_is_well() -> None:
    assert found(SAID, ANSWER) == success(True, True, (1, 1), True)
    assert found(SAID, ANSWER).complete


OTHER = next(row for row in town().tables["hotel"] if row["area"] != ROW["area"])


@pytest.mark.parametrize(
    ("said", "answer", "expected"),
    [
        (SAID[1:], ANSWER, success(False, True, (1, 1), True)),
        ([*SAID, act("hotel", "inform", "stars", "dontcare")], ANSWER, success(False, True, (1, 1), True)),
        (SAID, [*ANSWER[1:]], success(True, False, (0, 1), True)),
        (SAID, [*ANSWER, act("hotel", "recommend", "name", OTHER["name"])], success(True, False, (0, 1), True)),
        (SAID, [ANSWER[0], ANSWER[2]], success(True, True, (0, 1), True)),
        (SAID, [*ANSWER, act("hotel", "inform", "phone", "0")], success(True, True, (0, 1), True)),
        (SAID, ANSWER[:2], success(True, True, (1, 1), False)),
        (SAID, [*ANSWER[:2], act(BOOKING, "book", "ref", "zzzzzzzz")], success(True, True, (1, 1), False)),
    ],
    ids=["not told", "taken back", "not found", "another in the end", "not answered", "a wrong answer", "not booked", "a wrong booking"],
)  # fmt: skip
def test_each_way_to_miss_it(said: list[Act], answer: list[Act], expected: GoalSuccess) -> None:
    assert found(said, answer) == expected
    assert not expected.complete


def test_a_taxi_is_right_for_the_ride_that_was_told() -> None:
    talk = next(talk for talk in played() if list(talk.goal or {}) == ["taxi"])
    assert outcome(talk, town()).complete
    moved = structs.replace(
        talk, moves=tuple(structs.replace(move, acts=()) if move.speaker == SYSTEM else move for move in talk.moves)
    )
    assert not outcome(moved, town()).complete


def test_bookings_are_counted_where_they_are_wanted() -> None:
    outcomes = [outcome(talk, town()) for talk in played()]
    wanted = sum(bool(goal.book) for talk in played() for goal in (talk.goal or {}).values())
    assert sum(each.bookings[1] for each in outcomes) == wanted
