"""Lists of rows: the query of an address and its result, and the data of lists that a script filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from ...errors import DialmeterError
from ...readers.strict_json import REFUSALS, decode_json
from .findings_file import row_lines
from .kinds import Field
from .opened import Opened

if TYPE_CHECKING:
    import numpy as np
    from markupsafe import Markup
    from numpy.typing import NDArray

PAGE = 50
IN_FILE = "order in file"
ROUNDING = 1e-9


class RowQuery(Struct, frozen=True):
    """A query for rows.

    ``by`` is a score (or the order in the file) that is at least ``low`` and below ``high``, in percent. Without ``down`` the worst
    come first.
    """

    by: str = ""
    down: bool | None = None
    low: float | None = None
    high: float | None = None
    q: str = ""
    page: int = 1
    wanted: tuple[tuple[str, str], ...] = ()

    @property
    def filters(self) -> dict[str, str]:
        """The texts that findings must have, by field."""
        return dict(self.wanted)

    def params(self, **changes: str | None) -> dict[str, str]:
        """The query as an address holds it, without what is usual; changes replace or (None) remove.

        Example:
            >>> RowQuery(by="JGA", page=3, wanted=(("slot", "ferry-to"),)).params(page=None)
            {'by': 'JGA', 'slot': 'ferry-to'}
        """
        found: dict[str, str | None] = {
            "by": self.by or None,
            "order": None if self.down is None else "down" if self.down else "up",
            "low": None if self.low is None else f"{self.low:g}",
            "high": None if self.high is None else f"{self.high:g}",
            "q": self.q or None,
            **self.filters,
            "page": str(self.page) if self.page > 1 else None,
            **changes,
        }
        return {name: value for name, value in found.items() if value is not None}


def parse_query(params: Mapping[str, str], run: Opened) -> RowQuery:
    """The query of an address; invalid parts are ignored."""
    by = params.get("by", "")
    return RowQuery(
        by=by if by in run.columns or by == IN_FILE else "",
        down={"up": False, "down": True}.get(params.get("order", "")),
        low=_number(params.get("low")),
        high=_number(params.get("high")),
        q=params.get("q", "").strip()[:200],
        page=max(1, int(_number(params.get("page")) or 1)),
        wanted=tuple((field.name, params[field.name]) for field in run.kind.FIELDS if params.get(field.name)),
    )


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and abs(value) < 1e9 else None


class Selection(NamedTuple):
    """Positions of rows in order, and how many findings of each row pass the filter."""

    positions: NDArray[np.int64]
    hits: NDArray[np.int64] | None


def select(run: Opened, query: RowQuery) -> Selection:
    """The rows that a query asks for. Without filter and search, only the index is read."""
    import numpy as np

    chosen = np.arange(len(run))
    hits = None
    if query.wanted:
        chosen = run.findings.rows(query.filters)
        hits = run.findings.hits(query.filters)
    if query.q:
        chosen = np.intersect1d(chosen, np.array(_search(run, query.q), dtype=np.int64))
    by = query.by or run.ranking
    down = is_down(run, query)
    if by and by != IN_FILE:
        values = run.columns[by][chosen]
        shown = 100 * values
        keep = np.ones(len(chosen), dtype=bool)
        if query.low is not None:
            keep &= shown >= query.low - ROUNDING
        if query.high is not None:
            keep &= shown < query.high - ROUNDING
        chosen, values = chosen[keep], values[keep]
        # Rows without a score come last either way; of rows with the same score, the one with most mistakes comes first.
        order = np.lexsort((chosen, -mistakes(run)[chosen], -values if down else values, np.isnan(values)))
        chosen = chosen[order]
    elif down:
        chosen = chosen[::-1]
    return Selection(chosen, hits)


def mistakes(run: Opened) -> NDArray[np.int64]:
    """How many mistakes each row has; zero for all until the rows have been read, and where they cannot be read."""
    import numpy as np

    none = np.zeros(len(run), dtype=np.int64)
    if not run.kind.MISTAKEN or not run.is_read():
        return none
    try:
        found = run.findings.by_row({**run.kind.MISTAKEN, **run.kind.counted(run)})
    except DialmeterError:
        return none
    return found[:, 0].astype(np.int64)


def is_down(run: Opened, query: RowQuery) -> bool:
    """Do high scores come first?"""
    if query.down is not None:
        return query.down
    return query.by != IN_FILE and not run.kind.HIGHER_IS_BETTER


def _search(run: Opened, text: str) -> list[int]:
    """The rows whose id, talk, slots or values have the text, whatever its case."""
    needle = text.lower()
    raw = msgspec.json.encode(needle)[1:-1]

    def holds(row: Mapping[str, Any]) -> bool:
        return any(needle in part.lower() for part in (str(row.get("id", "")), *run.kind.texts(row)))

    found = []
    for position, line in enumerate(row_lines(run.run)):
        # Most lines do not have it in any form, and need not be parsed.
        if raw in (line.lower() if needle.isascii() else line.decode("utf-8", "replace").lower().encode()):
            try:
                passes = holds(decode_json(line))
            except (KeyError, TypeError, AttributeError, *REFUSALS):
                passes = holds(run.parse(line, position))  # says what is wrong with the row
            if passes:
                found.append(position)
    return found


def list_data(
    fields: Sequence[str],
    columns: Sequence[str],
    *,
    by: str,
    rows: Iterable[tuple[int, Sequence[float], Sequence[tuple[str, ...]], int]],
    unit: str,
    down: bool = False,
) -> Markup:
    """Data for the script; no text in it can close the element of the script.

    Args:
        fields: the fields of findings.
        columns: names of scores.
        by: the score that the list is sorted by.
        rows: position, scores, findings and number of mistakes of each.
        unit: what rows are called.
        down: do high scores come first?

    Example:
        >>> str(list_data(["slot"], ["JGA"], by="JGA", rows=[(0, [0.5], [("</script>",)], 2)], unit="dialogues"))
        '{"fields":["slot"],"columns":["JGA"],"by":"JGA","down":false,"unit":"dialogues","texts":[["\\\\u003c/script\\\\u003e"]],"rows":[{"i":0,"s":[0.5],"f":[[0]],"m":2}]}'
    """
    from markupsafe import Markup

    codes: list[dict[str, int]] = [{} for _ in fields]
    encoded = [
        {
            "i": at,
            "s": [None if isnan(value) else round(value, 6) for value in scores],
            "f": [
                [known.setdefault(text, len(known)) for known, text in zip(codes, finding, strict=True)]
                for finding in findings
            ],
            "m": wrong,
        }
        for at, scores, findings, wrong in rows
    ]
    data = {
        "fields": list(fields),
        "columns": list(columns),
        "by": by,
        "down": down,
        "unit": unit,
        "texts": [list(known) for known in codes],
        "rows": encoded,
    }
    text = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - nothing in it is markup any more


def row_data(run: Opened, positions: Sequence[int], names: Sequence[str]) -> Markup:
    """The data of a list of rows: their scores under these names, and their findings."""
    found = run.findings
    wrong = mistakes(run)
    rows = [
        (at, [float(run.columns[name][at]) for name in names], found.of_row(at), int(wrong[at])) for at in positions
    ]
    down = not run.kind.HIGHER_IS_BETTER
    return list_data(found.fields, names, by=run.ranking, rows=rows, unit=run.kind.UNIT[1], down=down)


def field_options(run: Opened) -> list[tuple[Field, list[str]]]:
    """The fields by which rows can be filtered from a list, each with its texts."""
    found = [(field, run.findings.options(field.name)) for field in run.kind.FIELDS if field.listed]
    return [(field, options) for field, options in found if options]
