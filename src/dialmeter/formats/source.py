"""Opening input: plain, .gz, .zst, standard input, folders; what a file looks like before its format is known."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn, cast

import msgspec

from ..errors import InputError
from ..model import Notice, Schema

LINE_LIMIT = 64 * 1024 * 1024
"""A longer line is an error: nothing that is one dialogue is that long."""

_HEAD = 1 << 16
_MARK = b"\xef\xbb\xbf"
"""The mark that some editors put before UTF-8."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Sample(NamedTuple):
    """What detection sees: a parsed document, the first of many JSON lines (of lists: "lists"), plain text, or a folder."""

    kind: Literal["document", "lines", "lists", "text", "folder"]
    value: Any


class Source:
    """One input, opened once; what detection has read of it is kept and handed on.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        tracker: whose predictions are read, in a file that holds several trackers' by name.
        span: read only the lines that begin between these two bytes of a plain file.
    """

    def __init__(self, path: str | Path, tracker: str = "", span: tuple[int, int] | None = None) -> None:
        self.path = str(path)
        self.tracker = tracker
        self.span = span
        self.name = "standard input" if self.path == "-" else self.path
        self._front: list[bytes] = []
        self._raw: BinaryIO | None = None
        self.doubled: list[Doubled] = []
        self.notices: list[Notice] = []
        self.schema: Schema | None = None

    @property
    def is_folder(self) -> bool:
        return self.path != "-" and Path(self.path).is_dir()

    @cached_property
    def _stream(self) -> BinaryIO:
        if self.path == "-":
            raw: Any = sys.stdin.buffer
        else:
            try:
                raw = self._raw = open(self.path, "rb")  # noqa: SIM115  closed by read_all and by lines
            except OSError as error:
                raise InputError(f"cannot be opened: {error.strerror or error}", file=self.name) from None
        with self._readable():
            magic = raw.peek(4)[:4]
        if magic[:2] == b"\x1f\x8b":
            return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        if magic == b"\x28\xb5\x2f\xfd":
            return cast(BinaryIO, zstd_module().ZstdFile(raw))
        return cast(BinaryIO, raw)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile, _zstd_error()) as error:
            raise InputError(f"the compressed file is damaged or cut off ({error})", file=self.name) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=self.name) from None

    @property
    def share_read(self) -> float | None:
        """How much of the file has been read, in bytes as they are stored; None where that is not known."""
        if self._raw is None or self._raw.closed:
            return None
        return self._raw.tell() / max(1, os.fstat(self._raw.fileno()).st_size)

    def _readline(self) -> bytes:
        with self._readable():
            return self._stream.readline(LINE_LIMIT + 1)

    def close(self) -> None:
        """Closes the file; standard input stays open."""
        if self._raw is not None and not self._raw.closed:
            self._stream.close()
            self._raw.close()

    def __del__(self) -> None:
        # A file that was looked at and then not read, because something else was wrong, is closed all the same.
        self.close()

    def read_all(self) -> bytes:
        """Everything in the file."""
        with self._readable():
            data = b"".join(self._front) + self._stream.read()
        self._front.clear()
        self.close()
        return data

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that are not blank, streamed. In a span they are numbered from its beginning.

        Raises:
            InputError: a line over the limit.
        """
        front, self._front = self._front, []
        with self._readable():
            read = self._line_reader()
            for number, line in enumerate(chain(front, iter(read, b"")), 1):
                if len(line) > LINE_LIMIT:
                    raise self._too_long(number)
                if not line.isspace():
                    yield number, line.removeprefix(_MARK) if number == 1 else line
        self.close()

    def _line_reader(self) -> Callable[[], bytes]:
        """Gives the next line, and nothing at the end of the file or of the span."""
        stream = self._stream
        if self.span is None:
            return partial(stream.readline, LINE_LIMIT + 1)
        start, end = self.span
        if start:
            # The line that holds the byte before belongs to the span before, unless that byte ends it.
            stream.seek(start - 1)
            stream.readline()
        return lambda: stream.readline(LINE_LIMIT + 1) if stream.tell() < end else b""

    def lines_before(self) -> int:
        """How many lines of the file stand before the span."""
        if self.span is None:
            return 0
        with self._readable(), open(self.path, "rb") as file:
            left, count, last = self.span[0], 0, b"\n"
            while left > 0 and (block := file.read(min(left, _HEAD))):
                count += block.count(b"\n")
                left -= len(block)
                last = block[-1:]
        return count + (last != b"\n")

    def placed(self, error: InputError) -> InputError:
        """The error with the file's name, and its line counted from the beginning of the file."""
        if self.span is not None and error.line is not None:
            error.line += self.lines_before()
        return error.at(file=self.name)

    def _too_long(self, line: int) -> InputError:
        limit = f"a line of over {LINE_LIMIT // 1024**2} MB; one JSON object per line is expected"
        return InputError(limit, file=self.name, line=line)

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON document."""
        return parse_document(self.read_all(), self.name, self.doubled)

    @cached_property
    def text(self) -> str:
        """The whole file as text."""
        try:
            return self.read_all().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 text (byte {error.start})", file=self.name) from None

    @cached_property
    def sample(self) -> Sample:
        """What the input looks like.

        Raises:
            InputError: empty, binary, or JSON that cannot be parsed.
        """
        if self.is_folder:
            return Sample("folder", Path(self.path))
        line = self._peek_line()
        if not line:
            raise InputError("the file is empty", file=self.name)
        if len(line) > LINE_LIMIT and b'"dialogue_id"' in line[:_HEAD]:
            raise self._too_long(1)
        if b"\x00" in line[:_HEAD]:
            raise InputError("a binary file; JSON, JSON lines or text is expected", file=self.name)
        line = line.removeprefix(_MARK)
        if line.lstrip()[:1] not in (b"{", b"["):
            return Sample("text", line.decode("utf-8", "replace"))
        try:
            first = msgspec.json.decode(line) if len(line) <= LINE_LIMIT else None
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            first = None
        if isinstance(first, dict) and ("dialogue_id" in first or self._peek_line()):
            return Sample("lines", first)
        if isinstance(first, list):
            # The only line is the document. A reader that wants it checked for doubled keys asks for `document`.
            return Sample("lists" if self._peek_line() else "document", first)
        return Sample("document", self.document)

    def _peek_line(self) -> bytes:
        """The next line that is not blank, which stays in the source; empty at the end."""
        line = b"\n"
        while line.removeprefix(_MARK).isspace():
            line = self._readline()
            self._front.append(line)
        return line


def zstd_module() -> Any:
    """The standard library's zstd, or its backport below Python 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _zstd_error() -> type[Exception]:
    """The error of the zstd module where one is loaded; the module is loaded only for files that need it."""
    loaded = sys.modules.get("compression.zstd") or sys.modules.get("backports.zstd")
    return cast(type[Exception], loaded.ZstdError) if loaded else EOFError


