"""Adapt a chart to a page: replace colours by variables of the page's theme, name links, and add a prefix to ids."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from . import palette

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
VARIABLES = {
    palette.INK: "--ink",
    palette.FAINT: "--faint",
    palette.GRID: "--grid",
    palette.PALE: "--pale",
    palette.PAPER: "--paper",
    palette.BLUE: "--blue",
    palette.VERMILION: "--vermilion",
    palette.GREEN: "--green",
    palette.ORANGE: "--orange",
    palette.SKY: "--sky",
    palette.PURPLE: "--purple",
    palette.YELLOW: "--yellow",
}
_COLOUR = re.compile("|".join(VARIABLES), re.IGNORECASE)
_FONT = re.compile(r"'DejaVu Sans'|DejaVu Sans")
_DECIMALS = re.compile(r"(?<=\d)(\.\d{2})\d+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
TARGET = 24
"""Smallest side of a clickable mark, in pixels (WCAG 2.2, target size)."""
_ID = re.compile(r"url\(#([^)]+)\)")


def theme_svg(
    svg: bytes,
    prefix: str,
    links: Mapping[str, str] | None = None,
    *,
    widest: int | None = None,
    narrowest: int | None = None,
) -> str:
    """Return a chart's SVG for a page.

    Args:
        svg: the rendered chart.
        prefix: prefix of all ids, so that two charts of a page share none.
        links: the name of each link, by its address.
        widest: the largest width on the page, in pixels.
        narrowest: the smallest width on the page, in pixels; links on marks smaller than ``TARGET`` at this width are removed.

    Example:
        >>> svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9pt"><path id="a" style="fill: #0072b2"/></svg>'
        >>> theme_svg(svg, "c1-")
        '<svg class="chart"><path id="c1-a" style="fill: var(--blue)" /></svg>'
    """
    root = ET.fromstring(svg)  # noqa: S314 - the SVG is our own
    for parent in list(root.iter()):
        for child in list(parent):
            # A style element would apply to the whole page. The page's style sheet has the same rules.
            if child.tag in {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}:
                parent.remove(child)
    scale = (narrowest or 0) / float(root.get("viewBox", "0 0 1 1").split()[2])
    for element in root.iter():
        _restyle(element, prefix)
        _shrink(element)
        if element.tag == "a" and narrowest is not None and scale * _extent(element) < TARGET:
            element.tag = "g"
            element.attrib.clear()
        elif element.tag == "a":
            _name_link(element, links or {})
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    root.set("class", "chart")
    if widest is not None:
        root.set("style", f"max-width: {widest}px")
    title = root.find("title")
    if title is not None:
        # The role is group, not image: an image would hide its links from screen readers.
        root.remove(title)
        root.set("role", "group")
        root.set("aria-label", title.text or "chart")
    return ET.tostring(root, encoding="unicode")


def _restyle(element: ET.Element, prefix: str) -> None:
    element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    for name, value in list(element.attrib.items()):
        if name == f"{{{_XLINK}}}href":
            del element.attrib[name]
            element.set("href", f"#{prefix}{value[1:]}" if element.tag == "use" else value)
        elif name == "id":
            element.set("id", prefix + value)
        elif name in {"style", "fill", "stroke"}:
            colours = _COLOUR.sub(lambda match: f"var({VARIABLES[match[0].lower()]})", value)
            element.set(name, _FONT.sub("var(--font)", _ID.sub(rf"url(#{prefix}\1)", colours)))
        elif name == "clip-path":
            element.set(name, _ID.sub(rf"url(#{prefix}\1)", value))


def _shrink(element: ET.Element) -> None:
    """Remove blanks between elements and round to two decimals, which saves a third of the size."""
    if not (element.text or "").strip():
        element.text = None
    if not (element.tail or "").strip():
        element.tail = None
    for name in ("d", "x", "y", "width", "height", "transform"):
        if name in element.attrib:
            rounded = _DECIMALS.sub(r"\1", element.attrib[name])
            element.set(name, " ".join(rounded.split()))


def _extent(link: ET.Element) -> float:
    """Return the smaller side of the mark inside a link; 0 for a mark without an outline."""
    numbers = [float(each) for path in link if path.tag.endswith("path") for each in _NUMBER.findall(path.get("d", ""))]
    return min((max(side) - min(side) for side in (numbers[::2], numbers[1::2])), default=0.0) if numbers else 0.0


def _name_link(link: ET.Element, names: Mapping[str, str]) -> None:
    if text := names.get(link.get("href", "")):
        link.set("aria-label", text)
        ET.SubElement(link, "title").text = text
