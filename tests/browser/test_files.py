"""The report and the bundle open from disk, with the network off."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..viewer.made import dialmeter
from .conftest import AXE
from .test_looks import violations
from .test_paths import wrong_numbers
from .waiting import eventually, follow, loaded

OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def report(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("report") / "report.html"
    names = ("hostile", "trackers/keyword", "jury")
    dialmeter("report", *(runs / name for name in names), "--out", target)
    return target


@pytest.fixture(scope="module")
def bundle(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bundle")
    for name in ("trackers", "jury", "jury2"):
        shutil.copytree(runs / name, place / "runs" / name)
    dialmeter("report", place / "runs", "--out", f"{place / 'site'}/", "-q")
    return place / "site"


@pytest.mark.parametrize("dark", [False, True])
def test_report_offline_filters(open_page: OpenPage, report: Path, slot: str, dark: bool) -> None:
    assert report.stat().st_size <= 2_000_000
    page = open_page(report.as_uri(), dark=dark, offline=True)
    wrong_numbers(page, slot).click()
    eventually(page, lambda: page.locator("#rows-2 > [hidden]").count() > 0)
    block = page.locator("section", has=page.locator("#rows-2"))
    shown = block.locator("details.dialogue:visible")
    assert 0 < shown.count() < 36
    assert f"{shown.count()} of 36 dialogues" in block.locator("[data-count]").inner_text()
    shown.first.locator("summary").click()
    assert "≠" in shown.first.inner_text()
    page.go_back()
    eventually(page, lambda: page.locator("#rows-2 > [hidden]").count() == 0)
    assert page.locator("#rows-2 details.dialogue:visible").count() == 36
    assert page.evaluate("document.title").count("owned") == 0
    if AXE.exists():
        page.evaluate(AXE.read_text("utf-8"))
        assert violations(page) == []


def test_report_is_narrow_too(open_page: OpenPage, report: Path) -> None:
    page = open_page(report.as_uri(), width=360, offline=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bundle_opens_from_disk(open_page: OpenPage, bundle: Path, slot: str) -> None:
    page = open_page((bundle / "index.html").as_uri(), offline=True)
    follow(page, page.get_by_role("link", name="trackers/keyword"))
    follow(page, wrong_numbers(page, slot))
    assert f"#rows&slot={slot}" in page.url
    eventually(page, lambda: 0 < page.locator("tbody tr:visible").count() < 36)
    names = page.locator("tbody tr:visible").count()
    assert page.locator("select[name=slot]").input_value() == slot
    page.locator("ul.chips a").first.click()
    eventually(page, lambda: page.locator("tbody tr:visible").count() != names)
    follow(page, page.locator("tbody tr:visible a").first)
    loaded(page, lambda: page.locator("td[data-class]").count() > 5)
    name = page.locator("h1").inner_text()
    page.keyboard.press("j")
    loaded(page, lambda: page.locator("h1").inner_text() != name)
    page.go_back()
    page.go_back()
    eventually(page, lambda: page.locator("#rows").count() == 1)


def test_bundle_sorts_and_searches(open_page: OpenPage, bundle: Path) -> None:
    page = open_page((bundle / "index.html").as_uri(), offline=True)
    page.locator("input[type=search]").fill("jury")
    page.keyboard.press("Enter")
    page.wait_for_url("**#rows&q=jury")
    eventually(page, lambda: page.locator("tbody tr:visible").count() == 2)
    page.goto((bundle / "index.html").as_uri())
    follow(page, page.get_by_role("link", name="trackers/own"))
    follow(page, page.get_by_role("link", name="Show the dialogues"))
    follow(page, page.get_by_role("link", name="JGA"))

    def values() -> list[float]:
        return [float(text) for text in page.locator("tbody td[data-label='JGA']").all_inner_texts()]

    eventually(page, lambda: values() == sorted(values()))
    assert len(set(values())) > 1


def test_bundle_compares(open_page: OpenPage, bundle: Path) -> None:
    pages = sorted(path for path in bundle.glob("compare-*.html") if "row" not in path.name)
    assert len(pages) == 2
    page = open_page(pages[0].as_uri(), offline=True)
    follow(page, page.locator("[data-row]").first)
    assert page.locator("h1").count() == 1
    dead = [
        (path.name, address)
        for path in bundle.glob("*.html")
        for address in re.findall(r'href="([^"#?]+\.html)', path.read_text("utf-8"))
        if not (bundle / address).exists()
    ]
    assert not dead
