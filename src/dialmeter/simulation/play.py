"""Dialogues between a user and a system. Each has its own seed, so that the process that plays it does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, structs

from ..core.cluster import Cluster
from ..core.engine import Lost, map_shards
from ..errors import DialmeterError
from ..model import SYSTEM, USER, Act, Conversation, Goal, Move
from ..readers.own.native import conversation_to_dict
from .agents import QUICK
from .agents.agent import Agent, ChosenAgent, made
from .language.generate import say
from .language.grammar import intent_of
from .language.noise import noisy
from .language.understand import TownMaker, understand
from .trackers import turns
from .world.database import town

MAX_TURNS = 30
_SHARD = 10
"""Dialogues of built-in agents that a worker plays at a time; those of others come one by one, because they may be slow."""


class Setting(Struct, frozen=True):
    """All that dialogues depend on, except their goals.

    Attributes:
        user: who has the goal.
        system: who has the town's tables.
        noise: how many acts are misunderstood, on both sides, from 0 to 1.
        seed: of all chances.
        max_turns: after so many turns of the user a dialogue is cut.
    """

    user: ChosenAgent
    system: ChosenAgent
    noise: float = 0.0
    seed: int = 0
    max_turns: int = MAX_TURNS


class Task(Struct, frozen=True):
    """A dialogue that is to be played."""

    index: int
    id: str
    goal: Goal


Shard: TypeAlias = tuple[Sequence[Task], Setting]
Result = TypeVar("Result")


def play(tasks: Sequence[Task], setting: Setting, workers: int = 1) -> Iterator[Conversation]:
    """Dialogues in the order of their tasks.

    Args:
        tasks: goals with ids; see :func:`dialmeter.simulation.files.sampled`.
        setting: who talks, and how well they understand each other.
        workers: how many processes; changes no letter.

    Raises:
        DialmeterError: an agent cannot go on, with the dialogue that it was in.

    Example:
        >>> from dialmeter.simulation.agents import choose
        >>> from dialmeter.simulation.files import sampled
        >>> setting = Setting(choose("agenda", "user"), choose("rule", "system"), seed=7)
        >>> talk = next(play(sampled(3, seed=7), setting))
        >>> talk.id, talk.moves[-1].acts[-1].name
        ('town-7-0000', 'general-bye')
    """
    return play_all(tasks, [setting], workers)


def play_all(
    tasks: Sequence[Task], settings: Sequence[Setting], workers: int = 1, cluster: Cluster | None = None
) -> Iterator[Conversation]:
    """The dialogues of all tasks under the first setting, then under the next, with one set of workers for all.

    Raises:
        DialmeterError: an agent cannot go on, with the dialogue that it was in.
    """
    return _spread(_played, _shards(tasks, settings), workers, cluster)


def play_lines(
    tasks: Sequence[Task], setting: Setting, workers: int = 1, cluster: Cluster | None = None
) -> Iterator[bytes]:
    """Dialogues as native JSON lines, in the order of their tasks; see :func:`line`.

    Raises:
        DialmeterError: an agent cannot go on, with the dialogue that it was in.
    """
    return _spread(_played_lines, _shards(tasks, [setting]), workers, cluster)


def _shards(tasks: Sequence[Task], settings: Sequence[Setting]) -> list[Shard]:
    return [
        (tasks[place : place + size], setting)
        for setting in settings
        for size in [_SHARD if {setting.user.name, setting.system.name} <= QUICK else 1]
        for place in range(0, len(tasks), size)
    ]


def _spread(
    work: Callable[[Shard], list[Result]], shards: Sequence[Shard], workers: int, cluster: Cluster | None
) -> Iterator[Result]:
    """The results of all shards in order, from this process, other processes or a cluster."""
    for (tasks, _), outcome in zip(shards, map_shards(work, shards, workers, cluster), strict=True):
        if isinstance(outcome, Lost):
            raise DialmeterError(f"dialogues {tasks[0].id} to {tasks[-1].id} cannot be played: {outcome.reason}")
        yield from outcome.value


def _played(shard: Shard) -> list[Conversation]:
    tasks, setting = shard
    return [play_one(task, setting) for task in tasks]


def _played_lines(shard: Shard) -> list[bytes]:
    return [msgspec.json.encode(line(talk)) + b"\n" for talk in _played(shard)]


def play_one(task: Task, setting: Setting) -> Conversation:
    """One dialogue, from the user's first move to the system's last."""
    chances = {part: Random(f"{setting.seed} {task.index} {part}") for part in (USER, SYSTEM, "text", "noise")}
    try:
        agents: dict[str, Agent] = {
            USER: made(setting.user, town(), chances[USER]),
            SYSTEM: made(setting.system, town(), chances[SYSTEM]),
        }
        agents[USER].start(task.goal)
        agents[SYSTEM].start(None)
        moves, over = _talk(agents, setting, chances)
    except DialmeterError as error:
        raise DialmeterError(f"dialogue {task.id}: {error}") from None
    return Conversation(task.id, tuple(moves), task.goal, cut=not over)


def _talk(agents: Mapping[str, Agent], setting: Setting, chances: Mapping[str, Random]) -> tuple[list[Move], bool]:
    """The moves, and whether somebody has ended the talk before the limit."""
    moves: list[Move] = []
    understood: tuple[Act, ...] | None = None
    text = ""
    for _ in range(setting.max_turns):
        for speaker in (USER, SYSTEM):
            given = agents[speaker].reply(understood or (), text)
            move = structs.replace(_complete(given, speaker, chances["text"]), understood=understood)
            moves.append(move)
            text = move.text
            understood = noisy(understand(text, speaker), setting.noise, chances["noise"])
        if agents[USER].done():
            return moves, True
    return moves, False


def _complete(move: Move, speaker: str, rng: Random) -> Move:
    """Completes a move: text, acts, and the list of requested slots."""
    text = move.text or say(move.acts or (), speaker, rng)
    acts = understand(text, speaker) if move.acts is None else move.acts
    requested: dict[str, list[str]] = {}
    for each in acts if speaker == USER else ():
        if intent_of(each.name) == "request" and each.slot:
            requested.setdefault(each.service, []).append(f"{each.service}-{each.slot}")
    listed = {service: tuple(dict.fromkeys(slots)) for service, slots in requested.items()}
    return structs.replace(
        move,
        speaker=speaker,
        text=text,
        acts=acts,
        requested=listed if speaker == USER else None,
        read_by=TownMaker.name if move.acts is None else "",
    )


def line(talk: Conversation) -> dict[str, Any]:
    """A dialogue as a native line, with the states of three trackers."""
    return {**conversation_to_dict(talk), "turns": list(turns(talk.moves))}
