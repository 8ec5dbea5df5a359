"""Play dialogues between a user and a system, also into a file. Each dialogue has its own seed, so the process that plays it does not matter.

After a kill, a file can be continued without losing or repeating a dialogue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, structs

from ..core.cluster import Cluster
from ..core.engine import Lost, map_shards
from ..core.output import Checkpoint
from ..errors import DialmeterError, Unfinished
from ..model import SYSTEM, USER, Act, Conversation, Goal, Move
from ..progress import track_count
from ..readers.layouts.own import conversation_to_dict
from .bots import QUICK, Bot, ChosenBot, make_bot
from .goals import sample_goals
from .grammar import requested, say
from .outcome import turns
from .understand import TownMaker, noisy, understand
from .world import TOWN, World, load_world

MAX_TURNS = 30
_SHARD = 10
"""Number of dialogues per shard for built-in bots; other bots may be slow, so their shards have one dialogue."""


class Setting(Struct, frozen=True):
    """Everything that dialogues depend on, except their goals.

    Attributes:
        user: the bot with the goal.
        system: the bot with the database.
        noise: the share of acts that are misunderstood, on both sides, from 0 to 1.
        max_turns: the maximum number of user turns; longer dialogues are cut.
        world: the folder of the world, or ``town``.
    """

    user: ChosenBot
    system: ChosenBot
    noise: float = 0.0
    seed: int = 0
    max_turns: int = MAX_TURNS
    world: str = TOWN


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
        tasks: goals with ids; see :func:`dialmeter.simulation.play.sampled`.
        workers: number of processes; the dialogues do not depend on it.

    Raises:
        DialmeterError: a bot failed; the error names the dialogue.

    Example:
        >>> from dialmeter.simulation.bots import choose
        >>> from dialmeter.simulation.play import sampled
        >>> setting = Setting(choose("agenda", "user"), choose("rule", "system"), seed=7)
        >>> conversation = next(play(sampled(3, seed=7), setting))
        >>> conversation.id, conversation.moves[-1].acts[-1].name
        ('town-7-0000', 'general-bye')
    """
    return play_all(tasks, [setting], workers)


def play_all(
    tasks: Sequence[Task], settings: Sequence[Setting], workers: int = 1, cluster: Cluster | None = None
) -> Iterator[Conversation]:
    """Play all tasks under the first setting, then under the next, with one set of workers for all settings."""
    return _map_shards(_play_shard, tasks, settings, workers, cluster)


def _map_shards(
    work: Callable[[Shard], list[Result]],
    tasks: Sequence[Task],
    settings: Sequence[Setting],
    workers: int,
    cluster: Cluster | None,
) -> Iterator[Result]:
    """Yield the results of all shards in order, from this process, other processes or a cluster."""
    shards = [
        (tasks[start : start + size], setting)
        for setting in settings
        for size in [_SHARD if {setting.user.name, setting.system.name} <= QUICK else 1]
        for start in range(0, len(tasks), size)
    ]
    for (played, _), outcome in zip(shards, map_shards(work, shards, workers, cluster), strict=True):
        if isinstance(outcome, Lost):
            raise DialmeterError(f"dialogues {played[0].id} to {played[-1].id} cannot be played: {outcome.reason}")
        yield from outcome.value


def _play_shard(shard: Shard) -> list[Conversation]:
    tasks, setting = shard
    return [play_one(task, setting) for task in tasks]


def _play_shard_lines(shard: Shard) -> list[bytes]:
    world = load_world(shard[1].world)
    return [msgspec.json.encode(line(conversation, world)) for conversation in _play_shard(shard)]


