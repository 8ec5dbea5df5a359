"""Input sources (plain files, .gz, .zst, standard input, folders), their spans, and their samples for format detection."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial, wraps
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeVar, cast

from msgspec import Struct

from ..errors import InputError, reading
from ..garbage import paused_garbage_collection
from ..model import Notice, Schema
from .containers import ARROW, PARQUET, SQLITE, Sheets, arrow_rows, database_tables, workbook_tables
from .raw_file import MAGIC, STDIN, Archive, RawFile, open_raw
from .remote import address_of
from .strict_json import (
    REFUSALS,
    DuplicateKey,
    JsonParts,
    decode_json,
    duplicate_key,
    kind_of,
    parse_json,
    parse_unique,
)
from .unrecognised_input import PICKLES, binary_file, is_windows_1252, not_utf8
from .validation import Role

if TYPE_CHECKING:
    from .pairs.state_layouts import StateLayout
    from .pairs.vocabulary import Vocabulary

Content = TypeVar("Content")
LINE_LIMIT = 64 * 1024 * 1024
"""Maximum length of a line in bytes. A longer line is an error, because no dialogue is that long."""

_HEAD = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""The UTF-8 byte order mark."""
_BLANK_LINE = 1024
"""Number of blank characters that a blank line counts as."""
_LINE_KEYS = ("dialogue_id", "turns")
"""Keys of a dialogue in a JSON lines file. The keys of a document are dialogue ids."""


class Sample(NamedTuple):
    """The part of an input that format detection sees.

    The value depends on the kind: the first items of a document, the first rows of a Parquet file, the first line of a JSON lines
    file (kind "lists" if that line is a list), the first line of a text, the path of a folder, the file names in a ZIP archive,
    or the tables of a workbook or a database, by name.
    """

    kind: Literal["document", "lines", "lists", "text", "folder", "archive", "parquet", "tables"]
    value: Any
    more: Sequence[Any] = ()
    """The objects in the next lines of a JSON lines file, as far as they are short."""


