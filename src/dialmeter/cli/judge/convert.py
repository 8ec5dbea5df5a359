"""``dialmeter convert`` for cases: from and to the published folders, and to preference pairs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...core.account import Account, Reason
from ...core.output import refuse_replacing, write_file
from ...errors import DialmeterError, one_line
from ...judges.case_files import case_folders, read_cases, read_published, write_published
from ...judges.cases import pairs
from ...model import Notice
from ...readers.content import content_of
from ..printer import Output

CASE_FORMATS: Mapping[str, str] = {
    "cases": "adversarial cases",
    "pairs": "preference pairs of cases: context, chosen, rejected",
    "published": "cases as a folder of files case_N",
}
"""Formats of OUT for cases."""


def holds_cases(source: str) -> bool:
    """Return True for a file of cases, and for a folder of published cases."""
    return bool(case_folders(Path(source))) or content_of(source) == "cases"


def convert_cases(source: str, target: str, target_format: str | None, *, force: bool) -> Output:
    """Convert cases. A folder of published cases becomes a file of cases, a file of cases preference pairs, if no format is given."""
    is_folder = bool(case_folders(Path(source)))
    cases, notices = read_published(source) if is_folder else (read_cases(source), list[Notice]())
    name = target_format or ("cases" if is_folder else "pairs")
    if name not in CASE_FORMATS:
        raise DialmeterError(f"cases cannot become {name}; use --to {', '.join(CASE_FORMATS)}")
    if name == "published":
        refuse_replacing(Path(target), force=force)
        count = write_published(Path(target), cases)
    else:
        lines = [msgspec.json.encode(row) + b"\n" for row in (pairs(cases) if name == "pairs" else cases)]
        count = len(lines)
        if target == "-":
            sys.stdout.buffer.writelines(lines)
        else:
            write_file(target, b"".join(lines), force=force)
    if name == "pairs":
        return Output(notices=notices, remarks=[f"{count} pairs of {len(cases)} cases in {one_line(target, 200)}"])
    unscored = sum(notice.count for notice in notices)
    reasons = tuple(Reason(each.message.partition(": ")[2], each.count, (*each.where, "")[0]) for each in notices)
    account = Account("case", len(cases) + unscored, len(cases) + unscored, len(cases), reasons, "written")
    return Output(notices=notices, remarks=[f"{account.line}; {count} {name} in {one_line(target, 200)}"])
