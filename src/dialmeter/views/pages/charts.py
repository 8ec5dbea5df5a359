"""Charts of runs for pages, whose marks lead to the rows that they count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ..chart_files import Chart, chart, slug
from ..charts import bars, canvas, grid, lines
from ..charts.data import Estimate, counted, edges, flattens
from ..charts.svg_theme import themed
from ..tables import Table
from .findings import RIGHT_TURN, WRONG_TURN

if TYPE_CHECKING:
    from markupsafe import Markup

    from .kinds import RowsLink
    from .opened import Opened

DATA_ROWS = 60
NARROWEST = {False: 31 * 16, True: 46 * 16}
"""The smallest width of a chart on a page, and of a broad one, in pixels: as in the style sheet."""
_EVENTS = 12
"""How many classes of events the chart of events has."""


class DrawnChart(NamedTuple):
    """A chart's SVG with the colours of the page, and the first rows of its data.

    ``small`` is how many marks are too small to be links, so that only their numbers in the table lead to the rows; the
    table is shown at once then. It comes before the chart in which one mark makes the others too small to see.
    """

    anchor: str
    title: str
    svg: Markup
    table: Table
    hidden_rows: int
    broad: bool
    small: int
    table_first: bool


def draw_for_page(made: Chart, number: int | str) -> DrawnChart:
    """Draws a chart for a page.

    Args:
        made: what to draw.
        number: goes into its ids, so that two charts of a page share none.
    """
    from markupsafe import Markup

    figure = made.draw()
    inches = float(figure.get_figwidth())
    broad = inches > 1.2 * canvas.WIDTH
    widths = {"widest": round(1.1 * 96 * inches), "narrowest": NARROWEST[broad]}
    svg = themed(canvas.render(figure, "svg"), f"c{number}-", made.links, **widths)
    small = len(made.links) - svg.count("<a ")
    data = replace(made.table, title=made.title, rows=made.table.rows[:DATA_ROWS])
    hidden = len(made.table.rows) - len(data.rows)
    # Our own drawing: all texts in it were escaped when it was written as XML.
    markup = Markup(svg)  # noqa: S704
    anchor = f"chart-{slug(made.name)}"
    return DrawnChart(anchor, made.title, markup, data, hidden, broad, small, made.table_first)


def _linked(made: Chart, addresses: Callable[[int, Sequence[str]], Mapping[int, str | None]]) -> Chart:
    """The chart with a table whose cells are links: by the number of a row and its cells, the address of each column."""
    links = {
        (at, column): address
        for at, cells in enumerate(made.table.rows)
        for column, address in addresses(at, cells).items()
        if address
    }
    return made._replace(table=replace(made.table, links=links))


def of_run(run: Opened, runs: Sequence[Opened]) -> str:
    """The run in a title, where there are several."""
    return f" of {run.key}" if len(runs) > 1 else ""


def in_words(code: str) -> str:
    """The name of an event, verdict or ending in words."""
    return code.replace("_", " ")


class LinkedBars:
    """Bars by group and name, each of which leads to its rows."""

    def __init__(self) -> None:
        self.scores: dict[str, dict[str, Estimate]] = {}
        self._links: dict[tuple[str, str], str] = {}
        self._texts: dict[str, str] = {}

    def add(self, group: str, name: str, point: Estimate, address: str = "", text: str = "") -> None:
        """Adds a bar; the address of its rows and the text of the link are empty for a bar without one."""
        self.scores.setdefault(group, {})[name] = point
        if address:
            self._links[group, name] = address
            self._texts[address] = text

    def chart(self, name: str, title: str, y_label: str, as_percent: bool = True) -> Chart:
        """The bars as a chart."""
        options: dict[str, Any] = {"y_label": y_label, "as_percent": as_percent, "links": self._links}
        made = chart(name, title, bars.draw, bars.table, self.scores, texts=self._texts, **options)
        return _linked(made, lambda at, cells: {2: self._links.get((cells[0], cells[1]))})


def estimate(found: Mapping[str, Any]) -> Estimate:
    """The value and interval of a score of a manifest."""
    return Estimate(found.get("value"), *(found.get("ci") or ()))


def measures_chart(runs: Sequence[Opened], link: RowsLink) -> Chart:
    """The scores of all runs with their intervals."""
    drawn = LinkedBars()
    for run in runs:
        drawn.scores[run.key] = {}
        for each in run.scores:
            measure = each["measure"]
            address = link(run, {"by": measure}) if measure in run.columns else ""
            text = f"{run.key}, {measure}: {run.kind.UNIT[1]}, the worst first"
            drawn.add(run.key, measure, estimate(each), address, text)
    return drawn.chart("measures", "Scores with intervals", "score in percent")


def spread_charts(run: Opened, link: RowsLink, of: str) -> Iterator[Chart]:
    """How many rows have which score; a bar leads to the rows that it counts. No chart where rows have no score."""
    measure = run.ranking
    if not measure:
        return
    values = run.columns[measure]
    one, many = run.kind.UNIT
    limits = edges(values)
    links, texts = {}, {}
    for at, size in enumerate(counted(values, limits)):
        if size:
            low, high = 100 * limits[at], 100 * limits[at + 1]
            # The last range includes its upper end; the others do not.
            upper = {"high": f"{high:g}"} if at + 2 < len(limits) else {}
            links[at] = link(run, {"by": measure, "low": f"{low:g}", **upper})
            texts[links[at]] = f"{size:,} {many} with {measure} from {low:g} to {high:g}"
    title, labels = f"{many.capitalize()} by their score{of}", (f"{measure}, per {one}", f"number of {many}")
    made = chart(
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
    yield _linked(made, lambda at, _: {2: links.get(at)})


def turns_chart(runs: Sequence[Opened], link: RowsLink) -> Chart:
    """The share of right turns of trackers, by the number of the turn."""
    series: dict[str, dict[int, Estimate]] = {}
    dialogues: dict[int, int] = {}
    for run in runs:
        counts = run.findings.counts("turn", "class")
        turns = sorted({int(turn) for turn, _ in counts})
        right = {turn: counts[str(turn), RIGHT_TURN] for turn in turns}
        all_ = {turn: right[turn] + counts[str(turn), WRONG_TURN] for turn in turns}
        series[run.key] = {turn: Estimate(right[turn] / all_[turn]) for turn in turns if all_[turn]}
        dialogues = dialogues or all_
    links = {turn: link(runs[0], {"turn": str(turn)}) for turn in dialogues}
    texts = {links[turn]: f"{size:,} dialogues with a turn {turn}" for turn, size in dialogues.items()}
    right_turns = {
        (run.key, str(turn)): link(run, {"turn": str(turn), "class": RIGHT_TURN if point.value else WRONG_TURN})
        for run in runs
        for turn, point in series[run.key].items()
    }
    made = chart(
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
    return _linked(made, lambda _, cells: {2: right_turns.get((cells[0], cells[1])), 5: links.get(int(cells[1]))})


def mistakes_chart(run: Opened, link: RowsLink, of: str) -> Chart:
    """The mistakes of a tracker by slot, class and age."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    links: dict[tuple[str, str, str], str] = {}
    texts: dict[str, str] = {}
    for (slot, kind, age), size in run.findings.counts("slot", "class", "age").items():
        if kind in bars.CLASSES:
            counts.setdefault(slot, Counter())[kind, age] = size
            address = links[slot, kind, age] = link(run, {"slot": slot, "class": kind, "age": age})
            texts[address] = f"{slot}: {kind}, {age.replace('-', ' ')}, {size:,} turns"
    name, title = f"mistakes-{slug(run.key)}", f"Mistakes per slot{of}"
    made = chart(name, title, bars.draw_mistakes, bars.mistakes_table, counts, links=links, texts=texts)
    sizes = [parts.total() for parts in counts.values()]

    def addresses(_: int, cells: Sequence[str]) -> dict[int, str | None]:
        parts = {at: (cells[0], kind, age) for at, (kind, age) in enumerate(bars.PARTS, 1)}
        return {at: links.get(part) for at, part in parts.items() if cells[at] != "0"}

    return _linked(made, addresses)._replace(table_first=flattens(sizes))


