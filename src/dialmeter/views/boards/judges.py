"""The board of the judge benchmark: a table for every style, and a static page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import one_line
from ...judges.bench import BenchHead, Submission, unscored
from ..content import Paragraph, Section
from ..html import board_page
from ..human import coefficient
from ..tables import Table, count_table, with_interval

_FACETS = ("overall", "coherence", "naturalness", "interest", "control")


def board(submissions: Sequence[Submission], people: Mapping[str, Mapping[str, float | None]] | None = None) -> Table:
    """Return one row per judge, the lowest overall error first.

    Args:
        submissions: verified submissions.
        people: heading → judge → Spearman correlation with human ratings.
    """
    columns = dict(people or {})
    rows = []
    for each in submissions:
        errors = {error.facet: with_interval(error.value, error.ci) for error in each.errors}
        overall = next(error.value for error in each.errors if error.facet == "overall")
        cells = (
            each.judge,
            *(errors.get(facet, "–") for facet in _FACETS),
            *(coefficient(column.get(each.judge)) for column in columns.values()),
            str(unscored(each) or ""),
            "" if each.seconds is None else f"{1000 * each.seconds / max(1, 2 * len(each.scores)):.2f}",
        )
        rows.append((2.0 if overall is None else overall, cells))
    rows.sort(key=lambda each: (each[0], each[1]))
    headings = (
        "judge",
        *("error, overall", "coherence", "naturalness", "interest", "identical replies"),
        *(f"Spearman, {name}" for name in columns),
        *("unscored", "seconds per 1,000 replies"),
    )
    title = "error rates in percent with 95 % intervals over dialogues; the lower, the better"
    return Table(title, headings, tuple(cells for _, cells in rows), frozenset(range(1, len(headings))))


def judge_page(head: BenchHead, table: Table) -> str:
    """Return the board as one self-contained HTML page."""
    attacks = count_table("", ("attack", "cases"), head.attacks)
    facts = f"{head.cases} cases, version {one_line(head.version)}, digest {head.digest}. {one_line(head.made, 400)}"
    notes = (
        "An error is a case in which a judge does not behave like an ideal judge. Every attack has the same weight in a mean. "
        "A judge is scored only on the facets that it claims to judge, and its overall error is the mean over these facets: "
        "compare judges within a facet. Identical replies are a control of stability: an ideal judge gives them the same score. "
        "The cases are template dialogues and hand-written sentences. Error rates on other corpora may differ. Judges that score "
        "one reply at a time have no position bias; pairwise judges are not on this board."
    )
    return board_page(
        f"Judges on {head.bench}",
        [Section("Board", (Paragraph(facts), table, Paragraph(notes))), Section("Cases", (attacks,))],
    )