class Source:
    """One input, opened once. Bytes read for format detection are buffered for the reader.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        tracker: the tracker whose predictions are read, if the file holds several named trackers.
        span: read only the lines that begin between these two byte offsets of a plain file.
    """

    def __init__(self, path: str | Path, tracker: str = "", span: tuple[int, int] | None = None) -> None:
        self.path = str(path)
        self.tracker = tracker
        self.span = span
        self.name = "standard input" if self.path == STDIN else address_of(self.path)
        self._front: list[bytes] = []
        self._whole: bytes | None = None
        self.doubled: list[DuplicateKey] = []
        self.notices: list[Notice] = []
        self.schema: Schema | None = None
        self.vocabulary: Vocabulary | None = None
        """The vocabulary for readers that number pairs themselves."""
        self.part = self.name
        """The file that is being read, if the source is a folder."""
        self.line: int | None = None
        """The line of the most recently read dialogue, in a JSON lines file."""
        self.states: StateLayout | None = None
        """The state layout of the file, if its format has several layouts."""
        self.has_ids = True
        """False if the file has no ids of dialogues, so that every turn stands alone."""
        self.trackers: tuple[str, ...] = ()
        """The trackers of a file that holds several, if none was chosen."""
        self.gold = ""
        """The path of the gold file, for commands in messages."""
        self.fields: dict[str, str] = {}
        """Column names given by the user."""
        self.asks_about_updates = True
        """False if a rule already says whether states are updates."""
        self.likely_role: Role | None = None
        """What a table with usual names holds if it does not hold both gold and predictions."""

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
        """The open file; None if it is not yet open, already closed, or standard input."""
        file = self._raw.file if "_raw" in self.__dict__ else None
        return None if file is None or file.closed else file

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _damage_errors() as error:
            raise InputError(f"the compressed file is damaged or cut off ({error})", file=self.name) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=self.name) from None

    @property
    def share_read(self) -> float | None:
        """The share of the stored bytes that has been read, from 0 to 1; None if unknown."""
        if self._file is None or not self._file.seekable():
            return None
        return self._file.tell() / max(1, os.fstat(self._file.fileno()).st_size)

    def close(self) -> None:
        """Close the file. Standard input stays open."""
        if (file := self._file) is not None:
            self._stream.close()
            file.close()

    def __del__(self) -> None:
        # A source may be sampled and then never read, because of another error.
        self.close()

    def read_all(self) -> bytes:
        """Return the whole content of the file."""
        if self._whole is not None:
            data, self._whole = self._whole, None
            return data
        with self._readable():
            if self._can_rewind:
                # Read again instead of joining the buffer, to hold the file in memory only once.
                self._stream.seek(0)
                data = self._stream.read()
            else:
                data = b"".join([*self._front, self._stream.read()])
        self._front.clear()
        self.close()
        return data.removeprefix(_BYTE_ORDER_MARK)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers. In a span, numbering begins at the start of the span.

        Raises:
            InputError: a line over the limit, or too many consecutive blank lines.
        """
        front, self._front = self._front, []
        with self._readable():
            read = self._line_reader()
            last_filled = 0
            for number, line in enumerate(chain(front, iter(read, b"")), 1):
                if len(line) > LINE_LIMIT:
                    raise self._too_long(number)
                if not line.isspace():
                    last_filled = number
                    yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
                else:
                    self._check_blank_lines(number - last_filled)
        self.close()

    def _check_blank_lines(self, count: int) -> None:
        # A blank line takes longer to read than a blank character.
        self._raw.budget.check_blanks(count * _BLANK_LINE)

    def _line_reader(self) -> Callable[[], bytes]:
        """Return a function that reads the next line. It returns empty bytes at the end of the file or span."""
        stream = self._stream
        if self.span is None:
            return partial(stream.readline, LINE_LIMIT + 1)
        start, end = self.span
        if start:
            # The line with the previous byte belongs to the previous span, unless that byte is a line break.
            stream.seek(start - 1)
            stream.readline()
        return lambda: stream.readline(LINE_LIMIT + 1) if stream.tell() < end else b""

    def count_lines_before(self) -> int:
        """Return the number of lines before the span."""
        if self.span is None:
            return 0
        with self._readable(), open(self.path, "rb") as file:
            left, count, last = self.span[0], 0, b"\n"
            while left > 0 and (block := file.read(min(left, _HEAD))):
                count += block.count(b"\n")
                left -= len(block)
                last = block[-1:]
        return count + (last != b"\n")

    def add_place(self, error: InputError) -> InputError:
        """Return the error with the file name added, and its line counted from the beginning of the file."""
        if self.span is not None and error.line is not None:
            error.line += self.count_lines_before()
        return error.at(file=self.name)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Context manager that adds the place in the file to errors, and closes the file at the end or on an error."""
        try:
            yield
        except InputError as error:
            raise self.add_place(error) from None
        finally:
            self.close()

    def _too_long(self, line: int) -> InputError:
        message = f"a line longer than {LINE_LIMIT // 1024**2} MB; expected one JSON object per line"
        return InputError(message, file=self.name, line=line)

    @cached_property
    def document(self) -> Any:
        """The whole file, parsed as one JSON document.

        Raises:
            InputError: not valid JSON, or an object with a duplicate key.
        """
        data = self.read_all()
        try:
            return parse_unique(data, self.name)
        except InputError as error:
            if "Extra data" in error.message and data.split(b"\n")[(error.line or 1) - 1][:1] == b"{":
                file = shlex.quote(self.path) if self.path != STDIN and self._raw.is_plain else "FILE"
                error.message = (
                    f"several JSON objects one after the other; write each in a line: jq -c . {file} > lines.jsonl"
                )
            raise

    def members(self) -> Iterator[tuple[str, Any]]:
        """Yield the members of the document, parsed one at a time. The document must be an object.

        Raises:
            InputError: the document is not an object, or not valid JSON.
        """
        parts = self.parts("an object")
        for place, key in enumerate(parts.keys or ()):
            yield key, parts.parse(place)
        parts.finish()

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the document, parsed one at a time. The document must be a list.

        Raises:
            InputError: the document is not a list, or not valid JSON.
        """
        parts = self.parts("a list")
        for place in range(len(parts)):
            yield parts.parse(place)
        parts.finish()

    def parts(self, kind: Literal["an object", "a list"]) -> JsonParts:
        """Return the members or elements of the document, to be parsed one at a time.

        Raises:
            InputError: the document is of another kind, or not valid JSON.
        """
        parts = JsonParts(self.read_all(), self.name, self.doubled)
        actual = kind_of(parts.whole) if parts.whole is not None else "a list" if parts.keys is None else "an object"
        if actual != kind:
            raise InputError(f"the file must be {kind}, found {actual}", file=self.name)
        return parts

    def check_keys(self) -> None:
        """Raise InputError if an object that was parsed so far has a duplicate key."""
        if self.doubled:
            raise duplicate_key(self.doubled[0])

    @cached_property
    def text(self) -> str:
        """The whole file as text, in UTF-8."""
        return self._decode(self.read_all())

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(not_utf8(error), file=self.name) from None

    @cached_property
    def table_text(self) -> str:
        """The text of a table, in UTF-8 or Windows-1252. The latter is said."""
        data = self.read_all()
        if not is_windows_1252(data):
            return self._decode(data)
        self.notices.append(Notice("encoding", 1, "not UTF-8 text; it is read as Windows-1252"))
        return data.decode("cp1252")

    @cached_property
    def sample(self) -> Sample:
        """The sample of the input for format detection, or of the part of a document that was named as ``FILE#NAME``.

        Raises:
            InputError: the input is empty, binary, or invalid JSON.
        """
        found = self._first_sample()
        if found.kind == "document" and self.tracker and isinstance(found.value, dict):
            part = self.document.get(self.tracker)
            if isinstance(part, dict | list):
                self.document, self.tracker = part, ""
                return Sample("document", part)
        return found

    def _first_sample(self) -> Sample:
        if self.is_folder:
            return Sample("folder", Path(self.path))
        with self._readable():
            # The peeked bytes stay in the buffer of the stream.
            is_archive = not self._front and cast(io.BufferedReader, self._stream).peek(4)[:4] == MAGIC
        if is_archive:
            self._whole = self.read_all()
            names = Archive(self._whole, self.name).names
            if any(name.startswith("xl/") for name in names):
                return Sample("tables", self._chosen(workbook_tables(self.read_all(), self.name)))
            return Sample("archive", names)
        if self._begins_with_long_line():
            items = self._first_items()
            if not isinstance(items, dict) or items.keys().isdisjoint(_LINE_KEYS):
                return Sample("document", items)
        line = self._peek_line()
        if not line:
            raise InputError("the file is empty", file=self.name)
        if len(line) > LINE_LIMIT and b'"dialogue_id"' in line[:_HEAD]:
            raise self._too_long(1)
        if line.startswith((PARQUET, *ARROW)):
            self._whole = self.read_all()
            return Sample("parquet", [*islice(arrow_rows(self._whole, self.name), _SAMPLE_ITEMS)])
        if line.startswith(SQLITE):
            return Sample("tables", self._chosen(database_tables(self.read_all(), self.name)))
        if b"\x00" in line[:_HEAD] or line.startswith(PICKLES):
            raise InputError(binary_file(line), file=self.name)
        line = line.removeprefix(_BYTE_ORDER_MARK)
        if line.lstrip()[:1] not in (b"{", b"["):
            return Sample("text", line.decode("cp1252" if is_windows_1252(line) else "utf-8", "replace"))
        several = bool(self._peek_line())
        if several or len(line) <= _HEAD:
            first = _decode_line(line)
            if isinstance(first, dict):
                is_lines = several or "dialogue_id" in first
                return Sample("lines" if is_lines else "document", first, [*self._next_lines()] if several else ())
            if isinstance(first, list):
                return Sample("lists" if several else "document", first)
        items = self._first_items()
        if isinstance(items, dict) and not several and not items.keys().isdisjoint(_LINE_KEYS):
            return Sample("lines", _decode_line(line) or items)
        return Sample("document", items)

    def _next_lines(self) -> Iterator[Any]:
        """Yield the values in the lines of the head after the first, without consuming them."""
        for line in self._front[1:]:
            if not line.isspace():
                yield _decode_line(line)
        for _ in range(_SAMPLE_ITEMS):
            if sum(map(len, self._front)) > _HEAD or not (line := self._peek_line()):
                return
            yield _decode_line(line)

    def _chosen(self, tables: Sheets) -> Sheets:
        """Return the table that was named as ``FILE#NAME``; all tables if none was."""
        if self.tracker in tables:
            tables, self.tracker = Sheets({self.tracker: tables[self.tracker]}), ""
        return tables

    def _first_items(self) -> Any:
        """Return the items in the head of a document, at least one. Parse the whole document if it is damaged."""
        size = _HEAD
        while True:
            head = self._peek(size)
            items, is_sound = first_items(head.decode("utf-8-sig", "ignore"))
            if items and (is_sound or len(head) == size):
                return items
            if len(head) < size:
                # The document is empty or damaged. Parsing the whole of it reports the error.
                self._whole = self.read_all()
                return parse_json(self._whole, self.name, [])
            size *= 8

    @property
    def _can_rewind(self) -> bool:
        """True for plain files. Standard input and pipes cannot be read twice; decompressing twice costs too much."""
        return self._raw.is_plain and self._file is not None

    def _begins_with_long_line(self) -> bool:
        """True if the file is probably a document without line breaks. Detection must not read such a line."""
        head = self._peek(_HEAD) if self._can_rewind else b""
        return len(head) == _HEAD and head.removeprefix(_BYTE_ORDER_MARK)[:1] in (b"{", b"[") and b"\n" not in head

    def _peek(self, size: int) -> bytes:
        """Return the first bytes of the file without consuming them."""
        if self._can_rewind and not self._front:
            with self._readable():
                head = self._stream.read(size)
                self._stream.seek(0)
            return head
        buffered = sum(map(len, self._front))
        if buffered < size:
            with self._readable():
                self._front.append(self._stream.read(size - buffered))
        return b"".join(self._front)[:size]

    def _peek_line(self) -> bytes:
        """Return the next line that is not blank without consuming it; empty bytes at the end."""
        line = b"\n"
        count = 0
        with self._readable():
            while line.removeprefix(_BYTE_ORDER_MARK).isspace():
                line = self._stream.readline(LINE_LIMIT + 1)
                count += 1
                self._check_blank_lines(count)
                if line:
                    self._front.append(line)
        return line


