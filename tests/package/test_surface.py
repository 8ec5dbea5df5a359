"""No command, option or documented Python name disappears by accident: a name that goes is also taken from the list."""

from __future__ import annotations

from .surface import ROOT, can_import, surface

EXPECTED = (ROOT / "tests" / "package" / "surface.txt").read_text("utf-8").splitlines()


def test_no_name_is_missing() -> None:
    current = set(surface())
    missing = [
        line for line in EXPECTED if line not in current and not (line.startswith("import ") and can_import(line))
    ]
    assert missing == []


def test_list_is_sorted_without_duplicates() -> None:
    assert sorted(set(EXPECTED)) == EXPECTED


def test_every_import_in_documentation_works() -> None:
    assert [line for line in surface() if line.startswith("import ") and not can_import(line)] == []
