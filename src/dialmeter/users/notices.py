"""Remarks on single dialogues, gathered into notices: what, how often, where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import InputError
from ..model import Notice
from .events import Remark

SHOWN = 5
"""How many places a notice names."""

_MESSAGES = {
    "no-understanding": "system turns without what was understood; repetitions are not put down to misunderstanding there",
    "unknown-domain": "services that the profile does not know",
    "unknown-act": "acts whose name the profile does not know; they play no part",
    "act-without-value": "constraints said without a value; they are unscored",
    "said-in-booking": "constraints said in the service of bookings, which is no domain; they are unscored",
    "goal-value-not-in-map": "goal values that the value map does not know; what is said is looked for in the whole map",
    "slot-of-another-domain": "values of slots that the value map holds for other domains only; they stay as they are",
    "ends-on-user-turn": "domains whose last constraint has no reply; the search is not taken to have failed",
    "request-outside-goal": "slots asked for in domains that the goal does not have; they count as not wanted",
    "from-text": "turns without acts whose constraints and requests were found in the text",
    "no-acts": "turns without acts; nothing is found in them (--from-text looks at their words)",
}


def notices_of(remarks: Mapping[str, Sequence[tuple[str, Remark]]], refused: Sequence[InputError]) -> list[Notice]:
    """Notices in the order of their codes, after the dialogues that were left out.

    Example:
        >>> notices_of({"unknown-act": [("d1", Remark("unknown-act", 3, "Hotel-Sing"))]}, [])[0].where
        ('d1 turn 3: Hotel-Sing',)
    """
    found = []
    if refused:
        where = tuple(str(error) for error in refused[:SHOWN])
        message = f"{len(refused)} dialogues that cannot be scored"
        found.append(Notice("refused", len(refused), message, where))
    for code in sorted(remarks):
        places = sorted({_place(dialogue, remark) for dialogue, remark in remarks[code]})
        count = len(remarks[code])
        found.append(Notice(code, count, f"{count} {_MESSAGES[code]}", tuple(places[:SHOWN])))
    return found


def _place(dialogue: str, remark: Remark) -> str:
    turn = "" if remark.turn is None else f" turn {remark.turn}"
    return f"{dialogue}{turn}: {remark.what}" if remark.what else f"{dialogue}{turn}"
