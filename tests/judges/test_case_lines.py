"""Files of cases and files of scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.ask import ScorePair
from dialmeter.judges.case_files import read_cases, read_scores
from dialmeter.judges.cases import case_id

from .made import cases, write_cases


def test_written_cases_can_be_read(tmp_path: Path) -> None:
    write_cases(tmp_path / "c.jsonl", cases())
    assert read_cases(tmp_path / "c.jsonl") == cases()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no cases"),
        ("{}", "line 1: not a case: Object missing required field attack"),
        ("not json", "line 1: not valid JSON: Expecting value (column 1)"),
    ],
)
def test_files_that_hold_no_cases(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(text)
    with pytest.raises(InputError) as raised:
        read_cases(tmp_path / "c.jsonl")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"expected":"lower"', '"expected":"worse"', "expected is 'worse', not one of lower, similar, at-most"),
        ('"facet":"coherence"', '"facet":"taste"', "facet is 'taste'"),
        ('"context":[', '"context":[], "rest": [', "a case needs a context"),
    ],
)
def test_cases_that_are_not_right(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_cases(path, cases(("speaker",), 1))
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError) as raised:
        read_cases(path)
    assert f"line 1: {message}" in str(raised.value)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_cases(tmp_path / "none.jsonl")


def test_scores_by_number_and_by_id(tmp_path: Path) -> None:
    made = cases(("speaker",), 4)
    path = tmp_path / "s.csv"
    path.write_text(f"case, human, adversarial\n2, 0.5, 0.25\n{case_id(made[3])}, 1e3,\n")
    assert read_scores(path, made) == [
        ScorePair(None, None),
        ScorePair(0.5, 0.25),
        ScorePair(None, None),
        ScorePair(1000.0, None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,human\n", "line 1: no column 'adversarial'"),
        ("case,human,adversarial\n9,1,2\n", "line 2: case '9' is not in the file of cases"),
        ("case,human,adversarial\n1,1,2\n1,1,2\n", "line 3: duplicate case '1'"),
        ("case,human,adversarial\n1,high,2\n", "line 2: human: expected a number, found 'high'"),
        ("case,human,adversarial\n1,1,nan\n", "line 2: adversarial: expected a number, found 'nan'"),
    ],
)
def test_scores_that_are_not_right(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError) as raised:
        read_scores(tmp_path / "s.csv", cases(("speaker",), 4))
    assert message in str(raised.value)
