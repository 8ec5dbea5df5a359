"""A store for analyses on disk: one SQLite file per analyser and version. Several processes may share it."""

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
_KEYS_PER_QUERY = 500
_PATIENCE = 60.0
"""Seconds to wait while other processes write."""
_decode = msgspec.msgpack.Decoder(Analysis).decode
_encode = msgspec.msgpack.Encoder().encode


class AnalysisStore:
    """Stores analyses by utterance. If the file cannot be opened or is damaged, everything is analysed again.

    Args:
        folder: the folder of the file; None to store nothing.
        analyser: the name and version of the analyser.
    """

    def __init__(self, folder: Path | None, analyser: str) -> None:
        self._file: sqlite3.Connection | None = None
        if folder is None:
            return
        safe = re.sub(r"[^\w.-]", "_", analyser)
        path = folder / f"analyses-{_LAYOUT}-{safe}.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = _open(path)
        except sqlite3.OperationalError:
            # The file is locked, or cannot be opened. Another process may use it, so it is not deleted.
            self._file = None
        except sqlite3.DatabaseError:
            # A damaged file can be deleted, because all analyses can be computed again.
            with suppress(OSError, sqlite3.DatabaseError):
                path.unlink(missing_ok=True)
                self._file = _open(path)
        except OSError:
            self._file = None

    def get(self, texts: Iterable[str]) -> dict[str, Analysis]:
        """The stored analyses of these utterances."""
        if self._file is None:
            return {}
        try:
            return self._select(texts, self._file)
        except sqlite3.DatabaseError:
            return {}

    def _select(self, texts: Iterable[str], file: sqlite3.Connection) -> dict[str, Analysis]:
        by_key = {_key(text): text for text in texts}
        keys = list(by_key)
        analyses: dict[str, Analysis] = {}
        for first in range(0, len(keys), _KEYS_PER_QUERY):
            batch = keys[first : first + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(batch))
            query = f"SELECT key, value FROM analyses WHERE key IN ({marks})"  # noqa: S608  question marks only
            for key, value in file.execute(query, batch):
                with suppress(msgspec.DecodeError):
                    analyses[by_key[key]] = _decode(value)
        return analyses

    def put(self, analyses: Mapping[str, Analysis]) -> None:
        """Add analyses. Another process may have added the same ones. Errors are ignored, because analyses can be computed again."""
        if self._file is not None:
            rows = [(_key(text), _encode(each)) for text, each in analyses.items()]
            with suppress(sqlite3.DatabaseError), self._file:
                self._file.executemany("INSERT OR REPLACE INTO analyses VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _open(path: Path) -> sqlite3.Connection:
    # Only one thread of a worker uses the connection at a time; see AttackWork.
    file = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    try:
        file.execute("CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
    except sqlite3.DatabaseError:
        file.close()
        raise
    return file


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
