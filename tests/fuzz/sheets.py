"""Sheets that somebody filled."""

from __future__ import annotations

import csv
from pathlib import Path


def fill_sheet(sheet: Path, word: str, column: str = "verdict") -> None:
    """Give every row of a sheet in CSV the same word, such as a verdict."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, column: word} for row in rows)
