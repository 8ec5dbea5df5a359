"""The verdict on each value of a goal in a dialogue.

A value that the user never says is missed only if the agent asked for it, or if the user ended the dialogue before its call
was made. Otherwise it was not needed. A value in words is not checked if the user speaks another language than the instruction.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ...model import SYSTEM, USER, Step, Trajectory
from .goal_items import SENTENCE, GoalItem, argument, form_of, items_of

Verdict: TypeAlias = Literal[
    "conveyed", "confirmed", "missed", "implied", "not_asked", "not_needed", "forbidden", "unchecked"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The first three count in GoalRecall. The others are reported separately."""

REQUEST = re.compile(r"\?|please|could you|can you|may i have|i need|i will need|i'll need|let me know|provide")
_ASSENT = re.compile(
    r"\b(?:yes|yeah|yep|sure|correct|right|confirm|confirmed|okay|ok|perfect|great|sounds good|go ahead|proceed|works|that one|"
    r"option|go with|i'll take|please do|do it)\b"
)
_SHORT_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,4}(?![^\W_])")
_MIN_SHORT_WORDS = 5
_MIN_SHARED = 0.15
"""In English logs at least 20 % of the short words of a user are in its instruction; of an instruction in another language, at
most 14 %."""
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
    """A goal value, its verdict, and the index of the message that decides it; None if no message does."""

    item: GoalItem
    verdict: Verdict
    at: int | None = None


def outcomes_of(
    trajectory: Trajectory, places: Mapping[str, str] | None = None, items: Sequence[GoalItem] | None = None
) -> list[ItemOutcome]:
    """Return the verdicts on the values of a dialogue's goal, from a sheet or those that the rule finds.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goal = TaskGoal("You are mia_li_3668.", (ExpectedAction("book", {"user_id": "mia_li_3668"}),))
        >>> steps = (Step(1, "user", "A flight!"), Step(2, "system", "Please give your user id."), Step(3, "user", "No. ###STOP###"))
        >>> [each.verdict for each in outcomes_of(Trajectory(id="1:0", task="1", steps=steps, goal=goal))]
        ['missed']
    """
    if items is None:
        items = items_of(trajectory.goal, places) if trajectory.goal is not None else []
    can_check = same_language(trajectory)
    return [_outcome(item, items, trajectory, places or {}, can_check) for item in items]


def same_language(trajectory: Trajectory) -> bool:
    """Return False if the user speaks another language, or writes in another script, than its instruction.

    Short words are compared, because most of them are words such as "the", which every text of a language has. Too few short
    words say nothing.

    Example:
        >>> from dialmeter.model import TaskGoal
        >>> said = (Step(1, "user", "Hi, I want to fly to the city with my son and we need to be there by the end of the day."),)
        >>> goals = "Quieres volar a la ciudad con tu hijo.", "You want to fly to the city with your son.", "你想和儿子一起飞往城市。"
        >>> [same_language(Trajectory(id="1:0", task="1", steps=said, goal=TaskGoal(goal))) for goal in goals]
        [False, True, False]
    """
    instruction = trajectory.goal.instruction if trajectory.goal is not None else ""
    said = " ".join(step.text for step in trajectory.steps if step.speaker == USER)
    if not instruction or not said:
        return True
    if _script(instruction) != _script(said):
        return False
    words, known = _SHORT_WORD.findall(said.lower()), set(_SHORT_WORD.findall(instruction.lower()))
    return len(words) < _MIN_SHORT_WORDS or sum(word in known for word in words) >= _MIN_SHARED * len(words)


def _script(text: str) -> str:
    """Return the script of most letters, such as LATIN; empty if there are no letters."""
    letters = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    return max(letters, key=lambda script: letters[script], default="")


def _outcome(
    item: GoalItem, items: Sequence[GoalItem], trajectory: Trajectory, places: Mapping[str, str], can_check: bool
) -> ItemOutcome:
    said = [step for step in trajectory.steps if step.speaker == USER]
    form = form_of(item.kind, item.value, places, alone=True, also=item.forms)
    conveyed = _first(said, form)
    if item.condition == "secret":
        told = _first((step for step in trajectory.steps if step.speaker == SYSTEM), form)
        if conveyed is None or told is None or conveyed < told:
            return ItemOutcome(item, "forbidden", conveyed)
    if conveyed is not None:
        return ItemOutcome(item, "conveyed", conveyed)
    implied = _first(said, form_of(item.kind, item.value, places))
    if implied is not None:
        return ItemOutcome(item, "implied", implied)
    confirmed = _confirmed_at(trajectory.steps, form)
    if confirmed is not None:
        return ItemOutcome(item, "confirmed", confirmed)
    if item.condition == "fallback":
        return ItemOutcome(item, "not_needed")
    if _is_part_of_id(item, items):
        # The id contains the name of the user.
        return ItemOutcome(item, "not_asked")
    if not can_check and item.kind not in ("id", "number"):
        return ItemOutcome(item, "unchecked")
    asked = asked_at(item, trajectory.steps, items)
    if asked is not None:
        return ItemOutcome(item, "missed", asked)
    if item.condition == "asked":
        return ItemOutcome(item, "not_asked")
    if _is_looked_up(item, trajectory.steps):
        return ItemOutcome(item, "not_needed" if item.kind in ("airport", "date") else "not_asked")
    if trajectory.ending in ("user_stop", "out_of_scope") and not is_call_made(item, trajectory.steps):
        return ItemOutcome(item, "missed")
    return ItemOutcome(item, "not_asked")