def cache_until_changed(read: Callable[[str], Content]) -> Callable[[str], Content]:
    """Decorate a function that reads a file: the result is cached until the file changes."""

    @lru_cache(16)
    def read_cached(path: str, modified: int, size: int) -> Content:
        return read(path)

    @wraps(read)
    def read_if_changed(path: str) -> Content:
        if not Path(path).is_file():
            return read(path)
        status = os.stat(path)
        return read_cached(path, status.st_mtime_ns, status.st_size)

    return read_if_changed


def _damage_errors() -> tuple[type[Exception], ...]:
    """Return the errors of damaged archives. The modules gzip and zstd are loaded only for files that need them."""
    names = {"gzip": "BadGzipFile", "compression.zstd": "ZstdError", "backports.zstd": "ZstdError"}
    loaded = (getattr(sys.modules[module], name) for module, name in names.items() if module in sys.modules)
    return EOFError, zlib.error, *loaded


def _decode_line(line: bytes) -> Any:
    """Decode a line as JSON. Return None if it is not valid JSON, or too long for a line of a JSON lines file."""
    try:
        return decode_json(line) if len(line) <= LINE_LIMIT else None
    except REFUSALS:
        return None


_SAMPLE_ITEMS = 20
_OPENING = re.compile(r"\s*([{\[])\s*")
_COLON = re.compile(r"\s*:\s*")
_AFTER = re.compile(r"\s*([,}\]])\s*")


