"""Addresses of pages: of a server, or files in one folder; and what a page may load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

from ..views.html_env import with_params

SERVER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
"""What a page may load: its own script and style, and nothing from elsewhere."""


class Links:
    """Addresses of the pages of the server.

    Example:
        >>> Links().rows("a b/c", {"slot": "ferry-to"})
        '/rows/a%20b/c?slot=ferry-to'
    """

    static = False
    """Are pages files, which cannot answer a query?"""
    policy = ""
    """The content security policy in a page; the server sends its own."""

    def home(self) -> str:
        """The list of runs."""
        return "/"

    def home_sorted(self, column: str, down: bool, q: str) -> str:
        """The list of runs in another order."""
        params = {"sort": column, "order": "down" if down else "", "q": q}
        return with_params("/", {name: text for name, text in params.items() if text})

    def run(self, key: str) -> str:
        """One run."""
        return f"/run/{quote(key)}"

    def rows(self, key: str, params: Mapping[str, str]) -> str:
        """The rows of a run."""
        return with_params(f"/rows/{quote(key)}", params)

    def row(self, key: str, position: int, params: Mapping[str, str]) -> str:
        """One row."""
        return with_params(f"/row/{position}/{quote(key)}", params)

    def compare_form(self) -> str:
        """Where the form with chosen runs goes."""
        return "/compare"

    def compare(self, keys: Sequence[str], params: Mapping[str, str]) -> str:
        """Several runs."""
        return f"/compare?{urlencode([*(('run', key) for key in keys), *params.items()])}"

    def pair(self, keys: Sequence[str], position: int, params: Mapping[str, str]) -> str:
        """One row of two runs."""
        return f"/pair/{position}?{urlencode([*(('run', key) for key in keys), *params.items()])}"

    def asset(self, name: str) -> str:
        """A style sheet or script."""
        return f"/assets/{name}"


class BundleLinks(Links):
    """Names of files in one folder. A query follows #, where a script reads it.

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
        """The list of runs."""
        return "index.html"

    def home_sorted(self, column: str, down: bool, q: str) -> str:
        """The list of runs: a file has one order."""
        return "index.html"

    def run(self, key: str) -> str:
        """One run."""
        return f"run-{self._numbers[key]}.html"

    def rows(self, key: str, params: Mapping[str, str]) -> str:
        """The rows of a run."""
        return f"run-{self._numbers[key]}-rows.html" + (f"#rows&{urlencode(params)}" if params else "")

    def row(self, key: str, position: int, params: Mapping[str, str]) -> str:
        """One row, whatever the list."""
        return f"run-{self._numbers[key]}-row-{position}.html"

    def compare_form(self) -> str:
        """The list of runs: a file has no form."""
        return "index.html"

    def compare(self, keys: Sequence[str], params: Mapping[str, str]) -> str:
        """Two runs, in the only order of the bundle."""
        return f"compare-{'-'.join(str(self._numbers[key]) for key in keys)}.html"

    def pair(self, keys: Sequence[str], position: int, params: Mapping[str, str]) -> str:
        """One row of two runs."""
        return f"compare-{'-'.join(str(self._numbers[key]) for key in keys)}-row-{position}.html"

    def asset(self, name: str) -> str:
        """A style sheet or script."""
        return name
