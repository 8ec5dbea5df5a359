"""Sheets that somebody filled."""

from __future__ import annotations

import csv
from pathlib import Path


def fill_sheet(sheet: Path, verdict: str) -> None:
    """Gives every row of a sheet in CSV the same verdict."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "verdict": verdict} for row in rows)
