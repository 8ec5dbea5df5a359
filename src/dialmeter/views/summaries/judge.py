"""The summaries of judges: on cases, and against the ratings of people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.account import Account
from ...core.comparison import Resampling
from ...judges.attack_run import Yield
from ...judges.case_files import JudgeInputCheck
from ...judges.cases import Case
from ...judges.explanation import Importance
from ...judges.judge import FACETS
from ...judges.matrix import CONTROL, OUTSIDE, ErrorCell
from ...judges.people.correlate import FacetAgreement
from ...judges.people.labels import LabelAgreement
from ...judges.people.result import FEWEST_CONTEXTS, AgreementDifference, PeopleResult, first_judge
from ...judges.result import JudgeResult, mean_error
from ...judges.validity import AttackValidity, ReaderAgreement
from ...readers.ratings.rated_item import RatedItems
from ...stats.drift import Drift
from .. import tables
from ..compare import verdict_on_many
from ..labels import (
    drift_headline,
    drift_lines,
    label_agreements,
    label_findings,
    label_headline,
    label_table,
    score_headline,
    score_table,
)
from ..ladder import rung_lines
from ..tables import Table, coefficient, decimals, interval, limits, p_value, table_of
from .summary import WIDTH, Summary, account_text, counted, fit, fit_list, short_signature, with_option

BLIND = 0.9
"""A judge is blind to an attack if it errs on this share of the cases."""
_BLIND_ATTACKS = 3
_NAME = 22
_AGREEMENT_NAME = 30
_VALIDITY_ROWS = 10
"""Maximum numbers of characters of a name, and of rows."""


def score_summary(result: JudgeResult | PeopleResult, command: str = "", file: str = "", run: str = "") -> Summary:
    """Return the summary of judges on cases, or of their agreement with people.

    Args:
        result: the scores.
        command: the command as typed.
        file: the file that was judged.
        run: the folder of the saved run, if there is one.
    """
    if isinstance(result, PeopleResult):
        return _agreement_summary(result, command)
    names = result.named_judges
    means = {name: mean_error(result.counted(name)) for name in (*names, "random")}
    first = names[0]
    verdict = f"{first} errs on {percent(means[first])} % of cases"
    if not result.accounts[first].scored:
        verdict = f"{first} has no error rate: none of {result.accounts[first].asked} cases counts"
    elif means[first] is None:
        verdict = f"{first} has no error rate: {result.by('judge')[0].reason}"
    elif first != "random" and means["random"] is not None:
        verdict += f", a random judge on {percent(means['random'])} %"
    return Summary(
        verdict=f"{verdict}.",
        findings=list(_findings(result, names)),
        table=facet_table(result, names),
        account=account_text(result.accounts[first]),
        signature=_signature(result, [first]),
        next=_next(result, first, file, run),
    )


_USUAL = ("threshold:paper(0.05)", "threshold:paper", "verdict:paper")


def percent(value: float | None) -> str:
    """Format an error rate with one decimal."""
    return "–" if value is None else f"{100 * value:.1f}"


def _signature(result: JudgeResult, names: Sequence[str]) -> str:
    means = [each for each in result.by("judge") if each.group["judge"] in names]
    return short_signature(means, Resampling(), _USUAL)


def facet_table(result: JudgeResult, names: Sequence[str]) -> Table:
    """Return the mean error rates by facet: one column per judge, as many as fit, and the random judge."""
    columns = ["random"]
    for name in names:
        widths = [max(len(fit(each, _NAME)), 5) + 1 for each in dict.fromkeys((*columns, name))]
        if name not in columns[:-1] and 12 + sum(widths) <= WIDTH:
            columns.insert(-1, name)
    columns = list(dict.fromkeys(columns))
    rates = {
        facet: {
            name: "" if (mean := mean_error(result.counted(name, facet=facet))) is None else percent(mean)
            for name in columns
        }
        for facet in FACETS
    }
    return table_of(
        "",
        [facet for facet in FACETS if any(rates[facet].values())],
        ("<error %", str),
        *((fit(name, _NAME), lambda facet, name=name: rates[facet][name]) for name in columns),
    )


def _most_errors(result: JudgeResult, judge: str) -> list[ErrorCell]:
    return sorted(result.counted(judge), key=lambda cell: -(cell.value or 0))


def _findings(result: JudgeResult, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if any(cell.degenerate for cell in result.scores if cell.judge == name):
            yield "constant", f"{name} gives every reply the same score"
        rates = [(cell.attack, cell.value or 0) for cell in _most_errors(result, name)]
        blind = [f"{attack} {100 * rate:.0f}" for attack, rate in rates if rate >= BLIND]
        if blind:
            more = f" and {len(blind) - _BLIND_ATTACKS} more" if len(blind) > _BLIND_ATTACKS else ""
            yield "blind to", f"{name}: {', '.join(blind[:_BLIND_ATTACKS])}{more}"
    for name, account in result.accounts.items():
        if name in names and not account.complete:
            main = max(account.reasons, key=lambda each: each.count)
            reason = "not its facet" if main.reason == OUTSIDE else main.reason
            yield "unscored", f"{name}: {account.unscored} of {account.asked}, {reason}"
    for bias in result.position_bias:
        if bias.value:
            yield "order", f"{bias.judge}: {percent(bias.value)} % of answers change with the order of the replies"


def _next(result: JudgeResult, judge: str, file: str, run: str) -> str:
    """Return the command that finds the cases of the attack with most errors."""
    cells = _most_errors(result, judge)
    if not file or not cells:
        return ""
    attack = f"attack={cells[0].attack}"
    words = [run, attack, f"judge={judge}", "outcome=failed"] if run else [file, attack]
    return shlex.join(["dialmeter", "find", *words])


def explain_summary(judge: str, ratios: Sequence[Importance], explained: Account) -> Summary:
    """Return on which words of adversarial replies a judge puts most weight, relative to human replies."""
    sums = {(each.attack, each.words): each.value for each in ratios if each.how == "sum"}
    changed = {attack: ratio for (attack, words), ratio in sums.items() if words == "changed" and ratio is not None}
    verdict = f"The weight of changed words for {judge} has no ratio: human replies have none, or theirs is 0"
    if changed:
        most = max(changed, key=lambda attack: changed[attack])
        verdict = f"Where {most} changes words, {judge} gives them {decimals(changed[most])} times the weight of the human words"
    attacks = list(dict.fromkeys(attack for attack, _ in sums))
    rows = tuple((each, *(decimals(sums[each, words]) for words in ("changed", "all"))) for each in attacks)
    return Summary(
        verdict=f"{verdict}.",
        table=Table("", ("weight, adversarial ÷ human", "changed words", "all words"), rows, frozenset({1, 2})),
        account=account_text(explained).replace("cases", "cases explained", 1),
    )


def attack_summary(yields: Sequence[Yield], account: Account, file: str) -> Summary:
    """Return how many cases the attacks made, and what stopped the others."""
    few = [each for each in yields if account.asked and each.made * len(yields) < account.asked]
    findings = []
    for each in few:
        reason = (
            max(each.reasons, key=lambda name: each.reasons[name])
            if each.reasons
            else next(iter(each.untried.values()), "")
        )
        findings.append(("fewer", f"{each.attack}: {each.made}{f', {reason}' if reason else ''}"))
    rows = tuple((each.attack, str(each.made), str(each.tried)) for each in yields)
    return Summary(
        verdict=f"{counted(account.scored, 'case')} of {counted(len([each for each in yields if each.made]), 'attack')} in {file}.",
        findings=findings[:6],
        table=Table("", ("attack", "cases", "tried"), rows, frozenset({1, 2})),
        next=shlex.join(["dialmeter", "score", file, "-j", "overlap"]),
    )


def compare_summary(result: JudgeResult | PeopleResult, command: str = "", file: str = "", run: str = "") -> Summary:
    """Return the verdict on judges against the first, on cases or on agreement with people."""
    if isinstance(result, PeopleResult):
        return _agreement_comparison(result)
    names, ladders = result.named_judges, result.ladders
    verdict = f"CANNOT TELL: {' and '.join(names)} have no cases that both can judge."
    if ladders:
        verdict = ladders[0].headline if len(ladders) == 1 else verdict_on_many(ladders)
    return Summary(
        verdict=verdict,
        rungs=rung_lines(ladders[0]) if len(ladders) == 1 else [],
        findings=list(_findings(result, names)),
        table=facet_table(result, names),
        account=account_text(result.accounts[names[0]]),
        signature=_signature(result, names if len(names) == 2 else names[:1]),
        next=_next(result, names[-1], file, run),
    )


def _agreement_summary(result: PeopleResult, command: str) -> Summary:
    facet = result.main_facet
    agreements = label_agreements(result)
    if agreements:
        return _label_summary(result, agreements, command)
    names = result.named_judges or [column.name for column in result.columns]
    first = first_judge([result.column(name) for name in names], facet, result.first).name
    score = result["Spearman", first, facet]
    is_asked = bool(result.named_judges or result.first)
    if not is_asked:
        verdict = _people_verdict(result)
    elif score.value is None:
        verdict = f"{first} has no correlation with people on {facet}: {score.reason}."
    elif result.counts["contexts"] < FEWEST_CONTEXTS:
        contexts = _contexts(result.counts["contexts"])
        verdict = f"CANNOT TELL whether {first} agrees with people on {facet}: with {contexts}, high correlations are often chance."
    else:
        number = f"Spearman {coefficient(score.value)}{f', {limits(score.ci)}' if score.ci else ''}"
        verb = "agrees with" if score.value >= 0 else "disagrees with"
        if score.ci is not None and score.ci[0] <= 0 <= score.ci[1]:
            verb = "is not shown to agree with"
        doubt = " Is a lower score better?" if verb == "disagrees with" else ""
        verdict = f"{first} {verb} people on {facet}: {number}.{doubt}"
    rows = [first, *(name for name in names if name != first)]
    others = [each for each in result.facets if each != facet]
    more = ["-m", f"Spearman[{others[0]}]"] if others else ["-v"]
    if not is_asked:
        more = ["-j", "overlap" if result.items.has_texts else "NAME=FILE"]
    return Summary(
        verdict=verdict,
        findings=[*_class_findings(result, first), *_agreement_findings(result, first)],
        table=table_of(
            "",
            [[result[measure, name, facet] for measure in ("Spearman", "Pearson", "Kendall")] for name in rows],
            (f"<{fit(facet, _NAME)}", lambda each: fit(each[0].judge, _AGREEMENT_NAME)),
            ("Spearman", lambda each: coefficient(each[0].value)),
            ("Pearson", lambda each: coefficient(each[1].value)),
            ("Kendall", lambda each: coefficient(each[2].value)),
            ("interval of Spearman", lambda each: limits(each[0].ci)),
        ),
        account=_agreement_account(result, first),
        signature=short_signature([score], Resampling(), ["resample:contexts"]),
        next=with_option(command, *more),
    )


def _class_findings(result: PeopleResult, judge: str) -> Iterator[tuple[str, str]]:
    """Yield the agreement with ordered classes of the main facet."""
    if each := result.classes.get((judge, result.main_facet)):
        exact, near = (percent(each.figures[name].value) for name in ("exact", "within_one"))
        kappas = [each.figures[f"kappa{ending}"] for ending in ("", "_linear", "_quadratic")]
        plain, linear, quadratic = (coefficient(kappa.value) for kappa in kappas)
        yield (
            "classes",
            f"same class {exact} %, within one {near} %; kappa {plain}, linear {linear}, quadratic {quadratic}",
        )


def _people_verdict(result: PeopleResult) -> str:
    """Return the verdict on a file without a judge: whether its raters agree."""
    raters = next(each for each in result.raters if each.facet == result.main_facet)
    if raters.rankable is None:
        return f"No judge was given; whether people agree on {raters.facet} is unknown: {raters.reason}."
    alpha = f"People's agreement on {raters.facet} is alpha {coefficient(raters.alpha_interval)}"
    reach = (
        f"a judge can reach about {coefficient(raters.ceiling)}" if raters.rankable else "no judge can be ranked by it"
    )
    return f"{alpha}: {reach}. No judge was given."


def _label_summary(result: PeopleResult, agreements: Sequence[LabelAgreement], command: str) -> Summary:
    facet = result.main_facet
    first = next((each for each in agreements if each.judge == result.first), agreements[0])
    shown = [first, *(each for each in agreements if each is not first and each.has_verdicts == first.has_verdicts)]
    other = next((each for each in agreements if each.has_verdicts != first.has_verdicts), None)
    # The name of a judge that was asked is not what one types, and settings may name the first judge.
    is_named = any(word in command for word in ("--judge", "judge-pass-if", "probability"))
    more = ["-v"] if other is None or is_named else ["-j", other.judge]
    return Summary(
        verdict=(label_headline if first.has_verdicts else score_headline)(first, facet),
        findings=[*label_findings(first), *_unscored(result, first.judge)],
        table=(label_table if first.has_verdicts else score_table)(shown, facet),
        account=_label_account(first, len(result.items.items)),
        signature=short_signature(
            [result["kappa" if first.has_verdicts else "auroc", first.judge, facet]], Resampling(), []
        ),
        next=with_option(command, *more),
    )


def _label_account(each: LabelAgreement, items: int) -> str:
    return f"{each.n} labelled items of {items}; {_contexts(each.clusters.count)}"


def _contexts(count: int) -> str:
    return f"{count} context{'s' * (count != 1)}"


def _drift_summary(result: PeopleResult, found: Drift, judges: Sequence[LabelAgreement]) -> Summary:
    facet = result.main_facet
    old, new = judges
    findings = [
        (
            "flips",
            f"{found.fail_to_pass} from fail to pass, {found.pass_to_fail} from pass to fail, p {p_value(found.p)}",
        )
    ]
    findings += [("noise", each.reason) for each in found.changes if each.reason]
    return Summary(
        verdict=drift_headline(old.judge, new.judge, found),
        rungs=list(drift_lines(found)),
        findings=findings,
        table=label_table(judges, facet),
        account=f"{found.n} items with both verdicts; {_label_account(old, len(result.items.items))}",
        signature=short_signature([result["kappa", each.judge, facet] for each in judges], Resampling(), []),
    )


def _agreement_account(result: PeopleResult, judge: str) -> str:
    return f"{account_text(result.accounts[judge])}; {_contexts(result.counts['contexts'])}"


_WARNED = {"few-contexts": "contexts", "constant-judge": "constant", "not-rankable": "raters"}
"""Codes of warnings that are findings, with their labels."""


def _agreement_findings(result: PeopleResult, first: str) -> Iterator[tuple[str, str]]:
    facet = result.main_facet
    values = {column.name: result["Spearman", column.name, facet].value for column in result.columns if column.trivial}
    trivial = {name: value for name, value in values.items() if value is not None}
    if trivial and result["Spearman", first, facet].value is not None and first not in trivial:
        best = max(trivial, key=lambda name: trivial[name])
        yield "baseline", f"{best} alone reaches {coefficient(trivial[best])}"
    for each in result.raters:
        if each.facet == facet and each.ceiling is not None and (result.named_judges or result.first):
            alpha = coefficient(each.alpha_interval)
            yield "raters", f"alpha {alpha}; a judge can reach about {coefficient(each.ceiling)}"
    yield from ((_WARNED[notice.code], notice.message) for notice in result.notices if notice.code in _WARNED)
    yield from _unscored(result, first)


def _unscored(result: PeopleResult, judge: str) -> Iterator[tuple[str, str]]:
    """Yield what a judge did not score, and why it did not score the first."""
    account = result.accounts.get(judge)
    if account and not account.complete:
        short, full = next(iter(result.column(judge).reasons.values()), ("", ""))
        yield "unscored", f"{judge}: {account.reason}{f'; {full}' if full != short else ''}"


def _agreement_comparison(result: PeopleResult) -> Summary:
    facet = result.main_facet
    verdicts = [each for each in label_agreements(result) if each.has_verdicts]
    first_name = result.first_judge(facet).name
    verdicts.sort(key=lambda each: each.judge != first_name)
    drift = result.drift if len(verdicts) > 1 else None
    if drift is not None:
        return _drift_summary(result, drift, verdicts[:2])
    names = result.named_judges or [column.name for column in result.columns]
    # The trivial judges are compared too, but nobody asked for them.
    compared = [each for each in result.differences if each.facet == facet and {each.judge, each.other} <= {*names}]
    pearson = {each.other: each.difference for each in compared if each.measure == "Pearson"}
    rows = [each for each in compared if each.measure == "Spearman"]
    first = rows[0].judge if rows else names[0]
    judges = [first, rows[0].other] if len(rows) == 1 else names[:1]

    def signed(value: float | None) -> str:
        return "–" if value is None else f"{value:+.3f}"

    return Summary(
        verdict=agreement_headline(rows[0]) if len(rows) == 1 else _many(rows, facet),
        findings=[*_thresholds(result, names), *_agreement_findings(result, first)],
        table=table_of(
            "",
            rows,
            (f"<minus {fit(first, 20)}" if rows else "<", lambda each: fit(each.other, _AGREEMENT_NAME)),
            ("Spearman", lambda each: signed(each.difference)),
            "interval=ci:limits",
            ("p (Holm)", lambda each: p_value(each.p_holm)),
            ("Pearson", lambda each: signed(pearson.get(each.other))),
            ("<", lambda each: each.verdict),
        ),
        account=_agreement_account(result, first),
        signature=short_signature(
            [result["Spearman", name, facet] for name in judges], Resampling(), ["resample:contexts"]
        ),
    )


def _thresholds(result: PeopleResult, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the best threshold of every judge that gives scores, against labels pass and fail."""
    for each in label_agreements(result):
        if (
            each.judge in names
            and each.threshold is not None
            and each.threshold.value is not None
            and each.threshold.ci
        ):
            low, high = each.threshold.ci
            yield "threshold", f"{each.judge} above {each.threshold.value:.4g}, {low:.4g} to {high:.4g}"


