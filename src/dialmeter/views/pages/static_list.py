"""Lists that a script filters and sorts, for pages without a server: their data as JSON inside the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from markupsafe import Markup


def list_data(
    fields: Sequence[str],
    columns: Sequence[str],
    *,
    by: str,
    rows: Iterable[tuple[int, Sequence[float], Sequence[tuple[str, ...]]]],
    unit: str,
    down: bool = False,
) -> Markup:
    """Data for the script, which no text in it can leave.

    Args:
        fields: the fields of findings.
        columns: names of scores.
        by: the score that the list is sorted by.
        rows: position, scores and findings of each.
        unit: what rows are called.
        down: do high scores come first?

    Example:
        >>> str(list_data(["slot"], ["JGA"], by="JGA", rows=[(0, [0.5], [("</script>",)])], unit="dialogues"))
        '{"fields":["slot"],"columns":["JGA"],"by":"JGA","down":false,"unit":"dialogues","texts":[["\\\\u003c/script\\\\u003e"]],"rows":[{"i":0,"s":[0.5],"f":[[0]]}]}'
    """
    from markupsafe import Markup

    codes: list[dict[str, int]] = [{} for _ in fields]
    told = [
        {
            "i": at,
            "s": [None if isnan(value) else round(value, 6) for value in scores],
            "f": [
                [known.setdefault(text, len(known)) for known, text in zip(codes, finding, strict=True)]
                for finding in findings
            ],
        }
        for at, scores, findings in rows
    ]
    data = {
        "fields": list(fields),
        "columns": list(columns),
        "by": by,
        "down": down,
        "unit": unit,
        "texts": [list(known) for known in codes],
        "rows": told,
    }
    text = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - nothing in it is markup any more
