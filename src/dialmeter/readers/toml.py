"""TOML files: rule sets and profiles."""

from __future__ import annotations

import tomllib
from typing import Any

from ..errors import InputError


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Args:
        text: the file.
        name: of the file, for messages.

    Raises:
        InputError: not valid TOML.

    Example:
        >>> parse_toml("[values]\\nlower = true", "mine.toml")
        {'values': {'lower': True}}
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:  # of the syntax, or a number with thousands of digits
        raise InputError(f"not valid TOML: {error}", file=name) from None
    except RecursionError:
        raise InputError("TOML nested too deeply", file=name) from None
