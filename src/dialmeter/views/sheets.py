"""A folder of annotation sheets: for every rater one text and one page per dialogue, and an empty table of ratings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..core.output import new_folder
from ..errors import DialmeterError
from ..studies.human.annotation_sheet import RatingScale, Sheet, write_sheet
from ..studies.human.ratings import write_ratings
from .human import sheet_page


def write_sheets(folder: str, sheets: Sequence[Sheet], raters: int, scale: RatingScale) -> list[str]:
    """Writes all sheets.

    Args:
        folder: a new or empty folder; a folder for each rater goes into it, so that nobody sees what others wrote.
        sheets: what to rate.
        raters: how many people will rate.
        scale: the lowest and the highest rating.

    Returns:
        The names of the raters.

    Raises:
        DialmeterError: the folder is taken (filled sheets are never overwritten) or cannot be written to.
    """

    def check(found: set[str]) -> None:
        if found:
            raise DialmeterError(
                f"{folder}: is not an empty folder; sheets go into a new one, so that none is overwritten"
            )

    names = [f"rater{number}" for number in range(1, raters + 1)]
    digits = len(str(len(sheets)))
    with new_folder(Path(folder), check) as root:
        for rater in names:
            own = root / rater
            own.mkdir()
            for number, sheet in enumerate(sheets, 1):
                stem = f"{number:0{digits}}_{file_name(sheet.dialogue)}"
                (own / f"{stem}.txt").write_text(write_sheet(sheet, rater, scale), "utf-8")
                (own / f"{stem}.html").write_text(sheet_page(sheet, rater, scale), "utf-8")
        (root / "ratings.csv").write_text(write_ratings([sheet.dialogue for sheet in sheets], names, {}), "utf-8")
    return names


def file_name(dialogue: str) -> str:
    """An id as part of a file name on any system.

    Example:
        >>> file_name("MUL0144.json"), file_name("../../etc/passwd"), file_name("對話")
        ('MUL0144', 'etc_passwd', 'dialogue')
    """
    return re.sub(r"[^A-Za-z0-9_-]+", "_", dialogue.removesuffix(".json")).strip("_")[:60] or "dialogue"
