"""Plays dialogues into a file; after a kill it can be resumed without losing or repeating a dialogue."""

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
"""Passes lines on and shows progress; gets them and how many there will be."""


def sampled(count: int, seed: int) -> list[Task]:
    """Tasks with goals that are drawn for the town.

    Example:
        >>> [task.id for task in sampled(2, seed=7)]
        ['town-7-0000', 'town-7-0001']
    """
    goals = sample_goals(town(), count, seed)
    return [Task(index, f"town-{seed}-{index:04}", goal) for index, goal in enumerate(goals)]


def given(goals: Mapping[str, Goal]) -> list[Task]:
    """Tasks with goals of a file."""
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
    """Plays dialogues and writes them as native JSON lines, which tracker, user and judge commands read.

    Args:
        path: the file.
        user: a user, as in ``agenda(patience=2)``.
        system: a system.
        goals: how many goals to draw, or tasks.
        seed: of goals and dialogues.
        noise: how many acts are misunderstood, from 0 to 1.
        max_turns: where a dialogue is cut.
        workers: how many processes; changes no byte.
        progress: shows progress.
        force: replace a file that is there.

    Returns:
        How many dialogues were written.

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
    """Plays tasks into a file; until all are played, finished dialogues are in ``FILE.part``.

    Raises:
        DialmeterError: the file is taken or cannot be written, or an unfinished one was begun with another setting.
        Unfinished: an agent cannot go on.
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
            message = f"{error}; {part.done} of {len(tasks)} dialogues are done, go on with --resume"
            raise Unfinished(message) from None
        part.remove()
        raise
    finally:
        part.close()
    return len(tasks)


class PartFile:
    """A file of lines that are appended in order; after an interruption the existing lines are kept.

    Args:
        path: where the lines go when all are there.
        identity: what the lines depend on; one goes on only with the same.
        resume: go on with an unfinished file.
        force: replace a file that is there.

    Raises:
        DialmeterError: the file is taken, or the unfinished one is another.
    """

    def __init__(self, path: Path, identity: bytes, *, resume: bool, force: bool) -> None:
        # A file that somebody names by a link stays where it is.
        self._name = path
        self._path = Path(os.path.realpath(path))
        self._part = self._path.with_name(path.name + ".part")
        self._begun_with = self._path.with_name(path.name + ".part.json")
        with writing(path):
            if self._path.is_dir():
                raise DialmeterError(f"{path}: is a folder; --out needs a file")
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self._path, name=path)
            try:
                self._may_write(identity, resume, force)
                if not self._part.exists() or force:
                    # The note comes first: without it nobody goes on with the lines.
                    self._part.unlink(missing_ok=True)
                    replace_file(self._begun_with, identity)
                self._file = open(self._part, "a+b", buffering=0)  # noqa: SIM115  closed by close
                cut_torn_line(self._file)
                self.done = self._lines()
            except BaseException:
                self._lock.release()
                raise

    def _lines(self) -> int:
        with open(self._part, "rb") as file:
            return sum(1 for _ in file)

    def _may_write(self, identity: bytes, resume: bool, force: bool) -> None:
        if self._path.exists() and not self._part.exists():
            # A process that was killed after the rename left its notes.
            for note in (self._begun_with, self._begun_with.with_name(self._begun_with.name + ".part")):
                note.unlink(missing_ok=True)
        unfinished = self._part.exists() and not force
        if not (unfinished and resume):
            refuse_replacing(self._name, force=force)
        if unfinished and not resume:
            raise DialmeterError(f"{self._name}: is unfinished; go on with --resume or start again with --force")
        if unfinished and (not self._begun_with.exists() or self._begun_with.read_bytes() != identity):
            raise DialmeterError(
                f"{self._name}: the unfinished file has other agents, goals or settings; start again with --force"
            )

    def add(self, line: bytes) -> None:
        """Appends a line; whoever kills this process afterwards leaves it there.

        Raises:
            DialmeterError: it cannot be written.
        """
        with writing(self._name):
            write_all(self._file, line)
        self.done += 1

    def finish(self, lines: int) -> None:
        """Gives the file its name.

        Raises:
            DialmeterError: it cannot be written, or has another number of lines than it should.
        """
        with writing(self._name):
            if self._lines() != lines:
                raise DialmeterError(f"{self._name}: {self._lines()} lines for {lines} dialogues")
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._part, self._path)
            flush_folder(self._path.parent)
            self._begun_with.unlink(missing_ok=True)

    def remove(self) -> None:
        """Removes the unfinished file."""
        self._file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)
            self._begun_with.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the file, finished or not, and lets others write it."""
        self._file.close()
        self._lock.release()
