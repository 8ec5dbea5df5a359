"""Waiting from outside: a page's policy forbids the evaluation of texts, which waiting inside it would need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_STEP, _MOST = 50, 60_000


def follow(page: Any, link: Any) -> None:
    """Clicks on what leads to another address, and waits until the page is loaded: counting and reading all texts do not wait."""
    with page.expect_navigation():
        link.click()


def eventually(page: Any, holds: Callable[[], bool]) -> None:
    """Waits until something holds."""
    for _ in range(_MOST // _STEP):
        if holds():
            return
        page.wait_for_timeout(_STEP)
    assert holds()


def loaded(page: Any, holds: Callable[[], bool]) -> None:
    """Waits until something holds, and until the page that it holds for listens to keys: scripts run after the text."""
    eventually(page, holds)
    page.wait_for_load_state("load")


def unfold(page: Any) -> None:
    """Opens all that is folded."""
    for fold in page.locator("details.fold:not([open]) > summary").all()[::-1]:
        fold.click()
