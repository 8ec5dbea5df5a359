"""Registered names: built-ins, plug-ins of other packages, broken plug-ins, and unknown names."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from dialmeter import measure
from dialmeter.errors import DialmeterError
from dialmeter.measure import Measure, Vector
from dialmeter.model import State
from dialmeter.readers.formats import FORMATS
from dialmeter.registry import Registry
from dialmeter.tracking.scorer import TrackerScorer


class Shy(Measure, frozen=True, kw_only=True):
    """The share of turns at which nothing is predicted."""

    title = "Shyness"
    formula = "mean over turns of [P is empty]"
    least: int = 0
    """Number of missed slots."""

    def from_states(self, previous_gold: State, gold: State, previous_pred: State, pred: State) -> Vector:
        return (len(pred) <= self.least, 1)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Entry points of other packages, which a test adds."""
    points: list[EntryPoint] = []
    module = ModuleType("shy_package")
    module.Shy = Shy  # type: ignore[attr-defined]
    module.JGA = Shy  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "shy_package", module)
    monkeypatch.setattr(
        "dialmeter.registry.plugin_points", lambda group: [each for each in points if each.group == group]
    )
    return points


def measure_point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "dialmeter.measures")


def test_measure_of_another_package(plugins: list[EntryPoint]) -> None:
    plugins.append(measure_point("Shy", "shy_package:Shy"))
    assert measure.parse("Shy(least=1)") == Shy(least=1)
    scorer = TrackerScorer(["Shy", "JGA"])
    scorer.add("d1", [{"a-b": "1"}, {"a-b": "1"}], [{}, {"a-b": "1"}])
    assert {score.measure: score.value for score in scorer.result().scores} == {"Shy": 0.5, "JGA": 0.5}


def test_other_names_after_own(plugins: list[EntryPoint]) -> None:
    plugins += [measure_point("Zeal", "shy_package:Shy"), measure_point("Able", "shy_package:Shy")]
    assert measure.registry.names() == [*measure.registry.builtin(), "Able", "Zeal"]


def test_built_in_name_taken(plugins: list[EntryPoint]) -> None:
    plugins.append(measure_point("JGA", "shy_package:JGA"))
    assert type(measure.parse("JGA")).__module__ == "dialmeter.tracking.measures.states"


def test_suggestion_from_other_package(plugins: list[EntryPoint]) -> None:
    plugins.append(measure_point("Shyness", "shy_package:Shy"))
    with pytest.raises(DialmeterError, match=r"unknown measure 'Shynes'; did you mean Shyness\?"):
        measure.parse("Shynes")


@pytest.mark.parametrize(
    ("value", "says"), [("no_such_package:Shy", "No module named 'no_such_package'"), ("shy_package:Bold", "Bold")]
)
def test_broken_one_named(value: str, says: str, plugins: list[EntryPoint]) -> None:
    plugins.append(measure_point("Broken", value))
    with pytest.raises(DialmeterError, match=f"measure 'Broken' cannot be loaded from {value}: .*{says}"):
        measure.parse("Broken")


def test_broken_one_listed(plugins: list[EntryPoint]) -> None:
    plugins += [measure_point("Broken", "no_such_package:X"), measure_point("Shy", "shy_package:Shy")]
    members, notices = measure.registry.loaded()
    assert "Broken" not in members
    assert members["Shy"] is Shy
    assert [(notice.code, notice.count) for notice in notices] == [("broken-plugin", 1)]


def test_broken_one_unused(plugins: list[EntryPoint]) -> None:
    plugins += [
        measure_point("Broken", "no_such_package:X"),
        EntryPoint("broken", "no_such_package", "dialmeter.formats"),
    ]
    assert repr(measure.parse("JGA")) == "JGA"
    assert FORMATS.load("nested").CONTENT == "both"


def test_lazy_loading(plugins: list[EntryPoint], monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(point: EntryPoint) -> Any:
        raise AssertionError(f"{point.name} was loaded")

    monkeypatch.setattr(EntryPoint, "load", loaded)
    plugins.append(measure_point("Shy", "shy_package:Shy"))
    measure.parse("JGA")
    measure.registry.names()
    with pytest.raises(DialmeterError, match="Shy was loaded"):
        measure.parse("Shy")


def test_member_is_module() -> None:
    assert Registry("thing", "dialmeter.things", {"maths": "math"}).load("maths").pi > 3


@pytest.mark.parametrize("registry", [measure.registry, FORMATS])
def test_every_built_in_name_loads(registry: Registry) -> None:
    for name in registry.builtin():
        assert registry.load(name) is not None


@pytest.mark.parametrize("name", FORMATS.builtin())
def test_format_members(name: str) -> None:
    module = FORMATS.load(name)
    assert module.CONTENT in ("both", "state")
    assert module.DESCRIPTION
    assert module.__doc__
    assert callable(module.detect)
    assert callable(module.read)
