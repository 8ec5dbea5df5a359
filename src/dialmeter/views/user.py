"""A user's scores, events and dialogues as tables and as a short Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.account import Account, lines
from ..measure import Score
from ..users.analysis import blame
from ..users.analysis.blame import PARTIES, BlameVerdict
from ..users.analysis.patterns import Kind
from ..users.behaviours import ALL
from ..users.compare import UserComparison
from ..users.estimates import MEASURES
from ..users.events import Event
from ..users.outcome import COMBINED
from ..users.record import UserRow
from ..users.result import UserResult
from .compare import difference_cells, stars
from .markdown_page import markdown_page
from .tables import Table, interval, percent
from .tracker import shared_signature

_LOGS = frozenset(each.name for each in ALL if each.owner == "log")
_PREFIX = {"I": "I-", "R": "R-"}


def score_table(scores: Sequence[Score], account: Account) -> Table:
    """One row per domain and kind: F1 with its interval, precision, recall, and how many dialogues; the account below."""
    by_key = {(score.group["domain"], score.measure): score for score in scores}
    domains = list(dict.fromkeys(score.group["domain"] for score in scores))
    rows = []
    for prefix in _PREFIX.values():
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
    """What happened, by class and domain, the most frequent first; logs only where they are asked for."""
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


def found_table(found: Iterable[tuple[UserRow, Sequence[Event]]]) -> Table:
    """Dialogues that were looked for, each with the first event that was."""
    rows = []
    for row, events in found:
        inform, request = row.score("I"), row.score("R")
        first = events[0] if events else None
        rows.append(
            (
                row.id,
                "+".join(row.goal),
                percent(inform.f1 if inform else None),
                percent(request.f1 if request else None),
                str(len(events) or ""),
                f"{first.name} {first.about} (turn {', '.join(map(str, first.turns)) or 'none'})" if first else "",
            )
        )
    headings = ("dialogue", "goal", "I-GCDF1", "R-GCDF1", "events", "the first of them")
    return Table("", headings, tuple(rows), frozenset({2, 3, 4}))


def verdicts_of(verdicts: Sequence[BlameVerdict]) -> dict[str, Any]:
    """How many dialogues and how many lost units are put down to whom."""
    dialogues = Counter(verdict.party for verdict in verdicts)
    return {"dialogues": {party: dialogues[party] for party in PARTIES}, "units": blame.table(verdicts)}


def verdict_table(verdicts: Mapping[str, Any]) -> Table:
    """Failed dialogues, and lost units by domain, by whom they are put down to."""
    rows = [("failed dialogues", *(str(verdicts["dialogues"][party]) for party in PARTIES))]
    rows += [
        (f"lost units, {domain or 'at the limit of turns'}", *(str(found[party]) for party in PARTIES))
        for domain, found in verdicts["units"].items()
    ]
    return Table("who lost the points", ("", *PARTIES), tuple(rows), frozenset(range(1, len(PARTIES) + 1)))


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
    """One row per measure and user: value, interval, difference to the first, tests, dialogues won and lost."""
    against = {(each.measure, each.system): each for each in compared.versus}
    rows: list[tuple[str, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    for measure in MEASURES:
        for place, (name, result) in enumerate(compared.results.items()):
            own = [each for each in result.scores if (each.measure, each.group["domain"]) == (measure, domain)]
            value, limits, reason = (own[0].value, own[0].ci, own[0].ci_reason) if own else (None, None, "")
            found = against.get((measure, name))
            if found and stars(found.p_holm):
                marks[len(rows), 4] = stars(found.p_holm)
            span = interval(limits, reason)
            rows.append((measure if not place else "", name, percent(value), span, *difference_cells(found)))
    headings = ("measure", "user", "value", "interval", "difference", "its interval", "p", "p (Holm)", "win/tie/loss")
    title = "" if domain == COMBINED else f"in {domain}"
    accounts = {name: result.account for name, result in compared.results.items()}
    return Table(title, headings, tuple(rows), frozenset(range(2, 9)), marks, foot=tuple(lines(accounts)))


def markdown_report(name: str, result: UserResult) -> str:
    """A run in one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores, details = (
        [score_table(result.scores, result.account)],
        [event_table(result.events), worst_table(result, 10)],
    )
    return markdown_page(name, facts, scores, result.notices, details, signature=shared_signature(result.scores))
