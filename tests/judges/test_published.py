"""The stored folders of the paper on attacks: an invented folder, because the real one may not be distributed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.case_files import PUBLISHED_NAMES
from dialmeter.judges.published.printed import ATTACKS, DATA, METRICS, PRINTED, table_name
from dialmeter.judges.published.stored import published_cells, read_stored

from ..cli.invoke import call, checked


def attack_folder(folder: Path, cases: int, no_ops: int = 0, **problems: list[int]) -> None:
    """A folder with cases, of which the first ones change nothing, and files of failing cases."""
    folder.mkdir(parents=True)
    for number in range(cases):
        reply = "I am here." if number < no_ops else "I am not here."
        lines = ["original_conversation", "Hi", "I am here.", "modified_conversation", "Hi", reply]
        (folder / f"case_{number}").write_text("\n".join(lines) + "\n")
    for name, failing in problems.items():
        (folder / name).write_text("".join(f"case_{number} 0.5 0.25\n" for number in failing))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    root = tmp_path / "stored"
    attack_folder(root / "dailydialog" / "contradiction", 100, 20, prob_cases_DialogRPT=list(range(10, 88)))
    attack_folder(root / "dailydialog" / "ner-0", 60, 0, prob_cases_DialogRPT=list(range(45)))
    attack_folder(root / "dailydialog" / "ner-1", 60, 0, prob_cases_DialogRPT=list(range(30)))
    attack_folder(root / "reddit" / "bad_paraphrase", 400, 100, prob_cases_pang_c=list(range(90, 105)))
    attack_folder(root / "reddit" / "repetitiveness", 3, 3, prob_cases_pang_c=[0])
    attack_folder(root / "reddit" / "dullness", 5, prob_cases_unheard_of=[1])
    (root / "reddit" / "notes").mkdir()
    return root


def test_the_printed_tables() -> None:
    assert len(PRINTED) == 24
    assert {attack for attacks in ATTACKS.values() for attack in attacks} == set(PUBLISHED_NAMES)
    assert all(len(row.values) == len(ATTACKS[row.table]) for row in PRINTED)
    assert {row.metric for row in PRINTED} == set(METRICS)
    assert {row.data for row in PRINTED} == set(DATA)
    assert all(table_name(name, METRICS) == name for name in METRICS)


def test_stored_figures_are_lines_by_a_hundred(stored: Path) -> None:
    found, _ = read_stored(stored)
    cells = {(cell.metric, cell.data, cell.attack): cell for cell in published_cells(found, keep_no_ops=True)}
    assert len(cells) == 24 * 6
    contradiction = cells["DialogRPT", "DDial", "contradiction"]
    assert (contradiction.value, contradiction.printed, contradiction.is_exact) == (0.78, 0.78, True)
    assert (
        cells["Pang-C", "Reddit", "unnatural-paraphrase"].value
        == cells["Pang-C", "Reddit", "unnatural-paraphrase"].printed
        == 0.15
    )
    entities = cells["DialogRPT", "DDial", "named-entity"]
    assert (entities.value, entities.reason) == (None, "several files differ")
    assert entities.candidates == {
        "dailydialog/ner-0/prob_cases_DialogRPT": 0.45,
        "dailydialog/ner-1/prob_cases_DialogRPT": 0.30,
    }
    assert cells["WBERT", "MultiWOz", "speaker"].reason == "no file"


def test_cases_that_change_nothing_are_not_counted(stored: Path) -> None:
    found, _ = read_stored(stored)
    cells = {
        (cell.data, cell.attack): cell
        for cell in published_cells(found)
        if cell.candidates or cell.attack == "repetition"
    }
    # Ten of 78 failing cases, and 20 of all 100, change nothing.
    assert (cells["DDial", "contradiction"].value, cells["DDial", "contradiction"].is_exact) == (68 / 80, True)
    # A quarter of 400 cases changes nothing, and which 100 of them were drawn is not known.
    paraphrase = cells["Reddit", "unnatural-paraphrase"]
    assert (paraphrase.value, paraphrase.is_exact) == (5 / 75, False)
    # All cases of a folder change nothing.
    [repetition] = [
        cell
        for cell in published_cells(found)
        if (cell.metric, cell.data, cell.attack) == ("Pang-C", "Reddit", "repetition")
    ]
    assert (repetition.value, repetition.reason) == (None, "no case changes anything")


def test_the_command(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "judge", "published", stored, "--keep-no-ops")
    assert said.code == 0
    [row] = [line for line in said.out.splitlines() if line.startswith("DialogRPT  DDial")][:1]
    assert row.split()[2:] == [
        "–",
        "(0.30)",
        "–",
        "(0.48)",
        "0.30/0.45*",
        "(0.60)",
        "–",
        "(0.56)",
        "–",
        "(0.98)",
        "0.78",
        "(0.78)",
        "–",
        "(0.48)",
    ]
    assert "144 items requested, 4 found, 3 recomputed" in said.out
    assert "1 files name no metric or data set of the tables" in said.err
    found = checked(call(capsys, "judge", "published", stored, "--json", "--quiet"), "judge-published")
    assert found["counts"] == {"files": 6, "cells": 144, "recomputed": 2}
    assert "~0.07 (0.15)" in call(capsys, "judge", "published", stored, "--quiet").out


def test_names_that_folders_do_not_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attack_folder(tmp_path / "stored" / "dullness", 10, prob_cases=[1, 2])
    words = [
        "judge",
        "published",
        tmp_path / "stored",
        "--metric",
        "Pang-L",
        "--data",
        "PerCh",
        "--keep-no-ops",
        "--json",
    ]
    cells = checked(call(capsys, *words), "judge-published")["scores"]
    assert [(each["metric"], each["attack"], each["value"]) for each in cells if each["candidates"]] == [
        ("Pang-L", "dullness", 0.02)
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("case_1 0.5", "expected a case and two scores"),
        ("case_x 0.5 0.5", "expected a case and two scores"),
        ("case_1 0.5 nan", "expected a case and two scores"),
        ("case_1 1 2\ncase_1 1 2", "duplicate case_1"),
    ],
)
def test_invalid_files(line: str, message: str, tmp_path: Path) -> None:
    attack_folder(tmp_path / "dullness", 3)
    (tmp_path / "dullness" / "prob_cases").write_text(line)
    with pytest.raises(InputError, match=message):
        read_stored(tmp_path)


def test_folders_that_hold_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file prob_cases in a folder named after an attack"):
        read_stored(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_stored(tmp_path / "none")


def test_listed_cases_that_are_not_there(tmp_path: Path) -> None:
    attack_folder(tmp_path / "reddit" / "dullness", 3, prob_cases_DialogRPT=[1, 7])
    found, [notice] = read_stored(tmp_path)
    assert (found[0].missing, notice.code, notice.count) == (1, "missing-case", 1)
