"""How many small faults in the source do the tests notice?

    python benchmarks/mutants.py map FOLDER [arguments of pytest]   which tests run which lines, and how long they take (needs `coverage`)
    python benchmarks/mutants.py sample FOLDER                      draw faults over all packages
    python benchmarks/mutants.py run FOLDER                         run each fault against the tests that run its line

A fault (a mutant) is one small change: another comparison, minus for plus, ``or`` for ``and``, a number one larger, a
negated condition, ``None`` returned. It is killed if a test fails. Faults are made in a copy of the repository. A sample
names its lines by their text, so that it stays the same sample when the source moves.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
COMPILED = ("strict_json", "layers", "vocabulary", "raw_turns", "cells", "walk", "counting")
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
UNTOUCHED = ("annotation", "returns", "decorator_list", "type_params")


def changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield the name of each change of a node, the expression that it replaces, and what comes there."""

    def changed(expression: ast.expr, **fields: Any) -> ast.expr:
        new = copy.copy(expression)
        for name, value in fields.items():
            setattr(new, name, value)
        return new

    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "comparison", node, changed(node, ops=[SWAPS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not isinstance(node.left, ast.JoinedStr):
        yield "arithmetic", node, changed(node, op=SWAPS[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield "and/or", node, changed(node, op=SWAPS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed", node, node.operand
    elif isinstance(node, ast.Constant) and isinstance(value := node.value, int | float):
        yield "constant", node, ast.Constant(not value if isinstance(value, bool) else value + 1)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", node.test, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield "filter", node.ifs[0], ast.Constant(True)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returned", node.value, ast.Constant(None)


def walk(node: ast.AST, inside: bool = False) -> Iterator[ast.AST]:
    """Yield what is run inside functions: no annotation, no text with fields (its places are unknown before Python 3.12)."""
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in UNTOUCHED or isinstance(child, ast.JoinedStr):
                continue
            if inside:
                yield child
            yield from walk(child, inside)


def mutants(path: Path) -> Iterator[dict[str, Any]]:
    text = path.read_bytes().decode()
    lines = text.splitlines(keepends=True)
    for node in walk(ast.parse(text)):
        for kind, old, new in changes(node):
            assert old.end_lineno is not None
            assert old.end_col_offset is not None
            block = "".join(lines[old.lineno - 1 : old.end_lineno]).encode()
            tail = len(lines[old.end_lineno - 1].encode()) - old.end_col_offset
            after = block[: old.col_offset] + f"({ast.unparse(new)})".encode() + block[len(block) - tail :]
            yield {
                "path": path.relative_to(ROOT).as_posix(),
                "line": old.lineno,
                "kind": kind,
                "before": block.decode(),
                "after": after.decode(),
            }


def draw(number: int, seed: int) -> list[dict[str, Any]]:
    """Draw from each package by the number of its lines, at most one mutant a line."""
    pool: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.stem not in COMPILED:
            for mutant in mutants(path):
                pool.setdefault((mutant["path"], mutant["line"]), []).append(mutant)
    generator = random.Random(seed)
    return [generator.choice(pool[key]) for key in sorted(generator.sample(sorted(pool), number))]


def place(mutant: dict[str, Any]) -> tuple[Path, int] | None:
    """Where a mutant's lines are now: in its file, nearest to where they were, else in the only other file that has them."""
    found = []
    for path in {ROOT / mutant["path"]: 0, **dict.fromkeys(sorted(SOURCE.rglob("*.py")))}:
        if path.exists() and mutant["before"] in (text := path.read_text()):
            starts = [text[:at].count("\n") + 1 for at in range(len(text)) if text.startswith(mutant["before"], at)]
            found.append((path, min(starts, key=lambda line: abs(line - mutant["line"]))))
            if path == ROOT / mutant["path"]:
                break
    return found[0] if found and (len(found) == 1 or found[0][0] == ROOT / mutant["path"]) else None


class Contexts:
    """A plug-in for pytest: lines are recorded for each test, and its seconds."""

    def __init__(self, coverage: Any) -> None:
        self.coverage, self.seconds = coverage, Counter[str]()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration


def make_map(folder: Path, arguments: list[str]) -> int:
    import pytest

    coverage = importlib.import_module("coverage")  # benchmarks/ has a coverage.py of its own

    number = len(list(folder.glob("*.seconds.json")))
    times = folder / f"{number}.seconds.json"
    times.write_text("{}")
    recorder = coverage.Coverage(str(folder / f"{number}.coverage"), source=[str(SOURCE)], config_file=False)
    recorder.start()
    plugin = Contexts(recorder)
    code = pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", *arguments], plugins=[plugin])
    recorder.stop()
    recorder.save()
    times.write_text(json.dumps(plugin.seconds, indent=0))
    return int(code)


class Map:
    """The tests that run a line, the fastest first; a later recording of a test file replaces an earlier one."""

    def __init__(self, folder: Path) -> None:
        coverage = importlib.import_module("coverage")
        self.seconds: dict[str, float] = {}
        self.recordings = []
        owners: dict[str, int] = {}
        for number in range(len(list(folder.glob("*.seconds.json")))):
            seconds = json.loads((folder / f"{number}.seconds.json").read_text())
            self.seconds |= seconds
            owners |= {file: number for test in seconds if (ROOT / (file := test.split("::")[0])).exists()}
            data = coverage.CoverageData(str(folder / f"{number}.coverage"))
            data.read()  # nothing, where the recording has not ended
            self.recordings.append((data, {name.rpartition("/src/")[2]: name for name in data.measured_files()}))
        self.owners = owners

    def tests(self, path: Path, line: int) -> list[str]:
        name = path.relative_to(SOURCE).as_posix()
        found = {
            test
            for number, (data, files) in enumerate(self.recordings)
            if name in files
            for test in data.contexts_by_lineno(files[name]).get(line, ())
            if test and self.owners.get(test.split("::")[0]) == number
        }
        return sorted(found, key=lambda test: (self.seconds[test], test))


def run(folder: Path, results: Path, limit: int, timeout: float, only: set[int]) -> None:
    sample = json.loads((folder / "sample.json").read_text())
    known = json.loads(results.read_text()) if results.exists() else {}
    tests_of = Map(folder).tests
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "node_modules", "site")
        shutil.copytree(ROOT, tree, ignore=ignored, symlinks=True)
        environment = os.environ | {"PYTHONPATH": f"{tree / 'src'}"}
        for number, mutant in enumerate(sample):
            if known.get(str(number), {}).get("state", "not run") != "not run" or (only and number not in only):
                continue
            found = place(mutant)
            tests = tests_of(*found)[:limit] if found else []
            outcome = {"state": "not run" if found else "gone", "tests": len(tests)}
            if found and tests:
                file = tree / found[0].relative_to(ROOT)
                original = file.read_bytes()
                lines = original.decode().splitlines(keepends=True)
                text = "".join(lines[: found[1] - 1]), "".join(lines[found[1] - 1 :])
                file.write_text(text[0] + text[1].replace(mutant["before"], mutant["after"], 1))
                os.utime(file, (time.time() + number, time.time() + number))  # no old bytecode is used
                command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
                outcome |= attempt(command, tree, environment, timeout)
                file.write_bytes(original)
                os.utime(file, (time.time() - number - 1, time.time() - number - 1))
            known[str(number)] = outcome
            results.write_text(json.dumps(known, indent=0))
            print(number, mutant["path"], mutant["line"], mutant["kind"], outcome, flush=True)
    states = Counter(outcome["state"] for outcome in known.values())
    print(
        dict(states), f"killed {states['killed'] / (states['killed'] + states['survived']):.1%} of those that are run"
    )


def attempt(command: list[str], tree: Path, environment: dict[str, str], timeout: float) -> dict[str, Any]:
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return {"state": "killed", "by": "no end"}
    named = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode in (4, 5):  # no such test: the map is old
        return {"state": "broken", "by": done.stderr[-300:]}
    return {"state": "survived" if done.returncode == 0 else "killed", "by": (named or [""])[0]}


def main() -> int:
    sys.path[0] = str(ROOT)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["map", "sample", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", default="results.json", help="where outcomes are kept, in FOLDER")
    parser.add_argument("--tests", type=int, default=40, help="at most so many tests for a mutant, the fastest ones")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--only", default="", help="numbers of mutants")
    options, rest = parser.parse_known_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.task == "map":
        return make_map(options.folder, rest)
    if options.task == "sample":
        (options.folder / "sample.json").write_text(json.dumps(draw(options.number, options.seed), indent=1))
        return 0
    only = {int(number) for number in options.only.split(",") if number}
    run(options.folder, options.folder / options.results, options.tests, options.timeout, only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