def _first(steps: Iterable[Step], form: re.Pattern[str]) -> int | None:
    return next((step.at for step in steps if form.search(step.text.lower())), None)


def _confirmed_at(steps: Sequence[Step], form: re.Pattern[str]) -> int | None:
    """Return the index of the user message that agrees to the agent's last message, if that message has the value."""
    agent_text = ""
    for step in steps:
        if step.speaker == SYSTEM:
            agent_text = step.text.lower() or agent_text
        elif form.search(agent_text):
            reply = step.text.lower()
            if _ASSENT.search(reply) and not _REFUSAL.search(reply):
                return step.at
    return None


def _is_part_of_id(item: GoalItem, items: Sequence[GoalItem]) -> bool:
    value = item.value.lower()
    return item.kind == "text" and any(
        value in re.split(r"[_\W]", other.value.lower()) for other in items if other.kind == "id"
    )


def asked_at(
    item: GoalItem, steps: Sequence[Step], items: Sequence[GoalItem] = (), *, request: bool = True
) -> int | None:
    """Return the index of the agent message that asks for the value and that the user answers, or None.

    Args:
        item: the goal value with the value.
        steps: the messages of the dialogue.
        items: all values of the goal. If several have an argument of the same name, a question is only about one of them.
        request: True to accept only requests, False to accept any message that mentions the argument.
    """
    names = set(map(argument, item.keys))
    sharing = [each for each in items if not names.isdisjoint(map(argument, each.keys))]
    spelled = {name: r"\s+".join(map(re.escape, filter(None, name.split("_")))) for name in sorted(names)}
    words = re.compile("|".join(pattern for name in spelled if (pattern := _WORDS.get(name, spelled[name]))) or r"(?!)")
    for step, reply in pairwise(steps):
        if step.speaker == SYSTEM and reply.speaker == USER:
            for part in SENTENCE.split(step.text.lower()):
                if (
                    words.search(part)
                    and (not request or REQUEST.search(part))
                    and (len(sharing) < 2 or _is_meant(item, sharing, part, reply, steps))
                ):
                    return step.at
    return None


def _is_meant(item: GoalItem, sharing: Sequence[GoalItem], question: str, reply: Step, steps: Sequence[Step]) -> bool:
    """Return True if a question is about this goal value and not about another one with an argument of the same name.

    The words of paths decide, such as ``ship`` in ``ship_order.street``. If the question has none of them, it is about the goal value
    in the reply, otherwise about the first goal value that the user has not said before.
    """
    paths = [{word for key in each.keys for word in re.split(r"[._]", key)} for each in sharing]
    own = [path - set().union(*paths[:place], *paths[place + 1 :]) for place, path in enumerate(paths)]
    asked = set(re.findall(r"\w+", question))
    named = [each for each, words in zip(sharing, own, strict=True) if words & asked]
    if not named:
        said = [step for step in steps if step.speaker == USER and step.at <= reply.at]
        first = [_first(said, form_of(each.kind, each.value, also=each.forms)) for each in sharing]
        answered = [each for each, at in zip(sharing, first, strict=True) if at == reply.at]
        named = answered or [each for each, at in zip(sharing, first, strict=True) if at is None][:1]
    return any(each is item for each in named)


def _is_looked_up(item: GoalItem, steps: Sequence[Step]) -> bool:
    """Return True if a tool returns the value, or the agent uses it in a call."""
    value = item.value.lower()
    return any(
        value in (call.result or "").lower() or value in (str(each).lower() for each in call.arguments.values())
        for step in steps
        for call in step.calls
    )


def is_call_made(item: GoalItem, steps: Sequence[Step]) -> bool:
    """Return True if one of the calls was made that have the goal value as an argument."""
    expected = {key.partition(".")[0] for key in item.keys}
    return any(call.name in expected and not call.failed for step in steps for call in step.calls)


def goal_recall(outcomes: Iterable[ItemOutcome]) -> float | None:
    """Return the share of conveyed and confirmed goal values among conveyed, confirmed and missed goal values, or None if there are none.

    Example:
        >>> item = GoalItem("text", "economy", ("book.cabin",))
        >>> goal_recall([ItemOutcome(item, "conveyed"), ItemOutcome(item, "missed"), ItemOutcome(item, "not_asked")])
        0.5
    """
    verdicts = [each.verdict for each in outcomes]
    met = verdicts.count("conveyed") + verdicts.count("confirmed")
    total = met + verdicts.count("missed")
    return met / total if total else None
