"""Patches of tasks: the tasks that people found to be wrong, which scores leave out; and the sheets on which people judge them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ..errors import InputError, one_line
from ..readers.sheets import Cells, SheetKind, check_word
from ..readers.source import Source

if TYPE_CHECKING:
    from .task_audit import AuditedTask

_SCHEMA, _KIND = 1, "task patch"


class TaskPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a patch of tasks: task → why it is left out. Its digest is in signatures.

    Example:
        >>> TaskPatch({"12": "the tool refuses the expected call"}).tasks
        ('12',)
    """

    left_out: dict[str, str]
    kind: str = _KIND
    schema: int = _SCHEMA

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks, sorted."""
        return tuple(sorted(self.left_out))

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
    except (msgspec.ValidationError, InputError) as error:
        why = error.message if isinstance(error, InputError) else one_line(str(error))
        raise InputError(
            f"not a patch of tasks, which `dialmeter study audit --sheet SHEET -o PATCH` makes: {why}", file=source.name
        ) from None
    if (patch.kind, patch.schema) != (_KIND, _SCHEMA):
        raise InputError(f"expected a {_KIND} of schema {_SCHEMA}", file=source.name)
    return patch


VERDICTS = {
    "wrong": "the expected calls or facts are wrong, impossible, or cannot be known",
    "doubtful": "several readings of the instruction are possible",
    "fine": "the task is right",
}
SHEET = SheetKind(
    columns=("rank", "task", "score", "evidence", "instruction", "verdict", "why"),
    needed=("task", "verdict"),
    hint="`dialmeter study audit LOG… --make-sheet FILE` writes a sheet",
    title="Tasks that may be wrong",
    help=(
        "Read the instruction, and choose a verdict. The evidence is from the logs of agents, and agents may be wrong.",
    ),
    choices={"verdict": VERDICTS},
    fields=("why",),
    heading="task {task}",
    shown={"instruction": "instruction", "evidence": "evidence"},
    saved=("rank", "task", "verdict", "why"),
)


def sheet_rows(tasks: Sequence[AuditedTask]) -> list[Cells]:
    """Return the rows of a sheet, the most suspicious task first."""
    return [
        {
            "rank": str(rank),
            "task": each.task,
            "score": f"{each.score:.4g}",
            "evidence": "\n".join(one_line(line, 2000) for line in each.evidence),
            "instruction": each.instruction,
        }
        for rank, each in enumerate(tasks, 1)
    ]


def read_task_sheets(paths: Sequence[str]) -> tuple[TaskPatch, dict[str, int]]:
    """Make a patch from filled sheets, one per reader: the tasks that all readers who judged them call wrong; and the verdicts.

    Raises:
        InputError: a sheet is invalid; the error has the line.
    """
    judged: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        own: set[str] = set()

        def take(cells: dict[str, str], _: int, own: set[str] = own) -> None:
            if cells["task"] in own:
                raise InputError(f"task {one_line(cells['task'])} is judged twice")
            own.add(cells["task"])
            if cells["verdict"]:
                verdict = check_word("verdict", cells["verdict"], VERDICTS)
                judged.setdefault(cells["task"], {}).setdefault(verdict, []).append(cells["why"])

        SHEET.read(path, take)
    wrong = {task: found["wrong"] for task, found in judged.items() if {*found} == {"wrong"}}
    left_out = {task: "; ".join(filter(None, why)) for task, why in wrong.items()}
    verdicts = Counter("disagreement" if len(found) > 1 else next(iter(found)) for found in judged.values())
    return TaskPatch(left_out), {word: verdicts[word] for word in (*VERDICTS, "disagreement") if verdicts[word]}
