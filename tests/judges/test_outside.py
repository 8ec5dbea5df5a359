"""Judges from other packages, results in notebooks, and the modules that commands load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dialmeter.judges.scorer import score_judge

from ..docs.test_plugins import install, run
from .made import cases, write_cases

HEAVY = ("numpy", "scipy", "rich", "jinja2", "matplotlib", "torch", "transformers", "spacy", "httpx")


def test_the_judge_of_the_page_on_plug_ins(tmp_path: Path) -> None:
    install(tmp_path)
    write_cases(tmp_path / "cases.jsonl", cases(("repetition",), 4))
    done = run(
        tmp_path, "judge", "score", str(tmp_path / "cases.jsonl"), "--judge", "signposts(words='please')", "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["scores"][0]
    assert (found["judge"], found["value"]) == ("signposts", 1.0)


def test_a_result_has_a_summary() -> None:
    result = score_judge(cases(("speaker",), 4), ["overlap"])
    assert repr(result).startswith("<JudgeResult mean error overlap 50.00, constant –, random ")
    assert repr(result).endswith("length 100.00; 4 cases, threshold paper>")
    assert "<td>overlap</td><td>speaker</td><td>town</td>" in result._repr_html_()
    polars = pytest.importorskip("polars")
    assert result.to_polars().filter(polars.col("judge") == "length")["value"].to_list() == [1.0]


@pytest.mark.parametrize("words", [["judge", "--help"], ["judge", "score", "--help"], ["judge", "explain", "--help"]])
def test_help_is_light(words: list[str]) -> None:
    code = f"from dialmeter.cli.main import cli; cli.main({words!r}, standalone_mode=False)"
    report = f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "[]"
