"""ZIP archives: the names and the content of their files. Nothing is extracted to disk."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputError, one_line
from .raw_file import Budget, zstd_module

_DAMAGE = (zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
MAGIC = b"PK\x03\x04"
"""The first bytes of an archive."""


class Archive:
    """An archive in memory. Its files are decompressed one at a time.

    Args:
        data: the archive.
        name: the name of the file, for messages.

    Raises:
        InputError: the archive is damaged, or its decompressed size exceeds ``--max-bytes``.
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
        return zipfile
    from backports.zstd import zipfile as with_zstd

    return with_zstd
