"""Values of a goal in words: the values of expected calls that are in the instruction, with their forms and conditions.

The rule takes the values of all expected calls, including values in lists and objects. A value with a form in the instruction is
a goal value, once per task. Booleans, null and very short values are not goal values. The condition is from the instruction, too: say only if
asked, say only if the first choice fails, or do not say. People can edit the goal values on a sheet: one row per value.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from msgspec import Struct

from ...core.calls import leaves
from ...errors import InputError, one_line
from ...model import SYSTEM, USER, Step, TaskGoal, Trajectory
from ...readers.sheets import SheetKind, check_word
from ...readers.strict_json import REFUSALS, decode_json
from ..text.phrases import MONTHS, UP_TO_TEN

Condition: TypeAlias = Literal["", "asked", "fallback", "secret"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
"""Always, only if the agent asks, only if the first choice fails, must not be said. The first is the least strict."""

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKED = re.compile(
    r"\b(?:(?:if|when|unless|until)\s+(?:\w+\s+){0,3}?(?:asks?|asked)\b)(?!\s+(?:\w+\s+){0,4}(?:confirm|pay))"
)
_FALLBACK = re.compile(r"\bif\b|\bunless\b|\botherwise\b|\bonly when\b")
_SECRET = re.compile(
    r"(?<!agent )\b(?:do not|don't|does not|doesn't|never|must not|should not|prefer not to|without|not want to)\s+(?:\w+\s+){0,3}?"
    r"(?:mention|mentioning|reveal|revealing|say|saying|tell|telling|name|naming|disclose|disclosing|give away)\b"
)
_PRONOUN = re.compile(r"\s+(?:it|this|that|them)\b")
_HOLDER = re.compile(r"\s+(?:\w+\s+)?(?:address|home|house|place|order|account)\b")
"""A name before these words only identifies the thing, so the name is not secret."""
_CLAUSE = re.compile(r"[.,;:!?()]|\b(?:but|because|and|if|unless|until)\b")
_PRONOUN_RANGE = 5
"""A pronoun in brackets refers to something within this number of words before the brackets."""


def condition_of(form: re.Pattern[str], instruction: str) -> Condition:
    """Return the condition under which the user may say a value. Of several mentions, the least strict one counts.

    Example:
        >>> condition_of(re.compile("economy"), "If business is full, you take economy.")
        'fallback'
        >>> condition_of(re.compile("charlotte"), "Change it to your home in Charlotte (you do not want to mention it).")
        'secret'
    """
    conditions: set[Condition] = set()
    secret = set(secret_spans(instruction.lower()))
    start = 0
    for sentence in _sentences(instruction.lower()):
        for match in form.finditer(sentence):
            position = start + match.start()
            is_secret = any(begin <= position < end for begin, end in secret)
            if is_secret and not _HOLDER.match(sentence, match.end()):
                conditions.add("secret")
            elif _ASKED.search(sentence):
                conditions.add("asked")
            else:
                conditions.add("fallback" if _FALLBACK.search(sentence) else "")
        start += len(sentence)
    return next((each for each in CONDITIONS if each in conditions), "")


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with their trailing whitespace."""
    start = 0
    for gap in SENTENCE.finditer(text):
        yield text[start : gap.end()]
        start = gap.end()
    yield text[start:]


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of a lower-case instruction that the user must not say.

    Example:
        >>> text = "you live in oslo (do not reveal it). do not mention the price, please."
        >>> [text[begin:end].strip() for begin, end in secret_spans(text)]
        ['you live in oslo', 'the price']
    """
    spans = []
    for match in _SECRET.finditer(text):
        bracket = text.rfind("(", 0, match.start())
        inside = text[bracket + 1 : match.start()] if bracket >= 0 else ")"
        if _PRONOUN.match(text, match.end()) or inside.startswith("which"):
            if ")" in inside or len(inside.split()) > _PRONOUN_RANGE:
                # The pronoun refers to something earlier in the sentence or in the brackets.
                begin, end = match.start() if ")" in inside else bracket + 1, match.start()
            else:
                begin = end = bracket
            if begin == end:
                words = list(re.finditer(r"\S+", text[:end]))[-_PRONOUN_RANGE:]
                begin = words[0].start() if words else end
            stop = max((cut.end() for cut in SENTENCE.finditer(text, 0, end) if cut.end() < end), default=0)
            spans.append((max(begin, stop), end))
        else:
            cut = _CLAUSE.search(text, match.end())
            spans.append((match.end(), cut.start() if cut else len(text)))
    return spans


ItemKind: TypeAlias = Literal["date", "airport", "count", "number", "id", "text"]
KINDS: tuple[ItemKind, ...] = get_args(ItemKind)

MIN_LENGTH = 3
"""Values with fewer characters are not goal values, except counts."""
_BAGS = "total_baggages"
_PLACES = "list_all_airports"
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBERS = {str(number): word for number, word in enumerate(UP_TO_TEN)}


class GoalItem(Struct, frozen=True, omit_defaults=True):
    """One value of a goal.

    Attributes:
        kind: the kind of the value.
        value: the value in the expected call.
        keys: the paths of this value in the calls, such as ``book.passengers.first_name``.
        condition: the condition under which the user may say it; empty for always.
        forms: other forms, from a sheet.
    """

    kind: ItemKind
    value: str
    keys: tuple[str, ...]
    condition: Condition = ""
    forms: tuple[str, ...] = ()


def places_in(trajectories: Iterable[Trajectory]) -> dict[str, str]:
    """Return airport code → city, from the results of the tool that lists them.

    Example:
        >>> from dialmeter.model import Step, ToolCall
        >>> call = ToolCall("list_all_airports", result='{"JFK": "New York"}')
        >>> places_in([Trajectory(id="1:0", task="1", steps=(Step(0, "system", calls=(call,)),))])
        {'JFK': 'New York'}
    """
    places: dict[str, str] = {}
    for trajectory in trajectories:
        for call in (call for step in trajectory.steps for call in step.calls):
            if call.name == _PLACES and call.result:
                try:
                    answer = decode_json(call.result)
                except REFUSALS:
                    continue
                if isinstance(answer, dict):
                    places |= {code: city for code, city in answer.items() if isinstance(city, str)}
    return places


def items_of(goal: TaskGoal, places: Mapping[str, str] | None = None) -> list[GoalItem]:
    """Return the values of a goal with instruction and expected calls; ``places`` maps airport codes to cities.

    Example:
        >>> from dialmeter.model import ExpectedAction
        >>> actions = (ExpectedAction("book", {"user_id": "mia_li_3668", "date": "2024-05-20", "insurance": "no"}),)
        >>> [item.value for item in items_of(TaskGoal("You are mia_li_3668 and fly on May 20th.", actions))]
        ['mia_li_3668', '2024-05-20']
    """
    text = goal.instruction.lower()
    keys: dict[tuple[ItemKind, str], list[str]] = {}
    for action in goal.actions:
        for path, value in leaves(action.name, action.arguments):
            kind = kind_of_value(path, value, places or {})
            if kind is not None and form_of(kind, str(value), places).search(text):
                keys.setdefault((kind, str(value)), []).append(path)
    return [
        GoalItem(kind, value, tuple(dict.fromkeys(names)), condition_of(form_of(kind, value, places), goal.instruction))
        for (kind, value), names in keys.items()
    ]


def argument(path: str) -> str:
    """Return the innermost key of a path."""
    return path.rpartition(".")[2]


def kind_of_value(path: str, value: Any, places: Mapping[str, str]) -> ItemKind | None:
    """Return the kind of value in a call, or None if it is no goal value.

    Example:
        >>> [kind_of_value("x", value, {"JFK": "New York"}) for value in ("2024-05-20", "JFK", 250, "HAT1", "economy", "no", True)]
        ['date', 'airport', 'number', 'id', 'text', None, None]
    """
    if value is None or isinstance(value, bool):
        return None
    if argument(path) == _BAGS:
        return "count"
    if isinstance(value, int | float):
        return "number" if len(str(value)) >= MIN_LENGTH else None
    if not isinstance(value, str):
        return None
    if _DATE.fullmatch(value):
        return "date"
    if value in places:
        return "airport"
    if len(value) < MIN_LENGTH:
        return None
    return "id" if any(letter.isdigit() for letter in value) else "text"


def form_of(
    kind: ItemKind,
    value: str,
    places: Mapping[str, str] | None = None,
    *,
    alone: bool = False,
    also: Sequence[str] = (),
) -> re.Pattern[str]:
    """Return a regular expression for the forms of a value, for lower-case texts.

    Args:
        kind: the kind of the value.
        value: the value in the expected call.
        places: airport code → city.
        alone: True to reject matches inside an id or an address.
        also: other forms.

    Example:
        >>> bool(form_of("date", "2024-05-20").search("on the 20th of may"))
        True
        >>> [bool(form_of("text", "Mia", alone=alone).search("i am mia_li_3668")) for alone in (False, True)]
        [True, False]
    """
    value_forms = _forms(kind, value.lower(), {code.lower(): city for code, city in (places or {}).items()})
    forms = "|".join([*value_forms, *(re.escape(each.lower()) for each in also)])
    adjacent = r"a-z0-9_@" if alone else r"a-z0-9"
    return re.compile(rf"(?<![{adjacent}])(?:{forms})(?![{adjacent}])")


def _forms(kind: ItemKind, value: str, places: Mapping[str, str]) -> list[str]:
    if kind == "date":
        try:
            day = date.fromisoformat(value)
        except ValueError:
            return [re.escape(value)]
        month, number = MONTHS[day.month - 1], rf"0?{day.day}(?:st|nd|rd|th)?"
        slashes = rf"0?{day.month}/0?{day.day}(?:/(?:{day.year}|{day.year % 100:02}))?"
        return [re.escape(value), rf"{month}\s+{number}", rf"{number}\s+(?:of\s+)?{month}", slashes]
    if kind == "airport":
        return [re.escape(value), re.escape(places.get(value, value).lower())]
    if kind == "count":
        number = re.escape(value)
        return [
            rf"(?:{number}|{_NUMBERS.get(value, number)})(?:\s+\S+){{0,3}}\s+(?:bags?|baggages?|suitcases?|luggage)"
        ]
    if clock := _CLOCK.fullmatch(value):
        hour, minute = int(clock[1]), clock[2]
        half = "am" if hour < 12 else "pm"
        return [re.escape(value), rf"0?{hour % 12 or 12}:{minute}\s*{half[0]}\.?m", rf"0?{hour}:{minute}"]
    return [re.escape(value).replace("_", r"[_\s-]")]


SHEET = SheetKind(
    columns=("task", "kind", "value", "condition", "forms", "keys", "instruction"),
    needed=("task", "kind", "value"),
    hint="task, kind and value are needed",
)
_SEPARATOR = "|"


ItemSource: TypeAlias = Callable[[str, TaskGoal, Mapping[str, str]], Sequence[GoalItem]]
"""Takes a task, its goal and the places (airport code → city). Returns the values of the goal."""


def goal_rows(trajectories: Sequence[Trajectory], source: ItemSource | None = None) -> list[tuple[str, ...]]:
    """Return one row for each goal value of all tasks. A task without goal values has one row with only its instruction.

    Example:
        >>> from dialmeter.model import ExpectedAction, TaskGoal
        >>> goal = TaskGoal("Book economy.", (ExpectedAction("book", {"cabin": "economy"}),))
        >>> goal_rows([Trajectory(id="1:0", task="1", goal=goal)])
        [('1', 'text', 'economy', '', '', 'book.cabin', 'Book economy.')]
    """
    places = places_in(trajectories)
    goals = {each.task: each.goal for each in trajectories if each.goal is not None and each.goal.instruction}
    rows: list[tuple[str, ...]] = []
    for task, goal in sorted(goals.items()):
        goal_items = items_of(goal, places) if source is None else source(task, goal, places)
        items = [(item.kind, item.value, item.condition, "", _SEPARATOR.join(item.keys)) for item in goal_items]
        for number, item in enumerate(items or [("", "", "", "", "")]):
            rows.append((task, *item, "" if number else goal.instruction))
    return rows


def read_goal_sheet(path: str | Path) -> dict[str, list[GoalItem]]:
    """Read the goal values of a sheet, by task. A row without a value only names a task.

    Raises:
        InputError: a column is missing, or a cell is invalid. The error has the line.
    """
    sheet: dict[str, list[GoalItem]] = {}

    def take(cells: dict[str, str], _: int) -> None:
        if not cells["task"]:
            raise InputError("the row has no task")
        items = sheet.setdefault(cells["task"], [])
        if cells["value"]:
            item = _item(cells)
            if any((each.kind, each.value) == (item.kind, item.value) for each in items):
                raise InputError(f"duplicate goal value {one_line(cells['value'])!r} of task {one_line(cells['task'])}")
            items.append(item)

    SHEET.read(path, take)
    if not any(sheet.values()):
        raise InputError("the sheet has no goal values; a row needs a task, a kind and a value", file=str(path))
    return sheet


def _item(cells: Mapping[str, str]) -> GoalItem:
    kind, condition = (
        check_word(name, cells[name], allowed) for name, allowed in (("kind", KINDS), ("condition", CONDITIONS))
    )
    forms, keys = (
        tuple(part.strip() for part in cells[name].split(_SEPARATOR) if part.strip()) for name in ("forms", "keys")
    )
    return GoalItem(cast(ItemKind, kind), cells["value"], keys, cast(Condition, condition), forms)


def sheet_digest(items: Mapping[str, Sequence[GoalItem]]) -> str:
    """Return the first ten hex digits of a digest of the goal values of a sheet, for signatures.

    Example:
        >>> sheet_digest({"1": [GoalItem("text", "economy", ())]}) == sheet_digest({"1": []})
        False
    """
    lines = [
        f"{task}\t{item.kind}\t{item.value}\t{item.condition}\t{item.forms}\t{item.keys}"
        for task, each in sorted(items.items())
        for item in each
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:10]


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
        value in (call.result or "").lower() or value in (str(each).lower() for _, each in leaves("", call.arguments))
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
