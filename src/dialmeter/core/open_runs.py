"""Reading a finished run from its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import DialmeterError, InputError
from ..views import as_polars
from .parquet import finite

if TYPE_CHECKING:
    import numpy as np
    import polars

SCHEMA = 1
PARTS = "parts"
WHOLE_RUN = f"{PARTS}/whole"
"""A new run that is whole, while its files are moved to their place; they count before those that are there."""


class Run:
    """A finished run.

    Args:
        folder: the run's folder.

    Attributes:
        digest: SHA-256 of ``run.json``, which tells a run from the one that replaced it.

    Raises:
        DialmeterError: no finished run there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        manifest = self.path("run.json")
        if not manifest.exists():
            unfinished = (self.folder / PARTS).exists()
            reason = "an unfinished run; go on with --resume" if unfinished else "no run here (run.json is missing)"
            raise DialmeterError(f"{folder}: {reason}")
        data = manifest.read_bytes()
        self.digest = hashlib.sha256(data).hexdigest()
        try:
            self.manifest: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise InputError(f"damaged: {error}", file=str(manifest)) from None
        if self.manifest.get("schema") != SCHEMA:
            raise InputError(
                f"schema {self.manifest.get('schema')!r} is not {SCHEMA}, the one this version reads",
                file=str(manifest),
            )

    def path(self, name: str) -> Path:
        """Where a file of the run is."""
        return file_of_run(self.folder, name)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The scores as in JSON."""
        found: list[dict[str, Any]] = self.manifest["scores"]
        return found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, one per dialogue, in order."""
        with open(self.path("rows.jsonl"), "rb") as file:
            for line in file:
                yield msgspec.json.decode(line, type=dict[str, Any])

    def index(self) -> dict[str, np.ndarray[Any, Any]]:
        """Byte offsets of the rows (``offset``) and a column per score."""
        import numpy as np

        with np.load(self.path("index.npz"), allow_pickle=False) as file:
            return {name.removeprefix("score:"): file[name] for name in file.files}

    def to_polars(self) -> polars.DataFrame:
        """One row per dialogue: its id and its scores.

        Raises:
            MissingExtra: polars is not installed.
        """
        scores = {name: [*map(finite, values.tolist())] for name, values in self.index().items() if name != "offset"}
        return as_polars({"id": [row["id"] for row in self], **scores})

    def row(self, position: int) -> dict[str, Any]:
        """One row by its position, without reading the others."""
        with open(self.path("rows.jsonl"), "rb") as file:
            file.seek(int(self.index()["offset"][position]))
            return msgspec.json.decode(file.readline(), type=dict[str, Any])


def file_of_run(folder: Path, name: str) -> Path:
    """Where a file of a run is: in its folder, or where it waits to be moved there after a kill."""
    moving = folder / WHOLE_RUN / name
    return moving if moving.exists() else folder / name


def open_run(folder: str | Path) -> Run:
    """Opens a finished run.

    Raises:
        DialmeterError: no finished run there.

    Example:
        >>> open_run("no-such-folder")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: no-such-folder: no run here (run.json is missing)
    """
    return Run(folder)
