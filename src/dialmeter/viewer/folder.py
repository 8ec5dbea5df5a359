"""The runs below a folder. They are found by listing the folder; an address is never used as a path."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

from ..core.open_runs import PARTS, WHOLE_RUN, file_of_run, finished_at, open_run
from ..errors import DialmeterError
from ..views.pages.findings import FILE
from ..views.pages.kinds import kind_of
from ..views.pages.opened_run import OpenedRun

_DEEPEST = 5
_MAX_OPEN = 16
"""Number of runs that stay open; a comparison needs up to twelve."""
_FRESH = 2.0
"""Seconds. A file that was changed more recently may change again with the same modification time, so it is read again."""
_FILES = ("run.json", "rows.jsonl", "index.npz")
_State: TypeAlias = tuple[tuple[int, ...], ...]


class RunEntry(NamedTuple):
    """A run in the list of runs.

    Attributes:
        key: its name in addresses.
        folder: its folder.
        state: finished, unfinished or broken.
        reason: why it is unfinished or broken.
        kind: the kind of run; empty unless it is finished.
        digest: digest of its manifest.
        headline: the main result.
        value: the main result as a number to sort by.
        size: number of rows, from the manifest.
        inputs: names of its input files.
        finished: when it was finished; None if unknown.
    """

    key: str
    folder: Path
    state: str
    reason: str = ""
    kind: str = ""
    digest: str = ""
    headline: str = ""
    value: float = -1.0
    size: int = 0
    inputs: str = ""
    finished: datetime | None = None

    def broken(self, reason: str) -> RunEntry:
        """Return the entry as broken, for this reason; an entry that is already broken or unfinished is unchanged."""
        return RunEntry(self.key, self.folder, "broken", reason) if self.kind else self

    @property
    def comparable(self) -> bool:
        """Whether it can be compared with another run of its kind."""
        return bool(self.kind) and kind_of({"kind": self.kind}).COMPARABLE

    @property
    def date(self) -> str:
        """The minute in which it was finished, in the time zone of the machine that made it."""
        return self.finished.strftime("%Y-%m-%d %H:%M") if self.finished else ""

    @property
    def moment(self) -> float:
        """The time when it was finished, as a number to sort by."""
        return self.finished.timestamp() if self.finished else 0.0


class RunFolder:
    """All runs below a folder. A run whose files have not changed is not read again.

    Args:
        root: the folder; it may itself be a run.
        runs: name → folder of the only runs to show; by default all runs below the root.

    Raises:
        DialmeterError: no such folder.
    """

    def __init__(self, root: str | Path, runs: Mapping[str, Path] | None = None) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise DialmeterError(f"{root}: no such folder")
        self._open_runs: OrderedDict[tuple[str, str], OpenedRun] = OrderedDict()
        self._entries: dict[str, tuple[_State, RunEntry]] = {}
        self._lock = Lock()
        self._runs = runs

    def entries(self) -> list[RunEntry]:
        """Return all current runs, sorted by name."""
        entries = sorted((self._entry(key, folder) for key, folder in self._folders()), key=lambda each: each.key)
        with self._lock:
            for key in self._entries.keys() - {each.key for each in entries}:
                self._entries.pop(key, None)
        return entries

    def _folders(self) -> Iterator[tuple[str, Path]]:
        if self._runs is not None:
            yield from self._runs.items()
            return
        # os.walk does not follow links, so all folders are below the root. Files that are links are refused later.
        for place, folders, files in os.walk(self.root):
            folder = Path(place)
            parts = folder.relative_to(self.root).parts
            if "run.json" in files or PARTS in folders:
                folders.clear()
                yield "/".join(parts) or self.root.name, folder
            elif len(parts) >= _DEEPEST:
                folders.clear()
            folders[:] = sorted(each for each in folders if not each.startswith("."))

    def _entry(self, key: str, folder: Path) -> RunEntry:
        """Return the run in a folder; read it only if one of its files has changed."""
        with self._lock:
            state, entry = self._entries.get(key, ((), None))
        current = _file_states(folder)
        if entry is None or entry.folder != folder or state != current:
            entry = _read_entry(key, folder)
            is_settled = max((each[-1] for each in current), default=0) < (time.time() - _FRESH) * 1e9
            with self._lock:
                self._entries[key] = (current if is_settled else ()), entry
        return entry

    def entry(self, key: str) -> RunEntry | None:
        """Return the run of that name, if there is one; the folder of a cached entry is not searched for again."""
        with self._lock:
            _, cached = self._entries.get(key, ((), None))
        if cached and os.path.realpath(cached.folder) == str(cached.folder) and (cached.folder / "run.json").exists():
            return self._entry(key, cached.folder)
        return next((self._entry(key, folder) for name, folder in self._folders() if name == key), None)

    def open(self, key: str) -> OpenedRun:
        """Open a run of the list; the last few runs stay open.

        Raises:
            DialmeterError: there is no such run, or it cannot be read.
        """
        entry = self.entry(key)
        if entry is None:
            raise DialmeterError(f"no run {key!r} here")
        if not entry.kind:
            raise DialmeterError(f"{key}: {entry.reason}")
        with self._lock:
            run = self._open_runs.get((key, entry.digest)) or OpenedRun(entry.folder, key)
            # The digest of the opened run: the run may have been replaced since it was listed.
            name = (key, run.run.digest)
            self._open_runs[name] = run
            self._open_runs.move_to_end(name)
            for older in [each for each in self._open_runs if each[0] == key and each != name]:
                del self._open_runs[older]
            while len(self._open_runs) > _MAX_OPEN:
                self._open_runs.popitem(last=False)
            return run


def _file_states(folder: Path) -> _State:
    """Return the states of the files of a run, to detect changes; the time of the last change is the last number of each."""
    states: list[tuple[int, ...]] = []
    folders = (f"{folder}/{WHOLE_RUN}", str(folder))
    for parent in folders if os.path.exists(folders[0]) else folders[1:]:
        for name in (*_FILES, FILE, "log.json"):
            try:
                stat = os.lstat(f"{parent}/{name}")
                states.append(
                    (stat.st_dev, stat.st_ino, stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
                )
            except OSError:
                states.append((0,))
    return tuple(states)


def _read_entry(key: str, folder: Path) -> RunEntry:
    files = [file_of_run(folder, name) for name in _FILES]
    if any(file.is_symlink() for file in files):
        return RunEntry(key, folder, "broken", "its files are links; links are not followed")
    if not files[0].exists():
        return RunEntry(key, folder, "unfinished", "not finished; the command that began it continues it")
    try:
        run = open_run(folder)
        headline = kind_of(run.manifest).headline(run.manifest)
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            return RunEntry(key, folder, "broken", f"{' and '.join(missing)} missing")
    except (DialmeterError, OSError) as error:
        return RunEntry(key, folder, "broken", str(error).replace(f"{folder}{os.sep}", ""))
    counts = run.manifest.get("counts") or {}
    size = next((counts[name] for name in ("dialogues", "cases", "items") if name in counts), 0)
    return RunEntry(
        key,
        folder,
        "finished",
        kind=str(run.manifest["kind"]),
        digest=run.digest,
        headline=headline.text,
        value=-1.0 if headline.value is None else headline.value,
        size=size,
        inputs=", ".join(str(each.get("name")) for each in run.manifest.get("inputs") or ()),
        finished=finished_at(folder),
    )
