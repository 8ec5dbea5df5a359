"""Sheets for ratings of dialogues: sampling, content, and reading back any text of a dialogue."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import DialmeterError, InputError
from dialmeter.model import Dialogue, Turn, dialogue_key
from dialmeter.readers.corpus import read
from dialmeter.readers.pairs.state_layouts import FLAT
from dialmeter.readers.pairs.vocabulary import PairDialogue
from dialmeter.readers.sheets import Cells
from dialmeter.studies.human import RatingScale, Sampler, read_ratings, sheet_kind
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file
from dialmeter.views.html_env import form_page

from ..shared_data import shared

FIVE = RatingScale(1, 5)
AS_WRITTEN = change(named("dialmeter"), values="as-is", none="keep", dontcare="keep", alternatives="set")


def sheet_row(name: str = "MUL1.json", said: str = "In the east.") -> Cells:
    turn = Turn(
        0, gold={"hotel-area": "east", said: said}, pred={"hotel-area": ("east", "west")}, user=said, system=said
    )
    scorer, sampler = TrackerScorer(rules=AS_WRITTEN), Sampler(1, 7)
    dialogue = scorer.vocabulary.number_dialogue(Dialogue(name, (turn,)), FLAT)
    scorer.add_pairs(dialogue)
    sampler.take(dialogue, scorer.compared())
    [row] = sampler.rows(FIVE)
    return row


def filled(path: Path, *rows: Cells) -> dict[str, str]:
    """Write a filled sheet; its rater is ann."""
    path.write_text(sheet_kind(FIVE).text(rows), "utf-8")
    return {"ann": str(path)}


@pytest.mark.parametrize("rating", ["6", "0", "good", "nan", "inf", "4/5", "3,5", "4 5"])
def test_rating_that_is_not_on_the_scale(tmp_path: Path, rating: str) -> None:
    with pytest.raises(InputError) as caught:
        read_ratings(filled(tmp_path / "ann.csv", {**sheet_row(), "rating": rating}))
    assert str(caught.value).startswith(f"{tmp_path / 'ann.csv'}: line ")
    assert f"the rating of ann must be a number from 1 to 5 or empty, not {rating!r}" in str(caught.value)


@given(name=st.text(min_size=1), said=st.text())
def test_sheets_of_any_dialogue(tmp_path_factory: pytest.TempPathFactory, name: str, said: str) -> None:
    row = sheet_row(name, said)
    rated = filled(tmp_path_factory.mktemp("s") / "1.csv", {**row, "rating": "4"})
    if not name.strip():
        with pytest.raises(InputError, match="a row has no dialogue"):
            read_ratings(rated)
        return
    ratings, unfilled = read_ratings(rated)
    assert (ratings.by_dialogue, unfilled) == ({dialogue_key(name.strip()): {"ann": 4.0}}, 0)


@given(name=st.text(), said=st.text() | st.just("<script>alert(1)</script>{{ 7 * 7 }}\"'&"))
def test_nothing_of_a_dialogue_is_markup(name: str, said: str) -> None:
    page = form_page(sheet_kind(FIVE), [sheet_row(name, said)])
    plain = form_page(sheet_kind(FIVE), [sheet_row("", "")])
    for tag in ("<script", "<img", "<a ", "<article", 'type="radio"'):
        assert page.count(tag) == plain.count(tag)


def test_a_page_needs_nothing_else_and_shows_all() -> None:
    page = form_page(sheet_kind(RatingScale(0, 1)), [sheet_row()])
    assert "default-src 'none'" in page
    assert "src=" not in page.replace("default-src", "")
    assert page.count('type="radio"') == 2
    assert "≠ hotel-area: gold east, predicted east | west" in page
    with pytest.raises(DialmeterError, match="at most 11 grades"):
        sheet_kind(RatingScale(0, 100))


def test_the_sample_depends_on_seed_and_ids_alone() -> None:
    names = [f"MUL{number:04}.json" for number in range(200)]

    def sample(order: list[str], size: int, seed: int) -> list[str]:
        keep, nothing = Sampler(size, seed), TrackerScorer().compared()
        for name in order:
            keep.take(PairDialogue(name), nothing)
        assert keep.seen == 200
        return [row["dialogue"] for row in keep.rows(FIVE)]

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


def test_no_cell_is_a_formula() -> None:
    text = sheet_kind(FIVE).text([sheet_row("=1+1", "@sum")])
    [_, cells] = csv.reader(io.StringIO(text))
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_the_published_sheet_has_the_same_matches() -> None:
    path = shared("data", "tracking", "fga_text_MUL0144.txt")
    keep = Sampler(10, 1)
    score_file(str(path), measures=["JGA"], on_row=keep.take)
    [row] = keep.rows(FIVE)
    lines = row["turns"].splitlines()
    published = [line.split(":")[1].strip() for line in path.read_text().splitlines() if line.startswith("Matched")]
    matches = [line.rpartition(" ")[2] for line in lines if line.startswith("Turn ")]
    assert matches == [{"True": "yes", "False": "no"}[each] for each in published]
    [dialogue] = read(path)
    spoken = [line.removeprefix("  User: ") for line in lines if line.startswith("  User: ")]
    assert spoken == [turn.user for turn in dialogue.turns]
    assert "  ≠ restaurant-food: gold dontcare, predicted –" in lines
