"""The flow of ``dialmeter find`` for cases: a file of cases, or a saved run with the scores of judges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from ...core.open_runs import open_run
from ...errors import DialmeterError, one_line
from ...judges.case_files import read_cases
from ...judges.cases import case_id
from ...judges.matrix import CaseVerdict
from ...judges.record import OUTCOMES, CaseRow, row_lines
from .. import options as shared
from ..find import FindRequest, FoundItem, FoundRow, find_options, find_output
from ..printer import Output


@shared.command("find")
@find_options
def find(**options: Any) -> Output:
    """Find cases by attack and facet; in a saved run also by judge and outcome (right, failed, unscored)."""
    return find_output(rows, options)


def rows(file: str, request: FindRequest) -> Iterator[FoundRow]:
    """Yield the cases of a file, or of a saved run with the scores of its judges."""
    if request.measures:
        raise DialmeterError(f"cases have no {one_line(request.measures[0])}; find them by attack, judge or outcome")
    if Path(file).is_dir():
        yield from map(_row, open_run(file).rows_as(CaseRow))
    else:
        yield from (_row(CaseRow(**asdict(case), id=case_id(case), scores={})) for case in read_cases(file))


def _row(row: CaseRow) -> FoundRow:
    facts = {"attack": [row.attack, f"{row.attack}:{row.variant}"], "facet": row.facet}
    items = [
        FoundItem((judge,), {"judge": judge, "outcome": OUTCOMES[score.conforms]}, _score_text(judge, score))
        for judge, score in row.scores.items()
    ]
    items.append(FoundItem(("",), facts, f"{one_line(row.reply, 60)} → {one_line(row.adversarial, 60)}"))
    return FoundRow(row.id, facts, items, {}, lambda: row_lines(row))


def _score_text(judge: str, score: CaseVerdict) -> str:
    values = {"human": score.human, "adversarial": score.adversarial}
    words = [f"{name} {value:.4g}" for name, value in values.items() if value is not None]
    return f"{judge}: {', '.join([*words, OUTCOMES[score.conforms]])}"
