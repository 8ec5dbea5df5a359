"""Cells of CSV files that are safe in spreadsheets."""

from __future__ import annotations

import re

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-][\d.,]*\d(e[+-]?\d+)?( to [+-]?[\d.,]*\d)?")


def guarded(text: str) -> str:
    """A cell with a quote before it where a spreadsheet would calculate it; numbers and intervals stay as they are.

    Example:
        >>> guarded('=HYPERLINK("http://x")'), guarded("@sum"), guarded("-1.5"), guarded("+2.50 to +3.10"), guarded("a=b")
        ('\\'=HYPERLINK("http://x")', "'@sum", '-1.5', '+2.50 to +3.10', 'a=b')
    """
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """A cell as it was before :func:`guarded`.

    Example:
        >>> unguarded("'=a"), unguarded("'tis"), unguarded("-1.5")
        ('=a', "'tis", '-1.5')
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text
