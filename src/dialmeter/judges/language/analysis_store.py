"""Analyses on disk between runs: one SQLite file per analyser and version, so that several processes may share it."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from .analysis import Analysis

_LAYOUT = 1
_MANY = 500
_PATIENCE = 60.0
"""Seconds to wait for others who write."""
_decode = msgspec.msgpack.Decoder(Analysis).decode
_encode = msgspec.msgpack.Encoder().encode


class Store:
    """Analyses by utterance. A store that cannot be opened, or is damaged, is no store: everything is analysed anew.

    Args:
        folder: where the file lies; None for a store that keeps nothing.
        analyser: name and version of what makes the analyses.
    """

    def __init__(self, folder: Path | None, analyser: str) -> None:
        self._file: sqlite3.Connection | None = None
        if folder is None:
            return
        safe = re.sub(r"[^\w.-]", "_", analyser)
        path = folder / f"analyses-{_LAYOUT}-{safe}.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = _opened(path)
        except sqlite3.OperationalError:
            # It is locked for long, or cannot be opened; others may use it.
            self._file = None
        except sqlite3.DatabaseError:
            # A damaged file holds nothing that cannot be made again.
            with suppress(OSError, sqlite3.DatabaseError):
                path.unlink(missing_ok=True)
                self._file = _opened(path)
        except OSError:
            self._file = None

    def get(self, texts: Iterable[str]) -> dict[str, Analysis]:
        """What is known of these utterances."""
        if self._file is None:
            return {}
        try:
            return self._found(texts, self._file)
        except sqlite3.DatabaseError:
            return {}

    def _found(self, texts: Iterable[str], file: sqlite3.Connection) -> dict[str, Analysis]:
        keys = {_key(text): text for text in texts}
        listed = list(keys)
        found: dict[str, Analysis] = {}
        for first in range(0, len(listed), _MANY):
            some = listed[first : first + _MANY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, value FROM analyses WHERE key IN ({marks})"  # noqa: S608  marks only
            for key, value in file.execute(query, some):
                try:
                    found[keys[key]] = _decode(value)
                except msgspec.DecodeError:
                    continue
        return found

    def put(self, analyses: Mapping[str, Analysis]) -> None:
        """Keeps analyses; another process may have kept the same ones. What cannot be kept is made again some time."""
        if self._file is not None:
            rows = [(_key(text), _encode(each)) for text, each in analyses.items()]
            with suppress(sqlite3.DatabaseError), self._file:
                self._file.executemany("INSERT OR REPLACE INTO analyses VALUES (?, ?)", rows)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _opened(path: Path) -> sqlite3.Connection:
    # Threads of a worker take turns at it; see AttackWork.
    file = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    try:
        file.execute("CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
    except sqlite3.DatabaseError:
        file.close()
        raise
    return file


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
