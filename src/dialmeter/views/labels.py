"""Judges against labels pass and fail: the verdict, what it depends on, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import one_line
from ..judges.people.labels import LabelAgreement
from ..judges.people.result import PeopleResult
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
        yield "alt-test", f"as good as {won} of the raters at epsilon .1; a constant judge as {base}"
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
        yield "ties", f"{each.ties} items have no label, because their raters are divided equally"
    yield from _rates(each)


def _rates(each: LabelAgreement) -> Iterator[tuple[str, str]]:
    if not each.has_verdicts or len(each.all_values) == each.n:
        return
    judged, rate = len(each.all_values), percent(float(each.all_values.mean()))
    corrected = each.corrected()
    if corrected is None:
        yield (
            "rate",
            f"passes {rate} % of all {judged}; to correct it say where labels come from: --set labels=random",
        )
    elif corrected.value is None:
        yield "rate", f"passes {rate} % of all {judged}; no corrected rate: {corrected.reason}"
    else:
        yield (
            "rate",
            f"people would pass {percent(corrected.value)} %, {interval(corrected.ci)} ({each.judge}: {rate} %)",
        )
    systems = list(dict.fromkeys(sorted(each.systems)))
    difference = each.corrected_difference(*systems) if len(systems) == 2 and all(systems) else None
    if difference is not None and difference.value is not None:
        yield (
            "systems",
            f"{systems[0]} minus {systems[1]}, corrected: {percent(difference.value)}, {interval(difference.ci)}",
        )


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
    rows = [(each, name, figure) for each in agreements for name, figure in each.figures.items()]
    yield table_of(
        f"agreement with labels of people on {facet}",
        rows,
        ("<judge", lambda row: row[0].judge),
        ("<figure", lambda row: row[1].replace("_", " ")),
        ("value", lambda row: coefficient(row[2].value)),
        ("interval", lambda row: limits(row[2].ci)),
        ("<note", lambda row: row[2].reason),
    )
    yield table_of(
        f"people and judge on {facet}",
        [each for each in agreements if each.table],
        ("<judge", lambda each: each.judge),
        *((name, lambda each, at=at: str(each.table[at])) for at, name in enumerate(_CELLS)),
    )
    tests = [(each, test) for each in agreements for test in each.alt_tests()]
    yield table_of(
        f"may a judge replace a rater on {facet}? (alt-test)",
        [(each, test, rater) for each, test in tests for rater in test.raters],
        ("<judge", lambda row: row[0].judge),
        ("epsilon", lambda row: f"{row[1].epsilon:g}"),
        ("<rater", lambda row: row[2].rater),
        ("items", lambda row: str(row[2].items)),
        ("judge at least as good", lambda row: percent(row[2].advantage)),
        ("p", lambda row: p_value(row[2].p)),
    )


_CELLS = ("both fail", "only the judge passes", "only people pass", "both pass")


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
