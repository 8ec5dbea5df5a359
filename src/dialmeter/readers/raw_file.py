"""The bytes of an input: what may be opened, how many bytes may come of it, and the hash of what can be read only once."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import stat
import sys
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, NamedTuple, cast

from ..errors import DialmeterError, InputError, one_line
from .not_known import no_such_file

STDIN = "-"
"""The path that means standard input."""
BUDGET_VARIABLE = "DIALMETER_MAX_BYTES"
"""The environment variable that ``--max-bytes`` sets; Python calls and workers read it."""
_DEFAULT_BUDGET = 16 * 1024**3
_LEAST_BLANKS = 1024**2
_FREE, _MOST_TIMES = 256 * 1024**2, 100
"""A compressed file may grow to so many bytes whatever its size, and beyond that to so many times its size."""
_SIZE = re.compile(r"(\d{1,15})([KMGT]?)B?", re.IGNORECASE)
_CHUNK = 1 << 18
_BLANKS = b" \t\r\n"

_stream_digests: dict[str, str] = {}


class RawFile(NamedTuple):
    """An input that is open.

    Attributes:
        stream: the bytes, decompressed.
        file: what has to be closed; None for standard input.
        is_plain: is the stream the file itself, which can be read again from its beginning?
        budget: how many bytes may be read.
    """

    stream: BinaryIO
    file: BinaryIO | None
    is_plain: bool
    budget: Budget


class Budget:
    """How many bytes, and how many blanks in a row, one input may have.

    Args:
        name: of the file, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.bytes = max_bytes()
        self.blanks = max(_LEAST_BLANKS, self.bytes // 256)
        self._is_chosen = BUDGET_VARIABLE in os.environ

    def check(self, count: int) -> None:
        """Raises InputError where an input has more bytes than it may."""
        if count > self.bytes:
            raise self._over(self.bytes, ", decompressed")

    def check_growth(self, count: int, packed: int) -> None:
        """Raises InputError where a compressed input becomes much longer than text does, unless a budget was chosen.

        Args:
            count: bytes, decompressed.
            packed: bytes of the file.
        """
        if count > _FREE and count > _MOST_TIMES * packed and not self._is_chosen:
            raise self._over(_FREE, f", decompressed, and {_MOST_TIMES} times the size of the file")

    def check_blanks(self, count: int) -> None:
        """Raises InputError where there are more blanks in a row than there may be."""
        if count > self.blanks:
            raise self._over(self.blanks, " of blanks in a row")

    def _over(self, limit: int, what: str) -> InputError:
        message = f"over {shown_size(limit)}{what}; --max-bytes (or {BUDGET_VARIABLE}) allows more"
        return InputError(message, file=self.name)


def max_bytes() -> int:
    """How many bytes may be read of one input, decompressed: ``DIALMETER_MAX_BYTES``, or 16 GB.

    Raises:
        DialmeterError: the variable is no size.
    """
    written = os.environ.get(BUDGET_VARIABLE)
    return parse_size(written, BUDGET_VARIABLE) if written else _DEFAULT_BUDGET


def parse_size(text: str, name: str) -> int:
    """A number of bytes from text.

    Args:
        text: digits, and K, M, G or T for powers of 1024.
        name: of the option or variable, for the message.

    Raises:
        DialmeterError: something else.

    Example:
        >>> parse_size("64M", "--max-bytes"), parse_size("1000", "--max-bytes")
        (67108864, 1000)
    """
    found = _SIZE.fullmatch(text.strip())
    if not found or not int(found[1]):
        raise DialmeterError(f"{name} is {one_line(text)!r}; write a number of bytes, such as 64M or 16G")
    return int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")


def shown_size(size: int) -> str:
    """A number of bytes as people read it.

    Example:
        >>> shown_size(64 * 1024**2), shown_size(1000)
        ('64 MB', '1000 bytes')
    """
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if size >= 1024**power and size % 1024**power == 0:
            return f"{size // 1024**power} {unit}"
    return f"{size} bytes"


def is_stream(path: str) -> bool:
    """Can the input be read only once: standard input, a pipe, a FIFO?"""
    if path == STDIN:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def stream_digest(path: str) -> str | None:
    """The SHA-256 of what was read last from an input that can be read only once; None where it was not read to its end."""
    return _stream_digests.get(path)


def open_raw(path: str, name: str) -> RawFile:
    """Opens a file, a pipe or standard input, plain or compressed.

    Raises:
        InputError: it cannot be opened, is a device, or is larger than ``--max-bytes`` allows.
    """
    try:
        if path == STDIN and sys.stdin is None:
            raise InputError("is closed", file=name)
        raw = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115  closed by whoever asked for it
    except FileNotFoundError:
        raise InputError(no_such_file(path), file=name) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be opened: {getattr(error, 'strerror', None) or error}", file=name) from None
    try:
        return _layered(raw, path, name)
    except BaseException:
        if path != STDIN:
            raw.close()
        raise


def _layered(raw: Any, path: str, name: str) -> RawFile:
    """What reads an open file: hashed where it is a stream, unpacked, and counted."""
    _refuse_device(raw, name)
    budget = Budget(name)
    file = None if path == STDIN else raw
    plain_size = None if file is None else _plain_size(raw)
    hashed = None
    if plain_size is None:
        _stream_digests.pop(path, None)
        hashed = _HashedStream(raw, path)
        raw = io.BufferedReader(hashed, _CHUNK)
    magic = raw.peek(4)[:4]
    if magic[:2] == b"\x1f\x8b":
        raw = gzip.GzipFile(fileobj=raw)
    elif magic == b"\x28\xb5\x2f\xfd":
        raw = zstd_module().ZstdFile(raw)
    elif plain_size is not None:
        budget.check(plain_size)
        return RawFile(raw, file, True, budget)
    counted = _CountedStream(raw, budget, (lambda: hashed.count) if hashed else (lambda: plain_size or 0))
    return RawFile(cast(BinaryIO, io.BufferedReader(counted, _CHUNK)), file, False, budget)


def _refuse_device(raw: BinaryIO, name: str) -> None:
    """Refuses devices, which have no end, but for a terminal and the null device."""
    try:
        found = os.fstat(raw.fileno())
    except io.UnsupportedOperation:
        return  # standard input that a program has replaced by bytes in memory
    is_device = stat.S_ISBLK(found.st_mode) or stat.S_ISCHR(found.st_mode)
    if is_device and not raw.isatty() and found.st_rdev != os.stat(os.devnull).st_rdev:
        raise InputError("is a device, not a file", file=name)


def _plain_size(raw: BinaryIO) -> int | None:
    """The size of a regular file; None for what is no such file."""
    found = os.fstat(raw.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else None


class _Passed(io.RawIOBase):
    """Passes the bytes of a file on."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._file.readinto1(buffer)
        self._note(memoryview(buffer)[:count])
        return count

    def readall(self) -> bytes:
        return b"".join(iter(partial(self.read, 1 << 20), b""))

    @abstractmethod
    def _note(self, data: memoryview) -> None:
        """Takes notice of bytes that were read; there are none at the end."""


class _HashedStream(_Passed):
    """Hashes what can be read only once; the hash is known when the end is reached."""

    def __init__(self, file: Any, path: str) -> None:
        super().__init__(file)
        self._path = path
        self._digest = hashlib.sha256()
        self.count = 0

    def _note(self, data: memoryview) -> None:
        self.count += len(data)
        if len(data):
            self._digest.update(data)
        else:
            _stream_digests[self._path] = self._digest.hexdigest()


class _CountedStream(_Passed):
    """Refuses what is longer than its budget allows.

    Args:
        file: the bytes, decompressed.
        budget: what they may be.
        packed: how many bytes the file has, or how many of a stream have been read.
    """

    def __init__(self, file: Any, budget: Budget, packed: Callable[[], int]) -> None:
        super().__init__(file)
        self._budget = budget
        self._packed = packed
        self._count = 0
        self._blanks = 0

    def _note(self, data: memoryview) -> None:
        self._count += len(data)
        self._budget.check(self._count)
        self._budget.check_growth(self._count, self._packed())
        if len(data) and data[0] in _BLANKS and bytes(data).isspace():
            self._blanks += len(data)
            self._budget.check_blanks(self._blanks)
        else:
            self._blanks = 0


def zstd_module() -> Any:
    """The standard library's zstd, or its backport below Python 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
