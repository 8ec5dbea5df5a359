"""Where goldens are kept, and how they are made anew. A file of goldens holds its cases, too: add one with its name and its command."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from ..cli.invoke import CommandResult, checked, schema_of
from . import python_calls
from .execution import Case, Outcome, execute, render
from .town_data import write_town

TOWN = Path(__file__).parent / "town"
SHARED = Path(__file__).parent / "shared.json"
PYTHON = "python"
NAMES = sorted(path.stem for path in TOWN.iterdir())
_CASE = re.compile(r"^={20} (.+)\n\$ (.+)\n(?:keeps (.+)\n)?(?:standard input (.+)\n)?", re.MULTILINE)


def town_path(group: str) -> Path:
    """The file that keeps the outputs of a group."""
    return TOWN / f"{group}.txt"


def cases_of(group: str) -> list[Case]:
    """The cases of a group. They run one behind the other in one folder, so that a later one may read what an earlier one has written."""
    return [Case(*found.groups("")) for found in _CASE.finditer(town_path(group).read_text("utf-8"))]


def make_group(group: str, town: Path, folder: Path) -> str:
    """The outputs of a group of cases on a copy of the town's files."""
    shutil.copytree(town, folder)
    if group == PYTHON:
        return render((case, python_calls.call(case, folder)) for case in cases_of(group))
    outcomes = [(case, execute(case, folder)) for case in cases_of(group)]
    for case, outcome in outcomes:
        check(case, outcome)
    return render(outcomes)


def check(case: Case, outcome: Outcome) -> None:
    """Every document is as its schema says, and every error is one of a user."""
    _, out, err = result = CommandResult(outcome.code, outcome.texts["stdout"], outcome.texts["stderr"])
    assert outcome.code in (0, 1, 2), case.name
    assert "Traceback" not in err, case.name
    if "json" in case.words.replace(".json", "") and out:
        checked(result, schema_of(result.json), outcome.code)


def make_town(folder: Path) -> Path:
    """The town's files, in a new folder."""
    folder.mkdir(parents=True)
    write_town(folder)
    return folder


def read_shared() -> dict[str, dict[str, str]]:
    """The digests that are kept, by group and case."""
    found: dict[str, dict[str, str]] = json.loads(SHARED.read_text("utf-8"))
    return found
