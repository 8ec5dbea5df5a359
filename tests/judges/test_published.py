"""The stored folders of the paper on attacks: an invented folder, because the real one may not be distributed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.case_files import PUBLISHED_NAMES

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    from published_judges import ATTACKS, DATA, METRICS, PRINTED, main, published_cells, read_stored, table_name
finally:
    sys.path.pop(0)


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
    paraphrase = cells["Pang-C", "Reddit", "unnatural-paraphrase"]
    assert paraphrase.value == paraphrase.printed == 0.15
    entities = cells["DialogRPT", "DDial", "named-entity"]
    assert (entities.value, entities.reason) == (None, "several files differ")
    assert entities.candidates == {
        "dailydialog/ner-0/prob_cases_DialogRPT": 0.45,
        "dailydialog/ner-1/prob_cases_DialogRPT": 0.30,
    }
    assert cells["WBERT", "MultiWOz", "speaker"].reason == "no file"


def test_cases_that_change_nothing_are_not_counted(stored: Path) -> None:
    found, _ = read_stored(stored)
    cells = {(cell.metric, cell.data, cell.attack): cell for cell in published_cells(found)}
    # Ten of 78 failing cases, and 20 of all 100, change nothing.
    contradiction = cells["DialogRPT", "DDial", "contradiction"]
    assert (contradiction.value, contradiction.is_exact) == (68 / 80, True)
    # A quarter of 400 cases changes nothing, and which 100 of them were drawn is not known.
    paraphrase = cells["Pang-C", "Reddit", "unnatural-paraphrase"]
    assert (paraphrase.value, paraphrase.is_exact) == (5 / 75, False)
    # All cases of a folder change nothing.
    repetition = cells["Pang-C", "Reddit", "repetition"]
    assert (repetition.value, repetition.reason) == (None, "no case changes anything")
    # A file of dullness on Reddit is there, and its metric is not known.
    assert cells["Pang-L", "Reddit", "dullness"].reason == "not recognised"
    assert cells["Pang-L", "DDial", "dullness"].reason == cells["Pang-L", "Reddit", "speaker"].reason == "no file"


def test_the_script(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(stored), "--keep-no-ops"]) == 0
    said = capsys.readouterr()
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
    assert "1 files are not recognised" in said.err
    [file] = [line for line in said.out.splitlines() if line.startswith("reddit/dullness/")]
    assert file.split()[1:4] == ["not", "recognised", "Reddit"]
    assert main([str(stored), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (len(found["files"]), len(found["scores"])) == (6, 144)
    assert sum(cell["value"] is not None for cell in found["scores"]) == 2
    assert main([str(stored)]) == 0
    assert "~0.07 (0.15)" in capsys.readouterr().out


def test_names_that_folders_do_not_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attack_folder(tmp_path / "stored" / "dullness", 10, prob_cases=[1, 2])
    names = ["--metric", "Pang-L", "--data", "PerCh"]
    assert main([str(tmp_path / "stored"), *names, "--keep-no-ops", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["scores"]
    assert [(each["metric"], each["attack"], each["value"]) for each in cells if each["candidates"]] == [
        ("Pang-L", "dullness", 0.02)
    ]


@pytest.mark.parametrize(
    ("folder", "file", "metric", "data"),
    [
        ("multiwoz/test_conversations", "prob_cases_satisfaction-bert", "WBERT", "MultiWOz"),
        ("multiwoz/test_conversations", "prob_cases_satisfaction-bert-unw", "UWBERT", "MultiWOz"),
        ("multiwoz/test_conversations", "prob_cases_satisfaction-hgru", "WHiGRU", "MultiWOz"),
        ("daily_dialogue/test_conversations", "prob_cases_DialogRPT", "DialogRPT", "DDial"),
        ("DialogRPT/data/test_conversations", "prob_cases", "DialogRPT", "Reddit"),
        ("DialogRPT/data/test_conversations", "prob_cases_pang-c", "Pang-C", "Reddit"),
        ("daily_dialogue/DialogRPT", "prob_cases", "DialogRPT", "DDial"),
    ],
)
def test_names_of_the_authors(folder: str, file: str, metric: str, data: str, tmp_path: Path) -> None:
    attack_folder(tmp_path / folder / "dullness", 3, **{file: [1]})
    [found], notices = read_stored(tmp_path)
    assert (found.metric, found.data, notices) == (metric, data, [])


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


def test_folders_and_cases_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file prob_cases in a folder named after an attack"):
        read_stored(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_stored(tmp_path / "none")
    assert main([str(tmp_path / "none")]) == 2
    attack_folder(tmp_path / "reddit" / "dullness", 3, prob_cases_DialogRPT=[1, 7])
    found, [notice] = read_stored(tmp_path)
    assert (found[0].missing, notice.code, notice.count) == (1, "missing-case", 1)
