"""Scores on disk, per judge and item, so that nothing is asked twice and a kill loses at most one batch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from ..core.output import append_line, whole_lines
from ..errors import InputError
from ..readers.strict_json import parse_as


class ScoreStore:
    """A folder with one file per judge; each line of a file is one batch, written whole or not at all.

    Args:
        folder: where the files are; made with the first batch.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ScoreStore(folder).add("length", {"a1": 3.0, "b2": 4.0})
        ...     ScoreStore(folder).scores("length")
        {'a1': 3.0, 'b2': 4.0}
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def _file(self, identity: str) -> Path:
        return self.folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.jsonl"

    def scores(self, identity: str) -> dict[str, float]:
        """All scores of a judge, by item. A line that was cut off by a kill is not read.

        Raises:
            InputError: the file holds something else.
        """
        path = self._file(identity)
        found: dict[str, float] = {}
        for number, line in enumerate(whole_lines(path)[1:], 2):
            found.update(parse_as(line, dict[str, float], str(path), number, what="a line of scores"))
        return found

    def add(self, identity: str, scores: Mapping[str, float]) -> None:
        """Takes one batch; it is on the disk when this returns.

        Raises:
            DialmeterError: the folder cannot be written to.
        """
        head = msgspec.json.encode({"judge": identity}) + b"\n"
        append_line(self._file(identity), msgspec.json.encode(dict(scores)) + b"\n", head)


class Answer(Struct, frozen=True):
    """What was asked (as a digest), what came back, and the number in it."""

    key: str
    text: str
    score: float


class Answers:
    """A file of answers that grows line by line; a damaged line is skipped.

    Args:
        folder: where the file is; without it answers are kept in memory alone.
    """

    def __init__(self, folder: str = "") -> None:
        self._path = Path(folder) / "answers.jsonl" if folder else None
        self._known: dict[str, Answer] = {}
        self._lock = Lock()
        if self._path:
            for number, line in enumerate(whole_lines(self._path), 1):
                # What is damaged is asked again.
                with suppress(InputError):
                    answer = parse_as(line, Answer, str(self._path), number, what="an answer")
                    self._known[answer.key] = answer

    def get(self, key: str) -> Answer | None:
        """The answer to what was asked, if it is known."""
        return self._known.get(key)

    def add(self, answer: Answer) -> None:
        """Keeps an answer.

        Raises:
            DialmeterError: the folder cannot be written to.
        """
        with self._lock:
            self._known[answer.key] = answer
            if self._path is not None:
                append_line(self._path, msgspec.json.encode(answer) + b"\n")
