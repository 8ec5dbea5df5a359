"""Questions that pages answer, with the clicks that it takes, and what one can click, read and print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from .waiting import follow, unfold

OpenPage = Callable[..., Any]
A4 = 718
"""The width of A4 less 10 mm on either side, in pixels."""


class Visitor:
    """Clicks, and counts the clicks."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.clicks = 0

    def click(self, what: Any) -> None:
        what.click()
        self.clicks += 1


def group_cell(page: Any, name: str, heading: str) -> Any:
    """The cell of the table of differences in the row of a name, below a heading."""
    table = page.locator("table[data-group]")
    headings = [" ".join(each.split()) for each in table.locator("thead th").all_inner_texts()]
    row = table.locator("tbody tr", has=page.get_by_role("rowheader", name=name, exact=True))
    return row.locator(f"> :nth-child({headings.index(heading) + 1})")


def test_slot_loss_in_two_clicks(open_page: OpenPage, site: str, runs: Path) -> None:
    visitor = Visitor(page := open_page(f"{site}/run/trackers/own"))
    visitor.click(page.get_by_role("link", name="nameless", exact=True))
    page.wait_for_url("**/compare?**")
    visitor.click(group_cell(page, "hotel-name", "trackers/own right, nameless wrong").locator("a"))
    page.wait_for_url("**show=only-second**")
    assert visitor.clicks == 2
    asked = parse_qs(urlsplit(page.url).query)
    assert asked == {
        "run": ["trackers/own", "nameless"],
        "group": ["slot"],
        "name": ["hotel-name"],
        "show": ["only-second"],
    }
    lines = (runs / "nameless" / "rows.jsonl").read_text("utf-8").splitlines()
    expected = {
        row["id"]: {turn["gold"]["hotel-name"] for turn in row["turns"] if "hotel-name" in turn["gold"]}
        for row in map(json.loads, lines)
        if any("hotel-name" in turn["gold"] for turn in row["turns"])
    }
    assert set(page.locator("#rows [data-row]").all_inner_texts()) == set(expected)
    why = page.locator("h3:has-text('Mistakes of nameless') + div tbody tr").all_inner_texts()
    assert why
    assert all(line.startswith("missed") for line in why)
    values = {line.split("\t")[1] for line in why}
    assert values <= {value for found in expected.values() for value in found}
    follow(page, page.locator("#rows [data-row]").first)
    assert page.locator("td.marked.missed").count() > 0
    assert set(page.locator("tr:has(td.marked) th").all_inner_texts()) == {"hotel-name"}


def test_reason_takes_one_more_click(open_page: OpenPage, site: str) -> None:
    address = "/compare?run=trackers/own&run=trackers/keyword&group=slot&name=hotel-people&show=only-second"
    visitor = Visitor(page := open_page(site + address))
    before = page.locator("#rows [data-row]").count()
    number = page.locator("h3:has-text('Mistakes of') + div tbody tr a").first
    size = int(number.inner_text())
    assert 0 < size < before
    visitor.click(number)
    page.wait_for_url("**class=missed**")
    assert page.locator("#rows [data-row]").count() == size
    page.get_by_role("link", name="Remove class missed").click()
    page.wait_for_url(lambda url: "class" not in url)


def test_three_runs_compared(open_page: OpenPage, site: str) -> None:
    visitor = Visitor(page := open_page(site))
    for name in ("trackers/own", "trackers/keyword", "nameless"):
        visitor.click(page.get_by_label(f"Compare {name}", exact=True))
    visitor.click(page.get_by_role("button", name="Compare"))
    page.wait_for_url("**/compare?**")
    assert visitor.clicks == 4
    # The order of the list: nameless is the baseline until another one is chosen.
    assert page.locator("h1").inner_text() == "nameless, trackers/keyword and trackers/own"
    visitor.click(page.locator(".lead a", has_text="trackers/own"))
    page.wait_for_url("**run=trackers%2Fown&run=nameless**")
    bars = page.locator("table[data-group] .fill")
    widths = bars.evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    shown = [abs(float(text.replace("−", "-").rstrip("*"))) for text in page.locator("td:has(.fill)").all_inner_texts()]
    # One scale: bars are as long as their numbers are large.
    assert max(widths) / max(shown) == pytest.approx(widths[0] / shown[0], rel=0.1)
    assert widths[shown.index(max(shown))] == max(widths)
    visitor.click(page.locator("table[data-group] td.worse a").first)
    page.wait_for_url("**show=only-second**")
    assert page.locator("#rows [data-row]").count() > 0


