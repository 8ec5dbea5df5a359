"""Tables of a user's scores, events and dialogues, a chart of users, and a short Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import to_builtins

from ..core.account import Account
from ..measure import Score
from ..users.analysis.patterns import Kind
from ..users.behaviours import ALL
from ..users.blame import PARTIES, BlameVerdict, Confusion, Loss, blame_table, confusion_table
from ..users.compare import UserComparison
from ..users.events import COMBINED, Event
from ..users.record import UserRow
from ..users.result import UserResult
from ..users.score_table import MEASURES
from . import compare
from .chart_files import Chart, score_chart
from .tables import Table, interval, markdown_page, percent
from .tracker import signature_of

_LOG_EVENTS = frozenset(each.name for each in ALL if each.owner == "log")


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """Return one row per domain and kind: F1 with its interval, precision, recall, number of dialogues; the account is below."""
    by_key = {(score.group["domain"], score.measure): score for score in scores}
    domains = list(dict.fromkeys(score.group["domain"] for score in scores))
    rows = []
    for prefix in ("I-", "R-"):
        for domain in domains:
            f1 = by_key[domain, f"{prefix}GCDF1"]
            if not f1.n and domain != COMBINED:
                continue
            rows.append(
                (
                    f"{prefix}GCDF1" if domain == COMBINED else "",
                    str(domain),
                    percent(f1.value),
                    interval(f1.ci, f1.ci_reason),
                    percent(by_key[domain, f"{prefix}precision"].value),
                    percent(by_key[domain, f"{prefix}recall"].value),
                    str(f1.n),
                    str(f1.unscored or ""),
                )
            )
    headings = ("measure", "domain", "F1", "interval", "precision", "recall", "n", "nothing to score")
    return Table("", headings, tuple(rows), frozenset(range(2, 8)), foot=(account.line,))


def event_table(events: Mapping[str, Mapping[str, int]], logs: bool = False) -> Table:
    """Return the events by class and domain, the most frequent first; classes of the log only if ``logs`` is true."""
    shown = {name: counts for name, counts in events.items() if logs or name not in _LOG_EVENTS}
    domains = sorted({domain for counts in shown.values() for domain in counts})
    ordered = sorted(shown, key=lambda name: (-sum(shown[name].values()), name))
    rows = tuple(
        (name, str(sum(shown[name].values())), *(str(shown[name].get(domain, "")) for domain in domains))
        for name in ordered
    )
    return Table("events", ("event", "all", *domains), rows, frozenset(range(1, len(domains) + 2)))


def worst_table(result: UserResult, n: int) -> Table:
    """Return the dialogues with the lowest scores."""
    rows = tuple((each.dialogue, percent(each.inform), percent(each.request)) for each in result.worst(n))
    return Table("worst dialogues", ("dialogue", "I-GCDF1", "R-GCDF1"), rows, frozenset({1, 2}))


class QueryMatch(NamedTuple):
    """A dialogue that matches a query, with the matching events and lost points."""

    row: UserRow
    events: Sequence[Event]
    losses: Sequence[Loss]


def match_table(matches: Iterable[QueryMatch]) -> Table:
    """Return the dialogues that match a query, each with its first matching event or lost point."""
    rows = []
    for row, events, losses in matches:
        inform, request = row.score("I"), row.score("R")
        first = ""
        if losses:
            first = f"{losses[0].domain} {losses[0].about}: {losses[0].evidence}"
        elif events:
            first = f"{events[0].name} {events[0].about} (turn {', '.join(map(str, events[0].turns)) or 'none'})"
        rows.append(
            (
                row.id,
                "+".join(row.goal),
                percent(inform.f1 if inform else None),
                percent(request.f1 if request else None),
                str(len(losses or events) or ""),
                first,
            )
        )
    headings = ("dialogue", "goal", "I-GCDF1", "R-GCDF1", "matches", "first match")
    return Table("", headings, tuple(rows), frozenset({2, 3, 4}))


def summarise_verdicts(verdicts: Sequence[BlameVerdict], result: UserResult) -> dict[str, Any]:
    """Return the numbers of dialogues and lost points by party, by confusion and by reason, with an example of each reason."""
    dialogues = {
        side: Counter(blame.party for verdict in verdicts if (blame := getattr(verdict, side)) is not None)
        for side in ("recall", "precision")
    }
    reasons: Counter[str] = Counter()
    examples: dict[str, dict[str, Any]] = {}
    for verdict in verdicts:
        for loss in verdict.losses:
            if loss.weight:
                reasons[loss.why] += loss.weight
                examples.setdefault(loss.why, {"dialogue": verdict.dialogue, "loss": to_builtins(loss)})
    ranked = sorted(reasons, key=lambda why: (-reasons[why], why))
    scores = {measure: result[measure] for measure in ("I-GCDF1", "R-GCDF1")}
    confusions = confusion_table(verdicts, {measure: score.n for measure, score in scores.items()})
    return {
        "first": _first_confusion(confusions[0], scores, reasons.total(), result.dialogues) if confusions else "",
        "failed": sum(verdict.failed for verdict in verdicts),
        "dialogues": {side: {party: counts[party] for party in PARTIES} for side, counts in dialogues.items()},
        "points": blame_table(verdicts),
        "confusions": to_builtins(confusions),
        "reasons": {why: reasons[why] for why in ranked},
        "examples": [examples[why] for why in ranked],
    }


def _first_confusion(confusion: Confusion, scores: Mapping[str, Score], points: int, dialogues: int) -> str:
    """Return a sentence about the confusion that lost the most points."""
    gains = ", ".join(
        f"{name} {percent(value)} → {percent(value + confusion.gains[name])}"
        for name, score in scores.items()
        if (value := score.value) is not None
    )
    return (
        f"{confusion.said} heard as {confusion.heard} ({confusion.party}): {confusion.points} of {points} lost points, in "
        f"{confusion.dialogues} of {dialogues} dialogues; if it were mended: {gains}"
    )


def confusion_rows(confusions: Sequence[Mapping[str, Any]]) -> Table:
    """Return the confusions with their lost points, and the gain in points of percent if one were mended.

    Args:
        confusions: the fields of ``Confusion``.
    """
    measures = list(confusions[0]["gains"]) if confusions else []
    rows = tuple(
        (
            each["party"],
            each["said"],
            each["heard"],
            str(each["points"]),
            str(each["dialogues"]),
            *(f"{100 * each['gains'][measure]:+.2f}" for measure in measures),
            each["example"],
        )
        for each in confusions
    )
    gains = (f"{measure} if mended" for measure in measures)
    headings = ("lost by", "said", "heard as", "points", "dialogues", *gains, "for example")
    return Table("lost points by confusion", headings, rows, frozenset(range(3, 5 + len(measures))))


_POINTS = {("recall", "I"): "constraints missing", ("recall", "R"): "requests missing"} | {
    ("precision", "I"): "constraints too much",
    ("precision", "R"): "requests too much",
}


def verdict_tables(verdicts: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the dialogues and points by the party that lost them, the confusions, and the reasons with an example each."""
    rows = [
        (f"dialogues with units {text}", *(str(verdicts["dialogues"][side][party] or "") for party in PARTIES))
        for side, text in (("recall", "missing"), ("precision", "too much"))
    ]
    rows += [
        (text, *(str(verdicts["points"][side][measured][party] or "") for party in PARTIES))
        for (side, measured), text in _POINTS.items()
    ]
    foot = (f"{verdicts['failed']} dialogues failed: a unit of the goal is missing, or the dialogue was cut",)
    yield Table("lost points by party", ("", *PARTIES), tuple(rows), frozenset(range(1, len(PARTIES) + 1)), foot=foot)
    yield confusion_rows(verdicts["confusions"])
    examples = tuple(
        (
            example["loss"]["party"],
            why,
            str(verdicts["reasons"][why]),
            example["dialogue"],
            f"{example['loss']['domain']} {example['loss']['about']}",
            example["loss"]["evidence"],
        )
        for example in verdicts["examples"]
        for why in [example["loss"]["why"]]
    )
    headings = ("lost by", "reason", "points", "for example", "unit", "evidence")
    yield Table("lost points by reason", headings, examples, frozenset({2}))


