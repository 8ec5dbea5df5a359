"""The papers' claim: verdicts, the interval of strengths, and the sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dialmeter.core.document import Interval
from dialmeter.stats import zou_interval
from dialmeter.studies.bias import (
    FAILS,
    HOLDS,
    UNDECIDED,
    BiasStudy,
    DialogueTraits,
    rows_of,
    sign_changes,
    strength_limits,
    study_bias,
    summary,
    verdicts,
)
from dialmeter.tracking.scoring import score_file

SOM = "som_dst_100.json"
T5 = "nested/T5__T5_result_zeroshot_attraction.json"
MEASURES = ["JGA", "AGA", "FGA(lam=0.5)", "GCA"]


def rows_in(shared: Path, file: str) -> list[DialogueTraits]:
    return rows_of(score_file(str(shared / "data" / "tracking" / file), measures=MEASURES), file)


def _outcomes(found: BiasStudy) -> dict[tuple[str, str], str]:
    return {(each.trait, each.filter): each.outcome for each in verdicts(found) if each.rival == "FGA(lam=0.5)"}


def test_verdicts_on_published_files(shared: Path) -> None:
    t5, som = study_bias(rows_in(shared, T5)), study_bias(rows_in(shared, SOM))
    outcomes = _outcomes(t5)
    assert outcomes["NU", "none"] == FAILS
    assert outcomes["NU", "published"] == outcomes["NU", "mistakes"] == HOLDS
    assert outcomes["TO", "none"] == outcomes["TO", "published"] == UNDECIDED
    assert _outcomes(som)["NU1", "none"] == FAILS
    assert _outcomes(som)["NU", "published"] == HOLDS
    changed = {(each.trait, each.measure): (each.none, each.published) for each in sign_changes(t5)}
    assert changed["NU", "FGA(lam=0.5)"] == pytest.approx((-0.264, 0.669), abs=5e-4)
    words = summary(t5)
    assert "Over all dialogues this holds for neither; with the published filter for NU only." in words[0]
    assert any("does not hold" in line for line in words)
    assert any("changes the correlation of FGA(lam=0.5) with NU from -0.264" in line for line in words)


def test_verdict_is_the_same_whichever_measure_comes_first(shared: Path) -> None:
    rows = rows_in(shared, SOM)
    turned = [
        DialogueTraits(r.system, r.dialogue, r.mistakes, r.traits, dict(reversed(r.values.items()))) for r in rows
    ]
    one = {(each.rival, each.trait, each.filter): each for each in verdicts(study_bias(rows))}
    other = {(each.rival, each.trait, each.filter): each for each in verdicts(study_bias(turned))}
    assert one.keys() == other.keys()
    for key, each in one.items():
        assert each.outcome == other[key].outcome
        assert each.as_tested == other[key].as_tested
        assert each.strength_ci == pytest.approx(other[key].strength_ci)


def _strength(r1: float, r2: float, r12: float, n: int) -> Interval:
    difference, total = zou_interval(r1, r2, r12, n), zou_interval(r1, -r2, -r12, n)
    limits = [difference.low, difference.high, total.low, total.high]
    assert None not in limits
    return strength_limits((limits[0], limits[1]), (limits[2], limits[3]))  # type: ignore[arg-type]


def test_the_published_correlations_by_strength() -> None:
    tail, uniform = _strength(0.08, -0.05, 0.69, 1344), _strength(0.59, 0.40, 0.69, 1344)
    assert tail is not None
    assert uniform is not None
    assert tail[0] < 0 < tail[1], "0.08 and -0.05 are about equally strong"
    assert uniform == pytest.approx((0.1543, 0.2266), abs=5e-5)


@pytest.mark.parametrize(("r1", "r2"), [(0.0, 0.0), (0.3, 0.3), (0.3, -0.3), (-0.5, -0.5)])
def test_strength_interval_keeps_its_level(r1: float, r2: float) -> None:
    r12 = 0.4 if r1 * r2 >= 0 else -0.4
    covariance = np.array([[1, r1, r2], [r1, 1, r12], [r2, r12, 1]])
    chance = np.random.default_rng(7)
    wrong = 0
    for _ in range(1000):
        found = np.corrcoef(chance.multivariate_normal(np.zeros(3), covariance, 60).T)
        limits = _strength(found[0, 1], found[0, 2], found[1, 2], 60)
        assert limits is not None
        wrong += limits[0] > 0 or limits[1] < 0
    assert wrong <= 65


def test_the_documented_findings(shared: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto" / "bias.md").read_text("utf-8")
    words = {HOLDS: "holds", FAILS: "**does not hold**", UNDECIDED: "undecided"}
    for file in (SOM, T5, T5.replace("attraction", "rest")):
        found = verdicts(study_bias(rows_in(shared, file)))
        for trait in ("TO", "NU"):
            told = [each for each in found if each.trait == trait and each.rival == "FGA(lam=0.5)"]
            cells = []
            for each in told:
                low, high = each.strength_ci or (0, 0)
                cells.append(f"{words[each.outcome]} ({low:.2f} to {high:.2f})".replace("-", "−"))
            assert f"| {trait} | {' | '.join(cells)} |" in page
