"""Which content an input has, without reading it again: a hash is remembered beside what the file system says of the file.

That is what git's index does, and it is distrusted as git does: a file that was changed shortly before it was hashed may
have been changed once more within the same tick of the clock, so its hash is made anew.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

_SHORTLY = 2_000_000_000
"""Nanoseconds; some file systems count in steps of two seconds."""
_NEAR = ("schema.json", "schema.json.gz", "schema.json.zst")
"""Files beside an input that its reader looks for."""


class Stamp(Struct, frozen=True, array_like=True):
    """What the file system says of one file of an input."""

    name: str
    size: int
    changed: int
    """When the content was written, in nanoseconds."""
    touched: int
    """When anything about the file was changed; nobody can set that back. (On Windows: when it was made.)"""
    number: int
    device: int


class Content(Struct, frozen=True):
    """The SHA-256 of an input, and what the file system said of it at the time."""

    sha256: str
    stamps: tuple[Stamp, ...]
    at: int
    """When hashing began, in nanoseconds."""

    @property
    def settled(self) -> bool:
        """Were all files clearly older than the hash, so that a later change shows in their stamps?"""
        return all(max(each.changed, each.touched) + _SHORTLY < self.at for each in self.stamps)


_decode = msgspec.json.Decoder(Content).decode


def is_plain(path: str) -> bool:
    """Is it a file or a folder that can be read twice? Standard input and pipes cannot."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def content_of(path: str, memory: Path) -> Content:
    """The content of a file, or of the files of a folder, with a schema that lies near.

    Args:
        path: the input.
        memory: a folder in which hashes are remembered; it need not be there.

    Raises:
        OSError: the input cannot be read, or changes while it is read.
    """
    key = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()
    note = memory / f"{key}.json"
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
        known = _decode(note.read_bytes())
        if known.settled and known.stamps == _stamps(path):
            return known
    found = _hashed(path)
    if found.settled:
        with suppress(OSError):
            write_atomically(note, msgspec.json.encode(found))
    return found


def is_still(path: str, content: Content) -> bool:
    """Does the input have the content that it had?"""
    with suppress(OSError):
        if _stamps(path) == content.stamps:
            return content.settled or _hashed(path).sha256 == content.sha256
    return False


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file so that whoever reads it, or writes it at the same time, sees all of it or nothing.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, part = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            os.unlink(part)
        raise


def _hashed(path: str) -> Content:
    at = time.time_ns()
    stamps = _stamps(path)
    whole = hashlib.sha256()
    for name, file in _files(path):
        with open(file, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
        whole.update(msgspec.json.encode((name, digest.hexdigest())))
    if _stamps(path) != stamps:
        raise OSError(f"{path}: changes while it is read")
    return Content(whole.hexdigest(), stamps, at)


def _stamps(path: str) -> tuple[Stamp, ...]:
    found = []
    for name, file in _files(path):
        said = os.stat(file)
        found.append(Stamp(name, said.st_size, said.st_mtime_ns, said.st_ctime_ns, said.st_ino, said.st_dev))
    return tuple(found)


def _files(path: str) -> list[tuple[str, str]]:
    """The files of an input, each with a name that does not tell where it lies: a copy has the same content."""
    listed = [("", path)]
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            listed = sorted((f"/{entry.name}", entry.path) for entry in entries if entry.is_file())
    beside = os.path.dirname(os.path.abspath(path))
    near = ((f"../{name}", os.path.join(beside, name)) for name in _NEAR)
    return [*listed, *((name, file) for name, file in near if os.path.isfile(file))]
