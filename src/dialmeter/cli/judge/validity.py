"""``dialmeter study people`` of cases"""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET, UnsetType

from ...core.account import Account, Reason
from ...core.document import Document
from ...judges.case_files import read_cases
from ...judges.validity import (
    BLIND,
    SHEET,
    AttackValidity,
    ReaderAgreement,
    ReaderVerdict,
    by_hash,
    kappa,
    read_sheet,
    sheet_rows,
    validity,
)
from ...views.judge import validity_table
from ...views.summaries.judge import kappa_text, validity_summary
from .. import options as shared
from ..frame import document_output
from ..printer import EVERY, TEXT, Block, Output, typed_command
from ..sheets import is_new_sheet, sheet_options, sheet_output
from ..study import study_options


class JudgeValidityDocument(Document, kw_only=True):
    """Verdicts of people on cases: valid, weak or invalid.

    Attributes:
        verdicts: every verdict, with the digest of its case instead of its texts.
    """

    kind: str = "judge"
    command: str = "study people"
    validity: list[AttackValidity]
    agreement: list[ReaderAgreement]
    verdicts: list[ReaderVerdict] | UnsetType = UNSET


@shared.command("people")
@click.argument("files", metavar="CASES...", nargs=-1, required=True)
@sheet_options
@shared.option("--limit", "Number of cases on a new sheet, drawn at random (default: all).", least=1)
@shared.option("--blind", "Do not name the attacks on a new sheet.")
@shared.option("--context-turns", "Number of turns of context on a new sheet.", least=1, default=4)
@shared.seed_option(7)
@shared.ci_option
@shared.latex_option
@study_options
def judge_validity(**options: Any) -> Output:
    """Check whether the CASES of an attack do what the attack claims: make a sheet for people, and count their verdicts.

    The sheet is shuffled. A person writes valid, weak or invalid for each case. With two or more people, kappa measures their
    agreement.
    """
    cases = by_hash(case for path in options["files"] for case in read_cases(path))
    if is_new_sheet(options):
        rows = sheet_rows(list(cases.values()), options["seed"], options["context_turns"])[: options["limit"]]
        kind = BLIND if options["blind"] else SHEET
        return sheet_output(JudgeValidityDocument, kind, rows, "case", options, scores=[], validity=[], agreement=[])
    readers = [read_sheet(path, cases, reader) for reader, path in enumerate(options["sheets"], 1)]
    verdicts = [each for reader in readers for each in reader]
    rates = validity(cases, verdicts, options["ci"])
    agreement = [kappa(one, other) for at, other in enumerate(readers) for one in readers[:at]]
    requested, read = len(cases) * len(readers), len(verdicts)
    unread = (Reason("without a verdict", requested - read),) if requested > read else ()
    account = Account("case", requested, requested, read, unread, "read")
    lines = [
        f"readers {one} and {other}: kappa {kappa_text(each)}" for each in agreement for one, other in [each.readers]
    ]
    return document_output(
        JudgeValidityDocument,
        summary=validity_summary(rates, agreement, account, typed_command()),
        parts=[Block(validity_table(rates), EVERY), Block("\n".join([account.line, *lines]), TEXT)],
        account=account,
        counts={"cases": len(cases), "readers": len(readers)},
        scores=[],
        validity=rates,
        agreement=agreement,
        verdicts=verdicts,
    )
