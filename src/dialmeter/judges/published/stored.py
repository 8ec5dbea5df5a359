"""Read the folders that the authors of the paper on attacks published, and compute error rates from them.

Each attack has a folder with files ``case_N`` and ``prob_cases`` or ``prob_cases_METRIC``. The latter has a line for each failing case: its name,
the score of the human reply, and the score of the adversarial one. 100 cases were drawn, so the error rate is the number of lines ÷ 100.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...errors import InputError, one_line
from ...model import Notice
from ...readers.source import Source
from ..attacks import named
from ..case_files import NOTHING_CHANGES, PUBLISHED_NAMES, attack_of_folder, numbered_cases, read_published_case
from .printed import DATA, METRICS, PRINTED, table_name

DRAWN = 100
"""The number of cases that were drawn from a folder."""

_PROBLEMS = re.compile(r"prob_cases(?:_(?P<metric>.+))?")
_CASE = re.compile(r"case_\d+")
_DEEPEST = 6


class StoredErrors(Struct, frozen=True):
    """The failing cases that a file lists.

    Attributes:
        file: its path, relative to the given folder.
        metric: the metric's name in the tables; empty if it is not in the names of the file and its folders.
        data: the data set's name in the tables; empty in the same case.
        attack: the name of the attack in dialmeter.
        failing: the number of listed cases.
        no_ops: the number of listed cases that change nothing.
        cases: the number of files ``case_N`` in the folder.
        cases_no_ops: the number of these files that change nothing.
        missing: the number of listed cases that are not in the folder.
    """

    file: str
    metric: str
    data: str
    attack: str
    failing: int
    no_ops: int
    cases: int
    cases_no_ops: int
    missing: int

    def error(self, keep_no_ops: bool) -> float | None:
        """The error rate: lines ÷ 100, or the rate without the cases that change nothing; None if no case is left."""
        if keep_no_ops:
            return self.failing / DRAWN
        drawn = self.drawn
        return (self.failing - self.no_ops) / drawn if drawn > 0 else None

    @property
    def drawn(self) -> float:
        """The number of drawn cases that change something. It is estimated from the share in the folder if not all cases were drawn."""
        changing = self.cases - self.cases_no_ops
        return changing if self.cases <= DRAWN else DRAWN * changing / self.cases

    @property
    def is_exact(self) -> bool:
        """True if the number of drawn cases is exact, not estimated."""
        return self.cases <= DRAWN or not self.cases_no_ops


class PublishedCell(Struct, frozen=True):
    """A cell of a printed table, and the error rates of the stored files.

    Attributes:
        printed: the error rate in the paper.
        value: the recomputed error rate; null if no file matches, or several files match and differ.
        candidates: the error rate by file.
        is_exact: False if the drawn cases are unknown, and no-ops are subtracted by their share.
        reason: the reason if there is no value.
    """

    table: int
    metric: str
    data: str
    attack: str
    printed: float
    value: float | None
    candidates: dict[str, float]
    is_exact: bool
    reason: str
    measure: Literal["error"] = "error"


def read_stored(folder: str | Path, metric: str = "", data: str = "") -> tuple[list[StoredErrors], list[Notice]]:
    """Read all files of failing cases below a folder.

    Args:
        folder: a folder that contains folders named after attacks, at any depth.
        metric: the metric of files without a metric in the names of the file and its folders.
        data: the data set of files without a data set in the names of their folders.

    Raises:
        InputError: there is no such folder, it has no such files, or a file has another format.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder", file=str(folder))
    stored: list[StoredErrors] = []
    no_ops: dict[Path, dict[str, bool]] = {}  # By folder and case: True if the case changes nothing.
    for path in _problem_files(root):
        attack = attack_of_folder(path.parent)
        if path.parent not in no_ops:
            kind, files = named(attack), sorted(numbered_cases(path.parent))
            no_ops[path.parent] = {file.name: read_published_case(file, kind) == NOTHING_CHANGES for file in files}
        parts = (root.resolve().name, *path.relative_to(root).parts[:-2])
        match = _PROBLEMS.fullmatch(path.name)
        suffix = (match["metric"] or "") if match else ""
        name = table_name(suffix, METRICS) if suffix else _nearest_name(parts, METRICS) or metric
        listed = _read_listed(path)
        own = no_ops[path.parent]
        stored.append(
            StoredErrors(
                path.relative_to(root).as_posix(),
                name,
                _nearest_name(parts, DATA) or data,
                attack,
                len(listed),
                sum(own.get(case, False) for case in listed),
                len(own),
                sum(own.values()),
                sum(case not in own for case in listed),
            )
        )
    if not stored:
        raise InputError("no file prob_cases in a folder named after an attack", file=str(folder))
    return stored, list(_notices(stored))


def _problem_files(root: Path) -> list[Path]:
    files = [path for path in root.rglob("prob_cases*") if path.is_file() and _PROBLEMS.fullmatch(path.name)]
    near = [path for path in files if len(path.relative_to(root).parts) <= _DEEPEST]
    return sorted(path for path in near if attack_of_folder(path.parent) in PUBLISHED_NAMES)


def _nearest_name(parts: Sequence[str], spellings: dict[str, tuple[str, ...]]) -> str:
    """The name in the tables that the nearest folder has; empty if no folder has one."""
    return next((name for part in reversed(parts) if (name := table_name(part, spellings))), "")


def _read_listed(path: Path) -> set[str]:
    """Read the names of the cases that a file lists.

    Raises:
        InputError: a line is not a case with two scores, or a duplicate.
    """
    listed: set[str] = set()
    for number, line in enumerate(Source(path).text.splitlines(), 1):
        if not line.strip():
            continue
        name, *scores = line.split()
        if not _CASE.fullmatch(name) or len(scores) != 2 or not all(map(_is_number, scores)):
            message = f"expected a case and two scores, not {one_line(line, 80)!r}"
            raise InputError(message, file=str(path), line=number)
        if name in listed:
            raise InputError(f"duplicate {name}", file=str(path), line=number)
        listed.add(name)
    return listed


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _notices(stored: Sequence[StoredErrors]) -> Iterator[Notice]:
    unnamed = [each.file for each in stored if not each.metric or not each.data]
    if unnamed:
        message = f"{len(unnamed)} files name no metric or data set of the tables; set them with --metric and --data"
        yield Notice("unknown-name", len(unnamed), message, tuple(unnamed[:10]))
    missing = [each.file for each in stored if each.missing]
    if missing:
        count = sum(each.missing for each in stored)
        yield Notice("missing-case", count, f"{count} listed cases are not in their folder", tuple(missing[:10]))


def published_cells(stored: Sequence[StoredErrors], keep_no_ops: bool = False) -> list[PublishedCell]:
    """Every cell of the printed tables, with the stored files of the same metric, data set and attack.

    Args:
        stored: the stored files.
        keep_no_ops: count cases that change nothing, as the authors did.
    """
    cells = []
    for row in PRINTED:
        for attack, printed in row.cells.items():
            own = [each for each in stored if (each.metric, each.data, each.attack) == (row.metric, row.data, attack)]
            rates = {each.file: rate for each in own if (rate := each.error(keep_no_ops)) is not None}
            value = next(iter(rates.values())) if len(set(rates.values())) == 1 else None
            reason = "no file" if not own else "no case changes anything" if not rates else "several files differ"
            is_exact = keep_no_ops or all(each.is_exact for each in own)
            cells.append(
                PublishedCell(
                    row.table,
                    row.metric,
                    row.data,
                    attack,
                    printed,
                    value,
                    rates,
                    is_exact,
                    "" if value is not None else reason,
                )
            )
    return cells
