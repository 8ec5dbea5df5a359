"""The ways through the viewer: open, sort, filter, drill down, keys, deep links, back, compare."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .waiting import follow, loaded

OpenPage = Callable[..., Any]


def test_list_of_runs_sorts_and_searches(open_page: OpenPage, site: str) -> None:
    page = open_page(site)
    names = page.locator("tbody th[scope=row]").all_inner_texts()
    assert [name.split()[0] for name in names] == sorted(name.split()[0] for name in names)
    follow(page, page.get_by_role("link", name="run").first)
    assert "order=down" in page.url
    assert page.locator("tbody th[scope=row]").all_inner_texts() == names[::-1]
    assert page.locator("th[aria-sort=descending]").count() == 1
    page.keyboard.press("/")
    page.keyboard.type("keyword")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=keyword**")
    assert page.locator("tbody tr").count() == 1
    page.go_back()
    assert page.locator("tbody tr").count() == len(names)


def wrong_numbers(page: Any, slot: str) -> Any:
    """The number of new wrong values of a slot in the table beside the chart of mistakes."""
    chart = page.locator("figure[id^='chart-mistakes'][id$='keyword']")
    page.locator("details.fold:not([open])", has=chart).locator("> summary").click()
    headings = chart.locator("thead th").all_inner_texts()
    row = chart.locator("tbody tr", has=page.get_by_role("rowheader", name=slot, exact=True))
    return row.locator(f"> :nth-child({headings.index('wrong, new') + 1}) a")


def test_number_to_dialogue_and_back(open_page: OpenPage, site: str, slot: str) -> None:
    page = open_page(f"{site}/run/trackers/keyword")
    number = wrong_numbers(page, slot)
    count = int(number.inner_text())
    follow(page, number)
    assert "/rows/trackers/keyword?" in page.url
    asked = parse_qs(urlsplit(page.url).query)
    assert asked == {"slot": [slot], "class": ["wrong"], "age": ["new"]}
    assert page.locator("#count").inner_text().endswith(f", {count} findings")
    assert page.locator("select[name=slot]").input_value() == slot
    follow(page, page.locator("tbody a").first)
    marked = page.locator("td.marked")
    assert marked.count() >= 1
    assert set(marked.evaluate_all("cells => cells.map(each => each.dataset.slot)")) == {slot}
    page.go_back()
    page.go_back()
    assert page.locator("svg.chart").count() >= 4


def test_filters_by_form_and_chips(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/rows/noisy")
    before = page.locator("#count").inner_text()
    page.get_by_label("credit").select_option("credited")
    page.get_by_label("sort by").select_option("R-GCDF1")
    follow(page, page.get_by_role("button", name="Show"))
    assert "credit=credited" in page.url
    assert page.locator("#count").inner_text() != before
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("R-GCDF1")
    page.get_by_label("below").fill("90")
    follow(page, page.get_by_role("button", name="Show"))
    assert "high=90" in page.url
    shown = page.locator("td[data-label='R-GCDF1']").all_inner_texts()
    assert all(float(value) < 90 for value in shown)
    follow(page, page.get_by_role("link", name=re.compile("Remove credit")))
    assert "credit" not in page.url
    assert "high=90" in page.url


def test_keys_step_through_lists_and_dialogues(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/rows/trackers/own")
    ids = page.locator("tbody a").all_inner_texts()
    for _ in range(2):
        page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == ids[1]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/row/**")
    assert page.locator("h1").inner_text() == ids[0]
    page.keyboard.press("j")
    loaded(page, lambda: page.locator("h1").inner_text() == ids[1])
    page.keyboard.press("k")
    loaded(page, lambda: page.locator("h1").inner_text() == ids[0])
    page.keyboard.press("/")
    page.keyboard.type("kjk")
    assert page.locator("input[type=search]").input_value() == "kjk"
    assert page.locator("h1").inner_text() == ids[0]


def test_grid_cells(open_page: OpenPage, site: str, runs: Path) -> None:
    lines = (runs / "trackers" / "keyword" / "rows.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    cells = [
        (
            at,
            turn["turn"],
            slot,
            cell["class"],
            cell["age"] or "",
            turn["gold"].get(slot, ""),
            turn["pred"].get(slot, ""),
        )
        for at, row in enumerate(rows)
        for turn in row["turns"]
        for slot, cell in turn["slots"].items()
    ]
    chance = random.Random(8)
    dialogues = chance.sample(range(len(rows)), 10)
    chosen = [cell for at in dialogues for cell in chance.sample([each for each in cells if each[0] == at], 3)]
    mistakes = [cell for cell in cells if cell[0] in dialogues and cell[3] != "correct"]
    page = open_page(site)
    for at, turn, slot, kind, age, gold, pred in sorted(chosen + chance.sample(mistakes, 15)):
        address = f"{site}/row/{at}/trackers/keyword"
        if page.url != address:
            page.goto(address)
        cell = page.locator(f"td[data-turn='{turn}'][data-slot='{slot}']")
        assert (cell.get_attribute("data-class"), cell.get_attribute("data-age")) == (kind, age)
        assert kind in cell.get_attribute("class").split()
        text = cell.inner_text()
        assert {"correct": "=", "wrong": "≠", "missed": "−", "extra": "+"}[kind] in text
        assert ("↳" in text) == (age == "carried-over")
        assert gold in text
        assert pred in text


def test_every_view_has_address(open_page: OpenPage, site: str) -> None:
    for path in (
        "/?q=jury&sort=size&order=down",
        "/rows/trackers/keyword?by=GCA&order=down&low=20&class=extra",
        "/row/4/trackers/keyword?class=missed",
        "/compare?run=trackers%2Fown&run=trackers%2Fkeyword&by=JGA&show=worse",
        "/pair/2?run=trackers%2Fown&run=trackers%2Fkeyword&by=JGA",
    ):
        first = open_page(site + path)
        again = open_page(first.url)
        assert first.locator("main").inner_text() == again.locator("main").inner_text()
        assert first.locator("h1").count() == 1


def test_compare_two_runs_and_drill_down(open_page: OpenPage, site: str) -> None:
    page = open_page(site)
    page.get_by_label("Compare trackers/own").check()
    page.get_by_label("Compare trackers/keyword").check()
    follow(page, page.get_by_role("button", name="Compare"))
    assert "/compare?" in page.url
    follow(page, page.get_by_label(re.compile("worse by GCA")))
    assert "show=worse" in page.url
    name = page.locator("[data-row]").first.inner_text()
    follow(page, page.locator("[data-row]").first)
    assert page.locator("h1").inner_text() == name
    assert page.locator("td.cell").count() > 3
    page.go_back()
    page.go_back()
    assert page.locator("h2", has_text="Scores").count() == 1


def test_users_and_judges_drill_down(open_page: OpenPage, site: str, runs: Path) -> None:
    page = open_page(f"{site}/rows/noisy?credit=credited")
    follow(page, page.locator("tbody a").first)
    position = int(re.search(r"/row/(\d+)/", page.url)[1])
    row = json.loads((runs / "noisy" / "rows.jsonl").read_text("utf-8").splitlines()[position])
    assert page.locator(".move").count() == len(row["talk"])
    losses = (row.get("verdict") or {}).get("losses", ())
    reasons = {tuple(each[key] for key in ("turn", "side", "domain", "reason", "evidence")) for each in losses}
    assert page.locator(".events li").count() == len(row["events"]) + len(reasons)
    assert page.locator(".events li.marked").count() == sum(bool(event.get("credited")) for event in row["events"])
    page = open_page(f"{site}/row/0/jury?judge=length")
    case = json.loads((runs / "jury" / "rows.jsonl").read_text("utf-8").splitlines()[0])
    assert page.locator("tr[data-judge]").count() == len(case["scores"])
    assert page.locator("tr.marked").get_attribute("data-judge") == "length"
    assert page.locator("section.side mark").count() >= 1
    assert case["adversarial"] in page.locator("section.side").nth(1).inner_text()
