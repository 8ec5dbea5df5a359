from pathlib import Path

from dialmeter.readers.corpus import open_corpus

from ..files import as_json


def test_the_prediction_comes_first_and_turns_are_brought_together(tmp_path: Path) -> None:
    thing = {
        "MUL_1.json_10": [["hotel-area-east"], ["hotel-area-west"]],
        "SNG2.json_0": [[], ["hotel-book people-2"]],
        "MUL_1.json_2": [[], []],
    }
    corpus = open_corpus(as_json(tmp_path, thing))
    assert corpus.format == "som-dst"
    first, second = corpus
    assert (first.id, [turn.number for turn in first.turns]) == ("MUL_1.json", [2, 10])
    assert (first.turns[1].pred, first.turns[1].gold) == ({"hotel-area": "east"}, {"hotel-area": "west"})
    assert (second.id, second.turns[0].pred, second.turns[0].gold) == ("SNG2.json", {}, {"hotel-book people": "2"})
