"""What became of each item of a goal in a dialogue.

A value that the user never says is the user's miss only if the agent asked for it, or if the user ended the dialogue with
its call undone. Otherwise nobody needed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ...model import SYSTEM, USER, Step, Trajectory
from .conditions import SENTENCE
from .goal_items import GoalItem, form_of, items_of

Verdict: TypeAlias = Literal["conveyed", "confirmed", "missed", "implied", "not_asked", "not_needed", "forbidden"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The first three count in ItemRecall; the others are counted beside it."""

REQUEST = re.compile(r"\?|please|could you|can you|may i have|i need|i will need|i'll need|let me know|provide")
_ASSENT = re.compile(
    r"\b(?:yes|yeah|yep|sure|correct|right|confirm|confirmed|okay|ok|perfect|great|sounds good|go ahead|proceed|works|that one|"
    r"option|go with|i'll take|please do|do it)\b"
)
_REFUSAL = re.compile(r"\b(?:no|not|don't|instead|rather|wrong|incorrect)\b")
_WORDS: Mapping[str, str] = {
    "total_baggages": r"bags?|baggages?|luggage|suitcases?",
    "user_id": r"user id|user-id|userid|account id",
    "first_name": r"first name|full name|names? of|passengers?'? names?",
    "last_name": r"last name|full name|names? of|passengers?'? names?",
    "flight_type": r"one[- ]way|round[- ]trip|trip type|type of trip",
    "cabin": r"cabin|class",
    "dob": r"date of birth|birth",
    "payment_id": r"payment|card|certificate",
}


class ItemOutcome(Struct, frozen=True, omit_defaults=True):
    """An item, what became of it, and the place of the message that decides; None where none does."""

    item: GoalItem
    verdict: Verdict
    at: int | None = None


def outcomes_of(
    found: Trajectory, places: Mapping[str, str] | None = None, items: Sequence[GoalItem] | None = None
) -> list[ItemOutcome]:
    """What became of each item of a dialogue's goal; nothing where it has no goal in words.

    Args:
        found: the dialogue.
        places: codes of airports with their cities.
        items: of the goal, from a sheet; found by the rule where they are not given.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goal = TaskGoal("You are mia_li_3668.", (ExpectedAction("book", {"user_id": "mia_li_3668"}),))
        >>> steps = (Step(1, "user", "A flight!"), Step(2, "system", "Please give your user id."), Step(3, "user", "No. ###STOP###"))
        >>> [each.verdict for each in outcomes_of(Trajectory(id="1:0", task="1", steps=steps, goal=goal))]
        ['missed']
    """
    if items is None:
        items = items_of(found.goal, places) if found.goal is not None else []
    return [_outcome(item, items, found, places or {}) for item in items]


def _outcome(item: GoalItem, items: Sequence[GoalItem], found: Trajectory, places: Mapping[str, str]) -> ItemOutcome:
    said = [step for step in found.steps if step.speaker == USER]
    form = form_of(item.kind, item.value, places, alone=True, also=item.forms)
    alone = _first(said, form)
    if item.condition == "secret":
        told = _first((step for step in found.steps if step.speaker == SYSTEM), form)
        if alone is None or told is None or alone < told:
            return ItemOutcome(item, "forbidden", alone)
    if alone is not None:
        return ItemOutcome(item, "conveyed", alone)
    inside = _first(said, form_of(item.kind, item.value, places))
    if inside is not None:
        return ItemOutcome(item, "implied", inside)
    agreed = _agreed(found.steps, form)
    if agreed is not None:
        return ItemOutcome(item, "confirmed", agreed)
    if item.condition == "fallback":
        return ItemOutcome(item, "not_needed")
    if _part_of_id(item, items):
        # The name of a user comes with the id.
        return ItemOutcome(item, "not_asked")
    asked = asked_at(item, found.steps)
    if asked is not None:
        return ItemOutcome(item, "missed", asked)
    if item.condition == "asked":
        return ItemOutcome(item, "not_asked")
    if _looked_up(item, found.steps):
        return ItemOutcome(item, "not_needed" if item.kind in ("airport", "date") else "not_asked")
    if found.ending in ("user_stop", "out_of_scope") and not done(item, found.steps):
        return ItemOutcome(item, "missed")
    return ItemOutcome(item, "not_asked")


def _first(steps: Iterable[Step], form: re.Pattern[str]) -> int | None:
    return next((step.at for step in steps if form.search(step.text.lower())), None)


def _agreed(steps: Sequence[Step], form: re.Pattern[str]) -> int | None:
    """Return the user's message that agrees to what the agent said last, where that names the value."""
    heard = ""
    for step in steps:
        if step.speaker == SYSTEM:
            heard = step.text.lower() or heard
        elif form.search(heard):
            reply = step.text.lower()
            if _ASSENT.search(reply) and not _REFUSAL.search(reply):
                return step.at
    return None


def _part_of_id(item: GoalItem, items: Sequence[GoalItem]) -> bool:
    value = item.value.lower()
    return item.kind == "text" and any(
        value in re.split(r"[_\W]", other.value.lower()) for other in items if other.kind == "id"
    )


def asked_at(item: GoalItem, steps: Sequence[Step], *, request: bool = True) -> int | None:
    """Return the agent's message that asks for the value, if the user answers it; None where there is none.

    Args:
        item: whose value it is.
        steps: of the dialogue.
        request: must it be a question? Without it, speaking of the argument is enough.
    """
    names = {key.rpartition(".")[2] for key in item.keys}
    spelled = {name: r"\s+".join(map(re.escape, filter(None, name.split("_")))) for name in sorted(names)}
    words = re.compile("|".join(pattern for name in spelled if (pattern := _WORDS.get(name, spelled[name]))) or r"(?!)")
    for step, reply in pairwise(steps):
        if step.speaker == SYSTEM and reply.speaker == USER:
            for part in SENTENCE.split(step.text.lower()):
                if words.search(part) and (not request or REQUEST.search(part)):
                    return step.at
    return None


def _looked_up(item: GoalItem, steps: Sequence[Step]) -> bool:
    """Does a tool give the value, or does the agent use it in a call?"""
    value = item.value.lower()
    return any(
        value in (call.result or "").lower() or value in (str(each).lower() for each in call.arguments.values())
        for step in steps
        for call in step.calls
    )


def done(item: GoalItem, steps: Sequence[Step]) -> bool:
    """Was one of the calls made that the item is a value of?"""
    wanted = {key.partition(".")[0] for key in item.keys}
    return any(call.name in wanted and not call.failed for step in steps for call in step.calls)


def item_recall(outcomes: Iterable[ItemOutcome]) -> float | None:
    """Return the share of items that the user conveyed or confirmed, of those and the missed ones; None where there is none.

    Example:
        >>> item = GoalItem("text", "economy", ("book.cabin",))
        >>> item_recall([ItemOutcome(item, "conveyed"), ItemOutcome(item, "missed"), ItemOutcome(item, "not_asked")])
        0.5
    """
    verdicts = [each.verdict for each in outcomes]
    met = verdicts.count("conveyed") + verdicts.count("confirmed")
    whole = met + verdicts.count("missed")
    return met / whole if whole else None
