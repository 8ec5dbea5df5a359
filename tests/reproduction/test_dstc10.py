"""The official scores of a submitted DSTC10 entry."""

from __future__ import annotations

import json

import pytest

from dialmeter import measure, rules
from dialmeter.formats import Role, open_corpus
from dialmeter.tracking.align import joined
from dialmeter.tracking.ledger import Ledger
from dialmeter.tracking.prepare import Preparer

from ..shared_data import shared

OFFICIAL = {
    "JGA": ("joint_goal_accuracy",),
    "SA": ("slot", "accuracy"),
    "ValuePrecision": ("slot", "value_prediction", "prec"),
    "ValueRecall": ("slot", "value_prediction", "rec"),
    "ValueF1": ("slot", "value_prediction", "f1"),
    "NonePrecision": ("slot", "none_prediction", "prec"),
    "NoneRecall": ("slot", "none_prediction", "rec"),
    "NoneF1": ("slot", "none_prediction", "f1"),
}


def test_official_scores() -> None:
    folder = shared("data", "tracking", "dstc10")
    everything = json.loads(shared("expected", "tracking.json").read_text("utf-8"))
    (expected,) = (block for name, block in everything.items() if name.startswith("data/tracking/dstc10/"))
    chosen = rules.named("dstc10")
    assert chosen.measures == tuple(OFFICIAL)
    measures = {name: measure.with_settings(measure.parse(name), chosen.settings) for name in OFFICIAL}
    ledger = Ledger(list(measures.values()))
    preparer = Preparer(chosen, ledger.needs_none)
    gold = open_corpus(folder / "labels.json.gz", Role.GOLD)
    pred = open_corpus(folder / "A01_entry0.json.gz", Role.PRED)
    assert (gold.format, pred.format) == ("dstc10", "dstc10")
    for found in joined(gold, pred):
        ledger.add(preparer.prepare(found), found)
    for name, path in OFFICIAL.items():
        official = expected
        for key in path:
            official = official[key]
        assert ledger.value(measures[name]).value == pytest.approx(official, abs=1e-12, rel=0), name
