"""Tables of a user's scores, events and dialogues, a chart of users, a short Markdown report, and the seven published figures.

The figures are numbers of dialogues with an event, and percent of goals or of parts of goals. The table of every figure has the
denominator of each bar. Figures 2, 3 and 7 count dialogues: a dialogue counts once for every class of events that it has. The
column ``events`` counts all events of the class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from ..core.account import Account
from ..measure import Score
from ..users.analysis.patterns import Kind, count_patterns
from ..users.behaviours import ALL
from ..users.blame.causes import PARTIES
from ..users.blame.verdict import BlameVerdict, Confusion, confusion_table
from ..users.compare import SHOWN_MEASURES, UserComparison
from ..users.events import COMBINED
from ..users.measures import Key, name_of
from ..users.result import UserResult, UserRow
from . import compare
from .chart_files import Chart, score_chart
from .charts.bars import BARS
from .tables import Table, grid_of, interval, percent, signed, table_of

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
    points: Counter[tuple[str, str, str]] = Counter()
    reasons: Counter[str] = Counter()
    examples: dict[str, dict[str, Any]] = {}
    for verdict in verdicts:
        for loss in verdict.losses:
            points[loss.side, loss.measured, loss.lost_by] += loss.weight
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
        "points": {
            side: {measured: {party: points[side, measured, party] for party in PARTIES} for measured in ("I", "R")}
            for side in dialogues
        },
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
        *((f"{name} if mended", lambda each, name=name: signed(each["gains"][name])) for name in measures),
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


def comparison_chart(compared: UserComparison, keys: Sequence[Key] = SHOWN_MEASURES) -> Chart:
    """Return a chart of the measures of all users."""
    scores = {
        name: [replace(result.score(key), measure=name_of(key)) for key in keys]
        for name, result in compared.results.items()
    }
    return score_chart("users", "Users side by side", scores, "score in percent")


class Label(NamedTuple):
    """A bar: its name in the publication, its name in words, and the classes of events that it counts."""

    published: str
    words: str
    classes: tuple[str, ...]


REPETITIONS = (
    Label("recom_book_rep", "while booking", ("repeated_while_booking",)),
    Label("rep_on_answer", "when answering a question", ("repeated_when_answering_request",)),
    Label("rep_on_request", "while requesting", ("repeated_while_requesting_info",)),
    Label("confirm_choice", "confirming a choice", ("confirmed_choice_params",)),
    Label("switch_domain", "after another domain", ("switched_between_domains",)),
    Label("sys_q", "the system asks", ("elicited_by_sys_question",)),
    Label("no_offer", "nothing was found", ("elicited_by_no_offers",)),
    Label("book_fail", "a booking failed", ("elicited_by_booking_failure",)),
    Label("nlu_fail", "not understood", ("failed_sys_nlu",)),
    Label("nomatch", "unexplained", ("unmatched",)),
)
"""Reasons why constraints of the goal are repeated."""

NOT_IN_GOAL = (
    Label(
        "dontcare",
        "always fine",
        ("auto_matched_value", "auto_matched_slot", "auto_matched_slot_value_pair"),
    ),
    Label("sys_offer", "the system offers", ("elicited_by_sys_offer",)),
    Label("sys_recom", "the system recommends", ("elicited_by_recommendation",)),
    Label("sys_book", "a booking is made or fails", ("elicited_by_booking_acceptance", "elicited_by_booking_failure")),
    Label("sys_q", "the system asks", ("elicited_by_sys_question",)),
    Label("nomatch", "unexplained", ("unmatched",)),
    Label("first_turn_nomatch", "at the first turn", ("first_turn",)),
)
"""Reasons why constraints outside the goal are said."""

REQUESTED_AGAIN = (
    Label("delayed_resp", "not answered yet", ("delayed_response",)),
    Label("repeat_after_answer", "after an answer", ("repeated_despite_receiving_answer",)),
    Label("noise", "probably a wrong label", ("spurious_annotation",)),
    Label("user_prempts", "the system asks instead", ("user_prempted_request",)),
    Label("nlu_fail", "not understood", ("system_req_nlu_failure",)),
)
"""Reasons why requests are repeated."""

PATTERNS = {
    "miss_all": "none said",
    "miss_all_reqs": "none asked",
    "miss_mult": "some, in several turns",
    "miss_one": "some, in one turn",
    "no_miss_mult": "all, in several turns",
    "no_miss_one": "all, in one turn",
    "prov_all": "all given unasked",
    "prov_some": "some given unasked",
    "no_prov": "none given unasked",
}
"""Published name of a pattern → words."""

PATTERN_DOMAINS = ("hotel", "restaurant")
"""Domains of the published figure 4. For a corpus without these domains, the figure shows all domains."""

FAMILIES = {"repetition": REPETITIONS, "not_in_goal": NOT_IN_GOAL, "request": REQUESTED_AGAIN}


class UserCounts(Struct):
    """The counts that the figures show.

    Attributes:
        dialogues: number of dialogues with an event, by family, class and domain.
        events: number of events, by family, class and domain.
        labelled: number of dialogues with an event of a published label, by family, label and domain.
        goals: number of dialogues whose goal has the domain.
        combinations: number of dialogues by the combination of domains in the goal.
        scored: number of dialogues with the domain in the goal and a score of constraints.
        patterns: number of occurrences of each pattern: kind → domain → pattern.
    """

    dialogues: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    events: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    labelled: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    goals: Counter[str] = field(default_factory=Counter)
    combinations: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    patterns: dict[Kind, dict[str, dict[str, int]]] = {}

    @classmethod
    def of(cls, rows: Sequence[UserRow]) -> UserCounts:
        """Count the given rows."""
        tally = cls(patterns=count_patterns(pattern for row in rows for pattern in row.patterns))
        for row in rows:
            counts = Counter((event.family, event.name, event.domain) for event in row.events)
            tally.events.update(counts)
            tally.dialogues.update(list(counts))
            tally.labelled.update(
                {
                    (family, label.published, domain)
                    for family, labels in FAMILIES.items()
                    for label in labels
                    for kind, name, domain in counts
                    if kind == family and name in label.classes
                }
            )
            tally.goals.update(list(row.goal))
            tally.combinations["+".join(sorted(row.goal))] += 1
            tally.scored.update(
                [domain for domain in row.goal if (each := row.inform.get(domain)) and each.score is not None]
            )
        return tally


class Bar(NamedTuple):
    """One bar with its denominator; ``events`` is the number of events if the bar counts dialogues."""

    label: str
    published: str
    domain: str
    size: int
    of: int
    events: int | None = None


def user_charts(tally: UserCounts) -> Iterator[Chart]:
    """Yield the published figures 1 to 7."""
    total = sum(tally.combinations.values())
    rows = [Bar("goals", "", domain, count, total) for domain, count in sorted(tally.goals.items())]
    yield _chart("1a-domains", "Domains of the goals", rows, "dialogues")
    ranked = sorted(tally.combinations.items(), key=lambda each: (-each[1], each[0]))
    rows = [Bar("goals", "", name, count, total) for name, count in ranked]
    yield _chart("1b-combinations", "Goals by their domains", rows, "dialogues")
    yield _event_chart(tally, "2-repetitions", "repetition", "Dialogues in which a constraint is said again")
    yield _event_chart(tally, "3-not-in-goal", "not_in_goal", "Dialogues with constraints outside the goal")
    yield _pattern_chart(tally, "4a-search", "search", "How search constraints are expressed")
    yield _pattern_chart(tally, "4b-booking", "booking", "How booking constraints are expressed")
    missed = {domain: sum(counts.values()) for domain, counts in tally.patterns.get("missed", {}).items()}
    rows = [
        Bar("missed", "missed_domain", domain, missed.get(domain, 0), tally.scored[domain])
        for domain in sorted(tally.scored)
    ]
    yield _chart("5-missed-domains", "Domains of the goal that are missed", rows, "dialogues", as_percent=True)
    yield _pattern_chart(tally, "6a-requests", "requests", "How requests are expressed")
    yield _pattern_chart(tally, "6b-provision", "provision", "What the system gives unasked")
    yield _event_chart(tally, "7-requests-again", "request", "Dialogues in which a request is made again")


def _event_chart(tally: UserCounts, name: str, family: str, title: str) -> Chart:
    return _chart(name, title, list(event_bars(tally, family)), "dialogues")


def event_bars(tally: UserCounts, family: str) -> Iterator[Bar]:
    """Yield dialogues by the reason of a repetition or request; a class without a published label is shown by its name."""
    labels = FAMILIES[family]
    published = {name for label in labels for name in label.classes}
    unpublished = [each.name for each in ALL if each.family == family and each.excuses and each.name not in published]
    for label in (*labels, *(Label("", name.replace("_", " "), (name,)) for name in unpublished)):
        for domain in sorted(
            {domain for kind, name, domain in tally.events if kind == family and name in label.classes}
        ):
            events = sum(tally.events[family, name, domain] for name in label.classes)
            if label.published:
                dialogues = tally.labelled[family, label.published, domain]
            else:
                dialogues = tally.dialogues[family, label.classes[0], domain]
            yield Bar(label.words, label.published, domain, dialogues, tally.goals[domain], events)


def _pattern_chart(tally: UserCounts, name: str, kind: Kind, title: str) -> Chart:
    """Return the patterns of one kind by domain; the denominator counts all parts or dialogues with such a pattern."""
    by_domain = tally.patterns.get(kind, {})
    of_parts = kind in ("search", "booking")
    domains = [domain for domain in PATTERN_DOMAINS if domain in by_domain] if of_parts else []
    rows = [
        Bar(PATTERNS[pattern], pattern, domain, by_domain[domain].get(pattern, 0), sum(by_domain[domain].values()))
        for pattern in dict.fromkeys(name for name in PATTERNS for counts in by_domain.values() if name in counts)
        for domain in domains or sorted(by_domain)
    ]
    return _chart(name, title, rows, "parts of goals" if of_parts else "dialogues", as_percent=True)


def _chart(name: str, title: str, rows: list[Bar], unit: str, *, as_percent: bool = False) -> Chart:
    # Every label has every domain, also without a bar, so that all charts have the same order.
    domains = list(dict.fromkeys(bar.domain for bar in rows))
    shares = {bar: bar.size / bar.of if bar.of else None for bar in rows}
    sizes = {(bar.label, bar.domain): shares[bar] if as_percent else bar.size for bar in rows}
    labels = dict.fromkeys(bar.label for bar in rows)
    values = [(label, domain, sizes.get((label, domain)), None, None) for label in labels for domain in domains]
    chart = Chart(
        name, title, BARS, values, y_label=f"{'percent' if as_percent else 'number'} of {unit}", as_percent=as_percent
    )
    headings = ("label", "published label", "domain", "count", "of", "percent", "events")
    percents = {bar: "" if share is None else f"{100 * share:.2f}" for bar, share in shares.items()}
    cells = [(*map(str, bar[:5]), percents[bar], "" if bar.events is None else str(bar.events)) for bar in rows]
    chart.data = Table("", headings, tuple(cells), frozenset({3, 4, 5, 6}))
    return chart
