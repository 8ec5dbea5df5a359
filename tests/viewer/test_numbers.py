"""Counts on pages are those of the rows: bars, filters, order, ranges, comparisons."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from msgspec.structs import replace

from dialmeter.viewer.links import Links
from dialmeter.viewer.pages import rows_page
from dialmeter.views.charts import data
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.scores import scores_by_run
from dialmeter.views.pages.select import RowQuery, parse_query, select

from .asking import ask


def rows_of(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "rows.jsonl").read_text("utf-8").splitlines()]


def counted(run: OpenedRun, address: str) -> tuple[int, int]:
    """Rows and findings behind an address."""
    found = select(run, parse_query(dict(parse_qsl(address)), run))
    return len(found.positions), 0 if found.hits is None else int(found.hits.sum())


def linked_cells(run: OpenedRun) -> list[tuple[str, str, str, str]]:
    """Title, heading, text and address of every cell that is a link, in the tables and charts of a run."""

    def link(of: OpenedRun, params: Mapping[str, str]) -> str:
        return urlencode(params) or "all"

    charts = [replace(each.table, title=f"chart {each.name}") for each in run.kind.charts(run, link)]
    return [
        (table.title, table.headings[column], table.rows[row][column], address)
        for table in (*run.kind.headlines(run, link), *run.kind.breakdowns(run, link), *charts)
        for (row, column), address in table.links.items()
    ]


# These count turns or cases of a score, and lead to the dialogues that these are in.
OF_SCORES = {("Scores", "n"), ("by domain", "turns"), ("by slot", "turns")}
# Charts of shares, not of counts.
SHARES = ("chart measures", "chart domains", "chart errors", "chart by-turn")


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("trackers/keyword", 250),
        ("noisy", 60),
        ("jury", 15),
        ("agent", 8),
        ("words", 8),
        ("people", 8),
        ("labels", 10),
        ("silent", 20),
    ],
)
def test_lists_behind_numbers(runs: Path, name: str, least: int) -> None:
    run = OpenedRun(runs / name)
    checked = 0
    for title, heading, text, address in linked_cells(run):
        rows, findings = counted(run, address)
        assert rows, (title, heading, text, address)
        share = title.startswith(SHARES) and heading == "value"
        if text.isdigit() and (title, heading) not in OF_SCORES and not share:
            assert int(text) in (rows, findings), (title, heading, text, address)
            checked += 1
    assert checked >= least


@pytest.mark.parametrize("name", ["trackers/keyword", "noisy", "jury", "agent", "words", "people", "labels"])
def test_group_numbers_linked(runs: Path, name: str) -> None:
    run = OpenedRun(runs / name)
    for table in run.kind.breakdowns(run, lambda _, params: urlencode(params)):
        numbers = {
            (row, column)
            for row, cells in enumerate(table.rows)
            for column, text in enumerate(cells)
            if column in table.numeric and column and text not in ("", "0", "–")
        }
        assert numbers == set(table.links), table.title


def test_error_rates_lead_to_errors(runs: Path) -> None:
    run, rows = OpenedRun(runs / "jury"), rows_of(runs / "jury")
    table = [*run.kind.headlines(run, lambda _, params: urlencode(params))][-1]
    judges = table.headings[3:]
    for at, (attack, _, n, *rates) in enumerate(table.rows):
        cases = [row for row in rows if row["attack"] == attack]
        assert int(n) == len(cases)
        for column, (judge, text) in enumerate(zip(judges, rates, strict=True), 3):
            wrong = sum(row["scores"][judge]["conforms"] is False for row in cases)
            low, high = map(int, re.findall(r"(\d+) to (\d+)", text)[0])
            assert text.startswith(f"{100 * wrong / len(cases):.1f} (")
            assert low <= 100 * wrong / len(cases) <= high
            assert counted(run, table.links[at, column])[0] == (wrong or len(cases))
            assert table.shades[at, column] == wrong / len(cases)


def test_disagreements_begin_with_the_surest(runs: Path, site: str) -> None:
    run, rows = OpenedRun(runs / "labels"), {row["id"]: row for row in rows_of(runs / "labels")}
    table = next(iter(run.kind.headlines(run, lambda _, params: urlencode(params))))
    assert table.rows[0][0] == "strict"
    assert sum(map(int, table.rows[0][1:5])) == 60
    text = ask(site, f"/rows/labels?{table.links[0, 2]}").text
    passed = re.findall(r'<a [^>]*href="/row/[^"]+"[^>]*>(?:<bdi>)?(q\d+)<', text)
    assert len(passed) == int(table.rows[0][2]) > 3
    assert all(rows[name]["scores"]["strict"]["score"] == 1 for name in passed)
    means = [rows[name]["ratings"]["solved"]["mean"] for name in passed]
    assert all(mean < 0.5 for mean in means)
    assert means == sorted(means)  # the people are surer of 0 of 3 than of 1 of 3
    page = ask(site, "/row/0/labels").text
    assert re.search(r"<td>ann [01], bob [01], cem [01]</td>", page)
    assert {chart.name for chart in run.kind.charts(run, lambda *_: "")} >= {"roc", "reliability-p"}


def test_links_of_marks(site: str) -> None:
    found = re.findall(r'<a href="([^"]+)" aria-label="([^"]+)"', ask(site, "/run/trackers/keyword").text)
    assert len(found) > 10
    for address, words in found:
        if words.endswith("worst first"):
            assert ask(site, unescape(address)).status == 200
            continue
        told = re.search(r", ([\d,]+) turns$", unescape(words))
        assert told
        listed = re.search(r", ([\d,]+) findings<", ask(site, unescape(address)).text)
        assert listed
        assert listed[1] == told[1]


def test_filter_takes_one_finding_at_time(runs: Path, slot: str) -> None:
    run = OpenedRun(runs / "trackers" / "keyword")
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
    run = OpenedRun(runs / "trackers" / "keyword")
    values = run.columns[measure]
    up = select(run, RowQuery(by=measure)).positions
    down = select(run, RowQuery(by=measure, down=True)).positions
    assert values[up].tolist() == sorted(values.tolist())
    assert values[down].tolist() == sorted(values.tolist(), reverse=True)
    some = select(run, RowQuery(by=measure, low=30, high=70)).positions
    assert sorted(some.tolist()) == [at for at, value in enumerate(values) if 0.3 - 1e-9 <= value < 0.7 - 1e-9]


def test_page_after_last(runs: Path) -> None:
    run = OpenedRun(runs / "trackers" / "keyword")
    query = RowQuery(page=99)
    assert "page 4 of 4" in rows_page(run, query, select(run, query), Links(), most=10)


def test_worst_cases_of_judges_come_first(runs: Path) -> None:
    run = OpenedRun(runs / "jury")
    values = run.columns["judges wrong"][select(run, RowQuery()).positions]
    assert values.tolist() == sorted(values.tolist(), reverse=True)


def test_every_score_lies_in_one_range() -> None:
    values = [at / 100 for at in range(101)]
    assert [size for _, _, size in data.count_per_bin(values)] == [5] * 19 + [6]


def test_search(runs: Path) -> None:
    run = OpenedRun(runs / "trackers" / "keyword")
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
    run = OpenedRun(runs / name)
    found = select(run, RowQuery(q=text)).positions.tolist()
    holding = [at for at in range(len(run)) if any(text in each.lower() for each in run.kind.texts(run.row(at)))]
    assert sorted(found) == holding
    assert bool(found) == (text != "no such word")


def test_group_counts(runs: Path) -> None:
    run = OpenedRun(runs / "trackers" / "keyword")
    cells = [
        (slot, cell["class"])
        for row in rows_of(runs / "trackers" / "keyword")
        for turn in row["turns"]
        for slot, cell in turn["slots"].items()
    ]
    table = next(table for table in run.kind.breakdowns(run) if table.title == "by slot")
    for slot, turns, share, missed, wrong, extra, _ in table.rows:
        found = [kind for name, kind in cells if name == slot]
        assert [int(missed), int(wrong), int(extra)] == [found.count(kind) for kind in ("missed", "wrong", "extra")]
        right = found.count("correct")
        assert int(turns) == right + int(missed) + int(wrong)
        assert share == f"{100 * right / int(turns):.2f}"


def test_better_and_worse_counted(site: str, runs: Path) -> None:
    first, second = (OpenedRun(runs / "trackers" / name) for name in ("own", "keyword"))
    change = second.columns["JGA"] - first.columns["JGA"]
    text = ask(site, "/compare?run=trackers/own&run=trackers/keyword&by=JGA").text
    for way, expected in (("better", (change > 1e-12).sum()), ("worse", (change < -1e-12).sum())):
        assert f'aria-label="{expected} {way} by JGA"' in text
        listed = ask(site, f"/compare?run=trackers/own&run=trackers/keyword&by=JGA&show={way}").text
        assert listed.count("data-row") == expected


def test_fewer_errors_are_better(site: str, runs: Path) -> None:
    text = ask(site, "/compare?run=jury&run=jury2&by=length&show=same").text
    assert text.count("data-row") == len(rows_of(runs / "jury"))


def test_judge_headline(site: str, runs: Path) -> None:
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
    both = scores_by_run([OpenedRun(runs / "jury"), OpenedRun(runs / "jury2")])
    cells = {row[0]: row[1] for row in both.rows}
    assert cells["mean error, naturalness · overlap · saltmere"] == means["naturalness"]
    assert both.rows[0][0].startswith("mean error")
