"""Ratings in a spreadsheet: names that look like formulas are quoted, and parsed back unchanged."""

from __future__ import annotations

from pathlib import Path

from dialmeter.studies.human import read_ratings, write_ratings


def test_names_that_look_like_formulas_come_back(tmp_path: Path) -> None:
    names, raters = ["=1+1", "@x", "'=y", "-5", "plain"], ["=ann", "bob"]
    ratings = {name.lower(): {"=ann": 4.0, "bob": -1.0} for name in names}
    text = write_ratings(names, raters, ratings)
    assert text.splitlines()[:2] == ["dialogue,'=ann,bob", "'=1+1,4,-1"]
    (tmp_path / "ratings.csv").write_text(text, "utf-8")
    found = read_ratings(str(tmp_path / "ratings.csv"))
    assert found.raters == ("=ann", "bob")
    assert set(found.names.values()) == set(names)
