"""Charts as they stand in a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ..chart_files import slug
from ..charts import canvas
from ..charts.svg_theme import themed
from ..tables import Table
from .kinds import Picture

if TYPE_CHECKING:
    from markupsafe import Markup

DATA_ROWS = 60


class Drawn(NamedTuple):
    """A chart's SVG with the colours of the page, and the beginning of its data."""

    anchor: str
    title: str
    svg: Markup
    table: Table
    left_out: int
    broad: bool


def drawn(picture: Picture, number: int | str) -> Drawn:
    """Draws a picture for a page.

    Args:
        picture: what to draw.
        number: tells its ids from those of other charts on the page.
    """
    from markupsafe import Markup

    figure = picture.draw()
    widest = round(1.1 * 96 * float(figure.get_figwidth()))
    svg = themed(canvas.render(figure, "svg"), f"c{number}-", picture.links, widest=widest)
    data = replace(picture.table, title=picture.title, rows=picture.table.rows[:DATA_ROWS])
    left_out = len(picture.table.rows) - len(data.rows)
    broad = float(figure.get_figwidth()) > 1.2 * canvas.WIDTH
    # Our own drawing: all texts in it were escaped when it was written as XML.
    return Drawn(f"chart-{slug(picture.name)}", picture.title, Markup(svg), data, left_out, broad)  # noqa: S704