def agreement_headline(each: AgreementDifference) -> str:
    """Return the verdict on two judges as a sentence.

    Example:
        >>> agreement_headline(AgreementDifference("overall", "old", "new", "Spearman", 0.05, (0.01, 0.09), 0.01, 90, verdict="better"))
        'BETTER: new agrees with people more than old on overall, by 0.050 Spearman.'
    """
    if each.difference is None:
        return f"NOT COMPARABLE: {each.other} and {each.judge} on {each.facet}: {each.reason}."
    if each.verdict == "cannot tell":
        return (
            f"CANNOT TELL: the agreement of {each.other} with people on {each.facet} differs from that of {each.judge} by "
            f"{each.difference:+.3f} Spearman, which is not shown to be more than chance."
        )
    more = "more" if each.verdict == "better" else "less"
    return (
        f"{each.verdict.upper()}: {each.other} agrees with people {more} than {each.judge} on {each.facet}, "
        f"by {abs(each.difference):.3f} Spearman."
    )


def _many(found: Sequence[AgreementDifference], facet: str) -> str:
    if not found:
        return "CANNOT TELL: a comparison needs intervals (without ci=0)."
    kinds: dict[str, list[str]] = {}
    for each in found:
        kinds.setdefault(each.verdict, []).append(each.other)
    words = {"better": "higher", "worse": "lower", "cannot tell": "not told apart"}
    parts = [f"{words[verdict]} for {fit_list(names, 60)}" for verdict, names in kinds.items()]
    return f"Agreement with people on {facet}, against {found[0].judge}: {'; '.join(parts)}."


