"""Words as the built-in judges see them."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Words and signs in lower case.

    Example:
        >>> tokens("Don't go, Ann!")
        ["don't", 'go', ',', 'ann', '!']
    """
    return _TOKEN.findall(text.lower())


def words(text: str) -> list[str]:
    """Words alone.

    Example:
        >>> words("Go, Ann!")
        ['go', 'ann']
    """
    return [token for token in tokens(text) if token[0].isalnum() or token[0] == "_"]
