"""The summaries of judges: on cases, and against the ratings of people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Protocol

from ...core.account import Account
from ...core.comparison import Resampling
from ...judges.attempts import Yield
from ...judges.cases import Case
from ...judges.explanation import Importance
from ...judges.judge import FACETS
from ...judges.matrix import CONTROL, OUTSIDE, ErrorCell
from ...judges.people.correlate import FacetAgreement
from ...judges.people.result import AgreementDifference, PeopleResult, first_judge
from ...judges.result import JudgeResult
from ...measure import Score
from ...model import Notice
from ...readers.ratings.rated_item import RatedItems
from ..compare import verdict_on_many
from ..ladder import rung_lines
from ..tables import Table, coefficient, decimals, limits, p_value
from .summary import WIDTH, Summary, account_text, fit, fit_list, short_signature


class CheckedInput(Protocol):
    """What a check found."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Numbers of what the file holds."""

    @property
    def problems(self) -> Sequence[Notice]:
        """What cannot be used."""

    @property
    def valid(self) -> bool:
        """True without problems."""


BLIND = 0.9
"""A judge is blind to an attack if it errs on this share of the cases."""
_BLIND_ATTACKS = 3
_NAME = 22


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
    names = named_judges(result)
    means = {name: mean_error(result, name) for name in (*names, "random")}
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
        signature=short_signature(_mean_scores(result, [first]), Resampling(), _USUAL),
        next=_next(result, first, file, run),
    )


_USUAL = ("threshold:paper(0.05)", "threshold:paper", "verdict:paper")


def percent(value: float | None) -> str:
    """Format an error rate with one decimal."""
    return "–" if value is None else f"{100 * value:.1f}"


def named_judges(result: JudgeResult) -> list[str]:
    """Return the names of the judges that are not trivial, or the first judge if all are trivial."""
    return [judge.name for judge in result.judges if not judge.trivial] or [result.judges[0].name]


def _counted(result: JudgeResult, judge: str, facet: str = "") -> list[ErrorCell]:
    return [
        cell
        for cell in result.scores
        if cell.judge == judge
        and facet in ("", cell.facet)
        and cell.attack != CONTROL
        and cell.value is not None
        and not cell.degenerate
    ]


def mean_error(result: JudgeResult, judge: str, facet: str = "") -> float | None:
    """Return the mean error rate over the attacks on a facet, or over all attacks; None if no attack has one."""
    values = [cell.value for cell in _counted(result, judge, facet) if cell.value is not None]
    return fmean(values) if values else None


def _mean_scores(result: JudgeResult, names: Sequence[str]) -> list[Score]:
    return [each for each in result.by("judge") if each.group["judge"] in names]


def facet_table(result: JudgeResult, names: Sequence[str]) -> Table:
    """Return the mean error rates by facet: one column per judge, as many as fit, and the random judge."""
    shown: list[str] = []
    for name in names:
        widths = [max(len(fit(each, _NAME)), 5) + 1 for each in (*shown, name, "random")]
        if 12 + sum(widths) <= WIDTH:
            shown.append(name)
    columns = [*shown, *(["random"] if "random" not in shown else [])]
    rates = {(facet, name): mean_error(result, name, facet) for facet in FACETS for name in columns}
    rows = tuple(
        (facet, *("" if rates[facet, name] is None else percent(rates[facet, name]) for name in columns))
        for facet in FACETS
        if any(rates[facet, name] is not None for name in columns)
    )
    headings = ("error %", *(fit(name, _NAME) for name in columns))
    return Table("", headings, rows, frozenset(range(1, len(headings))))


def _findings(result: JudgeResult, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        constant = any(cell.degenerate for cell in result.scores if cell.judge == name)
        if constant:
            yield "constant", f"{name} gives every reply the same score"
        cells = sorted(_counted(result, name), key=lambda cell: -(cell.value or 0))
        blind = [f"{cell.attack} {100 * (cell.value or 0):.0f}" for cell in cells if (cell.value or 0) >= BLIND]
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
    cells = sorted(_counted(result, judge), key=lambda cell: -(cell.value or 0))
    if not file or not cells:
        return ""
    attack = f"attack={cells[0].attack}"
    if run:
        return shlex.join(["dialmeter", "find", run, attack, f"judge={judge}", "outcome=failed"])
    return shlex.join(["dialmeter", "find", file, attack])


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


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


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
        verdict=f"{_plural(account.scored, 'case')} of {_plural(len([each for each in yields if each.made]), 'attack')} in {file}.",
        findings=findings[:6],
        table=Table("", ("attack", "cases", "tried"), rows, frozenset({1, 2})),
        next=shlex.join(["dialmeter", "score", file, "-j", "overlap"]),
    )


