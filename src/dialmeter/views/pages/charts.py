"""Charts of runs for pages. Their marks link to the rows that they count."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ..chart_files import Chart, slug
from ..charts import canvas, palette
from ..charts.bars import BARS, CLASSES, MISTAKES, PARTS, SPREAD, mistake_rows
from ..charts.data import count_per_bin, has_dominant_size, point
from ..charts.grid import VALUES, value_rows
from ..charts.lines import TURNS
from ..tables import Table
from .findings import RIGHT_TURN, WRONG_TURN

if TYPE_CHECKING:
    from markupsafe import Markup

    from .kinds import RowsLink
    from .opened_run import OpenedRun

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_NAMES = ("ink", "faint", "grid", "pale", "paper", "blue", "vermilion", "green", "orange", "sky", "purple", "yellow")
VARIABLES: dict[str, str] = {getattr(palette, name.upper()): f"--{name}" for name in _NAMES}
"""Colour of the palette → variable of the style sheet."""
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


DATA_ROWS = 60
NARROWEST = {False: 31 * 16, True: 46 * 16}
"""Smallest width of a chart on a page, by whether it is broad, in pixels; the style sheet has the same widths."""


class DrawnChart(NamedTuple):
    """A chart's SVG with the colours of the page, and the first rows of its data.

    ``small`` is the number of marks that are too small for links. Their numbers in the table still link to the rows, so the
    table is then open by default. ``table_first`` puts the table before a chart in which one mark makes the others too small to see.
    """

    anchor: str
    title: str
    svg: Markup
    table: Table
    hidden_rows: int
    broad: bool
    small: int
    table_first: bool


def draw_for_page(chart: Chart, number: int | str) -> DrawnChart:
    """Draw a chart for a page.

    Args:
        chart: the chart.
        number: part of its ids, so that two charts of a page share none.
    """
    from markupsafe import Markup

    figure = chart.draw()
    inches = float(figure.get_figwidth())
    broad = inches > 1.2 * canvas.WIDTH
    links = {address: text for address, text in chart.links.values() if text}
    widths = {"widest": round(1.1 * 96 * inches), "narrowest": NARROWEST[broad]}
    svg = theme_svg(canvas.render(figure, "svg"), f"c{number}-", links, **widths)
    rows = chart.table.rows
    data = replace(chart.table, title=chart.title, rows=rows[:DATA_ROWS])
    # Safe: all texts in the drawing were escaped when it was written as XML.
    markup = Markup(svg)  # noqa: S704
    small = len(links) - svg.count("<a ")
    anchor, hidden = f"chart-{slug(chart.name)}", len(rows) - len(data.rows)
    return DrawnChart(anchor, chart.title, markup, data, hidden, broad, small, chart.table_first)


def add_score(chart: Chart, names: tuple[str, str], entry: Mapping[str, Any], address: str, text: str) -> None:
    """Add a score of a manifest with its interval to a chart of bars, with a link to its rows."""
    chart.add(*names, *point(entry.get("value"), entry.get("ci")), address=address, text=text)


def measures_chart(run: OpenedRun, link: RowsLink) -> Chart:
    """Return the scores of a run with their intervals."""
    chart = Chart(f"measures-{slug(run.key)}", "Scores with intervals", BARS, y_label="score in percent")
    for each in run.scores:
        measure = each["measure"]
        address = link(run, {"by": measure}) if measure in run.columns else ""
        add_score(chart, (run.key, measure), each, address, f"{measure}: {run.kind.UNIT[1]}, worst first")
    return chart


class CountsChart(NamedTuple):
    """A chart of the number of findings, with one bar for each combination of texts of one or two fields.

    Attributes:
        name: the name of the chart, without that of the run.
        title: the text above the chart.
        fields: the field of the bars, after the field of their groups, if there is one.
        text: the text of a link, with the fields and the ``size`` in braces.
        y_label: what is counted.
    """

    name: str
    title: str
    fields: tuple[str, ...]
    text: str
    y_label: str = "number"

    def of(self, run: OpenedRun, link: RowsLink, order: Iterable[tuple[str, ...]] | None = None) -> Iterator[Chart]:
        """Yield the chart of a run, unless it has no bars; by default with all combinations that have no empty text, sorted."""
        chart = Chart(f"{self.name}-{slug(run.key)}", f"{self.title}", BARS, y_label=self.y_label)
        chart.as_percent = False
        counts = run.findings.counts(*self.fields)
        for texts in sorted(counts) if order is None else order:
            if all(texts) and (size := counts[texts]):
                filters = dict(zip(self.fields, texts, strict=True))
                group = texts[0] if len(texts) == 2 else self.title
                bar = texts[-1] if self.fields[-1] == "domain" else texts[-1].replace("_", " ")
                text = self.text.format(**filters, size=size)
                chart.add(group, bar, size, None, None, address=link(run, filters), text=text)
        if chart.rows or len(self.fields) == 2:
            yield chart


def spread_charts(run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
    """Yield the distribution of scores over rows; a bar links to the rows that it counts. No chart if rows have no score."""
    measure = run.ranking
    if not measure:
        return
    one, many = run.kind.UNIT
    chart = Chart(f"spread-{slug(run.key)}", f"{many.capitalize()} by their score", SPREAD)
    chart.x_label, chart.y_label = f"{measure}, per {one}", f"number of {many}"
    bins = count_per_bin(run.columns[measure])
    for at, (start, end, size) in enumerate(bins, 1):
        low, high = f"{100 * start:g}", f"{100 * end:g}"
        # The last range includes its upper end; the others do not.
        address = link(run, {"by": measure, "low": low, **({"high": high} if at < len(bins) else {})}) if size else ""
        chart.add(start, end, size, address=address, text=f"{size:,} {many} with {measure} from {low} to {high}")
    yield chart


def turns_chart(run: OpenedRun, link: RowsLink) -> Chart:
    """Return the share of right turns of a tracker, by the number of the turn."""
    chart = Chart(f"by-turn-{slug(run.key)}", "Right turns by the number of the turn", TURNS)
    chart.y_label = "share of turns exactly right (JGA)"
    counts = run.findings.counts("turn", "class")
    for turn in sorted({int(turn) for turn, _ in counts}):
        right, wrong = (counts[str(turn), kind] for kind in (RIGHT_TURN, WRONG_TURN))
        if size := right + wrong:
            where = {"turn": str(turn)}
            if address := link(run, where):
                chart.links[len(chart.rows), 5] = address, f"{size:,} dialogues with a turn {turn}"
            address = link(run, {**where, "class": RIGHT_TURN if right else WRONG_TURN})
            chart.add(run.key, turn, right / size, None, None, size, address=address)
    return chart


def mistakes_chart(run: OpenedRun, link: RowsLink) -> Chart:
    """Return the mistakes of a tracker by slot, class and age."""
    counts: dict[str, dict[tuple[str, str], int]] = {}
    for (slot, kind, age), size in run.findings.counts("slot", "class", "age").items():
        if kind in CLASSES:
            counts.setdefault(slot, {})[kind, age] = size
    chart = Chart(f"mistakes-{slug(run.key)}", "Mistakes per slot", MISTAKES, mistake_rows(counts))
    for at, (slot, *sizes) in enumerate(chart.rows):
        for column, ((kind, age), size) in enumerate(zip(PARTS, sizes, strict=False), 1):
            if size and (address := link(run, {"slot": slot, "class": kind, "age": age})):
                chart.links[at, column] = address, f"{slot}: {kind}, {age.replace('-', ' ')}, {size:,} turns"
    chart.table_first = has_dominant_size([row[-1] for row in chart.rows])
    return chart


def values_chart(run: OpenedRun, link: RowsLink, slot: str) -> Chart:
    """Return the counts of gold and predicted values of a slot."""
    counts = run.findings.counts("gold", "pred", where={"slot": slot})
    rows = value_rows({(gold or None, pred or None): size for (gold, pred), size in counts.items()})
    name, title = f"values-{slug(run.key)}-{slug(slot)}", f"Gold and predicted values: {slot}"
    chart = Chart(name, title, VALUES)
    for gold, pred, size in rows:
        kind = "extra" if gold is None else "missed" if pred is None else "correct" if gold == pred else "wrong"
        sides = {name: value for name, value in (("gold", gold), ("pred", pred)) if value is not None}
        text = f"{slot}: {gold or 'absent'} predicted as {pred or 'absent'}, {size:,} turns"
        chart.add(gold, pred, size, address=link(run, {"slot": slot, "class": kind, **sides}), text=text)
    return chart
