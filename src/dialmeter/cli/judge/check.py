"""The flows of ``check`` for cases and for the ratings of people: what the file holds, and whether judges can be scored on it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ...core.document import CheckedDocument, Count
from ...core.open_runs import open_run
from ...errors import DialmeterError, InputError, one_line
from ...judges.case_files import JudgeInputCheck, parse_case
from ...judges.cases import Case, cases_digest
from ...judges.matrix import CONTROL
from ...judges.people.correlate import FacetAgreement, agreement
from ...model import SYSTEM, Notice
from ...readers.conversations import open_conversations
from ...readers.ratings.open_ratings import open_ratings
from ...readers.source import Source
from ...views.judge import attacks_table
from ...views.people import rater_table
from ...views.summaries.judge import cases_check_summary, dialogues_check_summary, ratings_check_summary
from .. import options as shared
from ..frame import checked_output
from ..printer import EVERY, Block, Output, typed_command

FEW = 10
"""With fewer cases of an attack, an error rate means little."""


class CasesCheckDocument(CheckedDocument, kw_only=True):
    """The content of a file of cases.

    Attributes:
        counts: number of cases, attacks and dialogues.
        attacks: number of cases by attack.
        digest: of all cases, whatever their order.
    """

    kind: str = "judge"
    command: str = "check"
    attacks: dict[str, Count]
    digest: str


class RatingsCheckDocument(CheckedDocument, kw_only=True):
    """The content of a file of ratings.

    Attributes:
        counts: number of items, contexts, systems and raters.
        raters: the agreement of the raters of every facet.
        carried: the judges whose scores the file has.
    """

    kind: str = "ratings"
    command: str = "check"
    raters: list[FacetAgreement]
    carried: list[str]


@shared.command("check")
@click.argument("files", metavar="[RUN]... CASES", nargs=-1, required=True)
def check_cases(**options: Any) -> Output:
    """Say what a file of cases holds, and which lines are not cases. With RUN: was it made from these cases?"""
    *runs, file = sorted(options["files"], key=lambda path: not Path(path).is_dir())
    if Path(file).is_dir() or not all(Path(path).is_dir() for path in runs):
        raise DialmeterError("give one file of cases, after the runs that were made from it")
    cases, problems = _read(file)
    problems += [problem for path in runs if (problem := _run_problem(path, file))]
    attacks = dict(Counter(case.attack for case in cases))
    few = [attack for attack, count in attacks.items() if count < FEW and attack != CONTROL]
    counts = {
        "cases": len(cases),
        "attacks": len(attacks),
        "dialogues": len({(case.corpus, case.source.dialogue) for case in cases}),
    }
    checked = JudgeInputCheck("cases", counts, problems)
    digest = cases_digest(cases)
    return checked_output(
        CasesCheckDocument,
        checked,
        summary=cases_check_summary(checked, cases, few, digest, typed_command()),
        parts=[Block(attacks_table(cases), EVERY)],
        attacks=attacks,
        digest=digest,
    )


def _run_problem(folder: str, file: str) -> Notice | None:
    """Return what is wrong if a run was not made from a file of cases."""
    run, path = open_run(folder), Path(file)
    digests = [each["sha256"] for each in run.manifest.get("inputs", ()) if each["role"] == "cases"]
    if hashlib.sha256(path.read_bytes()).hexdigest() in digests:
        return None
    return Notice("other-cases", 1, f"{one_line(folder, 200)} was made from other cases than {one_line(path.name)}")


def _read(path: str) -> tuple[list[Case], list[Notice]]:
    cases: list[Case] = []
    problems: list[Notice] = []
    with closing(Source(path)) as source:
        for number, line in source.lines():
            try:
                cases.append(parse_case(line, number, source.name))
            except InputError as error:
                problems.append(Notice("unreadable", 1, str(error), (f"line {number}",)))
    if not cases and not problems:
        problems.append(Notice("unreadable", 1, f"{path}: holds no cases"))
    return cases, problems


@shared.command("check")
@click.argument("ratings_file", metavar="RATINGS")
@shared.from_option("RATINGS")
def check_ratings(**options: Any) -> Output:
    """Say what a file of ratings holds, and how far its raters agree."""
    items = open_ratings(options["ratings_file"], options["format"])
    raters = [agreement(items, each) for each in items.facets]
    counts = {
        "items": len(items.items),
        "contexts": len(set(items.clusters)),
        "systems": len({item.system for item in items.items if item.system}),
        "raters": len(items.raters),
        "ratings": sum(len(given) for item in items.items for given in item.ratings.values()),
    }
    problems: Sequence[Notice] = [] if raters else [Notice("unrated", 1, "no item has a rating")]
    checked = JudgeInputCheck("ratings", counts, list(problems), list(items.notices))
    return checked_output(
        RatingsCheckDocument,
        checked,
        summary=ratings_check_summary(checked, items, raters, typed_command()),
        parts=[Block(rater_table(raters), EVERY)],
        raters=raters,
        carried=items.carried,
    )


class DialoguesCheckDocument(CheckedDocument, kw_only=True):
    """The content of a file of dialogues without states and rewards.

    Attributes:
        counts: number of dialogues, of replies of the system, and of dialogues with a goal in words.
    """

    kind: str = "dialogues"
    command: str = "check"


@shared.command("check")
@click.argument("dialogues_file", metavar="DIALOGUES")
@shared.from_option("DIALOGUES")
def check_dialogues(**options: Any) -> Output:
    """Say what a file of dialogues holds from which cases for judges can be made."""
    opened = open_conversations(options["dialogues_file"], options["format"])
    dialogues = list(opened)
    counts = {
        "dialogues": len(dialogues),
        "replies": sum(move.speaker == SYSTEM for each in dialogues for move in each.moves),
        "goals": sum(bool(each.goal or each.task) for each in dialogues),
    }
    problems = [Notice("unreadable", 1, str(error)) for error in opened.refused]
    checked = JudgeInputCheck(opened.format, counts, problems, opened.notices)
    return checked_output(
        DialoguesCheckDocument,
        checked,
        summary=dialogues_check_summary(checked, typed_command()),
        notices=opened.notices,
    )
