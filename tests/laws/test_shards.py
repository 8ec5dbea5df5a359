"""Any split of a corpus into shards gives exactly the same result as the whole."""

from __future__ import annotations

import pickle
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.core.comparison import Resampling
from dialmeter.simulation.agents import choose
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.users.result import UserResult
from dialmeter.users.scorer import UserScorer

from ..two_trackers import dialogues

TALK = dialogues("hasty")
MEASURES = ["JGA", "SA", "AGA", "RSA", "FGA(lam=0.5)", "GCA", "SlotF1", "GCA(average=dialogue)", "FinalJGA"]
HOW = Resampling(resamples=100)
SETTING = Setting(choose("inventive", "user"), choose("rule", "system"), noise=0.2, seed=5)
CONVERSATIONS = list(play(sampled(24, seed=5), SETTING))

splits = st.lists(st.integers(0, 36), max_size=8).map(sorted)
"""Where the corpus is cut; the same place twice leaves an empty shard."""


def tracker_scorer() -> TrackerScorer:
    return TrackerScorer(MEASURES, by=("domain", "slot", "without-domain"))


@cache
def whole_tracker() -> TrackerResult:
    whole = tracker_scorer()
    for dialogue in TALK:
        whole.add_dialogue(dialogue)
    return whole.result(resampling=HOW)


def groups_of(result: TrackerResult) -> list[object]:
    return [result.by(group) for group in ("domain", "slot", "turn", "without-domain")]


@cache
def whole_groups() -> list[object]:
    return groups_of(whole_tracker())


@given(splits)
@settings(max_examples=40)
def test_trackers(cuts: list[int]) -> None:
    merged = tracker_scorer()
    for start, end in zip([0, *cuts], [*cuts, len(TALK)], strict=True):
        shard = tracker_scorer()
        for dialogue in TALK[start:end]:
            shard.add_dialogue(dialogue)
        merged.merge_part(pickle.loads(pickle.dumps(shard.part)))
    one, other = whole_tracker(), merged.result(resampling=HOW)
    assert one.scores == other.scores
    assert one.notices == other.notices
    assert groups_of(other) == whole_groups()
    assert one.worst(36) == other.worst(36)


def test_notices_name_first_place() -> None:
    whole, merged = tracker_scorer(), tracker_scorer()
    for name in ("first", "second"):
        shard = tracker_scorer()
        for scorer in (whole, shard):
            scorer.add(name, [{"hotel-area": "east"}], [{"hotel-area": "east|west"}])
        merged.merge_part(shard.part)
    assert merged.result().notices == whole.result().notices


@cache
def whole_user() -> UserResult:
    whole = UserScorer(profile="town")
    for talk in CONVERSATIONS:
        whole.add(talk)
    return whole.result(resampling=HOW)


@given(splits)
def test_users(cuts: list[int]) -> None:
    merged = UserScorer(profile="town")
    for start, end in zip([0, *cuts], [*cuts, len(CONVERSATIONS)], strict=True):
        shard = UserScorer(profile="town")
        for talk in CONVERSATIONS[start:end]:
            shard.add(talk)
        merged.score_table.merge(pickle.loads(pickle.dumps(shard.score_table)))
    one, other = whole_user(), merged.result(resampling=HOW)
    assert one.scores == other.scores
    assert one.events == other.events
    assert one.event_counts() == other.event_counts()
    assert one.worst(24) == other.worst(24)
