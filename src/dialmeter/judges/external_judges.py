"""External judges: any object of a Python module, and any program that reads JSON lines."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from inspect import isclass
from pathlib import Path
from typing import Any

import msgspec

from ..errors import DialmeterError, UnreadableAnswer, one_line
from ..model import Move
from ..registry import object_at
from .judge import FACETS, Item, Judge, is_pairwise
from .source_digest import command_digest, source_digest


def judge_of_object(text: str, given: Mapping[str, str]) -> Judge:
    """Load the judge ``module:object``: a judge of replies or of pairs, a class of judges, or a function of context and reply.

    The module may be in the current folder. A function declares ``higher_is_better`` as an attribute, or in the
    text: ``my_module:my_function(higher_is_better=true)``.

    Raises:
        DialmeterError: it cannot be imported, is not a judge, or does not declare ``higher_is_better``.

    Example:
        >>> judge = judge_of_object("statistics:mean", {"higher_is_better": "false"})
        >>> judge.name, judge.higher_is_better
        ('statistics:mean', False)
    """
    try:
        thing = object_at(text)
        thing = thing(**given) if isclass(thing) else thing
    except Exception as error:
        raise DialmeterError(f"judge {text} cannot be loaded: {type(error).__name__}: {error}") from None
    if callable(getattr(thing, "score", None)) or is_pairwise(thing):
        return _check_judge(text, thing)
    if not callable(thing):
        raise DialmeterError(f"judge {text} is neither a judge nor a function of context and reply")
    return FunctionJudge(thing, text, _direction(text, thing, given))


def _check_judge(text: str, thing: Any) -> Judge:
    needed = ("name", "facets") if is_pairwise(thing) else ("name", "higher_is_better", "scale", "facets")
    missing = [name for name in needed if not hasattr(thing, name)]
    if missing:
        raise DialmeterError(f"judge {text} has no {', '.join(missing)}; see the protocol in docs/judges.md")
    if not is_pairwise(thing) and not isinstance(thing.higher_is_better, bool):
        raise DialmeterError(f"judge {text}: higher_is_better must be True or False, not {thing.higher_is_better!r}")
    unknown = sorted(set(thing.facets or ()) - set(FACETS))
    if unknown:
        raise DialmeterError(f"judge {text}: unknown facet {unknown[0]!r}; known: {', '.join(FACETS)}")
    judge: Judge = thing
    return judge


def _direction(text: str, thing: Any, given: Mapping[str, str]) -> bool:
    direction = given.get("higher_is_better", getattr(thing, "higher_is_better", None))
    values = {"true": True, "false": False, "True": True, "False": False, True: True, False: False}
    if direction not in values:
        raise DialmeterError(f"judge {text} has no higher_is_better; write {text}(higher_is_better=true), or =false")
    return values[direction]


class FunctionJudge:
    """A judge that calls a function of context and reply."""

    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(self, function: Callable[[Sequence[Move], str], float], name: str, higher_is_better: bool) -> None:
        self.name = name
        self.higher_is_better = higher_is_better
        self.identity = f"{name}@{source_digest(function)}"
        self._function = function

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(self._function(context, reply)) for context, reply in items]


class CommandJudge:
    """A judge that runs a program. The program reads one JSON line per reply and writes one number per line.

    A line is ``{"context": [{"speaker": "..", "text": ".."}], "reply": ".."}``. The program is started once per batch.
    It gets all lines and then the end of its input, so it does not have to flush its output.

    Args:
        command: the program and its arguments; no shell is used.
        name: its name in tables.
        higher_is_better: True if a higher number is a better reply.
        batch_size: the number of replies per batch.

    Example:
        >>> import sys
        >>> judge = CommandJudge([sys.executable, "-c", "import sys; [print(len(line)) for line in sys.stdin]"])
        >>> judge.score([((Move("user", "hello"),), "hi")])
        [61.0]
    """

    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(
        self, command: Sequence[str], name: str = "", higher_is_better: bool = True, batch_size: int = 500
    ) -> None:
        self.name = name or Path(command[0]).name
        self.higher_is_better = higher_is_better
        self.batch_size = batch_size
        self.identity = f"command@{command_digest(command)}"
        self._command = list(command)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        lines = [
            msgspec.json.encode(
                {"context": [{"speaker": move.speaker, "text": move.text} for move in context], "reply": reply}
            )
            for context, reply in items
        ]
        try:
            # The user wrote this command on the command line. It runs without a shell.
            done = subprocess.run(  # noqa: S603
                self._command, input=b"\n".join(lines) + b"\n", capture_output=True, check=False
            )
        except OSError as error:
            raise DialmeterError(f"cannot run {self._command[0]}: {error.strerror or error}") from None
        if done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise DialmeterError(f"{self.name} ended with code {done.returncode}: {one_line(' '.join(last), 300)}")
        return [
            _parse_score(self.name, line)
            for line in done.stdout.decode("utf-8", "replace").splitlines()
            if line.strip()
        ]


def _parse_score(name: str, line: str) -> float:
    try:
        return float(line)
    except ValueError:
        raise UnreadableAnswer(f"{name} wrote {one_line(line)!r}, which is not a number") from None
