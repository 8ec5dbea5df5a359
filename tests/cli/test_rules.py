"""``tracker rules`` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.rules import names

from .invoke import call
from .samples import native_lines, written

TURNS = [
    {"gold": {"hotel-name": "The Gables"}, "pred": {"hotel-name": "the gables"}},
    {"gold": {"hotel-name": "The Gables"}, "pred": {"hotel-name": "The Gables", "pub-area": "east"}},
    {"gold": {"hotel-name": "The Gables"}, "pred": {"hotel-name": "The Gables", "hotel-stars": "none"}},
]

TEXT = """\
rules        JGA  right turns  flips  because of
─────────  ─────  ───────────  ─────  ────────────────────────────────────────
dialmeter  66.67       2 of 3      0
trade      33.33       1 of 3      1  values=as-is (1)
convlab3   66.67       2 of 3      2  extra=ignore-domains (1), none=blank (1)

trade: dialogue d1, turn 0 becomes wrong (it is not under dialmeter)
  because of values=as-is
convlab3: dialogue d1, turn 1 becomes right (it is not under dialmeter)
  because of extra=ignore-domains
convlab3: dialogue d1, turn 2 becomes wrong (it is not under dialmeter)
  because of none=blank
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three turns that rule sets see in different ways."""
    return written(tmp_path / "p.jsonl", native_lines({"d1": TURNS}))


def test_the_table_and_the_flips(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rules", "dialmeter", "--rules", "trade", "--rules", "convlab3"]
    said = call(capsys, "tracker", "rules", file, *words)
    assert said.code == 0
    assert said.out == TEXT


def test_every_rule_set_the_default_first(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, "tracker", "rules", file, "--json").json
    assert [score["rules"] for score in found["scores"]] == list(names())


def test_the_first_named_is_the_base(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, "tracker", "rules", file, "--rules", "trade", "--rules", "dialmeter", "--json").json
    assert list(found["flips"]) == ["dialmeter"]
    assert found["flips"]["dialmeter"] == [
        {"dialogue": "d1", "turn": 0, "right": True, "because": ["values=trim+blanks+lower"]}
    ]


def test_how_many_flips_are_listed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tracker", "rules", file, "--rules", "dialmeter", "--rules", "convlab3", "--flips"]
    assert "becomes" not in call(capsys, *words, "0").out
    out = call(capsys, *words, "1").out
    assert out.count("becomes") == 1
    assert "… and 1 more" in out


def test_a_rule_file_beside_named_sets(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = written(
        tmp_path / "mine.toml",
        'values = ["lower"]\nnone = []\ndontcare = "keep"\nextra = "ignore-slots"\nalternatives = "literal"\n'
        'match = "exact"\nmissing = "error"\nstate = "cumulative"\n',
    )
    found = call(capsys, "tracker", "rules", file, "--rules", "dialmeter", "--rules", str(mine), "--json").json
    assert [(score["rules"], score["value"]) for score in found["scores"]] == [("dialmeter", 2 / 3), ("mine", 1)]


def test_rules_make_no_difference_without_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "tracker", "rules", written(tmp_path / "v.json", '{"d1": {"0": [1, 0]}}'))
    assert said.code == 2
    assert "no values" in said.complaint


@pytest.mark.parametrize("style", ["markdown", "latex", "csv"])
def test_other_styles_are_the_table_alone(style: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "tracker", "rules", file, "--as", style)
    assert said.code == 0
    assert "66.67" in said.out
    assert "becomes" not in said.out
