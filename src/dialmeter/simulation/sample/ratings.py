"""Invented ratings: simulated raters follow a rule with random noise. They are input for commands on ratings."""

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
"""The source of a reply → its mean rating by the invented raters, from 1 to 5."""
_RATED_REPLIES = 60
_RATED_DIALOGUES = 60


def _draw_rating(mean: float, seed: str) -> int:
    return min(5, max(1, round(Random(seed).gauss(mean, 0.8))))


def rated_replies(talks: Sequence[Conversation]) -> list[dict[str, Any]]:
    """Return three rated replies per context: the real one, the one of another dialogue, and a dull one."""
    chosen = [talk for talk in talks if len(talk.moves) >= 4][:_RATED_REPLIES]
    rows = []
    for index, talk in enumerate(chosen):
        other = chosen[(index + 1) % len(chosen)]
        replies = {"rule": talk.moves[3].text, "elsewhere": other.moves[3].text, "dull": _DULL}
        for system, reply in replies.items():
            name = f"{talk.id}/{system}"
            ratings = [_draw_rating(_QUALITY[system], f"{name} {rater}") for rater in RATERS]
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
    """Return ratings of the states of a tracker as CSV; the more they agree with gold, the higher the ratings.

    Example:
        >>> rated_dialogues([Dialogue("d1", (Turn(0, gold={}, pred={}),))]).decode().splitlines()[:2]
        ['dialogue,rater,rating', 'd1,ann,5']
    """
    lines = ["dialogue,rater,rating"]
    for each in list(dialogues)[:_RATED_DIALOGUES]:
        mean = 1 + 4 * fmean(map(_share_right, each.turns))
        lines += [f"{each.id},{rater},{_draw_rating(mean, f'{each.id} {rater}')}" for rater in RATERS]
    return "".join(f"{line}\n" for line in lines).encode()


def _share_right(turn: Turn) -> float:
    pairs = {*(turn.gold or {}).items()}, {*(turn.pred or {}).items()}
    union = pairs[0] | pairs[1]
    return len(pairs[0] & pairs[1]) / len(union) if union else 1.0


def rated_turns(talks: Iterable[Conversation]) -> bytes:
    """Return satisfaction ratings in the format ``satisfaction``; they are low if the system misunderstood the user."""
    blocks = []
    for talk in talks:
        rows = []
        for index, move in enumerate(talk.moves):
            acts = ",".join(dict.fromkeys(act.name for act in move.acts or ()))
            ratings = ""
            if move.speaker == USER:
                before = talk.moves[index - 2] if index >= 2 else None
                understood = talk.moves[index - 1].understood if index >= 2 else None
                mean = 3.6 if before is None or before.acts == understood else 2.2
                ratings = ",".join(str(_draw_rating(mean, f"{talk.id} {index} {rater}")) for rater in RATERS)
            speaker = "SYSTEM" if move.speaker == SYSTEM else "USER"
            rows.append(f"{speaker}\t{move.text}\t{acts}\t{ratings}")
        mean = 4.0 if outcome(talk, town()).complete else 2.0
        overall = ",".join(str(_draw_rating(mean, f"{talk.id} {rater}")) for rater in RATERS)
        blocks.append("\n".join([*rows, f"USER\tOVERALL\t\t{overall}"]))
    return ("\n\n".join(blocks) + "\n").encode()
