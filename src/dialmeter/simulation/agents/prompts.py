"""What language models are told: the goal or what can be looked up, and in which forms to speak so that they are understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from ...model import SYSTEM, USER, Goal
from ..language.acts import BOOKING, act
from ..language.generate import say
from ..language.grammar import grammar
from ..world.booking import trouble
from ..world.database import World, reference
from ..world.schema import DOMAINS

_SHOWN = 3

USER_TASK = """You are a visitor of the town of Saltmere and talk with its information desk. Say only what your task asks for, a few things \
at a time, in one or two short sentences. Never play the desk. When all is done, or cannot be done, say "Goodbye."

Your task:
{task}

Use sentences like these, with your own values:
{examples}"""

SYSTEM_TASK = """You are the information desk of the town of Saltmere: places to stay, restaurants, attractions, trains and taxis. Say only \
what the notes tell you, in one or two short sentences. Make a booking by telling the reference number that the notes give.

Use sentences like these, with your own values:
{examples}"""


def user_prompt(goal: Goal) -> str:
    """What a user behind an endpoint is told."""
    return USER_TASK.format(task="\n".join(_task(goal)), examples="\n".join(_examples(USER)))


def system_prompt() -> str:
    """What a system behind an endpoint is told."""
    return SYSTEM_TASK.format(examples="\n".join(_examples(SYSTEM)))


def _task(goal: Goal) -> Iterator[str]:
    words = grammar(USER).words
    for domain, each in goal.items():
        if each.fail_info:
            yield f"- {domain}: look for one with {_pairs(each.fail_info, words)}; if there is none, with {_pairs(each.info, words)}."
        elif each.info:
            yield f"- {domain}: look for one with {_pairs(each.info, words)}."
        if each.fail_book:
            yield f"  Book it with {_pairs(each.fail_book, words)}; if that fails, with {_pairs(each.book, words)}."
        elif each.book:
            yield f"  Book it with {_pairs(each.book, words)}."
        if each.requests:
            yield f"  Ask for the {', the '.join(words.get(slot, slot) for slot in each.requests)}."


def _pairs(pairs: Mapping[str, str], words: Mapping[str, str]) -> str:
    return ", ".join(f"{words.get(slot, slot)} {value}" for slot, value in pairs.items())


def _examples(speaker: str) -> Iterator[str]:
    rng = Random(0)
    hotel = [("area", "north"), ("stars", "4")]
    if speaker == USER:
        acts = [
            [act("hotel", "inform", *pair) for pair in hotel],
            [act("train", "inform", "departure", "saltmere"), act("train", "inform", "day", "friday")],
            [act("hotel", "inform", "people", "2"), act("hotel", "inform", "stay", "3")],
            [act("restaurant", "request", "phone"), act("restaurant", "request", "address")],
        ]
    else:
        acts = [
            [act("hotel", "recommend", "name", "otter house"), act("hotel", "recommend", "area", "north")],
            [act("hotel", "nooffer", *pair) for pair in hotel],
            [act("train", "inform", "trainid", "tr1234")],
            [act("restaurant", "inform", "phone", "0555 123456")],
            [act("restaurant", "request", "food")],
            [act(BOOKING, "request", "day")],
            [act(BOOKING, "book", "ref", "abcd2345")],
            [act(BOOKING, "nobook", "day", "friday")],
        ]
    return (say(each, speaker, rng) for each in acts)


def notes(state: Mapping[str, Mapping[str, str]], world: World) -> str:
    """What a system may say: the first finds for what it has understood, and whether they can be booked.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> print(notes({"attraction": {"name": "nettle gallery"}}, town())[:60])
        attraction: 1 found.
          name nettle gallery, type gallery, ar
    """
    return "\n".join(line for domain, told in state.items() if told for line in _note(domain, dict(told), world))


def _note(domain: str, told: dict[str, str], world: World) -> Iterator[str]:
    missing = [slot for slot in DOMAINS[domain].needed if slot not in told]
    if missing:
        yield f"{domain}: ask for the {missing[0]}."
        return
    if domain == "taxi":
        yield f"taxi: {_row(world.car(told), ())}."
        return
    rows = world.search(domain, told)
    yield f"{domain}: {len(rows)} found."
    details = {slot: told[slot] for slot in DOMAINS[domain].book if slot in told}
    known = (*DOMAINS[domain].search, *DOMAINS[domain].request)
    for row in rows[:_SHOWN]:
        yield f"  {_row(row, known)}."
        if details and len(details) == len(DOMAINS[domain].book):
            wrong = trouble(domain, row, details)
            code = reference(domain, row[DOMAINS[domain].entity], details)
            yield (
                f"  It cannot be booked: {', '.join(wrong)}."
                if wrong
                else f"  It can be booked; reference number {code}."
            )


def _row(row: Mapping[str, str], known: tuple[str, ...]) -> str:
    return ", ".join(
        f"{slot} {value}" for slot, value in row.items() if not known or slot in (*known, "name", "trainid")
    )
