"""``tracker sensitivity`` as a user types it."""

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
    original = ("--set", f"original={folders['original'][0]}", "--set", f"original-gold={folders['original'][1]}")
    _, out, err = cli(*words_of(folders, "v1", "v2"), *original, "--set", "resamples=200")
    assert err == ""
    # 4 of 12 frames are right under v1 only: the root of 2 each.
    assert "JointGoalAccuracy: schema sensitivity 47.14; -16.7 % against the original schema" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["v1", "100.00"] in [row[:2] for row in rows]
    assert ["v2", "66.67"] in [row[:2] for row in rows]
    assert ["1_00000", "141.42", "2", "100.00", "0.00"] in rows
    assert "signature  SchemaSensitivity(JointGoalAccuracy)|variants:2|rules:sgd|" in out


def test_json(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    found = cli.json(*words_of(folders, "v1", "v2"), "--measure", "JGA", "--set", "resamples=200")
    assert found["counts"] == {"variants": 2, "dialogues": 6, "turns": 12}
    [one] = found["sensitivities"]
    assert (one["measure"], one["n"], one["original"], one["change"]) == ("JGA", 12, None, None)
    assert [each["variant"] for each in found["scores"]] == ["v1", "v2"]


def test_variant_order(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    values = []
    for names in (("v1", "v2", "original"), ("original", "v2", "v1")):
        found = cli.json(*words_of(folders, *names), "--set", "resamples=200")
        values.append([(each["value"], each["ci"]) for each in found["sensitivities"]])
    assert values[0] == values[1]


def test_gold_of_another_variant(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    assert "dialogue 1_00000, turn 0, slot" in cli.refused(
        folders["v1"][0], folders["v2"][0], "--gold", folders["v1"][1]
    )


def test_variants_without_schema(cli: Cli, folders: dict[str, tuple[str, str]]) -> None:
    for _, gold in folders.values():
        (Path(gold) / "schema.json").unlink()
    assert cli.refused(*words_of(folders, "v1", "v2")).endswith(
        "the file has none; give gold as a folder with schema.json"
    )
