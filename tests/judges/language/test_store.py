"""Analyses are stored between runs, and a damaged store is replaced."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dialmeter.judges.language import Resources
from dialmeter.judges.language.analysis import Analysis, AnalysisStore, Light, TextSpan, Token, cache_folder

TEXTS = ["Where is the hotel?", "It is near the river.", "Where is the hotel?", "שלום", "🙂"]
ANALYSIS = Analysis(
    (Token("a", 0, "DET", "DT", "a", "det", 1),), (TextSpan(0, 1, "ORG"),), (TextSpan(0, 1, "0"),), (TextSpan(0, 1),)
)


def test_stored_analyses_can_be_read(tmp_path: Path) -> None:
    store = AnalysisStore(tmp_path, "some/pipeline 1.0")
    many = {f"text {number}": ANALYSIS for number in range(1200)}
    store.put(many)
    store.close()
    again = AnalysisStore(tmp_path, "some/pipeline 1.0")
    assert again.get([*many, "unknown"]) == many
    again.close()
    other = AnalysisStore(tmp_path, "other")
    assert other.get(many) == {}
    other.close()


def test_a_second_run_analyses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysed: list[str] = []
    analyse = Light.analyse_one
    monkeypatch.setattr(Light, "analyse_one", lambda self, text: analysed.append(text) or analyse(self, text))
    first = Resources(light=True, cache=tmp_path).open()
    first.prepare(TEXTS)
    assert analysed == list(dict.fromkeys(TEXTS))
    told = [first.analysis(text) for text in TEXTS]
    first.close()
    second = Resources(light=True, cache=tmp_path).open()
    second.prepare(TEXTS)
    assert len(analysed) == 4
    assert [second.analysis(text) for text in TEXTS] == told
    second.close()


def test_a_damaged_store_is_made_anew(tmp_path: Path) -> None:
    AnalysisStore(tmp_path, "x").close()
    [file] = tmp_path.iterdir()
    file.write_bytes(b"this is not a database" * 100)
    store = AnalysisStore(tmp_path, "x")
    assert store.get(["a"]) == {}
    store.put({"a": ANALYSIS})
    assert store.get(["a"]) == {"a": ANALYSIS}
    store.close()


def test_a_locked_store_is_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialmeter.judges.language.analysis._PATIENCE", 0.05)
    first = AnalysisStore(tmp_path, "x")
    first.put({"a": ANALYSIS})
    first.close()
    [file] = tmp_path.iterdir()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    locked = AnalysisStore(tmp_path, "x")
    locked.put({"b": ANALYSIS})
    assert locked.get(["a", "b"]) == {}
    locked.close()
    other.execute("ROLLBACK")
    other.close()
    free = AnalysisStore(tmp_path, "x")
    assert free.get(["a", "b"]) == {"a": ANALYSIS}
    free.close()


def test_a_folder_that_cannot_be_made_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = AnalysisStore(tmp_path / "file" / "below", "x")
    store.put({"a": ANALYSIS})
    assert store.get(["a"]) == {}


def test_the_cache_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALMETER_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "dialmeter"
