"""The certificate of a judge for people: the badge, the summary, and the page in Markdown. All come from the certificate alone."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import one_line
from ...judges.people.certificate import Certificate, Figures
from ..tables import Table, coefficient, limits, markdown_code, markdown_text, render, table_of, visible
from .summary import Summary

_HEADLINE = ("sensitivity", "specificity", "kappa", "gain_over_constant", "auroc")
"""The figures that come first. AC1 is never among them."""
_AGREES = {
    "as well as one of them": "agrees with people about as well as one of them",
    "less than one of them": "agrees with people less than one of them does",
    "better than a constant": "agrees with people better than a judge that always says the same",
    "no better": "is no better than a judge that always says the same",
}
_HOW_TO_MEASURE = {
    "agreement": "verdicts, and labels of 25 contexts",
    "gain": "verdicts, and labels of 25 contexts",
    "corrected rates of systems": "where the labels come from: labels=random, of two systems",
    "position": "a run of a judge of pairs on cases: attacks=RUN",
    "attacks": "a run of the judge on cases: attacks=RUN",
    "length": "texts of the rated items",
    "repeats": "repeated verdicts, as NAME/1 and NAME/2",
}
"""Missing evidence → what would give it."""


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def badge(certificate: Certificate) -> str:
    """Return one line that stands for a certificate.

    Example:
        >>> from dialmeter.judges.people.certificate import CertifiedData, CertifiedFigure
        >>> figures = {"kappa": CertifiedFigure(0.5957, (0.4826, 0.7015)), "specificity": CertifiedFigure(0.7531)}
        >>> data = CertifiedData(n=232, labels="", verdicts="")
        >>> badge(Certificate(certificate="", judge={"name": "strict"}, data=data, figures=figures, sha256="abdd6074e9"))
        'judge strict · κ .60 [.48, .70] · spec .75 · n 232 · abdd6074'
    """
    parts = [f"judge {one_line(certificate.name, 40)}"]
    for name, short in {"kappa": "κ", "auroc": "AUROC", "sensitivity": "sens", "specificity": "spec"}.items():
        if figure := certificate.figures.get(name):
            ends = f" [{', '.join(map(_short, figure.ci95))}]" if name in ("kappa", "auroc") and figure.ci95 else ""
            parts.append(f"{short} {_short(figure.value)}{ends}")
    return " · ".join([*parts, f"n {certificate.data.n}", certificate.sha256[:8]])


def certificate_verdict(certificate: Certificate) -> str:
    """Return what the evidence says about the judge as a sentence."""
    name, facet = certificate.name, one_line(certificate.data.facet)
    if agrees := _AGREES.get(certificate.agreement or ""):
        return f"{name} {agrees} on {facet}."
    if certificate.agreement:
        return f"CANNOT TELL whether {name} is better than a judge that always says the same on {facet}."
    return f"CANNOT TELL whether {name} may decide on {facet}: it gives scores; make verdicts with judge-pass-if."


def certificate_summary(certificate: Certificate, verdict: str = "", command: str = "") -> Summary:
    """Return the summary: the verdict, the gates, for each use the evidence that is missing, and the badge."""
    data = certificate.data
    findings = [("gate", f"{gate.condition}: {gate.verdict}") for gate in certificate.gates]
    findings += [
        (use, f"missing: {', '.join(each.missing)}" if each.missing else "all evidence is there")
        for use, each in certificate.uses.items()
    ]
    return Summary(
        verdict=verdict or certificate_verdict(certificate),
        findings=[*findings, ("badge", badge(certificate))],
        account=f"{data.n} labelled items of {data.items}; {data.contexts} contexts",
        next=command,
    )


def _figures_table(title: str, figures: Figures, *foot: str) -> Table:
    return table_of(
        title,
        figures.items(),
        ("<figure", lambda row: one_line(row[0]).replace("_", " ") or "all"),
        ("value", lambda row: coefficient(row[1].value)),
        ("interval", lambda row: limits(row[1].ci95)),
        ("n", lambda row: f"{row[1].n:.0f}" if row[1].n else ""),
        ("<note", lambda row: one_line(row[1].reason or row[1].method)),
        foot=tuple(filter(None, foot)),
    )


def certificate_tables(certificate: Certificate) -> Iterator[Table]:
    """Yield the tables of the page: uses, gates, agreement, raters, corrected rates, reliability, attacks, digests."""
    yield table_of(
        "evidence for each use",
        certificate.uses.items(),
        ("<use", lambda row: one_line(row[0])),
        ("<evidence", lambda row: ", ".join(row[1].present) or "none"),
        ("<missing", lambda row: "; ".join(f"{each} ({_HOW_TO_MEASURE.get(each, '')})" for each in row[1].missing)),
        foot=("There is no total: a judge that may decide may be a bad reward.",),
    )
    met = "A gate is met if the whole interval satisfies it."
    yield table_of("gates", certificate.gates, "<condition | <verdict", foot=(met,))
    first = {name: certificate.figures[name] for name in _HEADLINE if name in certificate.figures}
    about = one_line(certificate.data.about)
    yield _figures_table(
        "agreement with people",
        first | certificate.figures,
        "AC1 and accuracy alone mislead: they are high for a judge that passes nearly everything.",
        f"A pass means {about}; nobody was asked for pass or fail." if about else "",
    )
    raters = certificate.raters
    yield table_of(
        "may it replace a rater? (alt-test)",
        raters.alt_tests.items(),
        ("epsilon", lambda row: one_line(row[0])),
        ("share of raters, judge", lambda row: coefficient(row[1])),
        ("constant judge", lambda row: coefficient(raters.constant.get(row[0]))),
        foot=(
            "A constant judge can win, too: a win counts only with a gain over it.",
            f"Agreement of the raters: alpha {coefficient(raters.alpha)}.",
        ),
    )
    yield _figures_table(
        "corrected pass rates",
        certificate.corrected,
        f"Labels are stated to be {certificate.settings.get('labels')}. If that is wrong, these intervals are wrong. "
        "Each system has its own error rates.",
    )
    length = "Length: rank correlation of score and words, given the ratings of people."
    yield _figures_table("repeats, order and length", certificate.reliability, length)
    for facet, errors in certificate.attacks.items():
        yield _figures_table(f"errors under attack: {one_line(facet)}", errors)
    digests = {name: getattr(certificate.data, name) for name in ("labels", "verdicts", "cases")}
    parts = {**certificate.judge, **digests, "seal": certificate.sha256}
    yield table_of(
        "what it is about",
        [(key, each) for key, each in parts.items() if each is not None],
        ("<part", lambda row: one_line(row[0])),
        ("<value or digest", lambda row: one_line(str(row[1]), 100)),
        foot=("It expires when one of them changes. The seal detects accidents, not forgery.",),
    )


def certificate_page(certificate: Certificate) -> str:
    """Return the page in Markdown."""
    name = markdown_text(visible(one_line(certificate.name, 80)))
    parts = [f"# Judge certificate: {name}", markdown_code(badge(certificate))]
    parts.append(markdown_text(visible(certificate_verdict(certificate))))
    parts += [render(each, "markdown") for each in certificate_tables(certificate) if each.rows]
    return "\n\n".join(parts) + "\n"
