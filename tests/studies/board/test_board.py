"""A board agrees with the scores of `tracker score`, the tests of `tracker compare` and the ranks of `tracker rules`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from dialmeter.core.comparison import Resampling
from dialmeter.studies.board import MEASURES, Board, BoardManifest, BoardSettings, make_board, read_manifest
from dialmeter.tracking.rule_sets.rules import change, load
from dialmeter.tracking.scoring import score_tracker

from .made import NAMES, write_system, write_twelve

SETTINGS = BoardSettings(rules=load("dialmeter"), resampling=Resampling(resamples=4000))


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> BoardManifest:
    twelve = read_manifest(str(write_twelve(tmp_path_factory.mktemp("twelve"))))
    return replace(twelve, row=twelve.row[::2])


@pytest.fixture(scope="module")
def board(manifest: BoardManifest) -> Board:
    return make_board(manifest, SETTINGS)


def test_scores_are_those_of_the_files(manifest: BoardManifest, board: Board) -> None:
    entry = manifest.row[2]
    expected = score_tracker(entry.file, measures=MEASURES, resamples=4000).scores
    (row,) = [row for row in board.rows if row.system == entry.system]
    assert row.scores == expected
    assert (row.source, row.licence, row.date) == ("https://example.org/papers/4", "MIT", "2026-03-05")
    assert {row.system for row in board.rows} == set(NAMES[::2])
    values = [row.scores[0].value or 0.0 for row in board.rows]
    assert values == sorted(values, reverse=True)


def test_letters_follow_from_the_tests(board: Board) -> None:
    assert len(board.versus) == 4 * 15
    letters = {row.system: row.letters for row in board.rows}
    differing = 0
    for each in board.versus:
        assert each.p_holm is not None
        share = set(letters[each.base][each.measure]) & set(letters[each.system][each.measure])
        assert bool(share) is (each.p_holm >= 0.05)
        differing += not share
    assert 10 < differing < 50


def test_ranks_under_every_rule_set_and_map(board: Board) -> None:
    own, others = board.ranks[:4], board.ranks[4:]
    assert [each.measure for each in own] == list(MEASURES)
    assert {each.map for each in others} == {"", "multiwoz"}
    assert {each.rules for each in others} >= {"dialmeter", "trade", "mwzeval", "gca-repo"}
    for each in board.ranks:
        if each.reason:
            assert set(each.ranks.values()) == {None}
            continue
        by_value = sorted(each.values, key=lambda name: -(each.values[name] or 0.0))
        assert each.ranks[by_value[0]] == 1
        assert sorted(filter(None, each.ranks.values())) == [each.ranks[name] for name in by_value]
    for row in board.rows:
        held = [place for each in board.ranks if (place := each.ranks[row.system]) is not None]
        assert (row.best_rank, row.worst_rank) == (min(held), max(held))


def test_values_under_a_rule_set_are_those_of_its_score(manifest: BoardManifest, board: Board) -> None:
    entry = manifest.row[0]
    (mapped,) = [each for each in board.ranks if (each.rules, each.map) == ("trade", "multiwoz")]
    rules = change(load("trade"), map="multiwoz")
    assert mapped.values[entry.system] == score_tracker(entry.file, measures=["JGA"], rules=rules, ci=0)["JGA"].value


def test_the_order_of_rows_does_not_matter(manifest: BoardManifest, board: Board) -> None:
    rows = Random(5).sample(manifest.row, len(manifest.row))
    again = make_board(replace(manifest, row=rows), SETTINGS)
    assert again.rows == board.rows
    assert {each.measure: each.ranks for each in again.ranks} == {each.measure: each.ranks for each in board.ranks}
    assert again.signature == board.signature


def test_a_file_that_was_given_gold_is_marked_and_not_ranked(manifest: BoardManifest, tmp_path: Path) -> None:
    path = write_system(tmp_path / "given.jsonl", 0.0, "given")
    given = replace(manifest.row[0], system="given", file=str(path))
    found = make_board(replace(manifest, row=[given, *manifest.row[3:]]), SETTINGS)
    assert [row.given_gold for row in found.rows] == [None, None, None, 1.0]
    last = found.rows[-1]
    assert (last.system, last.best_rank, last.letters) == ("given", None, {})
    assert {"given"}.isdisjoint(name for each in found.versus for name in (each.base, each.system))
    assert found.rows[0].best_rank == 1


def test_common_dialogues_only(tmp_path: Path) -> None:
    entries = []
    for name, first in (("one", 0), ("two", 10)):
        path = write_system(tmp_path / f"{name}.jsonl", 0.2, name, first=first)
        entries.append(f'[[row]]\nsystem = "{name}"\nfile = "{path.name}"\n')
    (tmp_path / "b.toml").write_text("\n".join(entries), "utf-8")
    found = make_board(read_manifest(str(tmp_path / "b.toml")), replace(SETTINGS, common=True))
    assert found.title == "b"
    assert found.dialogues == 30
    assert "|only:" in found.signature
    (notice,) = [each for each in found.notices if each.code == "unequal-dialogues"]
    assert notice.count == 20
    signatures = {score.signature for row in found.rows for score in row.scores}
    assert len(signatures) == len(MEASURES)


def test_too_few_resamples_are_reported(manifest: BoardManifest) -> None:
    few = make_board(manifest, replace(SETTINGS, resampling=Resampling(resamples=1000)))
    (notice,) = [each for each in few.notices if each.code == "few-resamples"]
    assert "60 tests and 1000 resamples" in notice.message
    assert all(set(row.letters.values()) == {"a"} for row in few.rows)
