"""``dialmeter judge validity``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from ...core.account import Account, Reason
from ...core.document import Count, Document, Number
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...judges.case_files import read_cases
from ...judges.validity import (
    BLIND,
    INSTRUCTIONS,
    SHEET,
    AttackValidity,
    by_hash,
    kappa,
    read_sheet,
    record,
    sheet_rows,
    validity,
)
from ...views.html_env import form_page
from ...views.judge import validity_table
from .. import options as shared
from ..frame import document_output
from ..printer import EVERY, TEXT, Block, Output, message_block


class ReaderAgreement(Struct, kw_only=True):
    """Cohen's kappa of two readers on the cases that both read."""

    readers: tuple[Count, Count]
    kappa: Number
    n: Count


class JudgeValidityDocument(Document, kw_only=True):
    """Verdicts of readers on cases."""

    kind: str = "judge"
    command: str = "study people"
    validity: list[AttackValidity]
    agreement: list[ReaderAgreement]


@shared.command("validity")
@click.argument("cases_files", metavar="CASES...", nargs=-1, required=True)
@shared.make_sheet_option
@shared.option("--blind", "With --make-sheets: do not name the attacks.")
@shared.option("--context-turns", "With --make-sheets: number of turns of context to show.", least=1, default=4)
@shared.seed_option(7)
@shared.sheet_option
@shared.option("--out FILE", "With --read-sheets: write the verdicts, without the texts of cases, to this file (CSV).")
@shared.ci_option
@shared.force_option
def judge_validity(**options: Any) -> Output:
    """Check whether the CASES of an attack do what the attack claims: make a sheet for readers, and count their verdicts.

    The sheet is shuffled. A reader writes valid, weak or invalid for each case. With two or more readers, kappa measures their
    agreement.
    """
    cases = by_hash([case for path in options["cases_files"] for case in read_cases(path)])
    sheet = options["sheet"]
    if bool(sheet) == bool(options["sheets"]):
        raise DialmeterError(
            "give either --make-sheets FILE to write a sheet, or --read-sheets FILE for a filled sheet"
        )
    if sheet:
        if options["out"]:
            raise DialmeterError("--out needs --read-sheets; --make-sheets writes the sheet")
        rows = sheet_rows(list(cases.values()), options["seed"], options["context_turns"])
        kind = BLIND if options["blind"] else SHEET
        text = form_page(kind, rows) if Path(sheet).suffix == ".html" else kind.text(rows)
        write_file(sheet, text, force=options["force"])
        summary = f"{len(rows)} cases in {one_line(sheet, 200)}"
        return document_output(
            JudgeValidityDocument,
            parts=[message_block("\n".join((summary, *INSTRUCTIONS)))],
            counts={"cases": len(rows), "readers": 0},
            validity=[],
            agreement=[],
        )
    readers = [read_sheet(path, cases) for path in options["sheets"]]
    rates = validity(cases, readers, options["ci"])
    pairs = [
        (one + 1, other + 1, *kappa(readers[one], readers[other]))
        for other in range(len(readers))
        for one in range(other)
    ]
    requested, read = len(cases) * len(readers), sum(map(len, readers))
    unread = (Reason("without a verdict", requested - read),) if requested > read else ()
    account = Account("case", requested, requested, read, unread, "read")
    if options["out"]:
        write_file(options["out"], record(cases, readers), force=options["force"])
    agreement = [
        f"readers {one} and {other}: kappa {'–' if value is None else f'{value:.2f}'} on {n} cases"
        for one, other, value, n in pairs
    ]
    return document_output(
        JudgeValidityDocument,
        parts=[Block(validity_table(rates), EVERY), Block("\n".join([account.line, *agreement]), TEXT)],
        account=account,
        counts={"cases": len(cases), "readers": len(readers)},
        validity=rates,
        agreement=[{"readers": (one, other), "kappa": value, "n": n} for one, other, value, n in pairs],
    )
