"""Estimate the requests to language models in dialogues, before any dialogue is played with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from ..core.endpoint import ChatAnswer, CostEstimate, DryRun, Messages
from ..model import USER, Conversation
from .agents import choose
from .agents.agent import ChosenAgent, Kind, set_dials
from .agents.endpoint import SYSTEM_KIND, USER_KIND, EndpointSystem, EndpointUser, client
from .play import Setting, Task, play
from .world import town

STAND_INS = ("agenda", "rule")
"""The user and the system that replace the agents; they need no language model."""
_MODELS: dict[str, tuple[Kind, type[EndpointUser | EndpointSystem]]] = {
    "endpoint-user": (USER_KIND, EndpointUser),
    "endpoint-system": (SYSTEM_KIND, EndpointSystem),
}


class _Script:
    """Endpoint that answers with the lines of a dialogue, and counts the requests."""

    def __init__(self, counter: DryRun, lines: Iterator[str], name: str) -> None:
        self._counter, self._lines, self._name = counter, lines, name
        self._number = 0

    def ask(self, messages: Messages, parameters: Mapping[str, Any], *, must_speak: bool) -> ChatAnswer:
        self._number += 1
        # Answers of agents are not cached, so every request counts.
        self._counter.ask(messages, {**parameters, "place": f"{self._name} {self._number}"})
        return ChatAnswer(next(self._lines))


def rehearse(tasks: Sequence[Task], settings: Sequence[Setting]) -> dict[str, CostEstimate]:
    """Estimate the cost of the language models, by agent and partner. Nothing is sent.

    The dialogues are played by the stand-ins on the same goals. A language model may need more or fewer turns.

    Args:
        tasks: the goals.
        settings: the pairs of agents.

    Example:
        >>> from dialmeter.simulation.files import sampled
        >>> model = choose("endpoint", "user", {"url": "http://127.0.0.1:8000/v1", "model": "small"})
        >>> [(name, cost)] = rehearse(sampled(2, seed=7), [Setting(model, choose("rule", "system"), seed=7)]).items()
        >>> name, cost.calls > 10
        ('endpoint-user(model=small) with rule', True)
    """
    estimates: dict[str, CostEstimate] = {}
    for setting in settings:
        pairs = ((setting.user, setting.system), (setting.system, setting.user))
        models = [(agent, other) for agent, other in pairs if agent.name in _MODELS]
        if not models:
            continue
        user, system = STAND_INS
        talks = list(play(tasks, replace(setting, user=choose(user, "user"), system=choose(system, "system"))))
        for agent, other in models:
            estimates[f"{agent.text} with {other.text}"] = _estimate(agent, talks)
    return estimates


def _estimate(chosen: ChosenAgent, talks: Sequence[Conversation]) -> CostEstimate:
    kind, make = _MODELS[chosen.name]
    dials = set_dials(chosen.name, kind, chosen.dials)
    counter = DryRun(client(dials))
    for talk in talks:
        agent = make(dials, town(), Random(0))
        agent.endpoint = _Script(counter, (move.text for move in talk.moves if move.speaker == chosen.role), talk.id)
        agent.start(talk.goal if chosen.role == USER else None)
        before = ""
        for move in talk.moves:
            if move.speaker == chosen.role:
                agent.reply(move.understood or (), before)
            before = move.text
    return counter.estimate
