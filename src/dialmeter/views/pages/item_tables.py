"""Tables of goal values and events of users in logs, and a short Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import one_line
from ...measure import Score
from ...users.behaviours import ALL
from ...users.items.goal_items import KINDS
from ...users.items.log_items import ItemComparison, LogItems, Share, score_of
from .. import compare
from ..tables import Table, count_table, interval, signed, table_of

SHOWN = 10
MEANING = {each.name: each.about for each in ALL if each.family == "text"}


def recall_table(result: LogItems, groups: Sequence[Score] = ()) -> Table:
    """Return GoalRecall with its interval, also by kind if ``groups`` has these scores; the account is below the table."""
    return table_of(
        "",
        [*result.scores, *groups],
        ("<measure", lambda each: each.group.get("kind", each.measure)),
        "value:percent",
        ("interval", lambda each: interval(each.ci)),
        "goal values=n | others=unscored",
        foot=(result.account.line,),
    )


def verdict_table(result: LogItems) -> Table:
    """Return the verdicts by kind of goal value."""
    rows = tuple(
        (verdict, str(sum(counts.values())), *(str(counts.get(kind, "")) for kind in KINDS))
        for verdict, counts in result.verdicts.items()
    )
    return Table("goal values", ("verdict", "all", *KINDS), rows, frozenset(range(1, 8)))


def event_table(result: LogItems) -> Table:
    """Return the number of events and of dialogues of each class."""
    rows = []
    for name, count in result.events.items():
        dialogues = sum(any(event.name == name for event in dialogue.events) for dialogue in result.all_dialogues)
        rows.append((name, str(count), str(dialogues), MEANING[name]))
    return Table("events of the user", ("event", "all", "dialogues", "meaning"), tuple(rows), frozenset({1, 2}))


def fault_tables(result: LogItems) -> Iterator[Table]:
    """Yield the relation of faults and failure, over all dialogues and within tasks that have both outcomes.

    The conclusions are drawn within tasks.
    """
    rows = []
    for each in result.faults():
        rows.append(
            (each.fault, "all dialogues", "", _share_cell(each.failed), _share_cell(each.successful), "", "", "")
        )
        change = "" if each.difference is None else signed(each.difference)
        span = " to ".join(map(signed, each.ci)) if each.ci else ""
        within = (_share_cell(each.failed_within), _share_cell(each.successful_within), change, span, each.conclusion)
        rows.append(("", "within tasks with both outcomes", str(each.tasks), *within))
    foot = ("Tasks differ in their goal values and failure rates. The conclusions use the rows within tasks.",)
    headings = (
        *("fault of the user", "dialogues", "tasks", "in failed", "in successful"),
        *("difference", "its interval", "conclusion"),
    )
    yield Table("faults of the user and failure", headings, tuple(rows), frozenset(range(2, 7)), foot=foot)
    yield count_table("failed dialogues by who lost them", ("lost by", "dialogues"), result.lost_by)


def _share_cell(share: Share) -> str:
    return f"{share.faulty}/{share.all}" + (f" ({100 * share.faulty / share.all:.0f} %)" if share.all else "")


def missed_table(result: LogItems) -> Table:
    """Return the first missed goal values."""
    missed = tuple(
        (
            dialogue.id,
            each.item.value,
            each.item.keys[0] if each.item.keys else "",
            "" if each.at is None else str(each.at),
        )
        for dialogue in result.dialogues
        for each in dialogue.outcomes
        if each.verdict == "missed"
    )
    title = "missed goal values" + (f", the first {SHOWN} of {len(missed)}" if len(missed) > SHOWN else "")
    return Table(title, ("dialogue", "value", "of", "asked in message"), missed[:SHOWN], frozenset({3}))


def event_example_table(result: LogItems) -> Table:
    """Return the first event of each class in each of the first two dialogues that have it."""
    rows = [
        (event.name, dialogue.id, ", ".join(map(str, event.turns)), one_line(event.said, 60), one_line(event.about, 40))
        for name in result.events
        if name != "missed"
        for dialogue in [
            dialogue for dialogue in result.all_dialogues if any(event.name == name for event in dialogue.events)
        ][:2]
        for event in [event for event in dialogue.events if event.name == name][:1]
    ]
    headings = ("event", "dialogue", "message", "words", "about")
    return Table("examples of events", headings, tuple(rows), frozenset({2}))


def item_comparison_table(compared: ItemComparison) -> Table:
    """Return the scores of the users of logs for each measure, with differences from the first user."""
    names = list(dict.fromkeys(each.measure for each in compared.versus))
    scores = {
        measure: {name: score_of(result, measure) for name, result in compared.results.items()} for measure in names
    }
    return compare.comparison_table(compared, scores, "user")
