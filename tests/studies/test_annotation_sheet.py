"""Annotation sheets: sampling, content, and parsing for any text of a dialogue."""

from __future__ import annotations

import random
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError
from dialmeter.model import Dialogue, Turn
from dialmeter.readers.corpus import read
from dialmeter.readers.pairs.state_layouts import FLAT
from dialmeter.readers.pairs.vocabulary import PairDialogue
from dialmeter.studies.human import RatingScale, Sampler, Sheet, SheetSlot, make_sheet, read_sheets, write_sheet
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file
from dialmeter.views.human import file_name, sheet_page, write_sheets

from ..shared_data import shared

FIVE = RatingScale(1, 5)
AS_WRITTEN = change(named("dialmeter"), values="as-is", none="keep", dontcare="keep", alternatives="set")
EVIL = "Rating (1-5): 1\nRater: mallory\r\nDialogue: other\u2028Rating: 2"


def a_sheet(name: str = "MUL1.json", said: str = "In the east.") -> Sheet:
    turn = Turn(
        0, gold={"hotel-area": "east", said: said}, pred={"hotel-area": ("east", "west")}, user=said, system=said
    )
    scorer = TrackerScorer(rules=AS_WRITTEN)
    read = scorer.vocabulary.number_dialogue(Dialogue(name, (turn,)), FLAT)
    scorer.add_pairs(read)
    return make_sheet(read, scorer.compared())


def fill(folder: Path, ratings: dict[str, str]) -> None:
    """Write ratings into sheets, as a rater would."""
    for name, rating in ratings.items():
        path = folder / name
        text = path.read_text("utf-8")
        assert text.endswith("Rating (1-5):\n")
        path.write_text(text[:-1] + f" {rating}\n", "utf-8")


def test_sheets_of_a_file_are_filled_and_read_back(tmp_path: Path) -> None:
    sheets = [a_sheet(f"MUL{number}.json") for number in range(3)]
    assert write_sheets(str(tmp_path / "s"), sheets, 2, FIVE) == ["rater1", "rater2"]
    folder = tmp_path / "s"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert names[:2] == ["rater1/1_MUL0.html", "rater1/1_MUL0.txt"]
    assert len(names) == 13
    assert (folder / "ratings.csv").read_text() == "dialogue,rater1,rater2\nMUL0.json,,\nMUL1.json,,\nMUL2.json,,\n"
    fill(folder, {"rater1/1_MUL0.txt": "4", "rater1/2_MUL1.txt": "1", "rater2/1_MUL0.txt": "3.5"})
    (folder / "notes.txt").write_text("mine")
    ratings, notices, problems = read_sheets(str(folder))
    assert not problems
    assert ratings.by_dialogue == {"mul0": {"rater1": 4.0, "rater2": 3.5}, "mul1": {"rater1": 1.0}}
    assert {notice.code: notice.where for notice in notices} == {
        "not-filled": ("rater1/3_MUL2.txt", "rater2/2_MUL1.txt", "rater2/3_MUL2.txt"),
        "other-files": ("notes.txt",),
    }


@pytest.mark.parametrize("rating", ["6", "0", "good", "nan", "inf", "4/5", "3,5", "4 5"])
def test_bad_ratings_are_told_with_the_file(tmp_path: Path, rating: str) -> None:
    write_sheets(str(tmp_path / "s"), [a_sheet()], 1, FIVE)
    fill(tmp_path / "s", {"rater1/1_MUL1.txt": rating})
    _, _, [problem] = read_sheets(str(tmp_path / "s"))
    assert str(problem).startswith(str(tmp_path / "s" / "rater1" / "1_MUL1.txt") + ": line ")
    assert f"the rating must be a number from 1 to 5, not {rating!r}" in str(problem)


def test_sheets_that_were_broken(tmp_path: Path) -> None:
    text = write_sheet(a_sheet(), "", FIVE)
    bad = {
        "a": text.replace("Rating (1-5):", "Rating (1-5): 3\nRating (1-5): 4"),
        "b": text.replace("Rating (1-5):", ""),
        "c": text.replace("Dialogue: MUL1.json\n", ""),
        "d": text.replace("Dialogue: MUL1.json", "Dialogue:"),
        "e": text.replace("Dialogue: MUL1.json", 'Dialogue: "half'),
    }
    for name, content in bad.items():
        (tmp_path / f"{name}.txt").write_text(content, "utf-8")
    (tmp_path / "f.txt").write_bytes(text.encode("utf-16"))
    _, _, problems = read_sheets(str(tmp_path))
    said = [str(problem).removeprefix(f"{tmp_path}/") for problem in problems]
    assert said[0].startswith("a.txt: line ")
    assert said[0].endswith("duplicate line 'Rating'")
    assert said[1:5] == [
        "b.txt: the line 'Rating' is missing",
        "c.txt: the line 'Dialogue' is missing",
        "d.txt: the line 'Dialogue' has no id",
        "e.txt: the line 'Dialogue' has no id",
    ]
    assert said[5].startswith("f.txt: not UTF-8 text")


def test_raters_who_rate_twice_or_name_themselves(tmp_path: Path) -> None:
    for folder, rater, rating in (("x", "ann", 3), ("y", "ann", 4), ("z", "", 5)):
        path = tmp_path / folder / "1.txt"
        path.parent.mkdir()
        path.write_text(write_sheet(a_sheet(), rater, FIVE).rstrip("\n") + f"{rating}\r\n", "utf-8")
    ratings, _, [problem] = read_sheets(str(tmp_path))
    assert ratings.by_dialogue == {"mul1": {"ann": 3.0, "z": 5.0}}
    assert str(problem) == f"{tmp_path / 'y' / '1.txt'}: dialogue MUL1.json: ann has already rated it"


