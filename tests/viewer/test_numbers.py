"""Counts on pages are those of the rows: bars, filters, order, ranges, comparisons."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from dialmeter.views.charts import data
from dialmeter.views.pages.opened import Opened
from dialmeter.views.pages.scores import side_by_side
from dialmeter.views.pages.select import RowQuery, parse_query, select

from .asking import ask


def rows_of(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "rows.jsonl").read_text("utf-8").splitlines()]


def links_of(site: str, run: str) -> dict[str, str]:
    """Address → label of all bars of a run."""
    found = re.findall(r'<a href="([^"]+)" aria-label="([^"]+)"', ask(site, f"/run/{run}").text)
    assert found
    return {unescape(address): unescape(words) for address, words in found}


def count_of(site: str, address: str) -> tuple[int, int]:
    """Rows and findings that a list tells of."""
    found = re.search(r'id="count">([\d,]+)(?: of [\d,]+)? \w+(?:, ([\d,]+) findings)?<', ask(site, address).text)
    assert found, address
    return int(found[1].replace(",", "")), int((found[2] or "0").replace(",", ""))


def test_bars_of_mistakes_lead_to_what_they_count(site: str) -> None:
    checked = 0
    for address, words in links_of(site, "trackers/keyword").items():
        told = re.search(r", ([\d,]+) turns$", words)
        if told:
            assert count_of(site, address)[1] == int(told[1].replace(",", "")), words
            checked += 1
    assert checked > 10


def test_bars_of_scores_and_turns_lead_to_as_many_dialogues(site: str) -> None:
    checked = 0
    for run in ("trackers/own", "quiet"):
        for address, words in links_of(site, run).items():
            told = re.match(r"([\d,]+) dialogues with", words)
            if told:
                assert count_of(site, address)[0] == int(told[1].replace(",", "")), words
                checked += 1
    assert checked > 15


def test_bars_of_errors_lead_to_the_errors(site: str, runs: Path) -> None:
    rows = rows_of(runs / "jury")
    checked = 0
    for address, words in links_of(site, "jury").items():
        told = re.match(r"(\S+) under (\S+): wrong", words)
        if told:
            wrong = [row for row in rows if row["attack"] == told[2] and row["scores"][told[1]]["conforms"] is False]
            assert count_of(site, address)[0] == len(wrong)
            checked += 1
    assert checked


def test_bars_of_events_lead_to_the_events(site: str, runs: Path) -> None:
    rows = rows_of(runs / "noisy")
    checked = 0
    for address, words in links_of(site, "noisy").items():
        told = re.match(r"(\w+) in (\w+): ([\d,]+)$", words)
        if told:
            events = [
                each for row in rows for each in row["events"] if (each["class"], each["domain"]) == (told[1], told[2])
            ]
            assert count_of(site, address)[1] == len(events) == int(told[3])
            checked += 1
    assert checked > 3


def test_a_filter_takes_one_finding_at_a_time(runs: Path, slot: str) -> None:
    run = Opened(runs / "trackers" / "keyword")
    expected = [
        at
        for at, row in enumerate(rows_of(runs / "trackers" / "keyword"))
        if any(
            cell["class"] == "wrong" for turn in row["turns"] for name, cell in turn["slots"].items() if name == slot
        )
    ]
    query = parse_query({"slot": slot, "class": "wrong"}, run)
    assert sorted(select(run, query).positions.tolist()) == expected
    assert 0 < len(expected) < len(run)


@pytest.mark.parametrize("measure", ["JGA", "GCA"])
def test_order_and_range(runs: Path, measure: str) -> None:
    run = Opened(runs / "trackers" / "keyword")
    values = run.columns[measure]
    up = select(run, RowQuery(by=measure)).positions
    down = select(run, RowQuery(by=measure, down=True)).positions
    assert values[up].tolist() == sorted(values.tolist())
    assert values[down].tolist() == sorted(values.tolist(), reverse=True)
    some = select(run, RowQuery(by=measure, low=30, high=70)).positions
    assert sorted(some.tolist()) == [at for at, value in enumerate(values) if 0.3 - 1e-9 <= value < 0.7 - 1e-9]


def test_worst_cases_of_judges_come_first(runs: Path) -> None:
    run = Opened(runs / "jury")
    values = run.columns["judges wrong"][select(run, RowQuery()).positions]
    assert values.tolist() == sorted(values.tolist(), reverse=True)


def test_every_score_lies_in_one_range() -> None:
    values = [at / 100 for at in range(101)]
    limits = data.edges(values)
    assert data.counted(values, limits) == [5] * 19 + [6]


def test_search_finds_ids_talk_slots_and_values_whatever_the_case(runs: Path) -> None:
    run = Opened(runs / "trackers" / "keyword")
    rows = rows_of(runs / "trackers" / "keyword")
    assert select(run, RowQuery(q=rows[7]["id"].upper())).positions.tolist() == [7]

    def holding(text: str) -> list[int]:
        """The rows with a text, from the file alone."""
        found = []
        for at, row in enumerate(rows):
            said = [turn[side] for turn in row["turns"] for side in ("user", "system")]
            states = [turn[side] for turn in row["turns"] for side in ("gold", "pred")]
            held = [each for state in states for pair in state.items() for each in pair]
            if any(text in each.lower() for each in (*said, *held)):
                found.append(at)
        return found

    for text in ("restaurant", "hotel-parking", "dontcare", "hotel-area"):
        assert sorted(select(run, RowQuery(q=text.title())).positions.tolist()) == holding(text)
        assert 0 < len(holding(text)) < len(rows)
    assert not select(run, RowQuery(q='"class":"wrong"')).positions.tolist()


@pytest.mark.parametrize(
    ("name", "text"),
    [("noisy", "parking"), ("jury", "repetition"), ("agent", "your code is"), ("agent", "no such word")],
)
def test_search_in_other_kinds_of_run(runs: Path, name: str, text: str) -> None:
    run = Opened(runs / name)
    found = select(run, RowQuery(q=text)).positions.tolist()
    holding = [at for at in range(len(run)) if any(text in each.lower() for each in run.kind.texts(run.row(at)))]
    assert sorted(found) == holding
    assert bool(found) == (text != "no such word")


def test_groups_count_what_rows_hold(runs: Path) -> None:
    run = Opened(runs / "trackers" / "keyword")
    cells = [
        (slot, cell["class"])
        for row in rows_of(runs / "trackers" / "keyword")
        for turn in row["turns"]
        for slot, cell in turn["slots"].items()
    ]
    table = next(table for table in run.kind.breakdowns(run) if table.title == "by slot")
    for slot, turns, share, missed, wrong, over, _ in table.rows:
        found = [kind for name, kind in cells if name == slot]
        assert [int(missed), int(wrong), int(over)] == [found.count(kind) for kind in ("missed", "wrong", "over")]
        right = found.count("correct")
        assert int(turns) == right + int(missed) + int(wrong)
        assert share == f"{100 * right / int(turns):.2f}"


def test_a_comparison_counts_better_and_worse(site: str, runs: Path) -> None:
    first, second = (Opened(runs / "trackers" / name) for name in ("own", "keyword"))
    change = second.columns["JGA"] - first.columns["JGA"]
    text = ask(site, "/compare?run=trackers/own&run=trackers/keyword&by=JGA").text
    for way, expected in (("better", (change > 1e-12).sum()), ("worse", (change < -1e-12).sum())):
        assert f'aria-label="{expected} {way} by JGA"' in text
        listed = ask(site, f"/compare?run=trackers/own&run=trackers/keyword&by=JGA&show={way}").text
        assert listed.count("data-row") == expected


def test_fewer_errors_are_better(site: str, runs: Path) -> None:
    text = ask(site, "/compare?run=jury&run=jury2&by=length&show=same").text
    assert text.count("data-row") == len(rows_of(runs / "jury"))


def test_the_headline_of_judges_is_the_mean_of_each_facet(site: str, runs: Path) -> None:
    manifest = json.loads((runs / "jury" / "run.json").read_text("utf-8"))
    by_facet: dict[str, list[float]] = {}
    for cell in manifest["scores"]:
        if cell["judge"] == "overlap":
            by_facet.setdefault(cell["facet"], []).append(cell["value"])
    assert {facet: len(values) for facet, values in by_facet.items()} == {"naturalness": 2, "interest": 1}
    means = {facet: f"{100 * sum(values) / len(values):.2f}" for facet, values in by_facet.items()}
    line = f"mean error: naturalness {means['naturalness']}, interest {means['interest']}"
    assert line in ask(site, "/").text
    assert "mean error" in ask(site, "/run/jury").text.lower()
    both = side_by_side([Opened(runs / "jury"), Opened(runs / "jury2")])
    cells = {row[0]: row[1] for row in both.rows}
    assert cells["mean error, naturalness · overlap · saltmere"] == means["naturalness"]
    assert both.rows[0][0].startswith("mean error")
