from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.tracker_results import SomDst
from dialmeter.readers.source import Sample

from ..files import as_json, complaint


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


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ([], "the file must be an object, found a list"),
        ({"d": [[], []]}, "a key must be dialogue_turn, found 'd'"),
        ({"_0": [[], []]}, "a key must be dialogue_turn, found '_0'"),
        ({"d_x": [[], []]}, "dialogue d, turn x: a turn's number must be a whole number, found 'x'"),
        ({"d_": [[], []]}, "dialogue d, turn : a turn's number must be a whole number, found ''"),
        ({"d_0": {}}, "dialogue d, turn 0: a turn must be a list, found an object"),
        ({"d_0": [[]]}, "dialogue d, turn 0: a turn must hold two states, predicted and gold, found 1"),
        ({"d_0": [[], [], []]}, "dialogue d, turn 0: a turn must hold two states, predicted and gold, found 3"),
        ({"d_0": [[], {}]}, "dialogue d, turn 0: a state must be a list, found an object"),
        ({"d_0": [[1], []]}, "dialogue d, turn 0: a pair must be a string, found a number"),
        ({"d_0": [["a-b"], []]}, "dialogue d, turn 0: a pair reads domain-slot-value, found 'a-b'"),
        ({"d_0": [["a-b-c", "a-b-d"], []]}, "dialogue d, turn 0, slot a-b: duplicate slot with two values"),
        ({"d_1": [[], []], "d_01": [[], []]}, "dialogue d, turn 1: duplicate turn"),
        ({"D.json_0": [[], []], "d_0": [[], []]}, "dialogue d: duplicate dialogue id"),
    ],
)
def test_bad_files(tmp_path: Path, thing: Any, said: str) -> None:
    assert complaint(as_json(tmp_path, thing), "som-dst").startswith(said)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"MUL0003.json_0": [[], []]}, True),
        ({"MUL0003.json": [[], []]}, False),
        ({"MUL0003.json_0": [[]]}, False),
        ({"sng_0": [{"state": {}}, {"state": {}}]}, False),
        ({"d_0": {"0": [1, 0]}}, False),
        ({}, False),
        ([], False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    assert SomDst.detect(Sample("document", value)) is fits
    assert not SomDst.detect(Sample("lines", value))
