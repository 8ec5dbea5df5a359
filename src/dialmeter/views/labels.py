"""Judges against labels pass and fail: the verdict, what it depends on, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import one_line
from ..judges.people.labels import CELLS, ClassAgreement, LabelAgreement
from ..judges.people.result import PeopleResult
from ..stats.corrected import CorrectedRate
from ..stats.drift import Drift
from .chart_files import Chart, slug
from .charts.lines import SQUARE
from .tables import Table, coefficient, interval, limits, p_value, percent, table_of


def label_agreements(result: PeopleResult) -> list[LabelAgreement]:
    """Return the judges against the labels of the main facet, in the order of tables."""
    facet = result.main_facet
    return [each for (_, own), each in result.labels.items() if own == facet and each.n]


def label_headline(each: LabelAgreement, facet: str) -> str:
    """Return the verdict on a judge with verdicts as a sentence."""
    kappa = each.figures["kappa"]
    number = f"kappa {coefficient(kappa.value)}{f', {limits(kappa.ci)}' if kappa.ci else ''}"
    passes = (each.figures["pass_rate_people"].value or 0) >= 0.5
    constant = f"always saying {'pass' if passes else 'fail'}"
    if kappa.value is None:
        return f"{each.judge} cannot be compared with people on {facet}: {kappa.reason}."
    if each.agreement == "cannot tell":
        return f"CANNOT TELL whether {each.judge} is better than {constant} on {facet}: {each.labels_to_add}."
    if each.agreement == "no better":
        return f"{each.judge} is no better than {constant} on {facet}: {number}."
    if each.agreement == "better than a constant":
        return f"{each.judge} agrees with people on {facet} better than {constant}: {number}."
    about = (
        "about as well as one of them" if each.agreement == "as well as one of them" else "less than one of them does"
    )
    return f"{each.judge} agrees with people on {facet} {about}: {number}."


def score_headline(each: LabelAgreement, facet: str) -> str:
    """Return the verdict on a judge that gives scores: does it rank what people pass above what they fail?"""
    auroc = each.figures["auroc"]
    if auroc.value is None:
        return f"{each.judge} cannot be compared with people on {facet}: {auroc.reason}."
    if len({*each.values.tolist()}) == 1:
        return f"{each.judge} gives every item the same score, so it ranks nothing on {facet}."
    number = f"AUROC {coefficient(auroc.value)}{f', {limits(auroc.ci)}' if auroc.ci else ''}"
    if auroc.ci is None or auroc.ci[0] <= 0.5 <= auroc.ci[1]:
        return f"CANNOT TELL whether {each.judge} ranks passes above fails on {facet}: {number}."
    if auroc.value < 0.5:
        return f"{each.judge} ranks passes below fails on {facet}: {number}. Is a lower score better?"
    return f"{each.judge} ranks passes above fails on {facet}: {number}."


def label_findings(each: LabelAgreement) -> Iterator[tuple[str, str]]:
    """Yield what the verdict depends on."""
    figures = each.figures
    if each.has_verdicts and figures["specificity"].value is not None and figures["sensitivity"].value is not None:
        wrong_pass, wrong_fail = 1 - figures["specificity"].value, 1 - figures["sensitivity"].value
        yield (
            "errors",
            f"passes {percent(wrong_pass)} % of what people fail, fails {percent(wrong_fail)} % of what they pass",
        )
    left_out = each.left_out
    if left_out is not None and left_out.kappa_rater is not None:
        own = coefficient(left_out.kappa_judge)
        yield "people", f"one rater against the others: kappa {coefficient(left_out.kappa_rater)}; {each.judge}: {own}"
    tests = list(zip(each.alt_tests(), each.alt_tests(constant=True), strict=True))
    if tests and tests[1][0].winning_rate is not None:
        judge, constant = tests[1]
        won, base = (f"{100 * (test.winning_rate or 0):.0f} %" for test in (judge, constant))
        so = ", so winning says nothing here" if (constant.winning_rate or 0) >= 0.5 else ""
        yield "alt-test", f"as good as {won} of the raters at epsilon .1; a constant judge as {base}{so}"
    ac1, kappa = figures.get("ac1"), figures.get("kappa")
    if (
        ac1
        and kappa
        and ac1.value is not None
        and kappa.value is not None
        and kappa.value + _AC1_MISLEADS <= ac1.value >= 0.5
    ):
        yield "AC1", f"{coefficient(ac1.value)} alone would mislead: it is high if nearly everything passes"
    if each.threshold is not None and each.threshold.value is not None:
        apparent = percent(each.threshold.apparent["balanced_accuracy"])
        honest = percent(each.threshold.honest["balanced_accuracy"].value)
        yield (
            "threshold",
            f"{each.judge} above {each.threshold.value:.4g}: balanced accuracy {apparent} here, {honest} on other items",
        )
    if each.calibration is not None:
        null, high = (percent(value) for value in each.calibration.ece_null)
        own = percent(each.calibration.ece)
        yield (
            "probability",
            f"error {own} points; a calibrated judge would have {null} here, and above {high} in 5 % of samples",
        )
    if each.source.about:
        yield "labels", f"{each.source.about}; nobody was asked for pass or fail"
    if each.ties:
        ends = each.accuracy_with_ties
        so = f"; accuracy {percent(ends[0])} if all were wrong, {percent(ends[1])} if right" if ends else ""
        yield "ties", f"{each.ties} items have no label, because their raters are divided equally{so}"
    yield from _rates(each)


def _rates(each: LabelAgreement) -> Iterator[tuple[str, str]]:
    if not each.has_verdicts or len(each.all_values) == each.n:
        return
    count, rate = len(each.all_values), percent(float(each.all_values.mean()))
    corrected = each.corrected()
    if corrected is None:
        yield (
            "rate",
            f"passes {rate} % of all {count}; to correct it say where labels come from: --set labels=random, by-verdict "
            "or elsewhere; a wrong answer makes every interval wrong",
        )
    elif corrected.value is None:
        yield "rate", f"passes {rate} % of all {count}; no corrected rate: {corrected.reason}"
    else:
        yield (
            "rate",
            f"people would pass {percent(corrected.value)} %, {_limits(corrected)} ({each.judge}: {rate} %)",
        )
    yield "labels", _needed(each)
    systems = sorted(set(each.systems))
    if len(systems) != 2 or not all(systems):
        return
    difference, judged = (
        each.corrected_difference(*systems),
        percent(each.judged_rate(systems[0]) - each.judged_rate(systems[1])),
    )
    minus = f"{systems[0]} minus {systems[1]}"
    if difference is not None and difference.value is None:
        yield "systems", f"{minus}: {judged} by {each.judge}; no corrected difference: {difference.reason}"
    elif difference is not None and difference.value is not None:
        own = f"{percent(difference.value)}, {_limits(difference)} ({each.judge}: {judged})"
        yield "systems", f"{minus}, each with its own error rates: {own}"
    for label, p in each.errors_by_system(*systems).items():
        if p < _LEVEL:
            yield "systems", f"it errs unequally on what people {label}, p {p_value(p)}: never use common error rates"


_AC1_MISLEADS = 0.1
"""Difference of AC1 and kappa from which AC1 is named."""
_LEVEL = 0.05


def _limits(rate: CorrectedRate) -> str:
    return interval(rate.ci) or f"no interval: {rate.reason}"


def _needed(each: LabelAgreement) -> str:
    """Return how many labels an interval of a wanted width needs, and how many the judge can save."""
    mcc, needed = each.figures["mcc"].value, each.labels_needed
    saved = "" if mcc is None else f"; this judge saves at most {percent(mcc**2)} % of labels (MCC²)"
    count = f"{needed} labels" if needed else "more labels than there are items"
    return f"a rate ± {100 * each.margin:g} points needs {count} (--set margin=X){saved}"


def label_table(agreements: Sequence[LabelAgreement], facet: str) -> Table:
    """Return the headline figures: one row per judge."""
    return table_of(
        "",
        agreements,
        (f"<{one_line(facet, 22)}", lambda each: one_line(each.judge, 24)),
        ("kappa", lambda each: _figure(each, "kappa", coefficient)),
        ("interval", lambda each: limits(each.figures["kappa"].ci) if each.has_verdicts else ""),
        ("sensitivity", lambda each: _figure(each, "sensitivity", percent)),
        ("specificity", lambda each: _figure(each, "specificity", percent)),
        ("gain", lambda each: _figure(each, "gain_over_constant", percent)),
    )


def score_table(agreements: Sequence[LabelAgreement], facet: str) -> Table:
    """Return the headline figures of judges that give scores: one row per judge."""
    return table_of(
        "",
        agreements,
        (f"<{one_line(facet, 22)}", lambda each: one_line(each.judge, 24)),
        ("AUROC", lambda each: _figure(each, "auroc", coefficient)),
        ("interval", lambda each: limits(each.figures["auroc"].ci)),
        ("average precision", lambda each: _figure(each, "average_precision", coefficient)),
        ("threshold", _threshold_cell),
    )


def drift_headline(old: str, new: str, found: Drift) -> str:
    """Return the verdict on two versions of a judge as a sentence."""
    if found.verdict == "changed":
        changed = ", ".join(each.name for each in found.changes if each.verdict == "changed")
        return f"CHANGED: {new} does not judge as {old} does ({changed})."
    if found.verdict == "same":
        return f"SAME: {new} judges as {old} does."
    return f"CANNOT TELL whether {new} judges as {old} does."


def _threshold_cell(each: LabelAgreement) -> str:
    if each.threshold is None:
        return ""
    return "passes all" if each.threshold.value is None else f"{each.threshold.value:.4g}"


def _figure(each: LabelAgreement, name: str, form: object) -> str:
    figure = each.figures.get(name)
    return form(figure.value) if figure and callable(form) else ""


def figure_tables(result: PeopleResult) -> Iterator[Table]:
    """Yield every figure of every judge, the table of two times two, and the tests against single raters."""
    agreements = label_agreements(result)
    facet = one_line(result.main_facet)
    classes = [each for (_, own), each in result.classes.items() if own == result.main_facet]
    compared: list[LabelAgreement | ClassAgreement] = [*agreements, *classes]
    rows = [(each, name, figure) for each in compared for name, figure in each.figures.items()]
    yield table_of(
        f"agreement with labels of people on {facet}",
        rows,
        ("<judge", lambda row: row[0].judge),
        ("<figure", lambda row: row[1].replace("_", " ")),
        ("value", lambda row: coefficient(row[2].value)),
        ("interval", lambda row: limits(row[2].ci)),
        ("<note", lambda row: row[2].reason),
        foot=("AC1 and accuracy alone mislead: they are high for a judge that passes nearly everything.",),
    )
    yield table_of(
        f"people and judge on {facet}",
        [each for each in agreements if each.table],
        ("<judge", lambda each: each.judge),
        *((name, lambda each, at=at: str(each.table[at])) for at, name in enumerate(CELLS)),
    )
    yield _system_table(agreements, facet)
    tests = [
        (name, test)
        for each in agreements
        for name, own in ((each.judge, each.alt_tests()), ("always the same", each.alt_tests(constant=True)))
        for test in own
    ]
    yield table_of(
        f"may a judge replace a rater on {facet}? (alt-test)",
        [(name, test, rater) for name, test in tests for rater in test.raters],
        ("<judge", lambda row: row[0]),
        ("epsilon", lambda row: f"{row[1].epsilon:g}"),
        ("<rater", lambda row: row[2].rater),
        ("items", lambda row: str(row[2].items)),
        ("judge at least as good", lambda row: percent(row[2].advantage)),
        ("p", lambda row: p_value(row[2].p)),
        foot=("A judge that always says the same can win, too: a win counts only with a gain over it.",),
    )


def _system_table(agreements: Sequence[LabelAgreement], facet: str) -> Table:
    """Return the errors and the pass rates by system; error rates of one system do not hold for another."""
    rows = [
        (each, system, each.of_system(system), each.corrected(system))
        for each in agreements
        if each.has_verdicts
        for system in sorted({own for own in each.systems if own})
    ]
    return table_of(
        f"errors and pass rates by system on {facet}",
        rows,
        ("<judge", lambda row: row[0].judge),
        ("<system", lambda row: one_line(row[1])),
        ("labels", lambda row: f"{row[2].n:.0f}"),
        ("sensitivity", lambda row: _share(row[2].tp, row[2].fn)),
        ("specificity", lambda row: _share(row[2].tn, row[2].fp)),
        ("passes", lambda row: percent(row[0].judged_rate(row[1]))),
        ("people pass", lambda row: percent(row[3].value) if row[3] else ""),
        ("interval", lambda row: interval(row[3].ci) if row[3] else ""),
    )


def _share(hits: float, others: float) -> str:
    return percent(hits / (hits + others) if hits + others else None)


def drift_tables(drift: Drift) -> Iterator[Table]:
    """Yield the differences of two versions on the labelled items, with tests."""
    independent = "" if drift.independent else " (not valid: several items share a context)"
    old, new = drift.only_right
    yield table_of(
        "new minus old version, labelled items",
        drift.differences.items(),
        ("<figure", lambda row: row[0]),
        ("difference", lambda row: coefficient(row[1].difference)),
        ("interval", lambda row: limits(row[1].ci)),
        ("p", lambda row: p_value(row[1].p)),
        ("p (Holm)", lambda row: p_value(row[1].p_holm)),
        foot=(
            f"Only the old one is right on {old}, only the new one on {new}: McNemar p {p_value(drift.p_right)}{independent}.",
        ),
    )


def drift_lines(drift: Drift) -> Iterator[str]:
    """Yield the rungs of a drift: each figure with its interval and verdict."""
    width = max(len(each.name) for each in drift.changes)
    for each in drift.changes:
        more = f" (about {each.needed} items would)" if each.needed else ""
        value = "" if each.value is None else f"{100 * each.value:+.2f}"
        yield f"{each.name:<{width}}  {value:>7}  {interval(each.ci):>17}  {each.verdict}{more}"


def label_charts(result: PeopleResult) -> Iterator[Chart]:
    """Yield the ROC curve of judges that give scores, and the reliability diagram of declared probabilities."""
    agreements = label_agreements(result)
    roc = [(each.judge, x, y, None, None) for each in agreements for x, y in each.roc]
    if roc:
        passed = "share of what people fail that passes"
        yield Chart(
            "roc", "Which threshold?", SQUARE, roc, x_label=passed, y_label="share of what people pass that passes"
        )
    for each in agreements:
        if each.calibration is not None:
            rows = [(each.judge, tenth.mean_p, tenth.passed, *tenth.ci) for tenth in each.calibration.bins]
            title = f"Are the probabilities of {one_line(each.judge)} right?"
            name = f"reliability-{slug(each.judge)}"
            yield Chart(name, title, SQUARE, rows, x_label="mean probability", y_label="share that people pass")
