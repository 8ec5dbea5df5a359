"""Hostile text stays text, narrow screens do not scroll, both themes have their colours, and axe has nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ..viewer.made import HOSTILE
from .conftest import AXE
from .waiting import unfold

OpenPage = Callable[..., Any]
PAGES = {
    "runs": "/",
    "tracker run": "/run/trackers/keyword",
    "tracker rows": "/rows/trackers/keyword?class=wrong",
    "tracker row": "/row/4/trackers/keyword?class=wrong",
    "user run": "/run/noisy",
    "user rows": "/rows/noisy?credit=credited",
    "user row": "/row/1/noisy",
    "judge run": "/run/jury",
    "judge rows": "/rows/jury?verdict=error",
    "judge row": "/row/0/jury?judge=length",
    "system run": "/run/agent",
    "system rows": "/rows/agent?outcome=failed",
    "system row": "/row/0/agent",
    "system row with acts": "/row/2/acts",
    "items run": "/run/words",
    "items rows": "/rows/words?event=wrong",
    "items row": "/row/0/words?event=wrong",
    "people run": "/run/people",
    "people rows": "/rows/people?judge=bad",
    "people row": "/row/0/people",
    "labels run": "/run/labels",
    "labels rows": "/rows/labels?judge=strict&labels=only+the+judge+passes&by=strict",
    "labels row": "/row/0/labels?judge=strict",
    "hostile row": "/row/0/hostile",
    "silent run": "/run/silent",
    "silent rows": "/rows/silent",
    "silent row": "/row/1/silent",
    "compare": "/compare?run=trackers/own&run=trackers/keyword",
    "a slot of two trackers": "/compare?run=trackers/own&run=nameless&group=slot&name=hotel-name&show=only-second",
    "three trackers": "/compare?run=trackers/own&run=trackers/keyword&run=nameless",
    "hostile compare": "/compare?run=trackers/own&run=hostile",
    "user compare": "/compare?run=quiet&run=noisy",
    "judge compare": "/compare?run=jury&run=jury2&group=attack&name=dullness&show=only-first",
    "system compare": "/compare?run=agent&run=agent2",
    "items compare": "/compare?run=words&run=words2",
    "people compare": "/compare?run=people&run=people2",
    "tracker pair": "/pair/2?run=trackers/own&run=trackers/keyword",
    "user pair": "/pair/0?run=quiet&run=noisy",
    "judge pair": "/pair/0?run=jury&run=jury2",
    "study": "/run/study",
    "system pair": "/pair/0?run=agent&run=agent2",
    "items pair": "/pair/0?run=words&run=words2",
    "people pair": "/pair/0?run=people&run=people2",
    "problem": "/run/broken",
}
BLUE = {"light": "rgb(0, 114, 178)", "dark": "rgb(43, 135, 200)"}


@pytest.mark.parametrize(
    "path",
    [
        "/row/0/hostile",
        "/row/0/agent",
        "/row/0/words",
        "/rows/hostile",
        "/run/hostile",
        "/row/24/jury",
        "/rows/jury?q=owned",
    ],
)
def test_hostile_text(open_page: OpenPage, site: str, path: str) -> None:
    page = open_page(site + path)
    assert "owned" not in page.title() or "<script>" in page.title()
    assert page.locator("main script:not([type='application/json']), main img, main b:has-text('bold')").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    assert page.evaluate("[...document.querySelectorAll('main *')].filter(e => e.onerror || e.onload).length") == 0
    if path.startswith("/row/"):
        text = page.locator("main").inner_text()
        for name in ("script", "image", "svg", "quotes", "link", "close"):
            assert HOSTILE[name] in text
        assert "U+202E" in text
        assert "\u202e" not in text


def test_search_for_hostile_text(open_page: OpenPage, site: str) -> None:
    page = open_page(f"{site}/rows/hostile")
    page.locator("input[type=search]").fill(HOSTILE["quotes"])
    page.keyboard.press("Enter")
    page.wait_for_url("**q=**")
    assert page.locator("tbody tr").count() == 1
    assert page.locator("input[type=search]").input_value() == HOSTILE["quotes"]


@pytest.mark.parametrize("name", PAGES)
def test_narrow_screen(open_page: OpenPage, site: str, name: str) -> None:
    page = open_page(site + PAGES[name], width=360, gone=name == "problem")
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 15
    talk = page.locator(".grid .said, .move .said, .talkline .said")
    assert all(talk.evaluate_all("all => all.map(each => each.getBoundingClientRect().right <= innerWidth)"))
    if not AXE.exists():
        pytest.skip("axe-core is not here: npm install --prefix tests/browser")
    page.evaluate(AXE.read_text("utf-8"))
    # The width changes sizes and what scrolls, and the scheme changes colours.
    assert violations(page, ["scrollable-region-focusable", "target-size"]) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, ["color-contrast", "link-in-text-block"]) == []


@pytest.mark.parametrize("theme", BLUE)
def test_bar_colours(open_page: OpenPage, site: str, theme: str) -> None:
    page = open_page(f"{site}/run/trackers/keyword", dark=theme == "dark")
    unfold(page)
    bar = page.locator("#chart-spread-trackers-keyword svg path[style*='--blue']").first
    assert bar.evaluate("bar => getComputedStyle(bar).fill") == BLUE[theme]
    paper = page.locator("#chart-spread-trackers-keyword svg path").first.evaluate(
        "each => getComputedStyle(each).fill"
    )
    card = page.locator("figure.card").first.evaluate("each => getComputedStyle(each).backgroundColor")
    assert paper == card


def violations(page: Any, rules: Sequence[str] = ()) -> list[str]:
    """What axe, which the page has loaded, finds wrong and where: under all its rules and that of targets, or under some."""
    options = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
    chosen = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found = page.evaluate("options => axe.run(document, options)", {**options, **chosen})
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
