"""Tables of a user's scores, events and dialogues, a chart of users, and a short Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..core.account import Account
from ..measure import Score
from ..users.analysis.patterns import Kind
from ..users.behaviours import ALL
from ..users.blame import PARTIES, BlameVerdict, Confusion, blame_table, confusion_table
from ..users.compare import SHOWN_MEASURES, UserComparison
from ..users.events import COMBINED
from ..users.result import UserResult
from ..users.score_table import Key, name_of
from . import compare
from .chart_files import Chart, score_chart
from .tables import Table, grid_of, interval, markdown_page, percent, signature_of, table_of

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
    rows = {name: {"all": sum(shown[name].values()), **shown[name]} for name in ordered}
    return grid_of("events", rows, "event", ["all", *domains])


def worst_table(result: UserResult, n: int) -> Table:
    """Return the dialogues with the lowest scores."""
    return table_of(
        "worst dialogues", result.worst(n), "<dialogue", "I-GCDF1=inform:percent", "R-GCDF1=request:percent"
    )


def summarise_verdicts(verdicts: Sequence[BlameVerdict], result: UserResult) -> dict[str, Any]:
    """Return the numbers of dialogues and lost points by party, by confusion and by reason, with an example of each reason."""
    dialogues = {
        side: Counter(blame.lost_by for verdict in verdicts if (blame := getattr(verdict, side)) is not None)
        for side in ("recall", "precision")
    }
    reasons: Counter[str] = Counter()
    examples: dict[str, dict[str, Any]] = {}
    for verdict in verdicts:
        for loss in verdict.losses:
            if loss.weight:
                reasons[loss.reason] += loss.weight
                examples.setdefault(loss.reason, {"dialogue": verdict.dialogue, "loss": to_builtins(loss)})
    ranked = sorted(reasons, key=lambda why: (-reasons[why], why))
    scores = {measure: result.score((measure, COMBINED)) for measure in ("I-GCDF1", "R-GCDF1")}
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
        f"{confusion.said} heard as {confusion.heard} ({confusion.lost_by}): {confusion.points} of {points} lost points, in "
        f"{confusion.dialogues} of {dialogues} dialogues; if it were mended: {gains}"
    )


def confusion_rows(confusions: Sequence[Mapping[str, Any]]) -> Table:
    """Return the confusions with their lost points, and the gain in points of percent if one were mended."""
    measures = list(confusions[0]["gains"]) if confusions else []
    return table_of(
        "lost points by confusion",
        confusions,
        ("<lost by", itemgetter("lost_by")),
        ("<said", itemgetter("said")),
        ("<heard as", itemgetter("heard")),
        ("points", itemgetter("points")),
        ("dialogues", itemgetter("dialogues")),
        *((f"{name} if mended", lambda each, name=name: f"{100 * each['gains'][name]:+.2f}") for name in measures),
        ("<for example", itemgetter("example")),
    )


_POINTS = {("recall", "I"): "constraints missing", ("recall", "R"): "requests missing"} | {
    ("precision", "I"): "constraints too much",
    ("precision", "R"): "requests too much",
}


def verdict_tables(verdicts: Mapping[str, Any]) -> Iterator[Table]:
    """Yield the dialogues and points by the party that lost them, the confusions, and the reasons with an example each."""
    rows = {
        f"dialogues with units {text}": verdicts["dialogues"][side]
        for side, text in (("recall", "missing"), ("precision", "too much"))
    }
    rows |= {text: verdicts["points"][side][measured] for (side, measured), text in _POINTS.items()}
    foot = (f"{verdicts['failed']} dialogues failed: a unit of the goal is missing, or the dialogue was cut",)
    yield grid_of("lost points by who lost them", rows, "", PARTIES, "count", foot=foot)
    yield confusion_rows(verdicts["confusions"])
    yield table_of(
        "lost points by reason",
        [(each["dialogue"], each["loss"]) for each in verdicts["examples"]],
        ("<lost by", lambda each: each[1]["lost_by"]),
        ("<reason", lambda each: each[1]["reason"]),
        ("points", lambda each: verdicts["reasons"][each[1]["reason"]]),
        ("<for example", itemgetter(0)),
        ("<unit", lambda each: f"{each[1]['domain']} {each[1]['about']}"),
        ("<evidence", lambda each: each[1]["evidence"]),
    )


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
        by_domain = dict(sorted(patterns.get(kind, {}).items()))
        yield grid_of(title, by_domain, "domain", sorted({name for counts in by_domain.values() for name in counts}))
    missed = {domain: sum(counts.values()) for domain, counts in patterns.get("missed", {}).items()}
    yield table_of(
        "domains that are missed",
        sorted(goals),
        ("<domain", str),
        ("missed", lambda domain: missed.get(domain, 0)),
        ("goals", goals.__getitem__),
        ("share", lambda domain: percent(missed.get(domain, 0) / goals[domain])),
    )


def comparison_table(compared: UserComparison, keys: Sequence[Key] = SHOWN_MEASURES) -> Table:
    """Return the scores of the users for each measure, with differences from the first user."""
    scores = {name_of(key): {name: result.score(key) for name, result in compared.results.items()} for key in keys}
    return compare.comparison_table(compared, scores, "user")


def markdown_report(name: str, result: UserResult) -> str:
    """Return the report of a run as one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores = [score_table(result.all_scores, result.account)]
    details = [event_table(result.events), worst_table(result, 10)]
    return markdown_page(name, facts, scores, result.notices, details, signature=signature_of(result.all_scores))


def comparison_chart(compared: UserComparison, keys: Sequence[Key] = SHOWN_MEASURES) -> Chart:
    """Return a chart of the measures of all users."""
    scores = {
        name: [replace(result.score(key), measure=name_of(key)) for key in keys]
        for name, result in compared.results.items()
    }
    return score_chart("users", "Users side by side", scores, "score in percent")
