"""The record of a run: its inputs with their hashes, its identity, and ``run.json`` with the scores.

Each subject adds its own fields.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec import to_builtins

from ..errors import InputError, reading
from ..readers.raw_file import STDIN, is_stream, stream_digest
from ..readers.unrecognised_input import no_such_file
from .account import account_fields
from .comparison import Resampling

if TYPE_CHECKING:
    from .run_writer import RunWriter

SHOWN = 5
"""Maximum number of refused dialogues that a warning lists."""


def run_identity(kind: str, inputs: Sequence[Mapping[str, str | None]], **settings: Any) -> dict[str, Any]:
    """Return the fields that identify a run. An unfinished run is continued only if all of them are equal.

    Args:
        kind: the subject.
        inputs: name and SHA-256 of each file.
        settings: everything that affects the scores, such as rules and measures.

    Example:
        >>> run_identity("tracker", [{"role": "predictions", "name": "a.json", "sha256": None}], measures=["JGA"])["kind"]
        'tracker'
    """
    return {"kind": kind, "inputs": [dict(each) for each in inputs], **to_builtins(settings)}


def resampling_fields(resampling: Resampling | None) -> dict[str, Any]:
    """Return the fields of a record with the settings of intervals."""
    return {"seed": resampling.seed if resampling else None, "intervals": to_builtins(resampling)}


def finish_run(
    writer: RunWriter,
    identity: Mapping[str, Any],
    result: Any,
    *,
    rows: Iterable[Any] = (),
    columns: Mapping[str, Sequence[float | None]] = {},
    findings: Mapping[str, Any] = {},
    **details: Any,
) -> None:
    """Write the rows that are not in the run yet, ``run.json``, and the other files that complete a run.

    Args:
        writer: the writer.
        identity: the identity of the run.
        result: the result, with its scores, accounts, counts, warnings and unscored dialogues, and its other fields of a run.
        rows: one per dialogue or case, unless the writer has them all.
        columns: more scores per row, for the index.
        findings: more fields between the scores and the warnings.
        details: more fields after the warnings.
    """
    for row in rows:
        if row.id not in writer.done:
            writer.add(row)
    # A run does not depend on the path of its input, so errors are recorded without the file.
    refused: Sequence[InputError] | None = getattr(result, "refused", None)
    lines = [
        str(InputError(each.message, line=each.line, dialogue=each.dialogue, turn=each.turn, slot=each.slot))
        for each in refused or ()
    ]
    warnings = [
        {**to_builtins(notice), **({"where": lines[:SHOWN]} if lines and notice.code == "unscored" else {})}
        for notice in result.notices
    ]
    fields = result.run_fields()
    manifest = {
        **identity,
        **(resampling_fields(result.resampling) if hasattr(result, "resampling") else {}),
        "signature": result.signature,
        **(account_fields(result.accounts) if hasattr(result, "accounts") else {"account": result.account.plain()}),
        "counts": result.counts,
        "scores": result.to_dicts(),
        **to_builtins({**fields.findings, **findings}),
        "warnings": warnings,
        **({} if refused is None else {"unscored_dialogues": lines}),
        **to_builtins({**fields.details, **details}),
    }
    writer.finish(manifest, {**fields.columns, **columns})


_CHUNK = 1 << 20
_FileState: TypeAlias = tuple[str, int, int, int, int]
"""Path, device, inode, size, and modification time. At least one of them differs if a file was replaced or changed."""


class RunInput(NamedTuple):
    """One input of a run: its role, its path, and the name of the tracker after the ``#``."""

    role: str
    path: str
    tracker: str = ""


class RunInputs:
    """The inputs of a run with their hashes. Create it before the first input is read.

    Args:
        inputs: the inputs.

    Raises:
        InputError: an input does not exist or cannot be read.
    """

    def __init__(self, inputs: Sequence[RunInput]) -> None:
        self._inputs = inputs
        self._before = {each.path: _states(each.path) for each in inputs}
        self._digests: dict[str, str] = {}

    def described(self) -> list[dict[str, str | None]]:
        """Return role, name without folder, and SHA-256 of each input. The SHA-256 of a pipe is None until it is read."""
        return [self._describe(each) for each in self._inputs]

    def after_reading(self) -> list[dict[str, str | None]]:
        """Return the same after all inputs, including pipes, were read.

        Raises:
            InputError: a file changed in the meantime, so it is unknown which content was read.
        """
        for path, before in self._before.items():
            if _states(path) != before:
                raise InputError("the file changed while it was read", file=path)
        return self.described()

    def _describe(self, run_input: RunInput) -> dict[str, str | None]:
        path = run_input.path
        name = "standard input" if path == STDIN else Path(path).name
        if is_stream(path):
            digest = stream_digest(path)
        else:
            digest = self._digests.get(path) or self._digests.setdefault(path, digest_of(path))
        fields: dict[str, str | None] = {"role": run_input.role, "name": name, "sha256": digest}
        return {**fields, "tracker": run_input.tracker} if run_input.tracker else fields


def _files(path: str) -> list[Path]:
    """Return the file, or the JSON files of a folder, or all files of a folder without JSON files."""
    root = Path(path)
    if not root.is_dir():
        return [root]
    files = sorted(each for each in root.rglob("*") if each.is_file())
    return [each for each in files if ".json" in each.name] or files


def _states(path: str) -> list[_FileState]:
    """Return the state of a file, or of each file of a folder, to detect changes; empty for a stream."""
    if is_stream(path):
        return []
    try:
        stats = [(str(file), file.stat()) for file in _files(path)]
    except FileNotFoundError:
        raise InputError(no_such_file(path), file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    return [(name, each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for name, each in stats]


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file, or of the names and the content of the files of a folder.

    Raises:
        InputError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for file in _files(path):
        if os.path.isdir(path):
            digest.update(file.relative_to(path).as_posix().encode() + b"\0")
        with reading(file), open(file, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
