"""Files that were given gold states are detected, and real trackers are not."""

from __future__ import annotations

import pytest
from tests.shared_data import shared

from dialmeter.studies.audit.trackers import GoldStateCheck
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scoring import score_file


@pytest.mark.parametrize(("name", "given"), [("damd", False), ("labes", False), ("uniconv", True)])
def test_published_files(name: str, given: bool) -> None:
    check = GoldStateCheck()
    folder = shared("data", "compat", "mwzeval")
    gold = str(folder / "mw21.gold.json.gz")
    rules = change(named("dialmeter"), missing="skip")
    score_file(str(folder / f"{name}.pred.json.gz"), gold, measures=["JGA"], rules=rules, on_row=check.take)
    assert check.was_given_gold is given
    if given:
        assert check.share == pytest.approx(0.99, abs=0.01)


def test_a_file_that_predicts_nothing_was_not_given_gold() -> None:
    check = GoldStateCheck()
    check.add_turn({"hotel-area": "east"}, {}, agreeing=())
    assert check.share is None
    assert not check.was_given_gold
