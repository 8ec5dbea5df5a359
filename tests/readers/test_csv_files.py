"""CSV is read in the same way by every command, and rated items in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.case_files import read_scores
from dialmeter.judges.validity import by_hash, read_sheet
from dialmeter.readers.csv_files import csv_text, rows_of
from dialmeter.readers.ratings.open_ratings import open_ratings, open_scores
from dialmeter.readers.source import Source
from dialmeter.studies.curve import in_manifest
from dialmeter.studies.human import read_ratings
from dialmeter.users.items.goal_items import read_goal_sheet

from ..judges.made import cases
from ..shared_data import shared

CASES = cases(("speaker",), count=2)
NAMED = by_hash(CASES)
ITEMS = "id,context,reply,rating:overall\n1,Hello,Yes.,3\n2,Hello,No.,4\n"


def curve(path: Path) -> object:
    return in_manifest(str(path))


def further_scores(path: Path) -> object:
    items = path.with_name("items.csv")
    items.write_text(ITEMS)
    return open_scores(path, open_ratings(items))


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "predictions": ("id,turn,pred\nd,0,hotel-area=east\n", lambda path: list(rows_of(Source(path)))),
    "scores of cases": ("case,human,adversarial\n1,2,3\n2,,0.5\n", lambda path: read_scores(path, CASES)),
    "verdicts": (f"case,verdict\n{next(iter(NAMED))},weak\n", lambda path: read_sheet(path, NAMED)),
    "items of goals": ("task,kind,value\n1,text,economy\n", read_goal_sheet),
    "ratings, long": ("dialogue,rater,rating\nd,ann,4\n", lambda path: read_ratings({"ann": str(path)})),
    "ratings, wide": ("dialogue,ann,bob\nd,4,5\ne,,1\n", lambda path: read_ratings({"ann": str(path)})),
    "rated items": (ITEMS, lambda path: open_ratings(path).items),
    "further scores": ("id,mine,yours\n1,0.5,0.25\n2,,1\n", further_scores),
    "manifest of a curve": ("file,ratio,seed\na.json,0.05,1\n", curve),
}


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Any]:
    """Read a text with one of the readers."""
    (tmp_path / "a.json").write_text("{}")

    def read(text: str) -> Any:
        path = tmp_path / "table.csv"
        path.write_text(text, "utf-8")
        return READERS[request.param][1](path)

    read.text = READERS[request.param][0]  # type: ignore[attr-defined]
    return read


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_separators_a_mark_of_the_encoding_and_empty_rows_change_nothing(reader: Any, sign: str) -> None:
    first, *rest = reader.text.replace(",", sign).splitlines()
    empty = sign * first.count(sign)
    assert str(reader("\ufeff" + "\r\n".join([first, *rest, empty, ""]))) == str(reader(reader.text))


@pytest.mark.parametrize("reader", [name for name in READERS if "ratings" not in name], indirect=True)
def test_the_index_of_a_data_frame_is_not_read(reader: Any) -> None:
    first, *rest = reader.text.splitlines()
    indexed = [f",{first}", *(f"{number},{line}" for number, line in enumerate(rest))]
    assert str(reader("\n".join(indexed))) == str(reader(reader.text))


def test_a_rater_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("dialogue,ann,\nd,4,5\n")
    with pytest.raises(InputError, match="line 1: empty column name"):
        read_ratings({"ann": str(path)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [lines[0], lines[1] + ",more"], "line 2: {more} cells, but the first line has {n} columns"),
        (lambda lines: [lines[0], lines[1].partition(",")[0]], "line 2: 1 cells, but the first line has {n} columns"),
        (lambda lines: [lines[0] + "," + lines[0].partition(",")[0], lines[1] + ","], "line 1: duplicate column "),
        (lambda lines: [lines[0], '"' + lines[1]], "line 2: not valid CSV: "),
    ],
    ids=["a cell too many", "a row that is cut", "a column twice", "a quote that is open"],
)
def test_the_same_errors(reader: Any, change: Callable[[list[str]], list[str]], message: str) -> None:
    lines = reader.text.splitlines()[:2]
    columns = lines[0].count(",") + 1
    with pytest.raises(InputError) as caught:
        reader("\n".join(change(lines)) + "\n")
    assert f"table.csv: {message.format(n=columns, more=columns + 1)}" in str(caught.value)


def test_a_decimal_comma_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("case;human;adversarial\n1;0,5;1\n")
    with pytest.raises(InputError, match="line 2: human: expected a number, found '0,5'; use a decimal point"):
        read_scores(path, CASES)


def test_formulas_are_read_back(tmp_path: Path) -> None:
    name = next(iter(NAMED))
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(csv_text(["case", "verdict", "reason"], [[name, "weak", "=1+1"]]))
    assert [each.reason for each in read_sheet(sheet, NAMED)] == ["=1+1"]


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
