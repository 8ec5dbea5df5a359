"""Agreement with people on published ratings: every expected figure, and the printed third decimals."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dialmeter.judges.people.correlate import PeopleCorrelation
from dialmeter.judges.people.result import PeopleResult
from dialmeter.judges.people.study import judge_people

from ..shared_data import shared

SETS = ("topical_chat", "fed_dialogue", "grade_convai2")
STATISTICS = {"Pearson": "pearson", "Spearman": "spearman", "Kendall": "kendall"}


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "ratings.json").read_text("utf-8"))[name]
    return found


def pairs(name: str) -> list[tuple[str, str]]:
    return [tuple(pair.split(" ~ ")) for pair in expected(name)["item"]]  # type: ignore[misc]


@cache
def result(name: str) -> PeopleResult:
    named = pairs(name)
    return judge_people(
        shared("data", "ratings", f"{name}.jsonl.gz"),
        carried=sorted({judge for judge, _ in named}),
        facets=sorted({facet for _, facet in named}),
        resample="items",
        resamples=300,
        seed=0,
    )


@cache
def correlations(name: str) -> dict[tuple[str, str, str, str], PeopleCorrelation]:
    return {(each.measure, each.judge, each.facet, each.level): each for each in result(name).scores}


@pytest.mark.parametrize("name", SETS)
def test_correlations_over_items_and_systems(name: str) -> None:
    figures = expected(name)
    for level, key in (("item", figures["level"]), ("system", "system")):
        for judge, facet in pairs(name):
            figure = figures[level][f"{judge} ~ {facet}"]
            for measure, statistic in STATISTICS.items():
                found = correlations(name)[measure, judge, facet, key]
                assert found.value == pytest.approx(figure[statistic], abs=1e-9)
                assert found.n == figure["n"]
                assert (found.p is None) == (level == "system" and figure["n"] < 5)
                if found.p is not None:
                    assert found.p == pytest.approx(figure[f"{statistic}_p"], abs=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_intervals_over_items(name: str) -> None:
    for judge, facet in pairs(name):
        figure = expected(name)["item"][f"{judge} ~ {facet}"]
        for measure, statistic in (("Pearson", "pearson"), ("Spearman", "spearman")):
            found = correlations(name)[measure, judge, facet, expected(name)["level"]]
            assert found.ci == pytest.approx(figure[f"{statistic}_ci95"], abs=0.03)


def test_within_contexts() -> None:
    for pair, figure in expected("topical_chat")["within_group"].items():
        judge, facet = pair.split(" ~ ")
        found = correlations("topical_chat")["Spearman", judge, facet, "within-context"]
        assert found.value == pytest.approx(figure["spearman_mean"], abs=1e-9)
        assert (found.n, found.n + found.unscored) == (figure["used"], figure["groups"])


KEYS = {
    "alpha_interval": "alpha_interval",
    "alpha_ordinal": "alpha_ordinal",
    "alpha_nominal": "alpha_nominal",
    "icc1": "icc1",
    "icc1k": "icc1k",
    "ceiling": "pearson_ceiling_sqrt_icc1k",
    "pairwise_spearman": "pairwise_spearman_mean",
    "left_out_spearman": "leave_one_out_spearman",
    "left_out_pearson": "leave_one_out_pearson",
}


@pytest.mark.parametrize("name", SETS[1:])
def test_agreement_of_raters(name: str) -> None:
    found = judge_people(shared("data", "ratings", f"{name}.jsonl.gz"), carried=["length"], ci=0)
    figures = expected(name)["raters"]
    assert [each.facet for each in found.raters] == list(figures)
    for each in found.raters:
        figure = figures[each.facet]
        assert each.ratings == figure["ratings_per_item"]
        assert each.pairs == figure["pairs"]
        for ours, theirs in KEYS.items():
            assert getattr(each, ours) == pytest.approx(figure[theirs], abs=1e-9), (each.facet, ours)


@pytest.mark.parametrize("name", SETS[1:])
def test_against_left_out_rater(name: str) -> None:
    found = {(each.judge, each.facet): each for each in result(name).left_out}
    for pair, figure in expected(name)["item_against_the_others"].items():
        judge, facet = pair.split(" ~ ")
        each = found[judge, facet]
        assert each.judge_value == pytest.approx(figure["judge_spearman_mean"], abs=1e-9)
        assert each.rater_value == pytest.approx(figure["rater_spearman_mean"], abs=1e-9)
        assert (each.better, each.positions) == (figure["judge_better_at_positions"], figure["positions_used"])


def test_published_figures() -> None:
    rows = json.loads(shared("expected", "ratings_published.json").read_text("utf-8"))
    assert len(rows) == 8
    for row in rows:
        facet = "overall" if row["dataset"] == "topical_chat" else "coherence"
        measure = row["statistic"].capitalize()
        found = correlations(row["dataset"])[measure, row["metric"], facet, row["level"]]
        assert f"{found.value:.3f}" == row["printed"].rstrip("*")
