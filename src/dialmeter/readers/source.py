"""Opening input: plain, .gz, .zst, standard input, folders; what a file looks like before its format is known."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial, wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeVar, cast

from ..errors import InputError
from ..model import Notice, Schema
from .archive import MAGIC, Archive
from .first_items import first_items
from .not_known import binary_file
from .raw_file import STDIN, RawFile, open_raw
from .strict_json import REFUSALS, Doubled, JsonParts, decode_json, duplicate_key, kind_of, parse_json, parse_unique

if TYPE_CHECKING:
    from .pairs.state_layouts import StateLayout
    from .pairs.vocabulary import Vocabulary

Thing = TypeVar("Thing")
LINE_LIMIT = 64 * 1024 * 1024
"""A longer line is an error: nothing that is one dialogue is that long."""

PARQUET = b"PAR1"
"""How a Parquet file begins."""
_HEAD = 1 << 16
_MARK = b"\xef\xbb\xbf"
"""The mark that some editors put before UTF-8."""
_BLANK_LINE = 1024
"""A blank line counts as so many blanks."""
_LINE_KEYS = ("dialogue_id", "turns")
"""Keys of a dialogue on one line; a document has dialogues for keys."""


class Sample(NamedTuple):
    """What detection sees of a file: the first items of a document, the first of many JSON lines (of lists: "lists"), the
    first line of a text, a folder, or the names of the files in a ZIP archive."""

    kind: Literal["document", "lines", "lists", "text", "folder", "archive", "parquet"]
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
        self.name = "standard input" if self.path == STDIN else self.path
        self._front: list[bytes] = []
        self._whole: bytes | None = None
        self.doubled: list[Doubled] = []
        self.notices: list[Notice] = []
        self.schema: Schema | None = None
        self.vocabulary: Vocabulary | None = None
        """What numbers the pairs of a file whose reader does that itself."""
        self.part = self.name
        """The file of a folder that is being read."""
        self.line: int | None = None
        """The line of the dialogue that was read last, in a file of lines."""
        self.states: StateLayout | None = None
        """How the file writes states, where its format has several ways."""
        self.fields: dict[str, str] = {}
        """Names of columns that the user gave."""

    @property
    def is_folder(self) -> bool:
        return self.path != STDIN and Path(self.path).is_dir()

    @cached_property
    def _raw(self) -> RawFile:
        with self._readable():
            return open_raw(self.path, self.name)

    @property
    def _stream(self) -> BinaryIO:
        return self._raw.stream

    @property
    def _file(self) -> BinaryIO | None:
        """The file where it is open; None before, for standard input, and when it is closed."""
        file = self._raw.file if "_raw" in self.__dict__ else None
        return None if file is None or file.closed else file

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
        if self._file is None or not self._file.seekable():
            return None
        return self._file.tell() / max(1, os.fstat(self._file.fileno()).st_size)

    def close(self) -> None:
        """Closes the file; standard input stays open."""
        if (file := self._file) is not None:
            self._stream.close()
            file.close()

    def __del__(self) -> None:
        # A file that was looked at and then not read, because something else was wrong, is closed all the same.
        self.close()

    def read_all(self) -> bytes:
        """Everything in the file."""
        if self._whole is not None:
            data, self._whole = self._whole, None
            return data
        with self._readable():
            if self._can_rewind:
                # Nothing is put together, so that the file is in memory once.
                self._stream.seek(0)
                data = self._stream.read()
            else:
                data = b"".join([*self._front, self._stream.read()])
        self._front.clear()
        self.close()
        return data.removeprefix(_MARK)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that are not blank, streamed. In a span they are numbered from its beginning.

        Raises:
            InputError: a line over the limit, or too many blank ones in a row.
        """
        front, self._front = self._front, []
        with self._readable():
            read = self._line_reader()
            filled = 0
            for number, line in enumerate(chain(front, iter(read, b"")), 1):
                if len(line) > LINE_LIMIT:
                    raise self._too_long(number)
                if not line.isspace():
                    filled = number
                    yield number, line.removeprefix(_MARK) if number == 1 else line
                else:
                    self._check_blank_lines(number - filled)
        self.close()

    def _check_blank_lines(self, count: int) -> None:
        # Blank lines take longer to read than blanks do.
        self._raw.budget.check_blanks(count * _BLANK_LINE)

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
        """How many lines of the file are before the span."""
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

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Adds the place in the file to errors, and closes the file when all is read or something is wrong."""
        try:
            yield
        except InputError as error:
            raise self.placed(error) from None
        finally:
            self.close()

    def _too_long(self, line: int) -> InputError:
        limit = f"a line of over {LINE_LIMIT // 1024**2} MB; one JSON object per line is expected"
        return InputError(limit, file=self.name, line=line)

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON document.

        Raises:
            InputError: not valid JSON, or a duplicate key in any object.
        """
        return parse_unique(self.read_all(), self.name)

    def members(self) -> Iterator[tuple[str, Any]]:
        """The members of the document, which must be an object, parsed one at a time.

        Raises:
            InputError: it is no object, or not valid JSON.
        """
        parts = self.parts("an object")
        for place, key in enumerate(parts.keys or ()):
            yield key, parts.parse(place)
        parts.finish()

    def elements(self) -> Iterator[Any]:
        """The elements of the document, which must be a list, parsed one at a time.

        Raises:
            InputError: it is no list, or not valid JSON.
        """
        parts = self.parts("a list")
        for place in range(len(parts)):
            yield parts.parse(place)
        parts.finish()

    def parts(self, kind: Literal["an object", "a list"]) -> JsonParts:
        """The members or elements of the document, to be parsed one at a time.

        Raises:
            InputError: it is something else, or not valid JSON.
        """
        parts = JsonParts(self.read_all(), self.name, self.doubled)
        found = kind_of(parts.whole) if parts.whole is not None else "a list" if parts.keys is None else "an object"
        if found != kind:
            raise InputError(f"the file must be {kind}, found {found}", file=self.name)
        return parts

    def check_keys(self) -> None:
        """Raises InputError where an object of the document, as far as it was parsed, has a duplicate key."""
        if self.doubled:
            raise duplicate_key(self.doubled[0])

    @cached_property
    def text(self) -> str:
        """The whole file as text."""
        try:
            return self.read_all().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8 text (byte {error.start}); save it as UTF-8", file=self.name) from None

    @cached_property
    def sample(self) -> Sample:
        """What the input looks like.

        Raises:
            InputError: empty, binary, or JSON that cannot be parsed.
        """
        if self.is_folder:
            return Sample("folder", Path(self.path))
        with self._readable():
            # What is looked at stays in the stream's own buffer.
            is_archive = not self._front and cast(io.BufferedReader, self._stream).peek(4)[:4] == MAGIC
        if is_archive:
            self._whole = self.read_all()
            return Sample("archive", Archive(self._whole, self.name).names)
        if self._begins_with_long_line():
            items = self._first_items()
            if not isinstance(items, dict) or items.keys().isdisjoint(_LINE_KEYS):
                return Sample("document", items)
        line = self._peek_line()
        if not line:
            raise InputError("the file is empty", file=self.name)
        if len(line) > LINE_LIMIT and b'"dialogue_id"' in line[:_HEAD]:
            raise self._too_long(1)
        if line.startswith(PARQUET):
            return Sample("parquet", None)
        if b"\x00" in line[:_HEAD]:
            raise InputError(binary_file(line), file=self.name)
        line = line.removeprefix(_MARK)
        if line.lstrip()[:1] not in (b"{", b"["):
            return Sample("text", line.decode("utf-8", "replace"))
        several = bool(self._peek_line())
        if several or len(line) <= _HEAD:
            first = _decoded(line)
            if isinstance(first, dict):
                return Sample("lines" if several or "dialogue_id" in first else "document", first)
            if isinstance(first, list):
                return Sample("lists" if several else "document", first)
        items = self._first_items()
        if isinstance(items, dict) and not several and not items.keys().isdisjoint(_LINE_KEYS):
            return Sample("lines", _decoded(line) or items)
        return Sample("document", items)

    def _first_items(self) -> Any:
        """The first items of a document: those in its head, at least one; all of a document that is damaged there."""
        size = _HEAD
        while True:
            head = self._peek(size)
            items, is_sound = first_items(head.decode("utf-8-sig", "ignore"))
            if items and (is_sound or len(head) == size):
                return items
            if len(head) < size:
                # An empty document, or one that is damaged: what is wrong with it is said by parsing it.
                self._whole = self.read_all()
                return parse_json(self._whole, self.name, [])
            size *= 8

    @property
    def _can_rewind(self) -> bool:
        """Can the file be read from the beginning once more? Standard input and pipes cannot; a packed file costs too much."""
        return self._raw.is_plain and self._file is not None

    def _begins_with_long_line(self) -> bool:
        """Is a document likely that has no line breaks? Such a line is not read before its format is known."""
        head = self._peek(_HEAD) if self._can_rewind else b""
        return len(head) == _HEAD and head.removeprefix(_MARK)[:1] in (b"{", b"[") and b"\n" not in head

    def _peek(self, size: int) -> bytes:
        """The first bytes of the file, which stay in the source."""
        if self._can_rewind and not self._front:
            with self._readable():
                head = self._stream.read(size)
                self._stream.seek(0)
            return head
        known = sum(map(len, self._front))
        if known < size:
            with self._readable():
                self._front.append(self._stream.read(size - known))
        return b"".join(self._front)[:size]

    def _peek_line(self) -> bytes:
        """The next line that is not blank, which stays in the source; empty at the end."""
        line = b"\n"
        count = 0
        with self._readable():
            while line.removeprefix(_MARK).isspace():
                line = self._stream.readline(LINE_LIMIT + 1)
                count += 1
                self._check_blank_lines(count)
                if line:
                    self._front.append(line)
        return line


def read_when_changed(read: Callable[[str], Thing]) -> Callable[[str], Thing]:
    """A function that reads files, made so that a file that was read before is read again only if it has changed."""

    @lru_cache(16)
    def read_once(path: str, changed: int, size: int) -> Thing:
        return read(path)

    @wraps(read)
    def read_or_remember(path: str) -> Thing:
        if not Path(path).is_file():
            return read(path)
        found = os.stat(path)
        return read_once(path, found.st_mtime_ns, found.st_size)

    return read_or_remember


def _zstd_error() -> type[Exception]:
    """The error of the zstd module where one is loaded; the module is loaded only for files that need it."""
    loaded = sys.modules.get("compression.zstd") or sys.modules.get("backports.zstd")
    return cast(type[Exception], loaded.ZstdError) if loaded else EOFError


def _decoded(line: bytes) -> Any:
    """A line as JSON; None where it is none, or too long to be one of many."""
    try:
        return decode_json(line) if len(line) <= LINE_LIMIT else None
    except REFUSALS:
        return None
