"""Tables of a study of human ratings."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import asdict

from ..studies.human import Lam, LambdaFit, PeopleStudy, Statistic
from .tables import Table, coefficient, limits, records_of, records_table, table_of

_MOST_RATERS = 12
"""With more raters, only JSON has the table by rater."""


def tables_of(study: PeopleStudy, confidence: float) -> Iterator[Table]:
    """Yield all non-empty tables in the order of printing."""
    by_measure = {(each.measure, each.statistic): each for each in study.correlations}
    kinds = dict.fromkeys(each.statistic for each in study.correlations)
    rows = []
    for measure in dict.fromkeys(each.measure for each in study.correlations):
        statistics = [by_measure[measure, kind] for kind in kinds]
        cells = [cell for each in statistics for cell in _cells(each)]
        reason = next((each.reason for each in statistics if each.reason), "")
        rows.append((measure, *cells, str(statistics[0].n), str(statistics[0].unscored or ""), reason))
    headings = (
        "measure",
        *(word for kind in kinds for word in (kind.capitalize(), "interval")),
        "n",
        "unscored",
        "note",
    )
    title = "correlation with the mean rating, over dialogues"
    yield Table(title, headings, tuple(rows), frozenset(range(1, len(headings) - 1)))
    yield from rater_tables(study)
    if study.pairs and confidence:
        yield table_of(
            "Pearson of the first minus Pearson of the second, Zou's interval",
            study.pairs,
            "<first | <second | difference=value:coefficient | interval=ci:limits",
            ("<", _verdict),
        )


def rater_tables(study: PeopleStudy) -> Iterator[Table]:
    """Yield the agreement of raters, and the correlations with each of them."""
    if study.agreement:
        yield table_of("agreement of raters", study.agreement, "<statistic | value:coefficient | n | <note=reason")
    if 1 < len(study.raters) <= _MOST_RATERS:
        yield table_of(
            "Pearson by rater",
            study.raters,
            "<rater | dialogues=n",
            ("mean", lambda each: f"{each.mean:.2f}"),
            *(
                (name, lambda each, name=name: coefficient(each.pearson[name].value))
                for name in study.raters[0].pearson
            ),
        )


def lambda_lines(fit: LambdaFit, confidence: float) -> list[str]:
    """Return the fitted lambda in words."""
    if fit.lam is None:
        return [f"no lambda agrees best with the ratings: {fit.reason}"]
    lines = [f"lambda {format_lambda(fit.lam)} agrees best with the ratings"]
    if fit.ci is not None:
        lines[0] += f", {100 * confidence:.4g} % interval {format_lambda(fit.ci[0])} to {format_lambda(fit.ci[1])}"
    if fit.spans_all:
        lines.append("the interval contains every lambda: these ratings do not determine lambda")
    return lines


def _cells(statistic: Statistic) -> tuple[str, str]:
    return coefficient(statistic.value), limits(statistic.ci)


def lambda_table(fit: LambdaFit) -> Table:
    """Return the fitted lambda and, for comparison, measures without a parameter to fit."""
    n = str(fit.held_out.n)
    rows = [
        (f"FGA(lam={format_lambda(fit.lam)}), fitted on all", coefficient(fit.pearson), "", n, "", "", ""),
        ("FGA, fitted on other dialogues", *_cells(fit.held_out), n, "", "", fit.held_out.reason),
        *(
            (each.measure, *_cells(each.pearson), str(each.pearson.n), *_cells(each.difference), each.difference.reason)
            for each in fit.rivals
        ),
    ]
    notes = (
        "Fitted on all: the correlation is too high, because lambda was chosen for it. Fitted on other dialogues: "
        f"{len(fit.folds)} folds, with lambda {', '.join(map(format_lambda, dict.fromkeys(fit.folds)))}. "
        "The difference is the correlation of the second row minus that of the measure, with Zou's interval.",
    )
    headings = ("measure", "Pearson", "interval", "n", "difference", "its interval", "note")
    title = "FGA with the lambda that agrees best with the ratings"
    return Table(title, headings, tuple(rows), frozenset(range(1, 6)), notes=notes)


def lambda_rows(fit: LambdaFit) -> Iterator[Table]:
    """Yield machine-readable tables of the fit, of the other measures, and of the correlation at every lambda."""
    fitted = {"lam": fit.lam, "lam_ci": fit.ci, "pearson": fit.pearson, **_prefix_keys("held_out", fit.held_out)}
    yield records_table([{**fitted, "signature": fit.signature}])
    yield records_table(
        [
            {
                "measure": each.measure,
                **_prefix_keys("pearson", each.pearson),
                **_prefix_keys("difference", each.difference),
            }
            for each in fit.rivals
        ]
    )
    yield records_table(records_of(fit.curve, "lam pearson"))


def format_lambda(lam: Lam | None) -> str:
    return "–" if lam is None else lam if isinstance(lam, str) else f"{lam:g}"


def _prefix_keys(name: str, statistic: Statistic) -> dict[str, object]:
    numbers = asdict(statistic)
    return {name: numbers.pop("value"), **{f"{name}_{key}": each for key, each in numbers.items()}}


def csv_tables(study: PeopleStudy) -> Iterator[Table]:
    """Yield correlations, agreement, raters and differences as machine-readable tables."""
    keys = "value ci n unscored p reason"
    yield records_table(records_of(study.correlations, f"measure statistic {keys} signature"))
    yield from rater_tables(study)
    yield records_table(records_of(study.pairs, f"first second {keys}"))


def _verdict(difference: Statistic) -> str:
    if difference.ci is None:
        return difference.reason
    low, high = difference.ci
    return "the first is higher" if low > 0 else "the second is higher" if high < 0 else ""
