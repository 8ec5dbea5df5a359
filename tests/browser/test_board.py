"""A board of twelve made-up systems: wide and narrow, light and dark, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..studies.board.made import NAMES, write_twelve
from ..viewer.made import dialmeter
from .conftest import AXE
from .test_looks import violations

OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    dialmeter("tracker", "board", write_twelve(folder), "--out", folder / "out", "--quiet")
    return folder / "out" / "index.html"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1440, 390])
def test_board_layout_and_accessibility(open_page: OpenPage, board: Path, width: int, dark: bool) -> None:
    page = open_page(board.as_uri(), width=width, dark=dark, offline=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    table = page.locator("table").first
    assert table.locator("tbody tr").count() == len(NAMES)
    assert table.locator("tbody sup").count() == 4 * len(NAMES)
    if width > 1000:
        # All of the main table is there without scrolling.
        assert table.evaluate("each => each.scrollWidth <= each.parentElement.clientWidth")
    else:
        # The name of a system stays where one scrolls to the last measure, and leaves room for it.
        table.evaluate("each => { each.parentElement.scrollLeft = 10000; }")
        name = table.locator("tbody th").nth(2).bounding_box()
        value = table.locator("tbody tr").nth(2).locator("td").nth(3).bounding_box()
        assert name is not None
        assert value is not None
        assert 0 <= name["x"] < 30
        assert value["x"] + value["width"] > name["x"] + name["width"]
    if AXE.exists():
        page.evaluate(AXE.read_text("utf-8"))
        assert violations(page) == []


def test_board_without_javascript(browser: Any, board: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(board.as_uri())
    text = page.locator("main").inner_text()
    assert all(name in text for name in NAMES)
    assert "data:" in text, "the signature"
    page.get_by_role("link", name="Made-up systems").click()
    assert page.url.endswith("#part-1")
    context.close()
