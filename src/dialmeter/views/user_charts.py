"""The seven published pictures of a user, from any run, each with its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..users.analysis.patterns import Kind, Pattern, counted
from ..users.behaviours import ALL
from ..users.record import UserRow
from .chart_files import Chart
from .charts import bars
from .charts.data import Estimate
from .tables import Table

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
"""Published label → classes of events, of constraints that are said again."""

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
"""The same of constraints outside the goal."""

REQUESTED_AGAIN = {
    "repeat_after_answer": ("repeated_despite_receiving_answer",),
    "delayed_resp": ("delayed_response",),
    "nlu_fail": ("system_req_nlu_failure",),
    "user_preempt": ("user_prempted_request",),
    "spurious": ("spurious_annotation",),
}
"""The same of requests that are made again."""

Counts = Mapping[str, Mapping[str, int]]
"""Label → domain → how often."""


class Tally:
    """What the pictures are drawn from, gathered row by row: events, patterns, and the domains of goals."""

    def __init__(self) -> None:
        self.events: Counter[tuple[str, str, str]] = Counter()
        self.goals: Counter[str] = Counter()
        self._patterns: list[Pattern] = []

    @classmethod
    def of(cls, rows: Iterable[UserRow]) -> Tally:
        """What is to be drawn of some rows."""
        tally = cls()
        for row in rows:
            tally.add(row)
        return tally

    def add(self, row: UserRow) -> None:
        """Takes a dialogue."""
        self.events.update((event.family, event.name, event.domain) for event in row.events)
        self.goals.update(list(row.goal))
        self._patterns += row.patterns

    @property
    def patterns(self) -> dict[Kind, dict[str, dict[str, int]]]:
        """How often each pattern occurs: kind → domain → pattern."""
        return counted(self._patterns)


def user_charts(tally: Tally) -> Iterator[Chart]:
    """The published figures 1 to 7."""
    events, patterns, goals = tally.events, tally.patterns, tally.goals
    yield _chart("1-domains", {"goals": goals}, "Domains of the goals", "goals")
    yield _chart(
        "2-repetitions", _labelled(events, "repetition", REPETITIONS), "Why constraints are said again", "repetitions"
    )
    yield _chart(
        "3-not-in-goal", _labelled(events, "not_in_goal", NOT_IN_GOAL), "Constraints outside the goal", "mentions"
    )
    halves: tuple[tuple[str, Kind, str], ...] = (("a", "search", "search"), ("b", "booking", "booking"))
    for letter, kind, title in halves:
        counts = _by_pattern(patterns.get(kind, {}))
        yield _chart(f"4{letter}-{kind}", counts, f"How {title} constraints are expressed", "parts of goals")
    missed = {domain: found.get("missed_domain", 0) for domain, found in patterns.get("missed", {}).items()}
    yield _missed(missed, goals)
    halves = (
        ("a", "requests", "How requests are expressed"),
        ("b", "provision", "What the system gives unasked"),
    )
    for letter, kind, title in halves:
        counts = _by_pattern(patterns.get(kind, {}))
        yield _chart(f"6{letter}-{kind}", counts, title, "domains of dialogues")
    yield _chart(
        "7-requests-again",
        _labelled(events, "request", REQUESTED_AGAIN),
        "Why requests are made again",
        "repetitions",
    )


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


def _by_pattern(by_domain: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for domain, patterns in by_domain.items():
        for pattern, count in patterns.items():
            found.setdefault(pattern, {})[domain] = count
    return dict(sorted(found.items()))


def _chart(name: str, counts: Counts, title: str, unit: str) -> Chart:
    from matplotlib.ticker import MaxNLocator

    # Every label has every domain, with no bar where there is no count, so that all pictures have one order.
    domains = sorted({domain for found in counts.values() for domain in found})
    scores = {label: {each: Estimate(found.get(each)) for each in domains} for label, found in counts.items()}
    figure = bars.draw(scores, title=title, y_label=f"number of {unit}", as_percent=False)
    figure.axes[0].yaxis.set_major_locator(MaxNLocator(integer=True))
    rows = tuple(
        (label, domain, str(count)) for label, found in counts.items() for domain, count in sorted(found.items())
    )
    return Chart(name, figure, Table("", ("label", "domain", "count"), rows, frozenset({2})))


def _missed(missed: Mapping[str, int], goals: Mapping[str, int]) -> Chart:
    """The only published picture of shares: in how many of a domain's goals it is never talked of."""
    shares = {"not talked of": {domain: Estimate(missed.get(domain, 0) / goals[domain]) for domain in sorted(goals)}}
    figure = bars.draw(shares, title="Domains of the goal that are missed", y_label="percent of the goals with it")
    rows = tuple((domain, str(missed.get(domain, 0)), str(goals[domain])) for domain in sorted(goals))
    return Chart("5-missed-domains", figure, Table("", ("domain", "missed", "goals"), rows, frozenset({1, 2})))
