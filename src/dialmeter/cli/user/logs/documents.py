"""The documents of ``user items``."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ....core.document import AccountRecord, Count, IntervalMethod, ScoreRecord, Text
from ....users.items.faults import DialogueItems, FaultTable
from ..documents import UserDocument


class ItemScore(ScoreRecord, kw_only=True):
    """ItemRecall.

    Attributes:
        n: items that were conveyed, confirmed or missed.
        unscored: all other items.
    """

    reason: Text | UnsetType = UNSET
    signature: Text


class ItemCounts(Struct, kw_only=True):
    """How much there is; dialogues are those that have an instruction."""

    dialogues: Count
    with_items: Count
    items: Count


class UserItemsDocument(UserDocument, kw_only=True):
    """Items of goals in words, and what became of them.

    Attributes:
        format: the format that the log was read as.
        verdicts: verdict, then kind of item, then how many.
        events: class of events, then how many.
        faults: does a fault of the user go with failure, over all dialogues and within tasks that have both outcomes?
        parties: whose fault failed dialogues are, by the events.
        dialogues: every dialogue that has an instruction, with its items and events.
    """

    command: Literal["user items"] = "user items"
    scores: list[ItemScore]
    account: AccountRecord
    counts: ItemCounts
    format: Text
    intervals: IntervalMethod | None
    verdicts: dict[str, dict[str, Count]]
    events: dict[str, Count]
    faults: list[FaultTable]
    parties: dict[str, Count]
    dialogues: list[DialogueItems]