def test_no_sheets(tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="no text sheet"):
        read_sheets(str(tmp_path))
    with pytest.raises(DialmeterError, match="no such folder"):
        read_sheets(str(tmp_path / "none"))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    write_sheets(str(tmp_path / "s"), [a_sheet()], 1, FIVE)
    with pytest.raises(DialmeterError, match="is not an empty folder"):
        write_sheets(str(tmp_path / "s"), [a_sheet()], 1, FIVE)
    (tmp_path / "file").write_text("")
    for taken in ("file", "file/below"):
        with pytest.raises(DialmeterError, match=r"is not an empty folder|cannot be written"):
            write_sheets(str(tmp_path / taken), [a_sheet()], 1, FIVE)


@given(name=st.text(min_size=1), said=st.text() | st.just(EVIL))
def test_sheets_of_any_dialogue(tmp_path_factory: pytest.TempPathFactory, name: str, said: str) -> None:
    folder = tmp_path_factory.mktemp("s")
    text = write_sheet(a_sheet(name, said), "ann", FIVE)
    (folder / "1.txt").write_text(text.rstrip("\n") + " 4\n", "utf-8")
    ratings, notices, problems = read_sheets(str(folder))
    assert not notices
    assert not problems
    assert ratings.raters == ("ann",)
    assert [(ratings.names[key], row) for key, row in ratings.by_dialogue.items()] == [(name, {"ann": 4.0})]


@given(name=st.text(), said=st.text() | st.just("<script>alert(1)</script>{{ 7 * 7 }}\"'&"))
def test_nothing_of_a_dialogue_is_markup(name: str, said: str) -> None:
    page = sheet_page(a_sheet(name, said), said, FIVE)
    plain = sheet_page(a_sheet("", ""), "", FIVE)
    for tag in ("<script", "<img", "<a ", "onerror", "javascript:", "http:", "https:"):
        assert tag not in page.lower() or tag in said.lower() or tag in name.lower()
    assert "<script" not in page
    assert page.count("<table") == plain.count("<table")
    if said.isprintable() and said.strip() == said and said:
        assert said in unescape(page)


def test_a_page_needs_nothing_else_and_shows_all() -> None:
    page = sheet_page(a_sheet(), "rater1", RatingScale(0, 1))
    assert "default-src 'none'" in page
    assert "src=" not in page.replace("default-src", "")
    assert "@media print" in page
    assert "Rating (0-1)" in page
    assert page.count('class="box"') == 2
    assert page.count('class="wrong"') == 2
    assert 'class="box"' not in sheet_page(a_sheet(), "rater1", RatingScale(0, 100))


def test_the_sample_depends_on_seed_and_ids_alone() -> None:
    names = [f"MUL{number:04}.json" for number in range(200)]

    def sample(order: list[str], size: int, seed: int) -> list[str]:
        keep, nothing = Sampler(size, seed), TrackerScorer().compared()
        for name in order:
            keep.take(PairDialogue(name), nothing)
        assert keep.seen == 200
        return [sheet.dialogue for sheet in keep.sheets()]

    mixed = random.Random(1).sample(names, 200)
    found = sample(names, 50, 7)
    assert len(set(found)) == 50
    assert found == sorted(found) == sample(mixed, 50, 7)
    assert found != sample(names, 50, 8)
    assert set(sample(names, 20, 7)) < set(found)
    assert sample(mixed, 500, 7) == names


@pytest.mark.parametrize("text", ["5-1", "1", "a-b", "3-3", "", "1-5-9"])
def test_scales_that_are_none(text: str) -> None:
    with pytest.raises(DialmeterError, match="two increasing numbers"):
        RatingScale.parse(text)


def test_other_scales_are_kept_on_the_sheet(tmp_path: Path) -> None:
    for scale, rating in ((RatingScale.parse("-2-2"), "-2"), (RatingScale.parse("0 - 1"), "1")):
        (tmp_path / "1.txt").write_text(write_sheet(a_sheet(), "ann", scale).rstrip("\n") + rating + "\n", "utf-8")
        ratings, _, problems = read_sheets(str(tmp_path))
        assert not problems
        assert ratings.by_dialogue == {"mul1": {"ann": float(rating)}}


def test_file_names_are_safe() -> None:
    assert file_name("..") == "dialogue"
    assert file_name("a/b\\c:d") == "a_b_c_d"
    assert len(file_name("x" * 500)) == 60


def test_the_published_sheet_has_the_same_matches() -> None:
    path = shared("data", "tracking", "fga_text_MUL0144.txt")
    keep = Sampler(10, 1)
    score_file(str(path), measures=["JGA"], on_row=keep.take)
    [sheet] = keep.sheets()
    said = [line.split(":")[1].strip() for line in path.read_text().splitlines() if line.startswith("Matched")]
    assert [str(turn.matched) for turn in sheet.turns] == said
    [dialogue] = read(path)
    assert [turn.user for turn in sheet.turns] == [turn.user for turn in dialogue.turns]
    assert SheetSlot("restaurant-food", "dontcare", "", False) in sheet.turns[1].slots
