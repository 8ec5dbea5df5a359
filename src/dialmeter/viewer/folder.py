"""The runs below a folder: found by listing it, never by a path from an address."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

from ..core.open_runs import PARTS, WHOLE_RUN, file_of_run, finished_at, open_run
from ..errors import DialmeterError
from ..views.pages.findings_file import FILE
from ..views.pages.kinds import kind_of
from ..views.pages.opened import Opened

_DEEPEST = 5
_KEPT = 16
"""How many runs stay open; a comparison has up to twelve."""
_FRESH = 2.0
"""A file that was changed within so many seconds may be changed again without another time of change, so it is read again."""
_FILES = ("run.json", "rows.jsonl", "index.npz")
_State: TypeAlias = tuple[tuple[int, ...], ...]


class RunEntry(NamedTuple):
    """A run in the list: finished, unfinished or broken, and then why.

    Attributes:
        key: its name in addresses.
        folder: where it is.
        state: finished, unfinished or broken.
        reason: why it is not finished or broken.
        kind: what was measured; empty unless it is finished.
        digest: of its manifest.
        headline: the first thing to read about it.
        value: the headline as a number to sort by.
        size: how many rows it has, as the manifest says.
        inputs: the names of its files.
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
        """The same run as one that cannot be shown, for this reason if there was none before."""
        return RunEntry(self.key, self.folder, "broken", reason) if self.kind else self

    @property
    def comparable(self) -> bool:
        """Can it be compared with another run of its kind?"""
        return bool(self.kind) and kind_of({"kind": self.kind}).COMPARABLE

    @property
    def date(self) -> str:
        """The minute in which it was finished, by the clock of the machine that made it."""
        return self.finished.strftime("%Y-%m-%d %H:%M") if self.finished else ""

    @property
    def moment(self) -> float:
        """When it was finished, as a number to sort by."""
        return self.finished.timestamp() if self.finished else 0.0


class RunFolder:
    """All runs below a folder. A run whose files have not changed is not read again.

    Args:
        root: the folder; it may itself be a run.

    Raises:
        DialmeterError: no such folder.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise DialmeterError(f"{root}: no such folder")
        self._kept: OrderedDict[tuple[str, str], Opened] = OrderedDict()
        self._known: dict[str, tuple[_State, RunEntry]] = {}
        self._lock = Lock()

    def entries(self) -> list[RunEntry]:
        """All runs of the moment, by name."""
        found = sorted((self._entry(key, folder) for key, folder in self._folders()), key=lambda each: each.key)
        with self._lock:
            gone = self._known.keys() - {each.key for each in found}
            for key in gone:
                self._known.pop(key, None)
        return found

    def _folders(self) -> Iterator[tuple[str, Path]]:
        # os.walk follows no links, so that all folders are below the root; files that are links are refused later.
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
        """The run in a folder, read only if one of its files has changed since the last time."""
        with self._lock:
            state, entry = self._known.get(key, ((), None))
        now = _state(folder)
        if entry is None or entry.folder != folder or state != now:
            entry = _read_entry(key, folder)
            settled = max((each[-1] for each in now), default=0) < (time.time() - _FRESH) * 1e9
            with self._lock:
                self._known[key] = (now if settled else ()), entry
        return entry

    def entry(self, key: str) -> RunEntry | None:
        """The run of that name, if it is in the list; one that was listed before is not searched for."""
        with self._lock:
            _, known = self._known.get(key, ((), None))
        if known and os.path.realpath(known.folder) == str(known.folder) and (known.folder / "run.json").exists():
            return self._entry(key, known.folder)
        return next((self._entry(key, folder) for name, folder in self._folders() if name == key), None)

    def open(self, key: str) -> Opened:
        """Opens a run that is in the list; the last few stay open.

        Raises:
            DialmeterError: no such run, or it cannot be read.
        """
        entry = self.entry(key)
        if entry is None:
            raise DialmeterError(f"no run {key!r} here")
        if not entry.kind:
            raise DialmeterError(f"{key}: {entry.reason}")
        with self._lock:
            found = self._kept.get((key, entry.digest)) or Opened(entry.folder, key)
            # Named by what was read: the run may have been replaced since it was listed.
            name = (key, found.run.digest)
            self._kept[name] = found
            self._kept.move_to_end(name)
            for older in [each for each in self._kept if each[0] == key and each != name]:
                del self._kept[older]
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return found


def _state(folder: Path) -> _State:
    """What tells whether the files of a run have changed, the time of the last change at the end of each."""
    found: list[tuple[int, ...]] = []
    places = (f"{folder}/{WHOLE_RUN}", str(folder))
    for place in places if os.path.exists(places[0]) else places[1:]:
        for name in (*_FILES, FILE, "log.json"):
            try:
                each = os.lstat(f"{place}/{name}")
                found.append((each.st_dev, each.st_ino, each.st_mode, each.st_size, each.st_mtime_ns, each.st_ctime_ns))
            except OSError:
                found.append((0,))
    return tuple(found)


def _read_entry(key: str, folder: Path) -> RunEntry:
    files = [file_of_run(folder, name) for name in _FILES]
    if any(file.is_symlink() for file in files):
        return RunEntry(key, folder, "broken", "its files are links, which are not followed")
    if not files[0].exists():
        return RunEntry(key, folder, "unfinished", "not finished: go on with --resume")
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
