"""Lists of rows: the query of an address, its result, and the data of lists that a script filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from ...numeric import NDArray, np
from .kinds import Field
from .opened_run import OpenedRun

if TYPE_CHECKING:
    from markupsafe import Markup

PAGE = 50
IN_FILE = "order in file"
ROUNDING = 1e-9


class RowQuery(Struct, frozen=True):
    """A query for rows.

    Attributes:
        by: the sort key: a score, or the order in the file.
        down: whether high scores come first; None for the worst first.
        low: smallest score, in percent.
        high: upper limit of the score, in percent; rows with this score are excluded.
        q: text to search.
        page: number of the page, from 1.
        conditions: pairs of field and text that a finding must have.
    """

    by: str = ""
    down: bool | None = None
    low: float | None = None
    high: float | None = None
    q: str = ""
    page: int = 1
    conditions: tuple[tuple[str, str], ...] = ()

    @property
    def filters(self) -> dict[str, str]:
        """Field → text that a finding must have."""
        return dict(self.conditions)

    def params(self, **changes: str | None) -> dict[str, str]:
        """Return the query as parameters of an address, without defaults; ``changes`` replace or (None) remove parameters.

        Example:
            >>> RowQuery(by="JGA", page=3, conditions=(("slot", "ferry-to"),)).params(page=None)
            {'by': 'JGA', 'slot': 'ferry-to'}
        """
        params: dict[str, str | None] = {
            "by": self.by or None,
            "order": None if self.down is None else "down" if self.down else "up",
            "low": None if self.low is None else f"{self.low:g}",
            "high": None if self.high is None else f"{self.high:g}",
            "q": self.q or None,
            **self.filters,
            "page": str(self.page) if self.page > 1 else None,
            **changes,
        }
        return {name: value for name, value in params.items() if value is not None}


def parse_query(params: Mapping[str, str], run: OpenedRun) -> RowQuery:
    """Parse the query of an address; invalid parts are ignored."""
    by = params.get("by", "")
    return RowQuery(
        by=by if by in run.columns or by == IN_FILE else "",
        down={"up": False, "down": True}.get(params.get("order", "")),
        low=_parse_number(params.get("low")),
        high=_parse_number(params.get("high")),
        q=params.get("q", "").strip()[:200],
        page=max(1, int(_parse_number(params.get("page")) or 1)),
        conditions=tuple((field.name, params[field.name]) for field in run.kind.FIELDS if params.get(field.name)),
    )


def _parse_number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and abs(value) < 1e9 else None


class Selection(NamedTuple):
    """Positions of rows in order, and the number of matching findings of each row of the run."""

    positions: NDArray[np.int64]
    hits: NDArray[np.int64] | None


def select(run: OpenedRun, query: RowQuery) -> Selection:
    """Return the rows that match a query. Without filter and search, only the index is read."""
    positions = np.arange(len(run))
    hits = None
    if query.conditions:
        positions = run.findings.rows(query.filters)
        hits = run.findings.hits(query.filters)
    if query.q:
        positions = np.intersect1d(positions, np.array(run.search(query.q), dtype=np.int64))
    by = query.by or run.ranking
    down = is_down(run, query)
    if by and by != IN_FILE:
        values = run.columns[by][positions]
        percentages = 100 * values
        keep = np.ones(len(positions), dtype=bool)
        if query.low is not None:
            keep &= percentages >= query.low - ROUNDING
        if query.high is not None:
            keep &= percentages < query.high - ROUNDING
        positions, values = positions[keep], values[keep]
        # Rows without a score come last in both orders. Among rows with the same score, those with the most mistakes come first.
        order = np.lexsort((positions, -run.mistakes[positions], -values if down else values, np.isnan(values)))
        positions = positions[order]
    elif down:
        positions = positions[::-1]
    return Selection(positions, hits)


def is_down(run: OpenedRun, query: RowQuery) -> bool:
    """Whether high scores come first."""
    if query.down is not None:
        return query.down
    return query.by != IN_FILE and not run.kind.HIGHER_IS_BETTER


def list_data(
    fields: Sequence[str],
    columns: Sequence[str],
    *,
    by: str,
    rows: Iterable[tuple[int, Sequence[float], Sequence[tuple[str, ...]], int]],
    unit: str,
    down: bool = False,
) -> Markup:
    """Return the JSON data for the script; no text in it can close the script element.

    Args:
        fields: the fields of findings.
        columns: names of scores.
        by: the score that the list is sorted by.
        rows: position, scores, findings and number of mistakes of each row.
        unit: name of rows, plural.
        down: whether high scores come first.

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
                [code.setdefault(text, len(code)) for code, text in zip(codes, finding, strict=True)]
                for finding in findings
            ],
            "m": mistake_count,
        }
        for at, scores, findings, mistake_count in rows
    ]
    data = {
        "fields": list(fields),
        "columns": list(columns),
        "by": by,
        "down": down,
        "unit": unit,
        "texts": [list(code) for code in codes],
        "rows": encoded,
    }
    text = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - nothing in it is markup any more


def row_data(run: OpenedRun, positions: Sequence[int], names: Sequence[str]) -> Markup:
    """Return the data of a list of rows: the named scores, and the findings."""
    findings = run.findings
    rows = [
        (at, [float(run.columns[name][at]) for name in names], findings.of_row(at), int(run.mistakes[at]))
        for at in positions
    ]
    down = not run.kind.HIGHER_IS_BETTER
    return list_data(findings.fields, names, by=run.ranking, rows=rows, unit=run.kind.UNIT[1], down=down)


def field_options(run: OpenedRun) -> list[tuple[Field, list[str]]]:
    """Return the fields that pages offer as filters, each with its texts."""
    return [
        (field, options) for field in run.kind.FIELDS if field.listed and (options := run.findings.options(field.name))
    ]
