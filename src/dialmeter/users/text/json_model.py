"""A language model at an endpoint that answers with JSON. Answers are cached, so reading can be resumed."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from ...core.endpoint import ChatAnswer, ChatEndpoint, DryRun
from ...errors import UnreadableAnswer, one_line

T = TypeVar("T", bound=msgspec.Struct)


class JsonModel(Generic[T]):
    """Sends the same task with different texts to a model.

    Args:
        task: the instruction for each text.
        form: the type of an answer.
        url: the URL of the endpoint.
        model: the name of the model.
        key: the environment variable with the API key.
        cache: a folder for cached answers.
    """

    def __init__(self, task: str, form: type[T], *, url: str, model: str, key: str, cache: str) -> None:
        self._task = task
        self._form = form
        self._endpoint = ChatEndpoint(url, model, key=key, cache=cache)
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
