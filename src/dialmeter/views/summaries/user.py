"""The summaries of users: the verdict on their scores, on a comparison, on a check, on labels, and on distances to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb

from msgspec.structs import replace

from ...core.account import Account
from ...core.comparison import Resampling
from ...core.ladder import make_ladder, make_rung
from ...errors import one_line
from ...measure import Score
from ...model import Notice
from ...studies.prediction import PredictionStudy
from ...users.analysis.check import UserCheck
from ...users.analysis.distance import Distance
from ...users.blame.causes import REASONS
from ...users.blame.verdict import Loss
from ...users.blame.words import LabelFinding
from ...users.compare import SHOWN_MEASURES, UserComparison
from ...users.events import COMBINED
from ...users.items.log_items import ItemComparison, LogItems, score_of
from ...users.measures import Key, name_of
from ...users.result import UserResult
from ...users.text.reader import ReadingAccuracy
from ..compare import pair_table, system_table, verdict_on_many
from ..ladder import rung_lines
from ..tables import Table, coefficient, limits, p_value, percent, signed, table_of
from .summary import Summary, account_text, find_command, fit, fit_list, score_rows, short_signature, with_option

_TEXT = 66
"""Columns of the text of a finding."""
_WORDS = {"user misheard system": "mishearing", "system misheard user": "mishearing", "label": "labels"}
_NOT_FIXABLE = ("not needed", "unknown")
_USUAL = ("profile:multiwoz", "values:exact", f"domain:{COMBINED}")
"""Signature fields with their usual values, which are not shown."""


def score_summary(result: UserResult, command: str = "") -> Summary:
    """Return the summary of the scores of one file; ``command`` is the command as typed."""
    shown = [result.score(key) for key in result.measures or SHOWN_MEASURES]
    # A cut dialogue that misses nothing has a loss of no measure.
    losses = [
        (verdict.dialogue, loss)
        for verdict in result.verdicts or ()
        for loss in verdict.losses
        if loss.weight and loss.measured
    ]
    text = ", ".join(f"{_name(each)} {'unscored' if each.value is None else percent(each.value)}" for each in shown)
    reasons: Counter[str] = Counter()
    for _, loss in losses:
        reasons[loss.reason] += loss.weight
    # The reason with the most lost points that somebody can do something about.
    fixable = [why for why in reasons if REASONS[why][0] not in _NOT_FIXABLE]
    first = min(fixable, key=lambda why: (-reasons[why], why)) if fixable else ""
    shown_next = [f"reason={first}"] if first else [each.dialogue for each in result.worst(1)]
    unscored = [("unscored", fit(f"{_name(each)}: {each.reason}", _TEXT)) for each in shown if each.value is None]
    verdict = text + ("." if result.verdicts is None else f"; {_own_share([loss for _, loss in losses])}.")
    follow = find_command(command, *shown_next) if shown_next else ""
    if any(notice.code == "no-acts" and notice.count == result.turns for notice in result.notices):
        verdict = "CANNOT TELL: no turn has acts, so nothing that the users say is counted; read their text."
        follow = with_option(command, "--set", "acts=rules") if command else ""
    return Summary(
        verdict=verdict,
        findings=[*_loss_lines(losses, reasons, first), *unscored],
        table=measure_table(shown),
        account=account_text(result.account),
        signature=_signature(shown, Resampling()),
        next=follow,
    )


def _name(score: Score) -> str:
    return name_of((score.measure, str(score.group.get("domain", COMBINED))))


def _own_share(losses: Sequence[Loss]) -> str:
    """Say how many of the lost points are the user's own.

    Example:
        >>> own = Loss("recall", "I", "hotel", "area=east", 2, "user", 4, "stopped", "")
        >>> cut = Loss("recall", "I", "hotel", "stars=4", 1, "unknown", None, "turn_limit", "")
        >>> _own_share([own]), _own_share([own, cut]), _own_share([])
        ("2 of 2 lost points are the user's own", "at least 2 of 3 lost points are the user's own", 'no point is lost')
    """
    total = sum(loss.weight for loss in losses)
    own = sum(loss.weight for loss in losses if loss.lost_by == "user")
    if not total:
        return "no point is lost"
    if total == 1 and losses[0].lost_by != "unknown":
        return f"the only lost point is {'' if own else 'not '}the user's own"
    at_least = "at least " if any(loss.lost_by == "unknown" for loss in losses) else ""
    return f"{at_least}{own} of {total} lost points {'is' if own == 1 else 'are'} the user's own"


def _loss_lines(
    losses: Sequence[tuple[str, Loss]], reasons: Mapping[str, int], first: str
) -> Iterator[tuple[str, str]]:
    if first:
        example = next(dialogue for dialogue, loss in losses if loss.reason == first)
        points = f"{reasons[first]} point{'s' * (reasons[first] != 1)}"
        text = f"{points}: {REASONS[first][0]} ({first}, {fit(example.removesuffix('.json'), 20)})"
        yield "fix first", fit(text, _TEXT)
    parties: Counter[str] = Counter()
    for _, loss in losses:
        parties[_WORDS.get(loss.lost_by, loss.lost_by)] += loss.weight
    if parties:
        ranked = sorted(parties, key=lambda party: (-parties[party], party))
        yield "lost by", ", ".join(f"{party} {parties[party]}" for party in ranked)


def measure_table(scores: Sequence[Score]) -> Table:
    """Return measure, value, interval, and the number of units without a value; a measure of one domain is named so."""
    return score_rows([replace(each, measure=_name(each)) for each in scores], "dialogues")


def _signature(scores: Sequence[Score], usual: Resampling) -> str:
    return short_signature(scores, usual, _USUAL)


def check_summary(checked: UserCheck, command: str = "") -> Summary:
    """Return whether a file can be scored, and what to know before."""
    counts = checked.counts
    if not counts["dialogues"]:
        verdict = "NOT READY: no dialogue can be scored."
    elif checked.refused:
        are = "dialogue cannot" if len(checked.refused) == 1 else "dialogues cannot"
        verdict = f"NOT READY: {len(checked.refused)} {are} be scored."
    else:
        verdict = "READY, but see below." if checked.notices else "READY to be scored."
    findings = [("problem", fit(str(error), 2 * _TEXT)) for error in checked.refused[:3]]
    if len(checked.refused) > 3:
        findings.append(("problem", f"… and {len(checked.refused) - 3} more: -v"))
    findings += [("note", fit(each.message, 2 * _TEXT)) for each in checked.notices[:5]]
    valued = [each for each in checked.self_scores if each["value"] is not None]
    rows = tuple((each["measure"], percent(each["value"]), "if the user says exactly its goal") for each in valued)
    score = command.replace("dialmeter check", "dialmeter score", 1)
    skip = " --set missing=skip" if checked.refused else ""
    read = f"read as user, {checked.format}; {counts['dialogues']} dialogues, {counts['turns']} turns"
    return Summary(
        verdict=verdict,
        findings=findings,
        table=Table("", ("", "", ""), rows, frozenset({1})) if rows else None,
        account=f"{read}, {counts['constraints']} constraints, {counts['requests']} requests",
        next=f"{score}{skip}" if score and counts["dialogues"] else "",
    )


def reading_summary(accuracy: ReadingAccuracy, account: Account, command: str = "") -> Summary:
    """Return how well a reader finds acts in text, and what that does to the scores."""
    effects = [
        (
            each.measure,
            f"{percent(each.by_acts)} from acts, {percent(each.from_text)} from text: {signed(each.bias)}",
        )
        for each in accuracy.effects
    ]
    score = command.replace("dialmeter check", "dialmeter score", 1)
    return Summary(
        verdict=f"The reader {accuracy.maker} finds {accuracy.summary}.",
        findings=effects,
        account=account_text(account),
        next=score,
    )


def compare_summary(
    comparison: UserComparison,
    command: str = "",
    keys: Sequence[Key] = SHOWN_MEASURES,
    notices: Sequence[Notice] = (),
) -> Summary:
    """Return the verdict on the users of a comparison, what it depends on, and the measures side by side.

    Args:
        comparison: two users or more.
        command: the command as typed.
        keys: the compared measures; the first is that of the verdict.
        notices: warnings about dialogues that are not compared.
    """
    two = len(comparison.ladders) == 1
    first = next(iter(comparison.results.values()))
    scores = {
        name: [replace(result.score(key), measure=name_of(key)) for key in keys]
        for name, result in comparison.results.items()
    }
    return Summary(
        verdict=comparison.ladders[0].headline if two else verdict_on_many(comparison.ladders),
        rungs=rung_lines(comparison.ladders[0]) if two else [],
        findings=[("unscored", fit(each.message, _TEXT)) for each in notices],
        table=pair_table(comparison.versus, scores) if two else system_table(comparison.versus, scores),
        account=f"{account_text(first.account)} with the same goal",
        signature=_signature([first.score(key) for key in keys], Resampling(resamples=10_000)),
        next=find_command(command, f"{name_of(keys[0])}<1", file=1) if two else "",
    )


def items_summary(result: LogItems, command: str = "") -> Summary:
    """Return the summary of a log of an agent: which values of its goals the user says, and its faults."""
    score = result.scores[0]
    missed = sum(result.verdicts["missed"].values())
    faults = sum(result.events.values())
    recall = "unscored" if score.value is None else percent(score.value)
    counted = (
        f"{missed} of {result.items} goal value{'s' * (result.items != 1)} {'is' if missed == 1 else 'are'} missed"
    )
    events = {name: count for name, count in result.events.items() if count}
    ranked = sorted(events, key=lambda name: (-events[name], name))
    findings: list[tuple[str, str]] = []
    if ranked:
        findings.append(("events", fit_list([f"{name} {events[name]}" for name in ranked], _TEXT)))
    for each in result.faults():
        if each.difference is not None and each.ci is not None and "associated" in each.conclusion:
            numbers = f"{signed(each.difference)}, {' to '.join(map(signed, each.ci))}"
            findings.append(("user", fit(f"{each.fault}: {each.conclusion}, {numbers}", 2 * _TEXT)))
    if result.lost_by:
        listed = [f"{party} {count}" for party, count in result.lost_by.items()]
        findings.append(("failed by", fit_list(listed, _TEXT)))
    account = result.account
    said = "no event" if not faults else f"{faults} event{'s' * (faults != 1)}"
    return Summary(
        verdict=f"{score.measure} {recall}; {counted}, {said} of the user.",
        findings=findings,
        table=score_rows([score], "goal values"),
        account=account_text(account),
        signature=_signature([score], Resampling(resamples=10_000)),
        next=find_command(command, f"event={ranked[0]}") if ranked else "",
    )


_NO_TEST = "CANNOT TELL: no measure has a value for two logs."


def compare_items_summary(comparison: ItemComparison, tasks: int, command: str = "", level: float = 0.05) -> Summary:
    """Return the verdict on the users of several logs on the same tasks."""
    measures = list(dict.fromkeys(each.measure for each in comparison.versus))
    scores = {name: [score_of(result, measure) for measure in measures] for name, result in comparison.results.items()}
    two = len(comparison.results) == 2
    ladders = [
        make_ladder(each.measure, each.system, each.base, [make_rung("as written", "as written", each, level, n=tasks)])
        for each in comparison.versus
        if each.measure == measures[0]
    ]
    return Summary(
        verdict=ladders[0].headline if len(ladders) == 1 else verdict_on_many(ladders) if ladders else _NO_TEST,
        table=pair_table(comparison.versus, scores) if two else system_table(comparison.versus, scores),
        account=f"{tasks} tasks are in every log",
        signature=_signature(next(iter(scores.values()))[:1], Resampling(resamples=10_000)),
        next=find_command(command, "outcome=failed", file=1) if two else "",
    )


_ROWS = 10
"""Maximum number of rows of a table."""


def labels_summary(findings: Sequence[LabelFinding], account: Account, most: int, command: str = "") -> Summary:
    """Return the number of disagreements of text and acts by kind, and the first of them."""
    kinds = Counter(each.kind for each in findings)
    count = len({(each.dialogue, each.turn) for each in findings})
    verdict = f"In {count} turn{'s' * (count != 1)}, text and acts do not agree; people must decide which is wrong."
    table = table_of(
        "",
        findings[: min(most, _ROWS)],
        ("<dialogue", lambda each: fit(one_line(each.dialogue, 30), 16)),
        "turn",
        "<finding=kind",
        ("<slot", lambda each: fit(f"{each.domain}-{each.slot}", 22)),
        ("<value", lambda each: fit(one_line(each.value, 40), 18)),
    )
    return Summary(
        verdict=verdict if findings else "Text and acts agree in every turn that could be checked.",
        findings=[(kind, str(number)) for kind, number in kinds.most_common()],
        table=table if findings else None,
        account=account_text(account),
        next=with_option(command, "-f", "csv") if findings else "",
    )


def distance_summary(
    measured: Sequence[Distance], names: tuple[str, str], dialogues: int, level: float, command: str = ""
) -> Summary:
    """Return in which properties a simulated user differs from people.

    Args:
        measured: the distances.
        names: names of the files: people, then the simulated user.
        dialogues: number of dialogues in both files.
        level: a permutation test below it shows a difference.
        command: the command as typed.
    """
    tested = [each for each in measured if each.difference is not None and (each.ci is not None or each.p is not None)]
    apart = [
        each
        for each in tested
        if (each.ci is not None and not each.ci[0] <= 0 <= each.ci[1])
        or (each.ci is None and each.p is not None and each.p < level)
    ]
    people, bot = names
    differs = f"{one_line(bot, 40)} differs from {one_line(people, 40)}"
    if not tested:
        verdict = f"CANNOT TELL whether {differs}: nothing could be tested."
    elif not apart:
        verdict = f"CANNOT TELL whether {differs}: no difference is shown in any of {len(tested)} properties."
    else:
        verdict = f"{differs} in {len(apart)} of {len(tested)} properties."
    rest = [each for each in measured if each not in apart]
    table = table_of(
        "",
        [*apart, *rest],
        ("<", lambda each: each.measure),
        (fit(people, 12), "people:number"),
        (fit(bot, 12), "bot:number"),
        "difference:number",
        ("<interval or p", _evidence),
    )
    return Summary(
        verdict=verdict,
        table=table,
        findings=[
            ("goals", "not matched, so a difference may come from other goals"),
            ("level", f"{100 * (1 - level):g} % for each property, not corrected for {len(tested)} of them"),
        ],
        account=f"{dialogues} dialogues in both files",
        next=with_option(command, "-v"),
    )


def _evidence(distance: Distance) -> str:
    if distance.ci is not None:
        return f"{distance.ci[0]:.4g} to {distance.ci[1]:.4g}"
    return "" if distance.p is None else f"p {p_value(distance.p)}"


def prediction_summary(study: PredictionStudy) -> Summary:
    """Return whether a simulated user ranks systems as people do, and what so many systems can show."""
    tau, count = study.correlations[0], len(study.systems)
    over = f"over {count} system{'s' * (count != 1)}"
    can_show = "no order" if study.least is None else f"only a Kendall of {coefficient(study.least)} or more"
    if tau.value is None:
        verdict = f"CANNOT TELL whether the simulated user ranks systems as people do: {tau.reason}."
    elif study.least is None:
        verdict = f"CANNOT TELL whether the simulated user ranks systems as people do: {count} systems are too few."
    else:
        is_shown = tau.p is not None and tau.p < 0.05
        ranks = "ranks systems as people do" if tau.value > 0 else "ranks systems against people"
        text = f"Kendall {coefficient(tau.value)} {over}, p {p_value(tau.p)}"
        verdict = (
            f"The simulated user {ranks}: {text}."
            if is_shown
            else f"NOT SHOWN that the user ranks as people do: {text}."
        )
    return Summary(
        verdict=verdict,
        findings=[
            (
                "pairs",
                f"{study.same} of {comb(count, 2)} pairs of systems in the same order, {study.opposite} opposite",
            ),
            ("can show", f"{over}, {can_show} has p <.05"),
            ("without", "the uncertainty of each number, from its dialogues and raters"),
        ],
        table=prediction_table(study),
        account=over.removeprefix("over "),
        signature=study.signature,
    )


def prediction_table(study: PredictionStudy) -> Table:
    """Return the correlations over systems."""
    return table_of(
        "",
        study.correlations,
        ("<over systems", lambda each: each.measure),
        ("value", lambda each: coefficient(each.value)),
        ("<interval", lambda each: limits(each.ci)),
        ("p", lambda each: p_value(each.p)),
    )
