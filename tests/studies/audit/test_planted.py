"""Errors that a benchmark inserts into gold, and the precision with which an audit finds them."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.studies.audit.made import made_gold, made_trackers, write_corpus

from dialmeter.studies.audit.trackers import read_trackers
from dialmeter.studies.audit.votes import Mentions
from dialmeter.tracking.rule_sets.rules import named


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    return importlib.import_module("planted_gold")


def test_planted_errors_depend_on_the_seed(planted: ModuleType, tmp_path: Path) -> None:
    correct = made_gold()
    gold, *preds = write_corpus(tmp_path, correct, made_trackers(correct, 5))
    clean = read_trackers(str(gold), {path.stem: str(path) for path in preds}, named("dialmeter"))
    mentions = Mentions([each.reads for each in clean.voters], clean.pairs)
    planter = planted.Planter(clean, mentions, seed=3)
    errors = planter.plant(0.05)
    assert len(errors) == round(0.05 * len(planter.first))
    assert errors == planted.Planter(clean, mentions, seed=3).plant(0.05)
    assert errors != planted.Planter(clean, mentions, seed=4).plant(0.05)
    assert len({(each.dialogue, each.slots[0]) for each in errors}) == len(errors)
    assert all(each.corrections for each in errors)


def test_precision_between_ties(planted: ModuleType) -> None:
    precision_at = planted.precision_at
    assert precision_at([], [], 5).at == 0
    assert precision_at([True, True, False, False], [3, 2, 2, 2], 2)[1:] == pytest.approx((2 / 3, 0.5, 1.0))
    assert np.isclose(precision_at([True, False], [2, 1], 1).value, 1)


def test_the_examples_in_the_source(planted: ModuleType) -> None:
    assert doctest.testmod(planted).failed == 0
