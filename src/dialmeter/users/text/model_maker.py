"""A language model at an endpoint that answers with JSON, and a maker that uses it. Answers are cached, so reading can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from ...core.endpoint import ChatAnswer, ChatEndpoint, DryRun
from ...errors import UnreadableAnswer, one_line
from ...model import Act
from ...readers.validation import value_text
from ..profile import Profile
from .reader import TextSchema, TextTurn

T = TypeVar("T", bound=msgspec.Struct)


class JsonModel(Generic[T]):
    """Sends the same task with different texts to a model.

    Args:
        task: the instruction for each text.
        form: the type of an answer.
        place: the parameters of :class:`~dialmeter.core.endpoint.ChatEndpoint`.
    """

    def __init__(self, task: str, form: type[T], place: Mapping[str, Any]) -> None:
        self._task = task
        self._form = form
        self._endpoint = ChatEndpoint(**place)
        self._client: ChatEndpoint | DryRun = self._endpoint

    def count_requests(self) -> DryRun:
        """From now on, count requests instead of sending them. Only cached answers are returned."""
        self._client = counter = DryRun(self._endpoint)
        return counter

    def answer(self, text: str) -> T | None:
        """Return the answer to a text, or None if requests are only counted and the answer is not cached.

        Raises:
            UnreadableAnswer: the answer is not JSON of the expected form.
            DialmeterError: there is no answer, or the server refuses the request.
        """
        answer = self._client.ask(
            [{"role": "system", "content": self._task}, {"role": "user", "content": text}],
            {"temperature": 0},
            optional={"response_format": {"type": "json_object"}},
            must_speak=True,
            is_readable=lambda cached: self._parse(cached) is not None,
        )
        if answer is None:
            return None
        parsed = self._parse(answer)
        if parsed is None:
            fields = " and ".join(self._form.__struct_fields__)
            raise UnreadableAnswer(f"no JSON with {fields}: {one_line(answer.text, 200)!r}")
        return parsed

    def _parse(self, answer: ChatAnswer) -> T | None:
        if answer.is_truncated:
            return None
        try:
            return msgspec.json.decode(answer.text.strip().removeprefix("```json").removesuffix("```"), type=self._form)
        except (msgspec.MsgspecError, RecursionError):
            return None


_TASK = (
    'You label one turn of a dialogue. Answer with JSON: {"informs": [{"domain": .., "slot": .., "value": ..}], '
    '"requests": [{"domain": .., "slot": ..}]}. An inform is a value that the speaker states in this turn; a request is a '
    "slot that the speaker asks for in this turn. Use only the domains and slots that are listed. If any value is fine, the "
    "value is dontcare. Both lists may be empty."
)


class _Request(Struct):
    domain: str
    slot: str


class _Inform(_Request):
    value: str | int | float | bool


class _Answer(Struct):
    informs: list[_Inform] = []
    requests: list[_Request] = []


class ModelMaker:
    """Uses a language model to find the acts of a turn, with the names of the profile; see :class:`JsonModel`."""

    def __init__(self, profile: Profile, place: Mapping[str, Any]) -> None:
        self._arguments = (profile, place)
        self._words = profile.words
        self.requests = JsonModel(_TASK, _Answer, place)
        self.name = one_line(place["model"].replace("|", "/"), 80)
        """The name of the model, as in a signature."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelMaker, self._arguments

    def acts(self, turn: TextTurn, schema: TextSchema) -> tuple[Act, ...]:
        """Return the acts of a turn.

        Raises:
            UnreadableAnswer: the answer is not JSON of the expected form.
        """
        about = {
            "domains": {domain: sorted(slots) for domain, slots in sorted(schema.slots.items())},
            "before": turn.reply_to.text if turn.reply_to else "",
            "domain spoken of last": turn.domain or "",
            "speaker": turn.speaker,
            "turn": turn.text,
        }
        answer = self.requests.answer(msgspec.json.encode(about).decode())
        if answer is None:
            return ()
        acts = [
            *(Act(self._words.inform, each.domain, each.slot, (value_text(each.value),)) for each in answer.informs),
            *(Act(self._words.request, each.domain, each.slot, ("?",)) for each in answer.requests),
        ]
        return tuple(dict.fromkeys(act for act in acts if act.slot.lower() in schema.slots.get(act.service, ())))
