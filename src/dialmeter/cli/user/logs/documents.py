"""The JSON document of ``user items``."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from ....core.document import AccountRecord, Count, IntervalMethod, ScoreRecord, Text
from ....users.items.faults import DialogueItems, FaultTable
from ..documents import UserDocument


class ItemScore(ScoreRecord, kw_only=True):
    """ItemRecall.

    Attributes:
        n: number of items that were conveyed, confirmed or missed.
        unscored: number of all other items.
    """

    reason: Text | UnsetType = UNSET
    signature: Text


class ItemCounts(Struct, kw_only=True):
    """Number of dialogues with an instruction, of dialogues with items, and of items."""

    dialogues: Count
    with_items: Count
    items: Count


class UserItemsDocument(UserDocument, kw_only=True):
    """The items of goals in words, and their verdicts.

    Attributes:
        format: the format of the log.
        verdicts: verdict → kind of item → count.
        events: class of events → count.
        faults: the association of faults of the user with failure, over all dialogues and within tasks that have both outcomes.
        parties: party → number of failed dialogues that are its fault according to the events.
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
