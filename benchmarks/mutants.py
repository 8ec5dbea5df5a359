"""How many small faults in the source do the tests notice?

    python benchmarks/mutants.py map FOLDER [arguments of pytest]   which tests run which lines, and how long they take
    python benchmarks/mutants.py sample FOLDER                      draw faults over all packages
    python benchmarks/mutants.py run FOLDER                         run each fault against the fastest tests that run its line

A fault (a mutant) is one small change: another comparison, minus for plus, ``or`` for ``and``, a number one larger, a negated
condition, ``None`` returned. It is killed if a test fails. Faults are made in a copy of the repository. A sample names its lines by
their text, so that it stays the same sample when the source moves; the map must be that of the source as it is. Maps need the
package coverage (``pip install coverage``), which nothing else needs.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import os
import random
import re
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
SECONDS = 60
NOT_RUN = "not run"
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
    """Yield the mutants of a file: its lines as they are, and as they become."""
    text = path.read_text("utf-8")
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for kind, old, new in (change for node in walk(ast.parse(text)) for change in changes(node)):
        last, end = old.end_lineno or old.lineno, old.end_col_offset or 0
        head, tail = lines[old.lineno - 1][: old.col_offset], lines[last - 1][end:]
        yield {
            "path": path.relative_to(ROOT).as_posix(),
            "line": old.lineno,
            "kind": kind,
            "before": b"".join(lines[old.lineno - 1 : last]).decode(),
            "after": (head + f"({ast.unparse(new)})".encode() + tail).decode(),
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
    """Where a mutant's lines are now: in its file, nearest to where they were, or in the only other file that has them."""
    own = ROOT / mutant["path"]
    files = [own] if own.exists() and mutant["before"] in own.read_text("utf-8") else sorted(SOURCE.rglob("*.py"))
    found = [(path, text) for path in files if mutant["before"] in (text := path.read_text("utf-8"))]
    if len(found) != 1:
        return None
    path, text = found[0]
    starts = [match.start() for match in re.finditer(re.escape(mutant["before"]), text)]
    return path, min((text[:at].count("\n") + 1 for at in starts), key=lambda line: abs(line - mutant["line"]))


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

    coverage = importlib.import_module("coverage")

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
    """The tests that run a line, the fastest first, of all recordings in a folder."""

    def __init__(self, folder: Path) -> None:
        coverage = importlib.import_module("coverage")
        self.seconds: dict[str, float] = {}
        self.recordings = []
        for times in sorted(folder.glob("*.seconds.json")):
            self.seconds |= json.loads(times.read_text())
            data = coverage.CoverageData(str(times).replace("seconds.json", "coverage"))
            data.read()  # nothing, where the recording has not ended
            self.recordings.append((data, {name.rpartition("/src/")[2]: name for name in data.measured_files()}))

    def tests(self, path: Path, line: int) -> list[str]:
        name = path.relative_to(SOURCE).as_posix()
        found = {
            test
            for data, files in self.recordings
            if name in files
            for test in data.contexts_by_lineno(files[name]).get(line, ())
            if test in self.seconds and is_there(test)
        }
        return sorted(found, key=lambda test: (self.seconds[test], test))


def is_there(test: str) -> bool:
    """Is a test that was recorded still in its file?"""
    file, _, name = test.partition("::")
    path, function = ROOT / file, name.rpartition("::")[2].partition("[")[0]
    return path.exists() and (not file.startswith("tests/") or f"def {function}(" in path.read_text("utf-8"))


def run(folder: Path, results: Path, limit: int, only: set[int]) -> None:
    """Run the mutants that have no result yet, or only some."""
    sample = json.loads((folder / "sample.json").read_text())
    known = json.loads(results.read_text()) if results.exists() else {}
    tests_of = Map(folder).tests
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary) / "tree"
        ignored = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "node_modules", "site")
        shutil.copytree(ROOT, tree, ignore=ignored, symlinks=True)
        for number, mutant in enumerate(sample):
            if known.get(str(number), {}).get("state", NOT_RUN) != NOT_RUN or (only and number not in only):
                continue
            found = place(mutant)
            tests = tests_of(*found)[:limit] if found else []
            outcome = {"state": NOT_RUN if found else "gone", "tests": len(tests)}
            if found and tests:
                outcome |= attempt(tree / found[0].relative_to(ROOT), found[1], mutant, tests, tree)
            known[str(number)] = outcome
            results.write_text(json.dumps(known, indent=0))
            print(number, mutant["path"], mutant["line"], mutant["kind"], outcome, flush=True)
    states = Counter(outcome["state"] for outcome in known.values())
    print(
        dict(states), f"killed {states['killed'] / (states['killed'] + states['survived']):.1%} of those that are run"
    )


def attempt(file: Path, line: int, mutant: dict[str, Any], tests: list[str], tree: Path) -> dict[str, Any]:
    """Run tests on a copy of the repository with a fault in it. A fault that takes too long is noticed, too."""
    original, now = file.read_text("utf-8"), time.time()
    lines = original.splitlines(keepends=True)
    rest = "".join(lines[line - 1 :]).replace(mutant["before"], mutant["after"], 1)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    try:
        file.write_text("".join(lines[: line - 1]) + rest, "utf-8")
        os.utime(file, (now + line, now + line))  # another time than before, so that no old bytecode is used
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"state": "killed", "by": "no end"}
    finally:
        file.write_text(original, "utf-8")
        os.utime(file, (now - line, now - line))
    if done.returncode in (4, 5):
        return {"state": "broken", "by": f"the map is old: {done.stderr[-300:]}"}
    named = [each.split(" - ")[0] for each in done.stdout.splitlines() if each.startswith(("FAILED", "ERROR"))]
    return {"state": "killed" if done.returncode else "survived", "by": named[0] if named else ""}


def main() -> int:
    sys.path[0] = str(ROOT)  # benchmarks/ has a coverage.py of its own
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["map", "sample", "run"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", default="results.json", help="where outcomes are kept, in FOLDER")
    parser.add_argument("--tests", type=int, default=40, help="at most so many tests for a mutant, the fastest ones")
    parser.add_argument("--only", default="", help="numbers of mutants")
    options, rest = parser.parse_known_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.task == "map":
        return make_map(options.folder, rest)
    if options.task == "sample":
        (options.folder / "sample.json").write_text(json.dumps(draw(options.number, options.seed), indent=1))
    else:
        only = {int(number) for number in options.only.split(",") if number}
        run(options.folder, options.folder / options.results, options.tests, only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
