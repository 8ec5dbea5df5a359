"""Take the screenshots of docs/report.md: play dialogues with the demo data, score them, and view the runs.

Run `python tools/make_screenshots.py` (or `make screenshots`). `--only NAME` takes one. Needs Chromium and playwright.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from dialmeter.cli.main import cli

IMAGES = Path(__file__).parents[1] / "docs" / "images"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Shot(NamedTuple):
    """A screenshot: its name, the address, and the settings of the browser."""

    name: str
    address: str
    width: int = 1280
    height: int = 860
    dark: bool = False
    scroll: str = ""


SHOTS = (
    Shot("viewer-dialogue", "/rows/keyword?domain=hotel&class=wrong", width=1400, height=900),
    Shot("viewer-compare", "/compare?run=keyword&run=own&by=GCA", height=1000, dark=True),
)
_OPEN_FIRST = {"viewer-dialogue"}


def dialmeter(*words: str | Path | float) -> None:
    """Run a command of dialmeter."""
    cli.main([str(word) for word in words], prog_name="dialmeter", standalone_mode=False)


def make_runs(folder: Path) -> Path:
    """Score two trackers on dialogues of the demo data."""
    runs, talk = folder / "runs", folder / "agenda.jsonl"
    with redirect_stdout(io.StringIO()):
        dialmeter("play", "--user", "agenda", "--goals", 120, "--set", "noise=0.1", "--set", "seed=7", "-o", talk, "-q")
        for name, source in (("own", talk), ("keyword", f"{talk}#keyword")):
            dialmeter("score", source, "--subject", "tracker", "-o", runs / name, "-q")
    return runs


@contextmanager
def served(runs: Path) -> Iterator[str]:
    """Start the viewer as a separate process, and yield its address."""
    command = [sys.executable, "-m", "dialmeter", "view", str(runs), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        try:
            yield found[0].rstrip("/")
        finally:
            process.terminate()


def take(browser: Any, site: str, shot: Shot) -> None:
    """Take one screenshot."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.dark else "light",
        device_scale_factor=2 if shot.width < 500 else 1,
    )
    page = context.new_page()
    page.goto(site + shot.address)
    if shot.name in _OPEN_FIRST:
        page.locator("tbody a").first.click()
        page.wait_for_load_state()
    if shot.scroll:
        page.locator(shot.scroll).first.evaluate("each => each.scrollIntoView()")
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(IMAGES / f"{shot.name}.png"))
    context.close()


def main() -> None:
    """Take all screenshots, or the one of --only."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Take the screenshots of the viewer.")
    parser.add_argument("--only", choices=[shot.name for shot in SHOTS])
    parser.add_argument("--runs", type=Path, help="Use the runs in this folder.")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        sys.exit("no Chromium here: apt-get install chromium")
    with tempfile.TemporaryDirectory() as place:
        runs = options.runs or make_runs(Path(place))
        with served(runs) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
            for shot in SHOTS:
                if options.only in (None, shot.name):
                    take(browser, site, shot)
                    print(f"docs/images/{shot.name}.png")
            browser.close()


if __name__ == "__main__":
    main()