def cases_check_summary(
    checked: JudgeInputCheck, cases: Sequence[Case], few: Sequence[str], digest: str, command: str
) -> Summary:
    """Return whether judges can be scored on a file of cases; ``few`` are the attacks with few cases."""
    findings = [("few cases", f"{len(few)} attacks have fewer than 10 cases: {fit_list(few, 50)}")] if few else []
    if not any(case.attack == CONTROL for case in cases):
        findings.append(("control", f"no case of {CONTROL}: whether a judge repeats its scores will not be known"))
    return _check_summary(checked, "-j overlap", command, findings=findings, signature=f"data:{digest}")


def ratings_check_summary(
    checked: JudgeInputCheck, items: RatedItems, raters: Sequence[FacetAgreement], command: str
) -> Summary:
    """Return whether judges can be compared with the people of a file of ratings."""
    hardly = [each.facet for each in raters if each.rankable is False]
    findings = (
        [("raters", f"they hardly agree on {fit_list(hardly, 55)}: no judge can be ranked by it")] if hardly else []
    )
    unknown = dict.fromkeys(each.reason for each in raters if each.rankable is None)
    findings += [("raters", f"{reason}: their agreement is unknown") for reason in unknown]
    findings += [] if items.has_texts else [("texts", "the file has none, so only scores in a file can be judged")]
    if items.carried:
        findings.append(("judges", f"the file has scores of {len(items.carried)}: {fit_list(items.carried, 50)}"))
    table = table_of(
        "",
        raters,
        ("<facet", lambda each: fit(each.facet, 30)),
        "items | alpha=alpha_interval:coefficient | a judge can reach=ceiling:coefficient",
    )
    return _check_summary(
        checked,
        "" if items.carried else "-j overlap" if items.has_texts else "-j NAME=FILE",
        command,
        findings=findings,
        table=table,
    )


