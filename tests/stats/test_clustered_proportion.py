"""Proportions over cases that share dialogues: coverage, published figures, and error rates of judges."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from msgspec.structs import replace

from dialmeter.judges.cases import Place
from dialmeter.judges.scorer import score_judge
from dialmeter.stats.intervals import ONE_DIALOGUE, SAME_SHARES, Interval, clustered_proportion, wilson_interval

from ..judges.made import cases
from ..shared_data import shared


def test_coverage_of_ten_dialogues() -> None:
    """Error rate .3, intraclass correlation .25. Wilson's interval over cases covers 86 % here."""
    rate, runs = 0.3, 1500
    generator = np.random.Generator(np.random.PCG64(7))
    shares = generator.beta(rate * 3, (1 - rate) * 3, (runs, 10))
    errors = generator.binomial(3, shares)
    found = [clustered_proportion((int(each), 3) for each in row) for row in errors]
    covered = [each.low <= rate <= each.high for each in found if each.low is not None and each.high is not None]
    over_cases = [wilson_interval(int(each), 30) for each in errors.sum(axis=1)]
    assert len(covered) > 0.99 * runs
    assert np.mean([low <= rate <= high for low, high in over_cases]) < 0.89
    assert np.mean(covered) > 0.93


@pytest.mark.parametrize(
    ("clusters", "interval", "reason"),
    [
        ([(1, 1), (0, 1), (0, 1)], wilson_interval(1, 3), None),
        ([(0, 3), (0, 3)], wilson_interval(0, 2), None),
        ([(3, 3), (5, 5)], wilson_interval(2, 2), None),
        ([(1, 3)], None, ONE_DIALOGUE),
        ([(1, 3), (2, 6)], None, SAME_SHARES),
        ([(1, 2), (1, 2), (2, 3), (1, 2)], wilson_interval(5, 9), None),
        ([], None, None),
    ],
)
def test_special_cases(
    clusters: list[tuple[int, int]], interval: tuple[float, float] | None, reason: str | None
) -> None:
    found = clustered_proportion(clusters)
    assert found.ci == (None if interval is None else pytest.approx(interval, abs=1e-12))
    assert found.reason == reason
    assert clustered_proportion(clusters, confidence=0).ci is None


def majority(ratings: Iterable[str]) -> bool | None:
    counts = Counter(ratings)
    return None if counts["pass"] == counts["fail"] else counts["pass"] > counts["fail"]


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_figures_of_certificate(judge: str) -> None:
    expected = json.loads(shared("expected", "certificate.json").read_bytes())["passfail"][judge]["figures"]
    lines = gzip.decompress(shared("data", "certificate", "passfail.jsonl.gz").read_bytes()).splitlines()
    verdicts = [
        (row["group"], people, bool(row["scores"][judge]))
        for row in map(json.loads, lines)
        if (people := majority(row.get("ratings", {}).get("solved", {}).values())) is not None
    ]

    def proportion(units: Iterable[tuple[str, bool]]) -> Interval:
        counts: dict[str, list[bool]] = {}
        for group, each in units:
            counts.setdefault(group, []).append(each)
        return clustered_proportion((sum(each), len(each)) for each in counts.values())

    found = {
        "accuracy": proportion((group, people == own) for group, people, own in verdicts),
        "sensitivity": proportion((group, own) for group, people, own in verdicts if people),
        "specificity": proportion((group, not own) for group, people, own in verdicts if not people),
        "precision": proportion((group, people) for group, people, own in verdicts if own),
        "npv": proportion((group, not people) for group, people, own in verdicts if not own),
        "pass_rate_people": proportion((group, people) for group, people, _ in verdicts),
        "pass_rate_judge": proportion((group, own) for group, _, own in verdicts),
    }
    for name, each in found.items():
        assert each.value == pytest.approx(expected[name]["value"], abs=1e-6), name
        assert each.ci == pytest.approx(expected[name]["ci95"], abs=1e-6), name


def test_error_rates_by_dialogue() -> None:
    made = cases(("speaker",), 12)
    shared_dialogues = [replace(case, source=Place(f"d{number // 4}", 2)) for number, case in enumerate(made)]
    alone, together = (
        score_judge(each, ["random"], threshold="fixed=0")["random", "speaker"] for each in (made, shared_dialogues)
    )
    assert alone.value == together.value
    assert alone.ci == pytest.approx(wilson_interval(round(12 * (alone.value or 0)), 12))
    by_dialogue = [[not each.conforms for each in together.outcomes[first : first + 4]] for first in (0, 4, 8)]
    assert together.ci == clustered_proportion((sum(each), 4) for each in by_dialogue).ci != alone.ci


def test_single_dialogue_no_interval() -> None:
    made = [replace(case, source=Place("d", number)) for number, case in enumerate(cases(("speaker",), 12))]
    score = score_judge(made, ["random"], threshold="fixed=0")["random", "speaker"]
    assert score.value not in (None, 0, 1)
    assert (score.ci, score.ci_reason) == (None, ONE_DIALOGUE)
