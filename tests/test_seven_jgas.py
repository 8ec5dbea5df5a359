"""The page "Seven JGAs" says what dialmeter says."""

from __future__ import annotations

import re
from pathlib import Path

from dialmeter.formats import open_corpus
from dialmeter.formats.pairs.vocabulary import Vocabulary
from dialmeter.rules import named, names
from dialmeter.tracking.explain_rules import UnderRules, explain
from dialmeter.tracking.scorer import score_file

PAGE = (Path(__file__).parents[1] / "docs" / "seven-jgas.md").read_text("utf-8")
COLUMNS = ["1-capital", "2-none", "3-either", "4-blank", "5-gold-none"]


def written(tmp_path: Path) -> Path:
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block
    path = tmp_path / "five.jsonl"
    path.write_text(block[1], "utf-8")
    return path


def explained(path: Path) -> list[UnderRules]:
    words = Vocabulary()
    return explain(open_corpus(path).numbered(words), words)


def rows() -> dict[str, list[str]]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")
    ]
    return {row[0]: row[1:] for row in cells[2:]}


def test_the_table_names_every_rule_set() -> None:
    assert sorted(rows()) == sorted(names())


def test_every_verdict_and_every_value(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = {each.rules: each for each in explained(path)}
    base_right = set(COLUMNS)
    assert found["dialmeter"].right_turns == len(COLUMNS)
    for name, (*verdicts, value) in rows().items():
        flipped = {flip.dialogue for flip in found[name].flips}
        right = base_right - flipped
        assert ["right" if column in right else "wrong" for column in COLUMNS] == verdicts, name
        assert f"{100 * (found[name].value or 0):.2f}" == value, name
        assert score_file(str(path), measures=[named(name).headline], rules=name).value == found[name].value


def test_seven_different_numbers() -> None:
    assert len({row[-1] for row in rows().values()}) == 7


def test_every_flip_names_its_rule(tmp_path: Path) -> None:
    reasons = {
        (each.rules, flip.dialogue): flip.because for each in explained(written(tmp_path)) for flip in each.flips
    }
    assert reasons["trade", "1-capital"] == ("values=as-is",)
    assert reasons["convlab3-t5", "2-none"] == ("none=blank",)
    assert reasons["trade", "3-either"] == ("alternatives=literal",)
    assert reasons["mwzeval", "4-blank"] == ("values=trim+lower",)
    assert reasons["fga-repo", "5-gold-none"] == ("none=keep",)
