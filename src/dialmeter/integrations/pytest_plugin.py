"""The pytest plug-in: the fixture ``assert_not_worse``, and a table of all comparisons at the end of the session.

pytest loads this file in every session of an environment with dialmeter, so it imports the rest of dialmeter only when used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import DialmeterError, MissingExtra

try:
    import pytest
except ModuleNotFoundError:
    raise MissingExtra("dialmeter.integrations.pytest_plugin", package="pytest") from None

if TYPE_CHECKING:
    from ..core.comparison import PairedDifference
    from ..tracking.compare import TrackerComparison
    from ..tracking.scoring import States

    AssertNotWorse: TypeAlias = Callable[..., TrackerComparison]

_PROPERTY = "dialmeter"
_HEADINGS = ("test", "measure", "base", "new", "difference", "p (Holm)", "result")


@pytest.fixture
def assert_not_worse(record_property: Callable[[str, object], None]) -> AssertNotWorse:
    """``assert_not_worse(base, new)`` fails the test if a tracker is significantly worse than the base on the same dialogues.

    Args of the function:
        base: the predictions of the tracker in use: a file, or states by dialogue; see ``dialmeter.score_tracker``.
        new: the predictions of the changed tracker.
        gold: the gold states, where the predictions do not hold them.
        measures: what to compare; without it the measures of the rule set.
        rules: a rule set, its name, or a TOML file.
        confidence: one minus the level of significance. p values are corrected by Holm over the measures.
        resamples: how often the paired randomisation test permutes.
        seed: of the permutations.

    It gives the comparison, for further assertions. A measure that cannot be tested fails the test, too, because the
    assertion would hold whatever the tracker does.
    """

    def check(
        base: States,
        new: States,
        *,
        gold: States | None = None,
        measures: Sequence[str] | None = None,
        rules: str | Path = "dialmeter",
        confidence: float = 0.95,
        resamples: int = 10_000,
        seed: int = 12345,
    ) -> TrackerComparison:
        __tracebackhide__ = True
        from ..core.comparison import Resampling, worse_than_base
        from ..tracking.compare import compare
        from ..tracking.scoring import score_tracker

        try:
            results = {
                name: score_tracker(pred, None, measures, rules)
                if gold is None
                else score_tracker(gold, pred, measures, rules)
                for name, pred in (("base", base), ("new", new))
            }
            compared = compare(results, Resampling(confidence, resamples, seed))
        except DialmeterError as error:
            pytest.fail(str(error), pytrace=False)
        record_property(_PROPERTY, _rows(compared, 1 - confidence))
        problems = [_worse(each) for each in worse_than_base(compared.versus, 1 - confidence)]
        problems += [f"{each.measure} cannot be tested: {each.reason}" for each in compared.versus if each.p is None]
        if problems:
            raise AssertionError("; ".join(problems))
        return compared

    return check


def _worse(each: PairedDifference) -> str:
    difference = 100 * (each.difference or 0)
    return f"new is worse than base under {each.measure}: {difference:+.2f}, p = {each.p_holm:.4f} (Holm)"


def _rows(compared: TrackerComparison, level: float) -> list[list[str]]:
    from ..views.compare import outcome, p_value
    from ..views.tables import percent

    rows = []
    for each in compared.versus:
        values = [percent(result[each.measure].value) for result in compared.results.values()]
        change = "–" if each.difference is None else f"{100 * each.difference:+.2f}"
        rows.append([each.measure, *values, change, p_value(each.p_holm), outcome(each, level)[0]])
    return rows


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the table. With pytest-xdist, the rows come from the workers with the reports."""
    rows = [
        (report.nodeid, *row)
        for reports in terminalreporter.stats.values()
        for report in reports
        # The last report of a test has all of its properties.
        if getattr(report, "when", None) == "teardown"
        for name, found in report.user_properties
        if name == _PROPERTY
        for row in found
    ]
    if not rows:
        return
    from ..views.tables import Table, render

    terminalreporter.section("dialmeter: new trackers against their base")
    ordered = tuple(sorted(rows, key=lambda row: row[0]))
    terminalreporter.write_line(render(Table("", _HEADINGS, ordered, frozenset(range(2, 6))), "text"))
