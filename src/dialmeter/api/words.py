"""Messages in the words of Python: ``missing='empty'`` instead of ``--set missing=empty``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import DialmeterError, InputError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_WORDS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"--set ([\w.-]+)=([^\s;,)]+)", lambda match: f"{match[1].replace('-', '_')}={match[2]!r}"),
    (r"--columns (\w+)=(\w+)", lambda match: f"columns={{{match[1]!r}: {match[2]!r}}}"),
    (r"--from\b", lambda _: "format="),
    (r"--(gold|only|rules|subject)\b", lambda match: f"{match[1]}="),
    (r"--(measure|judge)\b", lambda match: f"{match[1]}s="),
)
"""Options of the command line in messages, and the keywords of Python."""


def in_python_words(message: str) -> str:
    """Return a message with the keywords of Python instead of the options of the command line.

    Example:
        >>> in_python_words("allow it with --set missing=empty or --only FILE")
        "allow it with missing='empty' or only= FILE"
    """
    for pattern, replace in _WORDS:
        message = re.sub(pattern, replace, message)
    return message


def in_python(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Return a function whose errors have the words of Python."""

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        try:
            return function(*args, **kwargs)
        except DialmeterError as error:
            error.args = tuple(in_python_words(str(each)) for each in error.args)
            if isinstance(error, InputError):
                error.message = in_python_words(error.message)
            raise

    return call
