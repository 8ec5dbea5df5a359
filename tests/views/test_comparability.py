"""One gate for all: what `tracker compare` refuses, the report says and the viewer does not subtract."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from dialmeter.cli.main import cli
from dialmeter.core.comparability import not_comparable
from dialmeter.errors import DialmeterError
from dialmeter.judges.scorer import score_judge
from dialmeter.tracking.compare import check_comparable
from dialmeter.tracking.scoring import score_file
from dialmeter.viewer.comparing import compare_page
from dialmeter.viewer.links import Links
from dialmeter.views.content import plain_report
from dialmeter.views.html import html_report
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.scores import match

from ..shared_data import shared
from ..viewer.made import case_lines

DIALOGUES = 60


def write(file: Path, right: float, dialogues: int = DIALOGUES, other_gold: bool = False) -> Path:
    """A tracker that is right about as many turns."""
    rng = Random(5)
    lines = []
    for number in range(dialogues):
        turns = []
        for turn in range(4):
            gold = {"ferry-to": "lowick", "ferry-day": "sunday" if other_gold and number == 7 else "friday"}
            pred = {**gold} if rng.random() < right else {"ferry-to": "port ash"}
            turns.append({"turn": turn, "gold": gold, "pred": pred, "user": "", "system": ""})
        lines.append(json.dumps({"dialogue_id": f"d{number}", "turns": turns}) + "\n")
    file.write_text("".join(lines), "utf-8")
    return file


def run_of(file: Path, out: Path, *options: str) -> OpenedRun:
    words = ["score", str(file), "--out", str(out), "-q", "--set", "ci=0", *options]
    assert not cli.main(words, prog_name="dialmeter", standalone_mode=False)
    return OpenedRun(out)


def written(runs: list[OpenedRun], page: bool = True) -> dict[str, str]:
    """The report in every style."""
    texts = {style: plain_report(runs, style) for style in ("markdown", "latex")}
    return texts | ({"html": html_report(runs)} if page else {})


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> OpenedRun:
    folder = tmp_path_factory.mktemp("base")
    return run_of(write(folder / "base.jsonl", 0.2), folder / "base")


def test_same_dialogues(base: OpenedRun, tmp_path: Path) -> None:
    better = run_of(write(tmp_path / "better.jsonl", 0.8), tmp_path / "better")
    for text in written([base, better]).values():
        assert "Trackers side by side" in text
        assert "is not comparable with" not in text
    page = compare_page([base, better], {}, Links())
    assert "ot comparable" not in page
    assert re.search(r'<td class="n"><a [^>]*>\+\d', page)


@pytest.mark.parametrize(
    ("what", "options", "field"),
    [
        ({"other_gold": True}, (), "gold under the rules (data): "),
        ({"dialogues": 30}, (), "dialogues (d): 60 ≠ 30"),
        ({}, ("--rules", "trade"), "rules: dialmeter ≠ trade"),
        ({}, ("--set", "none=keep"), "none: "),
    ],
)
def test_incomparable_systems(
    base: OpenedRun, tmp_path: Path, what: dict, options: tuple[str, ...], field: str
) -> None:
    other = run_of(write(tmp_path / "other.jsonl", 0.8, **what), tmp_path / "other", *options)
    for style, text in written([base, other], page="dialogues" in what).items():
        assert "is not comparable with base" in text
        assert field in text.replace(r"\_", "_").replace("&gt;", ">").replace(r"$\neq$", "≠"), style
    page = compare_page([base, other], {"show": "better"}, Links())
    assert "Not comparable: " in page
    assert field in page
    assert not re.search(r'<td class="n[^"]*">(<a [^>]*>)?[^<]*[+−]\d', page)
    assert "▲" not in page


def test_som_dst_and_trippy_incomparable(tmp_path: Path) -> None:
    files = [shared("data", "tracking", name) for name in ("som_dst_100.json", "trippy_vectors.json.gz")]
    runs = [run_of(file, tmp_path / file.name.split(".")[0], "--measure", "JGA") for file in files]
    for text in written(runs).values():
        assert "dialogues (d): 100 ≠ 1000" in text.replace(r"$\neq$", "≠")
    assert "dialogues (d): 100 ≠ 1000" in compare_page(runs, {}, Links())


def test_commands_refuse_with_same_words(base: OpenedRun, tmp_path: Path) -> None:
    other = run_of(write(tmp_path / "other.jsonl", 0.8), tmp_path / "other", "--rules", "trade")
    line = not_comparable("tracker", base.scores[0]["signature"], other.scores[0]["signature"])
    assert line
    assert line in match(base, other).why_not
    file = str(tmp_path / "other.jsonl")
    results = {rules: score_file(file, rules=rules, measures=["JGA"]) for rules in ("dialmeter", "trade")}
    with pytest.raises(DialmeterError, match=re.escape(line)):
        check_comparable(results)


def test_judges_of_result_comparable(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(case_lines(), "utf-8")
    result = score_judge(tmp_path / "cases.jsonl", ["overlap", "distinct"])
    assert result.comparisons
    for one in result.comparisons:
        signatures = [result[name, one.attack, one.corpus].signature for name in (one.judge, one.other)]
        assert not_comparable("judge", *signatures, own={"n"}) is None
