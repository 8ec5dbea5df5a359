"""How a command is run in this process, and how what it leaves behind becomes text that can be compared."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dialmeter.cli.main import run

VARIABLES = {
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
    "DIALMETER_NO_CACHE": "1",
    "DIALMETER_THREADS": "1",
}
"""What the environment says to every command, so that the terminal of the moment does not matter."""

LONGEST = 11_000
"""A longer text is kept as a digest."""

REPEATED = 200
"""A text of this length that stands earlier in the same file of goldens is kept as a reference."""

_HIDDEN = {"log.json"}
_SIGNATURE = re.compile(r'\|rules:[^\s"]*\|v:[\d.]+')
_LINE = re.compile("─{4,}")
_IMAGES = {".svg", ".png", ".pdf"}
_LONG_FRACTION = re.compile(r"-?\d+\.\d{12,}(?:e-?\d+)?")


class Case(NamedTuple):
    """A command line, and the files that it writes and that are kept beside its output."""

    name: str
    words: str
    keeps: str = ""
    stdin: str = ""


class Outcome(NamedTuple):
    """What a command left behind: named texts, and its exit code."""

    code: int
    texts: dict[str, str]


@contextmanager
def stand_in(folder: Path) -> Iterator[None]:
    """Makes a folder the working directory, under the fixed environment, for a while."""
    before, variables = Path.cwd(), dict(os.environ)
    os.environ.update(VARIABLES, DIALMETER_CACHE=str(folder / "cache"))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(variables)


@contextmanager
def captured(given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Stands in for the three standard streams."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(given)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdin, sys.stdout, sys.stderr = streams


def call(words: Sequence[str], given: bytes = b"") -> tuple[int, str, str]:
    """Runs a command line in this process: exit code, standard output, standard error."""
    with captured(given) as (out, err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run(list(words))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 4
    return code, out.getvalue().decode(), err.getvalue().decode()


def execute(case: Case, folder: Path) -> Outcome:
    """Runs a case in a folder that holds its files."""
    with stand_in(folder):
        given = Path(case.stdin).read_bytes() if case.stdin else b""
        code, out, err = call(shlex.split(case.words), given)
        texts = {"stdout": out, "stderr": err}
        for pattern in case.keeps.split():
            texts |= {f"file {path.as_posix()}": read_text(path) for path in written_files(pattern)}
    return Outcome(code, {name: normalise(text, folder) for name, text in texts.items()})


def written_files(pattern: str) -> list[Path]:
    """The files that a pattern names, and those below the folders that it names; no images, versions or times."""
    found: set[Path] = set()
    for path in Path().glob(pattern):
        found |= {each for each in path.rglob("*") if each.is_file()} if path.is_dir() else {path}
    return sorted(path for path in found if path.name not in _HIDDEN and path.suffix not in _IMAGES)


def read_text(path: Path) -> str:
    """What a file holds: text as it is, a page without its drawings, and of numbers in columns a digest for each column."""
    if path.suffix == ".npz":
        return _read_columns(path)
    if path.suffix in (".gz", ".zst", ".parquet"):
        return f"{path.stat().st_size} bytes"
    text = path.read_text("utf-8")
    return _read_page(text) if path.suffix == ".html" else text


def _read_columns(path: Path) -> str:
    import numpy as np

    with np.load(path, allow_pickle=False) as file:  # The texts of an index are bytes.
        columns = {
            name: np.frombuffer(each, np.uint8) if isinstance(each, bytes) else each for name, each in file.items()
        }
    return "".join(
        f"{name} {column.dtype} {column.shape} {digest(column.tobytes())[:16]}\n"
        for name, column in sorted(columns.items())
    )


def _read_page(text: str) -> str:
    """The words of a page; drawings, styles and scripts depend on the version of what draws."""
    for tag in ("svg", "style", "script", "head"):
        text = re.sub(rf"<{tag}\b.*?</{tag}>", f"[{tag}]", text, flags=re.DOTALL)
    text = re.sub(r'src="data:[^"]*"', 'src="data"', text)
    words = re.sub(r"<[^>]*>", "\n", text)
    return "".join(f"{line.strip()}\n" for line in words.splitlines() if line.strip())


def normalise(text: str, folder: Path) -> str:
    """Takes out the place of the temporary folder, and the last digits of numbers.

    Correlations and means come from numpy, whose last digits differ between processors. What must be equal to the last bit is
    held by the laws and by the tests of reproduction.
    """
    for place in {str(folder), str(folder.resolve())}:
        text = text.replace(place, "FOLDER")
    return _LONG_FRACTION.sub(lambda found: f"{float(found[0]):.10g}", text)


def digest(text: str | bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def render(outcomes: Iterable[tuple[Case, Outcome]]) -> str:
    """Cases and outcomes as one text that is easy to compare line by line."""
    lines: list[str] = []
    seen: dict[str, str] = {}
    for case, outcome in outcomes:
        lines += [f"{'=' * 20} {case.name}", f"$ {case.words}"]
        lines += [f"keeps {case.keeps}"] if case.keeps else []
        lines += [f"standard input {case.stdin}"] if case.stdin else []
        lines.append(f"exit code {outcome.code}")
        for place, text in outcome.texts.items():
            if not text:
                continue
            lines.append(f"{'-' * 10} {place}")
            if text in seen:
                lines.append(f"(the same as {seen[text]})")
                continue
            if len(text) >= REPEATED:
                seen[text] = f"{place} of {case.name}"
            if len(text) > LONGEST:
                lines.append(f"({len(text.splitlines())} lines, SHA-256 {digest(text)})")
            else:
                lines.append(text.removesuffix("\n") if text.endswith("\n") else f"{text}\n(no line end)")
        lines.append("")
    return _name_signatures("\n".join(lines))


def _name_signatures(text: str) -> str:
    """Puts a short name in place of what many signatures share, lists the names at the end, and shortens drawn lines."""
    names: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        names[found[0]] = f"|signature:{digest(found[0])[:6]}"
        return names[found[0]]

    text = _SIGNATURE.sub(name, _LINE.sub(lambda found: f"─{len(found[0])}─", text))
    listed = [f"{short.removeprefix('|')} = {whole}" for whole, short in sorted(names.items())]
    return "\n".join([text, f"{'=' * 20} signatures", *listed, ""]) if listed else text
