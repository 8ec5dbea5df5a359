"""A store for scores of judges on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..core.output import RecordLog


class ScoreStore:
    """Stores scores by judge and item in a folder. It has one file per judge and one line per batch.

    Args:
        folder: the folder of the files; it is created with the first batch.

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
            InputError: the file is not a file of scores.
        """
        return {item: score for batch in self._log(identity).read() for item, score in batch.items()}

    def add(self, identity: str, scores: Mapping[str, float]) -> None:
        """Append the scores of one batch.

        Raises:
            DialmeterError: the file cannot be written.
        """
        self._log(identity).append(dict(scores))
