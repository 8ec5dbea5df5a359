"""A verdict and what it depends on: lines, a table, and a forest plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.ladder import TURNING, Ladder, Rung
from .summaries.summary import fit
from .tables import Table, interval, p_value, signed, table_of

if TYPE_CHECKING:
    from .chart_files import Chart

OTHER_QUESTION = "† another question; it cannot turn the verdict"


def _is_other_question(rung: Rung) -> bool:
    return rung.assumption != "as written" and rung.assumption not in TURNING


def _name(rung: Rung) -> str:
    return f"{rung.name} †" if _is_other_question(rung) else rung.name


def ladder_table(ladder: Ladder, unit: str = "dialogues") -> Table:
    """Return one row per assumption: difference, interval, p value, number of units, verdict.

    Args:
        ladder: the ladder of two systems.
        unit: what is counted, such as ``tasks``.

    Example:
        >>> from dialmeter.core.ladder import Rung, make_ladder
        >>> written = Rung("as written", "as written", -0.051, (-0.08, -0.0226), 0.0001, "worse", 1000)
        >>> table = ladder_table(make_ladder("JGA", "uniconv", "labes", [written]))
        >>> table.rows, table.foot
        ((('as written', '-5.10', '-8.00 to -2.26', '<.001', '1000', 'worse'),), ('no other assumption applies to these files',))
    """
    notes = (OTHER_QUESTION,) if any(map(_is_other_question, ladder.rungs)) else ()
    return table_of(
        "",
        ladder.rungs,
        (
            f"<{ladder.measure}, {ladder.system} − {ladder.base}",
            lambda each: _name(each) + (f" ({each.note})" if each.note else ""),
        ),
        f"difference:signed | interval=ci:interval | p (Holm)=p:p | {unit}=n | <verdict",
        foot=(ladder.sentence, *notes),
    )


def ladder_lines(ladder: Ladder) -> list[str]:
    """Return the ladder in words, one line per assumption; none if only the difference as written is known.

    Example:
        >>> from dialmeter.core.ladder import Rung, make_ladder
        >>> written = Rung("as written", "as written", -0.051, (-0.08, -0.0226), 0.0001, "worse", 1000)
        >>> better = Rung("map=multiwoz", "spelling", 0.1188, None, 0.0001, "better", 1000)
        >>> ladder_lines(make_ladder("JGA", "uniconv", "labes", [written, better]))
        ['as written: -5.10 (-8.00 to -2.26), worse', 'map=multiwoz: +11.88, better', 'the verdict turns with spelling']
    """
    rows = ladder_table(ladder).rows if len(ladder.rungs) > 1 else ()
    lines = [
        f"{name}: {difference}{f' ({limits})' if limits else ''}, {verdict}"
        for name, difference, limits, _, _, verdict in rows
    ]
    return [*lines, *(ladder_table(ladder).foot if rows else ())]


_NAME_WIDTH = 39
"""Columns of the name of a rung in a summary."""


def _named_with_note(rung: Rung, with_p: bool) -> str:
    """Return the name of a rung for a summary, with its note if there is room."""
    text = f"{_name(rung)}, {rung.note}"
    return text if rung.note and not with_p and len(text) <= _NAME_WIDTH else fit(_name(rung), _NAME_WIDTH)


def rung_lines(ladder: Ladder, *, with_p: bool = False) -> list[str]:
    """Return the rungs as aligned lines for a summary; none if there is only the difference as written.

    Args:
        ladder: the ladder of two systems.
        with_p: the lines have the p values, instead of the notes.

    Example:
        >>> from dialmeter.core.ladder import Rung, make_ladder
        >>> written = Rung("as written", "as written", -0.051, (-0.08, -0.0226), 0.0001, "worse", 1000)
        >>> better = Rung("map=multiwoz", "spelling", 0.1188, None, 0.0001, "better", 1000)
        >>> rung_lines(make_ladder("JGA", "uniconv", "labes", [written, better]))
        ['as written    -5.10  -8.00 to -2.26  worse', 'map=multiwoz +11.88                  better']
    """
    cells = [
        (
            _named_with_note(each, with_p),
            signed(each.difference),
            interval(each.ci),
            (f"p {p_value(each.p)}" if each.p is not None else "") if with_p else "",
            each.verdict,
        )
        for each in (ladder.rungs if len(ladder.rungs) > 1 else ())
    ]
    name, difference, span, p = (max((len(row[column]) for row in cells), default=0) for column in range(4))
    tested = [f"{row[3]:<{p}}  " if p else "" for row in cells]
    lines = [
        f"{row[0]:<{name}} {row[1]:>{difference}}  {row[2]:>{span}}  {test}{row[4]}"
        for row, test in zip(cells, tested, strict=True)
    ]
    return lines + [OTHER_QUESTION] * any(map(_is_other_question, ladder.rungs))


def ladder_charts(ladders: Sequence[Ladder]) -> Iterator[Chart]:
    """Yield a forest plot for each ladder."""
    from .chart_files import Chart, slug
    from .charts.data import ChartOptions, point
    from .charts.points import FOREST

    for each in ladders:
        other = {_name(rung) for rung in each.rungs if _is_other_question(rung)}
        yield Chart(
            "ladder" if len(ladders) == 1 else f"ladder-{slug(each.system)}",
            f"{each.headline.partition(':')[0]}: {each.system} against {each.base}",
            FOREST,
            [(_name(rung), *point(rung.difference, rung.ci), rung.verdict) for rung in each.rungs],
            x_label=f"{each.system} minus {each.base}, {each.measure} in points",
            options=ChartOptions(
                hollow=tuple(sorted(other)),
                note=f"{each.sentence[0].upper()}{each.sentence[1:]}. {'† another question' if other else ''}",
            ),
        )
