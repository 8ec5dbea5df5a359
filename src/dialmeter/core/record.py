"""The record of a run: its inputs with their hashes, what identifies it, and ``run.json`` with the scores.

Subjects add what only they have.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from msgspec import to_builtins

from ..errors import InputError
from ..model import Notice
from ..readers.raw_file import STDIN, is_stream, stream_digest
from ..readers.unrecognised_input import no_such_file
from .account import Account
from .comparison import Resampling
from .run_writer import RunWriter


class RecordedResult(Protocol):
    """What a result must have so that a run can be closed with it."""

    @property
    def account(self) -> Account: ...

    @property
    def counts(self) -> Mapping[str, int]: ...

    @property
    def notices(self) -> Sequence[Notice]: ...

    def to_dicts(self) -> list[dict[str, Any]]: ...


SHOWN = 5
"""How many refused dialogues a warning lists."""


def run_identity(kind: str, inputs: Sequence[Mapping[str, str | None]], **settings: Any) -> dict[str, Any]:
    """What makes a run this run: an unfinished run is continued only if all of this is the same.

    Args:
        kind: the subject.
        inputs: name and SHA-256 of each file.
        settings: all that decides the scores, such as rules and measures.

    Example:
        >>> run_identity("tracker", [{"role": "predictions", "name": "a.json", "sha256": None}], measures=["JGA"])["kind"]
        'tracker'
    """
    return {"kind": kind, "inputs": [dict(each) for each in inputs], **to_builtins(settings)}


def resampled(resampling: Resampling | None) -> dict[str, Any]:
    """The fields of a record that say how intervals were made."""
    return {"seed": resampling.seed if resampling else None, "intervals": to_builtins(resampling)}


def finish_run(
    writer: RunWriter,
    identity: Mapping[str, Any],
    result: RecordedResult,
    *,
    signature: str,
    columns: Mapping[str, Sequence[float | None]],
    report: str,
    accounts: Mapping[str, Any] | None = None,
    findings: Mapping[str, Any] | None = None,
    refused: Sequence[InputError] | None = None,
    **details: Any,
) -> None:
    """Writes ``run.json`` and the other files that close a run.

    Args:
        writer: has the rows.
        identity: what makes the run this run, and other fields that come first.
        result: the scores.
        signature: of the headline number.
        columns: a score per row for each measure, for the index.
        report: the report as Markdown.
        accounts: the fields about unscored units, where there is more than one account.
        findings: fields between the scores and the warnings.
        refused: dialogues that cannot be used; None for a subject whose runs have no such field.
        details: fields after the warnings.
    """
    # A run is the same wherever its input is: what is wrong and in which dialogue, without the file.
    lines = [
        str(InputError(each.message, line=each.line, dialogue=each.dialogue, turn=each.turn, slot=each.slot))
        for each in refused or ()
    ]
    warnings = [
        {**to_builtins(notice), **({"where": lines[:SHOWN]} if lines and notice.code == "refused" else {})}
        for notice in result.notices
    ]
    manifest = {
        **identity,
        "signature": signature,
        **(accounts or {"account": result.account.plain()}),
        "counts": result.counts,
        "scores": result.to_dicts(),
        **to_builtins(findings or {}),
        "warnings": warnings,
        **({} if refused is None else {"refused": lines}),
        **to_builtins(details),
    }
    writer.finish(manifest, columns, {"report.md": report})


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
    """The state of a file, or of each file of a folder, to see whether it changes; none for input that can be read only once."""
    if is_stream(path):
        return []
    try:
        found = [(str(file), file.stat()) for file in _files(path)]
    except FileNotFoundError:
        raise InputError(no_such_file(path), file=path) from None
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
