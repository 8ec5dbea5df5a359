"""A language model behind an OpenAI-compatible endpoint, as user or as system.

The prompt holds the goal or what was looked up, and examples of sentences that are understood. The model speaks in text; its acts
are read from the text. The key comes from an environment variable and is sent to the endpoint only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from ...core.secrets import IN_ANSWERS, mask_secret, read_secret
from ...errors import DialmeterError, MissingExtra, one_line
from ...model import SYSTEM, USER, Act, Goal, Move
from ..language.generate import say
from ..language.grammar import BOOKING, act, grammar, intent_of, value_of
from ..language.understand import understand
from ..world.database import World, reference, trouble
from ..world.schema import DOMAINS
from .agent import Kind

if TYPE_CHECKING:
    import httpx

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
    """The prompt of a user behind an endpoint."""
    return USER_TASK.format(task="\n".join(_task(goal)), examples="\n".join(_examples(USER)))


def system_prompt() -> str:
    """The prompt of a system behind an endpoint."""
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


_PATH = "/chat/completions"
_BEGIN = "Welcome to Saltmere. How may I help?"
_BUSY = (408, 409, 425, 429)


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


class Endpoint:
    """Asks a model, and asks again where that may help.

    Raises:
        DialmeterError: the dials do not name an endpoint.
        MissingExtra: httpx is not installed.
    """

    def __init__(self, dials: EndpointDials) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("an agent behind an endpoint", "llm") from None
        parts = urlsplit(dials.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not dials.model:
            raise DialmeterError("an agent behind an endpoint needs --endpoint URL (http or https) and --model NAME")
        if parts.username or parts.password:
            raise DialmeterError("--endpoint holds a password; put the key into an environment variable instead")
        self._dials = dials
        self._url = dials.url if dials.url.endswith(_PATH) else dials.url.rstrip("/") + _PATH
        self._httpx = httpx
        self._key = read_secret(dials.key)

    def answer(self, messages: list[dict[str, str]]) -> str:
        """The model's text.

        Raises:
            DialmeterError: no useful answer in all tries, or the endpoint refuses.
        """
        pause = self._dials.pause
        trouble = ""
        for attempt in range(self._dials.retries + 1):
            if attempt:
                time.sleep(pause)
                pause *= 2
            try:
                found = self._post(messages)
            except self._httpx.TimeoutException:
                trouble = f"no answer within {self._dials.timeout:g} s"
                continue
            except self._httpx.TransportError as error:
                trouble = f"no connection: {self._safe(str(error), 100)}"
                continue
            if found.status_code in _BUSY or found.status_code >= 500:
                trouble = f"status {found.status_code}"
                continue
            if found.status_code != 200:
                said = self._safe(found.text, 200)
                raise DialmeterError(f"{self._url} refuses: status {found.status_code}: {said}")
            text = mask_secret(_text(found), self._key, IN_ANSWERS)
            if text:
                return text
            trouble = f"not an answer of a chat model: {self._safe(found.text, 100)!r}"
        tries = self._dials.retries + 1
        raise DialmeterError(f"{self._url}: {trouble} ({tries} {'try' if tries == 1 else 'tries'})")

    def _post(self, messages: list[dict[str, str]]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        body = {"model": self._dials.model, "messages": messages, "temperature": self._dials.temperature}
        with self._httpx.Client(timeout=self._dials.timeout) as client:
            return client.post(self._url, json=body, headers=headers)

    def _safe(self, text: str, length: int) -> str:
        return one_line(mask_secret(text, self._key), length)


def _text(found: httpx.Response) -> str:
    """The text of an answer, empty where it has none."""
    try:
        content: Any = found.json()["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        return ""
    return " ".join(content.split()) if isinstance(content, str) else ""


class EndpointUser:
    """A user that is a language model."""

    def __init__(self, dials: EndpointDials, world: World, rng: Random) -> None:
        self._endpoint = Endpoint(dials)
        self._messages: list[dict[str, str]] = []
        self._left = False

    def start(self, goal: Goal | None) -> None:
        self._messages = [{"role": "system", "content": user_prompt(goal or {})}]
        self._left = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        self._messages.append({"role": "user", "content": text or _BEGIN})
        answer = self._endpoint.answer(self._messages)
        self._messages.append({"role": "assistant", "content": answer})
        self._left = any(intent_of(each.name) == "bye" for each in understand(answer, USER))
        return Move(USER, text=answer)

    def done(self) -> bool:
        return self._left


class EndpointSystem:
    """A system that is a language model; what it has understood is looked up for it, and the finds are put before it."""

    def __init__(self, dials: EndpointDials, world: World, rng: Random) -> None:
        self._endpoint = Endpoint(dials)
        self._world = world
        self.start(None)

    def start(self, goal: Goal | None) -> None:
        self._messages = [{"role": "system", "content": system_prompt()}]
        self._state: dict[str, dict[str, str]] = {}
        self._over = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        for each in acts:
            if intent_of(each.name) == "inform" and each.service in DOMAINS and each.values:
                self._state.setdefault(each.service, {})[each.slot] = value_of(each)
        self._over = any(intent_of(each.name) == "bye" for each in acts)
        self._messages.append({"role": "user", "content": text})
        found = notes(self._state, self._world)
        looked_up = [{"role": "system", "content": f"Notes:\n{found}"}] if found else []
        answer = self._endpoint.answer([*self._messages, *looked_up])
        self._messages.append({"role": "assistant", "content": answer})
        return Move(SYSTEM, text=answer)

    def done(self) -> bool:
        return self._over


USER_KIND = Kind(
    "user", "a language model behind --endpoint, with the goal in its prompt", EndpointDials(), EndpointUser
)
SYSTEM_KIND = Kind(
    "system", "a language model behind --endpoint, with finds in its prompt", EndpointDials(), EndpointSystem
)