def confusion_chart(run: Opened, link: RowsLink, slot: str, of: str) -> Chart:
    """Gold and predicted values of a slot."""
    counts = run.findings.counts("gold", "pred", where={"slot": slot})
    pairs = {(gold or None, pred or None): size for (gold, pred), size in counts.items()}
    links, texts = {}, {}
    for (gold, pred), size in pairs.items():
        kind = "over" if gold is None else "missed" if pred is None else "correct" if gold == pred else "wrong"
        sides = {name: value for name, value in (("gold", gold), ("pred", pred)) if value is not None}
        address = links[gold, pred] = link(run, {"slot": slot, "class": kind, **sides})
        texts[address] = f"{slot}: {gold or 'absent'} predicted as {pred or 'absent'}, {size:,} turns"
    title = f"Gold and predicted values{of}"
    made = chart(
        f"values-{slug(run.key)}-{slug(slot)}",
        title,
        grid.draw_confusion,
        grid.confusion_table,
        pairs,
        slot=slot,
        links=links,
        texts=texts,
    )
    made = _linked(made, lambda _, cells: {2: links.get((cells[0] or None, cells[1] or None))})
    return made._replace(title=f"{title}: {slot}")


def domains_chart(run: Opened, link: RowsLink, of: str) -> Chart:
    """F1 of a user by domain."""
    drawn = LinkedBars()
    for each in run.scores:
        measure, domain = str(each["measure"]), str(each.get("domain", "combined"))
        if measure.endswith("GCDF1"):
            chosen = {"by": measure, **({} if domain == "combined" else {"domain": domain})}
            text = f"{measure} in {domain}: {each.get('n')} dialogues, the worst first"
            drawn.add(measure, domain, estimate(each), link(run, chosen), text)
    return drawn.chart(f"domains-{slug(run.key)}", f"Scores by domain{of}", "F1 in percent")


