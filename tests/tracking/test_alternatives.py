"""Gold goes from two alternatives to one of them, while the prediction stays at the other."""

from __future__ import annotations

import pytest
from msgspec import structs

from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.scorer import TrackerScorer

# A perfect turn, then a wrong one. Strict counts: one correct change and one wrong change, so P = G = 2 and C = 1.
GOLD = [{"hotel-area": "east|west"}, {"hotel-area": "east"}]
PRED = [{"hotel-area": "west"}, {"hotel-area": "west"}]


def value(measure: str) -> float | None:
    scorer = TrackerScorer([measure])
    scorer.add("d", GOLD, PRED)
    return scorer.result().value


def test_jga_calls_second_turn_wrong() -> None:
    assert value("JGA") == 0.5


@pytest.mark.parametrize("measure", ["FGA(lam=0.5)", "LocalAccuracy", "GCA", "VP", "VR", "LP", "LR"])
def test_second_turn_by_default(measure: str) -> None:
    assert value(measure) == 1


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("FGA(lam=0.5, alternatives=strict)", 0.5),
        ("LocalAccuracy(alternatives=strict)", 0.5),
        ("GCA(alternatives=strict)", 4 / (8 * ((10 / 11) / 1 + (1 / 11) / 2))),
        ("GCA(alternatives=strict, alpha=1)", 1 / 2),
        ("GCA(alternatives=strict, deletions=count, alpha=0)", 1),
        ("VP(alternatives=strict)", 1 / 2),
        ("VR(alternatives=strict)", 1 / 2),
        ("LP(alternatives=strict)", 1),
        ("LR(alternatives=strict)", 1),
    ],
)
def test_second_turn_if_strict(measure: str, expected: float) -> None:
    assert value(measure) == pytest.approx(expected)


def test_strict_credit() -> None:
    # "west" and "east" share the letters "est" in their order: similarity 2 · 3 / 8, C = 1.75.
    assert value("GCA(alternatives=strict, credit=fuzzy, alpha=1)") == pytest.approx(1.75 / 2)


def test_rule_set_choice_in_signature() -> None:
    rules = structs.replace(
        named("dialmeter"), alternatives="any-of-both", settings={"GCA": {"alternatives": "strict"}}
    )
    scorer = TrackerScorer(["GCA"], rules)
    scorer.add("d", GOLD, PRED)
    assert scorer.result().value == value("GCA(alternatives=strict)")
    assert {"alternatives:any-of-both", "changes:strict"} <= {*scorer.result().signature.split("|")}
