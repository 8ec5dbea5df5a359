"""Events of users who only have words: what they say against their instruction, with the message and the words.

invented      a value that neither the instruction nor the agent has named, or a lack of an id that the instruction does not state
missed        an item has this verdict
wrong         the same where the instruction gives exactly one other value of this kind; denies having an id that it gives
leak          says what the instruction forbids, before the agent has said it
early_stop    ends the dialogue with an item missed and a call undone
stuck         says the same again
volunteered   says unasked what the instruction allows only if asked

The reward plays no part, so that events can be compared with success.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ...model import SYSTEM, USER, Step, Trajectory
from ...readers.agents.messages import plain_text
from ..events import Event
from .conditions import SENTENCE, secret_spans
from .goal_items import form_of, places_in
from .said_values import SaidValue, next_day, said_values, same_key, slot_words
from .verdicts import REQUEST, ItemOutcome, asked_at, done

FAULTS = ("missed", "wrong", "leak", "early_stop", "invented", "stuck", "volunteered")
"""Every class of event of a goal in words."""

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
_READS = re.compile(r"(?:get|find|search|list|check|calculate|think|look|read|show)(?:_|$)")
"""Names of tools that change nothing."""
_CLOSING = re.compile(r"\b(?:else|further|other|anything|more|feel free|reach out|let me know if|in the future)\b")
"""Words of questions that only offer more help."""
_GOODBYE = re.compile(
    r"\b(?:bye|goodbye|see you|that is all|that's all|that was everything|talk (?:soon|later)|get back|another time)\b"
)
_NEARBY = re.compile(r"\b(?:next|following|previous|one|a|same) day\b|\bday (?:after|later|before|earlier)\b")
"""Words that let a user compute a date from another."""
_PUNCTUATION = re.compile(r"[^\w\s]")
_SINGLE = frozenset({"user id", "reservation id", "order id", "email", "date", "amount", "number"})
"""Kinds of which a value is wrong, and not invented, where the instruction gives exactly one."""
_LONG, _SHORT = 8, 4
_ALIKE = 0.9
_SHORTEST_WORD = 4


class LogWords(Struct, frozen=True):
    """What is known of a log as a whole: places with their codes, and slots whose values are words of a list."""

    places: Mapping[str, str]
    slots: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, found: Sequence[Trajectory]) -> LogWords:
        """From all dialogues of a log."""
        places = places_in(found)
        return cls(places, slot_words(found, places))


def text_events(found: Trajectory, outcomes: Sequence[ItemOutcome], log: LogWords) -> list[Event]:
    """Return the events of a dialogue, in the order of its messages; none where it has no instruction.

    Args:
        found: the dialogue.
        outcomes: of the items of its goal.
        log: what is known of the log.

    Example:
        >>> from dialmeter.model import TaskGoal
        >>> steps = (Step(1, "user", "I am mia_li_3668."), Step(2, "system", "Your reservation id?"), Step(3, "user", "It is ZX81AB."))
        >>> talk = Trajectory(id="1:0", task="1", steps=steps, goal=TaskGoal("You are mia_li_3668."))
        >>> [(each.name, each.turns, each.said) for each in text_events(talk, [], LogWords({}, {}))]
        [('invented', (3,), 'zx81ab')]
    """
    if found.goal is None or not found.goal.instruction:
        return []
    instruction = found.goal.instruction
    events = [
        *_values(found.steps, instruction, log),
        *_slot_words(found.steps, instruction, outcomes, log),
        *_lacks(found.steps, instruction, log),
        *_leaks(found.steps, instruction, outcomes, log),
        *_early_stop(found, outcomes),
        *_stuck(found.steps),
        *_volunteered(found.steps, outcomes),
        *(
            Event("missed", "text", "", each.item.value, () if each.at is None else (each.at,))
            for each in outcomes
            if each.verdict == "missed"
        ),
    ]
    return sorted(dict.fromkeys(events), key=lambda each: (each.turns, each.name, each.said))


def _event(name: str, at: int, said: str, about: str = "") -> Event:
    return Event(name, "text", "", about, (at,), said=said)


def _values(steps: Sequence[Step], instruction: str, log: LogWords) -> Iterator[Event]:
    """Values that come from nowhere, each at its first mention."""
    given = list(said_values(instruction, log.places))
    known, heard = list(given), instruction.lower()
    nearby = _NEARBY.search(heard)
    for step in steps:
        # Markdown puts a backslash before an underscore.
        text = step.text.replace("\\_", "_")
        values = list(said_values(text, log.places)) if text else []
        new: dict[tuple[str, str], list[str]] = {}
        for value in values if step.speaker == USER else ():
            # The number of an order may be said without its sign.
            plain = value.key.removeprefix("#w")
            if (
                not any(same_key(value, other) for other in known)
                and plain not in heard
                and not (nearby and any(next_day(value, other) for other in known))
            ):
                instead = {other.key: other.words for other in given if _like(other, value)}
                wrong = value.kind in _SINGLE and len(instead) == 1
                about = next(iter(instead.values())) if wrong else value.kind
                new.setdefault(("wrong" if wrong else "invented", about), []).append(value.words)
        yield from (_event(kind, step.at, ", ".join(words), about) for (kind, about), words in new.items())
        known += values
        heard += text.lower()


def _like(given: SaidValue, said: SaidValue) -> bool:
    """Can one value stand for the other? Numbers have as many digits."""
    return given.kind == said.kind and (said.kind != "number" or len(given.key) == len(said.key))


def _slot_words(
    steps: Sequence[Step], instruction: str, outcomes: Sequence[ItemOutcome], log: LogWords
) -> Iterator[Event]:
    """Words of a list, such as cabins, where the goal has another word of the same list."""
    goal = {
        key.rpartition(".")[2]: each.item.value.lower().replace("_", " ") for each in outcomes for key in each.item.keys
    }
    lower = instruction.lower().replace("_", " ").replace("-", " ")
    for slot, wanted in goal.items():
        named = lower
        listed = sorted(log.slots.get(slot, ()), key=lambda word: (-len(word), word))
        others = [word for word in listed if len(word) >= _SHORTEST_WORD and word != wanted]
        for step in steps:
            text = step.text.lower().replace("_", " ").replace("-", " ")
            if step.speaker == USER:
                for word in others:
                    if word not in named and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                        yield _event("wrong", step.at, word, wanted)
                        named += f" {word}"
            named += f" {text}"


def _lacks(steps: Sequence[Step], instruction: str, log: LogWords) -> Iterator[Event]:
    """Ids that the user says it does not have, each at its first mention."""
    lower = instruction.lower()
    given = {value.kind: value.words for value in said_values(instruction, log.places)}
    if code := _CODE.search(instruction):
        given["reservation id"] = code[1].lower()
    stated = [part for part in SENTENCE.split(lower) if _STATED_LACK.search(part)]
    left = dict(_IDS)
    for step in steps:
        for hit in _LACK.finditer(step.text.lower()) if step.speaker == USER else ():
            for kind in [
                kind for kind, words in left.items() if _NEAR.match(hit["what"]) and re.search(words, hit["what"])
            ]:
                noun = kind.partition(" ")[0]
                del left[kind]
                if any(noun in part or "memory" in part for part in stated):
                    continue
                if kind not in given:
                    yield _event("invented", step.at, hit[0].strip(), f"no {kind}")
                elif given[kind] not in step.text.lower():
                    yield _event("wrong", step.at, hit[0].strip(), given[kind])


def _leaks(steps: Sequence[Step], instruction: str, outcomes: Sequence[ItemOutcome], log: LogWords) -> Iterator[Event]:
    """Forbidden items that were said, and forbidden words that tools take, before the agent names them."""
    for each in outcomes:
        if each.verdict == "forbidden" and each.at is not None:
            yield _event("leak", each.at, each.item.value)
    lower = instruction.lower()
    secret = " ".join(lower[begin:end] for begin, end in secret_spans(lower))
    words = {word for values in log.slots.values() for word in values if len(word) >= _SHORTEST_WORD}
    longest = [word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", secret)]
    for word in longest:
        if any(word != other and word in other for other in longest) or any(
            form_of(each.item.kind, each.item.value, log.places).fullmatch(word) for each in outcomes
        ):
            continue
        for step in steps:
            if word in step.text.lower():
                if step.speaker == USER:
                    yield _event("leak", step.at, word)
                break


def _early_stop(found: Trajectory, outcomes: Sequence[ItemOutcome]) -> Iterator[Event]:
    """Return the user ends the dialogue with something undone that it has kept from the agent.

    Either an item is missed whose call was never made, and which was asked for or changes something; or nothing was changed
    at all, and the user leaves instead of answering a question.
    """
    if found.ending != "user_stop":
        return
    own = [step for step in found.steps if step.speaker == USER]
    missed = [
        each.item.value
        for each in outcomes
        if each.verdict == "missed"
        and not done(each.item, found.steps)
        and (each.at is not None or not all(map(_READS.match, each.item.keys)))
    ]
    if missed or _unanswered(found):
        words = next((text for step in reversed(own) if (text := plain_text(step.text))), "")
        yield _event("early_stop", own[-1].at, words, missed[0] if missed else "a question")


def _unanswered(found: Trajectory) -> bool:
    """Does the user leave a question open, although a call that changes something is expected and none was made?"""
    wanted = [action.name for action in found.goal.actions] if found.goal is not None else []
    made = [call.name for step in found.steps for call in step.calls if not call.failed]
    if all(map(_READS.match, wanted)) or not all(map(_READS.match, made)):
        return False
    asked = next((step.text.lower() for step in reversed(found.steps) if step.speaker == SYSTEM and step.text), "")
    last = plain_text(found.steps[-1].text).lower()
    requests = [part for part in SENTENCE.split(asked) if REQUEST.search(part)]
    question = bool(requests) and not _CLOSING.search(requests[-1])
    return question and bool(_GOODBYE.search(last)) and not asked.startswith("you're welcome")


def _stuck(steps: Iterable[Step]) -> Iterator[Event]:
    """Messages that only repeat an earlier one of the user; a short one may be repeated once, as the answer to a question."""
    earlier: list[frozenset[str]] = []
    for step in steps:
        if step.speaker == USER:
            words = frozenset(_PUNCTUATION.sub("", plain_text(step.text).lower()).split())
            again = sum(len(words & one) >= _ALIKE * len(words | one) for one in earlier) if words else 0
            if (again and len(words) >= _LONG) or (again > 1 and len(words) >= _SHORT):
                yield _event("stuck", step.at, plain_text(step.text))
            earlier.append(words)


def _volunteered(steps: Sequence[Step], outcomes: Sequence[ItemOutcome]) -> Iterator[Event]:
    """Items that are to be said only if asked, in a message that answers no question, or one about other items only."""
    for each in outcomes:
        if each.item.condition == "asked" and each.verdict == "conveyed" and each.at is not None:
            before = [step for step in steps if step.at < each.at]
            reply = next(step for step in steps if step.at == each.at)
            named = form_of(each.item.kind, each.item.value, also=each.item.forms)
            heard = any(step.speaker == SYSTEM and named.search(step.text.lower()) for step in before)
            if heard or asked_at(each.item, [*before, reply], request=False) is not None:
                continue
            # A question in words that are not those of any argument may be about this one.
            asks = bool(before) and bool(REQUEST.search(before[-1].text.lower()))
            others = [other.item for other in outcomes if other.item is not each.item]
            if not asks or any(asked_at(item, [*before[-1:], reply]) is not None for item in others):
                yield _event("volunteered", each.at, each.item.value)
