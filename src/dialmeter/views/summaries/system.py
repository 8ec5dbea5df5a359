"""The summaries of systems: the verdict on a log or on a comparison, and what it depends on."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.comparison import Resampling
from ...systems.compare import LogComparison
from ...systems.result import SystemResult
from ..compare import pair_table, system_table, verdict_on_many
from ..ladder import rung_lines
from ..tables import percent
from .summary import Summary, account_text, score_rows, short_signature

if TYPE_CHECKING:
    from ...systems.scorer import LogCheck


def score_summary(result: SystemResult, command: str = "") -> Summary:
    """Return the summary of the scores of one log; ``command`` is the command as typed."""
    first = result.scores[0]
    verdict = f"{first.measure} {percent(first.value)}"
    flips = [each for each in result.tasks if 0 < each.successes < each.trials]
    again = result.without_infrastructure
    if first.value is None:
        verdict = f"{first.measure} has no value: {first.reason}"
    elif again is not None:
        verdict += f", and {percent(again.scores[0].value)} without infrastructure errors"
    elif flips:
        verdict += f"; {len(flips)} of {len(result.tasks)} tasks flip between trials"
    elif result.trials[1] > 1:
        verdict += "; no task flips between trials"
    shown = [first, *result.scores[-1:]] if len(result.scores) > 1 and not result.settings.success else result.scores
    file = _files(command)[0] if command else ""
    worst = result.worst(1)
    return Summary(
        verdict=f"{verdict}.",
        findings=list(_findings(result, len(flips))),
        table=score_rows(shown, "tasks"),
        account=f"{account_text(result.account)}; {len(result.by_task)} tasks, {_trials(result)}",
        signature=short_signature(shown, _USUAL, ["scorer:reward"]),
        next=f"dialmeter find {file} ending=infrastructure"
        if file and again is not None
        else f"dialmeter find {file} task={worst[0].task}"
        if file and worst
        else "",
    )


def _files(command: str) -> list[str]:
    """Return the files of a command, which come before its options, without their names."""
    words = itertools.takewhile(lambda word: not word.startswith("--"), shlex.split(command)[2:])
    return [word.partition("=")[2] if "=" in word and not Path(word).exists() else word for word in words]


_USUAL = Resampling(resamples=10_000)


def _trials(result: SystemResult) -> str:
    low, high = result.trials
    return f"{high} trial{'s' * (high != 1)}" if low == high else f"{low} to {high} trials"


def _findings(result: SystemResult, flips: int) -> Iterator[tuple[str, str]]:
    if result.infrastructure_errors:
        counted = {"failed": "count as failures", "skipped": "are unscored", "both": "count as failures above"}
        count = len(result.infrastructure_errors)
        yield (
            "infrastructure",
            f"{count} of {len(result.outcomes)} dialogues broke off by a connection or server error; "
            f"they {counted[result.settings.infrastructure]}",
        )
        if flips:
            yield "flips", f"{flips} of {len(result.tasks)} tasks flip between trials"
    for each in result.notices:
        if each.code in ("refused", "tasks-unscored", "unequal-trials"):
            yield "unscored" if each.code != "unequal-trials" else "trials", each.message


def check_summary(checked: LogCheck, command: str = "") -> Summary:
    """Return whether a log can be scored, and what it holds."""
    counts = checked.counts
    problem = (
        f"NOT READY: {checked.problems[0].message}." if checked.problems else "NOT READY: no dialogue can be scored."
    )
    findings = []
    if counts["rewards"] < counts["dialogues"]:
        findings.append(("rewards", f"{counts['dialogues'] - counts['rewards']} dialogues have no reward"))
    if len(checked.problems) > 1:
        findings.append(("also", f"{len(checked.problems) - 1} more dialogues cannot be used; -v lists them"))
    broken = checked.endings.get("infrastructure", 0)
    if broken:
        findings.append(("infrastructure", f"{broken} dialogues broke off by a connection or server error"))
    return Summary(
        verdict="READY to be scored." if checked.valid else problem,
        findings=findings,
        account=f"read as system, {checked.format}; {counts['dialogues']} dialogues, {counts['tasks']} tasks",
        next=command.replace("dialmeter check", "dialmeter score", 1) if checked.valid else "",
    )


def compare_summary(comparison: LogComparison, command: str = "") -> Summary:
    """Return the verdict on the systems of a comparison, the ladder of two systems, and the measures side by side."""
    results = comparison.results
    base, first = next(iter(results.items()))
    ladders = comparison.ladders
    scores = {
        name: [score for score in result.scores if score.measure in (first.scores[0].measure, first.scores[-1].measure)]
        for name, result in results.items()
    }
    findings = [
        ("infrastructure", f"{name}: {len(result.infrastructure_errors)} of {len(result.outcomes)} dialogues broke off")
        for name, result in results.items()
        if result.infrastructure_errors
    ]
    low = min(result.trials[0] for result in results.values())
    if low == 1:
        findings.append(("noise", "one trial of a task: how much a task flips by chance cannot be known"))
    broken = [
        file for result, file in zip(results.values(), _files(command), strict=False) if result.infrastructure_errors
    ]
    return Summary(
        verdict=ladders[0].headline if len(ladders) == 1 else verdict_on_many(ladders),
        rungs=rung_lines(ladders[0]) if len(ladders) == 1 else [],
        findings=findings,
        table=(pair_table if len(scores) == 2 else system_table)(comparison.versus, scores),
        account=f"{len(first.by_task)} tasks are in every log",
        signature=short_signature(scores[base], _USUAL, ["scorer:reward"]),
        next=f"dialmeter find {shlex.quote(broken[-1])} ending=infrastructure" if broken else "",
    )
