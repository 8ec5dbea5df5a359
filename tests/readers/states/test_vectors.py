import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.tracker_results import CorrectnessVectors
from dialmeter.readers.source import Sample
from dialmeter.tracking.scorer import TrackerScorer

from ...shared_data import shared
from .files import as_json, complaint, read_all


def test_right_and_wrong(tmp_path: Path) -> None:
    corpus = open_corpus(as_json(tmp_path, {"d": {"10": [1, 0, 1], "9": [0.0, 1.0, 1]}}))
    assert (corpus.format, corpus.correctness_only) == ("vectors", True)
    (found,) = corpus
    assert [turn.number for turn in found.turns] == [9, 10]
    assert [turn.gold for turn in found.turns] == [{"slot-00": "right", "slot-01": "right", "slot-02": "right"}] * 2
    assert [list((turn.pred or {}).values()) for turn in found.turns] == [
        ["wrong", "right", "right"],
        ["right", "wrong", "right"],
    ]


FIGURES = {"JGA": "JGA", "SA": "SA(slots=30)"} | {
    f"FGA_{lam}": f"FGA(lam={lam}, local=vector)" for lam in ("0.25", "0.5", "0.75", "1.0")
}


def test_published_figures() -> None:
    block = "data/tracking/trippy_vectors.json.gz, without dialogue PMUL1455.json"
    expected = json.loads(shared("expected", "tracking.json").read_text())[block]["FGA local=vector, SA(slots=30)"]
    scorer = TrackerScorer([*FIGURES.values()], correctness_only=True)
    exact = 0
    for found in open_corpus(shared("data", "tracking", "trippy_vectors.json.gz")):
        if found.id != "PMUL1455.json":
            scorer.add_dialogue(found)
            exact += sum(turn.gold == turn.pred for turn in found.turns)
    assert exact == expected["exact_turns"]
    result = scorer.result()
    for name, scored in zip(FIGURES, result.scores, strict=True):
        assert (scored.n, round(100 * (scored.value or 0), 2)) == (expected["turns"], expected[name])


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ([], "the file must be an object, found a list"),
        ({"d": []}, "dialogue d: a dialogue must be an object, found a list"),
        ({"d": {}}, "dialogue d: a dialogue without turns"),
        ({"d": {"x": [1]}}, "dialogue d, turn x: a turn's number must be a whole number, found 'x'"),
        ({"d": {"0": {}}}, "dialogue d, turn 0: a turn must be a list, found an object"),
        ({"d": {"0": []}}, "dialogue d, turn 0: a vector of 0 positions"),
        (
            {"d": {"0": [1, 1]}, "e": {"0": [1]}},
            "dialogue e, turn 0: a vector of 1 positions; expected 2, as in the first vector",
        ),
        ({"d": {"0": [1, 2]}}, "dialogue d, turn 0, slot slot-01: a position must be 0 or 1, found 2"),
        ({"d": {"0": [True]}}, "dialogue d, turn 0, slot slot-00: a position must be 0 or 1, found True"),
        ({"d": {"0": ["1"]}}, "dialogue d, turn 0, slot slot-00: a position must be 0 or 1, found '1'"),
        ({"d": {"0": [[]]}}, "dialogue d, turn 0, slot slot-00: a position must be 0 or 1, found []"),
        ({"d": {"0": [None]}}, "dialogue d, turn 0, slot slot-00: a position must be 0 or 1, found None"),
        ({"d": {"1": [1], "01": [1]}}, "dialogue d, turn 1: duplicate turn"),
        ({"D.json": {"0": [1]}, "d": {"0": [1]}}, "dialogue d: duplicate dialogue id"),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, said: str) -> None:
    assert complaint(as_json(tmp_path, thing), "vectors").startswith(said)


def test_all_wrong_is_not_all_absent(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"d": {"0": [0, 0]}}), "vectors")
    assert found.turns[0].pred == {"slot-00": "wrong", "slot-01": "wrong"}


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"d": {"0": [1, 0, 1]}}, True),
        ({"d": {"0": [1.0]}}, True),
        ({"d": {"0": []}}, False),
        ({"d": {"0": [True]}}, False),
        ({"d": {"0": [2]}}, False),
        ({"d": {"0": {"turn_belief": []}}}, False),
        ({"d_0": [[], []]}, False),
        ({"d": [1, 0]}, False),
        ({}, False),
        ([], False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert CorrectnessVectors.detect(Sample("document", value)) is fits
    assert not CorrectnessVectors.detect(Sample("lines", value))