class Doubled(dict[str, Any]):
    """A JSON object in which a key stands twice. Readers refuse it by name of dialogue and turn."""

    twice: str


def parse_document(data: bytes, name: str | None, doubled: list[Doubled], line: int | None = None) -> Any:
    """One JSON document, strictly; objects with a key that stands twice are put into ``doubled``.

    Args:
        data: the bytes.
        name: of the file, for messages; None where the caller adds it.
        doubled: takes the objects with a doubled key.
        line: where the document stands in a file of several.

    Raises:
        InputError: with line and column, and the guess that the file is cut off where its end was reached.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) == len(pairs):
            return mapping
        marked = Doubled(pairs)
        marked.twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        doubled.append(marked)
        return marked

    if not data.strip():
        raise InputError("the file is empty", file=name)
    try:
        found = json.loads(data, object_pairs_hook=unique, parse_constant=_refuse)
        if _SURROGATE.search(data):
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(error.doc.rstrip()) - 1 or error.msg.startswith("Unterminated string")
        cut = "; the file seems to be cut off" if at_end else ""
        message = f"not valid JSON: {error.msg} (column {error.colno}){cut}"
        raise InputError(message, file=name, line=line or error.lineno) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", file=name, line=line) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise InputError(
            f"{half} is half of a character and stands without the other half", file=name, line=line
        ) from None
    except RecursionError:
        raise InputError("JSON nested too deeply", file=name) from None
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}", file=name, line=line) from None


def _refuse(word: str) -> NoReturn:
    raise json.JSONDecodeError(f"{word} is not a JSON value", word, 0)
