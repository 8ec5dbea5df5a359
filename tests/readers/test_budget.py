"""The size limit: compressed files without an end, devices in every role, and the option that raises the limit."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers import raw_file
from dialmeter.readers.corpus import read
from dialmeter.readers.raw_file import BUDGET_VARIABLE, zstd_module
from dialmeter.readers.source import Source

from ..cli.invoke import Cli, CommandResult, call_process
from ..cli.samples import TOWN, native_lines

MB = 1024**2
LINES = native_lines(TOWN)


def packed(path: Path, pieces: Iterator[bytes]) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for piece in pieces:
            file.write(piece)
    return path


ENDLESS: dict[str, Callable[[], Iterator[bytes]]] = {
    "newlines": lambda: (b"\n" * MB for _ in range(70)),
    "blanks in a list": lambda: (b"[" if place == 0 else b" " * MB for place in range(70)),
    "newlines behind a dialogue": lambda: (LINES if place == 0 else b"\n" * MB for place in range(70)),
}


@pytest.mark.parametrize("content", ENDLESS)
@pytest.mark.parametrize(
    "words",
    [("score",), ("check",), ("score", "--subject", "user"), ("judge", "attack", "-o", "cases.jsonl")],
    ids=" ".join,
)
def test_a_small_file_that_unpacks_to_blanks(words: tuple[str, ...], content: str, cli: Cli, tmp_path: Path) -> None:
    file = packed(tmp_path / "file.gz", ENDLESS[content]())
    complaint = cli.refused(*words, file)
    assert complaint == (
        f"{file}: more than 64 MB of consecutive blanks; set {BUDGET_VARIABLE}, such as {BUDGET_VARIABLE}=64G, to raise the limit"
    )


def roles(folder: Path, device: str) -> dict[str, tuple[str, ...]]:
    """Commands with a device instead of each kind of file."""
    town = folder / "town.jsonl"
    town.write_bytes(LINES)
    score = ("score", str(town), "-q")
    return {
        "predictions": ("score", device),
        "predictions of a run": ("score", device, "--out", str(folder / "run")),
        "gold": (*score, "--gold", device),
        "schema": (*score, "--set", f"schema={device}"),
        "training schema": (*score, "--set", f"schema.train={device}", "--by", "seen"),
        "list": (*score, "--only", device),
        "map": (*score, "--set", f"map={device}"),
        "convert": ("convert", device, str(folder / "out.jsonl")),
        "talk": ("check", device, "--subject", "user"),
        "goals": ("score", str(town), "--subject", "user", "--gold", device),
        "user's map": ("score", str(town), "--subject", "user", "--set", f"map={device}"),
        "goals of users": ("check", str(town), "--subject", "user", "--gold", device),
        "dialogues with goals": ("convert", device, str(folder / "map.json"), "--to", "map"),
        "cases": ("score", device, "-j", "length"),
        "attacked": ("judge", "attack", device, "--out", str(folder / "cases.jsonl")),
        "ratings": ("study", "people", str(town), "--sheet", device),
        "gold to audit": ("study", "audit", device, str(town)),
    }


@pytest.mark.parametrize("role", roles(Path("/tmp"), ""))
def test_a_device_in_every_role(role: str, cli: Cli, tmp_path: Path) -> None:
    assert "/dev/zero: is a device, not a file" in cli(*roles(tmp_path, "/dev/zero")[role], code=2).err


@pytest.mark.parametrize("role", roles(Path("/tmp"), ""))
def test_a_read_error_in_every_role(role: str, cli: Cli, tmp_path: Path) -> None:
    """The first page of a process is never mapped, so the system cannot read the first byte of this file."""
    file = tmp_path / "broken.jsonl"
    file.symlink_to("/proc/self/mem")
    assert cli.refused(*roles(tmp_path, str(file))[role]) == (f"{file}: cannot be read: Input/output error")


def test_a_device_as_scores_and_template(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(CASE) + "\n")
    monkeypatch.setenv("DIALMETER_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("DIALMETER_MODEL", "m")
    for judge in ("mine=/dev/zero", "llm(template=/dev/zero)"):
        assert cli.refused("score", cases, "-j", judge) == "/dev/zero: is a device, not a file"


CASE = {
    "attack": "dullness",
    "variant": "made",
    "context": [{"speaker": "user", "text": "hi"}],
    "reply": "hello",
    "adversarial": "ok",
    "expected": "lower",
    "facet": "interest",
    "source": {"dialogue": "d1", "turn": 1},
}


def test_a_device_as_standard_input(tmp_path: Path) -> None:
    import subprocess
    import sys

    with open("/dev/zero", "rb") as zero:
        done = subprocess.run(
            [sys.executable, "-m", "dialmeter", "score", "-", "--subject", "tracker"],
            stdin=zero,
            capture_output=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"dialmeter: standard input: is a device, not a file\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd_module().compress], ids=["plain", "gz", "zst"])
def test_max_bytes(pack: Callable[[bytes], bytes], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(pack(LINES))
    size = len(LINES)
    monkeypatch.setenv(BUDGET_VARIABLE, str(size))
    cli("score", file)
    monkeypatch.setenv(BUDGET_VARIABLE, str(size - 1))
    complaint = cli.refused("score", file)
    assert complaint == (
        f"{file}: more than {size - 1} bytes after decompression; set {BUDGET_VARIABLE}, such as {BUDGET_VARIABLE}=64G, to raise the limit"
    )
    monkeypatch.delenv(BUDGET_VARIABLE)
    cli("score", file)


def test_max_bytes_of_a_pipe() -> None:
    def piped(size: int) -> CommandResult:
        return call_process("score", "-", "--subject", "tracker", stdin=LINES, **{BUDGET_VARIABLE: str(size)})

    assert piped(len(LINES)).code == 0
    assert "standard input: more than" in piped(len(LINES) - 1).complaint


def test_python_calls_take_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(LINES)
    monkeypatch.setenv(BUDGET_VARIABLE, "100")
    with pytest.raises(InputError, match="more than 100 bytes after decompression"):
        list(read(file))
    monkeypatch.setenv(BUDGET_VARIABLE, "lots")
    with pytest.raises(
        DialmeterError, match="DIALMETER_MAX_BYTES is 'lots'; write a number of bytes, such as 64M or 16G"
    ):
        list(read(file))
    monkeypatch.setenv(BUDGET_VARIABLE, "1G")
    assert len(list(read(file))) == 3


def test_blank_lines_between_dialogues_are_no_trouble(tmp_path: Path) -> None:
    file = tmp_path / "town.jsonl"
    file.write_bytes(LINES.replace(b"\n", b"\n" * 5000))
    assert len(list(read(file))) == 3
    assert len(list(Source(file).lines())) == 3


@pytest.mark.parametrize("pack", [gzip.compress, zstd_module().compress], ids=["gz", "zst"])
def test_file_growth(pack: Callable[[bytes], bytes], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio is checked above 256 MB; in this test above 1 MB."""
    monkeypatch.setattr(raw_file, "_ALWAYS_ALLOWED", 1024**2)
    turn = {"gold": {"a-b": "1"}, "pred": {"a-b": "1"}}
    text = native_lines({"d": [{**turn, "user": "a" * 3 * 1024**2}]})
    file = tmp_path / "town.jsonl"
    file.write_bytes(pack(text))
    complaint = cli.refused("score", file, "--quiet")
    assert complaint == (
        f"{file}: more than 1 MB and 100 times the size of the file after decompression; "
        "set DIALMETER_MAX_BYTES, such as DIALMETER_MAX_BYTES=64G, to raise the limit"
    )
    monkeypatch.setenv(BUDGET_VARIABLE, "1G")
    cli("score", file, "--quiet")
    monkeypatch.delenv(BUDGET_VARIABLE)
    file.write_bytes(text)
    cli("score", file, "--quiet")


def test_archive_growth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_file, "_ALWAYS_ALLOWED", MB)
    file = tmp_path / "log.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", " " * 3 * MB)
    with pytest.raises(InputError, match="more than 1 MB and 100 times the size of the file after decompression"):
        Source(file).sample  # noqa: B018  reading the property reads the file


def test_too_little_memory_is_no_internal_error(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(self: Source) -> Iterator[tuple[int, bytes]]:
        raise MemoryError

    monkeypatch.setattr(Source, "lines", lines)
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(CASE) + "\n")
    complaint = cli.refused("score", file, "--judge", "length")
    assert complaint == ("not enough memory for this input; split it, or store one dialogue per line")