def test_domains_events_attacks_links(open_page: OpenPage, site: str) -> None:
    for pair, tab, field in (
        ("run=trackers/own&run=trackers/keyword", "domain", "domain"),
        ("run=quiet&run=noisy", "slot", "slot"),
        ("run=jury&run=jury2", "facet", "facet"),
    ):
        visitor = Visitor(page := open_page(f"{site}/compare?{pair}"))
        visitor.click(page.locator("nav.tabs").get_by_role("link", name=tab, exact=True))
        page.wait_for_url(f"**group={field}**")
        assert page.locator(f"table[data-group={field}] tbody tr").count() > 0


@pytest.mark.parametrize("run", ["trackers/keyword", "noisy", "jury", "agent", "words", "people", "silent"])
def test_mark_sizes(open_page: OpenPage, site: str, run: str) -> None:
    page = open_page(f"{site}/run/{run}")
    unfold(page)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        sizes = page.locator("svg.chart a").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect()).map(box => Math.min(box.width, box.height))"
        )
        assert all(size >= 24 for size in sizes), width
    for figure in page.locator("figure").all():
        if not figure.locator("svg a").count():
            assert figure.locator("figcaption td a").count() > 0, figure.get_attribute("id")
            assert figure.locator("figcaption td a").first.is_visible()


@pytest.mark.parametrize("width", [1024, 390])
def test_heat_map_first_column(open_page: OpenPage, site: str, width: int) -> None:
    page = open_page(f"{site}/run/jury", width=width)
    unfold(page)
    region = page.locator(".scroll:has(table.heat)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first = region.locator("tbody th").first
    left = first.bounding_box()["x"]
    region.evaluate("each => { each.scrollLeft = each.scrollWidth }")
    assert first.bounding_box()["x"] == pytest.approx(left, abs=1)
    box, last = region.bounding_box(), region.locator("tbody tr").first.locator("td").last.bounding_box()
    assert last["x"] + last["width"] <= box["x"] + box["width"] + 1
    cells = region.locator("tbody td[class*=' t']")
    assert cells.count() == 12
    assert all(" to " in text for text in cells.all_inner_texts())
    shades = cells.evaluate_all("all => all.map(each => getComputedStyle(each).backgroundColor)")
    assert len(set(shades)) > 3
    cells.first.locator("a").click()
    page.wait_for_url("**verdict=error**")


def test_space_without_talk(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/row/1/silent", width=1440)
    assert page.locator(".grid tbody th").first.bounding_box()["width"] <= 160
    page.goto(f"{site}/row/4/trackers/keyword")
    assert page.locator(".grid tbody th").first.bounding_box()["width"] >= 300


def test_long_texts(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/rows/silent", width=1440)
    link = page.locator("#rows [data-row]").first
    whole = link.locator(".cut").get_attribute("title")
    assert len(whole) > 200
    assert link.bounding_box()["height"] < 40
    follow(page, link)
    assert page.locator("h1").inner_text() == whole
    value = page.locator("td .cut summary").first
    assert value.bounding_box()["height"] < 40
    value.focus()
    page.keyboard.press("Enter")
    opened = page.locator("td .cut[open] summary").first
    assert opened.bounding_box()["height"] > 60
    assert opened.evaluate("each => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize(
    "path",
    [
        "/compare?run=trackers/own&run=trackers/keyword&run=nameless",
        "/compare?run=trackers/own&run=trackers/keyword",
        "/run/trackers/keyword",
        "/run/jury",
        "/run/noisy",
        "/row/4/trackers/keyword",
        "/row/1/silent",
        "/rows/trackers/keyword",
        "/",
    ],
)
def test_paper_has_all_columns(open_page: OpenPage, site: str, path: str) -> None:
    page = open_page(site + path, width=A4)
    columns = "all => all.filter(each => each.textContent.trim()).map(each => each.getBoundingClientRect())"
    unfold(page)
    page.emulate_media(media="print")
    cells = page.locator("main tr > *:visible").evaluate_all(
        f"cells => ({columns})(cells).map(box => [box.left, box.right, box.width])"
    )
    assert len(cells) > 5
    assert all(left >= 0 and right <= A4 + 1 and width > 0 for left, right, width in cells)
    if path.startswith("/row/"):
        assert page.locator(".grid td[data-slot]:visible").count() == page.locator(".grid td[data-slot]").count()
        assert page.locator(".slotname:visible").count() > 0
    cut = page.locator("main .cut:visible, main .cut summary:visible")
    assert all(cut.evaluate_all("all => all.map(each => getComputedStyle(each).whiteSpace !== 'nowrap')"))
