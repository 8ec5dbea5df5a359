"""Recompute Tables 3 and 4 of Khalid and Lee (2022) from the folders that its authors published, beside the printed values.

Run with `python benchmarks/published_judges.py FOLDER [--keep-no-ops] [--metric NAME] [--data NAME] [--json]`. FOLDER is their
repository or a part of it; it is not part of dialmeter. Each attack has a folder, at any depth, with files ``case_N`` and ``prob_cases``
or ``prob_cases_METRIC``. The latter has a line for each failing case: its name, the score of the human reply, and the score of the
adversarial one. 100 cases were drawn, so the error rate is the number of lines ÷ 100.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import msgspec
from msgspec import Struct

from dialmeter.core.account import Account, count_reasons
from dialmeter.errors import DialmeterError, InputError, one_line
from dialmeter.judges.attacks import named
from dialmeter.judges.case_files import (
    NOTHING_CHANGES,
    PUBLISHED_NAMES,
    attack_of_folder,
    numbered_cases,
    read_published_case,
)
from dialmeter.model import Notice
from dialmeter.readers.source import Source
from dialmeter.views.tables import Table, render


class PrintedRow(Struct, frozen=True):
    """A row of a printed table: a metric on a data set, and its error rate per attack."""

    table: int
    metric: str
    data: str
    values: tuple[float, ...]

    @property
    def cells(self) -> dict[str, float]:
        """The values by the names of attacks in dialmeter."""
        return dict(zip(ATTACKS[self.table], self.values, strict=True))


ATTACKS = {
    3: ("entailment", "pronoun", "named-entity", "co-reference", "speaker", "contradiction", "dullness"),
    4: ("repetition", "vocabulary", "unnatural-paraphrase", "natural-paraphrase", "entrainment"),
}

PRINTED = (
    PrintedRow(3, "DialogRPT", "DDial", (0.30, 0.48, 0.60, 0.56, 0.98, 0.78, 0.48)),
    PrintedRow(3, "DialogRPT", "Reddit", (0.13, 0.66, 0.64, 0.32, 0.91, 0.72, 0.53)),
    PrintedRow(3, "DialogRPT", "PerCh", (0.40, 0.55, 0.74, 0.45, 0.89, 0.87, 0.47)),
    PrintedRow(3, "Pang-C", "DDial", (0.46, 0.08, 0.49, 0.03, 0.01, 0.26, 0.78)),
    PrintedRow(3, "Pang-C", "Reddit", (0.50, 0.49, 0.41, 0.58, 0.04, 0.47, 0.90)),
    PrintedRow(3, "Pang-C", "PerCh", (0.47, 0.20, 0.53, 0.74, 0.00, 0.51, 0.86)),
    PrintedRow(3, "Pang-L", "DDial", (0.45, 0.75, 0.72, 0.23, 0.74, 0.32, 0.67)),
    PrintedRow(3, "Pang-L", "Reddit", (0.49, 0.63, 0.57, 0.35, 0.59, 0.29, 0.81)),
    PrintedRow(3, "Pang-L", "PerCh", (0.54, 0.76, 0.73, 0.35, 0.69, 0.33, 0.81)),
    PrintedRow(3, "UWBERT", "MultiWOz", (0.98, 1.00, 1.00, 0.01, 1.00, 0.97, 0.98)),
    PrintedRow(3, "WHiGRU", "MultiWOz", (0.93, 0.98, 0.94, 0.07, 0.96, 0.96, 0.95)),
    PrintedRow(3, "WBERT", "MultiWOz", (0.98, 0.97, 0.97, 0.01, 0.96, 0.98, 0.94)),
    PrintedRow(4, "DialogRPT", "DDial", (0.86, 0.14, 0.42, 0.44, 0.62)),
    PrintedRow(4, "DialogRPT", "Reddit", (0.90, 0.08, 0.42, 0.35, 0.59)),
    PrintedRow(4, "DialogRPT", "PerCh", (0.91, 0.08, 0.53, 0.41, 0.67)),
    PrintedRow(4, "Pang-C", "DDial", (0.02, 0.00, 0.00, 0.87, 0.46)),
    PrintedRow(4, "Pang-C", "Reddit", (0.05, 0.02, 0.15, 0.33, 0.59)),
    PrintedRow(4, "Pang-C", "PerCh", (0.01, 0.06, 0.00, 0.89, 0.23)),
    PrintedRow(4, "Pang-F", "DDial", (0.99, 0.88, 1.00, 0.97, 1.00)),
    PrintedRow(4, "Pang-F", "Reddit", (0.80, 0.64, 0.88, 0.44, 0.93)),
    PrintedRow(4, "Pang-F", "PerCh", (0.87, 0.83, 0.98, 0.87, 0.94)),
    PrintedRow(4, "UWBERT", "MultiWOz", (1.00, 0.01, 0.98, 0.04, 1.00)),
    PrintedRow(4, "WHiGRU", "MultiWOz", (0.96, 0.02, 0.98, 0.10, 0.95)),
    PrintedRow(4, "WBERT", "MultiWOz", (0.99, 0.00, 0.98, 0.03, 1.00)),
)

METRICS = {
    "DialogRPT": ("dialogrpt", "rpt"),
    "Pang-C": ("pangc", "pangcontext", "pangcoherence", "context", "contextcoherence"),
    "Pang-F": ("pangf", "pangfluency", "fluency"),
    "Pang-L": ("pangl", "panglogic", "logic", "logicalconsistency", "logicconsistency"),
    "UWBERT": ("uwbert", "satisfactionbertunw"),
    "WHiGRU": ("whigru", "higru", "satisfactionhgru"),
    "WBERT": ("wbert", "satisfactionbert"),
}
"""The metrics of the tables → their spellings in names of files and folders, in lower case, with letters and digits only."""

DATA = {
    "DDial": ("ddial", "dailydialog", "dailydialogue", "daily"),
    "Reddit": ("reddit",),
    "PerCh": ("perch", "personachat", "persona"),
    "MultiWOz": ("multiwoz", "mwoz"),
}
"""The data sets of the tables → their spellings, in the same form."""

METRIC_FOLDERS: dict[str, tuple[str, ...]] = {"Reddit": ("dialogrpt",)}
"""The authors keep the cases of a data set in the folder of the metric that was trained on it; other names of data sets come first."""

NOT_RECOGNISED = "not recognised"


def table_name(text: str, spellings: dict[str, tuple[str, ...]]) -> str:
    """The name in the tables for a text; empty if the text is not a known spelling.

    Example:
        >>> table_name("Daily_Dialog", DATA), table_name("pang-c", METRICS), table_name("other", METRICS)
        ('DDial', 'Pang-C', '')
    """
    plain = "".join(letter for letter in text.lower() if letter.isalnum())
    return next((name for name, forms in spellings.items() if plain in (*forms, name.lower())), "")


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

    def may_be(self, row: PrintedRow, attack: str) -> bool:
        """True if the file is of this attack, and what its names say does not exclude this row."""
        return self.attack == attack and self.metric in ("", row.metric) and self.data in ("", row.data)

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
        value: the recomputed error rate; None if no file matches, or several files match and differ.
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
                _nearest_name(parts, DATA) or _nearest_name(parts, METRIC_FOLDERS) or data,
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
        message = f"{len(unnamed)} files are {NOT_RECOGNISED}: no metric or data set of the tables is in their names (--metric, --data)"
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
            if own:
                reason = "several files differ" if rates else "no case changes anything"
            else:
                reason = NOT_RECOGNISED if any(each.may_be(row, attack) for each in stored) else "no file"
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


def published_tables(cells: Sequence[PublishedCell]) -> Iterator[Table]:
    """Yield the two tables: recomputed error rates and, in brackets, printed ones.

    A star marks a cell that several files match. A ~ marks a cell in which unchanged cases are subtracted by their share.
    """
    for table, attacks in ATTACKS.items():
        by_metric: dict[tuple[str, str], dict[str, str]] = {}
        for cell in cells:
            if cell.table == table:
                by_metric.setdefault((cell.metric, cell.data), {})[cell.attack] = _cell(cell)
        rows = tuple((metric, data, *(own[attack] for attack in attacks)) for (metric, data), own in by_metric.items())
        headings = ("metric", "data", *attacks)
        title = f"Table {table}: error rates, recomputed (printed)"
        yield Table(title, headings, rows, frozenset(range(2, len(headings))))


def _cell(cell: PublishedCell) -> str:
    star = "*" if len(cell.candidates) > 1 else ""
    rates = [cell.value] if cell.value is not None else sorted(set(cell.candidates.values()))
    tilde = "" if cell.is_exact else "~"
    text = "/".join(f"{tilde}{rate:.2f}" for rate in rates) or "–"
    return f"{text}{star} ({cell.printed:.2f})"


def _ambiguous_cells(cells: Sequence[PublishedCell]) -> Table:
    rows = tuple(
        (cell.metric, cell.data, cell.attack, file, f"{rate:.2f}", f"{cell.printed:.2f}")
        for cell in cells
        if len(cell.candidates) > 1
        for file, rate in cell.candidates.items()
    )
    headings = ("metric", "data", "attack", "file", "error", "printed")
    return Table("* cells that match several files", headings, rows, frozenset({4, 5}))


def _files(stored: Sequence[StoredErrors]) -> Table:
    rows = tuple(
        (
            each.file,
            each.metric or NOT_RECOGNISED,
            each.data or NOT_RECOGNISED,
            each.attack,
            *map(str, (each.failing, each.no_ops, each.cases, each.cases_no_ops)),
        )
        for each in stored
    )
    headings = ("file", "metric", "data", "attack", "failing", "failing no-ops", "cases", "no-op cases")
    return Table("stored files", headings, rows, frozenset({4, 5, 6, 7}))


def _account(cells: Sequence[PublishedCell]) -> Account:
    unscored = [(f"{cell.metric} {cell.data} {cell.attack}", cell.reason) for cell in cells if cell.value is None]
    with_files = sum(bool(cell.candidates) for cell in cells)
    return Account("item", len(cells), with_files, len(cells) - len(unscored), count_reasons(unscored), "recomputed")


def _note(keep_no_ops: bool) -> str:
    if keep_no_ops:
        return "error = lines ÷ 100; cases that change nothing are counted, as the authors did"
    return (
        "cases that change nothing (no-ops) are not counted; ~ means that the 100 drawn cases are not stored, so no-ops are "
        "removed by their share in the folder; use --keep-no-ops for the stored figures"
    )


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument(
        "--keep-no-ops", action="store_true", help="count cases that change nothing, as the authors did"
    )
    options.add_argument("--metric", choices=METRICS, default="", help="metric of files without a metric in their path")
    options.add_argument("--data", choices=DATA, default="", help="data set of files without a data set in their path")
    options.add_argument("--json", action="store_true", help="print the cells and the files as JSON")
    chosen = options.parse_args(words)
    try:
        stored, notices = read_stored(chosen.folder, chosen.metric, chosen.data)
    except DialmeterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    cells = published_cells(stored, chosen.keep_no_ops)
    for notice in notices:
        print(f"warning: {notice.message}", file=sys.stderr)
    if chosen.json:
        print(msgspec.json.encode({"scores": cells, "files": stored}).decode())
        return 0
    ambiguous = [_ambiguous_cells(cells)] if any(len(cell.candidates) > 1 for cell in cells) else []
    for table in (*published_tables(cells), *ambiguous, _files(stored)):
        print(f"{render(table, 'text')}\n")
    print(f"{_account(cells).line}\n{_note(chosen.keep_no_ops)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
