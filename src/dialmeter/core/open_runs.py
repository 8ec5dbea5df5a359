"""Read a finished run from its folder, and validate the fields of ``run.json`` that are read later, which are all optional; export its rows."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, TypeVar

import msgspec
from msgspec import Struct

from ..errors import DialmeterError, InputError, MissingExtra, one_line
from ..model import Notice
from ..numeric import np
from ..readers.raw_file import Budget, is_stream
from ..readers.source import LINE_LIMIT, Source
from ..readers.strict_json import REFUSALS, parse_unique
from .comparison import Resampling

SCHEMA = 1
LOG_TIME = "%Y-%m-%dT%H:%M:%S%z"
_LOG_LIMIT = 1 << 16
_ARRAY = ".npy"
_ARRAY_LOCK = Lock()
"""Held while arrays are read. numpy parses their headers with ``ast``, and in Python 3.11 that fails if two threads parse while
garbage is collected."""
_T = TypeVar("_T")


class _Input(Struct):
    role: str
    name: str
    sha256: str | None
    tracker: str = ""


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


class _Finding(Struct):
    kind: str = ""
    message: str = ""


class _Average(Struct):
    judge: str
    corpus: str = ""
    facet: str = ""
    value: float | None = None


class _Judge(Struct):
    name: str
    trivial: bool = False


class _Raters(Struct):
    facet: str = ""
    items: int = 0
    alpha_interval: float | None = None
    alpha_ordinal: float | None = None
    icc1: float | None = None
    icc1k: float | None = None
    ceiling: float | None = None


class _Confusion(Struct):
    lost_by: str
    said: str
    heard: str
    dialogues: int
    points: int
    gains: dict[str, float]
    example: str


class _Verdicts(Struct):
    confusions: list[_Confusion] = []


class _Manifest(Struct):
    kind: str = ""
    scores: list[_Score] = []
    scores_without_infrastructure: list[_Score] = []
    inputs: list[_Input] = []
    rules: dict[str, Any] | None = None
    judges: list[_Judge] = []
    averages: list[_Average] = []
    intervals: Resampling | None = None
    words: list[str] = []
    signature: str | None = None
    account: dict[str, Any] | None = None
    counts: dict[str, int] = {}
    warnings: list[Notice] = []
    diagnosis: list[_Finding] = []
    mistakes: list[dict[str, Any]] = []
    verdicts: _Verdicts | None = None
    blame: bool = False
    raters: list[_Raters] = []
    trivial: list[str] = []
    main_facet: str = ""


def parse_manifest(data: bytes, name: str) -> dict[str, Any]:
    """Parse a ``run.json`` and validate the types of its fields.

    Args:
        data: content of the file.
        name: name of the file in messages.

    Raises:
        InputError: not valid JSON, another schema version, or a field has another type.

    Example:
        >>> parse_manifest(b'{"schema": 1, "kind": "tracker", "scores": 3}', "run.json")
        Traceback (most recent call last):
        dialmeter.errors.InputError: run.json: damaged: Expected array, got int - at $.scores
    """
    try:
        manifest = parse_unique(data, None)
        if not isinstance(manifest, dict):
            raise InputError("expected an object")
        if manifest.get("schema") != SCHEMA or isinstance(manifest["schema"], bool):
            schema = manifest.get("schema")
            raise InputError(f"schema version {schema!r} is not supported; this version reads {SCHEMA}", file=name)
        msgspec.convert(manifest, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=name) from None
    except InputError as error:
        raise error if error.file else InputError(f"damaged: {error.message}", file=name) from None
    return manifest


SUMMARY = "summary.txt"
"""The file with the summary that the terminal showed, without the next command, which may name a folder."""
PARTS = "parts"
WHOLE_RUN = f"{PARTS}/whole"
"""The folder of a complete new run while its files are moved into place. They take precedence over the old files."""


class Run:
    """A finished run.

    Args:
        folder: the run's folder.

    Attributes:
        digest: SHA-256 of ``run.json``; it differs if the run was replaced.

    Raises:
        DialmeterError: the folder holds no finished run.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        manifest = self.path("run.json")
        if not manifest.exists():
            reason = "no run here (run.json is missing)"
            if self.folder.is_file():
                reason = f"a file, not a run; save a run first: dialmeter score {shlex.quote(str(folder))} -o RUN"
            elif (self.folder / PARTS).exists():
                reason = "an unfinished run; the command that began it continues it"
            raise DialmeterError(f"{folder}: {reason}")
        data = Source(manifest).read_all()
        self.digest = hashlib.sha256(data).hexdigest()
        self.manifest = parse_manifest(data, str(manifest))

    def path(self, name: str) -> Path:
        """Return the path of a file of the run."""
        return file_of_run(self.folder, name)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The scores as in JSON."""
        scores: list[dict[str, Any]] = self.manifest.get("scores", [])
        return scores

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows, one per dialogue, in order.

        Raises:
            InputError: a row is damaged; the error has its line.
        """
        source = Source(self.path("rows.jsonl"))
        for number, line in source.lines():
            yield parse_row(line, source.name, number)

    def rows_as(self, kind: type[_T]) -> Iterator[_T]:
        """Yield the rows as structs.

        Raises:
            InputError: a row is damaged; the error has its line.
        """
        for number, row in enumerate(self, 1):
            try:
                yield msgspec.convert(row, kind)
            except msgspec.ValidationError as error:
                message = f"damaged: {str(error).replace('`', '')}"
                raise InputError(message, file=str(self.path("rows.jsonl")), line=number) from None

    def index(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return the byte offsets of the rows (``offset``) and a column per score.

        Raises:
            InputError: the index is missing or damaged.
        """
        path = self.path("index.npz")
        columns = {name.removeprefix("score:"): column for name, column in read_arrays(path).items()}
        offsets = columns.get("offset")
        if offsets is None or offsets.ndim != 1 or offsets.dtype.kind != "i":
            raise InputError("damaged: offsets must be integers", file=str(path))
        if len(offsets) and (offsets[0] != 0 or (offsets[1:] <= offsets[:-1]).any()):
            raise InputError("damaged: offsets must rise from 0", file=str(path))
        for name, column in columns.items():
            if column is not offsets and (column.shape != offsets.shape or column.dtype.kind != "f"):
                message = f"damaged: column {one_line(name)} must have one real number for each of {len(offsets)} rows"
                raise InputError(message, file=str(path))
        return columns

    def row(self, position: int) -> dict[str, Any]:
        """Return one row by its index, without reading the others.

        Raises:
            InputError: the row is damaged.
        """
        return parse_row(self.line(int(self.index()["offset"][position])), str(self.path("rows.jsonl")), position + 1)

    def line(self, offset: int) -> bytes:
        """Return the raw line that starts at a byte offset of the file of rows.

        Raises:
            InputError: the file cannot be read at this offset.
        """
        path = self.path("rows.jsonl")
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                return file.readline(LINE_LIMIT)
        except (OSError, ValueError, OverflowError) as error:
            raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=str(path)) from None


def read_arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Read the arrays in an NPZ file of a run. Their sizes are checked before they are decompressed.

    Raises:
        InputError: the file is missing or damaged, or larger than ``DIALMETER_MAX_BYTES`` allows.
    """
    import zipfile

    from numpy.lib.format import read_array

    try:
        if is_stream(str(path)):
            raise OSError("not a file")
        with open(path, "rb") as raw, _ARRAY_LOCK, zipfile.ZipFile(raw) as archive:
            size = sum(each.file_size for each in archive.infolist())
            Budget(str(path)).check_growth(size, os.fstat(raw.fileno()).st_size)
            names = [name for name in archive.namelist() if name.endswith(_ARRAY)]
            return {name.removesuffix(_ARRAY): read_array(archive.open(name), allow_pickle=False) for name in names}
    except DialmeterError:
        raise
    except Exception as error:  # A damaged archive raises errors of its compression, of numpy or of Python itself.
        reason = "missing" if isinstance(error, FileNotFoundError) else f"damaged: {error or type(error).__name__}"
        raise InputError(reason, file=str(path)) from None


def parse_row(line: bytes, name: str, number: int) -> dict[str, Any]:
    """Parse one row of a run. It must have an id.

    Raises:
        InputError: the row is damaged.
    """
    try:
        row = parse_unique(line, None, number)
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise InputError("a row must be an object with an id")
    except InputError as error:
        raise InputError(f"damaged: {error.message}", file=name, line=number) from None
    return row


def file_of_run(folder: Path, name: str) -> Path:
    """Return the path of a file of a run: in its folder or, after a kill, in the folder from which it is still to be moved."""
    moving = folder / WHOLE_RUN / name
    return moving if moving.exists() else folder / name


def is_run(path: str | Path) -> bool:
    """Return True if a path is the folder of a run, finished or not."""
    return any(Path(path, name).exists() for name in ("run.json", PARTS))


def open_run(folder: str | Path) -> Run:
    """Open a finished run.

    Raises:
        DialmeterError: the folder holds no finished run.

    Example:
        >>> open_run("no-such-folder")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: no-such-folder: no run here (run.json is missing)
    """
    return Run(folder)


class _Log(Struct):
    finished: str = ""


def finished_at(folder: Path) -> datetime | None:
    """Return the time at which a run was finished, from its log, or None if the log does not have it."""
    path = file_of_run(folder, "log.json")
    try:
        if path.is_symlink() or is_stream(str(path)):
            return None
        with open(path, "rb") as file:
            return datetime.strptime(msgspec.json.decode(file.read(_LOG_LIMIT), type=_Log).finished, LOG_TIME)
    except (OSError, ValueError, *REFUSALS):
        return None


_GROUP = 2000
"""Number of rows that are in memory at a time."""


class RowId(Struct):
    """The id of a row. Its other fields are not decoded."""

    id: str


def check_parquet() -> None:
    """Raise MissingExtra before any work is done if Parquet cannot be written."""
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        raise MissingExtra("convert --to parquet", "tables") from None


def write_parquet(rows: Path, target: BinaryIO, columns: Mapping[str, Sequence[float | None]]) -> None:
    """Write one row per dialogue: its id, its scores, and the original row as JSON text.

    Args:
        rows: the file of rows of a run, JSON lines.
        target: the Parquet file, open for writing.
        columns: a score per row for each name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("id", pa.string()), *((name, pa.float64()) for name in columns), ("row", pa.string())])
    with parquet.ParquetWriter(target, schema) as writer, open(rows, "rb") as file:
        start = 0
        while lines := [line.rstrip(b"\n") for line in islice(file, _GROUP)]:
            end = start + len(lines)
            scores = {name: [finite(value) for value in values[start:end]] for name, values in columns.items()}
            ids = [msgspec.json.decode(line, type=RowId).id for line in lines]
            writer.write_table(pa.table({"id": ids, **scores, "row": [line.decode() for line in lines]}, schema=schema))
            start = end


def finite(value: float | None) -> float | None:
    """Return the value, or None if it is NaN."""
    return None if value is None or value != value else float(value)  # noqa: PLR0124  true for NaN
