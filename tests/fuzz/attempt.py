"""One mutated file and one command: what came of it, and whether that is allowed."""

from __future__ import annotations

import re
import resource
import shlex
import time
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from ..golden.execution import call
from .mutator import mutate
from .targets import Target

MOST_SECONDS = 5.0
MOST_MEGABYTES = 500
"""By so much one input may raise the peak of a process, which is at about 75 MB before the first; 600 MB in all are allowed."""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff]")
_CONTROL_8_BIT = re.compile("[\x7f-\x9f]")
"""These may be in data for programs: JSON has no need to escape them."""


class Attempt(NamedTuple):
    """An input, by which it can be made again, and what came of it; ``trouble`` is empty where all is well."""

    kind: str
    command: str
    changes: str
    code: int
    seconds: float
    trouble: str


def draw_input(
    number: int, seed: int, targets: list[Target], originals: dict[str, bytes]
) -> tuple[Target, str, bytes, str]:
    """The input of that number: target, command, content, names of the changes."""
    draw = Random(f"{seed} {number}")
    target = targets[number % len(targets)]
    data, changes = mutate(originals[target.path], draw)
    return target, draw.choice(target.commands), data, changes


def attempt(target: Target, command: str, data: bytes, changes: str, original: bytes) -> Attempt:
    """Runs a command on a mutated file in the working directory, and puts the file back."""
    path = Path(target.path)
    path.write_bytes(data)
    before, started = peak_megabytes(), time.process_time()
    try:
        code, out, err = execute(command, target.path)
    finally:
        path.write_bytes(original)
    seconds = time.process_time() - started
    megabytes = peak_megabytes() - before
    return Attempt(target.kind, command, changes, code, seconds, trouble(command, code, out, err, seconds, megabytes))


def execute(command: str, path: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error; an exception is code 4. ``GET`` is a request to the viewer of ``runs``."""
    try:
        if command.startswith("GET "):
            return _request(command.removeprefix("GET "))
        return call(_words(command.replace("{}", path)))
    except Exception as error:
        return 4, "", f"dialmeter: internal error: escaped: {type(error).__name__}: {error}"


def _request(address: str) -> tuple[int, str, str]:
    """A page of the viewer as the outcome of a command: a page that says what is wrong is a refusal."""
    from starlette.testclient import TestClient

    from dialmeter.viewer.app import make_app
    from dialmeter.viewer.folder import RunFolder

    answer = TestClient(make_app(RunFolder("runs"), hosts=None)).get(address)
    codes = {200: 0, 404: 2}
    message = "" if answer.status_code == 200 else f"dialmeter: the viewer answers with {answer.status_code}"
    return codes.get(answer.status_code, 4), answer.text, message


_words = lru_cache(4096)(shlex.split)


def trouble(command: str, code: int, out: str, err: str, seconds: float, megabytes: float) -> str:
    """What is wrong with an outcome: exit code, messages, processor time, memory that was added, control characters."""
    lines = err.splitlines()
    if code not in (0, 1, 2, 3):
        return f"exit code {code}: {lines[-1] if lines else ''}"
    if code == 2 and not (lines and all(line.startswith("dialmeter: ") for line in lines)):
        return f"exit code 2 without a message of one line: {err[:200]!r}"
    if seconds > MOST_SECONDS:
        return f"{seconds:.1f} s of CPU"
    if megabytes > MOST_MEGABYTES:
        return f"{megabytes:.0f} MB more"
    if "<script>alert" in out and (command.startswith("GET ") or "html" in command):
        return "text of a file is markup in a page"
    for name, text in (("output", out), ("messages", err)):
        found = _CONTROL.search(text)
        if (not found and name == "messages") or not any(
            form in command for form in ("json", "csv", "convert", "values")
        ):
            found = found or _CONTROL_8_BIT.search(text)
        if found:
            return f"control character {found[0]!r} in {name}: {text[max(0, found.start() - 40) : found.end() + 20]!r}"
    return ""


def peak_megabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