def first_items(text: str) -> tuple[Any, bool]:
    """Return the first complete items of a JSON object or list, and True if the parsed part of the text is valid.

    Example:
        >>> first_items('{"a": [1, 2], "b": {"c": 3}, "d": "cut o')
        ({'a': [1, 2], 'b': {'c': 3}}, False)
    """
    decoder = json.JSONDecoder()

    def decode(text: str, at: int) -> tuple[Any, int]:
        with paused_garbage_collection():
            return decoder.raw_decode(text, at)

    opening = _OPENING.match(text)
    members: dict[str, Any] = {}
    elements: list[Any] = []
    if not opening:
        return elements, False
    in_object = opening[1] == "{"
    at = opening.end()
    sign = ","
    try:
        while sign == "," and len(members) + len(elements) < _SAMPLE_ITEMS:
            key = ""
            if in_object:
                key, at = decode(text, at)
                if not isinstance(key, str):
                    raise TypeError
                at = _COLON.match(text, at).end()  # type: ignore[union-attr]
            item, at = decode(text, at)
            after = _AFTER.match(text, at)
            sign, at = after[1], after.end()  # type: ignore[index, union-attr]
            if in_object:
                members[key] = item
            else:
                elements.append(item)
    except (ValueError, RecursionError, TypeError, AttributeError):
        return members if in_object else elements, False
    return members if in_object else elements, True


SIZE = 16 * 1024 * 1024
"""Size of a span in bytes. It is independent of the number of workers, so the files that workers write are, too."""

_COMPRESSED_MAGIC = (b"\x1f\x8b", b"\x28\xb5")


class Span(Struct, frozen=True):
    """The lines of a file that begin between two byte offsets, or the whole file if there are no bounds."""

    path: str
    bounds: tuple[int, int] | None = None


def spans(path: str, size: int = SIZE) -> list[Span]:
    """Split a JSON lines file into spans. A compressed file is one span.

    Args:
        path: an existing file.
        size: size of a span in bytes. The last spans have a quarter of it, so that all workers finish at the same time.

    Raises:
        InputError: the file cannot be read.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "d.jsonl")
        ...     with open(path, "w") as file:
        ...         _ = file.write("x" * 30)
        ...     [span.bounds for span in spans(path, 12)]
        [(0, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30)]
    """
    with reading(path), open(path, "rb") as file:
        length = os.fstat(file.fileno()).st_size
        is_compressed = file.read(2) in _COMPRESSED_MAGIC
    if is_compressed or length <= size:
        return [Span(path)]
    return [Span(path, bounds) for bounds in pairwise([*_span_starts(length, size), length])]


def _span_starts(length: int, size: int) -> Iterator[int]:
    """Yield the start offsets of the spans."""
    tail_start = max(0, length // size - 1) * size
    yield from range(0, tail_start, size)
    yield from range(tail_start, length, max(1, size // 4))
