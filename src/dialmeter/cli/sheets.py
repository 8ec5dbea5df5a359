"""Sheets for people: the files that ``--make-sheet`` writes, and the options of commands that read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.document import Document
from ..core.output import write_file
from ..errors import DialmeterError, one_line
from ..readers.sheets import Cells, SheetKind
from ..views.html_env import form_page
from ..views.summaries.summary import Summary, with_option, without
from .frame import document_output
from .options import combine_options, option
from .printer import Output, message_block, typed_command

make_sheet_option = option("--make-sheet FILE sheet", "Write an empty sheet to this file: .html (interactive) or .csv.")
sheet_option = option("--sheet FILE* sheets", "Filled sheet, one per person; may be repeated.")
sheet_options = combine_options(make_sheet_option, sheet_option)


def write_sheet(kind: SheetKind, rows: Sequence[Cells], options: dict[str, Any]) -> None:
    """Write an empty sheet to the file of --make-sheet."""
    is_page = Path(options["sheet"]).suffix in (".html", ".htm")
    write_file(options["sheet"], form_page(kind, rows) if is_page else kind.text(rows), force=options["force"])


def is_new_sheet(options: dict[str, Any]) -> bool:
    """Return True if the command writes a sheet, and False if it reads filled ones."""
    if bool(options["sheet"]) == bool(options["sheets"]):
        raise DialmeterError(
            "give either --make-sheet FILE to write a sheet, or --sheet FILE for a filled sheet or a table of ratings"
        )
    if options["sheet"] and options["study"]:
        raise DialmeterError("--out is for the result; --make-sheet names the file of the sheet")
    return bool(options["sheet"])


def sheet_output(
    document: type[Document],
    kind: SheetKind,
    rows: Sequence[Cells],
    unit: str,
    options: dict[str, Any],
    **fields: Any,
) -> Output:
    """Write an empty sheet and return the output that says how to use it.

    Args:
        document: the class of the document.
        kind: the kind of sheet.
        rows: the rows of the sheet.
        unit: what a row is, such as ``case``.
        options: the options of the command.
        fields: the other fields of the document, and ``notices``.
    """
    write_sheet(kind, rows, options)
    first = f"{len(rows)} {unit}{'s' * (len(rows) != 1)} in {one_line(options['sheet'], 200)}"
    base = without(typed_command(), "--make-sheet", "-n", "--limit")
    summary = Summary(
        verdict=f"{first}. Give a copy to each person, and read what they save:",
        next=with_option(base, "--sheet", str(Path(options["sheet"]).with_suffix(".csv"))),
    )
    given: Mapping[str, Any] = {"counts": {f"{unit}s": len(rows)}, **fields}
    return document_output(
        document,
        summary=summary,
        parts=[message_block("\n".join([first, *kind.help]))],
        **given,
    )
