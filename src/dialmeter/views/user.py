"""A user's scores, events and dialogues as tables, the published charts and a short Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.account import Account
from ..measure import Score
from ..users.analysis import blame
from ..users.analysis.blame import PARTIES, BlameVerdict
from ..users.analysis.patterns import Kind, Pattern, counted
from ..users.behaviours import ALL
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
from .tracker import shared_signature

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def found_table(found: Iterable[tuple[UserRow, Sequence[Event]]]) -> Table:
    """Dialogues found by a query, each with the first event found."""
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
    """How many dialogues and how many lost units are whose fault."""
    dialogues = Counter(verdict.party for verdict in verdicts)
    return {"dialogues": {party: dialogues[party] for party in PARTIES}, "units": blame.table(verdicts)}


def verdict_table(verdicts: Mapping[str, Any]) -> Table:
    """Failed dialogues, and lost units by domain, by the party to blame."""
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
    accounts = {name: result.account for name, result in compared.results.items()}
    title = "" if domain == COMBINED else f"in {domain}"
    return compare.comparison_table(title, "user", scores, compared.versus, accounts)


def markdown_report(name: str, result: UserResult) -> str:
    """A run in one page of Markdown."""
    counts = result.counts
    facts = f"{counts['turns']} turns, rules {result.rules.name}."
    scores, details = (
        [score_table(result.scores, result.account)],
        [event_table(result.events), worst_table(result, 10)],
    )
    return markdown_page(name, facts, scores, result.notices, details, signature=shared_signature(result.scores))


REPETITIONS = {
    "recom_book_rep": ("repeated_while_booking",),
    "rep_on_answer": ("repeated_when_answering_request",),
    "rep_on_request": ("repeated_while_requesting_info",),
    "confirm_choice": ("confirmed_choice_params",),
    "switch_domain": ("switched_between_domains",),
    "sys_q": ("elicited_by_sys_question",),
    "no_offer": ("elicited_by_no_offers",),
    "book_fail": ("elicited_by_booking_failure",),
    "nlu_fail": ("failed_sys_nlu",),
    "nomatch": ("unmatched",),
}
"""Published label → classes of events, for constraints that are said again."""

NOT_IN_GOAL = {
    "dontcare": ("auto_matched_value", "auto_matched_slot", "auto_matched_slot_value_pair"),
    "sys_offer": ("elicited_by_sys_offer",),
    "sys_q": ("elicited_by_sys_question",),
    "recommend": ("elicited_by_recommendation",),
    "book_accept": ("elicited_by_booking_acceptance",),
    "book_fail": ("elicited_by_booking_failure",),
    "first_turn": ("first_turn",),
    "nomatch": ("unmatched",),
}
"""The same for constraints outside the goal."""

REQUESTED_AGAIN = {
    "repeat_after_answer": ("repeated_despite_receiving_answer",),
    "delayed_resp": ("delayed_response",),
    "nlu_fail": ("system_req_nlu_failure",),
    "user_preempt": ("user_prempted_request",),
    "spurious": ("spurious_annotation",),
}
"""The same for requests that are made again."""

Counts = Mapping[str, Mapping[str, int]]
"""Label → domain → how often."""


class UserCounts:
    """What the charts are drawn from, collected row by row: events, patterns, and the domains of goals."""

    def __init__(self) -> None:
        self.events: Counter[tuple[str, str, str]] = Counter()
        self.goals: Counter[str] = Counter()
        self._patterns: list[Pattern] = []

    @classmethod
    def of(cls, rows: Iterable[UserRow]) -> UserCounts:
        """The sums over some rows."""
        tally = cls()
        for row in rows:
            tally.add(row)
        return tally

    def add(self, row: UserRow) -> None:
        """Adds a dialogue."""
        self.events.update((event.family, event.name, event.domain) for event in row.events)
        self.goals.update(list(row.goal))
        self._patterns += row.patterns

    @property
    def patterns(self) -> dict[Kind, dict[str, dict[str, int]]]:
        """How often each pattern occurs: kind → domain → pattern."""
        return counted(self._patterns)


def user_charts(tally: UserCounts) -> Iterator[Chart]:
    """The published figures 1 to 7."""
    events, patterns, goals = tally.events, tally.patterns, tally.goals
    yield _counts_chart("1-domains", {"goals": goals}, "Domains of the goals", "goals")
    counts = _labelled(events, "repetition", REPETITIONS)
    yield _counts_chart("2-repetitions", counts, "Why constraints are said again", "repetitions")
    counts = _labelled(events, "not_in_goal", NOT_IN_GOAL)
    yield _counts_chart("3-not-in-goal", counts, "Constraints outside the goal", "mentions")
    for name, kind in (("4a", "search"), ("4b", "booking")):
        yield _pattern_chart(f"{name}-{kind}", patterns, kind, "parts of goals")  # type: ignore[arg-type]
    yield _missed_chart(
        {domain: found.get("missed_domain", 0) for domain, found in patterns.get("missed", {}).items()}, goals
    )
    for name, kind in (("6a", "requests"), ("6b", "provision")):
        yield _pattern_chart(f"{name}-{kind}", patterns, kind, "domains of dialogues")  # type: ignore[arg-type]
    counts = _labelled(events, "request", REQUESTED_AGAIN)
    yield _counts_chart("7-requests-again", counts, "Why requests are made again", "repetitions")


def _labelled(
    events: Mapping[tuple[str, str, str], int], family: str, labels: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    shown = {name for classes in labels.values() for name in classes}
    # A behaviour that the publication does not have is shown under its own name.
    new = {each.name: (each.name,) for each in ALL if each.family == family and each.excuses and each.name not in shown}
    for label, classes in {**labels, **new}.items():
        for (kind, name, domain), count in events.items():
            if kind == family and name in classes:
                inside = found.setdefault(label, {})
                inside[domain] = inside.get(domain, 0) + count
    return found


def _pattern_chart(name: str, patterns: Mapping[Kind, Counts], kind: Kind, unit: str) -> Chart:
    """How often each pattern occurs in each domain; titled like the table of the kind."""
    found: dict[str, dict[str, int]] = {}
    for domain, by_pattern in patterns.get(kind, {}).items():
        for pattern, count in by_pattern.items():
            found.setdefault(pattern, {})[domain] = count
    title = _TITLES[kind][0].upper() + _TITLES[kind][1:]
    return _counts_chart(name, dict(sorted(found.items())), title, unit)


def _counts_chart(name: str, counts: Counts, title: str, unit: str) -> Chart:
    # Every label has every domain, with no bar where there is no count, so that all charts have one order.
    domains = sorted({domain for found in counts.values() for domain in found})
    scores = {label: {each: Estimate(found.get(each)) for each in domains} for label, found in counts.items()}

    def draw() -> Figure:
        from matplotlib.ticker import MaxNLocator

        figure = bars.draw(scores, title=title, y_label=f"number of {unit}", as_percent=False)
        figure.axes[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        return figure

    rows = tuple(
        (label, domain, str(count)) for label, found in counts.items() for domain, count in sorted(found.items())
    )
    return Chart(name, title, draw, Table("", ("label", "domain", "count"), rows, frozenset({2})))


def _missed_chart(missed: Mapping[str, int], goals: Mapping[str, int]) -> Chart:
    """The only published figure of shares: in how many of a domain's goals it is never talked of."""
    shares = {"not talked of": {domain: Estimate(missed.get(domain, 0) / goals[domain]) for domain in sorted(goals)}}
    title = "Domains of the goal that are missed"
    rows = tuple((domain, str(missed.get(domain, 0)), str(goals[domain])) for domain in sorted(goals))
    table = Table("", ("domain", "missed", "goals"), rows, frozenset({1, 2}))
    draw = partial(bars.draw, shares, title=title, y_label="percent of the goals with it")
    return Chart("5-missed-domains", title, draw, table)


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
