"""Charts of runs for pages. Their marks link to the rows that they count."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ..chart_files import Chart, chart, slug
from ..charts import bars, canvas, grid, lines, palette
from ..charts.data import Estimate, bin_edges, count_per_bin, has_dominant_size
from ..tables import Table
from .findings import RIGHT_TURN, WRONG_TURN

if TYPE_CHECKING:
    from markupsafe import Markup

    from .kinds import RowsLink
    from .opened_run import OpenedRun

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


DATA_ROWS = 60
NARROWEST = {False: 31 * 16, True: 46 * 16}
"""Smallest width of a chart on a page, by whether it is broad, in pixels; the style sheet has the same widths."""
_EVENTS = 12
"""Largest number of classes of events in the chart of events."""


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


def draw_for_page(undrawn: Chart, number: int | str) -> DrawnChart:
    """Draw a chart for a page.

    Args:
        undrawn: the chart.
        number: part of its ids, so that two charts of a page share none.
    """
    from markupsafe import Markup

    figure = undrawn.draw()
    inches = float(figure.get_figwidth())
    broad = inches > 1.2 * canvas.WIDTH
    widths = {"widest": round(1.1 * 96 * inches), "narrowest": NARROWEST[broad]}
    svg = theme_svg(canvas.render(figure, "svg"), f"c{number}-", undrawn.links, **widths)
    small = len(undrawn.links) - svg.count("<a ")
    data = replace(undrawn.table, title=undrawn.title, rows=undrawn.table.rows[:DATA_ROWS])
    hidden = len(undrawn.table.rows) - len(data.rows)
    # Safe: all texts in the drawing were escaped when it was written as XML.
    markup = Markup(svg)  # noqa: S704
    anchor = f"chart-{slug(undrawn.name)}"
    return DrawnChart(anchor, undrawn.title, markup, data, hidden, broad, small, undrawn.table_first)


def _link_table(unlinked: Chart, addresses: Callable[[int, Sequence[str]], Mapping[int, str | None]]) -> Chart:
    """Return the chart with links in its table.

    ``addresses`` returns the addresses of a row by column, from the position of the row and its cells.
    """
    links = {
        (at, column): address
        for at, cells in enumerate(unlinked.table.rows)
        for column, address in addresses(at, cells).items()
        if address
    }
    return unlinked._replace(table=replace(unlinked.table, links=links))


def title_suffix(run: OpenedRun, runs: Sequence[OpenedRun]) -> str:
    """Return the suffix of a title that names the run; empty if there is only one run."""
    return f" of {run.key}" if len(runs) > 1 else ""


def in_words(code: str) -> str:
    """Return the name of an event, verdict or ending in words."""
    return code.replace("_", " ")


class LinkedBars:
    """Bars by group and name that link to their rows."""

    def __init__(self) -> None:
        self.scores: dict[str, dict[str, Estimate]] = {}
        self._links: dict[tuple[str, str], str] = {}
        self._texts: dict[str, str] = {}

    def add(self, group: str, name: str, point: Estimate, address: str = "", text: str = "") -> None:
        """Add a bar; the address of its rows and the text of the link are empty for a bar without a link."""
        self.scores.setdefault(group, {})[name] = point
        if address:
            self._links[group, name] = address
            self._texts[address] = text

    def chart(self, name: str, title: str, y_label: str, as_percent: bool = True) -> Chart:
        """Return the bars as a chart."""
        options: dict[str, Any] = {"y_label": y_label, "as_percent": as_percent, "links": self._links}
        unlinked = chart(name, title, bars.draw, bars.table, self.scores, texts=self._texts, **options)
        return _link_table(unlinked, lambda at, cells: {2: self._links.get((cells[0], cells[1]))})


def estimate(entry: Mapping[str, Any]) -> Estimate:
    """Return the value and interval of a score of a manifest."""
    return Estimate(entry.get("value"), *(entry.get("ci") or ()))


def measures_chart(runs: Sequence[OpenedRun], link: RowsLink) -> Chart:
    """Return the scores of all runs with their intervals."""
    scores = LinkedBars()
    for run in runs:
        scores.scores[run.key] = {}
        for each in run.scores:
            measure = each["measure"]
            address = link(run, {"by": measure}) if measure in run.columns else ""
            text = f"{run.key}, {measure}: {run.kind.UNIT[1]}, worst first"
            scores.add(run.key, measure, estimate(each), address, text)
    return scores.chart("measures", "Scores with intervals", "score in percent")


def spread_charts(run: OpenedRun, link: RowsLink, suffix: str) -> Iterator[Chart]:
    """Yield the distribution of scores over rows; a bar links to the rows that it counts. No chart if rows have no score."""
    measure = run.ranking
    if not measure:
        return
    values = run.columns[measure]
    one, many = run.kind.UNIT
    limits = bin_edges(values)
    links, texts = {}, {}
    for at, size in enumerate(count_per_bin(values, limits)):
        if size:
            low, high = 100 * limits[at], 100 * limits[at + 1]
            # The last range includes its upper end; the others do not.
            upper = {"high": f"{high:g}"} if at + 2 < len(limits) else {}
            links[at] = link(run, {"by": measure, "low": f"{low:g}", **upper})
            texts[links[at]] = f"{size:,} {many} with {measure} from {low:g} to {high:g}"
    title, labels = f"{many.capitalize()} by their score{suffix}", (f"{measure}, per {one}", f"number of {many}")
    unlinked = chart(
        f"spread-{slug(run.key)}",
        title,
        bars.draw_spread,
        bars.spread_table,
        values,
        x_label=labels[0],
        y_label=labels[1],
        links=links,
        texts=texts,
    )
    yield _link_table(unlinked, lambda at, _: {2: links.get(at)})


def turns_chart(runs: Sequence[OpenedRun], link: RowsLink) -> Chart:
    """Return the share of right turns of trackers, by the number of the turn."""
    series: dict[str, dict[int, Estimate]] = {}
    dialogues: dict[int, int] = {}
    for run in runs:
        counts = run.findings.counts("turn", "class")
        turns = sorted({int(turn) for turn, _ in counts})
        right = {turn: counts[str(turn), RIGHT_TURN] for turn in turns}
        turns_total = {turn: right[turn] + counts[str(turn), WRONG_TURN] for turn in turns}
        series[run.key] = {turn: Estimate(right[turn] / turns_total[turn]) for turn in turns if turns_total[turn]}
        dialogues = dialogues or turns_total
    links = {turn: link(runs[0], {"turn": str(turn)}) for turn in dialogues}
    texts = {links[turn]: f"{size:,} dialogues with a turn {turn}" for turn, size in dialogues.items()}
    right_turns = {
        (run.key, str(turn)): link(run, {"turn": str(turn), "class": RIGHT_TURN if point.value else WRONG_TURN})
        for run in runs
        for turn, point in series[run.key].items()
    }
    unlinked = chart(
        "by-turn",
        "Right turns by the number of the turn",
        lines.draw_turns,
        lines.turns_table,
        series,
        dialogues,
        y_label="share of turns exactly right (JGA)",
        links=links,
        texts=texts,
    )
    return _link_table(
        unlinked, lambda _, cells: {2: right_turns.get((cells[0], cells[1])), 5: links.get(int(cells[1]))}
    )


def mistakes_chart(run: OpenedRun, link: RowsLink, suffix: str) -> Chart:
    """Return the mistakes of a tracker by slot, class and age."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    links: dict[tuple[str, str, str], str] = {}
    texts: dict[str, str] = {}
    for (slot, kind, age), size in run.findings.counts("slot", "class", "age").items():
        if kind in bars.CLASSES:
            counts.setdefault(slot, Counter())[kind, age] = size
            address = links[slot, kind, age] = link(run, {"slot": slot, "class": kind, "age": age})
            texts[address] = f"{slot}: {kind}, {age.replace('-', ' ')}, {size:,} turns"
    name, title = f"mistakes-{slug(run.key)}", f"Mistakes per slot{suffix}"
    unlinked = chart(name, title, bars.draw_mistakes, bars.mistakes_table, counts, links=links, texts=texts)
    sizes = [parts.total() for parts in counts.values()]

    def addresses(_: int, cells: Sequence[str]) -> dict[int, str | None]:
        parts = {at: (cells[0], kind, age) for at, (kind, age) in enumerate(bars.PARTS, 1)}
        return {at: links.get(part) for at, part in parts.items() if cells[at] != "0"}

    return _link_table(unlinked, addresses)._replace(table_first=has_dominant_size(sizes))


