"""Raw bytes of an input: opening, decompression, the size limit, ZIP archives, and the hash of streams that can be read once."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, NamedTuple, cast

from ..errors import DialmeterError, InputError, one_line
from .unrecognised_input import no_such_file

STDIN = "-"
"""The path that means standard input."""
BUDGET_VARIABLE = "DIALMETER_MAX_BYTES"
"""The environment variable with the maximum size of an input, such as 64G; workers read it, too."""
_DEFAULT_BUDGET = 16 * 1024**3
_MIN_BLANK_LIMIT = 1024**2
_ALWAYS_ALLOWED, _MAX_RATIO = 256 * 1024**2, 100
"""Decompression limit: a compressed input may always grow to the first number of bytes, and beyond it to the second
number times its compressed size."""
_SIZE = re.compile(r"(\d{1,15})([KMGT]?)B?", re.IGNORECASE)
_CHUNK = 1 << 18
_BLANKS = b" \t\r\n"

_stream_digests: dict[str, str] = {}


class RawFile(NamedTuple):
    """An open input.

    Attributes:
        stream: the decompressed bytes.
        file: the file to close; None for standard input.
        is_plain: True if the stream is the file itself, so that it can be read again from the beginning.
        budget: the size limit.
    """

    stream: BinaryIO
    file: BinaryIO | None
    is_plain: bool
    budget: Budget


class Budget:
    """The size limits of one input: number of bytes, and number of consecutive blank characters.

    Args:
        name: the name of the file, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.bytes = max_bytes()
        self.blanks = max(_MIN_BLANK_LIMIT, self.bytes // 256)
        self._is_set_by_user = BUDGET_VARIABLE in os.environ
        self._count = 0
        self._last_blanks = 0

    def check(self, count: int) -> None:
        """Raise InputError if the number of bytes exceeds the limit."""
        if count > self.bytes:
            raise self._limit_error(self.bytes, " after decompression")

    def check_growth(self, count: int, packed: int) -> None:
        """Raise InputError if the content exceeds the limit, or the usual compression ratio and the user set no limit.

        Args:
            count: number of decompressed bytes.
            packed: number of compressed bytes.
        """
        self.check(count)
        if count > _ALWAYS_ALLOWED and count > _MAX_RATIO * packed and not self._is_set_by_user:
            raise self._limit_error(
                _ALWAYS_ALLOWED, f" and {_MAX_RATIO} times the size of the file after decompression"
            )

    def add_block(self, block: memoryview, packed: int) -> None:
        """Count the bytes of the next block, and check all limits."""
        self._count += len(block)
        self.check_growth(self._count, packed)
        if len(block) and block[0] in _BLANKS and bytes(block).isspace():
            self._last_blanks += len(block)
            self.check_blanks(self._last_blanks)
        else:
            self._last_blanks = 0

    def check_blanks(self, count: int) -> None:
        """Raise InputError if there are too many consecutive blank characters."""
        if count > self.blanks:
            raise self._limit_error(self.blanks, " of consecutive blanks")

    def _limit_error(self, limit: int, detail: str) -> InputError:
        message = f"more than {format_size(limit)}{detail}; set {BUDGET_VARIABLE}, such as {BUDGET_VARIABLE}=64G, to raise the limit"
        return InputError(message, file=self.name)


def max_bytes() -> int:
    """Return the maximum number of decompressed bytes of one input: ``DIALMETER_MAX_BYTES``, or 16 GB.

    Raises:
        DialmeterError: the value of the variable is not a size.
    """
    setting = os.environ.get(BUDGET_VARIABLE)
    return parse_size(setting, BUDGET_VARIABLE) if setting else _DEFAULT_BUDGET


def parse_size(text: str, name: str) -> int:
    """Parse a number of bytes.

    Args:
        text: digits, optionally followed by K, M, G or T for powers of 1024.
        name: the name of the variable, for the message.

    Raises:
        DialmeterError: the text is not a size.

    Example:
        >>> parse_size("64M", "DIALMETER_MAX_BYTES"), parse_size("1000", "DIALMETER_MAX_BYTES")
        (67108864, 1000)
    """
    match = _SIZE.fullmatch(text.strip())
    if not match or not int(match[1]):
        raise DialmeterError(f"{name} is {one_line(text)!r}; write a number of bytes, such as 64M or 16G")
    return int(match[1]) << 10 * " KMGT".index(match[2].upper() or " ")


def format_size(size: int) -> str:
    """Return a number of bytes in a human-readable form.

    Example:
        >>> format_size(64 * 1024**2), format_size(1000)
        ('64 MB', '1000 bytes')
    """
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if size >= 1024**power and size % 1024**power == 0:
            return f"{size // 1024**power} {unit}"
    return f"{size} bytes"


def is_stream(path: str) -> bool:
    """Return True if the input can be read only once: standard input, a pipe or a FIFO."""
    if path == STDIN:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def stream_digest(path: str) -> str | None:
    """Return the SHA-256 of the last read of a stream; None if the stream was not read to its end."""
    return _stream_digests.get(path)


def open_raw(path: str, name: str) -> RawFile:
    """Open a file, a pipe or standard input, plain or compressed.

    Raises:
        InputError: the input cannot be opened, is a device, or is larger than ``DIALMETER_MAX_BYTES`` allows.
    """
    try:
        if path == STDIN and sys.stdin is None:
            raise InputError("is closed", file=name)
        raw = sys.stdin.buffer if path == STDIN else open(path, "rb")  # noqa: SIM115  closed by the caller
    except FileNotFoundError:
        raise InputError(no_such_file(path), file=name) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be opened: {getattr(error, 'strerror', None) or error}", file=name) from None
    try:
        return _add_layers(raw, path, name)
    except BaseException:
        if path != STDIN:
            raw.close()
        raise


def _add_layers(raw: Any, path: str, name: str) -> RawFile:
    """Wrap an open file in the layers it needs: hashing of streams, decompression, and the size limit."""
    _refuse_device(raw, name)
    budget = Budget(name)
    file = None if path == STDIN else raw
    plain_size = None if file is None else _plain_size(raw)
    hashed = None
    if plain_size is None:
        _stream_digests.pop(path, None)
        hashed = _Hash(path)
        raw = io.BufferedReader(_WatchedStream(raw, hashed.add), _CHUNK)
    magic = raw.peek(4)[:4]
    if magic[:2] == b"\x1f\x8b":
        from gzip import GzipFile

        raw = GzipFile(fileobj=raw)
    elif magic == b"\x28\xb5\x2f\xfd":
        raw = zstd_module().ZstdFile(raw)
    elif plain_size is not None:
        budget.check(plain_size)
        return RawFile(raw, file, True, budget)
    counted = _WatchedStream(raw, lambda block: budget.add_block(block, hashed.count if hashed else plain_size or 0))
    return RawFile(cast(BinaryIO, io.BufferedReader(counted, _CHUNK)), file, False, budget)


def _refuse_device(raw: BinaryIO, name: str) -> None:
    """Reject devices, because they may be endless. A terminal and the null device are allowed."""
    try:
        status = os.fstat(raw.fileno())
    except io.UnsupportedOperation:
        return  # a program has replaced standard input by bytes in memory
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if is_device and not raw.isatty() and status.st_rdev != os.stat(os.devnull).st_rdev:
        raise InputError("is a device, not a file", file=name)


def _plain_size(raw: BinaryIO) -> int | None:
    """Return the size of a regular file; None for anything else."""
    status = os.fstat(raw.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


class _WatchedStream(io.RawIOBase):
    """Passes through the bytes of another stream, and calls a function with every block. The last block is empty."""

    def __init__(self, file: Any, watch: Callable[[memoryview], None]) -> None:
        self._file = file
        self._watch = watch

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._file.readinto1(buffer)
        self._watch(memoryview(buffer)[:count])
        return count

    def readall(self) -> bytes:
        return b"".join(iter(partial(self.read, 1 << 20), b""))


class _Hash:
    """Hashes a stream that can be read only once. The hash is stored when the end is reached."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self.count = 0

    def add(self, data: memoryview) -> None:
        self.count += len(data)
        if len(data):
            self._digest.update(data)
        else:
            _stream_digests[self._path] = self._digest.hexdigest()


def zstd_module() -> Any:
    """Return the zstd module of the standard library, or its backport for Python before 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


_DAMAGE = (zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
MAGIC = b"PK\x03\x04"
"""The first bytes of an archive."""


class Archive:
    """An archive in memory. Its files are decompressed one at a time.

    Args:
        data: the archive.
        name: the name of the file, for messages.

    Raises:
        InputError: the archive is damaged, or its decompressed size exceeds ``DIALMETER_MAX_BYTES``.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        with self._readable():
            self._archive = _zip_module().ZipFile(io.BytesIO(data))
        Budget(name).check_growth(sum(each.file_size for each in self._archive.infolist()), len(data))

    @property
    def names(self) -> list[str]:
        """The names of the files, sorted."""
        return sorted(self._archive.namelist())

    def read(self, name: str) -> bytes:
        """Return the content of a file.

        Raises:
            InputError: the file is damaged.
        """
        with self._readable():
            content: bytes = self._archive.read(name)
            return content

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (_zip_module().BadZipFile, *_DAMAGE, zstd_module().ZstdError) as error:
            reason = f"the archive is damaged or cut off ({one_line(str(error), 100)})"
            raise InputError(reason, file=self._name) from None


def _zip_module() -> Any:
    """Return a zipfile module that supports zstd."""
    if sys.version_info >= (3, 14):
        import zipfile

        return zipfile
    from backports.zstd import zipfile as with_zstd

    return with_zstd
