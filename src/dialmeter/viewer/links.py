"""Addresses of pages, on a server or as files in one folder, and the content security policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from ..views.html_env import with_params

SERVER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
"""Content security policy: a page may load only its own script, style and images."""


class Links:
    """Addresses of the pages of the server.

    Example:
        >>> Links().rows("a b/c", {"slot": "ferry-to"})
        '/rows/a%20b/c?slot=ferry-to'
    """

    static = False
    """Whether pages are files, which cannot answer a query."""
    policy = ""
    """Content security policy in a page; empty if the server sends it as a header."""

    def home(self) -> str:
        """Return the address of the list of runs."""
        return "/"

    def home_sorted(self, column: str, down: bool, q: str) -> str:
        """Return the address of the list of runs in another order."""
        params = {"sort": column, "order": "down" if down else "", "q": q}
        return with_params("/", {name: text for name, text in params.items() if text})

    def run(self, key: str) -> str:
        """Return the address of a run."""
        return f"/run/{quote(key)}"

    def rows(self, key: str, params: Mapping[str, str]) -> str:
        """Return the address of the rows of a run."""
        return with_params(f"/rows/{quote(key)}", params)

    def row(self, key: str, position: int, params: Mapping[str, str]) -> str:
        """Return the address of one row."""
        return with_params(f"/row/{position}/{quote(key)}", params)

    def compare_form(self) -> str:
        """Return the address that the form with selected runs is sent to."""
        return "/compare"

    def compare(self, keys: Sequence[str], params: Mapping[str, str]) -> str:
        """Return the address of the comparison of runs."""
        return f"/compare?{urlencode([*(('run', key) for key in keys), *params.items()])}"

    def pair(self, keys: Sequence[str], position: int, params: Mapping[str, str]) -> str:
        """Return the address of one row of two runs."""
        return f"/pair/{position}?{urlencode([*(('run', key) for key in keys), *params.items()])}"

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or script."""
        return f"/assets/{name}"


class BundleLinks(Links):
    """Names of files in one folder. A query is part of the fragment after #; a script reads it.

    Example:
        >>> links = BundleLinks(["a/b", "c"])
        >>> links.rows("c", {"slot": "ferry-to"}), links.row("a/b", 7, {})
        ('run-2-rows.html#rows&slot=ferry-to', 'run-1-row-7.html')
    """

    static = True
    policy = SERVER_POLICY

    def __init__(self, keys: list[str]) -> None:
        self._numbers = {key: number for number, key in enumerate(keys, 1)}

    def home(self) -> str:
        """Return the address of the list of runs."""
        return "index.html"

    def home_sorted(self, column: str, down: bool, q: str) -> str:
        """Return the list of runs: a file has only one order."""
        return "index.html"

    def run(self, key: str) -> str:
        """Return the address of a run."""
        return f"run-{self._numbers[key]}.html"

    def rows(self, key: str, params: Mapping[str, str]) -> str:
        """Return the address of the rows of a run."""
        return f"run-{self._numbers[key]}-rows.html" + (f"#rows&{urlencode(params)}" if params else "")

    def row(self, key: str, position: int, params: Mapping[str, str]) -> str:
        """Return the file of one row; it does not depend on the query."""
        return f"run-{self._numbers[key]}-row-{position}.html"

    def compare_form(self) -> str:
        """Return the list of runs: a file has no form."""
        return "index.html"

    def compare(self, keys: Sequence[str], params: Mapping[str, str]) -> str:
        """Return the file of two runs, in the only order of the bundle."""
        return f"compare-{'-'.join(str(self._numbers[key]) for key in keys)}.html"

    def pair(self, keys: Sequence[str], position: int, params: Mapping[str, str]) -> str:
        """Return the address of one row of two runs."""
        return f"compare-{'-'.join(str(self._numbers[key]) for key in keys)}-row-{position}.html"

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or script."""
        return name
