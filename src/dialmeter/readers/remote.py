"""Files at addresses such as ``s3://bucket/run.jsonl``, copied by fsspec, if it is installed, to a folder that ends with the process."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, MissingExtra, one_line
from .raw_file import max_bytes

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_ADDRESS = re.compile(r"(?!https?:|ftp:|tcp:)([a-z][a-z0-9+.-]*)://.", re.IGNORECASE)
_folders: list[TemporaryDirectory[str]] = []
_addresses: dict[str, str] = {}


def local_path(path: str) -> str:
    """Return the path of the copy of a file or folder at an address; any other path, or ``FILE#NAME``, as it is.

    Raises:
        InputError: it cannot be copied, or is larger than inputs may be.
        MissingExtra: fsspec or its driver is not installed.

    Example:
        >>> local_path("runs/a.jsonl"), local_path("https://example.org/a.jsonl")
        ('runs/a.jsonl', 'https://example.org/a.jsonl')
    """
    return _copied(path) if _ADDRESS.match(path) else path


def address_of(path: str) -> str:
    """Return the address that a path is the copy of; any other path as it is."""
    return _addresses.get(path, path)


@lru_cache(None)
def _copied(address: str) -> str:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra(one_line(address, 200), package="fsspec") from None
    written, mark, tracker = address.partition("#")
    from tempfile import TemporaryDirectory

    folder = TemporaryDirectory(prefix="dialmeter-")
    _folders.append(folder)
    copy = str(Path(folder.name, written.rstrip("/").rpartition("/")[2]))
    try:
        system, inside = fsspec.core.url_to_fs(written)
        if system.du(inside) > max_bytes():
            raise InputError("larger than inputs may be; see DIALMETER_MAX_BYTES", file=written)
        system.get(inside, copy, recursive=system.isdir(inside))
    except FileNotFoundError:
        raise InputError("no such file", file=written) from None
    except ImportError as error:
        raise InputError(f"fsspec needs another package: {one_line(str(error), 200)}", file=written) from None
    except InputError:
        raise
    except Exception as error:  # drivers raise errors of their own
        raise InputError(f"cannot be read: {one_line(str(error), 200)}", file=written) from None
    _addresses[copy] = written
    return f"{copy}{mark}{tracker}"
