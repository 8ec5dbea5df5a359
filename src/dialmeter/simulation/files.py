"""Play dialogues into a file. After a kill, it can be resumed without losing or repeating a dialogue."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ..core.cluster import Cluster
from ..core.lock import Lock
from ..core.output import cut_torn_line, flush_folder, refuse_replacing, replace_file, write_all
from ..errors import DialmeterError, Unfinished, writing
from ..model import Goal
from .agents import choose
from .play import MAX_TURNS, Setting, Task, play_lines
from .world.database import town
from .world.goals import sample_goals

Watch = Callable[[Iterable[bytes], int], Iterable[bytes]]
"""A function that wraps the lines to show progress. Its arguments: the lines, and their number."""


def sampled(count: int, seed: int) -> list[Task]:
    """Return tasks with goals that are sampled for the town.

    Example:
        >>> [task.id for task in sampled(2, seed=7)]
        ['town-7-0000', 'town-7-0001']
    """
    goals = sample_goals(town(), count, seed)
    return [Task(index, f"town-{seed}-{index:04}", goal) for index, goal in enumerate(goals)]


def tasks_from_goals(goals: Mapping[str, Goal]) -> list[Task]:
    """Return tasks with the goals of a file."""
    return [Task(index, name, goal) for index, (name, goal) in enumerate(goals.items())]


def play_to_file(
    path: str | Path,
    *,
    user: str = "agenda",
    system: str = "rule",
    goals: int | Sequence[Task] = 200,
    seed: int = 0,
    noise: float = 0.0,
    max_turns: int = MAX_TURNS,
    workers: int = 1,
    progress: Watch | None = None,
    force: bool = False,
) -> int:
    """Play dialogues and write them as native JSON lines, which tracker, user and judge commands read.

    Args:
        path: the path of the file.
        user: a user, as in ``agenda(patience=2)``.
        system: a system.
        goals: the number of goals to sample, or tasks.
        seed: the seed of goals and dialogues.
        noise: the share of acts that are misunderstood, from 0 to 1.
        max_turns: the maximum number of user turns of a dialogue.
        workers: number of processes; the file does not depend on it.
        progress: wraps the lines to show progress.
        force: replace an existing file.

    Returns:
        The number of dialogues in the file.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "talk.jsonl")
        ...     play_to_file(path, goals=2, seed=7)
        2
    """
    setting = Setting(choose(user, "user"), choose(system, "system"), noise, seed, max_turns)
    tasks = sampled(goals, seed) if isinstance(goals, int) else goals
    return write(path, tasks, setting, workers=workers, progress=progress, force=force)


def write(
    path: str | Path,
    tasks: Sequence[Task],
    setting: Setting,
    *,
    workers: int = 1,
    cluster: Cluster | None = None,
    progress: Watch | None = None,
    resume: bool = False,
    force: bool = False,
) -> int:
    """Play tasks into a file. Until all are played, finished dialogues are in ``FILE.part``.

    Raises:
        DialmeterError: the file exists or cannot be written, or an unfinished file has another setting.
        Unfinished: an agent failed after some dialogues were written.
    """
    identity = msgspec.json.encode({"setting": setting, "tasks": list(tasks)}, order="sorted")
    part = PartFile(Path(path), identity, resume=resume, force=force)
    if part.done > len(tasks):
        part.close()
        raise DialmeterError(f"{path}: {part.done} lines for {len(tasks)} dialogues; start again with --force")
    try:
        left = tasks[part.done :]
        lines: Iterable[bytes] = play_lines(left, setting, workers, cluster)
        for each in progress(lines, len(left)) if progress else lines:
            part.add(each)
        part.finish(len(tasks))
    except DialmeterError as error:
        if part.done:
            message = f"{error}; {part.done} of {len(tasks)} dialogues are done, continue with --resume"
            raise Unfinished(message) from None
        part.remove()
        raise
    finally:
        part.close()
    return len(tasks)


class PartFile:
    """A file of lines that are appended in order. After an interruption, the existing lines are kept.

    Args:
        path: the path of the finished file.
        identity: everything that the lines depend on; an unfinished file is resumed only with the same identity.
        resume: continue an unfinished file.
        force: replace an existing file.

    Raises:
        DialmeterError: the file exists or is locked, or an unfinished file has another identity.
    """

    def __init__(self, path: Path, identity: bytes, *, resume: bool, force: bool) -> None:
        # If the path is a link, its target is replaced, and the link stays.
        self._name = path
        self._path = Path(os.path.realpath(path))
        self._part = self._path.with_name(path.name + ".part")
        self._identity_path = self._path.with_name(path.name + ".part.json")
        with writing(path):
            if self._path.is_dir():
                raise DialmeterError(f"{path}: is a folder; --out needs a file")
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self._path, name=path)
            try:
                self._check_existing(identity, resume, force)
                if not self._part.exists() or force:
                    # The identity is written first, because lines without it cannot be resumed.
                    self._part.unlink(missing_ok=True)
                    replace_file(self._identity_path, identity)
                self._file = open(self._part, "a+b", buffering=0)  # noqa: SIM115  closed by close
                cut_torn_line(self._file)
                self.done = self._count_lines()
            except BaseException:
                self._lock.release()
                raise

    def _count_lines(self) -> int:
        with open(self._part, "rb") as file:
            return sum(1 for _ in file)

    def _check_existing(self, identity: bytes, resume: bool, force: bool) -> None:
        if self._path.exists() and not self._part.exists():
            # A process that was killed after the rename left the files of the identity.
            for leftover in (self._identity_path, self._identity_path.with_name(self._identity_path.name + ".part")):
                leftover.unlink(missing_ok=True)
        unfinished = self._part.exists() and not force
        if not (unfinished and resume):
            refuse_replacing(self._name, force=force)
        if unfinished and not resume:
            raise DialmeterError(f"{self._name}: is unfinished; continue with --resume or start again with --force")
        if unfinished and (not self._identity_path.exists() or self._identity_path.read_bytes() != identity):
            raise DialmeterError(
                f"{self._name}: the unfinished file has other agents, goals or settings; start again with --force"
            )

    def add(self, line: bytes) -> None:
        """Append a line. It stays in the file if the process is killed afterwards.

        Raises:
            DialmeterError: the line cannot be written.
        """
        with writing(self._name):
            write_all(self._file, line)
        self.done += 1

    def finish(self, lines: int) -> None:
        """Rename the file to its final name.

        Raises:
            DialmeterError: the file cannot be written, or has the wrong number of lines.
        """
        with writing(self._name):
            if self._count_lines() != lines:
                raise DialmeterError(f"{self._name}: {self._count_lines()} lines for {lines} dialogues")
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._part, self._path)
            flush_folder(self._path.parent)
            self._identity_path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the unfinished file."""
        self._file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)
            self._identity_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file, finished or not, and release its lock."""
        self._file.close()
        self._lock.release()
