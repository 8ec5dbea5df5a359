"""Judges: the published figures and formulas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.judges.adapters.published import published
from dialmeter.judges.adapters.satisfaction import rating
from dialmeter.judges.builtin.surface import Constant
from dialmeter.judges.cases import Case, Place, parse_threshold
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move


@pytest.fixture(scope="module")
def figures(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "expected" / "judges.json").read_text("utf-8"))
    return found


def test_published_threshold(figures: dict[str, Any]) -> None:
    example = figures["public"]["threshold_formula"]["example"]
    found = parse_threshold(f"paper={example['alpha']}").value(example["human"])
    assert found == pytest.approx(example["threshold"], abs=1e-9)


def test_constant_judge(figures: dict[str, Any]) -> None:
    for expected, value in figures["public"]["constant_metric"].items():
        asked = (Move("user", "hello"),)
        cases = [
            Case("made", "", asked, f"yes {n}", f"no {n}", expected.replace("_", "-"), "coherence", Place("d", n))
            for n in range(10)
        ]
        assert score_judge(cases, [Constant()])["constant", "made"].value == pytest.approx(value, abs=1e-9)


def test_ensemble_of_dialogrpt(figures: dict[str, Any]) -> None:
    rows = figures["dialogrpt_ensemble_rows"]
    assert len(rows) == 5
    for row in rows:
        assert published(row["heads"]) == pytest.approx(row["final"], abs=1e-9)


def test_weighted_satisfaction(figures: dict[str, Any]) -> None:
    example = figures["public"]["uss_weighted_example"]
    assert rating(example["logits"]) == pytest.approx(example["weighted"], abs=1e-9)
    assert rating(example["logits"], "argmax") == example["argmax_index"] + 1
