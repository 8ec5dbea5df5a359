"""``study people`` of a table of systems: does success with a simulated user predict what people say?"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from scipy import stats as scipy_stats

from dialmeter.stats.correlation import least_tau
from dialmeter.studies.prediction import study_prediction
from dialmeter.views.tables import STYLES

from ..cli.invoke import Cli

COMMAND = "study people"
SYSTEMS = {
    "rule": (0.91, 4.2), "eager": (0.84, 3.9), "hasty": (0.71, 3.1), "noisy": (0.66, 3.4),
    "noisier": (0.48, 2.6), "retrieval": (0.52, 3.0), "silent": (0.05, 1.2),
}  # fmt: skip


def write_table(path: Path, systems: dict[str, tuple[float, float]]) -> Path:
    lines = [f"{name},{simulated},{people}" for name, (simulated, people) in systems.items()]
    path.write_text("\n".join(["system,simulated,people", *lines, ""]), "utf-8")
    return path


def test_study_equals_scipy() -> None:
    study = study_prediction(SYSTEMS, 0.95)
    columns = list(zip(*SYSTEMS.values(), strict=True))
    for found, theirs in zip(
        study.correlations, (scipy_stats.kendalltau, scipy_stats.spearmanr, scipy_stats.pearsonr), strict=True
    ):
        expected = theirs(*columns)
        assert (found.value, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (study.same, study.opposite) == (20, 1)
    assert [each.ci is None for each in study.correlations] == [True, True, False]
    assert study.correlations[1].ci_reason == "an interval for Spearman below 8 systems would be too narrow"
    eight = study_prediction({**SYSTEMS, "new": (0.6, 2.9)}, 0.95).correlations
    assert [each.ci is None for each in eight] == [True, False, False]
    turned = study_prediction(dict(reversed(SYSTEMS.items())), 0.95)
    assert turned == study


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_least_tau_from_all_orders(n: int) -> None:
    taus = [scipy_stats.kendalltau(range(n), each).statistic for each in permutations(range(n))]
    shown = {tau for tau in taus if tau > 0 and sum(abs(other) >= tau - 1e-9 for other in taus) / len(taus) < 0.05}
    assert least_tau(n) == (pytest.approx(min(shown)) if shown else None)


def test_verdicts(tmp_path: Path, cli: Cli) -> None:
    names = list(SYSTEMS)
    four = write_table(tmp_path / "four.csv", {name: SYSTEMS[name] for name in names[:4]})
    assert "CANNOT TELL" in cli(four).out
    assert "4 systems are too few." in " ".join(cli(four).out.split())
    seven = write_table(tmp_path / "seven.csv", SYSTEMS)
    assert cli(seven).out.startswith("The simulated user ranks systems as people do: Kendall 0.905 over 7 systems")
    against = write_table(tmp_path / "against.csv", {name: (a, -b) for name, (a, b) in SYSTEMS.items()})
    assert cli(against).out.startswith("The simulated user ranks systems against people: Kendall -0.905")
    mixed = write_table(tmp_path / "mixed.csv", {name: (a, i % 3) for i, (name, (a, _)) in enumerate(SYSTEMS.items())})
    assert cli(mixed).out.startswith("NOT SHOWN")
    same = write_table(tmp_path / "same.csv", {name: (a, 1) for name, (a, _) in SYSTEMS.items()})
    assert "the second variable is constant" in " ".join(cli(same).out.split())


def test_equal_orders_have_no_interval(tmp_path: Path, cli: Cli) -> None:
    file = write_table(tmp_path / "x.csv", {name: (place, place) for place, name in enumerate("abcde")})
    tau, *others = cli.json(file)["scores"]
    assert (tau["value"], tau["p"]) == pytest.approx((1, 2 / 120))
    for each in (tau, *others):
        assert (each["ci"], each["ci_reason"]) == (None, "a correlation of 1 or -1 has no interval")
    for style in STYLES:
        assert "Kendall" in cli(file, "-f", style).out, style


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,0.9,good", "line 2: people: expected a number, found 'good'"),
        ("a,0.9,1\na,1,1", "line 3: system a has two rows"),
        (",0.9,1", "line 2: a row has no system"),
        ("", "no system"),
    ],
)
def test_bad_tables(text: str, message: str, tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(f"system,simulated,people\n{text}\n", "utf-8")
    assert message in cli.refused(file)
