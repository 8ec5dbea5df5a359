"""Count the files of dialmeter that one dialogue passes through, and the calls from one file to another.

Run with `python benchmarks/hops.py [--edges N]`. Each command scores one dialogue (or one case) of the sample files in this
process, under `sys.setprofile`. Calls while a module is imported do not count, and compiled modules are seen only where they call
Python functions.
"""

import argparse
import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import dialmeter
from dialmeter.cli.main import cli

ROOT = str(Path(dialmeter.__file__).parent)
COMMANDS = {
    "tracker": ("new.jsonl", []),
    "user": ("agenda.jsonl", ["--subject", "user"]),
    "judge": ("cases.jsonl", ["--judge", "overlap"]),
    "system": ("desk-new.json", []),
}
_FUNCTION = 1  # the flag of code that is a function, and not the body of a module or a class


class Trace:
    """The files that were entered, and the number of calls by the file of the caller and of the callee."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.edges: Counter[tuple[str, str]] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(ROOT) or not frame.f_code.co_flags & _FUNCTION:
            return
        callers = []
        outer = frame.f_back
        while outer is not None:
            if outer.f_code.co_filename.startswith("<frozen importlib"):
                return
            callers.append(outer.f_code.co_filename)
            outer = outer.f_back
        self.files.add(file)
        caller = next((each for each in callers if each.startswith(ROOT)), file)
        if caller != file:
            self.edges[os.path.relpath(caller, ROOT), os.path.relpath(file, ROOT)] += 1


def traced(words: list[str]) -> Trace:
    """Run a command under the trace."""
    trace = Trace()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(trace)
        try:
            cli(words)
        except SystemExit as end:
            if end.code:
                raise
        finally:
            sys.setprofile(None)
    return trace


def main() -> None:
    """Print one line per command."""
    parser = argparse.ArgumentParser(description="Count files and calls between files for one dialogue.")
    parser.add_argument("--edges", type=int, default=0, help="Also list the most frequent calls between two files.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        traced(["demo", str(Path(folder, "sample")), "--files-only", "-q"])
        for name, (file, words) in COMMANDS.items():
            path = Path(folder, "sample", file)
            if file.endswith(".jsonl"):
                path.write_text(path.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
            trace = traced(["score", str(path), *words])
            print(f"{name:14} {len(trace.files):3} files, {trace.edges.total():5} calls between files")
            for (caller, callee), count in trace.edges.most_common(options.edges):
                print(f"    {count:5} {caller} → {callee}")


if __name__ == "__main__":
    main()
