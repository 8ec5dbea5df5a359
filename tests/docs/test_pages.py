"""Every page of the documentation is followed from an empty folder."""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialmeter.cli.demo import ABOUT

from ..shared_data import shared
from . import pages
from .pages import PAGES, ROOT, commands, fences

AGENTS = {
    "gpt-4.1-mini.json": "retail_tool-calling-gpt-4.1-mini_0610135038.json.gz",
    "gemini-2.0-flash.json": "retail_tool-calling-gemini-2.0-flash_0605191952.json.gz",
}
"""The files that the first screen of README compares."""
WITH_WORK = [
    page
    for page in PAGES
    if page.name != "publish.md"
    and any(each.file or each.language == "python" or commands(each) for each in fences(page))
]
GALLERY = ROOT / "docs" / "images" / "gallery"
NOT_RUN = {
    "sets up the machine": 1,
    "asks a chat endpoint": 5,
    "needs a cluster": 1,
    "serves pages until it is stopped": 3,
    "runs or trains a network for minutes": 3,
    "starts several processes": 3,
    "is run with its package by the tests of plug-ins": 6,
    "waits for people who fill in sheets": 2,
    "needs files of other authors": 2,
}


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module", autouse=True)
def sample() -> Iterator[Path]:
    """The sample, made once; no page changes it."""
    made, _ = pages.made_sample()
    as_made = digests(made)
    yield made
    assert digests(made) == as_made
    shutil.rmtree(made)
    pages.made_sample.cache_clear()


@pytest.mark.parametrize("page", WITH_WORK, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_reader_can_follow_page(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    assert pages.follow(page, tmp_path) == text, "run python -m tests.docs.pages, and look at what changed"


def test_unrun_commands_counted() -> None:
    typed = [command for page in PAGES for fence in fences(page) for command in commands(fence)]
    assert Counter(command.reason for command in typed if command.reason) == NOT_RUN
    assert len(typed) - sum(NOT_RUN.values()) > 250


def test_file_names_across_pages() -> None:
    """Files that pages show have the same content wherever they are shown, and no name of the sample."""
    shown: dict[str, str] = {}
    for page in PAGES:
        for fence in fences(page):
            if fence.file:
                assert shown.setdefault(fence.file, fence.text) == fence.text, f"{page.name}: {fence.file}"
    assert shown
    assert not shown.keys() & ABOUT.keys()


def test_tutorial_lists_all_files_of_sample() -> None:
    listed = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "tutorial.md").read_text("utf-8"), re.MULTILINE)
    assert {name for row in listed for name in re.findall(r"`([^`]+)`", row)} == set(ABOUT)


def test_size() -> None:
    """One page per question: the documentation stays small enough to be read."""
    docs = [page for page in PAGES if page.name != "README.md"]
    assert len(docs) <= 45
    assert sum(len(page.read_text("utf-8").split()) for page in docs) <= 46_000
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_gallery(tmp_path: Path) -> None:
    """The charts of the page are those that its commands draw; `make gallery` copies them."""
    text = (ROOT / "docs" / "publish.md").read_text("utf-8")
    names = re.findall(r"\(images/gallery/([^)]+)\)", text)
    assert pages.follow(ROOT / "docs" / "publish.md", tmp_path) == text
    for name in names:
        assert tmp_path.joinpath("charts", *name.split("-", 1)).read_bytes() == (GALLERY / name).read_bytes(), name


def test_readme_verdict(tmp_path: Path) -> None:
    """The first screen of README is what the program prints for two published logs."""
    for name, file in AGENTS.items():
        (tmp_path / name).write_bytes(gzip.decompress(shared("data", "trajectories", file).read_bytes()))
    fence = next(each for each in fences(ROOT / "README.md") if each.language == "console")
    (command,) = commands(fence)
    with pages.reader(tmp_path):
        assert f"$ {command.line}\n{pages.typed(command)}" == fence.text


def test_images_are_used() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [path.name for path in (ROOT / "docs" / "images").rglob("*.*") if path.name not in text] == []


def test_page_wrong_is_noticed(tmp_path: Path) -> None:
    """The check itself: a command that fails, output that differs, and a file that is missing."""
    wrong = tmp_path / "wrong.md"
    folder = tmp_path / "empty"
    folder.mkdir()
    wrong.write_text("```sh\ndialmeter score none.jsonl\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="exit code 2, not 0"):
        pages.follow(wrong, folder)
    wrong.write_text("```console\n$ dialmeter cite JGA\nnothing\n```\n", "utf-8")
    assert pages.follow(wrong, folder) != wrong.read_text("utf-8")
    wrong.write_text("```sh\nrm -r everything\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="a test cannot run this"):
        pages.follow(wrong, folder)
