"""A language model behind an OpenAI-compatible endpoint, as user or as system.

The prompt holds the goal or what was looked up, and examples of sentences that are understood. The model speaks in text; its acts
are read from the text. The key comes from an environment variable and is sent to the endpoint only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, Any, Protocol

from msgspec import Meta, Struct

from ...core.endpoint import ChatAnswer, ChatEndpoint, Messages
from ...model import SYSTEM, USER, Act, Goal, Move
from ..language.generate import say
from ..language.grammar import BOOKING, act, grammar, intent_of, value_of
from ..language.understand import understand
from ..world.database import World, reference, trouble
from ..world.schema import DOMAINS
from .agent import Kind

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


_BEGIN = "Welcome to Saltmere. How may I help?"


class EndpointDials(Struct, frozen=True):
    """Where a model is, and how long to wait for it."""

    url: str = ""
    """Of the endpoint, such as http://127.0.0.1:8000/v1."""
    model: str = ""
    """The name of the model there."""
    key: str = "OPENAI_API_KEY"
    """The environment variable that holds the key; none is sent where it is not set."""
    timeout: Annotated[float, Meta(gt=0)] = 60.0
    """Seconds to wait for an answer."""
    retries: Annotated[int, Meta(ge=0)] = 4
    """How often to ask again after a failure."""
    pause: Annotated[float, Meta(ge=0)] = 1.0
    """Seconds before the first further try; doubled before each that follows."""
    temperature: Annotated[float, Meta(ge=0)] = 0.0
    """Of the model."""


def client(dials: EndpointDials) -> ChatEndpoint:
    """The client for a model.

    Raises:
        DialmeterError: the dials do not name an endpoint.
        MissingExtra: httpx is not installed.
    """
    return ChatEndpoint(
        dials.url, dials.model, key=dials.key, timeout=dials.timeout, retries=dials.retries, wait=dials.pause
    )


class AsksModel(Protocol):
    """What agents need of an endpoint."""

    def ask(self, messages: Messages, parameters: Mapping[str, Any], *, must_speak: bool) -> ChatAnswer:
        """The answer of the model."""
        ...


class _ModelAgent:
    """An agent that is a language model. It remembers the messages of its dialogue."""

    def __init__(self, dials: EndpointDials, world: World, rng: Random) -> None:
        self.endpoint: AsksModel = client(dials)
        self._dials = dials
        self._world = world
        self._messages: list[dict[str, str]] = []
        self._over = False

    def done(self) -> bool:
        return self._over

    def _answer(self, text: str, looked_up: str = "") -> str:
        """The answer to the other's text; what was looked up is shown to the model for this answer only."""
        self._messages.append({"role": "user", "content": text})
        shown = [{"role": "system", "content": f"Notes:\n{looked_up}"}] if looked_up else []
        answer = self.endpoint.ask([*self._messages, *shown], {"temperature": self._dials.temperature}, must_speak=True)
        said = " ".join(answer.text.split())
        self._messages.append({"role": "assistant", "content": said})
        return said


class EndpointUser(_ModelAgent):
    """A user that is a language model."""

    def start(self, goal: Goal | None) -> None:
        prompt = USER_TASK.format(task="\n".join(_task(goal or {})), examples="\n".join(_examples(USER)))
        self._messages = [{"role": "system", "content": prompt}]
        self._over = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        answer = self._answer(text or _BEGIN)
        self._over = any(intent_of(each.name) == "bye" for each in understand(answer, USER))
        return Move(USER, text=answer)


class EndpointSystem(_ModelAgent):
    """A system that is a language model; what it has understood is looked up for it, and the finds are put before it."""

    def start(self, goal: Goal | None) -> None:
        prompt = SYSTEM_TASK.format(examples="\n".join(_examples(SYSTEM)))
        self._messages = [{"role": "system", "content": prompt}]
        self._state: dict[str, dict[str, str]] = {}
        self._over = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        for each in acts:
            if intent_of(each.name) == "inform" and each.service in DOMAINS and each.values:
                self._state.setdefault(each.service, {})[each.slot] = value_of(each)
        self._over = any(intent_of(each.name) == "bye" for each in acts)
        return Move(SYSTEM, text=self._answer(text, notes(self._state, self._world)))


USER_KIND = Kind(
    "user", "a language model behind --endpoint, with the goal in its prompt", EndpointDials(), EndpointUser
)
SYSTEM_KIND = Kind(
    "system", "a language model behind --endpoint, with finds in its prompt", EndpointDials(), EndpointSystem
)
