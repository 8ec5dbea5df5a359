"""Every command reads CSV in the same way: the same delimiters, and the same error messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.case_files import read_scores
from dialmeter.judges.validity import ReaderVerdict, by_hash, read_sheet, record
from dialmeter.readers.csv_files import csv_text, rows_of
from dialmeter.readers.ratings.open_ratings import open_ratings, open_scores
from dialmeter.readers.source import Source
from dialmeter.studies.curve import in_manifest
from dialmeter.studies.human import read_ratings
from dialmeter.users.items.goal_items import read_goal_sheet

from ..judges.made import cases

CASES = cases(("speaker",), count=2)
NAMED = by_hash(CASES)
ITEMS = "id,context,reply,rating:overall\n1,Hello,Yes.,3\n2,Hello,No.,4\n"


def curve(path: Path) -> object:
    return in_manifest(str(path), str(path.parent), [str(path)])


def further_scores(path: Path) -> object:
    items = path.with_name("items.csv")
    items.write_text(ITEMS)
    return open_scores(path, open_ratings(items))


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "predictions": ("id,turn,pred\nd,0,hotel-area=east\n", lambda path: list(rows_of(Source(path)))),
    "scores of cases": ("case,human,adversarial\n1,2,3\n2,,0.5\n", lambda path: read_scores(path, CASES)),
    "verdicts": (f"case,verdict\n{next(iter(NAMED))},weak\n", lambda path: read_sheet(path, NAMED)),
    "items of goals": ("task,kind,value\n1,text,economy\n", read_goal_sheet),
    "ratings, long": ("dialogue,rater,rating\nd,ann,4\n", lambda path: read_ratings(str(path))),
    "ratings, wide": ("dialogue,ann,bob\nd,4,5\ne,,1\n", lambda path: read_ratings(str(path))),
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
        read_ratings(str(path))


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


def test_verdicts_are_written_without_formulas(tmp_path: Path) -> None:
    name = next(iter(NAMED))
    text = record(NAMED, [{name: ReaderVerdict("weak", reason='=HYPERLINK("http://x")')}])
    assert "'=HYPERLINK" in text
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(csv_text(["case", "verdict", "reason"], [[name, "weak", "=1+1"]]))
    assert read_sheet(sheet, NAMED)[name].reason == "=1+1"
