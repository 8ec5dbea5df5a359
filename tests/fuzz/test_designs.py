"""Three hundred random designs, and hand-made ones that show that the plain scorers are right and that differences are found."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from . import designs
from .designs import REFUSED, Item, TrackerTurn, check_design, score_corpus, score_items, score_trials, subject_of

DESIGNS, PARTS = 300, 6


@pytest.mark.parametrize("part", range(PARTS))
def test_designs(part: int, tmp_path: Path) -> None:
    found = {number: check_design(number, 1, tmp_path) for number in range(part, DESIGNS, PARTS)}
    troubles = [
        f"{number} {subject_of(number)} {each.route}: {each.trouble}" for number in found for each in found[number]
    ]
    assert not troubles, "\n".join(troubles[:20])


def test_plain_scorer_of_trackers() -> None:
    """The corpus of the documentation of FGA: a slot is wrong at the second turn, and stays wrong."""
    right, wrong = {"hotel-area": "east"}, {"hotel-area": "west"}
    corpus = {"d": [TrackerTurn(0, {}, {}), TrackerTurn(1, right, wrong), TrackerTurn(3, right, wrong)]}
    found = score_corpus(corpus, empty=False)
    assert isinstance(found, dict)
    assert found["JGA"] == pytest.approx(1 / 3)
    assert found["FGA(lam=0.5)"] == pytest.approx((1 + 0 + 1 - 0.36787944) / 3)
    assert found["RSA"] == 0
    assert found["AGA"] == 0
    assert found["GCA"] == 0
    assert score_corpus({}, empty=True) == REFUSED
    assert score_corpus({"d": [TrackerTurn(0, {}, None)]}, empty=False) == REFUSED


def test_plain_scorer_of_systems() -> None:
    found = score_trials({"1": [1.0, 1.0, 0.0], "2": [1.0], "3": [None]}, ["Success", "Pass(k=2)", "Pass(k=4)"])
    assert found == {"Success": pytest.approx(5 / 6), "Pass(k=2)": pytest.approx(1 / 3), "Pass(k=4)": None}


def test_plain_scorer_of_people() -> None:
    items = [Item(str(n), "c", "", (float(rating),), float(n)) for n, rating in enumerate((1, 3, 2, 4))]
    found = score_items(items)
    assert isinstance(found, dict)
    assert (found["reply Pearson"], found["reply Spearman"]) == (pytest.approx(0.8), pytest.approx(0.8))
    assert found["reply Kendall"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("subject", "name", "value"),
    [
        ("tracker", "granular_change_accuracy", lambda changes: 0.123),
        ("system", "comb", lambda n, k: 2 * n + k + 1),
        ("judge", "least_difference", lambda threshold, human: 0.9),
        ("user", "fmean", lambda values: 0.123),
        ("people", "ranks", lambda values: [value * value for value in values]),
    ],
)
def test_wrong_number_is_found(
    subject: str, name: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If dialmeter and the plain scorer disagree, the routes are named."""
    monkeypatch.setattr(designs, name, value)
    check = designs.SUBJECTS[subject]
    assert any(list(check(Random(seed), tmp_path)) for seed in range(12))


def test_design_by_number_and_seed(tmp_path: Path) -> None:
    def files(seed: int) -> dict[str, bytes]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        check_design(2, seed, folder)
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".json"}

    assert files(1) == files(1) != files(2)
