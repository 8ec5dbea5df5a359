"""The summaries of judges on the demo data: exact text, and at most 24 lines of 80 columns."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dialmeter.cli.demo import write_sample

from .invoke import Cli

OUTPUTS = {
    "score cases.jsonl -j overlap -j ngram-coherence": """\
overlap errs on 65.9 % of cases, a random judge on 66.3 %.
  blind to  overlap: speaker 100, repetition 100
  blind to  ngram-coherence: speaker 98
  unscored  ngram-coherence: 131 of 280, not its facet
error %      overlap  ngram-coherence  random
coherence       67.4             52.7    61.1
naturalness     68.1                     69.5
interest        55.0                     72.5
280 of 280 cases
signature  error|judge:overlap@fe55bd22d9|corpus:agenda.jsonl|attacks:7|n:240|
           data:770653ac6b|v:0.1.0
next  dialmeter find cases.jsonl attack=speaker
""",
    "compare cases.jsonl -j overlap -j distinct": """\
BETTER: distinct is better than overlap by 15.45 points of error.
  as written           -15.45  -26.58 to -4.59  better
  threshold fixed(0) †  -1.02  -17.02 to 12.72  cannot tell
  threshold noise †     -1.02  -17.02 to 12.72  cannot tell
  threshold sd †       -11.31   -22.77 to 0.65  cannot tell
  † another question; it cannot turn the verdict
  blind to  overlap: speaker 100, repetition 100
  blind to  distinct: pronoun:number 100
  unscored  distinct: 109 of 280, not its facet
error %      overlap  distinct  random
coherence       67.4              61.1
naturalness     68.1      39.2    69.5
interest        55.0      80.0    72.5
280 of 280 cases
signature  error|judge:overlap@fe55bd22d9,distinct@eb3739337a|
           corpus:agenda.jsonl|attacks:7,4|n:240,131|data:770653ac6b,76a416d18f|
           v:0.1.0
next  dialmeter find cases.jsonl attack=pronoun:number
""",
    "score ratings.jsonl -j overlap": """\
overlap agrees with people on overall: Spearman 0.489, 0.374 to 0.607.
  baseline  length alone reaches 0.474
  raters    alpha 0.657; a judge can reach about 0.923
overall  Spearman  Pearson  Kendall  interval of Spearman
overlap     0.489    0.506    0.360        0.374 to 0.607
180 of 180 items; 60 contexts
signature  Spearman|judge:overlap@fe55bd22d9|facet:overall|level:reply|
           people:mean|n:180|data:2db92b9729|v:0.1.0
next  dialmeter score ratings.jsonl --judge overlap -v
""",
    "compare ratings.jsonl -j overlap -j distinct -j length": """\
Agreement with people on overall, against overlap: lower for distinct; not told
apart for length.
  raters  alpha 0.657; a judge can reach about 0.923
minus overlap  Spearman          interval  p (Holm)  Pearson
distinct         -0.886  -1.045 to -0.725     <.001   -0.817  worse
length           -0.015   -0.156 to 0.116      .824   -0.076  cannot tell
180 of 180 items; 60 contexts
signature  Spearman|judge:overlap@fe55bd22d9|facet:overall|level:reply|
           people:mean|n:180|data:2db92b9729|v:0.1.0
""",
    "judge explain cases.jsonl -j overlap -n 2": """\
Where dullness changes words, overlap gives them 1.221 times the weight of the
human words.
weight, adversarial ÷ human  changed words  all words
entailment                           0.691      0.718
speaker                                  –      2.711
pronoun                              0.594      0.963
repetition                               –      1.154
natural-paraphrase                   0.092      0.905
dullness                             1.221      1.026
identical                                –      1.000
14 of 14 cases explained
""",
    "check cases.jsonl": """\
READY to score judges.
read as judge, cases; 280 cases, 7 attacks, 40 dialogues
signature  data:917145694c
next  dialmeter score cases.jsonl -j overlap
""",
    "check ratings.jsonl": """\
READY to score judges.
facet    items  alpha  a judge can reach
overall    180  0.657              0.923
read as judge, ratings; 180 items, 60 contexts, 3 systems
next  dialmeter score ratings.jsonl -j overlap
""",
    "find cases.jsonl attack=speaker facet=coherence -n 2": """\
dialogue
─────────────────────────────
town-7-0128:8:speaker:7ac8bd
town-7-0123:28:speaker:7b96c9
40 dialogues found, 2 shown
""",
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judges")
    write_sample(folder, force=True)
    return folder


@pytest.fixture(autouse=True)
def _in_sample(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sample)


@pytest.mark.parametrize("command", OUTPUTS)
def test_outputs(command: str, cli: Cli) -> None:
    lines = cli(*shlex.split(command)).out
    assert lines == OUTPUTS[command]
    assert len(lines.splitlines()) <= 24
    assert max(map(len, lines.splitlines())) <= 80


def test_runs_are_found_and_checked(cli: Cli, tmp_path: Path) -> None:
    run = tmp_path / "run"
    said = cli("score", "cases.jsonl", "-j", "overlap", "--out", run)
    assert f"next  dialmeter find {run}" in said.out.replace(" \\\n      ", " ")
    found = cli.json("find", run, "judge=overlap", "outcome=failed", "attack=speaker")
    assert found["found"] == 40
    assert cli.json("find", run, "judge=overlap", "outcome=right", "attack=speaker")["found"] == 0
    assert cli("check", run, "cases.jsonl").out.startswith("READY")
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"".join(Path("cases.jsonl").read_bytes().splitlines(keepends=True)[:-1]))
    assert cli("check", run, other, code=2).out.startswith("NOT READY: ")


def test_one_value(cli: Cli) -> None:
    assert cli("score", "ratings.jsonl", "-j", "overlap", "-m", "spearman[overall]", "-f", "value").out == "48.91\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("compare cases.jsonl -j distinct -j overlap --fail-if worse", 1),
        ("compare cases.jsonl -j overlap -j distinct --fail-if worse", 0),
        ("compare ratings.jsonl -j overlap -j distinct --fail-if worse", 1),
        ("compare ratings.jsonl -j overlap -j length --fail-if worse", 0),
        ("compare ratings.jsonl -j overlap -j length --fail-if unclear", 1),
        ("compare ratings.jsonl -j overlap", 2),
        ("compare cases.jsonl -j overlap", 2),
    ],
)
def test_verdicts_for_scripts(command: str, code: int, cli: Cli) -> None:
    cli(*command.split(), "--quiet", code=code)


def test_bad_cases_are_not_ready(cli: Cli, tmp_path: Path) -> None:
    lines = Path("cases.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "bad.jsonl").write_text("\n".join([*lines[:5], lines[5].replace('"lower"', '"lowest"')]), "utf-8")
    said = cli("check", tmp_path / "bad.jsonl", code=2).out
    assert "line 6: expected is 'lowest', not one of " in " ".join(said.split())
