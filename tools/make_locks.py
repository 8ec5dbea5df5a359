"""Write the locks in requirements/ and constraints.txt, from pyproject.toml and the packages that pip resolves for each Python.

Run ``python tools/make_locks.py python3.11 python3.12 python3.13`` on Linux x86-64; each is an interpreter with pip.
All of them use the same version of a package, which pip chooses for the first. ``--check`` needs no network. It lists the
problems of the locks and exits 1 if there are any.

- core.lock: the packages that ``make demo`` installs, build tools included.
- test.lock: the packages that ``make test`` installs in addition, without torch.
- torch-cpu.lock: the CPU build of torch, written if pip's settings offer it.
- torch-cuda.lock: torch from the registry, with the CUDA packages that this build needs.
- constraints.txt: the same versions for all other platforms.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dependencies import CUDA, ROOT, installed_needs, requirements_by_group, transitive

PYTHONS = ("3.11", "3.12", "3.13")
# Chosen by hand: tools, because a new release has new checks, and torch, because its files are large.
PINS = {"torch": "2.13.0", "ruff": "0.17.4", "mypy": "2.4.1"}
OLDEST_GLIBC = 28  # 2.28; tools/install.py has it too
LOCKS = {name: ROOT / "requirements" / f"{name}.lock" for name in ("core", "test", "torch-cpu", "torch-cuda")}
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = """\
# Written by tools/make_locks.py for CPython 3.11 to 3.13 on Linux x86-64 with glibc 2.28 or newer.
# {about}
# Install with: pip install --require-hashes --no-deps -r requirements/{name}.lock
"""
ABOUT = {
    "core": "What dialmeter needs, and what builds it.",
    "test": "What the extras and the tests need, torch aside.",
    "torch-cpu": "torch built for processors only.",
    "torch-cuda": "torch as the registry has it, with the CUDA packages that it needs.",
}
ENTRY = re.compile(r"([a-z0-9-]+)==(\S+)(?: ; ([^\\]+?))?((?: --hash=sha256:[0-9a-f]{64})+)")


@dataclass
class Locked:
    """A package in a lock: its version, the hashes of its files, and the Pythons that need it."""

    version: str
    hashes: set[str] = field(default_factory=set)
    pythons: set[str] = field(default_factory=set)

    def add(self, found: dict[str, Any], *pythons: str) -> None:
        """Add a file from a report of pip's."""
        archive = found["download_info"]
        wheel = unquote(archive["url"].rsplit("/", 1)[1])
        if not runs_on_oldest(wheel):
            raise SystemExit(f"{wheel} does not run on glibc 2.{OLDEST_GLIBC}")
        if found["metadata"]["version"] != self.version:
            raise SystemExit(f"{wheel}: another Python has version {self.version}")
        self.hashes.add(archive["archive_info"]["hashes"]["sha256"])
        self.pythons.update(pythons)


def runs_on_oldest(wheel: str) -> bool:
    """Return True if a wheel is for any platform, or for a glibc that is old enough."""
    if re.search(r"-any\.whl$|manylinux(1|2010|2014)_x86_64", wheel):
        return True
    return any(int(minor) <= OLDEST_GLIBC for minor in re.findall(r"manylinux_2_(\d+)_x86_64", wheel))


