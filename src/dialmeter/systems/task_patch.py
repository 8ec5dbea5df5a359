"""Patches of tasks: the tasks that people found to be wrong, which scores leave out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from ..errors import InputError, one_line
from ..readers.source import Source

_SCHEMA, _KIND = 1, "task patch"


class LeftOutTask(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A task that is left out, and why."""

    task: str
    why: str = ""


class TaskPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a patch of tasks; its digest is in signatures.

    Example:
        >>> TaskPatch([LeftOutTask("12", "the tool refuses the expected call")]).tasks
        ('12',)
    """

    left_out: list[LeftOutTask]
    kind: str = _KIND
    schema: int = _SCHEMA

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks, sorted."""
        return tuple(sorted({each.task for each in self.left_out}))

    def encoded(self) -> bytes:
        """Serialise the patch as a file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def patch_digest(tasks: Iterable[str]) -> str:
    """Return ten hexadecimal digits that identify a set of tasks."""
    return hashlib.sha256("\n".join(sorted(tasks)).encode("utf-8", "surrogatepass")).hexdigest()[:10]


def read_task_patch(path: str | Path) -> TaskPatch:
    """Read a patch of tasks.

    Raises:
        InputError: the file is no patch of tasks, or of a later version.
    """
    source = Source(path)
    try:
        patch = msgspec.convert(source.document, TaskPatch)
    except msgspec.ValidationError as error:
        raise InputError(
            f"not a patch of tasks, which `dialmeter study audit --sheet SHEET -o PATCH` makes: {one_line(str(error))}",
            file=source.name,
        ) from None
    if (patch.kind, patch.schema) != (_KIND, _SCHEMA):
        raise InputError(f"expected a {_KIND} of schema {_SCHEMA}", file=source.name)
    return patch
