"""Correlations of measures with ratings, compared with scipy."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialmeter.errors import DialmeterError, InputError
from dialmeter.model import dialogue_key
from dialmeter.stats.agreement import krippendorff_alpha
from dialmeter.stats.correlation import zou_interval
from dialmeter.studies.human import PeopleStudy, Ratings, compare_with_people, read_ratings
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file

from .few_shots import gold, predicted, write

MEASURES = ["JGA", "FGA(lam=0.5)", "GCA"]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> TrackerResult:
    path = tmp_path_factory.mktemp("human") / "predictions.json"
    return score_file(str(write(path, predicted(gold(30), 0.3, 5))), measures=MEASURES)


@pytest.fixture(scope="module")
def table(result: TrackerResult) -> dict[str, dict[str, float]]:
    """Return three raters whose ratings are GCA with noise. b skips every fourth dialogue."""
    draw = random.Random(2)
    values = result.measure_columns.per_dialogue(result.measures[2].used)
    rows = {}
    for number, (name, value) in enumerate(zip(result.measure_columns.main.dialogues, values, strict=True)):
        given = {rater: float(min(5, max(1, round(1 + 4 * (value or 0) + draw.gauss(0, 0.8))))) for rater in "abc"}
        rows[name] = {rater: rating for rater, rating in given.items() if rater != "b" or number % 4}
    return rows


@pytest.fixture(scope="module")
def study(result: TrackerResult, table: dict[str, dict[str, float]]) -> PeopleStudy:
    return compare_with_people(result, ratings_of(table))


def ratings_of(table: dict[str, dict[str, float]]) -> Ratings:
    raters = sorted({rater for row in table.values() for rater in row})
    names = {dialogue_key(name): name for name in table}
    return Ratings(tuple(raters), {dialogue_key(name): row for name, row in table.items()}, names)


def columns(result: TrackerResult, table: dict[str, dict[str, float]], *measures: str) -> list[list[float]]:
    """Return mean ratings and values of measures, over the dialogues that have a value under all measures."""
    people = [float(np.mean(list(table[name].values()))) for name in result.measure_columns.main.dialogues]
    values = {each.text: result.measure_columns.per_dialogue(each.used) for each in result.measures}
    rows = zip(people, *(values[name] for name in measures), strict=True)
    return [list(column) for column in zip(*(row for row in rows if None not in row), strict=True)]


def test_correlations(study: PeopleStudy, result: TrackerResult, table: dict[str, dict[str, float]]) -> None:
    witnesses = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for each in study.correlations:
        people, values = columns(result, table, each.measure)
        r, p = witnesses[each.statistic](values, people)
        assert (each.n, each.unscored) == (len(people), 30 - len(people))
        assert each.value == pytest.approx(r)
        assert each.p == pytest.approx(p, rel=1e-6)
        assert each.ci is not None
        assert each.ci[0] < r < each.ci[1]
    by = {(each.measure, each.statistic): each for each in study.correlations}
    assert len(by) == 9
    assert (by["GCA", "pearson"].value or 0) > (by["JGA", "pearson"].value or 0)
    assert "|people:pearson|rated:30d|ratings:" in by["JGA", "pearson"].signature


def test_pairs_have_zous_interval(
    study: PeopleStudy, result: TrackerResult, table: dict[str, dict[str, float]]
) -> None:
    assert [(pair.first, pair.second) for pair in study.pairs] == list(combinations(MEASURES, 2))
    for pair in study.pairs:
        people, one, other = columns(result, table, pair.first, pair.second)
        r1, r2, r12 = (stats.pearsonr(a, b)[0] for a, b in ((people, one), (people, other), (one, other)))
        expected = zou_interval(r1, r2, r12, len(people))
        assert pair.value == pytest.approx(r1 - r2)
        assert pair.ci == pytest.approx((expected.low, expected.high))


def test_agreement_and_raters(study: PeopleStudy, table: dict[str, dict[str, float]]) -> None:
    names = sorted(table)
    rows = [[table[name].get(rater) for name in names] for rater in "abc"]
    ordinal, interval, pairwise = study.agreement
    assert ordinal.value == pytest.approx(krippendorff_alpha(rows, "ordinal").value)
    assert interval.value == pytest.approx(krippendorff_alpha(rows, "interval").value)
    found = []
    for one, other in combinations(rows, 2):
        both = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
        found.append(stats.pearsonr(*zip(*both, strict=True))[0])
    assert (pairwise.value, pairwise.n) == (pytest.approx(np.mean(found)), 3)
    assert [(line.rater, line.n) for line in study.raters] == [("a", 30), ("b", 22), ("c", 30)]


def test_unmatched_dialogues_are_listed(result: TrackerResult, table: dict[str, dict[str, float]]) -> None:
    some = {name.lower().removesuffix(".json"): row for name, row in list(table.items())[:10]}
    found = compare_with_people(result, ratings_of({**some, "NOPE.json": {"a": 3.0}}))
    assert found.only_rated == ["NOPE.json"]
    assert len(found.dialogues) == 10
    assert len(found.only_scored) == 20
    assert {notice.code: notice.count for notice in found.notices} == {"not-in-file": 1, "not-rated": 20}
    with pytest.raises(DialmeterError, match="none of the 1 rated dialogues is in the file: NOPE"):
        compare_with_people(result, ratings_of({"NOPE": {"a": 3.0}}))


def test_constant_few_and_lonely(result: TrackerResult) -> None:
    names = result.measure_columns.main.dialogues
    found = compare_with_people(result, ratings_of({name: {"a": 3.0} for name in names}))
    assert {each.value for each in found.correlations} == {None}
    assert "the rating is constant" in found.correlations[0].reason
    assert {pair.reason for pair in found.pairs} == {"the rating is constant"}
    assert [notice.code for notice in found.notices] == ["constant-ratings", "one-rater"]
    assert not found.agreement
    for count in (1, 2, 3, 4):
        few = compare_with_people(
            result, ratings_of({name: {"a": float(i), "b": 1.0} for i, name in enumerate(names[:count])})
        )
        assert "few-dialogues" in [notice.code for notice in few.notices]
        assert all(each.value is not None or each.reason for each in few.correlations)
        assert few.agreement[2].value is None
        assert few.agreement[2].reason


def test_the_order_of_ratings_does_not_matter(result: TrackerResult, table: dict[str, dict[str, float]]) -> None:
    backwards = {name: dict(reversed(row.items())) for name, row in reversed(table.items())}
    assert compare_with_people(result, ratings_of(backwards)) == compare_with_people(result, ratings_of(table))


LONG = "dialogue,rater,rating\nD1,ann,4\nD1,bob,5\nD2,ann,\nD2,bob,2.5\nD3,ann,NA\n"
WIDE = "dialogue,ann,bob\nD2,,2.5\nD1,4,5\nD3,,\n"


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        WIDE,
        LONG.replace(",", ";"),
        WIDE.replace(",", "\t"),
        WIDE.replace("\n", "\r\n"),
        "\ufeff" + WIDE,
        "rating,comment,Rater,Dialogue_ID\n4,good,ann,D1\n5,,bob,D1\n2.5,,bob,D2\n,,ann,D3\n",
    ],
)
def test_both_layouts_say_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(text.encode())
    found = read_ratings({"ann": str(path)})[0]
    assert found.raters == ("ann", "bob")
    assert found.by_dialogue == {"d1": {"ann": 4.0, "bob": 5.0}, "d2": {"bob": 2.5}}
    assert found.mean("d1") == 4.5
    assert found.mean("d3") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "dialogue,rater,rating\nD1,ann,good\n",
            "line 2, dialogue D1: the rating of ann must be a number or empty, not 'good'",
        ),
        ("dialogue,ann\nD1,4\nD2,nan\n", "line 3, dialogue D2: the rating of ann must be a number or empty, not 'nan'"),
        ("dialogue,ann\nD1,inf\n", "line 2, dialogue D1: the rating of ann must be a number or empty, not 'inf'"),
        ('dialogue,ann\nD1,"3,5"\n', "the rating of ann must be a number or empty, not '3,5'"),
        ("dialogue,ann\nD1,4\nd1.json,5\n", "line 3, dialogue d1.json: ann has already rated it"),
        ("dialogue,rater,rating\nD1,,4\n", "line 2, dialogue D1: a rating has no rater"),
        ("dialogue,ann\n,4\n", "line 2: a row has no dialogue"),
        ("dialogue,ann\nD1,4,5\n", "line 2: 3 cells, but the first line has 2 columns"),
        ("dialogue,ann,ann\nD1,4,5\n", "line 1: duplicate column 'ann'"),
        ("ann,bob\n4,5\n", "line 1: expected the columns dialogue, rater, rating"),
        ("dialogue\nD1\n", "line 1: expected the columns"),
        ("", "line 1: expected the columns"),
        ("dialogue,ann\nD1,\n", "the file has no ratings"),
    ],
)
def test_bad_ratings(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_ratings({"ann": str(path)})[0]
    assert caught.value.file == str(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ratings_not_utf8_and_not_there(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"dialogue,ann\nD\x81,4\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_ratings({"ann": str(path)})[0]
    with pytest.raises(InputError, match="no such file"):
        read_ratings({"ann": str(tmp_path / "none.csv")})


def test_several_tables_and_sheets(tmp_path: Path) -> None:
    """A file with a column rating and no column rater is a filled sheet; its name is the rater."""
    (tmp_path / "table.csv").write_text(LONG)
    (tmp_path / "eve.csv").write_text("number,dialogue,turns,rating,note,scale\n1,D1,text,3,,1-5\n2,=D2,text,,,1-5\n")
    found, unfilled = read_ratings({name: str(tmp_path / f"{name}.csv") for name in ("table", "eve")})
    assert (found.raters, unfilled) == (("ann", "bob", "eve"), 1)
    assert found.by_dialogue["d1"] == {"ann": 4.0, "bob": 5.0, "eve": 3.0}
    again = read_ratings({name: str(tmp_path / f"{name}.csv") for name in ("eve", "table")})[0]
    assert again.digest() == found.digest()
    with pytest.raises(InputError, match=r"line 2, dialogue D1: ann has already rated it"):
        read_ratings({name: str(tmp_path / "table.csv") for name in ("table", "again")})
