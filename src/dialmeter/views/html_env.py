"""HTML templates. All text from files is escaped, and characters that hide or reorder others are written as code points."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import isnan
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..readers.sheets import Cells, SheetKind
from .charts.words import escape_invisible
from .tables import percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Joiners that Persian, Indic scripts and emoji need, and white space.
_ALLOWED = "\u200c\u200d\n\t"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def safe_text(text: object) -> Markup:
    """Escape text from a file for the body of a page.

    Example:
        >>> str(safe_text("<b>\u202ecod"))
        '&lt;b&gt;<span class="hidden" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>cod'
    """
    from markupsafe import Markup, escape

    whole = str(text)
    if whole.isprintable():
        return escape(whole)
    return Markup("").join(_escape_letter(letter) for letter in whole)


def _escape_letter(letter: str) -> Markup:
    from markupsafe import Markup, escape

    if letter.isprintable() or letter in _ALLOWED:
        return escape(letter)
    name = unicodedata.name(letter, "control character")
    return Markup('<span class="hidden" title="{}">U+{}</span>').format(name, f"{ord(letter):04X}")


def with_params(address: str, params: Mapping[str, str]) -> str:
    """Add a query to an address.

    Example:
        >>> with_params("/rows/a", {"slot": "ferry-to&x"}), with_params("/rows/a", {})
        ('/rows/a?slot=ferry-to%26x', '/rows/a')
    """
    return f"{address}?{urlencode(params)}" if params else address


def score(value: float | None) -> str:
    """Format a score in percent, as in tables.

    Example:
        >>> score(0.5), score(None), score(float("nan"))
        ('50.00', '–', '–')
    """
    return percent(None if value is None or isnan(value) else value)


@cache
def environment() -> Environment:
    """Return the template environment; it escapes all text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("dialmeter.views", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The value of an attribute cannot hold a control character, so an option with one cannot be selected.
    templates.tests["choosable"] = lambda text: not _CONTROL.search(text)
    templates.filters.update(
        safe_text=safe_text, plain=escape_invisible, score=score, thousands=lambda number: f"{number:,}"
    )
    return templates


def page(template: str, /, **variables: Any) -> str:
    """Render a page."""
    return environment().get_template(template).render(**variables)


def form_page(sheet: SheetKind, rows: Sequence[Cells]) -> str:
    """Render a sheet for people as a page with buttons and keys for every verdict. Its last button saves the verdicts as CSV."""
    return page("sheet_form.html", form=sheet, rows=rows) + "\n"


@cache
def asset(name: str) -> str:
    """Return the text of a style sheet or script in the templates folder."""
    return files("dialmeter.views").joinpath("templates", name).read_text("utf-8")


def warm_up() -> None:
    """Compile all templates, so that the first page is not slow."""
    for name in environment().list_templates(extensions=["html"]):
        environment().get_template(name)
