"""The first screen of a page has the verdict, what it depends on, and the next click; the rest is folded."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..viewer.made import dialmeter, served
from .waiting import follow, unfold

OpenPage = Callable[..., Any]
HEIGHT = "document.documentElement.scrollHeight"
SCREEN, RUN_PAGE, REPORT = 900, 2_000, 4_000
RUNS = {
    "trackers/keyword": "JGA ",
    "study": "WORSE: second is worse than first by ",
    "noisy": "I-GCDF1 ",
    "users": "CANNOT TELL: noisy is ",
    "jury": "overlap errs on ",
    "judges": "BETTER: distinct is better than overlap by ",
    "people": " with people on ",
    "agent": "Success ",
    "systems": "CANNOT TELL: ",
    "words": "GoalRecall ",
    "hostile": "JGA ",
}
COMPARED = ("study", "users", "judges", "systems")


@pytest.fixture(scope="module")
def all_runs(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs, with comparisons of users, of judges and of systems."""
    folder = shutil.copytree(runs, tmp_path_factory.mktemp("first") / "runs")
    compared = {
        "users": ("quiet=quiet.jsonl", "noisy=noisy.jsonl", "--set", "profile=town"),
        "judges": ("cases.jsonl", "--judge", "overlap", "--judge", "distinct"),
        "systems": ("once=log.jsonl", "again=log.jsonl"),
    }
    for name, words in compared.items():
        files = (re.sub(r"(\w+\.jsonl)$", rf"{runs.parent}/\1", each) for each in words)
        dialmeter("compare", *files, "--out", folder / name, "-q")
    return folder


@pytest.fixture(scope="module")
def first_site(all_runs: Path) -> Iterator[str]:
    with served(all_runs) as address:
        yield address


@pytest.mark.parametrize("name", RUNS)
def test_run_page(open_page: OpenPage, first_site: str, all_runs: Path, name: str) -> None:
    page = open_page(f"{first_site}/run/{name}")
    assert page.evaluate(HEIGHT) <= RUN_PAGE
    summary = (all_runs / name / "summary.txt").read_text("utf-8").strip("\n")
    verdict = page.locator(".verdict pre")
    if name != "hostile":
        assert verdict.inner_text() == summary
    assert RUNS[name] in verdict.inner_text()
    for each in [verdict, *page.locator(".verdict figure").all(), *page.locator("a.button").all()]:
        box = each.bounding_box()
        assert box["y"] + box["height"] <= SCREEN
    assert page.locator(".verdict figure").count() == (name in COMPARED)
    before = page.evaluate(HEIGHT)
    unfold(page)
    assert page.evaluate(HEIGHT) > before
    assert page.locator("table:visible").count() > 0


def test_report_of_every_kind(open_page: OpenPage, all_runs: Path, tmp_path: Path) -> None:
    names = ("study", "users", "judges", "systems", "people", "trackers/own", "trackers/keyword")
    target = tmp_path / "report.html"
    dialmeter("report", *(all_runs / name for name in names), "--out", target)
    page = open_page(target.as_uri(), offline=True)
    assert page.evaluate(HEIGHT) <= REPORT
    first = page.locator(".verdict pre").first
    assert first.inner_text() == (all_runs / "study" / "summary.txt").read_text("utf-8").strip("\n")
    for each in (first, page.locator(".verdict figure").first, page.locator("details.fold").first):
        box = each.bounding_box()
        assert box["y"] + box["height"] <= SCREEN
    assert page.locator("table:visible, svg.chart:visible").count() == page.locator(".verdict figure").count()


def test_pair_opens_at_first_difference(open_page: OpenPage, site: str, slot: str) -> None:
    query = f"run=trackers/own&run=trackers/keyword&group=slot&name={slot}&show=only-second"
    page = open_page(f"{site}/compare?{query}")
    follow(page, page.locator("[data-row]").first)
    assert page.url.endswith("#differs")
    turns = page.locator("section.dialogue").all()
    sides = [
        [
            cell.inner_text()
            for cell in turn.locator("tr", has=page.get_by_role("rowheader", name=slot, exact=True)).locator("td").all()
        ]
        for turn in turns
    ]
    expected = next(at for at, cells in enumerate(sides) if len(set(cells)) > 1)
    assert [turn.get_attribute("id") for turn in turns].index("differs") == expected
    box = page.locator("#differs").bounding_box()
    assert -1 < box["y"] < SCREEN
