"""Append-only files of records: scores of judges, answers of chat endpoints, and parts of an unfinished run of attacks.

Each line is one record. It is written whole or not at all, and it is on disk when ``append`` returns, so that a kill loses at most
the record that was being written. Several processes may append to the same file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from ..core.output import append_line, whole_lines
from ..errors import InputError
from ..readers.strict_json import parse_as

Record = TypeVar("Record")


class RecordLog(Generic[Record]):
    """A file of JSON lines that only grows.

    Args:
        path: the file; it is created with the first record.
        kind: the type of a record.
        what: how error messages call a record.
        head: the first line of the file, with its end; empty for none.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = RecordLog(Path(folder, "log.jsonl"), list[int], "a list")
        ...     log.append([1, 2])
        ...     list(log.read())
        [[1, 2]]
    """

    def __init__(self, path: Path, kind: type[Record], what: str, head: bytes = b"") -> None:
        self.path = path
        self.head = head
        self._kind = kind
        self._what = what

    def read(self, *, skip_damaged: bool = False) -> Iterator[Record]:
        """The records. A last line that was cut off by a kill is not read.

        Raises:
            InputError: a line is not a record, and damaged lines are not skipped.
        """
        first = 1 if self.head else 0
        for number, line in enumerate(whole_lines(self.path)[first:], first + 1):
            try:
                yield parse_as(line, self._kind, str(self.path), number, what=self._what)
            except InputError:
                if not skip_damaged:
                    raise

    def append(self, record: Record, *, name: object = None, resumable: bool = False) -> None:
        """Adds a record; for ``name`` and ``resumable`` see :func:`~dialmeter.core.output.append_line`.

        Raises:
            DialmeterError: the file cannot be written.
        """
        append_line(self.path, msgspec.json.encode(record) + b"\n", self.head, name=name, resumable=resumable)


class ScoreStore:
    """Scores per judge and item: a folder with one file per judge, and one line per batch.

    Args:
        folder: where the files are; it is created with the first batch.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ScoreStore(folder).add("length", {"a1": 3.0, "b2": 4.0})
        ...     ScoreStore(folder).scores("length")
        {'a1': 3.0, 'b2': 4.0}
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def _log(self, identity: str) -> RecordLog[dict[str, float]]:
        path = self.folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.jsonl"
        head = msgspec.json.encode({"judge": identity}) + b"\n"
        return RecordLog(path, dict[str, float], "a line of scores", head)

    def scores(self, identity: str) -> dict[str, float]:
        """All scores of a judge, by item.

        Raises:
            InputError: the file holds something else.
        """
        return {item: score for batch in self._log(identity).read() for item, score in batch.items()}

    def add(self, identity: str, scores: Mapping[str, float]) -> None:
        """Adds the scores of one batch.

        Raises:
            DialmeterError: the folder cannot be written to.
        """
        self._log(identity).append(dict(scores))


class ChatAnswer(Struct, frozen=True):
    """One answer of a chat endpoint: a digest of the request, the text, and the number in it."""

    key: str
    text: str
    score: float


class AnswerStore:
    """Answers of a chat endpoint, so that no request is paid for twice. A damaged line is skipped, and its request sent again.

    Args:
        folder: where the file is; without it answers are kept in memory only.
    """

    def __init__(self, folder: str = "") -> None:
        self._log = RecordLog(Path(folder) / "answers.jsonl", ChatAnswer, "an answer") if folder else None
        self._known = {each.key: each for each in self._log.read(skip_damaged=True)} if self._log else {}
        self._lock = Lock()

    def get(self, key: str) -> ChatAnswer | None:
        """The answer to a request, if it is known."""
        return self._known.get(key)

    def add(self, answer: ChatAnswer) -> None:
        """Adds an answer.

        Raises:
            DialmeterError: the folder cannot be written to.
        """
        with self._lock:
            self._known[answer.key] = answer
            if self._log is not None:
                self._log.append(answer)
