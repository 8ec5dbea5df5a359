"""What attacks have come to so far, on disk, so that a run that is interrupted can go on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from .._version import __version__
from ..core.lock import Lock
from ..core.output import write_all
from ..errors import DialmeterError, InputError, one_line, writing
from ..model import Conversation
from ..readers.strict_json import parse_as
from .planning import AttackPart


def attack_identity(talks: Iterable[Conversation], *settings: object) -> str:
    """A digest of what parts depend on: the version, what was said in the corpus, and settings that can be printed."""
    digest = hashlib.sha256(repr((__version__, *settings)).encode())
    for talk in talks:
        digest.update(msgspec.json.encode([talk.id, [(move.speaker, move.text) for move in talk.moves]]))
    return digest.hexdigest()


def parts_of(out: Path) -> Path:
    """Where the parts of an unfinished file are."""
    return out.with_name(out.name + ".parts")


class KeptParts:
    """Parts in ``FILE.parts``, a line each, until the file is written.

    Args:
        out: the file of cases.
        identity: what the parts depend on; one goes on only with the same.
        resume: go on with what is there.
        force: begin anew although something is there.

    Attributes:
        parts: what is there already.

    Raises:
        DialmeterError: something else is there, or it cannot be written.
    """

    def __init__(self, out: Path, identity: str, *, resume: bool = False, force: bool = False) -> None:
        self._path = parts_of(out)
        self.parts: Sequence[AttackPart] = []
        self._name = one_line(str(out), 200)
        head = identity.encode() + b"\n"
        self._lock = Lock(self._path, name=out)
        try:
            with writing(self._name):
                there = self._path.exists() and not force
                if there and not resume:
                    raise DialmeterError(
                        f"{self._name}: is unfinished; go on with --resume or start again with --force"
                    )
                if there:
                    self.parts = self._read(head)
                self._file = open(self._path, "a+b", buffering=0)  # noqa: SIM115  closed by close
                self._count = len(self.parts)
                if not self.parts:
                    self._file.truncate(0)
                    write_all(self._file, head)
        except BaseException:
            self._lock.release()
            raise

    def _read(self, head: bytes) -> list[AttackPart]:
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole and not data.startswith(head):
            raise DialmeterError(
                f"{self._name}: was begun with another corpus or other settings; start again with --force"
            )
        if whole < len(data):
            os.truncate(self._path, whole)
        try:
            lines = enumerate(data[:whole].split(b"\n")[1:-1], 2)
            return [parse_as(line, AttackPart, str(self._path), number, what="a part") for number, line in lines]
        except InputError as error:
            raise DialmeterError(f"{error}; start again with --force") from None

    def add(self, part: AttackPart) -> None:
        """Keeps a part; whoever kills this process afterwards leaves it there.

        Raises:
            Unfinished: it cannot be written.
        """
        with writing(self._name, resumable=True):
            write_all(self._file, msgspec.json.encode(part) + b"\n")
            self._count += 1

    def remove(self) -> None:
        """Leaves nothing behind."""
        self._count = 0
        self.close()

    def close(self) -> None:
        """Closes the file and lets others write it; without a part in it, it goes. May be called again."""
        if self._file.closed:
            return
        self._file.close()
        if not self._count:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        self._lock.release()
