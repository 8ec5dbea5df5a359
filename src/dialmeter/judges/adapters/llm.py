"""A language model as a judge, over an OpenAI-compatible chat endpoint."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, stdev
from typing import Any

import msgspec

from ...errors import DialmeterError, MissingExtra, UnreadableAnswer, one_line
from ..judge import Item, called
from .answers import Answer, Answers
from .prompts import digit, expectation, filled, parse_scale, read_template

_TOO_MANY = 429
_SERVER = 500
_LONGEST_WAIT = 60.0


class LanguageModel:
    """Asks a chat model for a number.

    Args:
        endpoint: the base of the interface, such as ``http://127.0.0.1:8000/v1``.
        model: the name of the model.
        template: a file with the prompt, in which {context}, {reply}, {low} and {high} are filled in.
        scale: the ends of the scale, as in ``1-5``.
        parse: ``digit`` for the first number in the answer, ``logprobs`` for the mean over the scale's numbers.
        repeats: how often each reply is asked about; the score is the mean.
        temperature: of sampling; 0 for one repeat and 1 for several where it is not given (-1).
        cache: a folder in which answers are kept.
        key: the environment variable that holds the key; the key itself is never written anywhere.
        retries: how often a request that failed is sent again.
        wait: seconds before it is sent again, twice as long each time.
        timeout: seconds that an answer may take.
        workers: how many requests are under way at a time.
    """

    higher_is_better = True
    facets: frozenset[str] | None = None
    batch_size = 32
    stays = True

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        template: str = "",
        scale: str = "1-5",
        parse: str = "digit",
        repeats: int = 1,
        temperature: float = -1.0,
        cache: str = "",
        key: str = "OPENAI_API_KEY",
        retries: int = 5,
        wait: float = 1.0,
        timeout: float = 60.0,
        workers: int = 4,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("a language model as a judge", "llm") from None
        if parse not in ("digit", "logprobs"):
            raise DialmeterError(f"llm: parse is digit or logprobs, not {parse!r}")
        if repeats < 1:
            raise DialmeterError("llm: repeats is at least 1")
        if not endpoint.startswith(("http://", "https://")):
            raise DialmeterError(f"llm: endpoint {one_line(endpoint)!r} does not begin with http:// or https://")
        self._ends = parse_scale(scale)
        self.scale: tuple[float, float] | None = (float(self._ends[0]), float(self._ends[1]))
        self._template, self._parse, self._repeats = read_template(template), parse, repeats
        self._model = model
        self._temperature = temperature if temperature >= 0 else float(repeats > 1)
        self._url = endpoint.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._secret = os.environ.get(key, "")
        self._retries, self._wait, self._workers = retries, wait, workers
        headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
        self._http = httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)
        self._answers = Answers(cache)
        self._asked: Counter[str] = Counter()
        self._spread: dict[str, list[float]] = {}
        self.name = called("llm", model=(model, ""))
        digest = hashlib.sha256(self._template.encode()).hexdigest()[:10]
        self.identity = (
            f"llm({self._url}, model={model}, template={digest}, scale={scale}, parse={parse}, repeats={repeats}, "
            f"temperature={self._temperature:g})"
        )

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        asked = []
        for context, reply in items:
            prompt = filled(self._template, context, reply, self._ends)
            first = self._asked[prompt]
            self._asked[prompt] += self._repeats
            asked += [(prompt, number) for number in range(first, first + self._repeats)]
        with ThreadPoolExecutor(self._workers) as pool:
            scores = list(pool.map(lambda each: self._one(*each), asked))
        found = []
        for place in range(0, len(asked), self._repeats):
            own = scores[place : place + self._repeats]
            self._spread.setdefault(asked[place][0], []).extend(own)
            found.append(fmean(own))
        return found

    def stability(self) -> dict[str, Any]:
        """How far apart the answers about one reply lie: the mean standard deviation, and the share that never differ."""
        several = [scores for scores in self._spread.values() if len(scores) > 1]
        if self._repeats < 2 or not several:
            return {}
        return {
            "repeats": self._repeats,
            "asked": len(several),
            "sd": fmean(map(stdev, several)),
            "same": fmean(len(set(scores)) == 1 for scores in several),
        }

    def close(self) -> None:
        """Ends the connections."""
        self._http.close()

    def __del__(self) -> None:
        if hasattr(self, "_http"):
            self.close()

    def _one(self, prompt: str, number: int) -> float:
        told = [self._url, self._model, prompt, self._parse, list(self._ends), self._temperature, number]
        key = hashlib.sha256(msgspec.json.encode(told)).hexdigest()
        known = self._answers.get(key)
        if known is None:
            text, score = self._read(self._request(prompt, number))
            known = Answer(key, text, score)
            self._answers.add(known)
        return known.score

    def _request(self, prompt: str, number: int) -> Any:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self._temperature,
            "seed": number,
        }
        if self._parse == "logprobs":
            body |= {"logprobs": True, "top_logprobs": 20, "max_tokens": 5}
        wait = self._wait
        for attempt in range(self._retries + 1):
            done, why, asked_wait = self._attempt(body)
            if done is not None:
                return done
            if attempt < self._retries:
                time.sleep(min(_LONGEST_WAIT, max(wait, asked_wait)))
                wait *= 2
        raise DialmeterError(f"{self._model}: no answer after {self._retries + 1} attempts: {why}")

    def _attempt(self, body: dict[str, Any]) -> tuple[Any, str, float]:
        """The parsed answer; or None, the reason, and how long the server asks to wait."""
        import httpx

        try:
            answer = self._http.post(self._url, json=body)
        except httpx.TransportError as error:
            return None, self._safe(f"{type(error).__name__}: {error}"), 0.0
        if answer.status_code == _TOO_MANY or answer.status_code >= _SERVER:
            asked = answer.headers.get("retry-after", "")
            return None, self._safe(f"{answer.status_code} {answer.text}"), float(asked) if asked.isdecimal() else 0.0
        if answer.status_code != httpx.codes.OK:
            raise DialmeterError(f"{self._model}: the server says {self._safe(f'{answer.status_code} {answer.text}')}")
        try:
            return msgspec.json.decode(answer.content), "", 0.0
        except msgspec.DecodeError as error:
            raise UnreadableAnswer(f"{self._model}: the answer is not JSON ({error})") from None

    def _safe(self, text: str) -> str:
        return one_line(text.replace(self._secret, "(key)") if self._secret else text, 200)

    def _read(self, answer: Any) -> tuple[str, float]:
        try:
            choice = answer["choices"][0]
            text = str(choice["message"]["content"] or "")
            places = (choice.get("logprobs") or {}).get("content") or []
        except (KeyError, IndexError, TypeError, AttributeError):
            raise UnreadableAnswer(f"{self._model}: the answer has no choices[0].message.content") from None
        if self._parse == "logprobs":
            return text, expectation(places, self._ends)
        return text, digit(text, self._ends)
