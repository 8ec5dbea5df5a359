"""The summaries of studies of trackers: what was found, in plain words, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from ...core.account import Account
from ...core.comparability import joint_signature
from ...core.comparison import Resampling
from ...errors import one_line
from ...studies.audit.audit import FilledSheets, GoldAudit, proposal
from ...studies.audit.candidates import KINDS
from ...studies.bias import (
    FAILS,
    FILTER_WORDS,
    HOLDS,
    NO_VALUE,
    REFERENCE,
    RIVAL,
    UNDECIDED,
    BiasStudy,
    excludes_zero,
)
from ...studies.curve import Curve, CurveTrend, DomainTable
from ...studies.human import LambdaFit, PeopleStudy
from ...studies.sensitivity import SchemaSensitivity
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.explain_rules import UnderRules
from ..curve import tables_of
from ..human import format_lambda
from ..tables import Table, coefficient, interval, limits, percent, signed, table_of
from .summary import Summary, account_text, corner, find_command, fit, fit_list, with_option, without
from .tracker import tracker_signature

_TEXT = 64
"""Columns of the text of a finding."""
_ROWS = 10
"""Maximum number of rows of a table."""


def rules_summary(results: Sequence[UnderRules], causes: Sequence[tuple[str, int]], command: str = "") -> Summary:
    """Return how much JGA depends on the rule set; ``causes`` are rules with the number of turns that each flips by itself."""
    valued = [(each.value, each) for each in results if each.value is not None]
    verdict = f"No rule set can be applied: {results[0].reason}."
    if valued:
        (least, low), (most, high) = (chosen(valued, key=lambda pair: pair[0]) for chosen in (min, max))
        verdict = (
            f"JGA is {percent(least)} under {low.rules} and {percent(most)} under {high.rules}: "
            f"{100 * (most - least):.2f} points hang on the rule set."
        )
        if percent(least) == percent(most):
            many = f"{len(valued)} rule set{'s' * (len(valued) != 1)}"
            verdict = f"JGA is {percent(most)} under {'all ' * (len(valued) > 1)}{many}."
    skipped = [each.rules for each in results if each.value is None]
    findings = [("rule", fit(f"{cause} flips {turns} turns by itself", _TEXT)) for cause, turns in causes[:3]]
    findings += [("no score", fit_list(skipped, _TEXT - 12))] if skipped and valued else []
    ordered = sorted((each for _, each in valued), key=lambda each: -(each.value or 0))
    base = results[0].rules
    table = table_of(
        "",
        ordered[:_ROWS],
        ("<rules", lambda each: fit(each.rules, 30)),
        ("JGA", "value:percent"),
        ("turns right", lambda each: f"{each.right_turns} of {each.turns}"),
        (f"flips from {fit(base, 20)}", lambda each: "" if each is results[0] else str(len(each.flips))),
    )
    flips = [flip for each in results[1:] for flip in each.flips]
    account = valued[0][1].account if valued else None
    return Summary(
        verdict=verdict,
        findings=findings,
        table=table,
        account=account_text(account) if account is not None else "",
        signature=_common_signature([each.signature for _, each in valued]),
        next=find_command(without(command, "--rules"), flips[0].dialogue) if flips else "",
    )


def _common_signature(signatures: Sequence[str]) -> str:
    """Return the measure and the fields of the data, which are the same under all rule sets.

    Example:
        >>> _common_signature(["JGA|rules:trade|none:keep|d:9|t:70|v:1", "JGA|rules:sgd|none:drop|d:9|t:70|v:1"])
        'JGA|d:9|t:70|v:1'
    """
    first, *others = [signature.split("|") for signature in signatures] or [[]]
    kept = [part for part in first if all(part in other for other in others)]
    return "|".join(part for part in kept if part.startswith(("JGA", "rules:", "patch:", "d:", "t:", "gold:", "v:")))


_TRAITS = {"TO": "late", "NU": "concentrated"}
_OUTCOMES = {HOLDS: "less", FAILS: "more", UNDECIDED: "not shown", NO_VALUE: "no value"}


def bias_summary(study: BiasStudy, result: TrackerResult | None, command: str = "") -> Summary:
    """Return whether the published claim holds, and on what each measure depends.

    Args:
        study: the study of the only file, or of all files together.
        result: the scores of the only file.
        command: the command as typed.
    """
    reason = study.no_correlation
    own = [each for each in study.verdicts if each.rival == RIVAL and each.trait in _TRAITS]
    correlations = {(each.measure, each.trait): each for each in study.correlations if each.filter == "mistakes"}
    dependent = [
        measure for measure in study.measures if any(excludes_zero(correlations[measure, each].ci) for each in _TRAITS)
    ]
    if reason:
        verdict = f"CANNOT TELL: {reason}."
    elif own:
        verdict = _claim_sentence({each.outcome for each in own} - {NO_VALUE})
    elif dependent:
        verdict = f"{fit_list(dependent, 60)} {'depends' if len(dependent) == 1 else 'depend'} on where mistakes are."
    else:
        verdict = "No measure is shown to depend on where mistakes are."
    rungs = [
        f"{_TRAITS[each.trait]:<13} {FILTER_WORDS[each.filter]:<25} "
        f"{f'{each.strength:+.3f}' if each.strength is not None else '–':>6}  {limits(each.strength_ci):<16}  "
        f"{_OUTCOMES[each.outcome]}"
        for each in own
    ]
    rows = tuple(
        (
            fit(measure, 22),
            *(
                cell
                for trait in _TRAITS
                for cell in (coefficient(correlations[measure, trait].r), limits(correlations[measure, trait].ci))
            ),
        )
        for measure in study.measures[:_ROWS]
    )
    mistaken = sum(any(row.mistakes) for row in study.rows)
    headings = ("r, with a mistake", *(heading for trait in _TRAITS.values() for heading in (trait, "")))
    return Summary(
        verdict=verdict,
        rungs=[] if reason else rungs,
        table=None if reason else Table("", headings, rows, frozenset(range(1, 5))),
        account=f"{len(study.rows)} dialogues, {mistaken} with a mistake",
        signature=tracker_signature(result.scores, result.rules, Resampling()) if result is not None else "",
        next=with_option(command, "-v"),
    )


def _claim_sentence(outcomes: Set[str]) -> str:
    """Return one sentence on the claim that GCA depends less than FGA on where mistakes are; a line follows for each test of it."""
    claim = f"{REFERENCE} depends less than {RIVAL} on where mistakes are"
    if outcomes == {HOLDS}:
        return f"{claim}, as published."
    if outcomes == {FAILS}:
        return f"{claim.replace('less', 'more')}, against the published claim."
    if HOLDS not in outcomes:
        return f"It is not shown that {claim}: |r| of {RIVAL} minus |r| of {REFERENCE}."
    return f"Whether {claim} DEPENDS on the trait and the dialogues: |r| of {RIVAL} minus |r| of {REFERENCE}."


def curve_summary(curve: Curve, command: str = "") -> Summary:
    """Return the trend of the first measure, and how the distance of all measures to the reference develops."""
    first = next(iter(curve.files[0].values))
    trend = next((each for each in curve.trends if each.measure == first and each.of == "value"), None)
    table = curve.tables[0] if curve.tables else None
    if trend is not None:
        verdict = _trend_sentence(trend, curve)
    elif table is not None:
        verdict = _domain_sentence(table)
    else:
        point = curve.points[0]
        verdict = f"{first} is {percent(point.value.value)} with one share of training data, so there is no trend."
    distances: dict[str, list[str]] = {}
    for each in curve.trends:
        if each.of == "distance":
            distances.setdefault(each.verdict, []).append(each.measure + (f" ({each.domain})" if each.domain else ""))
    words = {"grows": "grows", "shrinks": "shrinks", "unclear": "has no clear trend"}
    findings = [
        ("distance", fit(f"to {curve.reference} {words[kind]} with more data: {', '.join(measures)}", 2 * _TEXT))
        for kind, measures in distances.items()
    ]
    scores = [score for each in curve.files for score in each.result.scores]
    turns = sum(each.result.turns for each in curve.files)
    return Summary(
        verdict=verdict,
        findings=findings,
        table=corner(next(tables_of(curve)), _ROWS, 6),
        account=f"{len(curve.files)} files, {turns} turns",
        signature=tracker_signature(scores, curve.rules, Resampling()),
        next=with_option(command, "-o", "runs/curve"),
    )


def _trend_sentence(trend: CurveTrend, curve: Curve) -> str:
    unit = "per tenfold training data" if curve.scale == "log" else "over the whole training set"
    where = f" in {one_line(trend.domain, 40)}" if trend.domain else ""
    slope = trend.slope
    if slope.value is None:
        return f"CANNOT TELL whether {trend.measure} grows{where}: {slope.reason}."
    change = f"{signed(slope.value)} {unit}"
    limit = slope.seeds or slope.dialogues
    between = f", {interval(limit)}" if limit else ""
    if trend.verdict == "unclear":
        return f"CANNOT TELL whether {trend.measure} grows with more training data{where}: {change}{between}."
    return f"{trend.measure} {trend.verdict} with more training data{where}: {change}{between}."


def _domain_sentence(table: DomainTable) -> str:
    row = table.rows[0]
    values = {name: each.value for name, each in row.domains.items() if each.value is not None}
    if not values:
        return f"{row.measure} has no value in any domain."
    lowest, highest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    ends = f", from {percent(values[lowest])} in {lowest} to {percent(values[highest])} in {highest}"
    return (
        f"{row.measure} is {percent(row.mean.value)} on average over {len(values)} domains{ends * (len(values) > 1)}."
    )


def people_summary(study: PeopleStudy, fit_: LambdaFit | None, result: TrackerResult, command: str = "") -> Summary:
    """Return the measure that agrees best with people, and whether it is shown to agree better than the next one."""
    pearsons = [each for each in study.correlations if each.statistic == "pearson" and each.value is not None]
    ranked = sorted(pearsons, key=lambda each: -(each.value or 0))
    least = (ranked[0].ci or (ranked[0].value or 0.0,))[0] if ranked else None
    unclear = least is not None and least <= 0
    if not ranked:
        verdict = f"CANNOT TELL how measures agree with people: {study.correlations[0].reason}."
    else:
        best = ranked[0]
        pearson = f"Pearson {coefficient(best.value)}" + (f", {limits(best.ci)}." if best.ci else ".")
        verdict = f"{best.measure} agrees best with people: {pearson}"
        if unclear:
            verdict = f"No measure is shown to agree with people; the highest is {best.measure}: {pearson}"
        elif len(ranked) > 1:
            second = ranked[1].measure
            [ci] = [each.ci for each in study.pairs if {each.first, each.second} == {best.measure, second}]
            shown = "that is" if excludes_zero(ci) else "not shown to be"
            verdict = f"{verdict[:-1]}; {shown} more than {second}."
    by_kind = {(each.measure, each.statistic): each for each in study.correlations}
    table = table_of(
        "",
        list(dict.fromkeys(each.measure for each in study.correlations))[:_ROWS],
        ("<", lambda name: fit(name, 20)),
        ("Pearson", lambda name: coefficient(by_kind[name, "pearson"].value)),
        ("<interval", lambda name: limits(by_kind[name, "pearson"].ci)),
        *(
            (kind.capitalize(), lambda name, kind=kind: coefficient(by_kind[name, kind].value))
            for kind in ("spearman", "kendall")
        ),
    )
    signatures = joint_signature([each.signature for each in study.correlations])
    return Summary(
        verdict=verdict,
        findings=list(_people_findings(study, fit_ if ranked and not unclear else None)),
        table=table,
        account=f"{len(study.dialogues)} of {result.dialogues} dialogues rated by {len(study.raters)} "
        f"{'person' if len(study.raters) == 1 else 'people'}",
        signature="|".join(
            part for part in signatures.split("|") if part.startswith(("rules", "rated", "ratings", "v:"))
        ),
        next=with_option(command, "-v"),
    )


def _people_findings(study: PeopleStudy, fit_: LambdaFit | None) -> Iterator[tuple[str, str]]:
    if study.agreement:
        alpha = study.agreement[0]
        yield "people", f"agree with each other: Krippendorff's alpha {coefficient(alpha.value)}"
    if fit_ is not None and fit_.lam is not None:
        text = f"FGA(lam={format_lambda(fit_.lam)}) agrees best"
        if fit_.spans_all:
            text += ", but the ratings do not determine lambda"
        elif fit_.ci is not None:
            text += f"; lambda {format_lambda(fit_.ci[0])} to {format_lambda(fit_.ci[1])}"
        yield "lambda", text


def audit_summary(audit: GoldAudit, most: int, sheet: str | None, command: str = "") -> Summary:
    """Return the number of candidates and the strongest of them; ``sheet`` is the file of the sheet that has them."""
    voters, trackers = len(audit.trackers.voters), len(audit.trackers.trackers)
    given = [each.name for each in audit.trackers.trackers if each.check.was_given_gold]
    if not voters:
        verdict = "CANNOT TELL: no tracker votes, because all were given gold states."
    elif not audit.found:
        verdict = f"No value of gold is likely wrong: {voters} tracker{'s' * (voters != 1)} found nothing against it."
    else:
        verdict = f"{audit.found} value{'s' * (audit.found != 1)} of gold may be wrong; people must decide."
        if voters == 1:
            verdict += " With one tracker, most are its own errors."
    findings = [(kind, f"{count}: {KINDS[kind]}") for kind, count in list(audit.kinds.items())[:4]]  # type: ignore[index]
    findings += [("sheet", f"{len(audit.ranked)} candidates in {one_line(sheet, 40)}")] if sheet else []
    findings += [("no vote", fit_list(given, _TEXT - 18) + " (given gold states)")] if given else []
    table = table_of(
        "",
        audit.ranked[: min(most, _ROWS)],
        ("<dialogue", lambda each: fit(one_line(each.dialogue, 30), 16)),
        "turn",
        ("<slot", lambda each: fit(one_line(each.slot, 40), 22)),
        ("<gold", lambda each: fit(one_line(each.gold or "–", 30), 14)),
        ("<proposed", lambda each: fit(one_line(proposal(each), 60), 18)),
    )
    first = audit.trackers.trackers[0].result
    next_command = with_option(command, "--make-sheet", "sheet.html")
    if sheet:
        filled = str(Path(sheet).with_suffix(".csv"))
        next_command = shlex.join(["dialmeter", "study", "audit", "--sheet", filled, "-o", "patch.json"])
    return Summary(
        verdict=verdict,
        findings=findings,
        table=table if table.rows else None,
        account=f"{first.dialogues} dialogues, {audit.mentions} values; {voters} of {trackers} trackers vote",
        signature=tracker_signature(
            [score for each in audit.trackers.trackers for score in each.result.scores], first.rules, Resampling()
        ),
        next=next_command if audit.found else "",
    )


def patch_summary(path: str, answers: FilledSheets) -> Summary:
    """Return how many corrections a patch has, and how to use it."""
    count = len(answers.patch.corrections)
    verdict = (
        f"{one_line(path, 200)} corrects {count} value{'s' * (count != 1)} of gold; digest {answers.patch.digest}."
    )
    verdicts = ", ".join(f"{number} {word}" for word, number in answers.verdicts.items())
    return Summary(
        verdict=verdict,
        findings=[("verdicts", verdicts)],
        account=f"{answers.candidates} candidates",
        next=f"dialmeter score FILE --set {shlex.quote(f'patch={path}')}",
    )


def sensitivity_summary(
    sensitivities: Sequence[SchemaSensitivity],
    original: str,
    variants: int,
    account: Account,
    command: str = "",
) -> Summary:
    """Return how much the first measure depends on the wording of the schema."""
    first = sensitivities[0]
    if first.value is None:
        verdict = f"CANNOT TELL: {first.reason}."
    elif not first.value:
        verdict = f"The wording of the schema changes no frame under {first.measure}."
    else:
        between = f", {interval(first.ci)}" if first.ci else ""
        verdict = f"{first.measure} of a frame varies by {percent(first.value)} % of its mean between {variants} wordings{between}."
    findings = [
        (
            "wording",
            f"{each.measure}: {percent(each.original)} as {fit(original, 20)}, {percent(each.mean)} on average reworded",
        )
        for each in sensitivities
        if each.original is not None
    ]
    table = table_of(
        "",
        sensitivities,
        "<measure | sensitivity=value:percent",
        ("<interval", lambda each: interval(each.ci)),
        "frames=n | unscored:count",
    )
    dialogue = first.dialogues[0].dialogue if first.dialogues else ""
    return Summary(
        verdict=verdict,
        findings=findings,
        table=table,
        account=account_text(account),
        next=with_option(command, "-v") if dialogue else "",
    )