def play_one(task: Task, setting: Setting) -> Conversation:
    """Play one dialogue, from the first move of the user to the last move of the system."""
    rngs = {part: Random(f"{setting.seed} {task.index} {part}") for part in (USER, SYSTEM, "text", "noise")}
    try:
        world = load_world(setting.world).for_goal(task.goal)
        bots: dict[str, Bot] = {
            USER: make_bot(setting.user, world, rngs[USER]),
            SYSTEM: make_bot(setting.system, world, rngs[SYSTEM]),
        }
        bots[USER].start(task.goal)
        bots[SYSTEM].start(None)
        moves, is_over = _talk(bots, setting, rngs, world)
    except DialmeterError as error:
        raise DialmeterError(f"dialogue {task.id}: {error}") from None
    return Conversation(task.id, tuple(moves), task.goal, cut=not is_over)


def _talk(
    bots: Mapping[str, Bot], setting: Setting, rngs: Mapping[str, Random], world: World
) -> tuple[list[Move], bool]:
    """Return the moves, and whether the user ended the dialogue before the limit."""
    moves: list[Move] = []
    understood: tuple[Act, ...] | None = None
    text = ""
    for _ in range(setting.max_turns):
        for speaker in (USER, SYSTEM):
            reply = bots[speaker].reply(understood or (), text)
            moves.append(structs.replace(_complete(reply, speaker, rngs["text"], world), understood=understood))
            text = moves[-1].text
            understood = noisy(understand(text, speaker, world), setting.noise, rngs["noise"], world)
        if bots[USER].done():
            return moves, True
    return moves, False


def _complete(move: Move, speaker: str, rng: Random, world: World) -> Move:
    """Complete a move with text, acts, and the requested slots."""
    text = move.text or say(move.acts or (), speaker, rng, world)
    acts = understand(text, speaker, world) if move.acts is None else move.acts
    listed = {service: tuple(f"{service}-{slot}" for slot in slots) for service, slots in requested(acts).items()}
    return structs.replace(
        move,
        speaker=speaker,
        text=text,
        acts=acts,
        requested=listed if speaker == USER else None,
        read_by=TownMaker.name if move.acts is None else "",
    )


def line(conversation: Conversation, world: World) -> dict[str, Any]:
    """Convert a dialogue to a native line, with the states of three trackers."""
    return {**conversation_to_dict(conversation), "turns": list(turns(conversation.moves, world))}


def sampled(count: int, seed: int, world: str = TOWN) -> list[Task]:
    """Return tasks with goals that are sampled for a world; their ids begin with its name.

    Example:
        >>> [task.id for task in sampled(2, seed=7)]
        ['town-7-0000', 'town-7-0001']
    """
    goals = sample_goals(load_world(world), count, seed)
    name = load_world(world).short_name
    return [Task(index, f"{name}-{seed}-{index:04}", goal) for index, goal in enumerate(goals)]


def tasks_from_goals(goals: Mapping[str, Goal]) -> list[Task]:
    """Return tasks with the goals of a file."""
    return [Task(index, name, goal) for index, (name, goal) in enumerate(goals.items())]


def write(
    path: str | Path,
    tasks: Sequence[Task],
    setting: Setting,
    *,
    workers: int = 1,
    cluster: Cluster | None = None,
    force: bool = False,
) -> int:
    """Play tasks into a file. Until all are played, finished dialogues are in ``FILE.parts``; the same call again continues it.

    Raises:
        DialmeterError: the file exists or cannot be written, or an unfinished file has another setting.
        Unfinished: a bot failed after some dialogues were written.
    """
    world = load_world(setting.world).digest
    identity = hashlib.sha256(msgspec.json.encode([setting, world, tasks], order="sorted")).hexdigest()
    checkpoint: Checkpoint[Any] = Checkpoint(path, dict, "a dialogue", "other bots, goals or settings", force=force)
    with closing(checkpoint):
        done = len(checkpoint.resume(identity))
        left = tasks[done:]
        lines = _map_shards(_play_shard_lines, left, [setting], workers, cluster)
        try:
            for each in track_count(lines, len(left), "playing"):
                checkpoint.add(msgspec.Raw(each), sync=False)
                done += 1
            checkpoint.publish()
        except DialmeterError as error:
            if done:
                message = f"{error}; {done} of {len(tasks)} dialogues are done; the same command again continues"
                raise Unfinished(message) from None
            raise
    return len(tasks)