def compare_summary(result: JudgeResult | PeopleResult, command: str = "", file: str = "", run: str = "") -> Summary:
    """Return the verdict on judges against the first, on cases or on agreement with people."""
    if isinstance(result, PeopleResult):
        return _agreement_comparison(result)
    names, ladders = named_judges(result), result.ladders
    verdict = f"CANNOT TELL: {' and '.join(names)} have no cases that both can judge."
    if ladders:
        verdict = ladders[0].headline if len(ladders) == 1 else verdict_on_many(ladders)
    return Summary(
        verdict=verdict,
        rungs=rung_lines(ladders[0]) if len(ladders) == 1 else [],
        findings=list(_findings(result, names)),
        table=facet_table(result, names),
        account=account_text(result.accounts[names[0]]),
        signature=short_signature(
            _mean_scores(result, names[:2] if len(names) == 2 else names[:1]), Resampling(), _USUAL
        ),
        next=_next(result, names[-1], file, run),
    )


def _own_columns(result: PeopleResult) -> list[str]:
    return [column.name for column in result.columns if not column.trivial] or [
        column.name for column in result.columns
    ]


def _agreement_summary(result: PeopleResult, command: str) -> Summary:
    facet, level = result.main_facet, result.items.level
    names = _own_columns(result)
    columns = [column for column in result.columns if column.name in names]
    base = first_judge(columns, facet, result.first)
    first = base.name if base else names[0]
    score = result.named_scores["Spearman", first, facet, level]
    return Summary(
        verdict=_agreement_sentence(first, facet, score.value, score.ci, score.reason),
        findings=list(_agreement_findings(result, first)),
        table=agreement_table(result, [first, *(name for name in names if name != first)]),
        account=f"{account_text(result.accounts[first])}; {result.counts['contexts']} contexts",
        signature=short_signature([score], Resampling(), ["resample:contexts"]),
        next=_other_facets(result, command),
    )


def _agreement_sentence(
    judge: str, facet: str, value: float | None, ci: tuple[float, float] | None, reason: str
) -> str:
    if value is None:
        return f"{judge} has no correlation with people on {facet}: {reason}."
    number = f"Spearman {coefficient(value)}{f', {limits(ci)}' if ci else ''}"
    if ci is not None and ci[0] <= 0 <= ci[1]:
        return f"{judge} is not shown to agree with people on {facet}: {number}."
    if value < 0:
        return f"{judge} disagrees with people on {facet}: {number}. Is a lower score better?"
    return f"{judge} agrees with people on {facet}: {number}."


def _agreement_findings(result: PeopleResult, first: str) -> Iterator[tuple[str, str]]:
    facet, level = result.main_facet, result.items.level
    values = {
        column.name: result.named_scores["Spearman", column.name, facet, level].value or 0.0
        for column in result.columns
        if column.trivial
    }
    own = result.named_scores["Spearman", first, facet, level].value
    if values and own is not None and first not in values:
        best = max(values, key=lambda name: values[name])
        yield "baseline", f"{best} alone reaches {coefficient(values[best])}"
    for each in result.raters:
        if each.facet == facet and each.ceiling is not None:
            yield (
                "raters",
                f"alpha {coefficient(each.alpha_interval)}; a judge can reach about {coefficient(each.ceiling)}",
            )
    for notice in result.notices:
        if notice.code in ("few-contexts", "constant-judge", "not-rankable"):
            yield (
                {"few-contexts": "contexts", "constant-judge": "constant", "not-rankable": "raters"}[notice.code],
                notice.message,
            )
    account = result.accounts.get(first)
    if account and not account.complete:
        yield "unscored", f"{first}: {account.reason}"


def agreement_table(result: PeopleResult, names: Sequence[str]) -> Table:
    """Return the correlations of judges with people in the main facet."""
    facet, level = result.main_facet, result.items.level
    rows = []
    for name in names:
        scores = [result.named_scores[measure, name, facet, level] for measure in ("Spearman", "Pearson", "Kendall")]
        rows.append(
            (
                fit(name, 2 * _NAME - 14),
                *(cell for each in scores for cell in (coefficient(each.value),)),
                limits(scores[0].ci),
            )
        )
    headings = (
        facet if len(facet) <= _NAME else fit(facet, _NAME),
        "Spearman",
        "Pearson",
        "Kendall",
        "interval of Spearman",
    )
    return Table("", headings, tuple(rows), frozenset({1, 2, 3, 4}))


