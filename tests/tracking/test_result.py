"""Results of trackers: the worst dialogues, intervals, and counts of mistakes, each against a plain way to find it."""

from __future__ import annotations

import json
from math import fsum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.core.comparison import Resampling
from dialmeter.errors import InputError
from dialmeter.stats.resampling import bootstrap
from dialmeter.tracking.diagnosis.findings import Mistake
from dialmeter.tracking.result import TrackerResult, Worst
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.vectors.measure_columns import columns
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.tracker import KIND

from ..cli.invoke import call
from ..two_trackers import dialogues

states = st.dictionaries(st.sampled_from(["a-x", "a-y", "b-x"]), st.sampled_from(["1", "2"]), max_size=3)
corpora = st.dictionaries(
    st.text("abAB12", min_size=1, max_size=3).filter(str.islower),
    st.lists(st.tuples(states, states), min_size=1, max_size=9),
    min_size=1,
    max_size=30,
)


def plain_worst(result: TrackerResult, n: int, measure: str) -> list[Worst]:
    used = next(each.used for each in result.measures if each.text == measure)
    tally_table = result.measure_columns.tally_table_for(used)
    found = []
    for position, (name, column) in enumerate(
        zip(tally_table.dialogues, result.measure_columns.per_dialogue(used), strict=True)
    ):
        rows = [tally_table.table[row] for row in tally_table.rows_of(position)]
        wrong = sum(not row.exact for row in rows)
        value = used.value([fsum(each) for each in zip(*map(used.from_tally, rows), strict=True)])
        # The columns of a run are summed in floating point.
        assert value == (column if column is None else pytest.approx(column, rel=1e-12))
        if value is not None and wrong:
            kinds = (sum(row.missed for row in rows), sum(row.wrong for row in rows), sum(row.extra for row in rows))
            found.append(Worst(name, value, len(rows), wrong, *kinds))
    # Equal values are sorted by the most wrong turns, then by the most mistakes.
    mistakes = {each.dialogue: each.missed + each.wrong + each.extra for each in found}
    return sorted(found, key=lambda each: (each.value, -each.wrong_turns, -mistakes[each.dialogue], each.dialogue))[:n]


@given(corpora, st.integers(0, 31), st.sampled_from(["JGA", "FGA(lam=0.5)", "GCA", "RSA(empty=skip)"]))
def test_arrays_against_plain_search(corpus, n, measure):
    scorer = TrackerScorer(["JGA", "FGA(lam=0.5)", "GCA", "RSA(empty=skip)"])
    for name, turns in corpus.items():
        scorer.add(name, [gold for gold, _ in turns], [pred for _, pred in turns])
    result = scorer.result()
    assert result.worst(n, measure) == plain_worst(result, n, measure)
    assert all(type(each.value) is float and type(each.turns) is int for each in result.worst(n, measure))


MEASURES = [
    "JGA",
    "SA",
    "RSA",
    "FGA(lam=0.5)",
    "GCA",
    "SlotF1",
    "GCA(average=dialogue)",
    "FinalJGA",
    "JGA(average=dialogue)",
]


@pytest.mark.parametrize("threads", [1, 3])
def test_cached_columns_same_intervals(threads):
    scorer = TrackerScorer(MEASURES)
    for dialogue in dialogues("hasty"):
        scorer.add_dialogue(dialogue)
    result = scorer.result(resampling=Resampling(0.9, 200, 7))
    matrix, formulas = columns(result.measure_columns, result.measures)
    plain = bootstrap(matrix, formulas, confidence=0.9, resamples=200, seed=7)
    result.threads = threads
    assert {score.measure: score.ci for score in result.scores} == {
        name: (found.low, found.high) for name, found in plain.items()
    }


def test_measure_without_value():
    scorer = TrackerScorer(["JGA", "GCA"])
    for name in "ab":
        scorer.add(name, [{}], [{}])
    jga, gca = scorer.result(resampling=Resampling(resamples=50)).scores
    assert jga.ci == pytest.approx((0.025**0.5, 1.0))
    assert (gca.value, gca.ci, gca.ci_reason) == (None, None, "")


def test_worst_by_turns() -> None:
    scorer = TrackerScorer(["JGA"])
    gold = [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-name": "mill"}, {"hotel-area": "east"}]
    pred = [{"hotel-area": "west"}, {"hotel-area": "west"}, {"hotel-area": "west", "taxi-to": "ely"}]
    scorer.add("d", gold, pred)
    assert scorer.result().mistakes.worst(2) == [
        Mistake("hotel-area", "east", "west", 3),
        Mistake("hotel-name", "mill", None, 1),
    ]


LINE = {
    "dialogue_id": "d",
    "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west", "taxi-to": "ely"}}],
}


def test_scores_by_slot_in_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    wanted = [
        {"slot": "hotel-area", "gold": "east", "pred": "west", "turns": 1},
        {"slot": "taxi-to", "gold": None, "pred": "ely", "turns": 1},
    ]
    said = call(capsys, "score", path, "--by", "slot", "-f", "json", "--out", tmp_path / "run", "--quiet")
    assert json.loads(said.out)["mistakes"] == wanted
    assert json.loads((tmp_path / "run" / "run.json").read_text())["mistakes"] == wanted
    assert "hotel-area  east       west" in call(capsys, "score", path, "--by", "slot", "--quiet").out
    assert "mistakes" not in json.loads(call(capsys, "score", path, "-f", "json", "--quiet").out)
    first = next(iter(KIND.breakdowns(OpenedRun(tmp_path / "run"))))
    assert first.rows == (("hotel-area", "east", "west", "1"), ("taxi-to", "(nothing)", "ely", "1"))


@pytest.mark.parametrize("noted", [7, [7], [{"slot": 1}], None])
def test_damaged_mistakes_of_run(capsys: pytest.CaptureFixture[str], tmp_path: Path, noted: object) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    call(capsys, "score", path, "--out", tmp_path / "run", "--quiet")
    manifest = tmp_path / "run" / "run.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "mistakes": noted}))
    if isinstance(noted, list) and isinstance(noted[0], dict):
        assert next(iter(KIND.breakdowns(OpenedRun(tmp_path / "run")))).title == "by domain"
    else:
        with pytest.raises(InputError, match=r"run\.json: damaged: Expected .*mistakes"):
            OpenedRun(tmp_path / "run")
