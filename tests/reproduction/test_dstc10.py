"""The official scores of a submitted DSTC10 entry."""

from __future__ import annotations

import json

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.scoring import score_file

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
    assert named("dstc10").measures == tuple(OFFICIAL)
    gold, pred = folder / "labels.json.gz", folder / "A01_entry0.json.gz"
    assert [open_corpus(path).format for path in (gold, pred)] == ["dstc10", "dstc10"]
    result = score_file(str(pred), str(gold), rules="dstc10", measures=tuple(OFFICIAL))
    for name, path in OFFICIAL.items():
        official = expected
        for key in path:
            official = official[key]
        assert result[name].value == pytest.approx(official, abs=1e-12, rel=0), name