def confusion_chart(run: OpenedRun, link: RowsLink, slot: str, suffix: str) -> Chart:
    """Return the counts of gold and predicted values of a slot."""
    counts = run.findings.counts("gold", "pred", where={"slot": slot})
    pairs = {(gold or None, pred or None): size for (gold, pred), size in counts.items()}
    links, texts = {}, {}
    for (gold, pred), size in pairs.items():
        kind = "over" if gold is None else "missed" if pred is None else "correct" if gold == pred else "wrong"
        sides = {name: value for name, value in (("gold", gold), ("pred", pred)) if value is not None}
        address = links[gold, pred] = link(run, {"slot": slot, "class": kind, **sides})
        texts[address] = f"{slot}: {gold or 'absent'} predicted as {pred or 'absent'}, {size:,} turns"
    title = f"Gold and predicted values{suffix}"
    values_chart = chart(
        f"values-{slug(run.key)}-{slug(slot)}",
        title,
        grid.draw_confusion,
        grid.confusion_table,
        pairs,
        slot=slot,
        links=links,
        texts=texts,
    )
    values_chart = _link_table(values_chart, lambda _, cells: {2: links.get((cells[0] or None, cells[1] or None))})
    return values_chart._replace(title=f"{title}: {slot}")


def domains_chart(run: OpenedRun, link: RowsLink, suffix: str) -> Chart:
    """Return F1 of a user by domain."""
    scores = LinkedBars()
    for each in run.scores:
        measure, domain = str(each["measure"]), str(each.get("domain", "combined"))
        if measure.endswith("GCDF1"):
            filters = {"by": measure, **({} if domain == "combined" else {"domain": domain})}
            text = f"{measure} in {domain}: {each.get('n')} dialogues, worst first"
            scores.add(measure, domain, estimate(each), link(run, filters), text)
    return scores.chart(f"domains-{slug(run.key)}", f"Scores by domain{suffix}", "F1 in percent")


