"""The runs below a folder: found by listing it, never by a path from an address."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from ..core.open_runs import file_of_run, open_run
from ..errors import DialmeterError
from ..views.pages.kinds import kind_of
from ..views.pages.opened import Opened

_DEEPEST = 5
_KEPT = 16
"""How many runs stay open; a comparison has up to twelve."""


class RunEntry(NamedTuple):
    """A run in the list: finished, unfinished or broken, and then why."""

    key: str
    folder: Path
    state: str
    reason: str = ""
    manifest: dict[str, Any] | None = None
    digest: str = ""

    def broken(self, reason: str) -> RunEntry:
        """The same run as one that cannot be shown, for this reason if there was none before."""
        return self if self.manifest is None else self._replace(state="broken", reason=reason, manifest=None)

    @property
    def kind(self) -> str:
        """Tracker, user or judge."""
        return str(self.manifest["kind"]) if self.manifest else ""

    @property
    def headline(self) -> str:
        """The first thing to read about it."""
        return kind_of(self.manifest).headline(self.manifest).text if self.manifest else ""

    @property
    def value(self) -> float:
        """The headline as a number to sort by."""
        found = kind_of(self.manifest).headline(self.manifest).value if self.manifest else None
        return -1.0 if found is None else found

    @property
    def size(self) -> int:
        """How many rows it has, as the manifest tells."""
        counts = (self.manifest or {}).get("counts") or {}
        found = counts.get("dialogues", counts.get("cases", 0))
        return found if isinstance(found, int) else 0

    @property
    def inputs(self) -> str:
        """The names of its files."""
        inputs = (self.manifest or {}).get("inputs") or ()
        return ", ".join(str(each.get("name")) for each in inputs if isinstance(each, dict))


class RunFolder:
    """All runs below a folder.

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
        self._lock = Lock()

    def entries(self) -> list[RunEntry]:
        """All runs of the moment, by name."""
        return sorted((_entry(key, folder) for key, folder in self._folders()), key=lambda each: each.key)

    def _folders(self) -> Iterator[tuple[str, Path]]:
        for place, folders, files in os.walk(self.root):
            folder = Path(place)
            parts = folder.relative_to(self.root).parts
            if "run.json" in files or "parts" in folders:
                folders.clear()
                # A folder may be listed through os.walk only if it is real, but its run.json may be a link out.
                if folder.resolve().is_relative_to(self.root):
                    yield "/".join(parts) or self.root.name, folder
            elif len(parts) >= _DEEPEST:
                folders.clear()
            folders[:] = sorted(each for each in folders if not each.startswith("."))

    def entry(self, key: str) -> RunEntry | None:
        """The run of that name, if it is in the list."""
        return next((each for each in self.entries() if each.key == key), None)

    def open(self, key: str) -> Opened:
        """Opens a run that is in the list; the last few stay open.

        Raises:
            DialmeterError: no such run, or it cannot be read.
        """
        entry = self.entry(key)
        if entry is None:
            raise DialmeterError(f"no run {key!r} here")
        if entry.manifest is None:
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


def _entry(key: str, folder: Path) -> RunEntry:
    files = [file_of_run(folder, name) for name in ("run.json", "rows.jsonl", "index.npz")]
    if any(file.is_symlink() for file in files):
        return RunEntry(key, folder, "broken", "its files are links, which are not followed")
    if not files[0].exists():
        return RunEntry(key, folder, "unfinished", "not finished: go on with --resume")
    try:
        run = open_run(folder)
        kind_of(run.manifest)
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            return RunEntry(key, folder, "broken", f"{' and '.join(missing)} missing")
        return RunEntry(key, folder, "finished", manifest=run.manifest, digest=run.digest)
    except (DialmeterError, OSError) as error:
        return RunEntry(key, folder, "broken", str(error).replace(f"{folder}{os.sep}", ""))