def dialogues_check_summary(checked: JudgeInputCheck, command: str) -> Summary:
    """Return what a file of dialogues holds, from which cases for judges can be made."""
    counts = checked.counts
    goals = f", {counts['goals']} goals in words" if counts["goals"] else ""
    held = f"{counts['dialogues']} dialogues, {counts['replies']} replies{goals}"
    make_cases = command.replace("dialmeter check", "dialmeter judge attack", 1) + " -o cases.jsonl"
    return Summary(
        verdict="READY to make cases for judges." if checked.valid else f"NOT READY: {checked.problems[0].message}.",
        account=f"read as {'user' if goals else 'judge'}, dialogues; {held}",
        next=make_cases if checked.valid and command else "",
    )


def _check_summary(checked: JudgeInputCheck, judge: str, command: str, **more: Any) -> Summary:
    counts = ", ".join(f"{count} {unit}" for unit, count in [*checked.counts.items()][:3])
    verdict, problems = "READY to score judges.", checked.problems
    if problems:
        others = f" {len(problems) - 1} more lines are not cases." if len(problems) > 1 else ""
        verdict = f"NOT READY: {problems[0].message}.{others}"
    score = command.replace("dialmeter check", "dialmeter score", 1)
    return Summary(
        verdict=verdict,
        account=f"read as judge, {checked.format}; {counts}",
        next=f"{score} {judge}".strip() if command and checked.valid else "",
        **more,
    )


