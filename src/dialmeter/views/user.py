"""A user's scores, events and dialogues as tables, the published charts and a short Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import to_builtins

from ..core.account import Account
from ..measure import Score
from ..users.analysis.patterns import Kind
from ..users.behaviours import ALL
from ..users.blame import PARTIES, BlameVerdict, Loss, blame_table
from ..users.blame.verdict import party_in_words
from ..users.compare import UserComparison
from ..users.events import Event
from ..users.outcome import COMBINED
from ..users.record import UserRow
from ..users.result import UserResult
from ..users.score_table import MEASURES
from . import compare
from .chart_files import Chart, chart
from .charts import bars
from .charts.data import Estimate
from .markdown_page import markdown_page
from .tables import Table, interval, percent
from .tracker import signature_of

_LOGS = frozenset(each.name for each in ALL if each.owner == "log")


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """One row per domain and kind: F1 with its interval, precision, recall, and how many dialogues; the account below."""
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
    """Events by class and domain, the most frequent first; logs only on request."""
    shown = {name: found for name, found in events.items() if logs or name not in _LOGS}
    domains = sorted({domain for found in shown.values() for domain in found})
    ordered = sorted(shown, key=lambda name: (-sum(shown[name].values()), name))
    rows = tuple(
        (name, str(sum(shown[name].values())), *(str(shown[name].get(domain, "")) for domain in domains))
        for name in ordered
    )
    return Table("what happened", ("event", "all", *domains), rows, frozenset(range(1, len(domains) + 2)))


def worst_table(result: UserResult, n: int) -> Table:
    """The dialogues that lost most."""
    rows = tuple((each.dialogue, percent(each.inform), percent(each.request)) for each in result.worst(n))
    return Table("the worst dialogues", ("dialogue", "I-GCDF1", "R-GCDF1"), rows, frozenset({1, 2}))


class FoundRow(NamedTuple):
    """A dialogue found by a query, with the events and the lost points that the query is about."""

    row: UserRow
    events: Sequence[Event]
    losses: Sequence[Loss]


def found_table(found: Iterable[FoundRow]) -> Table:
    """Dialogues found by a query, each with the first event or lost point found."""
    rows = []
    for row, events, losses in found:
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
    headings = ("dialogue", "goal", "I-GCDF1", "R-GCDF1", "found", "the first of them")
    return Table("", headings, tuple(rows), frozenset({2, 3, 4}))


def verdicts_of(verdicts: Sequence[BlameVerdict]) -> dict[str, Any]:
    """How many dialogues and how many lost points are whose fault, by reason, with an example of each reason."""
    dialogues = {
        side: Counter(found.party for verdict in verdicts if (found := getattr(verdict, side)) is not None)
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
    return {
        "failed": sum(verdict.failed for verdict in verdicts),
        "dialogues": {side: {party: found[party] for party in PARTIES} for side, found in dialogues.items()},
        "points": blame_table(verdicts),
        "reasons": {why: reasons[why] for why in ranked},
        "examples": [examples[why] for why in ranked],
    }


_POINTS = {("recall", "I"): "constraints missing", ("recall", "R"): "requests missing"} | {
    ("precision", "I"): "constraints too much",
    ("precision", "R"): "requests too much",
}


def verdict_tables(verdicts: Mapping[str, Any]) -> Iterator[Table]:
    """Dialogues and points by the party that lost them, and the reasons with an example each."""
    rows = [
        (f"dialogues, by what is {text}", *(str(verdicts["dialogues"][side][party] or "") for party in PARTIES))
        for side, text in (("recall", "missing"), ("precision", "too much"))
    ]
    rows += [
        (text, *(str(verdicts["points"][side][measured][party] or "") for party in PARTIES))
        for (side, measured), text in _POINTS.items()
    ]
    foot = (f"{verdicts['failed']} dialogues failed: a wanted unit is missing, or the dialogue was cut",)
    yield Table("who lost the points", ("", *PARTIES), tuple(rows), frozenset(range(1, len(PARTIES) + 1)), foot=foot)
    examples = tuple(
        (
            party_in_words(example["loss"]["party"], example["loss"].get("of", "")),
            why,
            str(verdicts["reasons"][why]),
            example["dialogue"],
            f"{example['loss']['domain']} {example['loss']['about']}",
            example["loss"]["evidence"],
        )
        for example in verdicts["examples"]
        for why in [example["loss"]["why"]]
    )
    headings = ("party", "reason", "points", "for example", "unit", "evidence")
    yield Table("why they were lost", headings, examples, frozenset({2}))


_TITLES: dict[Kind, str] = {
    "search": "how search constraints are expressed",
    "booking": "how booking constraints are expressed",
    "requests": "how requests are expressed",
    "provision": "what the system gives unasked",
}


def pattern_tables(
    patterns: Mapping[Kind, Mapping[str, Mapping[str, int]]], goals: Mapping[str, int]
) -> Iterator[Table]:
    """One table per kind, domains by patterns, and the domains of goals that were never talked of."""
    for kind, title in _TITLES.items():
        by_domain = patterns.get(kind, {})
        names = sorted({name for found in by_domain.values() for name in found})
        rows = tuple(
            (domain, *(str(found.get(name, "")) for name in names)) for domain, found in sorted(by_domain.items())
        )
        yield Table(title, ("domain", *names), rows, frozenset(range(1, len(names) + 1)))
    missed = {domain: sum(found.values()) for domain, found in patterns.get("missed", {}).items()}
    rows = tuple(
        (domain, str(missed.get(domain, 0)), str(count), percent(missed.get(domain, 0) / count))
        for domain, count in sorted(goals.items())
    )
    yield Table("domains that are missed", ("domain", "missed", "goals", "share"), rows, frozenset({1, 2, 3}))


def comparison_table(compared: UserComparison, domain: str) -> Table:
    """The users under each measure, with differences to the first."""
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
    """A run in one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores = [score_table(result.scores, result.account)]
    details = [event_table(result.events), worst_table(result, 10)]
    return markdown_page(name, facts, scores, result.notices, details, signature=signature_of(result.scores))


def comparison_chart(compared: UserComparison, domain: str) -> Chart:
    """The measures of users side by side."""
    scores = {
        name: {
            score.measure: Estimate(score.value, *(score.ci or ()))
            for score in result.scores
            if score.group["domain"] == domain
        }
        for name, result in compared.results.items()
    }
    return chart("users", "Users side by side", bars.draw, bars.table, scores, y_label="score in percent")
