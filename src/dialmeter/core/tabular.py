"""What results of all subjects look like elsewhere: in a notebook, and as a polars table."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra

if TYPE_CHECKING:
    import polars


def percent(value: float | None) -> str:
    """A fraction in percent with two decimals; a dash where there is none.

    Example:
        >>> percent(0.33333), percent(None)
        ('33.33', '–')
    """
    return "–" if value is None else f"{100 * value:.2f}"


def as_polars(rows: Any) -> polars.DataFrame:
    """Plain dictionaries, or columns by name, as a polars table.

    Raises:
        MissingExtra: polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtra("to_polars()", "tables") from None
    return polars.DataFrame(rows, infer_schema_length=None)


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """A table for a notebook: text is escaped, numbers are fractions in percent and stand on the right.

    Example:
        >>> html_table(["measure", "value"], [("<b>", 0.5)])
        "<table><thead><tr><th>measure</th><th>value</th></tr></thead><tbody><tr><td>&lt;b&gt;</td><td style='text-align:right'>50.00</td></tr></tbody></table>"
    """
    head = "".join(f"<th>{html.escape(each)}</th>" for each in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: str | float | None) -> str:
    if isinstance(value, str):
        return f"<td>{html.escape(value)}</td>"
    return f"<td style='text-align:right'>{percent(value)}</td>"