def kappa_text(each: ReaderAgreement, readers: str = "") -> str:
    """Return the kappa of two readers with the number of cases."""
    return f"{'–' if each.kappa is None else f'{each.kappa:.2f}'}{readers} on {each.n} cases"


def validity_summary(
    rates: Sequence[AttackValidity], agreement: Sequence[ReaderAgreement], account: Account, command: str = ""
) -> Summary:
    """Return the share of valid cases, and the attack with the lowest share."""
    *own, whole = rates
    verdict = f"{tables.percent(whole.share)} % of {whole.read} verdicts say that the case is valid"
    verdict += f", {interval(whole.ci)}" if whole.ci else ""
    read = [(each.share, each.attack) for each in own if each.share is not None]
    if len(read) > 1:
        share, attack = min(read, key=lambda each: each[0])
        verdict += f"; the lowest is {attack} with {tables.percent(share)} %"
    files = [word for word in shlex.split(command)[3:] if not word.startswith("-")]
    return Summary(
        verdict=f"{verdict}.",
        findings=[("kappa", kappa_text(each, " of readers {} and {}".format(*each.readers))) for each in agreement[:4]],
        table=table_of(
            "",
            rates[-_VALIDITY_ROWS - 1 :],
            ("<attack", lambda each: fit(each.attack, 30)),
            "valid | weak | invalid | % valid=share:percent",
            ("<interval", lambda each: interval(each.ci)),
        ),
        account=account_text(account),
        next=shlex.join(["dialmeter", "score", files[0], "-j", "overlap"]) if files else "",
    )
