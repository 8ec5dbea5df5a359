"""Addresses of pages, on a server or as files in one folder, and the content security policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, urlencode

from ..views.html_env import with_params

SERVER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
"""Content security policy: a page may load only its own script, style and images."""


class Links:
    """Addresses of the pages of the server; or, with the keys of the runs of a bundle, names of files in one folder.

    A file cannot answer a query. The query of a list of rows is part of the fragment after #, and a script reads it.

    Example:
        >>> Links().rows("a b/c", {"slot": "ferry-to"})
        '/rows/a%20b/c?slot=ferry-to'
        >>> files = Links(["a/b", "c"])
        >>> files.rows("c", {"slot": "ferry-to"}), files.row("a/b", 7, {})
        ('run-2-rows.html#rows&slot=ferry-to', 'run-1-row-7.html')
    """

    def __init__(self, keys: Iterable[str] | None = None) -> None:
        self.static = keys is not None
        """Whether pages are files."""
        self.policy = SERVER_POLICY if self.static else ""
        """Content security policy in a page; empty if the server sends it as a header."""
        self._numbers = {key: number for number, key in enumerate(keys or (), 1)}

    def home(self, **params: str) -> str:
        """Return the address of the list of runs, on a server in the order and with the search of the parameters."""
        return "index.html" if self.static else with_params("/", {name: text for name, text in params.items() if text})

    def run(self, key: str) -> str:
        """Return the address of a run."""
        return f"run-{self._numbers[key]}.html" if self.static else f"/run/{quote(key)}"

    def rows(self, key: str, params: Mapping[str, str]) -> str:
        """Return the address of the rows of a run."""
        if self.static:
            return f"run-{self._numbers[key]}-rows.html" + (f"#rows&{urlencode(params)}" if params else "")
        return with_params(f"/rows/{quote(key)}", params)

    def row(self, key: str, position: int, params: Mapping[str, str]) -> str:
        """Return the address of one row."""
        if self.static:
            return f"run-{self._numbers[key]}-row-{position}.html"
        return with_params(f"/row/{position}/{quote(key)}", params)

    def compare_form(self) -> str:
        """Return the address that the form with selected runs is sent to; a file has no form."""
        return "index.html" if self.static else "/compare"

    def compare(self, keys: Sequence[str], params: Mapping[str, str]) -> str:
        """Return the address of the comparison of runs."""
        if self.static:
            return f"compare-{'-'.join(str(self._numbers[key]) for key in keys)}.html"
        return f"/compare?{urlencode([*(('run', key) for key in keys), *params.items()])}"

    def pair(self, keys: Sequence[str], position: int, params: Mapping[str, str]) -> str:
        """Return the address of one row of two runs."""
        if self.static:
            return self.compare(keys, {}).replace(".html", f"-row-{position}.html")
        return self.compare(keys, params).replace("/compare", f"/pair/{position}", 1)

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or script."""
        return name if self.static else f"/assets/{name}"
