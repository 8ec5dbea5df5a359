"""Reads the folders that the authors of the paper on attacks stored, and computes the error rates that they hold.

Each attack has a folder with files ``case_N`` and ``prob_cases`` or ``prob_cases_METRIC``. The latter has a line for each failing case: its name,
the score of the human reply, and the score of the adversarial one. 100 cases were drawn, so that the error rate is the number of lines ÷ 100.
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
"""How many cases were drawn from a folder."""

_PROBLEMS = re.compile(r"prob_cases(?:_(?P<metric>.+))?")
_CASE = re.compile(r"case_\d+")
_DEEPEST = 6


class StoredErrors(Struct, frozen=True):
    """The failing cases that a file lists.

    Attributes:
        file: its path below the folder that was named.
        metric: as the tables call it; empty where the names of file and folders do not say it.
        data: the data set, likewise.
        attack: our name of the attack.
        failing: the cases that it lists.
        no_ops: how many of them change nothing.
        cases: how many files ``case_N`` the folder has.
        cases_no_ops: how many of these change nothing.
        missing: how many listed cases are not in the folder.
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
        """The error rate: lines ÷ 100, or without the cases that change nothing; None where no case is left."""
        if keep_no_ops:
            return self.failing / DRAWN
        drawn = self.drawn
        return (self.failing - self.no_ops) / drawn if drawn > 0 else None

    @property
    def drawn(self) -> float:
        """How many of the drawn cases change something: known where all cases were drawn, else by their share in the folder."""
        changing = self.cases - self.cases_no_ops
        return changing if self.cases <= DRAWN else DRAWN * changing / self.cases

    @property
    def is_exact(self) -> bool:
        """True if it is known which cases were drawn."""
        return self.cases <= DRAWN or not self.cases_no_ops


class PublishedCell(Struct, frozen=True):
    """A cell of a printed table, and what the stored files say.

    Attributes:
        printed: the error rate in the paper.
        value: the recomputed one; null where no file fits, or several do and differ.
        candidates: the error rate by file.
        is_exact: False if it is not known which cases were drawn, and no-ops are taken out by their share.
        reason: why there is no value.
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
    """All files of failing cases below a folder.

    Args:
        folder: with folders named after attacks, at any depth.
        metric: of files whose name and folders name none.
        data: the data set of files whose folders name none.

    Raises:
        InputError: there is no such folder or file, or a file is not one.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError("no such folder", file=str(folder))
    found: list[StoredErrors] = []
    by_folder: dict[Path, dict[str, bool]] = {}
    """By folder and case, whether the case changes nothing."""
    for path in _files(root):
        attack = attack_of_folder(path.parent)
        if path.parent not in by_folder:
            kind, files = named(attack), sorted(numbered_cases(path.parent))
            by_folder[path.parent] = {file.name: read_published_case(file, kind) == NOTHING_CHANGES for file in files}
        parts = (root.resolve().name, *path.relative_to(root).parts[:-2])
        spelled = _PROBLEMS.fullmatch(path.name)
        suffix = (spelled["metric"] or "") if spelled else ""
        name = table_name(suffix, METRICS) if suffix else _first(parts, METRICS) or metric
        listed = _listed(path)
        own = by_folder[path.parent]
        found.append(
            StoredErrors(
                path.relative_to(root).as_posix(),
                name,
                _first(parts, DATA) or data,
                attack,
                len(listed),
                sum(own.get(case, False) for case in listed),
                len(own),
                sum(own.values()),
                sum(case not in own for case in listed),
            )
        )
    if not found:
        raise InputError("no file prob_cases in a folder named after an attack", file=str(folder))
    return found, list(_notices(found))


def _files(root: Path) -> list[Path]:
    files = [path for path in root.rglob("prob_cases*") if path.is_file() and _PROBLEMS.fullmatch(path.name)]
    near = [path for path in files if len(path.relative_to(root).parts) <= _DEEPEST]
    return sorted(path for path in near if attack_of_folder(path.parent) in PUBLISHED_NAMES)


def _first(parts: Sequence[str], known: dict[str, tuple[str, ...]]) -> str:
    """The name that the nearest folder spells."""
    return next((name for part in reversed(parts) if (name := table_name(part, known))), "")


def _listed(path: Path) -> set[str]:
    """The cases that a file lists.

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


def _notices(found: Sequence[StoredErrors]) -> Iterator[Notice]:
    lost = [each.file for each in found if not each.metric or not each.data]
    if lost:
        message = f"{len(lost)} files name no metric or data set of the tables; say it with --metric and --data"
        yield Notice("unknown-name", len(lost), message, tuple(lost[:10]))
    missing = [each.file for each in found if each.missing]
    if missing:
        count = sum(each.missing for each in found)
        yield Notice("missing-case", count, f"{count} listed cases are not in their folder", tuple(missing[:10]))


def published_cells(found: Sequence[StoredErrors], keep_no_ops: bool = False) -> list[PublishedCell]:
    """Every cell of the printed tables, with the stored files that fit it.

    Args:
        found: the stored files.
        keep_no_ops: keep cases that change nothing, as the authors did.
    """
    cells = []
    for row in PRINTED:
        for attack, printed in row.cells.items():
            own = [each for each in found if (each.metric, each.data, each.attack) == (row.metric, row.data, attack)]
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
