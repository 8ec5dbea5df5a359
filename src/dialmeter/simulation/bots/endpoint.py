"""A language model at an OpenAI-compatible endpoint, as user or as system, and an estimate of its requests.

The prompt holds the goal or the search results, and examples of sentences that are understood. The model answers in text; its
acts are read from the text. The key comes from an environment variable and is sent only to the endpoint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from ...core.endpoint import ChatAnswer, ChatEndpoint, CostEstimate, DryRun, Messages
from ...model import SYSTEM, USER, Act, Conversation, Goal, Move
from ..grammar import BOOKING, act, informed, intent_of, phrases, say
from ..play import Setting, Task, play
from ..understand import understand
from ..world import World, load_world, reference
from . import ChosenBot, Kind, choose, set_dials

_MOST_ROWS = 3

USER_TASK = """You are a visitor of {place} and talk with its information desk. Say only what your task asks for, a few things \
at a time, in one or two short sentences. Never play the desk. When all is done, or cannot be done, say "Goodbye."

Your task:
{task}

Use sentences like these, with your own values:
{examples}"""

SYSTEM_TASK = """You are the information desk of {place}: {domains}. Say only \
what the notes tell you, in one or two short sentences. Make a booking by telling the reference number that the notes give.

Use sentences like these, with your own values:
{examples}"""


def _task(goal: Goal) -> Iterator[str]:
    words = phrases()["words"]
    for domain, each in goal.items():
        if each.info or each.fail_info:
            yield f"- {domain}: look for one with {_wishes(each.fail_info, each.info, 'if there is none')}."
        if each.book or each.fail_book:
            yield f"  Book it with {_wishes(each.fail_book, each.book, 'if that fails')}."
        if each.requests:
            yield f"  Ask for the {', the '.join(words.get(slot, slot) for slot in each.requests)}."


def _wishes(first: Mapping[str, str], second: Mapping[str, str], otherwise: str) -> str:
    words = phrases()["words"]
    wishes = [", ".join(f"{words.get(slot, slot)} {value}" for slot, value in each.items()) for each in (first, second)]
    return f"; {otherwise}, with ".join(filter(None, wishes))


def _examples(speaker: str, world: World) -> Iterator[str]:
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
    return (
        say([each for each in group if each.service in (*world.domains, BOOKING)], speaker, rng, world)
        for group in acts
    )


def notes(state: Mapping[str, Mapping[str, str]], world: World) -> str:
    """Return the notes for a system: the first search results for the understood state, and whether they can be booked.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> print(notes({"attraction": {"name": "nettle gallery"}}, town())[:60])
        attraction: 1 found.
          name nettle gallery, type gallery, ar
    """
    return "\n".join(line for domain, slots in state.items() if slots for line in _note(domain, dict(slots), world))


def _note(domain: str, state: dict[str, str], world: World) -> Iterator[str]:
    missing = [slot for slot in world.domains[domain].needed if slot not in state]
    if missing:
        yield f"{domain}: ask for the {missing[0]}."
        return
    if world.domains[domain].is_granted:
        yield f"{domain}: {_format_row(world.grant(domain, state), ())}."
        return
    rows = world.search(domain, state)
    yield f"{domain}: {len(rows)} found."
    details = {slot: state[slot] for slot in world.domains[domain].book if slot in state}
    slots = (*world.domains[domain].search, *world.domains[domain].request, world.domains[domain].entity)
    for row in rows[:_MOST_ROWS]:
        yield f"  {_format_row(row, slots)}."
        if details and len(details) == len(world.domains[domain].book):
            wrong = world.failing_slots(domain, row, details)
            code = reference(domain, row[world.domains[domain].entity], details)
            yield (
                f"  It cannot be booked: {', '.join(wrong)}."
                if wrong
                else f"  It can be booked; reference number {code}."
            )


def _format_row(row: Mapping[str, str], slots: tuple[str, ...]) -> str:
    return ", ".join(f"{slot} {value}" for slot, value in row.items() if not slots or slot in slots)


class EndpointDials(Struct, frozen=True):
    """The endpoint of a model, and its timeouts."""

    url: str = ""
    """The URL of the endpoint, such as http://127.0.0.1:8000/v1."""
    model: str = ""
    """The name of the model at the endpoint."""
    key: str = "OPENAI_API_KEY"
    """The environment variable with the key; if it is not set, no key is sent."""
    timeout: Annotated[float, Meta(gt=0)] = 60.0
    """Seconds to wait for an answer."""
    retries: Annotated[int, Meta(ge=0)] = 4
    """Number of retries after a failure."""
    pause: Annotated[float, Meta(ge=0)] = 1.0
    """Seconds before the first retry; doubled before each further retry."""
    temperature: Annotated[float, Meta(ge=0)] = 0.0
    """The sampling temperature of the model."""


def client(dials: EndpointDials) -> ChatEndpoint:
    """Create the client for a model."""
    return ChatEndpoint(
        dials.url, dials.model, key_variable=dials.key, timeout=dials.timeout, retries=dials.retries, wait=dials.pause
    )


