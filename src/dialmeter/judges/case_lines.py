"""Files of cases, one JSON line each, and files of scores that were made elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from ..errors import InputError, one_line
from ..readers.source import Source
from ..readers.strict_json import parse_as
from .cases import Case
from .hashing import case_id
from .judge import FACETS
from .scoring import Pair
from .verdict import EXPECTED


def read_cases(path: str | Path) -> list[Case]:
    """The cases of a file.

    Raises:
        InputError: the file cannot be read, a line is not a case, or there is none.
    """
    source = Source(path)
    found = [_case(line, number, source.name) for number, line in source.lines()]
    if not found:
        raise InputError("holds no cases", file=source.name)
    return found


def _case(line: bytes, number: int, file: str) -> Case:
    case = parse_as(line, Case, file, number, what="a case")
    if not case.context:
        raise InputError("a case needs a context of at least one move", file=file, line=number)
    for name, value, known in (("expected", case.expected, EXPECTED), ("facet", case.facet, FACETS)):
        if value not in known:
            message = f"{name} is {one_line(value)!r}, not one of {', '.join(known)}"
            raise InputError(message, file=file, line=number)
    return case


def read_scores(path: str | Path, cases: Sequence[Case]) -> list[Pair]:
    """Scores from a CSV file with the columns ``case``, ``human`` and ``adversarial``, one pair per case.

    A case is named by the number of its line in the file of cases, from 1, or by its id. Cases that the file does not
    have are not scored.

    Raises:
        InputError: a column is missing, a case is unknown or stands twice, or a score is not a number.
    """
    places = {str(number): number - 1 for number in range(1, len(cases) + 1)}
    places |= {case_id(case): number for number, case in enumerate(cases)}
    found = [Pair(None, None)] * len(cases)
    seen: set[int] = set()
    rows = csv.DictReader(io.StringIO(Source(path).text, newline=""), skipinitialspace=True)
    try:
        columns = rows.fieldnames or ()
        missing = [name for name in ("case", "human", "adversarial") if name not in columns]
        if missing:
            raise InputError(f"has no column {missing[0]!r}; case, human, adversarial are needed", file=str(path))
        if len(set(columns)) < len(columns):
            raise InputError("a heading stands twice", file=str(path), line=1)
        for row in rows:
            place = places.get((row["case"] or "").strip())
            if place is None:
                message = f"case {one_line(row['case'] or '')!r} is not in the file of cases"
                raise InputError(message, file=str(path), line=rows.line_num)
            if place in seen:
                message = f"case {one_line(row['case'])!r} stands twice"
                raise InputError(message, file=str(path), line=rows.line_num)
            seen.add(place)
            human, adversarial = (_number(row[side], side, path, rows.line_num) for side in ("human", "adversarial"))
            found[place] = Pair(human, adversarial)
    except csv.Error as error:
        raise InputError(f"not a CSV file ({error})", file=str(path)) from None
    return found


def _number(text: str | None, side: str, path: str | Path, line: int) -> float | None:
    """A score; an empty cell is a reply that was not scored."""
    if text is None or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InputError(f"{side} is {one_line(text)!r}, which is not a number", file=str(path), line=line)
    return number
