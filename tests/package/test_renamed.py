"""Old names of documented modules import the new module, with a warning."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dialmeter
from dialmeter.renamed import REMOVED_IN, RENAMED, RenamedModules


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *RENAMED.items(),
        ("report.charts.data", "views.charts.data"),
        ("formats.pairs.state_layouts", "readers.pairs.state_layouts"),
    ],
)
def test_an_old_name_is_the_new_module(old: str, new: str) -> None:
    sys.modules.pop(f"dialmeter.{old}", None)
    with pytest.warns(DeprecationWarning, match="is now") as caught:
        module = import_module(f"dialmeter.{old}")
    message = f"dialmeter.{old} is now dialmeter.{new}; the old name will be removed in {REMOVED_IN}"
    assert message in [str(each.message) for each in caught]
    assert module is import_module(f"dialmeter.{new}")
    assert module.__spec__ is not None
    assert module.__spec__.name == module.__name__ == f"dialmeter.{new}"


def test_only_moved_modules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [RenamedModules({"old_errors": "errors"}), *sys.meta_path])
    with pytest.warns(DeprecationWarning, match="dialmeter.old_errors is now dialmeter.errors"):
        module = import_module("dialmeter.old_errors")
    monkeypatch.delitem(sys.modules, "dialmeter.old_errors")
    assert module is import_module("dialmeter.errors")
    assert module.__spec__ is not None
    assert module.__spec__.name == "dialmeter.errors"
    with pytest.raises(ModuleNotFoundError):
        import_module("dialmeter.nowhere")


@pytest.mark.parametrize("name", ["by_turn", "confusion", "error_classes", "parallel", "spread", "trait_grid"])
def test_an_old_name_of_a_chart_has_its_functions(name: str) -> None:
    charts = import_module("dialmeter.views.charts")
    with pytest.warns(DeprecationWarning, match=f"{name} is now "):
        module = getattr(charts, name)
    assert callable(module.draw)
    assert callable(module.table)


@pytest.mark.parametrize("name", ["attack_replies", "read", "read_conversations", "score_system", "score_user"])
def test_the_old_name_of_the_format_of_a_file(name: str) -> None:
    function = getattr(dialmeter, name)
    with pytest.warns(DeprecationWarning, match="form= of .* is now format="), pytest.raises(dialmeter.DialmeterError):
        list(function("nowhere.jsonl", form="nothing"))


def test_the_warning_names_the_line_of_the_caller() -> None:
    with pytest.warns(DeprecationWarning, match="is now") as caught, pytest.raises(dialmeter.DialmeterError):
        dialmeter.read("nowhere.jsonl", form="nothing")  # type: ignore[call-arg]
    sys.modules.pop("dialmeter.resampling", None)
    with pytest.warns(DeprecationWarning, match="is now") as imported:
        from dialmeter.resampling import Resampling  # type: ignore[import-not-found]  # noqa: F401
    assert {each.filename for each in (*caught, *imported)} == {__file__}


def test_two_names_of_one_argument_are_refused() -> None:
    with pytest.raises(TypeError, match=r"read\(\) got format= and its old name form=; give only format="):
        dialmeter.read("nowhere.jsonl", form="native", format="llm")  # type: ignore[call-arg]


def test_old_names_are_gone_in_the_version_that_the_warnings_name() -> None:
    source = Path(dialmeter.__file__).parent
    with_old_names = [
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if re.search(r"\b(renamed_argument|renamed_attribute|renamed_option|warn_renamed)\(", path.read_text("utf-8"))
        and path.name not in ("renamed.py", "old_names.py")
    ]
    version, removed_in = (tuple(map(int, text.split(".")[:2])) for text in (dialmeter.__version__, REMOVED_IN))
    assert version < removed_in or not (RENAMED or with_old_names)
