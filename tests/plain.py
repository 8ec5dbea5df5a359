"""A process in which dialmeter runs without its compiled modules, to hold compiled and plain code to the same results.

Run as a script with ``DIALMETER_PLAIN=1`` in its environment, this file loads every module that has a compiled twin from its
``.py`` file, and then answers questions: the name of a function of ``accounts`` and its arguments.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class PlainFinder(importlib.abc.MetaPathFinder):
    """Finds the ``.py`` files of dialmeter's modules before their compiled twins."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("dialmeter.") or path is None:
            return None
        file = Path(path[0]) / f"{fullname.rpartition('.')[2]}.py"
        return importlib.util.spec_from_file_location(fullname, file) if file.exists() else None


def twins(package: Path) -> list[str]:
    """The modules of a package that are there both as ``.py`` and compiled."""
    files = [file for suffix in EXTENSION_SUFFIXES for file in package.rglob(f"*{suffix}")]
    sources = {file.with_name(f"{file.name.partition('.')[0]}.py") for file in files}
    names = [file.relative_to(package.parent).with_suffix("").parts for file in sources if file.exists()]
    return sorted(".".join(name) for name in names)


class PlainProcess:
    """Answers questions with plain code."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "DIALMETER_PLAIN": "1"},
        )
        self._owes_answer = False

    def ask(self, function: str, *arguments: Any) -> None:
        """Asks for the result of a function of ``accounts``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self._owes_answer:
            # A test has failed before it took the answer. The process would wait for ever to be rid of it.
            pickle.load(self._process.stdout)
        self._owes_answer = True
        pickle.dump((function, arguments), self._process.stdin)
        self._process.stdin.flush()

    def answer(self) -> Any:
        """The answer to the question that was asked last."""
        assert self._process.stdout is not None
        found, error = pickle.load(self._process.stdout)
        self._owes_answer = False
        assert not error, error
        return found

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def _serve() -> None:
    if os.environ.get("DIALMETER_PLAIN"):
        sys.meta_path.insert(0, PlainFinder())
    import accounts

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = getattr(accounts, function)(*arguments), ""
        except Exception as error:
            answer = None, f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    _serve()