def resolve(python: str, requirements: Iterable[str], versions: dict[str, str], *options: str) -> dict[str, Any]:
    """Return pip's report on what it would install for an interpreter, with packages by canonical name."""
    with tempfile.TemporaryDirectory() as folder:
        # Three equal signs, because 2.13.0+cpu must not match 2.13.0.
        constraints = Path(folder, "constraints.txt")
        constraints.write_text("".join(f"{name}==={number}\n" for name, number in versions.items()), "utf-8")
        report = Path(folder, "report.json")
        command = [python, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", *options]
        command += ["--only-binary=:all:", "--constraint", str(constraints), "--report", str(report), *requirements]
        subprocess.run(command, check=True)
        content: dict[str, Any] = json.loads(report.read_bytes())
    content["install"] = {canonicalize_name(each["metadata"]["name"]): each for each in content["install"]}
    return content


def make(interpreters: list[str]) -> None:
    """Resolve all requirements under each interpreter and write the locks."""
    groups = requirements_by_group()
    roots = [(group, each) for group, found in groups.items() for each in found]
    core_roots = [(group, each) for group in ("core", "build") for each in groups[group]]
    versions = dict(PINS)
    locks: dict[str, dict[str, Locked]] = {name: {} for name in LOCKS}
    for interpreter in interpreters:
        report = resolve(interpreter, [str(each) for _, each in roots], versions)
        install, environment = report["install"], report["environment"]
        for name, found in install.items():
            versions.setdefault(name, found["metadata"]["version"])

        def needs(name: str, install: dict[str, Any] = install) -> list[str]:
            return install[name]["metadata"].get("requires_dist") or []

        core = transitive(core_roots, needs, environment)
        test = transitive(roots, lambda name: (each for each in needs(name) if not CUDA.match(each)), environment)
        for name, found in install.items():
            lock = "core" if name in core else "test" if name in test and name != "torch" else "torch-cuda"
            locks[lock].setdefault(name, Locked(versions[name])).add(found, environment["python_version"])
        cpu = resolve(interpreter, [f"torch=={PINS['torch']}"], {}, "--no-deps")["install"]["torch"]
        if "+cpu" in cpu["metadata"]["version"]:
            # No marker: without such a build, pip must fail and not skip the line.
            locks["torch-cpu"].setdefault("torch", Locked(cpu["metadata"]["version"])).add(cpu, *PYTHONS)
    for name, path in LOCKS.items():
        if locks[name]:
            path.write_text(lock_text(name, locks[name]), "utf-8")
    everything = {**locks["core"], **locks["test"], "torch": locks["torch-cuda"]["torch"]}
    CONSTRAINTS.write_text(constraints_text(everything), "utf-8")


def lock_text(name: str, packages: dict[str, Locked]) -> str:
    """Return the content of a lock."""
    lines = [HEADER.format(name=name, about=ABOUT[name])]
    lines += ["-r core.lock\n"] if name == "test" else []
    for package, locked in sorted(packages.items()):
        some = sorted(locked.pythons)
        marker = "" if tuple(some) == PYTHONS else " ; " + " or ".join(f'python_version == "{each}"' for each in some)
        hashes = "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(locked.hashes))
        lines.append(f"{package}=={locked.version}{marker}{hashes}\n")
    return "".join(lines)


def constraints_text(packages: dict[str, Locked]) -> str:
    """Return the content of constraints.txt: the versions of the locks, for the Pythons that have locks."""
    lines = ["# Written by tools/make_locks.py: the versions of the locks, for platforms that have no lock.\n"]
    for package, locked in sorted(packages.items()):
        marker = "" if package in PINS else ' ; python_version < "3.14"'
        lines.append(f"{package}=={locked.version}{marker}\n")
    return "".join(lines)


def read_lock(path: Path) -> tuple[dict[str, Locked], list[str]]:
    """Read the packages in a lock, and its invalid lines: no hash, no exact version, or an address."""
    text = path.read_text("utf-8")
    wrong = [line for line in text.splitlines() if line.startswith("#") and "://" in line]
    packages = {}
    for line in re.sub(r" \\\n *", " ", text).splitlines():
        if line.startswith("#") or line == "-r core.lock":
            continue
        entry = ENTRY.fullmatch(line)
        if entry is None:
            wrong.append(line)
            continue
        name, number, marker, hashes = entry.groups()
        pythons = {each for each in PYTHONS if marker is None or Marker(marker).evaluate({"python_version": each})}
        packages[name] = Locked(number, set(hashes.split()), pythons)
    return packages, [f"{path.name}: {line}" for line in wrong]


def problems() -> list[str]:
    """Return the problems of the locks: invalid lines, and requirements that they do not meet."""
    read = {name: read_lock(path) for name, path in LOCKS.items()}
    found = [line for _, wrong in read.values() for line in wrong]
    core, test = read["core"][0], read["test"][0]
    torch = [read[name][0].get("torch", Locked("")) for name in ("torch-cuda", "torch-cpu")]
    if torch[1].version != f"{torch[0].version}+cpu":
        found.append("torch-cpu.lock and torch-cuda.lock need one version of torch")
    everything = {**core, **test, "torch": torch[0]}
    if CONSTRAINTS.read_text("utf-8") != constraints_text(everything):
        found.append("constraints.txt has other versions than the locks")
    found += [f"{name} is in core.lock and in test.lock" for name in core.keys() & test.keys()]
    found += [f"{name} belongs in torch-cuda.lock" for name in everything if CUDA.match(name)]
    groups = requirements_by_group()
    for python in PYTHONS:
        environment = {"python_version": python, "python_full_version": f"{python}.0"}
        for group, stated in groups.items():
            lock = core if group in ("core", "build") else everything
            for name, asking in transitive([(group, each) for each in stated], lambda _: (), environment).items():
                found += unmet(name, asking, lock, python)
    # Also check the requirements of installed packages, because pip installs a lock without checking them.
    roots = [(group, each) for group, stated in groups.items() for each in stated]
    here = transitive(
        roots,
        lambda name: installed_needs(name) if at_locked_version(name, everything) else [],
        {**default_environment()},
    )
    python = default_environment()["python_version"]
    for name, asking in here.items():
        if not CUDA.match(name) and python in PYTHONS:
            found += unmet(name, asking, everything, python)
    return list(dict.fromkeys(found))


def at_locked_version(name: str, lock: dict[str, Locked]) -> bool:
    try:
        return name in lock and version(name).partition("+")[0] == lock[name].version
    except PackageNotFoundError:
        return False


def unmet(name: str, asking: list[tuple[str, Requirement]], lock: dict[str, Locked], python: str) -> list[str]:
    """Return the requirements of a package that a lock does not meet."""
    if name not in lock or python not in lock[name].pythons:
        return [f"no {name} for Python {python}, which {asking[0][0]} needs"]
    number = lock[name].version
    return [
        f"{name}=={number} for Python {python}, but {parent} needs {requirement}"
        for parent, requirement in asking
        if not requirement.specifier.contains(number, prereleases=True)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only report problems")
    parser.add_argument("interpreter", nargs="*", help="one for each Python")
    arguments = parser.parse_args()
    if not arguments.check:
        if len(arguments.interpreter) != len(PYTHONS):
            parser.error(f"name one interpreter for each of {', '.join(PYTHONS)}")
        make(arguments.interpreter)
    wrong = problems()
    for each in wrong:
        print(each)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
