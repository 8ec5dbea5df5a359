"""The ladder: which assumptions may turn a verdict, which lines are kept, and what the sentence says."""

from __future__ import annotations

import pytest

from dialmeter.core.comparison import PairedDifference
from dialmeter.core.ladder import MAX_RUNGS, Assumption, Rung, Verdict, decide, make_ladder, make_rung
from dialmeter.views.charts import canvas
from dialmeter.views.ladder import OTHER_QUESTION, ladder_charts, ladder_table


def rung(assumption: Assumption, difference: float | None, verdict: Verdict, name: str = "") -> Rung:
    ci = None if difference is None else (difference - 0.02, difference + 0.02)
    return Rung(name or assumption, assumption, difference, ci, 0.01, verdict, 100)


WORSE = rung("as written", -0.05, "worse")


@pytest.mark.parametrize(
    ("other", "verdict", "sentence"),
    [
        (rung("spelling", 0.1, "better"), "depends", "the verdict turns with spelling"),
        (rung("spelling", -0.01, "cannot tell"), "depends", "the verdict turns with spelling"),
        (rung("infrastructure", -0.01, "cannot tell"), "depends", "the verdict turns with infrastructure"),
        (rung("spelling", -0.04, "worse"), "worse", "the verdict holds under both"),
        (
            rung("coverage", 0.1, "better", "slots that both predict"),
            "worse",
            "the verdict holds as written; better for slots that both predict, which is another question",
        ),
        (rung("rules", 0.1, "better", "trade"), "worse", None),
        (rung("acts", 0.1, "better"), "worse", None),
        (rung("threshold", 0.1, "better"), "worse", None),
        (rung("spelling", None, "cannot tell"), "depends", "the verdict turns with spelling"),
    ],
)
def test_rungs_that_turn_verdict(other: Rung, verdict: Verdict, sentence: str | None) -> None:
    ladder = make_ladder("JGA", "new", "base", [WORSE, other])
    assert ladder.verdict == verdict
    assert ladder.headline.startswith(verdict.upper())
    if sentence is not None:
        assert ladder.sentence == sentence


def test_order_and_number_of_rungs() -> None:
    coverage = [rung("coverage", 0.1 * step, "better", f"c{step}") for step in range(1, 9)]
    spelling = rung("spelling", -0.049, "worse", "map")
    ladder = make_ladder("JGA", "new", "base", [WORSE, spelling, *coverage])
    assert len(ladder.rungs) == MAX_RUNGS
    # The difference as written is the first line, the others begin with the one that differs most.
    assert [each.name for each in ladder.rungs] == ["as written", "c8", "c7", "c6", "c5", "map"]
    shuffled = make_ladder("JGA", "new", "base", [WORSE, *reversed(coverage), spelling])
    assert shuffled == ladder


def test_all_hold() -> None:
    others = [rung("spelling", -0.04, "worse"), rung("coverage", -0.03, "worse")]
    assert make_ladder("JGA", "new", "base", [WORSE, *others]).sentence == "the verdict holds under all 3"


def test_verdict_of_corrected_p_value() -> None:
    difference = PairedDifference("JGA", "new", "base", -0.1, (-0.2, 0.0), 0.01, 0.06, 1, 0, 9)
    assert decide(difference, 0.05) == "cannot tell"
    assert make_rung("as written", "as written", difference, 0.1, n=10).verdict == "worse"


def test_other_questions_marked() -> None:
    ladder = make_ladder("JGA", "new", "base", [WORSE, rung("coverage", 0.1, "better", "slots that both predict")])
    table = ladder_table(ladder)
    assert [row[0] for row in table.rows] == ["as written", "slots that both predict †"]
    assert OTHER_QUESTION in table.foot
    (chart,) = ladder_charts([ladder])
    assert chart.title == "WORSE: new against base"
    assert [row[0] for row in chart.table.rows] == [row[0] for row in table.rows]
    drawn = canvas.render(chart.draw(), "svg")
    assert b"+10.00  better" in drawn
    assert drawn == canvas.render(chart.draw(), "svg")


def test_names_are_text() -> None:
    ladder = make_ladder("JGA", "<b>$x$</b>", "base", [WORSE])
    (chart,) = ladder_charts([ladder])
    assert b"<b>" not in canvas.render(chart.draw(), "svg")


@pytest.mark.parametrize(
    ("difference", "headline"),
    [
        (0.0, "CANNOT TELL: new and base have the same JGA."),
        (-0.0556, "CANNOT TELL: new is 5.56 JGA below base, which is not shown to be more than chance."),
        (None, "CANNOT TELL: new and base have no difference of JGA that can be computed."),
    ],
)
def test_headline_without_significant_difference(difference: float | None, headline: str) -> None:
    assert make_ladder("JGA", "new", "base", [rung("as written", difference, "cannot tell")]).headline == headline
