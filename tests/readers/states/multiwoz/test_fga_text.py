from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.tracker_texts import FgaText
from dialmeter.readers.literals import LONGEST, python_literal
from dialmeter.readers.source import Sample

from ....shared_data import shared
from ..files import complaint, read_all

SHEET = """Dialogue ID : MUL1.json
----------------------
Turn: 1
Sys : We have two.
Or three.
Usr : The first: please

GT  : {'hotel': {'area': 'east', 'book day': 'sunday'}}
PR  : {'hotel': {'area': 'east'},
       'taxi': {'leaveAt': '17:15'}}

Matched : False

----------------------
Turn: 0
Sys :
Usr : Hello
GT  : {{}}
PR  : {}

Matched : True
----------------------
"""


def sheet(folder: Path, text: str, name: str = "sheet.txt") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def turn(number: Any = 0, gold: Any = "{}", pred: Any = "{}") -> str:
    return f"Turn: {number}\nSys : s\nUsr : u\nGT  : {gold}\nPR  : {pred}\n"


def test_a_sheet(tmp_path: Path) -> None:
    corpus = open_corpus(sheet(tmp_path, SHEET + "Dialogue ID : MUL2.json\n" + turn()))
    assert corpus.format == "fga-text"
    first, second = corpus
    assert (first.id, second.id) == ("MUL1.json", "MUL2.json")
    opening, answer = first.turns
    assert (opening.number, opening.gold, opening.pred, opening.user, opening.system) == (0, {}, {}, "Hello", "")
    assert answer.gold == {"hotel-area": "east", "hotel-book day": "sunday"}
    assert answer.pred == {"hotel-area": "east", "taxi-leaveAt": "17:15"}
    assert (answer.system, answer.user) == ("We have two.\nOr three.", "The first: please")


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    plain = sheet(tmp_path, SHEET)
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + SHEET.replace("\n", "\r\n").encode())
    corpus = open_corpus(marked)
    assert list(corpus) == list(open_corpus(plain))
    assert corpus.format == "fga-text"


def test_a_folder_of_sheets(tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    sheet(folder, "Dialogue ID : b\n" + turn(), "2.txt")
    sheet(folder, "Dialogue ID : a\n" + turn(), "1.txt")
    corpus = open_corpus(folder)
    assert corpus.format == "fga-text"
    assert [found.id for found in corpus] == ["a", "b"]
    bad = sheet(folder, "Dialogue ID : B\n" + turn(), "3.txt")
    with pytest.raises(InputError, match="duplicate dialogue id") as caught:
        list(open_corpus(folder))
    assert caught.value.file == str(bad)


def test_a_folder_without_sheets(tmp_path: Path) -> None:
    assert complaint(tmp_path, "fga-text") == "a folder without .txt files"
    assert not FgaText.detect(Sample("folder", tmp_path))
    sheet(tmp_path, "read me", "readme.txt")
    assert not FgaText.detect(Sample("folder", tmp_path))


def test_the_published_sheet_is_the_published_dialogue() -> None:
    (found,) = open_corpus(shared("data", "tracking", "fga_text_MUL0144.txt"))
    published = open_corpus(shared("data", "tracking", "som_dst_100.json"), format="nested")
    assert found in list(published)


def test_one_side_only(tmp_path: Path) -> None:
    (found,) = read_all(sheet(tmp_path, "Dialogue ID : d\nTurn: 0\nPR : {'a': {'b': 'c'}}"), "fga-text")
    assert (found.turns[0].gold, found.turns[0].pred) == (None, {"a-b": "c"})


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 1 + 1}",
        "{'a': f'{1}'}",
        "{'a': b'1'}",
        "{1: 'a'}",
        "{**{}}",
        "{'a', 'b'}",
        "a.b",
        "\x00",
        "'\ud800'",
        "0x" + "f" * 4000,
        "-" * 9000 + "1",
        "(" * 9000,
        "[" * 300 + "]" * 300,
        repr({"a": "b" * LONGEST}),
    ],
)
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(InputError, match="a Python literal such as"):
        python_literal(text)


def test_literals() -> None:
    assert python_literal(r"{'a': ('b', -1, 2.5, None, True, null), 'c': '\d'}") == {
        "a": ["b", -1, 2.5, None, True, None],
        "c": "\\d",
    }
