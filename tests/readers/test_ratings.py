"""Files of rated items: every format, its errors, and scores of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers.ratings.open_ratings import open_ratings, open_scores

from ..shared_data import shared

LINE = {"id": "1", "context": ["Hello"], "reply": "Hi!", "ratings": {"overall": [3, 4]}, "scores": {"mine": 0.5}}


def lines(folder: Path, *items: object) -> Path:
    path = folder / "ratings.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def test_own_lines(tmp_path: Path) -> None:
    found = open_ratings(lines(tmp_path, LINE, {**LINE, "id": "2", "scores": {"mine": None}}))
    first, second = found.items
    assert (first.rating("overall"), first.scores, second.scores) == (3.5, {"mine": 0.5}, {})
    assert [move.speaker for move in first.moves] == ["user"]
    assert found.clusters[0] == found.clusters[1]


def test_a_dialogue_knows_the_system(tmp_path: Path) -> None:
    turns = [{"speaker": "human", "text": "hi"}, {"speaker": "model", "text": "hello"}]
    found = open_ratings(lines(tmp_path, *({"id": n, "turns": turns, "ratings_mean": {"x": n}} for n in (1, 2))))
    assert found.level == "dialogue"
    assert [move.speaker for move in found.items[0].moves] == ["user", "system"]
    assert len(set(found.clusters)) == 2


def test_a_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('[{"a": 1}]')
    with pytest.raises(InputError, match="unknown rating format"):
        open_ratings(path)
    with pytest.raises(DialmeterError, match="did you mean fed"):
        open_ratings(path, "fd")


TABLE = """id,system,context,reply,rating:overall,score:mine
1,bot,Hello ||| Hi ||| Where?,Here.,3 4,0.5
2,bot,Hello,Yes.,2,
1,bot,Hello ||| Hi ||| Where?,Here.,5,
"""


def test_csv_with_one_row_per_person(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(TABLE)
    first, second = open_ratings(path).items
    assert (first.ratings, second.ratings) == ({"overall": (3.0, 4.0, 5.0)}, {"overall": (2.0,)})
    assert [move.text for move in first.moves] == ["Hello", "Hi", "Where?"]
    assert (first.scores, second.scores) == ({"mine": 0.5}, {})


def test_csv_with_a_column_for_the_dimension(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("id;reply;dimension;rating\n1;Yes;fluent;3\n1;Yes;overall;4\n")
    assert open_ratings(path).items[0].ratings == {"fluent": (3.0,), "overall": (4.0,)}


def test_scores_made_elsewhere(tmp_path: Path) -> None:
    items = open_ratings(lines(tmp_path, LINE, {**LINE, "id": "2"}))
    for name, text in {
        "a.jsonl": '{"id": "2", "x": 1, "y": 2}\n{"id": "1", "y": 3}\n',
        "a.csv": "id,x,y\n2,1,2\n1,,3\n",
    }.items():
        (tmp_path / name).write_text(text)
        assert open_scores(tmp_path / name, items) == {"x": [None, 1.0], "y": [3.0, 2.0]}
    (tmp_path / "b.json").write_text('{"coh_1": [1, 2], "coh_2": [3, 4]}')
    found = open_scores(tmp_path / "b.json", items, "llm")
    assert found == {"llm/coh/1": [1.0, 2.0], "llm/coh/2": [3.0, 4.0], "llm/coh": [2.0, 3.0]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"id": "9", "x": 1}\n{"id": "1", "x": 1}\n', "line 1, dialogue 9: no rated item has this id"),
        ('{"id": "1", "x": 1}\n{"id": "1", "x": 1}\n', "line 2, dialogue 1: duplicate score of x"),
        ('{"id": "1", "x": "a"}\n{"id": "2", "x": 1}\n', "line 1: scores, x: expected a number"),
        ('{"x": [1, 2, 3]}', "x has 3 scores, but there are 2 items"),
    ],
)
def test_bad_scores(tmp_path: Path, text: str, says: str) -> None:
    items = open_ratings(lines(tmp_path, LINE, {**LINE, "id": "2"}))
    path = tmp_path / "scores"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        open_scores(path, items)


@pytest.mark.parametrize(
    ("raw", "own"),
    [
        ("unieval_tc.json.gz", "topical_chat.jsonl.gz"),
        ("fed_human.json.gz", "fed_dialogue.jsonl.gz"),
        ("grade_human_judgement.json.gz", "grade_convai2.jsonl.gz"),
    ],
)
def test_published_layouts_hold_what_own_lines_hold(raw: str, own: str) -> None:
    assert (
        open_ratings(shared("data", "ratings", "raw", raw)).digest()
        == open_ratings(shared("data", "ratings", own)).digest()
    )


def test_published_scores_in_the_order_of_the_items() -> None:
    items = open_ratings(shared("data", "ratings", "fed_dialogue.jsonl.gz"))
    found = open_scores(shared("data", "ratings", "raw", "fed_gpt4.json.gz"), items, "gpt4")
    assert len(found) == 30
    for name, column in found.items():
        assert column == pytest.approx([item.scores[name] for item in items.items], abs=1e-12)
