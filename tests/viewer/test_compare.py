"""The comparison of runs: its numbers are those of the rows, its lists are what the numbers say, its order is by cost."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from dialmeter.viewer.comparing import PairList, compare_page
from dialmeter.viewer.links import Links
from dialmeter.views.pages.groups import SIDES, GroupComparison, compare_groups
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.scores import match
from dialmeter.views.pages.select import RowQuery, select

from .asking import ask

MISTAKES = ("missed", "wrong", "extra")


def rows_of(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "rows.jsonl").read_text("utf-8").splitlines()]


def at_slot(row: dict, slot: str) -> int:
    """Turns of a dialogue with a mistake at a slot: from the file alone."""
    return sum(turn["slots"].get(slot, {}).get("class") in MISTAKES for turn in row["turns"])


def by_slot(runs: list[OpenedRun]) -> GroupComparison:
    return compare_groups(runs, runs[0].kind.GROUPINGS[0], [True] * (len(runs) - 1))


@pytest.fixture(scope="module")
def pair(runs: Path) -> list[OpenedRun]:
    return [
        OpenedRun(runs / "trackers" / "own", "trackers/own"),
        OpenedRun(runs / "trackers" / "keyword", "trackers/keyword"),
    ]


def test_rates_and_rows_of_files(runs: Path, pair: list[OpenedRun]) -> None:
    first, second = (rows_of(runs / "trackers" / name) for name in ("own", "keyword"))
    turns = sum(len(row["turns"]) for row in first)
    found = by_slot(pair)
    assert found.rows == len(first)
    assert len(found.lines) > 20
    for line in found.lines:
        counts = [(at_slot(one, line.name), at_slot(two, line.name)) for one, two in zip(first, second, strict=True)]
        sums = tuple(sum(side) for side in zip(*counts, strict=True))
        assert line.mistakes == sums
        assert line.rates == pytest.approx([each / turns for each in sums])
        assert line.versus[0].difference == pytest.approx((sums[1] - sums[0]) / turns)
        assert line.rows[0]["only-second"] == sum(not one and two > 0 for one, two in counts)
        assert line.rows[0]["only-first"] == sum(one > 0 and not two for one, two in counts)
        assert line.rows[0]["both"] == sum(one > 0 and two > 0 for one, two in counts)


def test_order_and_corrected_p_values(pair: list[OpenedRun]) -> None:
    found = by_slot(pair)
    costs = [abs(line.versus[0].difference) for line in found.lines]
    assert costs == sorted(costs, reverse=True)
    assert found.tests == len(found.lines)
    assert all(line.versus[0].p <= line.versus[0].p_holm <= 1 for line in found.lines)
    smallest = min(line.versus[0].p for line in found.lines)
    holm = next(line.versus[0].p_holm for line in found.lines if line.versus[0].p == smallest)
    assert holm == pytest.approx(min(1, found.tests * smallest))


def test_only_different_slot(runs: Path) -> None:
    own, nameless = OpenedRun(runs / "trackers" / "own"), OpenedRun(runs / "nameless")
    lines = by_slot([own, nameless]).lines
    assert lines[0].name == "hotel-name"
    assert lines[0].versus[0].difference > 0
    assert {line.versus[0].difference for line in lines[1:]} == {0.0}
    assert {line.versus[0].p for line in lines[1:]} == {1.0}


@pytest.mark.parametrize("side", SIDES)
def test_list_length(pair: list[OpenedRun], side: str) -> None:
    matched = match(*pair)
    for line in by_slot(pair).lines[:8]:
        listed = PairList(matched, {"group": "slot", "name": line.name, "show": side})
        assert len(listed.order) == line.rows[0][side]
        before, after = listed.mistakes
        assert sorted(abs(after - before)[listed.order], reverse=True) == list(abs(after - before)[listed.order])


def test_lists_behind_numbers_and_reasons(site: str) -> None:
    address = "/compare?run=trackers/own&run=trackers/keyword&group=slot&name=hotel-people&show=only-second"
    text = ask(site, address).text
    size = int(re.search(r"slot hotel-people: (\d+) dialogues", text)[1])
    assert text.count("data-row") == size > 1
    linked = [
        (unescape(href), int(number))
        for href, number in re.findall(r'<td class="n"><a href="(/compare[^"]+)"[^>]*>(\d+)</a>', text)
    ]
    with_filters = [each for each in linked if {"gold", "pred"} & parse_qs(urlsplit(each[0]).query).keys()]
    assert with_filters
    for href, number in [*with_filters, *linked[:40:9]]:
        assert ask(site, href.partition("#")[0]).text.count("data-row") == number, href


def test_groups_of_users_and_judges(runs: Path) -> None:
    users = [OpenedRun(runs / name) for name in ("quiet", "noisy")]
    events = compare_groups(users, users[0].kind.GROUPINGS[0], [True])
    rows = [rows_of(runs / name) for name in ("quiet", "noisy")]
    for line in events.lines:
        for run, found in zip(rows, line.mistakes, strict=True):
            lost = [e for row in run for e in row["events"] if e["class"] == line.name and not e.get("credited")]
            assert found == len(lost)
    judges = [OpenedRun(runs / name) for name in ("jury", "jury2")]
    attacks = compare_groups(judges, judges[0].kind.GROUPINGS[0], [True])
    for line in attacks.lines:
        for name, judge, rate in zip(("jury", "jury2"), ("overlap", "distinct"), line.rates, strict=True):
            said = [row["scores"][judge]["conforms"] for row in rows_of(runs / name) if row["attack"] == line.name]
            assert rate == pytest.approx(said.count(False) / len(said))


def test_twelve_runs_and_no_more(site: str, runs: Path) -> None:
    own, nameless = OpenedRun(runs / "trackers" / "own", "own"), runs / "nameless"
    others = [OpenedRun(nameless, f"other {number}") for number in range(11)]
    text = compare_page([own, *others], {}, Links())
    assert text.count("hotel-name</a>") == 1
    assert all(f"other {number}" in text for number in range(11))
    assert "<sup>" in text or "corrected by Holm for" in text
    many = "&".join(f"run=r{number}" for number in range(13))
    answer = ask(site, f"/compare?{many}")
    assert answer.status == 404
    assert "choose 2 to 12 runs to compare, not 13" in answer.text
    assert "one run is chosen twice" in ask(site, "/compare?run=jury&run=jury").text


def test_incomparable_run(site: str) -> None:
    text = ask(site, "/compare?run=trackers/own&run=nameless&run=hostile").text
    assert "Not comparable, hostile: dialogues (d): 36 ≠ 1" in text
    [row] = re.findall(r"<tr><th scope=\"row\"><a [^>]*>hotel-name</a>.*?</tr>", text, re.DOTALL)
    assert "+8.74" in row
    assert "On the 36 dialogues" in text


def test_order_of_equal_scores(runs: Path) -> None:
    run = OpenedRun(runs / "silent")
    assert np.unique(run.columns["JGA"]).tolist() == [0.0]
    assert select(run, RowQuery(by="JGA")).positions.tolist() == [1, 2, 0]
    assert select(run, RowQuery(by="JGA", down=True)).positions.tolist() == [1, 2, 0]
