"""Checkpoints of a running attack: finished tasks are saved on disk, so an interrupted run can resume."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from .._version import __version__
from ..core.lock import Lock
from ..core.output import RecordLog, whole_lines
from ..errors import DialmeterError, InputError, one_line, writing
from ..model import Conversation
from .attack_statistics import Attempt


class AttackPart(Struct, frozen=True):
    """The result of one task: attempts by attack."""

    number: int
    found: dict[str, list[Attempt]]


def attack_identity(talks: Iterable[Conversation], *settings: object) -> str:
    """A digest of everything that the parts depend on: the version, the texts of the corpus, and settings with a stable ``repr``."""
    digest = hashlib.sha256(repr((__version__, *settings)).encode())
    for talk in talks:
        digest.update(msgspec.json.encode([talk.id, [(move.speaker, move.text) for move in talk.moves]]))
    return digest.hexdigest()


def parts_of(out: Path) -> Path:
    """The file with the parts of an unfinished output file."""
    return out.with_name(out.name + ".parts")


class AttackCheckpoint:
    """Saves parts in ``FILE.parts``, one per line, until the output file is written.

    Args:
        out: the file of cases.
        identity: a digest of everything that the parts depend on; a run resumes only with the same identity.
        resume: continue with existing parts.
        force: delete existing parts and start again.

    Attributes:
        parts: the parts of an interrupted run.

    Raises:
        DialmeterError: the parts belong to another run, or the file cannot be written.
    """

    def __init__(self, out: Path, identity: str, *, resume: bool = False, force: bool = False) -> None:
        self._log = RecordLog(parts_of(out), AttackPart, "a part", identity.encode() + b"\n")
        self._name = one_line(str(out), 200)
        self._lock: Lock | None = Lock(self._log.path, name=out)
        self.parts: Sequence[AttackPart] = []
        try:
            with writing(self._name):
                if self._log.path.exists() and not force:
                    if not resume:
                        raise DialmeterError(
                            f"{self._name}: is unfinished; continue with --resume or start again with --force"
                        )
                    self.parts = self._read()
                if not self.parts:
                    self._log.path.unlink(missing_ok=True)
        except BaseException:
            self.close()
            raise

    def _read(self) -> list[AttackPart]:
        if [line + b"\n" for line in whole_lines(self._log.path)[:1]] not in ([], [self._log.head]):
            raise DialmeterError(
                f"{self._name}: was started with another corpus or other settings; start again with --force"
            )
        try:
            return list(self._log.read())
        except InputError as error:
            raise DialmeterError(f"{error}; start again with --force") from None

    def add(self, part: AttackPart) -> None:
        """Append a part. It is on disk even if this process is killed.

        Raises:
            Unfinished: the part cannot be written.
        """
        self._log.append(part, name=self._name, resumable=True)

    def remove(self) -> None:
        """Delete the parts, and release the file."""
        if self._lock is not None:
            with suppress(OSError):
                self._log.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Release the lock of the file. May be called more than once."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
