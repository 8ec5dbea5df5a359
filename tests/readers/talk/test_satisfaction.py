"""Conversations with ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Act
from dialmeter.readers.chat.satisfaction import Rated, items, rated, read_rated
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.source import Source

from ...shared_data import shared
from .samples import complaints, read_all

CONTENT = (
    "\nUSER\tA taxi.\tTaxi-Inform\t3,4,5\nSYSTEM\tWhere to?\tREQUEST\t\nUSER\tHome.\t\t1\n"
    "USER\tOVERALL\t\t2,3,3\n\n\nUSER\t\t\t3\n"
)


def written(folder: Path, content: str = CONTENT) -> Path:
    path = folder / "ratings.txt"
    path.write_text(content)
    return path


def test_ratings_by_move(tmp_path: Path) -> None:
    first, second = read_rated(written(tmp_path))
    assert [move.text for move in first.conversation.moves] == ["A taxi.", "Where to?", "Home."]
    assert first.ratings == ((3, 4, 5), (), (1,))
    assert first.overall == (2, 3, 3)
    assert (second.conversation.id, second.ratings, second.overall) == ("2", ((3,),), ())


def test_acts_have_a_domain_where_they_name_one(tmp_path: Path) -> None:
    [first, _] = read_all(written(tmp_path))
    assert [move.acts for move in first.moves] == [(Act("Taxi-Inform", "taxi"),), (Act("REQUEST", ""),), ()]


def test_items_give_the_same_as_the_reader(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert [rated(item) for item in items(Source(path))] == list(read_rated(path))
    assert [each.conversation for each in read_rated(path)] == read_all(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("USER\tHome", "a row must have 4 columns (speaker, text, act, ratings), found 2"),
        ("USER\tHome\t\t3,6", "ratings must be whole numbers from 1 to 5, separated by commas, found '3,6'"),
        ("USER\tHome\t\t3,", "ratings must be whole numbers from 1 to 5, separated by commas, found '3,'"),
        ("WHO\tHome\t\t3", "speaker must be USER or SYSTEM, found 'WHO'"),
    ],
)
def test_a_bad_row_refuses_its_dialogue_alone(row: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{CONTENT}\nUSER\thello\t\t3\n{row}\n")
    assert complaints(path) == [f"line 11, dialogue 3: {message}"]
    assert len(list(open_conversations(path))) == 2
    with pytest.raises(InputError) as caught:
        list(read_rated(path))
    assert str(caught.value) == f"{path}: line 11, dialogue 3: {message}"


def test_a_dialogue_of_nothing_but_its_rating(tmp_path: Path) -> None:
    path = written(tmp_path, f"{CONTENT}\nUSER\tOVERALL\t\t3\n")
    assert complaints(path) == ["dialogue 3: a dialogue without utterances"]


@pytest.mark.parametrize(("name", "moves", "rated_moves"), [("mwoz", 22108, 11553), ("sgd", 25666, 12833)])
def test_the_published_files(name: str, moves: int, rated_moves: int) -> None:
    path = shared("data", "judges", f"satisfaction_{name}.txt.gz")
    assert open_conversations(path).format == "satisfaction"
    found: list[Rated] = list(read_rated(path))
    assert len(found) == 1000
    assert all(len(each.ratings) == len(each.conversation.moves) for each in found)
    assert all(each.overall for each in found)
    assert sum(len(each.ratings) for each in found) == moves
    assert sum(1 for each in found for given in each.ratings if given) == rated_moves
    assert {len(given) > 0 for each in found for given in each.ratings} == {True, False}
