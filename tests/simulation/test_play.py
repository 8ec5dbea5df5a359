"""Dialogues end, are reproducible, and are consistent."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.model import SYSTEM, USER
from dialmeter.readers.corpus import read
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.simulation.agents import choose
from dialmeter.simulation.outcome import KEYWORD, outcome
from dialmeter.simulation.play import Setting, line, play, play_to_file, sampled
from dialmeter.simulation.world import town
from dialmeter.tracking.scoring import score_tracker

from .played import GOALS, played

USERS = ("agenda", "forgetful", "looping", "inventive", "hasty")
SYSTEMS = ("rule", "eager", "stubborn")


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_loops_without_noise(user: str, system: str) -> None:
    conversations = played(user, system)
    assert len(conversations) == GOALS
    assert not [conversation.id for conversation in conversations if conversation.cut]


def test_speakers_take_turns() -> None:
    for conversation in played(noise=0.1):
        assert [move.speaker for move in conversation.moves] == [USER, SYSTEM] * (len(conversation.moves) // 2)
        assert all(move.text and move.acts for move in conversation.moves)
        assert conversation.moves[0].understood is None
        assert all(move.understood is not None for move in conversation.moves[1:])
        assert all((move.requested is not None) == (move.speaker == USER) for move in conversation.moves)


def test_understood_without_noise() -> None:
    for conversation in played():
        for before, move in zip(conversation.moves, conversation.moves[1:], strict=False):
            assert set(move.understood or ()) == set(before.acts or ()), before.text


def test_misunderstood_share_with_noise() -> None:
    pairs = [
        (before.acts or (), move.understood or ())
        for conversation in played(noise=0.1)
        for before, move in zip(conversation.moves, conversation.moves[1:], strict=False)
    ]
    said = sum(len(set(acts)) for acts, _ in pairs)
    wrong = sum(len(set(acts) - set(understood)) for acts, understood in pairs)
    assert 0.08 < wrong / said < 0.12


def test_seed_and_workers(tmp_path: Path) -> None:
    for workers in (1, 2):
        play_to_file(tmp_path / f"{workers}.jsonl", goals=45, seed=7, noise=0.2, workers=workers)
    play_to_file(tmp_path / "other.jsonl", goals=45, seed=8, noise=0.2)
    first, second, other = ((tmp_path / f"{name}.jsonl").read_bytes() for name in ("1", "2", "other"))
    assert first == second
    assert first != other
    assert first.count(b"\n") == 45


def test_dialogue_independent_of_neighbours() -> None:
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), 0.2, 7)
    tasks = sampled(30, 7)
    assert list(play(tasks, setting))[20:] == list(play(tasks[20:], setting))


def test_limit_of_turns_cuts(tmp_path: Path) -> None:
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), max_turns=2)
    conversations = list(play(sampled(5, 7), setting))
    assert all(conversation.cut and len(conversation.moves) == 4 for conversation in conversations)
    assert line(conversations[0])["cut"] is True


def test_dialogues_have_states() -> None:
    for conversation in played(noise=0.1)[:50]:
        states = line(conversation)["turns"]
        users = [move for move in conversation.moves if move.speaker == USER]
        assert [each["turn"] for each in states] == list(range(len(users)))
        final = {
            f"{domain}-{slot}": value
            for domain, goal in (conversation.goal or {}).items()
            for slot, value in {**goal.info, **goal.book}.items()
        }
        if outcome(conversation, town()).complete:
            assert final.items() <= states[-1]["gold"].items()


def test_trackers_right_and_wrong(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    play_to_file(path, goals=60, seed=7, noise=0.1)
    own = score_tracker(path, measures=["JGA"])["JGA"].value
    gold = [turn for conversation in read(path) for turn in conversation.turns]
    keyword = [each[KEYWORD] for conversation in played(noise=0.1)[:60] for each in line(conversation)["turns"]]
    right = sum(turn.gold == state for turn, state in zip(gold, keyword, strict=True)) / len(gold)
    assert own is not None
    assert 0.4 < own < 0.95
    assert 0.05 < right < 0.9


def test_without_noise_system_tracks_perfectly() -> None:
    assert all(each["gold"] == each["pred"] for conversation in played()[:100] for each in line(conversation)["turns"])


def test_native_lines_hold_talk() -> None:
    conversation = played()[0]
    assert {key: value for key, value in line(conversation).items() if key != "turns"} == conversation_to_dict(
        conversation
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agendo", "unknown agent 'agendo'; did you mean agenda"),
        ("rule", "rule is a system and cannot be the user"),
        ("agenda(patients=2)", "agenda has no dial 'patients'; did you mean patience"),
        ("agenda(patience=often)", "agenda: Expected `int`"),
        ("agenda(haste=2)", "agenda: Expected `float` <= 1"),
        ("agenda(haste)", "write dials like patience=2"),
        ("agenda)", "is not an agent"),
    ],
)
def test_unknown_agents(text: str, message: str) -> None:
    with pytest.raises(DialmeterError) as refused:
        choose(text, "user")
    assert message in str(refused.value)


def test_dials_round_trip() -> None:
    chosen = choose("agenda(verbosity=1, haste=0.50)", "user")
    assert chosen.text == "agenda(haste=0.5, verbosity=1)"
    setting = Setting(chosen, choose("rule", "system"), seed=7)
    conversations = list(play(sampled(10, 7), setting))
    assert all(len(move.acts or ()) <= 1 for conversation in conversations for move in conversation.moves[:-2:2])
