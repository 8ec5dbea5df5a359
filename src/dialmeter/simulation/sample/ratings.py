"""Ratings that nobody gave: invented raters follow a rule with chance, so that commands on ratings have something to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from statistics import fmean
from typing import Any

from ...model import SYSTEM, USER, Conversation, Dialogue, Turn
from ..outcome import outcome
from ..world.database import town

RATERS = ("ann", "ben", "cleo")
_DULL = "I do not know."
_QUALITY = {"rule": 4.2, "elsewhere": 2.0, "dull": 1.6}
"""Who gives a reply → what the invented raters think of it on average, from 1 to 5."""
_RATED_REPLIES = 60
_RATED_DIALOGUES = 60


def _drawn(mean: float, chance: str) -> int:
    return min(5, max(1, round(Random(chance).gauss(mean, 0.8))))


def rated_replies(talks: Sequence[Conversation]) -> list[dict[str, Any]]:
    """Three replies to the same context: the one that was played, the one of another dialogue, and a dull one."""
    chosen = [talk for talk in talks if len(talk.moves) >= 4][:_RATED_REPLIES]
    rows = []
    for place, talk in enumerate(chosen):
        other = chosen[(place + 1) % len(chosen)]
        replies = {"rule": talk.moves[3].text, "elsewhere": other.moves[3].text, "dull": _DULL}
        for system, reply in replies.items():
            name = f"{talk.id}/{system}"
            ratings = [_drawn(_QUALITY[system], f"{name} {rater}") for rater in RATERS]
            rows.append(
                {
                    "id": name,
                    "system": system,
                    "group": talk.id,
                    "context": [move.text for move in talk.moves[:3]],
                    "reply": reply,
                    "ratings": {"overall": ratings},
                }
            )
    return rows


def rated_dialogues(dialogues: Iterable[Dialogue]) -> bytes:
    """Ratings of the states of a tracker, as CSV: the more of gold it holds, the higher.

    Example:
        >>> rated_dialogues([Dialogue("d1", (Turn(0, gold={}, pred={}),))]).decode().splitlines()[:2]
        ['dialogue,rater,rating', 'd1,ann,5']
    """
    lines = ["dialogue,rater,rating"]
    for each in list(dialogues)[:_RATED_DIALOGUES]:
        mean = 1 + 4 * fmean(map(_share_right, each.turns))
        lines += [f"{each.id},{rater},{_drawn(mean, f'{each.id} {rater}')}" for rater in RATERS]
    return "".join(f"{line}\n" for line in lines).encode()


def _share_right(turn: Turn) -> float:
    pairs = {*(turn.gold or {}).items()}, {*(turn.pred or {}).items()}
    union = pairs[0] | pairs[1]
    return len(pairs[0] & pairs[1]) / len(union) if union else 1.0


def rated_turns(talks: Iterable[Conversation]) -> bytes:
    """Ratings of satisfaction, in the format ``satisfaction``: low where a wish was not understood."""
    blocks = []
    for talk in talks:
        rows = []
        for place, move in enumerate(talk.moves):
            acts = ",".join(dict.fromkeys(act.name for act in move.acts or ()))
            ratings = ""
            if move.speaker == USER:
                before = talk.moves[place - 2] if place >= 2 else None
                heard = talk.moves[place - 1].understood if place >= 2 else None
                mean = 3.6 if before is None or before.acts == heard else 2.2
                ratings = ",".join(str(_drawn(mean, f"{talk.id} {place} {rater}")) for rater in RATERS)
            who = "SYSTEM" if move.speaker == SYSTEM else "USER"
            rows.append(f"{who}\t{move.text}\t{acts}\t{ratings}")
        mean = 4.0 if outcome(talk, town()).complete else 2.0
        whole = ",".join(str(_drawn(mean, f"{talk.id} {rater}")) for rater in RATERS)
        blocks.append("\n".join([*rows, f"USER\tOVERALL\t\t{whole}"]))
    return ("\n\n".join(blocks) + "\n").encode()