def _other_facets(result: PeopleResult, command: str) -> str:
    if not command:
        return ""
    others = [each for each in result.facets if each != result.main_facet]
    return f"{command} -m {shlex.quote(f'Spearman[{others[0]}]')}" if others else f"{command} -v"


def _agreement_comparison(result: PeopleResult) -> Summary:
    facet, names = result.main_facet, _own_columns(result)
    # The trivial judges are compared too, but nobody asked for them.
    found = [
        each
        for each in result.differences
        if (each.facet, each.measure) == (facet, "Spearman") and {each.judge, each.other} <= {*names}
    ]
    pearson = {each.other: each for each in result.differences if (each.facet, each.measure) == (facet, "Pearson")}
    verdict = " ".join(map(agreement_headline, found[:1])) if len(found) == 1 else _many(found, facet)
    compared = [found[0].judge, found[0].other] if len(found) == 1 else names[:1]
    scores = [result.named_scores["Spearman", name, facet, result.items.level] for name in compared]
    rows = [
        (
            fit(each.other, 2 * _NAME - 14),
            "–" if each.difference is None else f"{each.difference:+.3f}",
            limits(each.ci),
            p_value(each.p_holm),
            _signed(pearson, each.other),
            each.verdict,
        )
        for each in found
    ]
    headings = (f"minus {fit(found[0].judge, 20)}" if found else "", "Spearman", "interval", "p (Holm)", "Pearson", "")
    first = names[0] if not found else found[0].judge
    return Summary(
        verdict=verdict,
        findings=list(_agreement_findings(result, first)),
        table=Table("", headings, tuple(rows), frozenset({1, 2, 3, 4})),
        account=f"{account_text(result.accounts[first])}; {result.counts['contexts']} contexts",
        signature=short_signature(scores, Resampling(), ["resample:contexts"]),
    )


def _signed(differences: Mapping[str, AgreementDifference], other: str) -> str:
    value = differences[other].difference if other in differences else None
    return "–" if value is None else f"{value:+.3f}"


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
    checked: CheckedInput, cases: Sequence[Case], few: Sequence[str], digest: str, command: str
) -> Summary:
    """Return whether judges can be scored on a file of cases; ``few`` are the attacks with few cases."""
    findings = [("few cases", f"{len(few)} attacks have fewer than 10 cases: {fit_list(few, 50)}")] if few else []
    if not any(case.attack == CONTROL for case in cases):
        findings.append(("control", f"no case of {CONTROL}: whether a judge repeats its scores will not be known"))
    counts = checked.counts
    return Summary(
        verdict=_readiness(checked.problems),
        findings=findings,
        account=f"read as judge, cases; {counts['cases']} cases, {counts['attacks']} attacks, {counts['dialogues']} dialogues",
        signature=f"data:{digest}",
        next=_score_command(command, "-j overlap") if checked.valid else "",
    )


def ratings_check_summary(
    checked: CheckedInput, items: RatedItems, raters: Sequence[FacetAgreement], command: str
) -> Summary:
    """Return whether judges can be compared with the people of a file of ratings."""
    hardly = [each.facet for each in raters if each.rankable is False]
    findings = (
        [("raters", f"they hardly agree on {fit_list(hardly, 55)}: no judge can be ranked by it")] if hardly else []
    )
    if any(each.rankable is None for each in raters):
        findings.append(("raters", "one rating per item: their agreement is unknown"))
    if items.carried:
        findings.append(("judges", f"the file has scores of {len(items.carried)}: {fit_list(items.carried, 50)}"))
    counts = checked.counts
    rows = tuple(
        (fit(each.facet, 30), str(each.items), coefficient(each.alpha_interval), coefficient(each.ceiling))
        for each in raters
    )
    return Summary(
        verdict=_readiness(checked.problems),
        findings=findings,
        table=Table("", ("facet", "items", "alpha", "a judge can reach"), rows, frozenset({1, 2, 3})),
        account=f"read as judge, ratings; {counts['items']} items, {counts['contexts']} contexts, {counts['systems']} systems",
        next=_score_command(command, "" if items.carried else "-j overlap") if checked.valid else "",
    )


def _readiness(problems: Sequence[Notice]) -> str:
    if not problems:
        return "READY to score judges."
    more = f" {len(problems) - 1} more lines are not cases." if len(problems) > 1 else ""
    return f"NOT READY: {problems[0].message}.{more}"


def _score_command(command: str, judge: str) -> str:
    return f"{command.replace('dialmeter check', 'dialmeter score', 1)} {judge}".strip() if command else ""
