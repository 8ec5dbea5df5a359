"""States that hold only what a turn changes: they are recognised and asked about, and added up if the user says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ...errors import DialmeterError, InputError, one_line
from ..pairs.vocabulary import PairDialogue, PairState, Vocabulary

AS_WRITTEN = "as-written"
_ANSWER = re.compile(r"as-written|(gold|pred):update(?:,(?!\1)(gold|pred):update)?")
_LEAST_LOSSES = 3
"""So many turns must lose a slot. One or two may be corrections by the user, or mistakes of the tracker."""


def sides_of_updates(answer: str) -> list[str]:
    """Return the sides whose states are updates, by an answer such as ``gold:update,pred:update``; none for ``as-written``.

    Raises:
        DialmeterError: an answer of another form.

    Example:
        >>> sides_of_updates("pred:update"), sides_of_updates("as-written")
        (['pred'], [])
    """
    match = _ANSWER.fullmatch(answer)
    if match is None:
        known = f"gold:update, pred:update, both with a comma, or {AS_WRITTEN}"
        raise DialmeterError(f"--columns: states must be {known}, found {one_line(answer)!r}")
    return [side for side in match.groups() if side]


def check_states(dialogues: Sequence[PairDialogue], words: Vocabulary) -> None:
    """Refuse states that look like updates: less than half of the slots stay from a turn to the next one with slots.

    Raises:
        InputError: they do; the message has the answers.
    """
    shares = {side: share for side in ("gold", "pred") if (share := _share_that_stays(dialogues, side, words)) < 0.5}
    if shares:
        both, first = "gold:update,pred:update", f"{next(iter(shares))}:update"
        answers = (both, first, AS_WRITTEN) if len(shares) > 1 else (first, both, AS_WRITTEN)
        raise InputError(
            f"the states of {' and '.join(shares)} look like updates (only {100 * max(shares.values()):.0f}% of the slots stay "
            "from a turn to the next): add them up, or compare them as written? Answer with "
            + " or ".join(f"--columns states={answer}" for answer in answers)
        )


def _share_that_stays(dialogues: Sequence[PairDialogue], side: str, words: Vocabulary) -> float:
    """Return the share of slots that stay; 1 if too few turns lose a slot."""
    held = stayed = losses = 0
    for each in dialogues:
        states: list[PairState | None] = getattr(each, side)
        for before, after in pairwise({words.slots[pair] for pair in state} for state in states if state):
            held += len(before)
            stayed += len(before & after)
            losses += not before <= after
    return stayed / held if losses >= _LEAST_LOSSES else 1.0


def add_up(dialogue: PairDialogue, sides: Sequence[str], words: Vocabulary) -> None:
    """Replace updates by the states that they lead to. A turn without a state stays without one."""
    for side in sides:
        whole: dict[str, int] = {}
        states: list[PairState | None] = getattr(dialogue, side)
        for place, state in enumerate(states):
            whole |= {words.slots[pair]: pair for pair in state or ()}
            states[place] = None if state is None else tuple(whole.values())
