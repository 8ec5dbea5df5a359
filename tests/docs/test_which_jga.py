"""The page "Which JGA?" says what dialmeter says."""

from __future__ import annotations

import re
from pathlib import Path

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.tracking.rule_sets.explain_rules import FlippedSlot, UnderRules, explain
from dialmeter.tracking.rule_sets.rules import named, names
from dialmeter.tracking.scoring import score_file

PAGE = (Path(__file__).parents[2] / "docs" / "which-jga.md").read_text("utf-8").partition("\n## ")[0]
COLUMNS = re.findall(r'^{"dialogue_id": "([^"]+)"', PAGE, re.MULTILINE)


def written(tmp_path: Path) -> Path:
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block
    path = tmp_path / "turns.jsonl"
    path.write_text(block[1], "utf-8")
    return path


def explained(path: Path) -> dict[str, UnderRules]:
    words = Vocabulary()
    return {each.rules: each for each in explain(open_corpus(path).numbered(words), words)}


def rows() -> dict[str, list[str]]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")
    ]
    return {row[0]: row[1:] for row in cells[2:]}


def test_table_of_rule_sets() -> None:
    assert sorted(rows()) == sorted(names())
    assert {len(row) for row in rows().values()} == {len(COLUMNS) + 1}


def test_every_verdict_and_every_value(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = explained(path)
    assert found["dialmeter"].right_turns == len(COLUMNS)
    for name, (*verdicts, value) in rows().items():
        each = found[name]
        if each.reason:
            assert {*verdicts, value} == {"–"}, name
            continue
        flipped = {flip.dialogue for flip in each.flips}
        assert ["wrong" if column in flipped else "right" for column in COLUMNS] == verdicts, name
        assert f"{100 * (each.value or 0):.2f}" == value, name
        assert score_file(str(path), measures=[named(name).headline], rules=name).value == each.value


def test_flips_name_rule_and_slot(tmp_path: Path) -> None:
    flips = {(name, flip.dialogue): flip for name, each in explained(written(tmp_path)).items() for flip in each.flips}
    assert flips["trade", "1-capital"].because == ("values=as-is",)
    assert flips["trade", "1-capital"].slots == (FlippedSlot("inn-area", "East", "east"),)
    assert flips["convlab3-t5", "2-none"].because == ("none=empty",)
    assert flips["convlab3-t5", "2-none"].slots == (FlippedSlot("ferry-day", None, "none"),)
    assert flips["convlab3-t5", "3-either"].because == ("alternatives=first",)
    assert flips["mwzeval", "4-blank"].because == ("values=mwzeval",)
    assert flips["fga-repo", "5-gold-none"].because == ("none=keep",)
    assert flips["trade", "6-name"].because == ("names=as-is",)
    assert [slot.slot for slot in flips["trade", "6-name"].slots] == ["inn-book day", "inn-day"]
