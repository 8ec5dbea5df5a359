"""Tallies that went through bytes say what they said before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import InputError
from dialmeter.model import Dialogue, Notice, Schema
from dialmeter.rules import named, names
from dialmeter.tracking.kept import Kept, from_bytes, to_bytes
from dialmeter.tracking.scorer import TrackerScorer

from ..tracking.cached import all_of
from .corpora import anything, law

KEY = bytes(range(32))
MEASURES = ("JGA", "SA", "RSA", "FGA(lam=0.5)", "GCA", "FGA(lam=1, local=vector)", "GCA(deletions=code)", "FinalJGA")
BY = ("domain", "slot", "without-domain")


@law
@given(anything, st.sampled_from([name for name in names() if not named(name).only]))
def test_there_and_back(corpus: list[Dialogue], rules: str) -> None:
    before, after = TrackerScorer(MEASURES, rules, by=BY), TrackerScorer(MEASURES, rules, by=BY)
    for each in corpus:
        before.add_dialogue(each)
    told = [Notice("odd", 2, "something", ("here",))]
    schema = Schema({"hotel": {"area": True}})
    data = to_bytes(Kept(before.part, "native", told, schema), KEY)
    found = from_bytes(data, KEY, after.part)
    assert (found.form, found.notices, found.schema) == ("native", told, schema)
    after.merge(found.part)
    assert to_bytes(Kept(after.part, "native", told, schema), KEY) == data
    assert all_of(after.result(), BY) == all_of(before.result(), BY)


def test_nothing_is_merged_twice() -> None:
    scorer, other = TrackerScorer(["JGA"]), TrackerScorer(["JGA"])
    scorer.add("d", [{"a-b": "c"}], [{"a-b": "c"}])
    data = to_bytes(Kept(scorer.part, "native", [], None), KEY)
    other.merge(from_bytes(data, KEY, other.part).part)
    with pytest.raises(InputError, match="stands twice"):
        other.merge(from_bytes(data, KEY, other.part).part)
    other.add("e", [{"a-b": "c"}], [{}])
    scorer.add("e", [{"a-b": "c"}], [{}])
    assert all_of(other.result()) == all_of(scorer.result())
