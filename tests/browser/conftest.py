"""Chromium over a served folder with all kinds of runs. Any console error, page error or report of the policy fails a test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..viewer.made import make_runs, served, wrong_slot

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"

# Told to the console, where the fixture below hears it.
_REPORT_POLICY = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_runs(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def slot(runs: Path) -> str:
    return wrong_slot(runs)


@pytest.fixture(scope="session")
def site(runs: Path) -> Iterator[str]:
    with served(runs) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    if not CHROMIUM:
        pytest.skip("no Chromium here: apt-get install chromium")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages in a fresh context: ``open_page(address, width=.., dark=.., offline=.., gone=..)``."""
    contexts: list[Any] = []
    complaints: list[str] = []
    missing: set[str] = set()

    def hear(message: Any) -> None:
        expected = message.location["url"] in missing and "status of 404" in message.text
        if message.type in {"error", "warning"} and not expected:
            complaints.append(f"{message.type}: {message.text}")

    def open_(address: str, width: int = 1280, dark: bool = False, offline: bool = False, gone: bool = False) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=offline
        )
        contexts.append(context)
        context.set_default_timeout(60_000)  # other work may share the machine
        missing.update({address} if gone else ())
        context.add_init_script(_REPORT_POLICY)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        answer = page.goto(address)
        assert answer is None or (answer.status == 404) == gone
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not complaints
