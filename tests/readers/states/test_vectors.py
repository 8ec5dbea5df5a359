import json
from pathlib import Path

from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.scorer import TrackerScorer

from ...shared_data import shared
from .files import as_json, read_all


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


def test_all_wrong_is_not_all_absent(tmp_path: Path) -> None:
    (found,) = read_all(as_json(tmp_path, {"d": {"0": [0, 0]}}), "vectors")
    assert found.turns[0].pred == {"slot-00": "wrong", "slot-01": "wrong"}
