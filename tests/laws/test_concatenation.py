"""Parts of a corpus that are counted separately, and any split into shards, give exactly the same result as the whole."""

from __future__ import annotations

import pickle
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.core.comparison import Resampling
from dialmeter.model import Dialogue
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.tracking.digest import GoldDigest
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.tally import TallyTable
from dialmeter.tracking.vectors.measure_columns import MeasureColumns
from dialmeter.users.result import UserResult
from dialmeter.users.scorer import UserScorer

from ..two_trackers import dialogues
from .corpora import OF_FRAMES, OF_TURNS, SCHEMA, anything, law, law_of_all_measures, scored

# A measure that needs the number of slots has it as a parameter here: it would be known only after all parts are merged.
MEASURES = [each for each in (*OF_TURNS, *OF_FRAMES) if getattr(each, "slots", 1)]
RULES = ("dialmeter", "gca-repo")


def accounted(corpus: list[Dialogue], rules: str) -> tuple[MeasureColumns, GoldDigest]:
    scorer = TrackerScorer(MEASURES, rules, SCHEMA)
    for each in corpus:
        scorer.add_dialogue(each)
    part = scorer.part
    return part.measure_columns, part.findings.digest


@pytest.mark.parametrize("rules", RULES)
@given(corpus=anything, cut=st.integers(0, 4))
@law_of_all_measures
def test_merged_parts_equal_whole(rules: str, corpus: list[Dialogue], cut: int) -> None:
    whole, of_whole = accounted(corpus, rules)
    merged, of_first = accounted(corpus[:cut], rules)
    second, of_second = accounted(corpus[cut:], rules)
    merged.merge(second)
    of_first.merge(of_second)
    assert of_first.hexes() == of_whole.hexes()
    for measure in whole.measures:
        assert merged.value(measure) == whole.value(measure)
        assert merged.per_dialogue(measure) == whole.per_dialogue(measure)
        if measure.reads() == "frames":
            assert merged.by_service(measure) == whole.by_service(measure)
        elif measure.reads() == "tally" and measure.gather == "sum":
            assert merged.by_turn(measure) == whole.by_turn(measure)


@given(corpus=anything, cut=st.integers(0, 4))
@law
def test_merged_books_equal_whole(corpus: list[Dialogue], cut: int) -> None:
    whole, _ = accounted(corpus, "dialmeter")
    first, _ = accounted(corpus[:cut], "dialmeter")
    second, _ = accounted(corpus[cut:], "dialmeter")
    for variant, tally_table in whole.tally_tables.items():
        merged = TallyTable()
        merged.merge(first.tally_tables[variant])
        merged.merge(second.tally_tables[variant])
        assert rows_by_dialogue(merged) == rows_by_dialogue(tally_table)
        assert (merged.turns, merged.ends) == (tally_table.turns, tally_table.ends)


def rows_by_dialogue(tally_table: TallyTable) -> list[tuple[str, list[tuple[int, ...]]]]:
    table = tally_table.table
    return [
        (name, [table[row] for row in tally_table.rows_of(position)])
        for position, name in enumerate(tally_table.dialogues)
    ]


@given(corpus=anything, cut=st.integers(1, 4))
@law
def test_counts_add(corpus: list[Dialogue], cut: int) -> None:
    parts = [scored(part).counts for part in (corpus[:cut], corpus[cut:]) if part]
    assert scored(corpus).counts == {name: sum(part[name] for part in parts) for name in parts[0]}


@given(corpus=anything)
@law_of_all_measures
def test_average_over_dialogues(corpus: list[Dialogue]) -> None:
    names = ("JGA", "SA(slots=30)", "AGA", "RSA", "FGA(lam=0.5)", "GCA", "SlotF1")
    for name in names:
        form = f"{name[:-1]}, average=dialogue)" if name.endswith(")") else f"{name}(average=dialogue)"
        alone = [value for each in corpus if (value := scored([each], [name]).value) is not None]
        found = scored(corpus, [form]).scores[0]
        assert found.n == len(alone)
        assert found.unscored == len(corpus) - len(alone)
        assert found.value == (pytest.approx(sum(alone) / len(alone)) if alone else None)


TALK = dialogues("hasty")
MEASURED = ["JGA", "SA", "AGA", "RSA", "FGA(lam=0.5)", "GCA", "SlotF1", "GCA(average=dialogue)", "FinalJGA"]
HOW = Resampling(resamples=100)
SETTING = Setting(choose("inventive", "user"), choose("rule", "system"), noise=0.2, seed=5)
CONVERSATIONS = list(play(sampled(24, seed=5), SETTING))

splits = st.lists(st.integers(0, 36), max_size=8).map(sorted)
"""Where the corpus is cut; the same place twice leaves an empty shard."""


def tracker_scorer() -> TrackerScorer:
    return TrackerScorer(MEASURED, by=("domain", "slot", "without-domain"))


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


def test_notices_of_several_values_name_the_first_place() -> None:
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
    assert one.score_table.events == other.score_table.events
    assert one.worst(24) == other.worst(24)
