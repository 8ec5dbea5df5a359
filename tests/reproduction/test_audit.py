"""The audit of MultiWOZ 2.1 gold that benchmarks/audit.md describes."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.invoke import call, checked
from tests.shared_data import shared

ROOT = Path(__file__).parents[2]


def test_candidates_read_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    folder, som = shared("data", "compat", "mwzeval"), shared("data", "tracking", "som_dst_100.json")
    preds = [folder / f"{name}.pred.json.gz" for name in ("damd", "labes", "uniconv")]
    words = [
        folder / "mw21.gold.json.gz",
        *preds,
        som,
        "--only",
        "common",
        "--set",
        "map=multiwoz",
        "--limit",
        "40",
        "-f",
        "json",
    ]
    found = checked(call(capsys, "study", "audit", *words), "study-audit-tracker")
    assert [each["votes"] for each in found["trackers"]] == [True, True, True, False]
    assert found["counts"]["candidates"] == 159
    with (ROOT / "benchmarks" / "audit_verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    listed = [(each["dialogue"], each["slot"], str(each["turn"]), each["kind"]) for each in found["candidates"][:40]]
    assert listed == [(row["dialogue"], row["slot"], row["turn"], row["kind"]) for row in rows]
    counts = Counter(row["verdict"] for row in rows)
    line = " | ".join(str(counts[word]) for word in ("clear error", "inconsistent", "false alarm"))
    assert f"| all | 40 | {line} | 0 |" in (ROOT / "benchmarks" / "audit.md").read_text("utf-8")
