"""A language model behind an OpenAI-compatible endpoint, as user or as system.

The model speaks in text; its acts are what can be read in the text. The key comes from an environment variable and goes nowhere
but to the endpoint.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from ...core.secrets import IN_ANSWERS, mask_secret, read_secret
from ...errors import DialmeterError, MissingExtra, one_line
from ...model import SYSTEM, USER, Act, Goal, Move
from ..language.acts import intent_of, value_of
from ..language.understand import understand
from ..world.database import World
from ..world.schema import DOMAINS
from .agent import Kind
from .prompts import notes, system_prompt, user_prompt

if TYPE_CHECKING:
    import httpx

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
