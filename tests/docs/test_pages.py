"""Every page of the documentation is followed from an empty folder, and every notebook is run."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialmeter.cli.demo import ABOUT

from . import notebook, pages
from .pages import PAGES, ROOT, commands, fences

GALLERY = ROOT / "docs" / "gallery.md"
WITH_WORK = [
    page
    for page in PAGES
    if page != GALLERY and any(each.file or each.language == "python" or commands(each) for each in fences(page))
]
NOT_RUN = {
    "sets up the machine": 3,
    "asks a chat endpoint": 8,
    "needs a cluster": 1,
    "serves pages until it is stopped": 8,
    "runs or trains a network for minutes": 10,
    "starts several processes": 4,
    "needs the repository, and most of an hour": 6,
    "is run by another test": 6,
    "is run with its package by the tests of plug-ins": 6,
    "waits for people who fill in sheets": 2,
    "needs a folder of other authors": 1,
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


def test_gallery_commands(tmp_path: Path) -> None:
    names = re.findall(r"\(images/gallery/([^)]+)\)", GALLERY.read_text("utf-8"))
    assert sorted(names) == sorted(path.name for path in (ROOT / "docs" / "images" / "gallery").iterdir())
    pages.follow(GALLERY, tmp_path)
    assert [name for name in names if not tmp_path.joinpath("charts", *name.split("-", 1)).is_file()] == []


@pytest.mark.parametrize("path", sorted(notebook.FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebook_outputs(path: Path, tmp_path: Path) -> None:
    shown = json.loads(path.read_text("utf-8"))
    assert any(cell.get("outputs") for cell in shown["cells"])
    assert notebook.executed(shown, tmp_path) == shown, "run python -m tests.docs.notebook, and look at what changed"


def test_page_wrong_is_noticed(tmp_path: Path) -> None:
    """The check itself: a command that fails, output that differs, and a file that is missing."""
    wrong = tmp_path / "wrong.md"
    folder = tmp_path / "empty"
    folder.mkdir()
    wrong.write_text("```sh\ndialmeter tracker score none.jsonl\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="exit code 2, not 0"):
        pages.follow(wrong, folder)
    wrong.write_text("```console\n$ dialmeter cite JGA\nnothing\n```\n", "utf-8")
    assert pages.follow(wrong, folder) != wrong.read_text("utf-8")
    wrong.write_text("```sh\nrm -r everything\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="a test cannot run this"):
        pages.follow(wrong, folder)
