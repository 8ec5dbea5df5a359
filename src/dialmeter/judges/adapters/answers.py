"""The answers of a language model on disk, so that nothing is paid for twice."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from ...core.output import append_line, whole_lines
from ...errors import InputError
from ...readers.strict_json import parse_as


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
