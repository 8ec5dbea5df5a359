"""A language model behind an endpoint that is asked for JSON. Answers are cached, so that reading can be resumed."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from ...core.endpoint import ChatAnswer, ChatEndpoint, DryRun
from ...errors import UnreadableAnswer, one_line

T = TypeVar("T", bound=msgspec.Struct)


class JsonModel(Generic[T]):
    """Asks a model to do the same task with many texts.

    Args:
        task: what to do with a text.
        form: what an answer holds.
        url: of the endpoint.
        model: its name.
        key: the environment variable that holds the key.
        cache: a folder in which answers are kept.
    """

    def __init__(self, task: str, form: type[T], *, url: str, model: str, key: str, cache: str) -> None:
        self._task = task
        self._form = form
        self._endpoint = ChatEndpoint(url, model, key=key, cache=cache)
        self._asked: ChatEndpoint | DryRun = self._endpoint

    def count_requests(self) -> DryRun:
        """From now on, requests are counted and not sent; there is no answer where it is not known."""
        self._asked = counter = DryRun(self._endpoint)
        return counter

    def answer(self, text: str) -> T | None:
        """Return the answer to a text; None where it is not known and requests are only counted.

        Raises:
            UnreadableAnswer: what came is not JSON of the wanted form.
            DialmeterError: no answer, or the server refuses.
        """
        answer = self._asked.ask(
            [{"role": "system", "content": self._task}, {"role": "user", "content": text}],
            {"temperature": 0},
            optional={"response_format": {"type": "json_object"}},
            must_speak=True,
            is_readable=lambda known: self._read(known) is not None,
        )
        if answer is None:
            return None
        found = self._read(answer)
        if found is None:
            wanted = " and ".join(self._form.__struct_fields__)
            raise UnreadableAnswer(f"no JSON with {wanted}: {one_line(answer.text, 200)!r}")
        return found

    def _read(self, answer: ChatAnswer) -> T | None:
        try:
            return msgspec.json.decode(answer.text.strip().removeprefix("```json").removesuffix("```"), type=self._form)
        except msgspec.MsgspecError:
            return None
