"""The summaries of trackers: the verdict on a file or on a comparison, and what it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ...core.comparison import Resampling
from ...core.ladder import TURNING
from ...errors import one_line
from ...measure import Score
from ...tracking.check import Checked
from ...tracking.compare import TrackerComparison, groups_by_measure
from ...tracking.diagnosis.suspicions import SPELLING, WORTH, Finding
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import FIELDS, Rules, load, names
from ..compare import difference_cells, pair_table, verdict_on_many
from ..ladder import rung_lines
from ..tables import Table, percent, signed
from .summary import WIDTH, Summary, account_text, find_command, fit, fit_list, score_rows, short_signature

_TEXT = 68
"""Columns of the text of a finding."""
_SAID = frozenset({"diagnosis", "missing", "fga-free"})
"""The codes of warnings that a summary says in fewer words, or that only -v lists."""
_QUOTED = 16
"""Columns of a value in a finding."""


def score_summary(result: TrackerResult, command: str = "") -> Summary:
    """Return the summary of the scores of one file; ``command`` is the command as typed."""
    first = result.scores[0]
    spelling = _spelling(result.diagnosis)
    verdict = f"{first.measure} {percent(first.value)}"
    if first.value is None:
        verdict = f"{first.measure} has no value: {first.reason}"
    elif spelling is not None and spelling.points is not None and spelling.points > WORTH:
        unit = "points" if first.measure == "JGA" else "points of JGA"
        verdict += f", but {spelling.points:.2f} {unit} hang on spelling"
    elif (states := _of_kind(result.diagnosis, "news")) and (states.points or 0) > WORTH:
        verdict += ", but the states look like updates of each turn"
    return Summary(
        verdict=f"{verdict}.",
        findings=[*_finding_lines(result.diagnosis), *_missing_lines(result)],
        table=score_rows(result.scores, "turns"),
        account=account_text(result.account),
        signature=tracker_signature(result.scores, result.rules, Resampling()),
        next=_next_of_score(result, command),
        said=_SAID,
    )


def _next_of_score(result: TrackerResult, command: str) -> str:
    fixes = [each for each in result.diagnosis if each.option.startswith("--set ") and " with " not in each.option]
    fixes = [each for each in fixes if each.points is None or each.points > 0]
    if fixes and command:
        return f"{command} {fixes[0].option}"
    worst = result.worst(1)
    return find_command(command, worst[0].dialogue) if worst else ""


def tracker_signature(scores: Sequence[Score], rules: Rules, usual: Resampling) -> str:
    """Return the joint signature of scores with those settings only that differ from the rule set and from the usual ones.

    A rule set from a file has all its settings in the signature, because its name does not say what they are.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> full = "JGA|rules:dialmeter|missing:empty|extra:penalise|avg:turn|d:9|t:70|gold:77|data:3f|ci:95|bs:1000|seed:12345|v:1"
        >>> score = Score(measure="JGA", value=0.5, n=9, unscored=0, signature=full)
        >>> tracker_signature([score], named("dialmeter"), Resampling())
        'JGA|rules:dialmeter|missing:empty|d:9|t:70|gold:77|v:1'
    """
    base = load(rules.name) if rules.name in names() else None
    usual_rules = [f"{name}:{base.shown(name)}" for name in FIELDS] if base else []
    parts = short_signature(scores, usual, [*usual_rules, "avg:turn", "test:randomisation"]).split("|")
    return "|".join(part for part in parts if not part.startswith("data:"))


def _of_kind(findings: Sequence[Finding], *kinds: str) -> Finding | None:
    return next((each for each in findings if each.kind in kinds), None)


def _spelling(findings: Sequence[Finding]) -> Finding | None:
    """Return the finding about all spellings, or the only one."""
    return _of_kind(findings, "spellings") or _of_kind(findings, *SPELLING)


def _finding_lines(findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """Yield a label and a short text for each kind of finding."""
    if states := _of_kind(findings, "news"):
        yield "states", fit(f"they look like updates; with state=update {_value(states)}", _TEXT)
    if ids := _of_kind(findings, "ids"):
        yield "ids", fit(ids.message.partition(";")[0], _TEXT)
    if spelling := _spelling(findings):
        yield "spelling", _spelling_text(spelling)
    for label, kind in (("never", "never-predicted"), ("extra", "never-in-gold")):
        never = _of_kind(findings, kind)
        if never is None:
            continue
        text, _, listed = never.message.partition(";")[0].partition(": ")
        slots = list(never.slots) if never.slots else listed.split(", ")
        yield label, f"{text}: {fit_list([one_line(slot, 40) for slot in slots], _TEXT - len(text) - 2)}"
    if copied := _of_kind(findings, "copied"):
        yield "copied?", _copied_text(copied)


def _value(finding: Finding) -> str:
    return "not scored again" if finding.value is None else f"JGA {finding.value:.2f}"


def _spelling_text(finding: Finding) -> str:
    """Return what is spelt differently, and JGA if it is spelt alike.

    Example:
        >>> found = Finding(kind="slot", message="", turns=9, slots=("taxi-leaveat",), slot="taxi-leaveat", gold="18:00",
        ...                 pred="1800", option="--set map=multiwoz", points=2.0, value=50.0)
        >>> _spelling_text(found)
        "1 slot never agrees, '18:00' against '1800': JGA 50.00 if mapped"
    """
    count = len(finding.slots)
    slots = f"{count} slot{'s' * (count != 1)}"
    what = {
        "slot": f"{slots} never agree{'s' * (count == 1)}",
        "slot-name": f"{slots} named otherwise",
        "pair": f"{finding.turns} turns",
        "spellings": f"{slots}",
    }[finding.kind]
    if finding.gold is not None and finding.pred is not None:
        what += f", {fit(finding.gold, _QUOTED)!r} against {fit(finding.pred, _QUOTED)!r}"
    setting = finding.option.removeprefix("--set ")
    how = "if mapped" if setting == "map=multiwoz" else "if spelt alike"
    end = f": {_value(finding)}{f' {how}' if finding.value is not None else ''}"
    return fit(what, _TEXT - len(end)) + end


def _copied_text(finding: Finding) -> str:
    text = finding.message.partition(" with ")[0].partition(";")[0]
    return f"{text.replace('JGA is', 'JGA').replace('slots that are predicted', 'slots it predicts')}: is this gold?"


def _missing_lines(result: TrackerResult) -> Iterator[tuple[str, str]]:
    turns = result.findings.missing.turns
    if turns:
        does = "are unscored" if result.rules.skips_missing else "count as empty"
        yield "missing", f"{turns} turns without a prediction {does}"


def check_summary(checked: Checked, command: str = "") -> Summary:
    """Return whether a file can be scored, and what to know before."""
    missing = next((each for each in checked.problems if each.code == "missing"), None)
    reason = checked.account.reasons[0] if checked.account.reasons else None
    if missing is not None and reason is not None:
        verdict = f"{missing.count} turns of {reason.count} dialogues have gold and no prediction"
    else:
        verdict = checked.problems[0].message if checked.problems else ""
    grave = [each for each in checked.diagnosis if each.is_grave]
    ready = "READY, but see below." if grave else "READY to be scored."
    counts, formats = checked.counts, checked.format
    if checked.gold_format and checked.gold_format != checked.format:
        formats += f", gold {checked.gold_format}"
    score = command.replace("dialmeter check", "dialmeter score", 1)
    some = bool(checked.account.scored)  # if no dialogue has a prediction, the files do not belong together
    advise_empty = missing is not None and some
    return Summary(
        verdict=f"NOT READY: {one_line(verdict, 300)}." if verdict else ready,
        findings=list(_check_lines(checked)),
        account=f"read as tracker, {formats}; {counts['dialogues']} dialogues, {counts['turns']} turns",
        next=f"{score} --set missing=empty" if score and advise_empty else score if checked.valid else "",
    )


def _check_lines(checked: Checked) -> Iterator[tuple[str, str]]:
    spelling = _spelling(checked.diagnosis)
    for label, finding in _finding_lines(checked.diagnosis):
        text = finding
        if label == "spelling" and spelling and spelling.value is not None and spelling.points is not None:
            before = spelling.value - spelling.points
            setting = spelling.option.removeprefix("--set ").replace(" --set ", ", ")
            text = fit(f"{setting}: JGA {before:.2f} to {spelling.value:.2f}", _TEXT)
        yield label, text
    for each in checked.problems[1:] if checked.problems else ():
        yield "also", fit(each.message, 3 * _TEXT)
    low = next((each for each in checked.notices if each.code == "self-score"), None)
    measures = [each.measure for each in checked.self_scores if each.value is not None and each.value < 1]
    if low is not None and measures != ["RSA"]:
        yield "gold", fit(low.message, _TEXT)


def compare_summary(comparison: TrackerComparison, command: str = "", level: float = 0.05) -> Summary:
    """Return the verdict on the systems of a comparison, the ladder of two systems, and the measures side by side.

    Args:
        comparison: two systems, or more with all pairs tested.
        command: the command as typed.
        level: p values below it are significant.
    """
    first = next(iter(comparison.results.values()))
    two = len(comparison.ladders) == 1
    usual = Resampling(resamples=10_000)
    return Summary(
        verdict=comparison.ladders[0].headline if two else verdict_on_many(comparison.ladders),
        rungs=rung_lines(comparison.ladders[0]) if two else [],
        findings=list(_compared_lines(comparison)),
        table=pair_table(comparison.versus, {name: each.scores for name, each in comparison.results.items()})
        if two
        else _system_table(comparison, level),
        account=account_text(first.account),
        signature=tracker_signature(_signed(comparison), first.rules, usual),
        next=_next_of_comparison(comparison, command),
        said=_SAID,
    )


def _signed(comparison: TrackerComparison) -> list[Score]:
    """Return the scores of the first system, with the settings of the tests in their signatures."""
    first = next(iter(comparison.results.values()))
    added = {each.measure: each.signature for each in comparison.versus}
    return [replace(each, signature=added.get(each.measure) or each.signature) for each in first.scores]


def _compared_lines(comparison: TrackerComparison) -> Iterator[tuple[str, str]]:
    """Yield the findings about systems: verdicts that turn, if there are several; copied, and missing."""
    turning = [each for each in comparison.ladders if each.verdict == "depends"]
    for each in turning if len(comparison.ladders) > 1 else ():
        rung = next(rung for rung in each.rungs if rung.assumption in TURNING and rung.verdict != each.rungs[0].verdict)
        change = "" if rung.difference is None else f" ({signed(rung.difference)})"
        yield rung.assumption, fit(f"{each.system}: {rung.verdict}{change} with {rung.name}", _TEXT)
    copied = [name for name, result in comparison.results.items() if _of_kind(result.diagnosis, "copied")]
    if copied:
        yield "copied?", fit_list(copied, _TEXT)
    missing = {name: result.findings.missing.turns for name, result in comparison.results.items()}
    if listed := [f"{name}: {turns}" for name, turns in missing.items() if turns]:
        skips = next(iter(comparison.results.values())).rules.skips_missing
        does = " turns are unscored" if skips else " turns count as empty"
        yield "missing", fit_list(listed, _TEXT - len(does)) + does
    if all(each.files is None for each in comparison.results.values()):
        yield "spelling", "not known: a run has its states after its rules; compare the files"


_LISTED = 8
"""Maximum number of systems in a summary."""


def _system_table(comparison: TrackerComparison, level: float) -> Table:
    """Return one row per system, the best first: values, the difference from the first system, and a letter for each group.

    Systems that share a letter are not told apart under the first measure.
    """
    measures = [each.text for each in next(iter(comparison.results.values())).measures][:3]
    base = next(iter(comparison.results))
    against = {(each.measure, each.system): each for each in comparison.versus if each.base == base}
    ranks = comparison.ranks.by_measure[measures[0]]
    order = sorted(comparison.results, key=lambda name: (ranks[name], name))
    letters = groups_by_measure(comparison, level).get(measures[0], {})
    cells = {
        name: (
            *(percent(score.value) for score in comparison.results[name].scores[:3]),
            *difference_cells(against.get((measures[0], name)))[0:4:3],
            fit(letters.get(name, ""), 5),
        )
        for name in order[:_LISTED]
    }
    headings = ("", *(fit(each, 13) for each in measures), "difference", "p (Holm)", "group")
    taken = sum(2 + max(map(len, column)) for column in zip(headings[1:], *cells.values(), strict=True))
    rows = [(fit(name, max(WIDTH - taken, 8)), *row) for name, row in cells.items()]
    if len(order) > _LISTED:
        rows.append((f"… {len(order) - _LISTED} more: -v", *[""] * (len(measures) + 3)))
    return Table("", headings, tuple(rows), frozenset(range(1, len(headings) - 1)))


def _next_of_comparison(comparison: TrackerComparison, command: str) -> str:
    """Return the command that repeats the comparison with the fix, or else the one that shows where the systems differ."""
    if not command:
        return ""
    turned = next((each for each in comparison.ladders if each.verdict == "depends"), None)
    if turned is not None:
        rung = next(each for each in turned.rungs if each.assumption == "spelling")
        if "=" in rung.name and "slot names" not in rung.name and "spellings of gold" not in rung.name:
            return command + "".join(f" --set {each}" for each in rung.name.split(", "))
    if len(comparison.results) == 2:
        return find_command(command, "A.outcome=right", "B.outcome=failed")
    return "" if ".toml" in command else find_command(command, "outcome=failed", file=0)
