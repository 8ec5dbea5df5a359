"""Every figure of expected/tracking.json that rests on nested files, constructed edge cases, and TripPy's vectors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.baselines import gold_against_itself
from dialmeter.tracking.pairs import Normaliser
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file

SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).parents[3] / "shared"))
EXPECTED_FILE = SHARED / "expected" / "tracking.json"
EXPECTED: dict[str, Any] = json.loads(EXPECTED_FILE.read_text()) if EXPECTED_FILE.exists() else {}

pytestmark = pytest.mark.skipif(
    not EXPECTED, reason=f"published figures are not here: {EXPECTED_FILE} (set DIALMETER_SHARED)"
)

# The names that the figures go by, where they differ from dialmeter's.
NAMES = {
    "SA": "SA(slots=30)",
    "FGA_0.25": "FGA(lam=0.25)",
    "FGA_0.5": "FGA(lam=0.5)",
    "FGA_0.75": "FGA(lam=0.75)",
    "FGA_1.0": "FGA(lam=1)",
    "FGA(lam=1.0)": "FGA(lam=1)",
    "GCA(average=dialogue), an unchanged dialogue counts 0": "GCA(average=dialogue)",
}
COUNTS = {
    "M": "missed",
    "W": "wrong",
    "O": "extra",
    "C": "correct",
    "local_turns": "local_turns",
    "exact_turns": "exact_turns",
}
ALL = [
    "JGA", "SA(slots=30)", "AGA", "IAGA", "RSA", "RSA(empty=skip)", "FGA(lam=0.25)", "FGA(lam=0.5)", "FGA(lam=0.75)",
    "FGA(lam=1)", "GCA", "VP", "VR", "LP", "LR", "SlotPrecision", "SlotRecall", "SlotF1", "JointF1", "FinalJGA",
    "DialogueAccuracy", "JGA(average=dialogue)", "GCA(average=dialogue)", "GCA(alpha=0.9)",
]  # fmt: skip

BLOCKS = [
    (name, rules)
    for name, block in EXPECTED.items()
    if isinstance(block, dict)
    for rules in ("dialmeter", "gca-repo", "fga-repo")
    if rules in block
]
NESTED = sorted({name for name, _ in BLOCKS if "input" not in EXPECTED[name]})


def close(value: float | None, published: float) -> bool:
    """Equal to two decimals of a percentage; a dialogue set without any right change is published as 0."""
    return abs(round(100 * (value or 0.0), 2) - published) < 0.0051


def path_of(name: str, folder: Path) -> str:
    if "input" not in EXPECTED[name]:
        return str(SHARED / name)
    path = folder / "edge.json"
    path.write_text(json.dumps(EXPECTED[name]["input"]))
    return str(path)


@pytest.mark.parametrize(("name", "rules"), BLOCKS)
def test_every_figure_of_block(name: str, rules: str, tmp_path: Path) -> None:
    path = path_of(name, tmp_path)
    result = score_file(path, measures=ALL, rules=rules, by=["domain"])
    checked = 0
    for figure, published in EXPECTED[name][rules].items():
        checked += check_figure(figure, published, result, path, rules)
    assert checked == len(EXPECTED[name][rules])


def check_figure(figure: str, published: Any, result: TrackerResult, path: str, rules: str) -> bool:
    """Checks one figure; every kind of figure in the file must be known here."""
    counts = result.counts
    if figure in COUNTS:
        assert counts[COUNTS[figure]] == published, figure
    elif figure == "P":
        assert counts["correct"] + counts["wrong"] + counts["extra"] == published
    elif figure == "G":
        assert counts["correct"] + counts["wrong"] + counts["missed"] == published
    elif figure == "gold against gold, GCA":
        assert close(self_score(path, rules), published)
    elif figure == "JGA per domain, turns=active":
        found = {score.group["domain"]: score for score in result.by("domain") if score.measure == "JGA"}
        active = {domain: score for domain, score in found.items() if score.n}
        assert {domain: block["turns"] for domain, block in published.items()} == {d: s.n for d, s in active.items()}
        assert all(close(active[domain].value, block["JGA"]) for domain, block in published.items())
    elif figure == "JGA by turn (turn, dialogues, JGA), first ten":
        found_turns = [score for score in result.by("turn") if score.measure == "JGA"][:10]
        assert [(score.group["turn"], score.n) for score in found_turns] == [(turn, n) for turn, n, _ in published]
        assert all(close(score.value, jga) for score, (_, _, jga) in zip(found_turns, published, strict=True))
    elif figure == "FGA(lam=0.5) per turn, fractions":
        assert per_turn(result, "FGA(lam=0.5)") == pytest.approx(published, abs=1e-6)
    else:
        assert close(result[NAMES.get(figure, figure)].value, published), figure
    return True


def self_score(path: str, rules: str) -> float | None:
    scorer = TrackerScorer(["GCA"], rules)
    normaliser = Normaliser(named(rules))
    for dialogue in open_corpus(path):
        scorer.add_dialogue(gold_against_itself(dialogue, normaliser))
    return scorer.result().value


def per_turn(result: TrackerResult, measure: str) -> list[float]:
    used = next(asked.used for asked in result.measures if asked.text == measure)
    tally_table = result.measure_columns.tally_table_for(used)
    return [used.from_tally(tally_table.table[row])[0] for row in tally_table.rows]


@pytest.mark.parametrize("name", NESTED)
def test_size_and_exact_turns(name: str) -> None:
    counts = score_file(str(SHARED / name)).counts
    assert {key: counts[key] for key in ("dialogues", "turns", "exact_turns")} == {
        key: EXPECTED[name][key] for key in ("dialogues", "turns", "exact_turns")
    }


BY_CODE = "FGA(lam=0.5, local=code) per turn, fractions"


@pytest.mark.parametrize("name", [name for name, block in EXPECTED.items() if BY_CODE in block])
def test_fga_by_published_code(name: str, tmp_path: Path) -> None:
    measure = "FGA(lam=0.5, local=code)"
    found = per_turn(score_file(path_of(name, tmp_path), measures=[measure]), measure)
    assert found == pytest.approx(EXPECTED[name][BY_CODE], abs=1e-6)


@pytest.mark.parametrize(("name", "published"), EXPECTED.get("GCA(deletions=count)", {}).items())
def test_deletions_counted(name: str, published: float) -> None:
    assert close(score_file(str(SHARED / name), measures=["GCA(deletions=count)"]).value, published)


def test_worked_example_of_fga_paper() -> None:
    path = str(SHARED / "data/tracking/nested/poc__poc_result4.json")
    result = score_file(path, measures=["JGA", "SA(slots=30)", "AGA", "FGA(lam=0.5)"])
    assert [round(100 * (score.value or 0), 2) for score in result.scores[:3]] == [33.33, 94.44, 76.19]
    assert per_turn(result, "FGA(lam=0.5)") == pytest.approx([1, 1, 0, 0.39, 0, 0.39], abs=0.005)


def test_trippy_vectors() -> None:
    key = "data/tracking/trippy_vectors.json.gz, without dialogue PMUL1455.json"
    published = EXPECTED[key]["FGA local=vector, SA(slots=30)"]
    measures = ["JGA", "SA(slots=30)", *(f"FGA(lam={lam})" for lam in (0.25, 0.5, 0.75, 1))]
    scorer = TrackerScorer(measures, correctness_only=True)
    for dialogue in open_corpus(SHARED / "data/tracking/trippy_vectors.json.gz"):
        if dialogue.id != "PMUL1455.json":
            scorer.add_dialogue(dialogue)
    result = scorer.result()
    assert {key: result.counts[key] for key in ("turns", "exact_turns", "local_turns")} == {
        key: published[key] for key in ("turns", "exact_turns", "local_turns")
    }
    for figure in ("JGA", "SA", "FGA_0.25", "FGA_0.5", "FGA_0.75", "FGA_1.0"):
        assert close(result[NAMES.get(figure, figure)].value, published[figure]), figure


def test_sheet_is_one_dialogue() -> None:
    sheet = score_file(str(SHARED / "data/tracking/fga_text_MUL0144.txt"))
    whole = score_file(str(SHARED / "data/tracking/som_dst_100.json"), only=frozenset({"mul0144"}))
    assert sheet.data == whole.data
    assert [score.value for score in sheet.scores] == [score.value for score in whole.scores]
