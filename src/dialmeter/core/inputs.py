"""What a run says of the files that it was made from, and that these are the bytes that were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ..errors import InputError
from ..readers.raw_file import STDIN, is_stream, stream_digest

_CHUNK = 1 << 20
_FileState: TypeAlias = tuple[str, int, int, int, int]
"""Path, device, inode, size, and time of the last change: another file, or a change of this one, differs in one of them."""


class RunInput(NamedTuple):
    """One input of a run: what it is read for, its path, and the tracker that is named behind a ``#``."""

    role: str
    path: str
    tracker: str = ""


class RunInputs:
    """The inputs of a run with their hashes. To be made before the first of them is read.

    Args:
        inputs: what is read.

    Raises:
        InputError: no such file.
    """

    def __init__(self, inputs: Sequence[RunInput]) -> None:
        self._inputs = inputs
        self._before = {each.path: _states(each.path) for each in inputs}
        self._digests: dict[str, str] = {}

    def described(self) -> list[dict[str, str | None]]:
        """The name of each input without its folder, and its SHA-256; of a pipe that is not read yet there is none."""
        return [self._described(each) for each in self._inputs]

    def after_reading(self) -> list[dict[str, str | None]]:
        """The same when all is read, pipes included.

        Raises:
            InputError: a file changed meanwhile, so that nobody knows what was read of it.
        """
        for path, before in self._before.items():
            if _states(path) != before:
                raise InputError("the file changed while it was read", file=path)
        return self.described()

    def _described(self, given: RunInput) -> dict[str, str | None]:
        path = given.path
        name = "standard input" if path == STDIN else Path(path).name
        if is_stream(path):
            digest = stream_digest(path)
        else:
            digest = self._digests.get(path) or self._digests.setdefault(path, _digest(path))
        described: dict[str, str | None] = {"role": given.role, "name": name, "sha256": digest}
        return {**described, "tracker": given.tracker} if given.tracker else described


def _files(path: str) -> list[Path]:
    """The file, or the files of a folder: its JSON files, or all of them where it has none."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    found = sorted(each for each in root.rglob("*") if each.is_file())
    return [each for each in found if ".json" in each.name] or found


def _states(path: str) -> list[_FileState]:
    """What tells whether a file, or a file of a folder, has changed; nothing for what is read only once."""
    if is_stream(path):
        return []
    try:
        found = [(str(file), file.stat()) for file in _files(path)]
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    return [(name, each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for name, each in found]


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    try:
        for file in _files(path):
            if os.path.isdir(path):
                digest.update(file.relative_to(path).as_posix().encode() + b"\0")
            with open(file, "rb") as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    return digest.hexdigest()
