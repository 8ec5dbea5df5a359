"""The analysis of one utterance: tokens with tags and lemmas, entities, noun chunks. All analysers return this type.

Analyses can be stored on disk: one SQLite file per analyser and version. Several processes may share it.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct


class Token(Struct, frozen=True, array_like=True, gc=False):
    """One token. Tags are those of the Penn Treebank; parts of speech and relations are those of the pipeline. Unknown ones are empty.

    Attributes:
        text: its text in the utterance.
        start: the position of its first character.
        pos: ``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ...
        tag: ``NNS``, ``VBD``, ...
        lemma: in lower case, except ``I``.
        dep: its relation to the head.
        head: the index of the head in the utterance; its own index for a root, -1 if the head is unknown.
    """

    text: str
    start: int
    pos: str = ""
    tag: str = ""
    lemma: str = ""
    dep: str = ""
    head: int = -1

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.text)


class TextSpan(Struct, frozen=True, array_like=True, gc=False):
    """A span of characters with a label: the type of an entity, or the start of the head token of a noun chunk."""

    start: int
    end: int
    label: str = ""

    def of(self, text: str) -> str:
        """The text of the span.

        Example:
            >>> TextSpan(3, 6).of("an ace")
            'ace'
        """
        return text[self.start : self.end]


class Analysis(Struct, frozen=True, array_like=True):
    """The analysis of one utterance."""

    tokens: tuple[Token, ...]
    entities: tuple[TextSpan, ...] = ()
    chunks: tuple[TextSpan, ...] = ()
    sentences: tuple[TextSpan, ...] = ()

    def within(self, span: TextSpan) -> tuple[Token, ...]:
        """The tokens within a span.

        Example:
            >>> analysis = Analysis((Token("a", 0), Token("big", 2), Token("dog", 6)))
            >>> [token.text for token in analysis.within(TextSpan(2, 9))]
            ['big', 'dog']
        """
        return tuple(token for token in self.tokens if token.start >= span.start and token.end <= span.end)


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