def events_chart(run: Opened, link: RowsLink, of: str) -> Chart:
    """The most frequent events of a user by domain."""
    drawn = LinkedBars()
    counts = run.findings.counts("event", "domain")
    for domain in run.findings.options("domain"):
        for name in run.findings.ranked("event")[:_EVENTS]:
            if size := counts[name, domain]:
                address = link(run, {"domain": domain, "event": name})
                drawn.add(domain, in_words(name), Estimate(size), address, f"{name} in {domain}: {size:,}")
    return drawn.chart(f"events-{slug(run.key)}", f"What happened{of}", "number of events", as_percent=False)


def parties_chart(run: Opened, link: RowsLink, of: str) -> Chart:
    """Lost units of the goal, by domain and the party to blame."""
    drawn = LinkedBars()
    for (party, domain), size in sorted(run.findings.counts("party", "domain").items()):
        if party and domain:
            address = link(run, {"party": party, "domain": domain})
            drawn.add(party, domain, Estimate(size), address, f"lost by {party} in {domain}: {size:,}")
    name, title = f"parties-{slug(run.key)}", f"Who lost units of the goal{of}"
    return drawn.chart(name, title, "lost units", as_percent=False)


def errors_chart(run: Opened, corpus: str, link: RowsLink, of: str) -> Chart:
    """Error rates of judges by attack, on one corpus."""
    drawn = LinkedBars()
    for each in run.scores:
        if str(each.get("corpus", "")) == corpus and each.get("value") is not None:
            judge, attack = str(each["judge"]), str(each["attack"])
            verdict = "error" if each["value"] else "right"
            chosen = {"attack": attack, "judge": judge, "verdict": verdict, **({"corpus": corpus} if corpus else {})}
            text = f"{judge} under {attack}: wrong in {100 * each['value']:.1f} % of {each.get('n')} cases"
            drawn.add(judge, attack, estimate(each), link(run, chosen), text)
    title = f"Error rates by attack{of}" + (f", corpus {corpus}" if corpus else "")
    return drawn.chart(f"errors-{slug(run.key)}-{slug(corpus)}", title, "error rate in percent")
