"""API keys: read them, and mask them so that they never appear in a message, a run, a log or a cache."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ..errors import DialmeterError

MASK = "(key)"
SHORTEST_IN_ANSWERS = 8
"""Keys shorter than this are not masked in answers of models. A local server may need a key such as ``EMPTY``, which may also occur
as a word in an answer."""
_ESCAPES = {'"': r"\\\"", "\\": r"\\\\", "/": r"\\/", " ": r"\+", "&": "&amp;", "<": "&lt;", ">": "&gt;"}


def read_secret(variable: str) -> str:
    """Return the key in an environment variable; empty if the variable is not set.

    Raises:
        DialmeterError: the key has characters that are not allowed in a request header.
    """
    secret = os.environ.get(variable, "").strip()
    if not (secret.isascii() and secret.isprintable()):
        raise DialmeterError(f"the key in {variable} has characters that are not printable ASCII")
    return secret


def mask_queries(text: str) -> str:
    """Return a text with the queries of addresses masked, because they may hold a key.

    Example:
        >>> mask_queries("no judge 'llm(endpoint=http://127.0.0.1/v1?key=sk-1, model=m'")
        "no judge 'llm(endpoint=http://127.0.0.1/v1?(key), model=m'"
    """
    return re.sub(r"(?i)\b(https?://[^\s?#,]*[?#])[^\s\"',)]+", rf"\1{MASK}", text)


def mask_secret(text: str, secret: str, shortest: int = 1) -> str:
    """Return a text with the secret masked, even if some of its characters are URL-quoted, or escaped as in JSON or HTML.

    Args:
        text: may contain the secret.
        secret: the key; empty if there is none.
        shortest: a secret with fewer characters is not masked.

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
    """Return a pattern for a character: literal, URL-quoted, and escaped as in JSON and HTML."""
    quoted = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    units = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(rf"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
    spellings = [re.escape(character), f"(?i:{quoted}|{escaped})"]
    if character in _ESCAPES:
        spellings.append(_ESCAPES[character])
    return f"(?:{'|'.join(spellings)})"
