"""The pages of the documentation, followed as a reader does: from an empty folder, one command after another.

``python -m tests.docs.pages PAGE…`` follows pages and writes what the commands print into their ``console`` blocks; without
names, all pages that have such blocks.

- A fence with a title, as in `` ```csv title="states.csv" ``, is a file that the reader saves.
- ``sh`` holds commands, one per line. They end with exit code 0, or with the one that a comment names ("exit code 1").
- ``console`` holds commands after ``$`` and what they print on standard output. A line ``…`` means any lines.
- ``python`` is run, all blocks of a page in one namespace.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from dialmeter.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SAMPLE = "dialmeter demo . --files-only"

NOT_RUN = {
    r"^(pip|apt|git|make|jupyter) |^export |^pre-commit ": "sets up the machine",
    r"--config \S*endpoint|llm\((?!.*batch=)|llm-dialogue\(|--set reader=model": "asks a chat endpoint",
    r"--workers tcp": "needs a cluster",
    r"^dialmeter view ": "serves pages until it is stopped",
    r"smollm2|minilm|=hf\(|judge train|satisfaction-gru|robust\(": "runs or trains a network for minutes",
    r"--workers [2-9]": "starts several processes",
    r"^dialmeter demo$": "is run by another test",
    r"NoFalseAlarm|--from calls|silent\(|backwards|signposts": "is run with its package by the tests of plug-ins",
    r"study people .*--sheet (ann|verdicts-a).csv": "waits for people who fill in sheets",
    r"--gold sgd_x/|gemini-2.0-flash": "needs files of other authors",
}
"""Commands that are not run, and why; ``test_pages.py`` counts them."""
PYTHON_NOT_RUN = ("plugins.md", "inside.md", "integrations.md")
"""Pages whose Python is part of a package, or needs the packages of `make integrations`; other tests run it."""

_FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_EXIT_CODE = re.compile(r"#.*exit code (\d)")
_ELISION = "…"


class Fence(NamedTuple):
    """A block of a page: its language, the name of the file that it is, its text, and its place in the page."""

    language: str
    file: str | None
    text: str
    start: int
    end: int


class Typed(NamedTuple):
    """A command line as a reader types it, and what a page says that it prints; None where it says nothing."""

    line: str
    printed: str | None = None

    @property
    def reason(self) -> str:
        """Why it is not run; empty where it is."""
        return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, self.line)), "")


def fences(page: Path) -> list[Fence]:
    """The blocks of a page in order."""
    found = _FENCE.finditer(page.read_text("utf-8"))
    return [Fence(each[1], each[2], each[3], each.start(3), each.end(3)) for each in found]


def commands(fence: Fence) -> list[Typed]:
    """The commands of a block."""
    if fence.file or fence.language not in ("sh", "console"):
        return []
    if fence.language == "sh":
        joined = re.sub(r"\\\n\s*", " ", fence.text)
        return [Typed(line) for line in joined.splitlines() if line and not line.startswith("#")]
    parts = re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]
    return [Typed(*part.split("\n", 1)) for part in parts]


@cache
def made_sample() -> tuple[Path, str]:
    """The folder of the sample, made once by the command itself, and what the command prints."""
    folder = Path(tempfile.mkdtemp(prefix="dialmeter-sample-"))
    code, printed, error = call(["demo", str(folder), "--files-only"])
    assert code == 0, error
    return folder, printed


def call(words: list[str]) -> tuple[int, str, str]:
    """Runs a command in this process: exit code, standard output, standard error."""
    files = io.BytesIO(), io.BytesIO()
    out, error = (io.TextIOWrapper(file, "utf-8", write_through=True) for file in files)
    with redirect_stdout(out), redirect_stderr(error):
        try:
            run(words)
        except SystemExit as stop:
            code = stop.code
    assert isinstance(code, int)
    return code, files[0].getvalue().decode(), files[1].getvalue().decode()


def _link_sample() -> str:
    folder, printed = made_sample()
    for path in folder.rglob("*"):
        here = Path(path.relative_to(folder))
        if path.is_file():
            here.parent.mkdir(exist_ok=True)
            os.link(path, here)
    return printed


def typed(command: Typed) -> str:
    """Runs a command of a page in the working directory, and gives what it prints.

    Raises:
        AssertionError: it ends with another exit code than the page says.
    """
    line = command.line
    expected = int(found[1]) if (found := _EXIT_CODE.search(line)) else 0
    words = shlex.split(re.sub(r"\s#.*", "", line))
    if shlex.join(words) == SAMPLE:
        return _link_sample()
    target = words[words.index(">") + 1] if ">" in words else None
    assert words[0] == "dialmeter", f"a test cannot run this: {line}"
    code, out, error = call(words[1 : words.index(">")] if target else words[1:])
    assert code == expected, f"{line}\nexit code {code}, not {expected}\n{error}"
    if target:
        Path(target).write_text(out, "utf-8")
        return ""
    return out


def as_shown(printed: str, shown: str) -> str:
    """What was printed, elided where the page elides."""
    lines = [line.rstrip() for line in printed.rstrip("\n").splitlines()]
    kept = shown.rstrip("\n").splitlines()
    if _ELISION in kept:
        head, tail = kept.index(_ELISION), kept[::-1].index(_ELISION)
        if len(lines) > head + tail:
            lines = [*lines[:head], _ELISION, *lines[len(lines) - tail :]]
    return "".join(f"{line}\n" for line in lines)


@cache
def _load_pipeline(name: str) -> object:
    from spacy.util import load_model

    return load_model(name)


def _pipelines_kept() -> AbstractContextManager[object]:
    """Loads a spaCy pipeline once for all commands; it takes longer than most of them."""
    return patch("spacy.load", _load_pipeline) if find_spec("spacy") else nullcontext()


@contextmanager
def reader(folder: Path) -> Iterator[None]:
    """Works in a folder as a reader with one core does: modules of the folder can be imported, and are forgotten in the end."""
    before, modules = list(sys.path), set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        with chdir(folder), patch("os.sched_getaffinity", return_value={0}, create=True), _pipelines_kept():
            yield
    finally:
        sys.path[:] = before
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


def follow(page: Path, folder: Path) -> str:
    """Does what a page says in an empty folder.

    Returns:
        The page, with what its commands print now in its ``console`` blocks.

    Raises:
        AssertionError: a command or a Python block fails.
    """
    text = page.read_text("utf-8")
    names: dict[str, object] = {}
    changes: list[tuple[Fence, str]] = []
    with reader(folder):
        for fence in fences(page):
            if fence.file:
                Path(fence.file).parent.mkdir(parents=True, exist_ok=True)
                Path(fence.file).write_text(fence.text, "utf-8")
            elif fence.language == "python" and page.name not in PYTHON_NOT_RUN:
                run_python(fence.text, names, page.name)
            shown = []
            for command in commands(fence):
                out = (command.printed or "") if command.reason else as_shown(typed(command), command.printed or "")
                shown.append(f"$ {command.line}\n{out}")
            if fence.language == "console":
                changes.append((fence, "".join(shown)))
    for fence, new in reversed(changes):
        text = text[: fence.start] + new + text[fence.end :]
    return text


def run_python(text: str, names: dict[str, object], page: str) -> None:
    """Runs a block of Python, as a doctest where it has prompts."""
    if ">>> " in text:
        found = doctest.DocTestParser().get_doctest(text, names, page, None, 0)
        assert doctest.DocTestRunner().run(found).failed == 0, page
        return
    with redirect_stdout(io.StringIO()):
        exec(compile(text, page, "exec"), names)


def main(names: list[str]) -> None:
    """Follows pages and writes what their commands print; a page that fails is named."""
    for page in PAGES:
        relative = page.relative_to(ROOT).as_posix()
        if relative in names or (not names and any(each.language == "console" for each in fences(page))):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    new = follow(page, Path(folder).resolve())
                except AssertionError as error:
                    sys.stdout.write(f"{relative}: {error}\n")
                    continue
            if new != page.read_text("utf-8"):
                page.write_text(new, "utf-8")
                sys.stdout.write(f"written: {relative}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