def events_chart(run: OpenedRun, link: RowsLink, suffix: str) -> Chart:
    """Return the most frequent events of a user by domain."""
    events = LinkedBars()
    counts = run.findings.counts("event", "domain")
    for domain in run.findings.options("domain"):
        for name in run.findings.ranked("event")[:_EVENTS]:
            if size := counts[name, domain]:
                address = link(run, {"domain": domain, "event": name})
                events.add(domain, in_words(name), Estimate(size), address, f"{name} in {domain}: {size:,}")
    return events.chart(f"events-{slug(run.key)}", f"Number of events{suffix}", "number of events", as_percent=False)


def parties_chart(run: OpenedRun, link: RowsLink, suffix: str) -> Chart:
    """Return the lost units of the goal, by domain and responsible party."""
    losses = LinkedBars()
    for (party, domain), size in sorted(run.findings.counts("party", "domain").items()):
        if party and domain:
            address = link(run, {"party": party, "domain": domain})
            losses.add(party, domain, Estimate(size), address, f"lost by {party} in {domain}: {size:,}")
    name, title = f"parties-{slug(run.key)}", f"Lost units of the goal by party{suffix}"
    return losses.chart(name, title, "lost units", as_percent=False)


def errors_chart(run: OpenedRun, corpus: str, link: RowsLink, suffix: str) -> Chart:
    """Return the error rates of judges by attack, on one corpus."""
    rates = LinkedBars()
    for each in run.scores:
        if str(each.get("corpus", "")) == corpus and each.get("value") is not None:
            judge, attack = str(each["judge"]), str(each["attack"])
            verdict = "error" if each["value"] else "right"
            filters = {"attack": attack, "judge": judge, "verdict": verdict, **({"corpus": corpus} if corpus else {})}
            text = f"{judge} under {attack}: wrong in {100 * each['value']:.1f} % of {each.get('n')} cases"
            rates.add(judge, attack, estimate(each), link(run, filters), text)
    title = f"Error rates by attack{suffix}" + (f", corpus {corpus}" if corpus else "")
    return rates.chart(f"errors-{slug(run.key)}-{slug(corpus)}", title, "error rate in percent")
