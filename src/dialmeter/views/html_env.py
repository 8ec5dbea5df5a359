"""HTML templates. Everything from a file is text: escaped, and letters that hide or reorder others are written out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import isnan
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from .charts.words import visible
from .tables import percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Joiners that Persian, Indic scripts and emoji need, and what a browser shows as space.
_SHOWN = "\u200c\u200d\n\t"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def said(text: object) -> Markup:
    """Text from a file, for the body of a page.

    Example:
        >>> str(said("<b>\u202ecod"))
        '&lt;b&gt;<span class="hidden" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>cod'
    """
    from markupsafe import Markup, escape

    whole = str(text)
    if whole.isprintable():
        return escape(whole)
    return Markup("").join(_letter(letter) for letter in whole)


def _letter(letter: str) -> Markup:
    from markupsafe import Markup, escape

    if letter.isprintable() or letter in _SHOWN:
        return escape(letter)
    name = unicodedata.name(letter, "control character")
    return Markup('<span class="hidden" title="{}">U+{}</span>').format(name, f"{ord(letter):04X}")


def with_params(address: str, params: Mapping[str, str]) -> str:
    """An address with a query.

    Example:
        >>> with_params("/rows/a", {"slot": "ferry-to&x"}), with_params("/rows/a", {})
        ('/rows/a?slot=ferry-to%26x', '/rows/a')
    """
    return f"{address}?{urlencode(params)}" if params else address


def score(value: float | None) -> str:
    """A score in percent, as in tables.

    Example:
        >>> score(0.5), score(None), score(float("nan"))
        ('50.00', '–', '–')
    """
    return percent(None if value is None or isnan(value) else value)


@cache
def environment() -> Environment:
    """The templates, with escaping always on."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("dialmeter.views", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A control character cannot be written as the value of an attribute, so an option with one cannot be chosen.
    made.tests["choosable"] = lambda text: not _CONTROL.search(text)
    made.filters.update(said=said, plain=visible, score=score, thousands=lambda number: f"{number:,}")
    return made


def page(template: str, /, **shown: Any) -> str:
    """A page."""
    return environment().get_template(template).render(**shown)


@cache
def asset(name: str) -> str:
    """A style sheet or script that comes with the templates."""
    return files("dialmeter.views").joinpath("templates", name).read_text("utf-8")


def warm_up() -> None:
    """Compiles all templates, so that the first page is not slow."""
    for name in environment().list_templates(extensions=["html"]):
        environment().get_template(name)
