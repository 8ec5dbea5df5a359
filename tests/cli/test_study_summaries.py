"""What studies print first on the sample files: a true verdict in plain words, at most 24 lines of 80 columns, and a command that works."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.cli.demo import write_sample

from .invoke import Cli

VERDICTS = {
    "study rules base.jsonl": "JGA is 43.60 under dialmeter and 47.93 under mwzeval: 4.32 points hang on the rule set.",
    "study rules base.jsonl --rules dialmeter --rules trade": "JGA is 43.60 under all 2 rule sets.",
    "study bias base.jsonl": "Whether GCA depends less than FGA(lam=0.5) on where mistakes are DEPENDS on the trait",
    "study bias base.jsonl -m JGA": "JGA depends on where mistakes are.",
    "study bias base.jsonl new.jsonl": "Whether GCA depends less than FGA(lam=0.5) on where mistakes are DEPENDS",
    "study curve shares": "JGA grows with more training data: +24.43 per tenfold training data, 14.45 to 34.40.",
    "study curve shares/ratio_1_seed_1.jsonl": "JGA is 60.50 with one share of training data, so there is no trend.",
    "study people new.jsonl --sheet tracker-ratings.csv": (
        "JGA agrees best with people: Pearson 0.698, 0.540 to 0.809; not shown to be more than FGA(lam=0.5)."
    ),
    "study people new.jsonl --make-sheet people.html": "100 dialogues in people.html. Give a copy to each person",
    "study people cases.jsonl --make-sheet cases.csv -n 9": "9 cases in cases.csv. Give a copy to each person",
    "study audit gold.jsonl base.jsonl new.jsonl": "112 values of gold may be wrong; people must decide.",
    "study audit gold.jsonl base.jsonl": "values of gold may be wrong; people must decide. With one tracker, most are its own",
    "study audit agenda.jsonl --set profile=town": "In 36 turns, text and acts do not agree; people must decide which is wrong.",
    "study distance agenda.jsonl forgetful.jsonl --set profile=town": "forgetful differs from agenda in 9 of 11 properties.",
    "study distance agenda.jsonl agenda2.jsonl --set profile=town": "CANNOT TELL whether agenda2 differs from agenda: no",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, force=True)
    (folder / "agenda2.jsonl").write_bytes((folder / "agenda.jsonl").read_bytes())
    return folder


@pytest.fixture
def sample(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    return files


def fill(sheet: str, column: str, words: Sequence[str], folder: Path) -> None:
    """Fill the sheet that a command wrote, as a person would."""
    with (folder / sheet).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / sheet).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, column: words[number % len(words)]} for number, row in enumerate(rows))


def next_command(out: str) -> list[str]:
    """Return the words of the next command in a summary, after ``dialmeter``."""
    text = out.rpartition("\nnext  ")[2].replace("\\\n", " ")
    words = shlex.split(text)
    assert words[0] == "dialmeter"
    return words[1:]


@pytest.mark.parametrize("command", VERDICTS)
def test_verdict(command: str, sample: Path, cli: Cli) -> None:
    out = cli(*command.split(), "-q").out
    assert VERDICTS[command] in " ".join(out.split("\n"))
    lines = out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    if lines[-1].startswith(("next", "      ")) and "--make-sheet" not in command:
        words = next_command(out)
        cli(*words, "-q", *(["--force"] if {"-o", "--make-sheet"} & set(words) else []))


def test_from_audit_to_patch(sample: Path, cli: Cli) -> None:
    first = cli("study", "audit", "gold.jsonl", "base.jsonl", "new.jsonl", "--make-sheet", "sheet.csv", "-q").out
    assert "102 candidates in sheet.csv" in first
    fill("sheet.csv", "verdict", ["wrong", "right"], sample)
    second = cli(*next_command(first), "-q").out
    assert second.startswith("patch.json corrects ")
    assert "51 wrong, 51 right" in second
    words = [word.replace("FILE", "base.jsonl") for word in next_command(second)]
    assert "|patch:" in cli(*words, "-q", "--gold", "gold.jsonl").out


def test_from_sheet_to_agreement(sample: Path, cli: Cli) -> None:
    first = cli("study", "people", "new.jsonl", "--make-sheet", "rated.csv", "-n", "30", "-q").out
    fill("rated.csv", "rating", "12345", sample)
    assert "30 of 200 dialogues rated by 1 person" in cli(*next_command(first), "-q").out
    first = cli("study", "people", "cases.jsonl", "--make-sheet", "all.csv", "-q").out
    fill("all.csv", "verdict", ["valid", "weak"], sample)
    assert cli(*next_command(first), "-q").out.startswith("50.00 % of 280 verdicts say that the case is valid")
