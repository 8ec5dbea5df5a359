"""``study sensitivity`` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...studies.variants import small_corpus, write_variants
from ..invoke import Cli

COMMAND = "study sensitivity"


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, tuple[str, str]]:
    return write_variants(
        tmp_path,
        *small_corpus(),
        ("original", "v1", "v2"),
        lambda variant, number, place: variant == "v2" and number < 2,
    )


def words_of(folders: dict[str, tuple[str, str]], *names: str) -> list[str]:
    return [*(folders[name][0] for name in names), *(word for name in names for word in ("--gold", folders[name][1]))]


def test_tables(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    words = (*words_of(folders, "original", "v1", "v2"), "--set", "resamples=200")
    _, out, err = cli(*words)
    assert err == ""
    assert out.startswith("JointGoalAccuracy of a frame varies by 47.14 % of its mean between 2 wordings,")
    assert "JointGoalAccuracy: 100.00 as original, 83.33 on average reworded" in out
    out = cli(*words, "-v").out
    # 4 of 12 frames are right under v1 only: the root of 2 each.
    assert "JointGoalAccuracy: schema sensitivity 47.14; -16.7 % against the original schema" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["v1", "100.00"] in [row[:2] for row in rows]
    assert ["v2", "66.67"] in [row[:2] for row in rows]
    assert ["1_00000", "141.42", "2", "100.00", "0.00"] in rows
    assert "signature  SchemaSensitivity(JointGoalAccuracy)|variants:2|rules:sgd|" in out


def test_gold_of_another_variant(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    assert "dialogue 1_00000, turn 0, slot" in cli.refused(
        *(folders[name][0] for name in ("original", "v1", "v2")), "--gold", folders["original"][1]
    )


def test_variants_without_schema(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    for _, gold in folders.values():
        (Path(gold) / "schema.json").unlink()
    assert cli.refused(*words_of(folders, "original", "v1", "v2")).endswith(
        "the file has none; give gold as a folder with schema.json"
    )
