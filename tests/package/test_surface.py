"""No command, option or documented Python name disappears. Old names may become hidden."""

from __future__ import annotations

from .surface import ROOT, can_import, surface

KEPT = (ROOT / "tests" / "package" / "surface.txt").read_text("utf-8").splitlines()


def test_everything_is_still_there() -> None:
    found = set(surface())
    lost = [line for line in KEPT if line not in found and not (line.startswith("import ") and can_import(line))]
    assert lost == []


def test_the_list_is_sorted_and_has_no_doubles() -> None:
    assert sorted(set(KEPT)) == KEPT


def test_every_import_in_the_documentation_works() -> None:
    assert [line for line in surface() if line.startswith("import ") and not can_import(line)] == []
