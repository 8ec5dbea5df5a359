"""Old names of documented modules: they import the new module, with a warning."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from dialmeter.renamed import RENAMED, RenamedModules


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_an_old_name_is_the_new_module(old: str) -> None:
    sys.modules.pop(f"dialmeter.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"dialmeter.{old} is now dialmeter.{RENAMED[old]}"):
        found = import_module(f"dialmeter.{old}")
    new = import_module(f"dialmeter.{RENAMED[old]}")
    assert found is new
    assert new.__spec__ is not None
    assert new.__spec__.name == new.__name__ == f"dialmeter.{RENAMED[old]}"


def test_a_moved_module_is_found_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, RenamedModules({"old_errors": "errors"})])
    with pytest.warns(DeprecationWarning, match="dialmeter.old_errors is now dialmeter.errors"):
        found = import_module("dialmeter.old_errors")
    monkeypatch.delitem(sys.modules, "dialmeter.old_errors")
    assert found is import_module("dialmeter.errors")
    assert found.__spec__ is not None
    assert found.__spec__.name == "dialmeter.errors"
    with pytest.raises(ModuleNotFoundError):
        import_module("dialmeter.nowhere")
