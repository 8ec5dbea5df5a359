"""Items and events of users in logs as tables, and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import one_line
from ...users.behaviours import ALL
from ...users.items.compare import ItemComparison, score_of
from ...users.items.faults import Share
from ...users.items.goal_items import KINDS
from ...users.items.log_items import LogItems
from .. import compare
from ..markdown_page import markdown_page
from ..tables import Table, count_table, interval, percent

SHOWN = 10
MEANING = {each.name: each.about for each in ALL if each.family == "text"}


def recall_table(found: LogItems) -> Table:
    """ItemRecall with its interval; the account below."""
    rows = tuple(
        (each.measure, percent(each.value), interval(each.ci), str(each.n), str(each.unscored)) for each in found.scores
    )
    headings = ("measure", "value", "interval", "items", "other items")
    return Table("", headings, rows, frozenset(range(1, 5)), foot=(found.account.line,))


def verdict_table(found: LogItems) -> Table:
    """Verdicts by kind of item."""
    rows = tuple(
        (verdict, str(sum(counts.values())), *(str(counts.get(kind, "")) for kind in KINDS))
        for verdict, counts in found.verdicts.items()
    )
    return Table("items", ("verdict", "all", *KINDS), rows, frozenset(range(1, 8)))


def event_table(found: LogItems) -> Table:
    """How often each event occurs, in how many dialogues."""
    rows = []
    for name, count in found.events.items():
        talks = sum(any(event.name == name for event in talk.events) for talk in found.all_dialogues)
        rows.append((name, str(count), str(talks), MEANING[name]))
    return Table("events of the user", ("event", "all", "dialogues", "meaning"), tuple(rows), frozenset({1, 2}))


def fault_tables(found: LogItems) -> Iterator[Table]:
    """Faults and failure: all dialogues, and within tasks that have both outcomes, from which is concluded."""
    rows = []
    for each in found.faults():
        rows.append((each.fault, "all dialogues", "", _shown(each.failed), _shown(each.successful), "", "", ""))
        change = "" if each.difference is None else f"{100 * each.difference:+.2f}"
        span = f"{100 * each.ci[0]:+.2f} to {100 * each.ci[1]:+.2f}" if each.ci else ""
        within = (_shown(each.failed_within), _shown(each.successful_within), change, span, each.conclusion)
        rows.append(("", "within tasks with both outcomes", str(each.tasks), *within))
    foot = ("Tasks differ in their items and in how often they fail: conclusions are from the rows within tasks.",)
    headings = (
        *("fault of the user", "where", "tasks", "in failed", "in successful"),
        *("difference", "its interval", "conclusion"),
    )
    yield Table("do faults of the user go with failure?", headings, tuple(rows), frozenset(range(2, 7)), foot=foot)
    yield count_table("whose fault failed dialogues are, by the events", ("party", "dialogues"), found.parties)


def _shown(share: Share) -> str:
    return f"{share.faulty}/{share.all}" + (f" ({100 * share.faulty / share.all:.0f} %)" if share.all else "")


def missed_table(found: LogItems) -> Table:
    """The first missed items."""
    missed = tuple(
        (
            talk.id,
            each.item.value,
            each.item.keys[0] if each.item.keys else "",
            "" if each.at is None else str(each.at),
        )
        for talk in found.dialogues
        for each in talk.outcomes
        if each.verdict == "missed"
    )
    title = "missed items" + (f", the first {SHOWN} of {len(missed)}" if len(missed) > SHOWN else "")
    return Table(title, ("dialogue", "value", "of", "asked in message"), missed[:SHOWN], frozenset({3}))


def event_example_table(found: LogItems) -> Table:
    """The first event of each class in each of the first dialogues that have it."""
    rows = [
        (event.name, talk.id, ", ".join(map(str, event.turns)), one_line(event.said, 60), one_line(event.about, 40))
        for name in found.events
        if name != "missed"
        for talk in [talk for talk in found.all_dialogues if any(event.name == name for event in talk.events)][:2]
        for event in [event for event in talk.events if event.name == name][:1]
    ]
    headings = ("event", "dialogue", "message", "words", "about")
    return Table("examples of events", headings, tuple(rows), frozenset({2}))


def item_comparison_table(compared: ItemComparison) -> Table:
    """The users of logs under each measure, with differences to the first."""
    names = list(dict.fromkeys(each.measure for each in compared.versus))
    scores = {
        measure: {name: score_of(result, measure) for name, result in compared.results.items()} for measure in names
    }
    return compare.comparison_table(compared, scores, "user")


def items_report(name: str, found: LogItems) -> str:
    """A run in one page of Markdown."""
    facts = f"{found.items} items in {len(found.dialogues)} dialogues."
    details = [verdict_table(found), event_table(found), *fault_tables(found), missed_table(found)]
    return markdown_page(
        name,
        facts,
        [recall_table(found)],
        found.notices,
        [each for each in details if each.rows],
        signature=found.signature,
    )