class _ModelBot:
    """A bot that is a language model. It keeps the messages of its dialogue."""

    def __init__(self, dials: EndpointDials, world: World, rng: Random) -> None:
        self.endpoint: ChatEndpoint | _Script = client(dials)
        self._dials = dials
        self._world = world
        self._messages: list[dict[str, str]] = []
        self._over = False

    def done(self) -> bool:
        return self._over

    def _answer(self, text: str, search_notes: str = "") -> str:
        """Return the answer to the text of the other side. The model sees the notes for this answer only."""
        self._messages.append({"role": "user", "content": text})
        extra = [{"role": "system", "content": f"Notes:\n{search_notes}"}] if search_notes else []
        answer = self.endpoint.ask([*self._messages, *extra], {"temperature": self._dials.temperature}, must_speak=True)
        reply = " ".join(answer.text.split())
        self._messages.append({"role": "assistant", "content": reply})
        return reply


class EndpointUser(_ModelBot):
    """A user that is a language model."""

    def start(self, goal: Goal | None) -> None:
        prompt = USER_TASK.format(
            place=self._world.place,
            task="\n".join(_task(goal or {})),
            examples="\n".join(_examples(USER, self._world)),
        )
        self._messages = [{"role": "system", "content": prompt}]
        self._over = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        answer = self._answer(text or f"Welcome to {self._world.place}. How may I help?")
        self._over = any(intent_of(each.name) == "bye" for each in understand(answer, USER, self._world))
        return Move(USER, text=answer)


class EndpointSystem(_ModelBot):
    """A system that is a language model. It gets the search results for its understood state as notes."""

    def start(self, goal: Goal | None) -> None:
        prompt = SYSTEM_TASK.format(
            place=self._world.place,
            domains=", ".join(self._world.domains),
            examples="\n".join(_examples(SYSTEM, self._world)),
        )
        self._messages = [{"role": "system", "content": prompt}]
        self._state: dict[str, dict[str, str]] = {}
        self._over = False

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        for domain, slot, value in informed(acts, self._world):
            self._state.setdefault(domain, {})[slot] = value
        self._over = any(intent_of(each.name) == "bye" for each in acts)
        return Move(SYSTEM, text=self._answer(text, notes(self._state, self._world)))


USER_KIND = Kind("user", "a language model at --endpoint, with the goal in its prompt", EndpointDials(), EndpointUser)
SYSTEM_KIND = Kind(
    "system", "a language model at --endpoint, with search results in its prompt", EndpointDials(), EndpointSystem
)


STAND_INS = ("agenda", "rule")
"""The user and the system that replace the bots; they need no language model."""
_MODELS = {"endpoint-user": USER_KIND, "endpoint-system": SYSTEM_KIND}


class _Script:
    """Endpoint that answers with the lines of a dialogue, and counts the requests."""

    def __init__(self, counter: DryRun, lines: Iterator[str], name: str) -> None:
        self._counter, self._lines, self._name = counter, lines, name
        self._number = 0

    def ask(self, messages: Messages, parameters: Mapping[str, Any], *, must_speak: bool) -> ChatAnswer:
        self._number += 1
        # Answers of bots are not cached, so every request counts.
        self._counter.ask(messages, {**parameters, "place": f"{self._name} {self._number}"})
        return ChatAnswer(next(self._lines))


def rehearse(tasks: Sequence[Task], settings: Sequence[Setting]) -> dict[str, CostEstimate]:
    """Estimate the cost of the language models, by bot and partner. Nothing is sent.

    The dialogues are played by the stand-ins on the same goals. A language model may need more or fewer turns.

    Example:
        >>> from dialmeter.simulation.play import sampled
        >>> model = choose("endpoint", "user", {"url": "http://127.0.0.1:8000/v1", "model": "small"})
        >>> [(name, cost)] = rehearse(sampled(2, seed=7), [Setting(model, choose("rule", "system"), seed=7)]).items()
        >>> name, cost.calls > 10
        ('endpoint-user(model=small) with rule', True)
    """
    estimates: dict[str, CostEstimate] = {}
    for setting in settings:
        pairs = ((setting.user, setting.system), (setting.system, setting.user))
        models = [(bot, other) for bot, other in pairs if bot.name in _MODELS]
        if not models:
            continue
        user, system = choose(STAND_INS[0], "user"), choose(STAND_INS[1], "system")
        conversations = list(play(tasks, replace(setting, user=user, system=system)))
        for bot, other in models:
            estimates[f"{bot.text} with {other.text}"] = _estimate(bot, conversations, load_world(setting.world))
    return estimates


def _estimate(chosen: ChosenBot, conversations: Sequence[Conversation], world: World) -> CostEstimate:
    kind = _MODELS[chosen.name]
    dials = set_dials(chosen.name, kind, chosen.dials)
    counter = DryRun(client(dials))
    for conversation in conversations:
        bot: Any = kind.make(dials, world, Random(0))
        bot.endpoint = _Script(
            counter, (move.text for move in conversation.moves if move.speaker == chosen.role), conversation.id
        )
        bot.start(conversation.goal if chosen.role == USER else None)
        before = ""
        for move in conversation.moves:
            if move.speaker == chosen.role:
                bot.reply(move.understood or (), before)
            before = move.text
    return counter.estimate
