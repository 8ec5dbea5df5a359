"""The flow of ``convert`` for cases: from and to the published folders, and to preference pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.account import Account, Reason
from ...core.output import refuse_replacing, write_file
from ...errors import one_line
from ...judges.case_files import read_cases, read_published, write_published
from ...judges.cases import pairs
from ...readers.content import case_folders
from ..options import PLAIN, command, force_option, option
from ..printer import Output


@command(last=PLAIN)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@option("--to target_format", "Format of OUT.", choices=["cases", "pairs", "published"])
@force_option
def convert(**options: Any) -> Output:
    """Convert cases, or a folder of published files case_N, to cases, to preference pairs, or to such a folder."""
    source, target, name = options["source"], options["target"], options["target_format"]
    cases, notices = read_published(source) if case_folders(Path(source)) else (read_cases(source), [])
    if name == "published":
        refuse_replacing(Path(target), force=options["force"])
        count = write_published(Path(target), cases)
    else:
        lines = [msgspec.json.encode(row) + b"\n" for row in (pairs(cases) if name == "pairs" else cases)]
        count = len(lines)
        if target == "-":
            sys.stdout.buffer.writelines(lines)
        else:
            write_file(target, b"".join(lines), force=options["force"])
    unscored = sum(notice.count for notice in notices)
    reasons = tuple(Reason(each.message.partition(": ")[2], each.count, (*each.where, "")[0]) for each in notices)
    account = Account("case", len(cases) + unscored, len(cases) + unscored, len(cases), reasons, "read")
    return Output(notices=notices, remarks=[f"{account.line}; {count} {name} in {one_line(target, 200)}"])
