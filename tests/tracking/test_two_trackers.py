"""Two trackers that measures rank in different orders."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.tracking.compare import compare
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file

from ..two_trackers import TRACKERS, dialogues, written


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrackerResult]:
    folder = tmp_path_factory.mktemp("trackers")
    return {name: score_file(str(written(name, folder))) for name in TRACKERS}


def test_what_is_in_the_dialogues(results: dict[str, TrackerResult]) -> None:
    found = dialogues("steady")
    assert len(found) >= 30
    assert results["steady"].data == results["hasty"].data
    golds = [[turn.gold or {} for turn in dialogue.turns] for dialogue in found]
    values = {value for states in golds for state in states for value in state.values()}
    assert {"dontcare", "cheap|moderate"} <= values
    pairs = [pair for states in golds for pair in pairwise(states)]
    assert any(one.keys() - two.keys() for one, two in pairs), "a deletion"
    assert any(one == two for one, two in pairs), "a turn that changes nothing"


def test_measures_disagree_on_which_is_better(results: dict[str, TrackerResult]) -> None:
    found = {each.measure: each for each in compare(results, Resampling(resamples=10_000)).versus}
    assert found["JGA"].difference is not None
    assert found["GCA"].difference is not None
    assert found["JGA"].difference > 0 > found["GCA"].difference
    assert found["JGA"].p_holm is not None
    assert found["GCA"].p_holm is not None
    assert found["GCA"].p_holm < 0.05 < found["JGA"].p_holm
