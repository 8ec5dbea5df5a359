"""Headings that machines can tell apart."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from .tables import Table


def distinct(table: Table) -> Table:
    """The table for CSV: a heading that stands more than once is told apart by the last one that does not.

    Example:
        >>> table = Table("", ("value", "interval", "difference", "interval"), ())
        >>> distinct(table).headings
        ('value', 'value interval', 'difference', 'difference interval')
    """
    counts = Counter(table.headings)
    named, headings = "", []
    for heading in table.headings:
        if counts[heading] == 1:
            named = heading
        headings.append(heading if counts[heading] == 1 else f"{named} {heading}".strip())
    return replace(table, headings=tuple(headings))
