"""Take the eight screenshots of docs/viewer.md: play dialogues in the embedded town, score them, and view the runs.

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
    Shot("viewer-runs", "/", height=540),
    Shot("viewer-run", "/run/keyword", height=1180, scroll="h2:has-text('Charts')"),
    Shot("viewer-dialogues", "/rows/keyword?class=wrong&age=new"),
    Shot("viewer-dialogue", "/rows/keyword?domain=hotel&class=wrong", width=1400, height=900),
    Shot("viewer-narrow", "/rows/keyword?domain=hotel&class=wrong", width=360, height=900, dark=True),
    Shot("viewer-compare", "/compare?run=keyword&run=own&by=GCA", height=1000, dark=True),
    Shot("viewer-user", "/rows/forgetful?event=failed_sys_nlu", width=1400, height=1300),
    Shot("viewer-judge", "/rows/judges?attack=repetition&judge=overlap&verdict=error", height=1240),
)
_OPEN_FIRST = {"viewer-dialogue", "viewer-narrow", "viewer-user", "viewer-judge"}


def dialmeter(*words: str | Path | float) -> None:
    """Run a command of dialmeter."""
    cli.main([str(word) for word in words], prog_name="dialmeter", standalone_mode=False)


def make_runs(folder: Path) -> Path:
    """Score two trackers, two users and some judges on dialogues of the town."""
    runs = folder / "runs"
    with redirect_stdout(io.StringIO()):
        for user in ("agenda", "forgetful"):
            talk = folder / f"{user}.jsonl"
            dialmeter("user", "play", "--user", user, "--goals", 120, "--noise", 0.1, "--seed", 7, "--out", talk, "-q")
            dialmeter("user", "score", talk, "--profile", "town", "--blame", "--skip-bad", "--out", runs / user, "-q")
        for name, source in (("own", "agenda.jsonl"), ("keyword", "agenda.jsonl#keyword")):
            dialmeter("tracker", "score", folder / source, "--out", runs / name, "-q")
        cases = folder / "cases.jsonl"
        dialmeter("judge", "attack", folder / "agenda.jsonl", "--cases", 25, "--out", cases, "-q")
        dialmeter("judge", "score", cases, "--judge", "overlap", "--judge", "distinct", "--out", runs / "judges", "-q")
        for judge in ("overlap", "distinct"):
            printed = io.StringIO()
            with redirect_stdout(printed):
                dialmeter(
                    "judge", "explain", cases, "--judge", judge, "--cases", 25, "--attack", "repetition", "--json", "-q"
                )
            (runs / "judges" / f"explained-{judge}.json").write_text(printed.getvalue(), "utf-8")
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
