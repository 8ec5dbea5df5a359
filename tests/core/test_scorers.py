"""Scorers of all subjects can be merged."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from dialmeter import InputError
from dialmeter.cli.main import cli
from dialmeter.core.comparison import Resampling
from dialmeter.readers.conversations import open_conversations
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.users.scorer import UserScorer

from ..scoring import score_tracker
from ..simulation.played import play_to_file

MEASURES = ["JGA", "FGA(lam=0.5)", "SA", "GCA", "GCA(credit=fuzzy)", "RSA"]
STATES = {
    "d1": ([{"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "4"}], [{"hotel-area": "east"}, {}]),
    "d2": ([{"taxi-to": "x"}, {"taxi-to": "x", "taxi-from": "y"}], [{"taxi-to": "x"}, {"taxi-to": "z"}]),
    "d3": ([{"train": {"day": "monday"}}], [{"train": {"day": "monday"}}]),
    "d4": ([{"hotel-area": "west|east"}], [{"hotel-area": "east"}]),
}


def filled(*names: str, **more: Any) -> TrackerScorer:
    """Return a scorer with some of the dialogues."""
    scorer = TrackerScorer(MEASURES, by=("domain", "slot"), **more)
    for name in names:
        scorer.add(name, *STATES[name])
    return scorer


def facts(result: TrackerResult) -> dict[str, Any]:
    """Return all values of a result."""
    return {
        "scores": result.to_dicts(),
        "by": [result.by(group) for group in ("domain", "slot", "turn")],
        "worst": result.worst(),
        "counts": result.counts,
        "notices": result.notices,
        "account": result.account,
    }


def facts_of(scorer: TrackerScorer) -> dict[str, Any]:
    """Return all values of a scorer's result, with intervals."""
    return facts(scorer.result(resampling=Resampling(resamples=50)))


WHOLE = facts_of(filled(*STATES))


class TestTrackers:
    """``TrackerScorer``"""

    def test_shards_are_merged(self) -> None:
        one, other = filled("d1", "d2"), filled("d3", "d4")
        one.merge_part(pickle.loads(pickle.dumps(other.part)))
        assert facts_of(one) == WHOLE
        with pytest.raises(InputError, match="d3"):
            one.merge_part(filled("d3").part)
        with pytest.raises(InputError, match="d3"):
            one.add("d3", *STATES["d3"])


def test_one_file_like_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "predictions.jsonl"
    lines = [
        {"dialogue_id": name, "turns": [{"gold": one, "pred": other} for one, other in zip(*states, strict=True)]}
        for name, states in STATES.items()
        if name != "d3"  # nested states are only supported in Python
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    cli.main(["score", str(path), "-f", "json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["scores"] == score_tracker(str(path)).to_dicts()


class TestUsers:
    """``UserScorer``"""

    @pytest.fixture
    def talks(self, tmp_path: Path) -> list[Any]:
        path = tmp_path / "talks.jsonl"
        play_to_file(path, goals=6, seed=3)
        return list(open_conversations(path))

    def filled(self, talks: list[Any]) -> UserScorer:
        scorer = UserScorer(value_map="multiwoz", from_text=True, keep=True)
        for talk in talks:
            scorer.add(talk)
        return scorer

    def facts(self, scorer: UserScorer) -> Any:
        result = scorer.result(resampling=Resampling(resamples=50))
        return result.to_dicts(), result.score_table.events, result.notices, result.worst(), result.outcomes

    def test_pickled_merged_and_emptied(self, talks: list[Any]) -> None:
        scorer = self.filled(talks)
        whole = self.facts(scorer)
        assert self.facts(pickle.loads(pickle.dumps(scorer))) == whole
        merged = pickle.loads(pickle.dumps(self.filled(talks[:2])))
        merged.score_table.merge(self.filled(talks[2:]).score_table)
        assert self.facts(merged) == whole
        merged.reset()
        assert not merged.score_table.rows
        for talk in talks:
            merged.add(talk)
        assert self.facts(merged) == whole
