"""External judges: any object of a Python module, and any program that reads JSON lines.

Scores are stored by what made them, so both have digests of their source files and parameters.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import isclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import msgspec

from ..errors import DialmeterError, UnreadableAnswer, one_line
from ..model import Move
from ..registry import object_at
from .judge import FACETS, Item, Judge, JudgeDefaults, is_pairwise

_KNOWN = sys.stdlib_module_names | {"dialmeter"}
"""Packages whose files do not count: the version in a signature stands for them."""


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
        loaded = object_at(text)
        loaded = loaded(**given) if isclass(loaded) else loaded
    except Exception as error:
        raise DialmeterError(f"judge {text} cannot be loaded: {type(error).__name__}: {error}") from None
    if callable(getattr(loaded, "score", None)) or is_pairwise(loaded):
        return _check_judge(text, loaded)
    if not callable(loaded):
        raise DialmeterError(f"judge {text} is neither a judge nor a function of context and reply")
    return FunctionJudge(loaded, text, _direction(text, loaded, given))


def _check_judge(text: str, judge: Any) -> Judge:
    needed = ("name", "facets") if is_pairwise(judge) else ("name", "higher_is_better", "scale", "facets")
    missing = [name for name in needed if not hasattr(judge, name)]
    if missing:
        raise DialmeterError(f"judge {text} has no {', '.join(missing)}; see the protocol in docs/judges.md")
    if not is_pairwise(judge) and not isinstance(judge.higher_is_better, bool):
        raise DialmeterError(f"judge {text}: higher_is_better must be True or False, not {judge.higher_is_better!r}")
    unknown = sorted(set(judge.facets or ()) - set(FACETS))
    if unknown:
        raise DialmeterError(f"judge {text}: unknown facet {unknown[0]!r}; known: {', '.join(FACETS)}")
    checked: Judge = judge
    return checked


def _direction(text: str, function: Any, given: Mapping[str, str]) -> bool:
    direction = given.get("higher_is_better", getattr(function, "higher_is_better", None))
    values = {"true": True, "false": False, "True": True, "False": False, True: True, False: False}
    if direction not in values:
        raise DialmeterError(f"judge {text} has no higher_is_better; write {text}(higher_is_better=true), or =false")
    return values[direction]


class FunctionJudge(JudgeDefaults):
    """A judge that calls a function of context and reply."""

    def __init__(self, function: Callable[[Sequence[Move], str], float], name: str, higher_is_better: bool) -> None:
        self.name = name
        self.higher_is_better = higher_is_better
        self.identity = f"{name}@{source_digest(function)}"
        self._function = function

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [float(self._function(context, reply)) for context, reply in items]


class CommandJudge(JudgeDefaults):
    """A judge that runs a program. The program reads one JSON line per reply and writes one number per line.

    A line is ``{"context": [{"speaker": "..", "text": ".."}], "reply": ".."}``. The program is started once per batch.
    It gets all lines and then the end of its input, so it does not have to flush its output.

    Args:
        run: the program and its arguments; no shell is used.
        lower: a lower number is a better reply.
        batch: the number of replies per batch.

    Example:
        >>> judge = CommandJudge(f"{sys.executable} -c 'import sys; [print(len(line)) for line in sys.stdin]'")
        >>> judge.score([((Move("user", "hello"),), "hi")])
        [61.0]
    """

    def __init__(self, run: str, lower: bool = False, batch: int = 500) -> None:
        self._command = shlex.split(run)
        if not self._command:
            raise DialmeterError('judge cmd needs a program, as in cmd(run="python3 program.py")')
        self.name = Path(self._command[0]).name
        self.higher_is_better = not lower
        self.batch_size = batch
        self.identity = f"command@{command_digest(self._command)}"

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
            said = f": {one_line(' '.join(last), 300)}" if last else ""
            raise DialmeterError(f"{self.name} ended with code {done.returncode}{said}")
        scores = []
        for line in filter(str.strip, done.stdout.decode("utf-8", "replace").splitlines()):
            try:
                scores.append(float(line))
            except ValueError:
                raise UnreadableAnswer(f"{self.name} wrote {one_line(line)!r}, which is not a number") from None
        return scores


def source_digest(judge: object) -> str:
    """Ten hexadecimal digits for a judge or a function without an identity: the files of its classes, and all attributes.

    If an attribute is the path of a file, the content of the file counts.

    Example:
        >>> class Mine:
        ...     def __init__(self, weight):
        ...         self.weight = weight
        >>> source_digest(Mine(1)) == source_digest(Mine(1)), source_digest(Mine(1)) == source_digest(Mine(2))
        (True, False)
    """
    classes = [each for each in type(judge).__mro__ if each.__module__.partition(".")[0] not in _KNOWN]
    modules = [sys.modules.get(each.__module__) for each in (judge, *classes)]
    files = [_content(getattr(module, "__file__", None) or "") for module in modules]
    slots = {key: getattr(judge, key, None) for each in classes for key in getattr(each, "__slots__", ())}
    attributes = [vars(each) for each in classes] + [slots, getattr(judge, "__dict__", {})]
    values = [
        [key, _content(value) if isinstance(value, str) else _encode(value)]
        for each in attributes
        for key, value in sorted(each.items())
        if not key.startswith("__") or isinstance(value, FunctionType)
    ]
    return _digest([files, values, _encode(judge) if isinstance(judge, FunctionType) else ""])


def command_digest(command: Sequence[str]) -> str:
    """Ten hexadecimal digits for a command: the content of its program and of each argument that is a file, and the other arguments.

    Example:
        >>> command_digest(["no-such-program", "-v"]) == command_digest(["no-such-program", "-q"])
        False
    """
    return _digest([_content(shutil.which(command[0]) or command[0]), *map(_content, command[1:])])


def _digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:10]


def _encode(value: Any) -> str:
    """A value as text that is the same in every process; the name of its type if there is no such text."""
    try:
        return msgspec.json.encode(value, enc_hook=_describe, order="deterministic").decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return type(value).__qualname__


def _describe(value: Any) -> Any:
    """What stands for a value of a type that msgspec does not encode."""
    if isinstance(value, CodeType):
        # Byte code differs between versions of Python, so code in a file is described by its place.
        in_file = Path(value.co_filename).is_file()
        return value.co_firstlineno if in_file else [value.co_code, value.co_names, value.co_consts]
    if isinstance(value, FunctionType):
        outer = [cell.cell_contents for cell in value.__closure__ or ()]
        return [value.__qualname__, value.__code__, outer, value.__defaults__, value.__kwdefaults__, vars(value)]
    if hasattr(value, "tobytes"):
        return hashlib.sha256(value.tobytes()).hexdigest()
    # A text with an address differs between processes.
    text = repr(value)
    return text if " at 0x" not in text else [type(value).__qualname__, getattr(value, "__qualname__", vars(value))]


def _content(word: str) -> str:
    """The digest of the file that a word names, also after an equals sign; the word itself if there is no such file."""
    option, equals, path = word.rpartition("=")
    try:
        for prefix, each in (("", word), (option + equals, path)):
            if Path(each).is_file():
                return f"{prefix}sha256:{hashlib.sha256(Path(each).read_bytes()).hexdigest()}"
    except (OSError, ValueError):
        pass
    return word
