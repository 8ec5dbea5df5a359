"""A maker that uses a language model at an endpoint."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from ...core.endpoint import DryRun
from ...errors import one_line
from ...model import Act
from ...readers.parts import value_text
from ..profile import Profile
from .json_model import JsonModel
from .reader import TextSchema, TextTurn

_TASK = (
    'You label one turn of a dialogue. Answer with JSON: {"informs": [{"domain": .., "slot": .., "value": ..}], '
    '"requests": [{"domain": .., "slot": ..}]}. An inform is a value that the speaker states in this turn; a request is a '
    "slot that the speaker asks for in this turn. Use only the domains and slots that are listed. If any value is fine, the "
    "value is dontcare. Both lists may be empty."
)


class _Inform(Struct):
    domain: str
    slot: str
    value: str | int | float | bool


class _Request(Struct):
    domain: str
    slot: str


class _Answer(Struct):
    informs: list[_Inform] = []
    requests: list[_Request] = []


class ModelMaker:
    """Uses a language model to find the acts of a turn.

    Args:
        profile: the names of acts.
        url: the URL of the endpoint.
        model: the name of the model.
        key: the environment variable with the API key.
        cache: a folder for cached answers.
    """

    def __init__(self, profile: Profile, url: str, model: str, key: str = "OPENAI_API_KEY", cache: str = "") -> None:
        self._arguments = (profile, url, model, key, cache)
        self._words = profile.words
        self._model = JsonModel(_TASK, _Answer, url=url, model=model, key=key, cache=cache)
        self.name = one_line(model.replace("|", "/"), 80)
        """The name of the model, as in a signature."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelMaker, self._arguments

    def count_requests(self) -> DryRun:
        """From now on, count requests instead of sending them. A turn without a cached answer has no acts."""
        return self._model.count_requests()

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
        answer = self._model.answer(msgspec.json.encode(about).decode())
        if answer is None:
            return ()
        informs = [
            Act(self._words.inform, each.domain, each.slot, (value_text(each.value),))
            for each in answer.informs
            if each.slot.lower() in schema.slots.get(each.domain, ())
        ]
        requests = [
            Act(self._words.request, each.domain, each.slot, ("?",))
            for each in answer.requests
            if each.slot.lower() in schema.slots.get(each.domain, ())
        ]
        return tuple(dict.fromkeys([*informs, *requests]))
