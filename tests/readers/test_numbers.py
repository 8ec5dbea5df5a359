"""Numbers in files: one number in two spellings gives a warning, and a number that is too large is an error everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.scoring import score_file

from ..cli.invoke import Cli
from .states.layouts import LAYOUTS, OF_ONE_TURN, OF_TEXT, WITHOUT_DELETIONS
from .states.test_same_everywhere import corpus_for, files_of

ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}


def written(path: Path, *turns: tuple[object, object]) -> Path:
    states = [
        {"turn": number, "gold": {"hotel-stars": gold}, "pred": {"hotel-stars": pred}}
        for number, (gold, pred) in enumerate(turns)
    ]
    path.write_text(json.dumps({"dialogue_id": "d1", "turns": states}) + "\n")
    return path


def test_one_number_in_two_spellings_is_a_warning(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", (4, 4.0), (4, "4.0"), (4, 4), ("3", "5"), ("four", "4"))
    said = cli("tracker", "score", file, "--rules", "fga-repo", "--json")
    [found] = [each for each in said.json["warnings"] if each["code"] == "same-number"]
    assert found["count"] == 2
    assert found["where"] == ["hotel-stars: gold 4, predicted 4.0"]
    assert "write numbers the same way in both files, or use --values tidy" in found["message"]
    assert f"warning: {found['message']}" in said.err


def test_the_fix_of_the_warning_helps(tmp_path: Path) -> None:
    from dialmeter.tracking.rule_sets.rules import change, named

    file = written(tmp_path / "p.jsonl", (4, 4.0), (4, "4.0"))
    assert [each.code for each in score_file(str(file), rules=named("fga-repo")).notices].count("same-number") == 1
    mended = score_file(str(file), measures=["JGA"], rules=change(named("fga-repo"), values="tidy"))
    assert "same-number" not in [each.code for each in mended.notices]
    assert mended.scores[0].value == 1


def test_values_that_are_no_numbers_are_no_warning(tmp_path: Path) -> None:
    file = written(tmp_path / "p.jsonl", ("4", "5"), ("nan", "NaN "), ("1_0", "10"), ("x", "y"), ("inf", "infinity"))
    found = score_file(str(file), rules="fga-repo")
    assert "same-number" not in [each.code for each in found.notices]


@pytest.mark.parametrize("number", ["1e400", "-3e999"])
@pytest.mark.parametrize("layout", [name for name in ALL if "." not in name and name not in OF_TEXT])
def test_too_large_a_number_in_every_format(layout: str, number: str, tmp_path: Path) -> None:
    made = ALL[layout](tmp_path, corpus_for(layout)[:3])
    for path, format in files_of(made):
        part = path / "dialogues_001.json" if path.is_dir() else path
        text = part.read_text("utf-8")
        at = text.index("{")
        part.write_text(f'{text[: at + 1]}"x_0": {number}, {text[at + 1 :]}', "utf-8")
        with pytest.raises(InputError, match=f"{number} is too large a number"):
            list(open_corpus(path, format=format))


NATIVE = '{"dialogue_id": "d", "turns": [{"turn": 0, "gold": {"a-b": %s}, "pred": {}}]}\n'
NESTED = '{"d": {"0": {"gt": {"a": {"b": %s}}, "pr": {}}}}'


@pytest.mark.parametrize("number", ["1e400", "-1E999", "[1e400]"])
@pytest.mark.parametrize(("layout", "place"), [(NATIVE, "line 1"), (NESTED, "dialogue d")])
def test_refused(tmp_path: Path, layout: str, place: str, number: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(layout.replace("%s", number), "utf-8")
    with pytest.raises(InputError, match=rf"file.json: {place}: {number.strip('[]')} is too large a number"):
        list(open_corpus(path))


def test_large_ones_that_are_none_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(NATIVE % "1e300", "utf-8")
    [found] = open_corpus(path)
    assert found.turns[0].gold == {"a-b": "1e+300"}
