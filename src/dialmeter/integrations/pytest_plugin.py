"""The pytest plug-in: the fixture ``assert_not_worse``, and a table of all comparisons at the end of the session.

pytest loads this module in every session if dialmeter is installed. Therefore it imports the rest of dialmeter only on use.
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
    from ..tracking.compare import TrackerComparison

    AssertNotWorse: TypeAlias = Callable[..., TrackerComparison]

_PROPERTY = "dialmeter"
_HEADINGS = ("test", "measure", "base", "new", "difference", "p (Holm)", "result")


@pytest.fixture
def assert_not_worse(record_property: Callable[[str, object], None]) -> AssertNotWorse:
    """``assert_not_worse(base, new)`` fails the test if a tracker is significantly worse than the base on the same dialogues.

    Args of the function:
        base: the predictions of the current tracker: a file, or data as in :func:`dialmeter.score`.
        new: the predictions of the changed tracker.
        gold: the gold states, if the predictions do not include them.
        measures: the measures to compare (default: those of the rule set).
        rules: a rule set, its name, or a TOML file.
        confidence: one minus the significance level. p values are corrected by Holm over the measures.
        resamples: number of permutations of the paired randomisation test.
        seed: the random seed of the permutations.

    The function returns the comparison, for further assertions. A measure that cannot be tested also fails the test, because
    the assertion would otherwise always pass.
    """

    def check(
        base: Any,
        new: Any,
        *,
        gold: Any = None,
        measures: Sequence[str] | None = None,
        rules: str | Path = "dialmeter",
        confidence: float = 0.95,
        resamples: int = 10_000,
        seed: int = 12345,
    ) -> TrackerComparison:
        __tracebackhide__ = True
        from ..api.inputs import prepared
        from ..core.comparison import Resampling, worse_than_base
        from ..tracking.compare import compare
        from ..tracking.scoring import score_file
        from ..views.compare import worse_line

        try:
            results = {}
            for name, pred in (("base", base), ("new", new)):
                with prepared(pred, gold) as files:
                    results[name] = score_file(files.path, files.gold, measures=measures, rules=rules)
            compared = compare(results, Resampling(confidence, resamples, seed))
        except DialmeterError as error:
            pytest.fail(str(error), pytrace=False)
        record_property(_PROPERTY, _rows(compared, 1 - confidence))
        problems = [worse_line(each) for each in worse_than_base(compared.versus, 1 - confidence)]
        problems += [f"{each.measure} cannot be tested: {each.reason}" for each in compared.versus if each.p is None]
        if problems:
            raise AssertionError("; ".join(problems))
        return compared

    return check


def _rows(compared: TrackerComparison, level: float) -> list[list[str]]:
    from ..views.compare import outcome
    from ..views.tables import p_value, percent, signed

    rows = []
    for each in compared.versus:
        values = [percent(result[each.measure].value) for result in compared.results.values()]
        rows.append([each.measure, *values, signed(each.difference), p_value(each.p_holm), outcome(each, level)[0]])
    return rows


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table. With pytest-xdist, the reports of the workers carry the rows."""
    rows = [
        (report.nodeid, *row)
        for reports in terminalreporter.stats.values()
        for report in reports
        # Only the last report of a test has all of its properties.
        if getattr(report, "when", None) == "teardown"
        for name, test_rows in report.user_properties
        if name == _PROPERTY
        for row in test_rows
    ]
    if not rows:
        return
    from ..views.tables import Table, render

    terminalreporter.section("dialmeter: new trackers against their base")
    ordered = tuple(sorted(rows, key=lambda row: row[0]))
    terminalreporter.write_line(render(Table("", _HEADINGS, ordered, frozenset(range(2, 6))), "text"))
