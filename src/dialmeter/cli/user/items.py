"""``dialmeter user items``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ...core.account import Account, counted
from ...core.document import bootstrap, make_document
from ...core.result import score_dict
from ...errors import InputError, one_line
from ...measure import Score
from ...readers.trajectories import open_trajectories
from ...users.items.faults import FaultTable, LogItems, Share, read_items
from ...users.items.goal_items import KINDS
from ...views.tables import Table, interval, percent
from ..main import EXIT_INPUT
from ..options import chosen_resampling, command, from_option, interval_options
from ..printer import EVERY, TEXT, Block, Output, signature, tables
from ..progress import watched
from .item_documents import UserItemsDocument

NO_ITEMS = "without items"
SHOWN = 10


@command()
@click.argument("log")
@from_option("the log", "layout")
@interval_options(resamples=10_000)
@click.option("--skip-bad", is_flag=True, help="Exit 0 although some dialogues cannot be read.")
def items(**options: Any) -> Output:
    """Did the user of an agent's LOG convey the values that its goal in words names?

    An item is a value of an expected call that the instruction names. It is missed only if the agent asked for it, or if the
    user ended the dialogue with its call undone. ItemRecall = (conveyed + confirmed) / (conveyed + confirmed + missed).
    Dialogues that cannot be read are listed; the exit code is then 2.
    """
    log = open_trajectories(options["log"], options["form"])
    found = read_items(watched(log, log, options["quiet"]))
    if not found.dialogues:
        raise InputError(
            "no goal in words has an item: expected calls with values that the instruction names", file=log.name
        )
    unread = [(each.dialogue or "", one_line(each.message, 100)) for each in log.refused]
    asked = len(found.dialogues) + found.without + len(unread)
    reasons = counted([*unread, *([("", NO_ITEMS)] * found.without)])
    account = Account("dialogue", asked, asked, len(found.dialogues), reasons)
    resampling = chosen_resampling(options)
    accepted = options["skip_bad"] or not log.refused
    recall = found.recall(resampling)
    return Output(
        document=lambda _: make_document(
            UserItemsDocument,
            scores=[score_dict(recall)],
            account=account,
            counts={"dialogues": len(found.dialogues), "items": found.items},
            warnings=log.notices,
            format=log.format,
            intervals=bootstrap(resampling),
            verdicts=found.verdicts,
            faults=found.faults(),
            dialogues=found.dialogues,
        ),
        parts=_parts(found, recall, account, one_line(options["log"])),
        notices=log.notices,
        errors=[
            *(one_line(str(error), 1000) for error in log.refused[:20]),
            *([] if accepted else [f"{len(log.refused)} dialogues cannot be read (--skip-bad accepts that)"]),
        ],
        exit_code=0 if accepted else EXIT_INPUT,
    )


def _parts(found: LogItems, recall: Score, account: Account, name: str) -> Iterator[Block]:
    yield Block(f"{name}  {found.items} items in {len(found.dialogues)} dialogues", TEXT)
    row = (recall.measure, percent(recall.value), interval(recall.ci), str(recall.n), str(recall.unscored))
    headings = ("measure", "value", "interval", "items", "other items")
    yield Block(Table("", headings, (row,), frozenset(range(1, 5)), foot=(account.line,)), EVERY)
    yield from signature(recall.signature)
    rows = tuple(
        (verdict, str(sum(counts.values())), *(str(counts.get(kind, "")) for kind in KINDS))
        for verdict, counts in found.verdicts.items()
    )
    yield from tables([Table("items", ("verdict", "all", *KINDS), rows, frozenset(range(1, 8)))])
    yield from tables([_fault_table(found.faults())])
    missed = tuple(
        (talk.id, each.item.value, each.item.keys[0], "" if each.at is None else str(each.at))
        for talk in found.dialogues
        for each in talk.outcomes
        if each.verdict == "missed"
    )
    title = "missed items" + (f", the first {SHOWN} of {len(missed)}" if len(missed) > SHOWN else "")
    yield from tables(
        [Table(title, ("dialogue", "value", "of", "asked in message"), missed[:SHOWN], frozenset({3}))], TEXT
    )


def _fault_table(faults: list[FaultTable]) -> Table:
    rows = []
    for each in faults:
        rows.append((each.fault, "all dialogues", "", _shown(each.failed), _shown(each.successful), ""))
        change = "" if each.difference is None else f"{100 * each.difference:+.2f}"
        within = (_shown(each.failed_within), _shown(each.successful_within), change)
        rows.append(("", "within tasks with both outcomes", str(each.tasks), *within))
    foot = ("Conclude from the rows within tasks: tasks differ in their items and in how often they fail.",)
    headings = ("fault of the user", "where", "tasks", "in failed", "in successful", "difference")
    return Table("do faults of the user go with failure?", headings, tuple(rows), frozenset(range(2, 6)), foot=foot)


def _shown(share: Share) -> str:
    return f"{share.faulty}/{share.all}" + (f" ({100 * share.faulty / share.all:.0f} %)" if share.all else "")
