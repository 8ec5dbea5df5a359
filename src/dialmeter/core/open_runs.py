"""Reads a finished run from its folder, and checks the fields of ``run.json`` that are read later. Every field may be missing."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct

from ..errors import DialmeterError, InputError
from ..readers.raw_file import is_stream
from ..readers.source import LINE_LIMIT, Source
from ..readers.strict_json import REFUSALS, parse_unique
from .result import as_polars
from .tabular import finite

if TYPE_CHECKING:
    import numpy as np
    import polars

SCHEMA = 1
LOG_TIME = "%Y-%m-%dT%H:%M:%S%z"
_LOG_LIMIT = 1 << 16
_READING = Lock()
"""Of arrays: numpy parses their headers with ``ast``, which in Python 3.11 fails when two threads parse and garbage is collected."""
_T = TypeVar("_T")


class _Input(Struct):
    role: str
    name: str
    sha256: str | None
    tracker: str = ""


class _Named(Struct):
    name: str = ""


class _Score(Struct):
    measure: str
    value: float | None = None
    ci: tuple[float, float] | None = None
    n: int | None = None
    unscored: int | None = None
    signature: str = ""
    judge: str = ""
    attack: str = ""
    corpus: str = ""
    facet: str = ""
    expected: str = ""
    domain: str = ""


class _Warning(Struct):
    code: str = ""
    count: int = 0
    message: str = ""
    where: list[str] = []


class _Finding(Struct):
    kind: str = ""
    message: str = ""
    turns: int = 0
    slots: list[str] = []
    points: float | None = None


class _Average(Struct):
    judge: str
    corpus: str = ""
    facet: str = ""
    value: float | None = None


class _Judge(Struct):
    name: str
    identity: str = ""
    higher_is_better: bool = True
    facets: list[str] | None = None
    trivial: bool = False


class _Raters(Struct):
    dimension: str = ""
    items: int = 0
    alpha_interval: float | None = None
    alpha_ordinal: float | None = None
    icc1: float | None = None
    icc1k: float | None = None
    ceiling: float | None = None


class _Intervals(Struct):
    confidence: float = 0.0
    resamples: int = 0
    seed: int = 0


class _Manifest(Struct):
    kind: str = ""
    scores: list[_Score] = []
    dialmeter: str = ""
    inputs: list[_Input] = []
    rules: dict[str, Any] | None = None
    profile: _Named | None = None
    measures: list[str] = []
    judges: list[_Judge] = []
    averages: list[_Average] = []
    comparisons: list[dict[str, Any]] = []
    threshold: str = ""
    verdict: str = ""
    confidence: float | None = None
    seed: int | None = None
    intervals: _Intervals | None = None
    signature: str | None = None
    account: dict[str, Any] | None = None
    counts: dict[str, int] = {}
    warnings: list[_Warning] = []
    diagnosis: list[_Finding] = []
    mistakes: list[dict[str, Any]] = []
    events: dict[str, Any] | list[Any] = {}
    refused: list[str] = []
    verdicts: dict[str, Any] | None = None
    blame: bool = False
    from_text: str | bool = False
    map: str | None = None
    raters: list[_Raters] = []
    dimensions: list[str] = []
    carried: list[str] = []
    trivial: list[str] = []
    main_dimension: str = ""


def parse_manifest(data: bytes, name: str) -> dict[str, Any]:
    """The content of a ``run.json`` whose fields have the types that they should have.

    Args:
        data: the file.
        name: of the file, for messages.

    Raises:
        InputError: not JSON, of another version, or a field of another type.

    Example:
        >>> parse_manifest(b'{"schema": 1, "kind": "tracker", "scores": 3}', "run.json")
        Traceback (most recent call last):
        dialmeter.errors.InputError: run.json: damaged: Expected array, got int - at $.scores
    """
    try:
        found = parse_unique(data, None)
        if not isinstance(found, dict):
            raise InputError("an object is expected")
        if found.get("schema") != SCHEMA or isinstance(found["schema"], bool):
            raise InputError(f"schema {found.get('schema')!r} is not {SCHEMA}, the one this version reads", file=name)
        msgspec.convert(found, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=name) from None
    except InputError as error:
        raise error if error.file else InputError(f"damaged: {error.message}", file=name) from None
    return found


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
        data = Source(manifest).read_all()
        self.digest = hashlib.sha256(data).hexdigest()
        self.manifest = parse_manifest(data, str(manifest))

    def path(self, name: str) -> Path:
        """Where a file of the run is."""
        return file_of_run(self.folder, name)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The scores as in JSON."""
        found: list[dict[str, Any]] = self.manifest.get("scores", [])
        return found

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, one per dialogue, in order.

        Raises:
            InputError: a row is damaged, with its line.
        """
        source = Source(self.path("rows.jsonl"))
        for number, line in source.lines():
            yield parse_row(line, source.name, number)

    def rows_as(self, kind: type[_T]) -> Iterator[_T]:
        """The rows as structs.

        Raises:
            InputError: a row is damaged, with its line.
        """
        for number, row in enumerate(self, 1):
            try:
                yield msgspec.convert(row, kind)
            except msgspec.ValidationError as error:
                message = f"damaged: {str(error).replace('`', '')}"
                raise InputError(message, file=str(self.path("rows.jsonl")), line=number) from None

    def index(self) -> dict[str, np.ndarray[Any, Any]]:
        """Byte offsets of the rows (``offset``) and a column per score.

        Raises:
            InputError: the index is missing or damaged.
        """
        path = self.path("index.npz")
        found = {name.removeprefix("score:"): column for name, column in read_arrays(path).items()}
        if "offset" not in found or found["offset"].ndim != 1 or found["offset"].dtype.kind != "i":
            raise InputError("damaged: offsets must be whole numbers", file=str(path))
        return found

    def to_polars(self) -> polars.DataFrame:
        """One row per dialogue: its id and its scores.

        Raises:
            MissingExtra: polars is not installed.
        """
        scores = {name: [*map(finite, values.tolist())] for name, values in self.index().items() if name != "offset"}
        return as_polars({"id": [row["id"] for row in self], **scores})

    def row(self, position: int) -> dict[str, Any]:
        """One row by its position, without reading the others.

        Raises:
            InputError: the row is damaged.
        """
        return parse_row(self.line(int(self.index()["offset"][position])), str(self.path("rows.jsonl")), position + 1)

    def line(self, offset: int) -> bytes:
        """The row that begins at a byte of the file of rows, as it is written.

        Raises:
            InputError: the file cannot be read there.
        """
        path = self.path("rows.jsonl")
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                return file.readline(LINE_LIMIT)
        except (OSError, ValueError, OverflowError) as error:
            raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=str(path)) from None


def read_arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file of a run.

    Raises:
        InputError: the file is missing or damaged.
    """
    import numpy as np

    try:
        if is_stream(str(path)):
            raise OSError("not a file")
        with open(path, "rb") as raw, _READING, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (
        OSError,
        ValueError,
        KeyError,
        EOFError,
        MemoryError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        reason = "missing" if isinstance(error, FileNotFoundError) else f"damaged: {error}"
        raise InputError(reason, file=str(path)) from None


def parse_row(line: bytes, name: str, number: int) -> dict[str, Any]:
    """One row of a run, which has an id.

    Raises:
        InputError: it is damaged.
    """
    try:
        found = parse_unique(line, None, number)
        if not isinstance(found, dict) or not isinstance(found.get("id"), str):
            raise InputError("a row is an object with an id")
    except InputError as error:
        raise InputError(f"damaged: {error.message}", file=name, line=number) from None
    return found


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


class _Log(Struct):
    finished: str = ""


def finished_at(folder: Path) -> datetime | None:
    """When a run was finished, by its log; None where the log is missing or does not say it."""
    path = file_of_run(folder, "log.json")
    try:
        if path.is_symlink() or is_stream(str(path)):
            return None
        with open(path, "rb") as file:
            return datetime.strptime(msgspec.json.decode(file.read(_LOG_LIMIT), type=_Log).finished, LOG_TIME)
    except (OSError, ValueError, *REFUSALS):
        return None
