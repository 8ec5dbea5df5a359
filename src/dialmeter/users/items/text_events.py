"""Events of users without acts: violations of their instruction, with the message and the words. See ``users/behaviours.py``.

A value without a source is wrong if the instruction has exactly one other value of its kind, else it is invented. Words are not
checked if the user speaks another language than the instruction.

The values that are checked are ids, addresses, dates, places, amounts of money, and words that tools take. They can be recognised
without understanding the sentence. Other claims of a user are not checked. The reward is not used, so events can be compared with
success.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from ...core.calls import is_reading_name, leaves
from ...model import SYSTEM, USER, ExpectedAction, Step, ToolCall, Trajectory
from ...readers.layouts.agents import plain_text
from ..events import Event
from ..text.phrases import MONTHS
from .goal_items import (
    REQUEST,
    SENTENCE,
    ItemOutcome,
    asked_at,
    form_of,
    is_call_made,
    kind_of_value,
    places_in,
    same_language,
    secret_spans,
)

_MONTH = "|".join(MONTHS)
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,20}){1,4}")),
    ("user id", re.compile(r"(?<![\w@])[a-z]{2,30}_[a-z]{2,30}_\d{3,6}(?![\w@])")),
    ("payment id", re.compile(r"(?<!\w)(?:credit_card|gift_card|certificate|paypal)_\d{3,9}(?!\w)")),
    ("order id", re.compile(r"#w\d{5,9}(?!\w)")),
    ("reservation id", re.compile(r"(?<![\w@#])(?=[a-z]{0,5}\d)(?=\d{0,5}[a-z])(?![a-z]{3}\d{3})[a-z0-9]{6}(?![\w@])")),
    ("date", re.compile(rf"(?<!\w)(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\w|:)")),
    ("date", re.compile(rf"(?<!\w)\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?!\w)")),
    ("date", re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")),
    (
        "day",
        re.compile(
            r"\bthe\s+\d{1,2}(?:st|nd|rd|th)(?!\s+\w*(?:option|flight|one|passenger|leg|item|choice|time|order|bag))\b"
        ),
    ),
    ("amount", re.compile(r"\$\s?\d[\d,]{0,12}(?:\.\d\d)?")),
    ("number", re.compile(r"(?<![\w$#.:/-])\d{5,12}(?!\w|[.,:/-]\d)")),
)
_NUMBER = re.compile(r"\d+")
_SHORT = {"san francisco": ("sf",), "new york": ("ny", "nyc"), "los angeles": ("la",), "washington": ("dc",)}
"""Short names of cities."""
_MIN_VALUES, _MAX_VALUES = 2, 30
"""Smallest and largest number of values in a log of a slot that counts as a list of words, such as cabins."""


class SaidValue(NamedTuple):
    """A value in a text: its kind, its words, and a key that is equal for forms of the same value."""

    kind: str
    words: str
    key: str


def said_values(text: str, places: Mapping[str, str]) -> Iterator[SaidValue]:
    """Yield the values of a text; ``places`` maps airport codes to cities.

    Example:
        >>> [tuple(each) for each in said_values("I am mia_li_3668 and fly to Seattle on May 20th.", {"SEA": "Seattle"})]
        [('user id', 'mia_li_3668', 'mia_li_3668'), ('date', 'may 20th', '5-20'), ('place', 'seattle', 'SEA')]
    """
    lower = text.lower()
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(lower):
            if key := _key(kind, match[0]):
                yield SaidValue(kind, match[0], key)
    for code, city in places.items():
        for form in (code.lower(), city.lower(), *_SHORT.get(city.lower(), ())):
            # Codes such as MSP must be in capitals. A city may have any letter case.
            target, haystack = (code, text) if form == code.lower() else (form, lower)
            if re.search(rf"(?<!\w){re.escape(target)}(?!\w)", haystack):
                yield SaidValue("place", form, code)
                break


def _key(kind: str, words: str) -> str:
    """Return the key of a value, or an empty string if the words are not a valid value."""
    if kind in ("date", "day"):
        numbers = [int(number) for number in _NUMBER.findall(words)]
        if kind == "day":
            return f"day {numbers[0]}" if 1 <= numbers[0] <= 31 else ""
        if len(numbers) == 3:
            return f"{numbers[1]}-{numbers[2]}"
        month = next(number for number, name in enumerate(MONTHS, 1) if name in words)
        return f"{month}-{numbers[0]}" if 1 <= numbers[0] <= 31 else ""
    if kind in ("amount", "number"):
        return words.strip("$ ").replace(",", "").removesuffix(".00")
    return words


def same_key(one: SaidValue, other: SaidValue) -> bool:
    """Return True if two values agree. A day agrees with every date with this day, an amount with every equal number.

    Example:
        >>> same_key(SaidValue("day", "the 5th", "day 5"), SaidValue("date", "may 5", "5-5"))
        True
    """
    if "day" in (one.kind, other.kind) and one.kind != other.kind:
        day, date = (one, other) if one.kind == "day" else (other, one)
        return date.kind == "date" and date.key.partition("-")[2] == day.key.partition(" ")[2]
    return one.key == other.key


def next_day(one: SaidValue, other: SaidValue) -> bool:
    """Return True if two values are dates of one month that are one day apart.

    Example:
        >>> next_day(SaidValue("date", "may 24", "5-24"), SaidValue("date", "may 23", "5-23"))
        True
    """
    if one.kind != "date" or other.kind != "date":
        return False
    (month, day), (other_month, other_day) = (map(int, each.key.split("-")) for each in (one, other))
    return month == other_month and abs(day - other_day) == 1


FAULTS = ("missed", "wrong", "leak", "early_stop", "invented", "stuck", "volunteered")
"""All classes of events of goals in words."""

_IDS: Mapping[str, str] = {
    "user id": r"user[ -]?ids?|account ids?",
    "reservation id": r"reservation (?:ids?|numbers?|codes?)|confirmation (?:numbers?|codes?)|booking (?:ids?|numbers?|codes?)",
    "order id": r"order (?:ids?|numbers?)",
    "email": r"e-?mail(?: address)?",
}
_LACK = re.compile(
    r"\b(?:don['’]t|do not|can['’]t|cannot|didn['’]t)\s+(?:\w+\s+){0,2}?(?:have|remember|recall|know|find)\s+(?P<what>[^.!?,;]{0,60})"
)
_STATED_LACK = re.compile(
    r"\b(?:(?:don't|do not|cannot|can't|not)\s+(?:\w+\s+)?(?:remember|know|have|recall)|forgot|memory)"
)
_NEAR = re.compile(r"(?:\w+\s+){0,2}(?:user|account|reservation|confirmation|booking|order|e-?mail)\b")
_CODE = re.compile(r"\b(?:[Rr]eservation|[Cc]onfirmation)(?: (?:id|ID|number|code))?:? ([A-Z0-9]{6})\b")
_CLOSING = re.compile(r"\b(?:else|further|other|anything|more|feel free|reach out|let me know if|in the future)\b")
"""Words in questions that only offer more help."""
_GOODBYE = re.compile(
    r"\b(?:bye|goodbye|see you|that is all|that's all|that was everything|trajectory (?:soon|later)|get back|another time)\b"
)
_NEARBY = re.compile(r"\b(?:next|following|previous|one|a|same) day\b|\bday (?:after|later|before|earlier)\b")
"""Words that allow a user to compute a date from another date."""
_PUNCTUATION = re.compile(r"[^\w\s]")
_SINGLE = frozenset({"user id", "reservation id", "order id", "email", "date", "amount", "number"})
"""Kinds for which another value is wrong, not invented, if the instruction has exactly one value."""
_WORDED = frozenset({"date", "day", "place"})
"""Kinds of values that are words of a language."""
_LONG_MESSAGE, _SHORT_MESSAGE = 8, 4
"""Minimum number of words of a message that is stuck after one repetition, and after two."""
_MIN_OVERLAP = 0.9
_MIN_WORD_LENGTH = 4


class LogWords(Struct, frozen=True):
    """Words of a whole log: places by airport code, and paths in calls whose values are words of a short list, such as cabins."""

    places: Mapping[str, str]
    slots: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, trajectories: Sequence[Trajectory]) -> LogWords:
        """Collect the words from all dialogues of a log.

        Example:
            >>> from dialmeter.model import ExpectedAction, TaskGoal
            >>> goals = [TaskGoal(actions=(ExpectedAction("book", {"cabin": cabin}),)) for cabin in ("economy", "business")]
            >>> sorted(LogWords.of([Trajectory(id="", task="", goal=goal) for goal in goals]).slots["book.cabin"])
            ['business', 'economy']
        """
        places = places_in(trajectories)
        words: dict[str, set[str]] = {}
        for trajectory in trajectories:
            calls: list[ExpectedAction | ToolCall] = [call for step in trajectory.steps for call in step.calls]
            for call in (*(trajectory.goal.actions if trajectory.goal else ()), *calls):
                for path, value in leaves(call.name, call.arguments):
                    if isinstance(value, str) and kind_of_value(path, value, places) == "text" and len(value) < 30:
                        words.setdefault(path, set()).add(value.lower().replace("_", " "))
        lists = {path: frozenset(each) for path, each in words.items() if _MIN_VALUES <= len(each) <= _MAX_VALUES}
        return cls(places, lists)


def text_events(trajectory: Trajectory, outcomes: Sequence[ItemOutcome], log: LogWords) -> list[Event]:
    """Return the events of a dialogue, in the order of its messages. The list is empty if there is no instruction.

    Example:
        >>> from dialmeter.model import TaskGoal
        >>> steps = (Step(1, "user", "I am mia_li_3668."), Step(2, "system", "Your reservation id?"), Step(3, "user", "It is ZX81AB."))
        >>> trajectory = Trajectory(id="1:0", task="1", steps=steps, goal=TaskGoal("You are mia_li_3668."))
        >>> [(each.name, each.turns, each.said) for each in text_events(trajectory, [], LogWords({}, {}))]
        [('invented', (3,), 'zx81ab')]
    """
    if trajectory.goal is None or not trajectory.goal.instruction:
        return []
    instruction = trajectory.goal.instruction
    can_check = same_language(trajectory)
    events = [
        *_unsupported_values(trajectory.steps, instruction, log, can_check),
        *(_wrong_slot_words(trajectory.steps, instruction, outcomes, log) if can_check else ()),
        *(_missing_ids(trajectory.steps, instruction, log) if can_check else ()),
        *_leaks(trajectory.steps, instruction, outcomes, log),
        *_early_stop(trajectory, outcomes),
        *_stuck(trajectory.steps),
        *_volunteered(trajectory.steps, outcomes),
        *(
            Event("missed", "text", "", each.item.value, () if each.at is None else (each.at,))
            for each in outcomes
            if each.verdict == "missed"
        ),
    ]
    return sorted(dict.fromkeys(events), key=lambda each: (each.turns, each.name, each.said))


def _event(name: str, at: int, said: str, about: str = "") -> Event:
    return Event(name, "text", "", about, (at,), said=said)


def _unsupported_values(steps: Sequence[Step], instruction: str, log: LogWords, can_check: bool) -> Iterator[Event]:
    """Yield values without a source, each at its first mention. Words are skipped if they may be translations."""
    given = list(said_values(instruction, log.places))
    known, heard = list(given), instruction.lower()
    nearby = _NEARBY.search(heard)
    for step in steps:
        # Markdown escapes underscores with a backslash.
        text = step.text.replace("\\_", "_")
        values = list(said_values(text, log.places)) if text else []
        new: dict[tuple[str, str], list[str]] = {}
        for value in values if step.speaker == USER else ():
            # The number of an order may be said without its prefix.
            plain = value.key.removeprefix("#w")
            if (
                (can_check or value.kind not in _WORDED)
                and not any(same_key(value, other) for other in known)
                and plain not in heard
                and not (nearby and any(next_day(value, other) for other in known))
            ):
                alternatives = {
                    other.key: other.words
                    for other in given
                    if other.kind == value.kind and (value.kind != "number" or len(other.key) == len(value.key))
                }
                is_wrong = value.kind in _SINGLE and len(alternatives) == 1
                about = next(iter(alternatives.values())) if is_wrong else value.kind
                new.setdefault(("wrong" if is_wrong else "invented", about), []).append(value.words)
        yield from (_event(kind, step.at, ", ".join(words), about) for (kind, about), words in new.items())
        known += values
        heard += text.lower()


def _wrong_slot_words(
    steps: Sequence[Step], instruction: str, outcomes: Sequence[ItemOutcome], log: LogWords
) -> Iterator[Event]:
    """Yield words of a list, such as cabins, if the goal has another word of the same list."""
    goal = {key: each.item.value.lower().replace("_", " ") for each in outcomes for key in each.item.keys}
    lower = instruction.lower().replace("_", " ").replace("-", " ")
    for slot, wanted in goal.items():
        named = lower
        listed = sorted(log.slots.get(slot, ()), key=lambda word: (-len(word), word))
        others = [word for word in listed if len(word) >= _MIN_WORD_LENGTH and word != wanted]
        for step in steps:
            text = step.text.lower().replace("_", " ").replace("-", " ")
            if step.speaker == USER:
                for word in others:
                    if word not in named and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                        yield _event("wrong", step.at, word, wanted)
                        named += f" {word}"
            named += f" {text}"


def _missing_ids(steps: Sequence[Step], instruction: str, log: LogWords) -> Iterator[Event]:
    """Yield ids that the user claims not to have, each at its first mention."""
    lower = instruction.lower()
    given = {value.kind: value.words for value in said_values(instruction, log.places)}
    if code := _CODE.search(instruction):
        given["reservation id"] = code[1].lower()
    stated = [part for part in SENTENCE.split(lower) if _STATED_LACK.search(part)]
    remaining = dict(_IDS)
    for step in steps:
        for hit in _LACK.finditer(step.text.lower()) if step.speaker == USER else ():
            for kind in [
                kind for kind, words in remaining.items() if _NEAR.match(hit["what"]) and re.search(words, hit["what"])
            ]:
                noun = kind.partition(" ")[0]
                del remaining[kind]
                if any(noun in part or "memory" in part for part in stated):
                    continue
                if kind not in given:
                    yield _event("invented", step.at, hit[0].strip(), f"no {kind}")
                elif given[kind] not in step.text.lower():
                    yield _event("wrong", step.at, hit[0].strip(), given[kind])


def _leaks(steps: Sequence[Step], instruction: str, outcomes: Sequence[ItemOutcome], log: LogWords) -> Iterator[Event]:
    """Yield forbidden goal values and forbidden words of tools that the user says before the agent says them."""
    for each in outcomes:
        if each.verdict == "forbidden" and each.at is not None:
            yield _event("leak", each.at, each.item.value)
    lower = instruction.lower()
    secret = " ".join(lower[begin:end] for begin, end in secret_spans(lower))
    words = {word for values in log.slots.values() for word in values if len(word) >= _MIN_WORD_LENGTH}
    forbidden = [word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", secret)]
    for word in forbidden:
        if any(word != other and word in other for other in forbidden) or any(
            form_of(each.item.kind, each.item.value, log.places).fullmatch(word) for each in outcomes
        ):
            continue
        for step in steps:
            if word in step.text.lower():
                if step.speaker == USER:
                    yield _event("leak", step.at, word)
                break


def _early_stop(trajectory: Trajectory, outcomes: Sequence[ItemOutcome]) -> Iterator[Event]:
    """Yield an event if the user ends the dialogue too early.

    In the first case, a goal value is missed, its call was never made, and the agent asked for the goal value or its call changes data. In
    the second case, nothing was changed at all, and the user leaves instead of answering a question.
    """
    if trajectory.ending != "user_stop":
        return
    own = [step for step in trajectory.steps if step.speaker == USER]
    missed = [
        each.item.value
        for each in outcomes
        if each.verdict == "missed"
        and not is_call_made(each.item, trajectory.steps)
        and (each.at is not None or not all(is_reading_name(key.partition(".")[0]) for key in each.item.keys))
    ]
    if missed or _leaves_question_open(trajectory):
        words = next((text for step in reversed(own) if (text := plain_text(step.text))), "")
        yield _event("early_stop", own[-1].at, words, missed[0] if missed else "a question")


def _leaves_question_open(trajectory: Trajectory) -> bool:
    """Return True if the user leaves a question open, although a call that changes data is expected and none was made."""
    expected = [action.name for action in trajectory.goal.actions] if trajectory.goal is not None else []
    made = [call.name for step in trajectory.steps for call in step.calls if not call.failed]
    if all(map(is_reading_name, expected)) or not all(map(is_reading_name, made)):
        return False
    agent_text = next(
        (step.text.lower() for step in reversed(trajectory.steps) if step.speaker == SYSTEM and step.text), ""
    )
    last = plain_text(trajectory.steps[-1].text).lower()
    requests = [part for part in SENTENCE.split(agent_text) if REQUEST.search(part)]
    is_question = bool(requests) and not _CLOSING.search(requests[-1])
    return is_question and bool(_GOODBYE.search(last)) and not agent_text.startswith("you're welcome")


def _stuck(steps: Iterable[Step]) -> Iterator[Event]:
    """Yield user messages that only repeat an earlier one. A short message may be repeated once, as the answer to a question."""
    earlier: list[frozenset[str]] = []
    for step in steps:
        if step.speaker == USER:
            words = frozenset(_PUNCTUATION.sub("", plain_text(step.text).lower()).split())
            repetitions = sum(len(words & one) >= _MIN_OVERLAP * len(words | one) for one in earlier) if words else 0
            if (repetitions and len(words) >= _LONG_MESSAGE) or (repetitions > 1 and len(words) >= _SHORT_MESSAGE):
                yield _event("stuck", step.at, plain_text(step.text))
            earlier.append(words)


def _volunteered(steps: Sequence[Step], outcomes: Sequence[ItemOutcome]) -> Iterator[Event]:
    """Yield goal values with the condition "asked" in a message that answers no question, or only a question about other goal values."""
    for each in outcomes:
        if each.item.condition == "asked" and each.verdict == "conveyed" and each.at is not None:
            before = [step for step in steps if step.at < each.at]
            reply = next(step for step in steps if step.at == each.at)
            form = form_of(each.item.kind, each.item.value, also=each.item.forms)
            heard = any(step.speaker == SYSTEM and form.search(step.text.lower()) for step in before)
            if heard or asked_at(each.item, [*before, reply], request=False) is not None:
                continue
            # A question without the words of any argument may be about this item.
            is_question = bool(before) and bool(REQUEST.search(before[-1].text.lower()))
            others = [other.item for other in outcomes if other.item is not each.item]
            if not is_question or any(asked_at(item, [*before[-1:], reply]) is not None for item in others):
                yield _event("volunteered", each.at, each.item.value)
