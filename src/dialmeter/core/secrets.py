"""Keys of services: never in a message, a run, a log or a cache."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ..errors import DialmeterError

MASK = "(key)"
IN_ANSWERS = 8
"""A shorter word, such as the ``EMPTY`` that local servers want, may occur in the answer of a model."""
_ESCAPES = {'"': r"\\\"", "\\": r"\\\\", "/": r"\\/", " ": r"\+", "&": "&amp;", "<": "&lt;", ">": "&gt;"}


def read_secret(variable: str) -> str:
    """The key in an environment variable, empty where it is not set.

    Raises:
        DialmeterError: the key has characters that the header of a request cannot carry.
    """
    secret = os.environ.get(variable, "").strip()
    if not (secret.isascii() and secret.isprintable()):
        raise DialmeterError(f"the key in {variable} has characters that are not printable ASCII")
    return secret


def mask_secret(text: str, secret: str, shortest: int = 1) -> str:
    """A text without a secret, also where some of its characters are URL-quoted or escaped as in JSON.

    Args:
        text: what may hold the secret.
        secret: the key; empty where there is none.
        shortest: a secret with fewer characters is not looked for.

    Example:
        >>> mask_secret("bad key sk-a/b+c12, sk-a%2Fb%2bc12, sk-a\\\\/b\\\\u002bc12", "sk-a/b+c12")
        'bad key (key), (key), (key)'
        >>> mask_secret("It is EMPTY", "EMPTY"), mask_secret("It is EMPTY", "EMPTY", shortest=8)
        ('It is (key)', 'It is EMPTY')
    """
    return _pattern(secret).sub(MASK, text) if len(secret) >= shortest else text


@lru_cache(16)
def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, secret)))


def _spellings(character: str) -> str:
    """A character as it is, URL-quoted, and as JSON and HTML escape it."""
    quoted = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    units = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(rf"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
    found = [re.escape(character), f"(?i:{quoted}|{escaped})"]
    if character in _ESCAPES:
        found.append(_ESCAPES[character])
    return f"(?:{'|'.join(found)})"