_TITLES: dict[Kind, str] = {
    "search": "how search constraints are expressed",
    "booking": "how booking constraints are expressed",
    "requests": "how requests are expressed",
    "provision": "information that the system gives unasked",
}


def pattern_tables(
    patterns: Mapping[Kind, Mapping[str, Mapping[str, int]]], goals: Mapping[str, int]
) -> Iterator[Table]:
    """Yield one table of domains and patterns per kind, and the domains of goals that dialogues never mention."""
    for kind, title in _TITLES.items():
        by_domain = patterns.get(kind, {})
        names = sorted({name for counts in by_domain.values() for name in counts})
        rows = tuple(
            (domain, *(str(counts.get(name, "")) for name in names)) for domain, counts in sorted(by_domain.items())
        )
        yield Table(title, ("domain", *names), rows, frozenset(range(1, len(names) + 1)))
    missed = {domain: sum(counts.values()) for domain, counts in patterns.get("missed", {}).items()}
    rows = tuple(
        (domain, str(missed.get(domain, 0)), str(count), percent(missed.get(domain, 0) / count))
        for domain, count in sorted(goals.items())
    )
    yield Table("domains that are missed", ("domain", "missed", "goals", "share"), rows, frozenset({1, 2, 3}))


def comparison_table(compared: UserComparison, domain: str) -> Table:
    """Return the scores of the users for each measure, with differences from the first user."""
    scores = {
        measure: {
            name: next(
                (each for each in result.scores if (each.measure, each.group["domain"]) == (measure, domain)), None
            )
            for name, result in compared.results.items()
        }
        for measure in MEASURES
    }
    return compare.comparison_table(compared, scores, "user", "" if domain == COMBINED else f"in {domain}")


def markdown_report(name: str, result: UserResult) -> str:
    """Return the report of a run as one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores = [score_table(result.scores, result.account)]
    details = [event_table(result.events), worst_table(result, 10)]
    return markdown_page(name, facts, scores, result.notices, details, signature=signature_of(result.scores))


def comparison_chart(compared: UserComparison, domain: str) -> Chart:
    """Return a chart of the measures of all users."""
    scores = {
        name: [score for score in result.scores if score.group["domain"] == domain]
        for name, result in compared.results.items()
    }
    return score_chart("users", "Users side by side", scores, "score in percent")
