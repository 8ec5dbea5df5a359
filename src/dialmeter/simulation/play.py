"""Play dialogues between a user and a system. Each dialogue has its own seed, so the process that plays it does not matter."""

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
from ..readers.layouts.own import conversation_to_dict
from .agents import QUICK
from .agents.agent import Agent, ChosenAgent, make_agent
from .language.grammar import intent_of, say
from .language.understand import TownMaker, noisy, understand
from .outcome import turns
from .world.database import town

MAX_TURNS = 30
_SHARD = 10
"""Number of dialogues per shard for built-in agents; other agents may be slow, so their shards have one dialogue."""


class Setting(Struct, frozen=True):
    """Everything that dialogues depend on, except their goals.

    Attributes:
        user: the agent with the goal.
        system: the agent with the database.
        noise: the share of acts that are misunderstood, on both sides, from 0 to 1.
        seed: the seed of all random choices.
        max_turns: the maximum number of user turns; longer dialogues are cut.
    """

    user: ChosenAgent
    system: ChosenAgent
    noise: float = 0.0
    seed: int = 0
    max_turns: int = MAX_TURNS


class Task(Struct, frozen=True):
    """A dialogue to play: its index, id and goal."""

    index: int
    id: str
    goal: Goal


Shard: TypeAlias = tuple[Sequence[Task], Setting]
Result = TypeVar("Result")


def play(tasks: Sequence[Task], setting: Setting, workers: int = 1) -> Iterator[Conversation]:
    """Play dialogues in the order of their tasks.

    Args:
        tasks: goals with ids; see :func:`dialmeter.simulation.files.sampled`.
        setting: the agents, the noise and the seed.
        workers: number of processes; the dialogues do not depend on it.

    Raises:
        DialmeterError: an agent failed; the error names the dialogue.

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
    """Play all tasks under the first setting, then under the next, with one set of workers for all settings.

    Raises:
        DialmeterError: an agent failed; the error names the dialogue.
    """
    return _map_shards(_play_shard, _shards(tasks, settings), workers, cluster)


def play_lines(
    tasks: Sequence[Task], setting: Setting, workers: int = 1, cluster: Cluster | None = None
) -> Iterator[bytes]:
    """Play dialogues as native JSON lines, in the order of their tasks; see :func:`line`.

    Raises:
        DialmeterError: an agent failed; the error names the dialogue.
    """
    return _map_shards(_play_shard_lines, _shards(tasks, [setting]), workers, cluster)


def _shards(tasks: Sequence[Task], settings: Sequence[Setting]) -> list[Shard]:
    return [
        (tasks[start : start + size], setting)
        for setting in settings
        for size in [_SHARD if {setting.user.name, setting.system.name} <= QUICK else 1]
        for start in range(0, len(tasks), size)
    ]


def _map_shards(
    work: Callable[[Shard], list[Result]], shards: Sequence[Shard], workers: int, cluster: Cluster | None
) -> Iterator[Result]:
    """Yield the results of all shards in order, from this process, other processes or a cluster."""
    for (tasks, _), outcome in zip(shards, map_shards(work, shards, workers, cluster), strict=True):
        if isinstance(outcome, Lost):
            raise DialmeterError(f"dialogues {tasks[0].id} to {tasks[-1].id} cannot be played: {outcome.reason}")
        yield from outcome.value


def _play_shard(shard: Shard) -> list[Conversation]:
    tasks, setting = shard
    return [play_one(task, setting) for task in tasks]


def _play_shard_lines(shard: Shard) -> list[bytes]:
    return [msgspec.json.encode(line(talk)) + b"\n" for talk in _play_shard(shard)]


def play_one(task: Task, setting: Setting) -> Conversation:
    """Play one dialogue, from the first move of the user to the last move of the system."""
    rngs = {part: Random(f"{setting.seed} {task.index} {part}") for part in (USER, SYSTEM, "text", "noise")}
    try:
        agents: dict[str, Agent] = {
            USER: make_agent(setting.user, town(), rngs[USER]),
            SYSTEM: make_agent(setting.system, town(), rngs[SYSTEM]),
        }
        agents[USER].start(task.goal)
        agents[SYSTEM].start(None)
        moves, is_over = _talk(agents, setting, rngs)
    except DialmeterError as error:
        raise DialmeterError(f"dialogue {task.id}: {error}") from None
    return Conversation(task.id, tuple(moves), task.goal, cut=not is_over)


def _talk(agents: Mapping[str, Agent], setting: Setting, rngs: Mapping[str, Random]) -> tuple[list[Move], bool]:
    """Return the moves, and whether the user ended the dialogue before the limit."""
    moves: list[Move] = []
    understood: tuple[Act, ...] | None = None
    text = ""
    for _ in range(setting.max_turns):
        for speaker in (USER, SYSTEM):
            reply = agents[speaker].reply(understood or (), text)
            move = structs.replace(_complete(reply, speaker, rngs["text"]), understood=understood)
            moves.append(move)
            text = move.text
            understood = noisy(understand(text, speaker), setting.noise, rngs["noise"])
        if agents[USER].done():
            return moves, True
    return moves, False


def _complete(move: Move, speaker: str, rng: Random) -> Move:
    """Complete a move with text, acts, and the requested slots."""
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
    """Convert a dialogue to a native line, with the states of three trackers."""
    return {**conversation_to_dict(talk), "turns": list(turns(talk.moves))}
