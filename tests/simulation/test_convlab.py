"""External agents, loaded by module:object."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation
from dialmeter.simulation.agents import choose
from dialmeter.simulation.play import Setting, play, sampled

HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def make_conversation(user: str, system: str) -> Conversation:
    setting = Setting(choose(user, "user"), choose(system, "system"), seed=7, max_turns=4)
    return next(play(sampled(1, 7), setting))


def test_system() -> None:
    found = make_conversation("agenda", "foreign_agents:Parrot")
    names = {(act.name, act.slot, *act.values) for move in found.moves[1::2] for act in move.acts or ()}
    assert ("Hotel-Recommend", "name", "otter house") in names
    assert "Otter House" in found.moves[1].text
    assert found.moves[2].understood == found.moves[1].acts


def test_user_goal_and_end() -> None:
    found = make_conversation("foreign_agents:ShortUser", "rule")
    goal = next(iter((found.goal or {}).items()))
    said = (found.moves[0].acts or ())[0]
    assert (said.service, said.values[0]) == (goal[0], goal[1].info[said.slot])
    assert len(found.moves) == 4
    assert not found.cut


def test_text_is_read() -> None:
    found = make_conversation("agenda", "foreign_agents:Talker")
    acts = found.moves[1].acts or ()
    assert [(act.name, act.values) for act in acts] == [("Restaurant-Recommend", ("brass plate",))]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "foreign_agents:Broken",
            "dialogue town-7-0000: agent foreign_agents:Broken failed in response: ZeroDivisionError: by nothing",
        ),
        (
            "foreign_agents:Wordless",
            "answered {'not': 'acts'}; expected text or a list of [intent, domain, slot, value]",
        ),
        ("foreign_agents:Unwilling", "agent foreign_agents:Unwilling has no response"),
        ("foreign_agents:Nobody", "cannot be loaded: AttributeError"),
        ("no_such_module:Agent", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_broken_agents(name: str, message: str) -> None:
    with pytest.raises(DialmeterError) as refused:
        make_conversation("agenda", name)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_dials() -> None:
    with pytest.raises(DialmeterError, match="it has no dials"):
        choose("foreign_agents:Parrot(patience=2)", "system")
