"""Client for chat endpoints, tested against a real local server and with a clock that does not wait."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra llm is not installed")
from dialmeter.core.endpoint import BudgetSpent, ChatAnswer, ChatEndpoint, Price, Throttle
from dialmeter.errors import DialmeterError, UnreadableAnswer

from ..judges.chat_server import FakeClock, Reply, Server, saying, serve

HELLO = [{"role": "user", "content": "Hello."}]


def endpoint(server: Server, **more: Any) -> ChatEndpoint:
    return ChatEndpoint(server.url, "small", **{"clock": FakeClock(), **more})


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"messages": [{"role": "user", "content": str(number)}]} for number in range(count)]


@pytest.mark.parametrize("workers", [1, 8])
def test_server_refusing_requests(workers: int) -> None:
    def answer(body: dict[str, Any], number: int) -> Reply:
        return saying(body["messages"][0]["content"]) if number % 3 == 2 else (429, "slow down", {"retry-after": "2"})

    with serve(answer) as server:
        client = endpoint(server, concurrency=workers, retries=0)
        [results] = client.ask_batches([numbered(60)])
        client.close()
    assert [each.text for each in results if isinstance(each, ChatAnswer)] == [str(number) for number in range(60)]
    assert len(server.asked) == client.usage.requests <= 3 * 60
    assert client.usage.busy == client.usage.requests - 60


def test_adaptive_concurrency() -> None:
    """The server refuses requests while two are running. The client adapts its number of concurrent requests."""
    lock, running = Lock(), [0]

    def answer(body: dict[str, Any], number: int) -> Reply:
        with lock:
            running[0] += 1
            is_full = running[0] > 2
        with lock:
            running[0] -= 1
        return (429, "full", {}) if is_full else saying("4")

    with serve(answer) as server:
        client = endpoint(server, concurrency=16)
        [results] = client.ask_batches([numbered(100)])
        client.close()
    assert {each.text for each in results if isinstance(each, ChatAnswer)} == {"4"}
    assert len(results) == 100


def test_limit_of_throttle() -> None:
    clock = FakeClock()
    throttle = Throttle(8, clock)
    with throttle.turn() as one, throttle.turn() as two:
        throttle.refused(5.0, one)
        throttle.refused(1.0, two)
    assert throttle.limit == 4
    with throttle.turn() as three:
        assert clock.pauses == [5.0]
        throttle.refused(0.0, three)
    assert throttle.limit == 2
    for _ in range(2):
        throttle.answered()
    assert throttle.limit == 3
    for _ in range(100):
        throttle.answered()
    assert throttle.limit == 8


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Mon, 01 Jan 2024 00:00:09 GMT"}, 0.0),
        ({"retry-after": "soon"}, 1.0),
        ({"retry-after": "nan"}, 1.0),
        ({}, 1.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(status: int, headers: dict[str, str], pause: float) -> None:
    clock = FakeClock()
    with serve(lambda body, number: saying("4") if number else (status, "later", headers)) as server:
        client = endpoint(server, clock=clock)
        assert client.ask(HELLO).text == "4"
        client.close()
    assert sum(clock.pauses) == pytest.approx(pause)


def test_retry_after_as_date() -> None:
    clock = FakeClock()
    later = formatdate(time.time() + 100, usegmt=True)
    with serve(lambda body, number: saying("4") if number else (429, "later", {"retry-after": later})) as server:
        client = endpoint(server, clock=clock)
        client.ask(HELLO)
        client.close()
    assert 90 < sum(clock.pauses) <= 101


def test_busy_server_fails_after_ten_minutes() -> None:
    clock = FakeClock()
    with serve(lambda body, number: (429, "later", {"retry-after": "90"})) as server:
        client = endpoint(server, clock=clock)
        with pytest.raises(DialmeterError, match=r"status 429: later \(busy for 600 s\)"):
            client.ask(HELLO)
        client.close()
    assert clock.monotonic() <= 600


def test_exhausted_quota() -> None:
    with serve(lambda body, number: (429, '{"error": {"code": "insufficient_quota"}}', {})) as server:
        client = endpoint(server)
        with pytest.raises(DialmeterError, match="refuses: status 429"):
            client.ask(HELLO)
        client.close()
    assert len(server.asked) == 1


def events(*parts: dict[str, Any]) -> Reply:
    lines = [f"data: {json.dumps(part)}" for part in parts]
    return 200, "\n\n".join([": keep-alive", *lines, "data: [DONE]", ""]), {"content-type": "text/event-stream"}


STREAM = events(
    {"choices": [{"delta": {"role": "assistant", "content": ""}}]},
    {"choices": [{"delta": {"reasoning_content": "Hm. "}}]},
    {"choices": [{"delta": {"content": "Rating: "}}]},
    {"choices": [{"delta": {"content": "4"}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}},
)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (STREAM, ChatAnswer("Rating: 4", reasoning="Hm. ", finish="stop", prompt_tokens=10, answer_tokens=3)),
        (
            (200, {"choices": [{"message": {"content": None, "refusal": "I can't."}, "finish_reason": "stop"}]}, {}),
            ChatAnswer("", refusal="I can't.", finish="stop", prompt_tokens=6, is_estimated=True),
        ),
        (
            (200, {"choices": [{"message": {"content": [{"type": "text", "text": "4"}]}}]}, {}),
            ChatAnswer("4", prompt_tokens=6, answer_tokens=1, is_estimated=True),
        ),
    ],
    ids=["stream", "refusal", "parts"],
)
def test_forms_of_answers(reply: Reply, expected: ChatAnswer) -> None:
    with serve(lambda body, number: reply) as server:
        client = endpoint(server)
        assert client.ask(HELLO) == expected
        client.close()


@pytest.mark.parametrize(
    "reply",
    [
        (200, "<html>log in</html>", {}),
        (200, "", {}),
        (200, {"choices": []}, {}),
        (200, {"choices": [{"text": "4"}]}, {}),
        (200, {"error": "no"}, {}),
        (200, "[1, 2]", {}),
        (200, 'data: {"choices": [{"delta": {"content": "4"', {}),
    ],
    ids=str,
)
def test_responses_without_answer(reply: Reply) -> None:
    with serve(lambda body, number: reply) as server:
        client = endpoint(server, retries=2)
        with pytest.raises(UnreadableAnswer, match=r"not an answer of a chat model: .* \(3 tries\)"):
            client.ask(HELLO)
        client.close()
    assert len(server.asked) == 3


def test_rejected_parameters_omitted() -> None:
    def answer(body: dict[str, Any], number: int) -> Reply:
        return (400, "Unknown parameter: response_format", {}) if "response_format" in body else saying("4")

    with serve(answer) as server:
        client = endpoint(server)
        for number in range(2):
            assert client.ask(HELLO, {"temperature": None}, optional={"response_format": {}}, repeat=number).text == "4"
        client.close()
    assert [sorted(each.body) for each in server.asked] == [
        ["messages", "model", "response_format", "seed"],
        ["messages", "model", "seed"],
        ["messages", "model", "seed"],
    ]


def test_parameters_after_other_refusal() -> None:
    def answer(body: dict[str, Any], number: int) -> Reply:
        return (400, "too long", {}) if body["messages"][0]["content"] == "long" else saying("4")

    with serve(answer) as server:
        client = endpoint(server)
        with pytest.raises(DialmeterError, match="refuses: status 400: too long"):
            client.ask([{"role": "user", "content": "long"}], optional={"response_format": {}})
        client.ask(HELLO, optional={"response_format": {}})
        client.close()
    assert ["response_format" in each.body for each in server.asked] == [True, False, True]


def test_run_continues_from_cache(tmp_path: Path) -> None:
    is_down = True

    def answer(body: dict[str, Any], number: int) -> Reply:
        return (401, "no", {}) if is_down and number >= 3 else saying("4")

    with serve(answer) as server:
        client = endpoint(server, cache=str(tmp_path), concurrency=1)
        assert [isinstance(each, ChatAnswer) for each in next(client.ask_batches([numbered(5)]))] == [True] * 3 + [
            False
        ] * 2
        client.close()
        is_down = False
        client = endpoint(server, cache=str(tmp_path))
        assert all(isinstance(each, ChatAnswer) for each in next(client.ask_batches([numbered(5)])))
        client.close()
    assert (client.usage.requests, client.usage.answers, client.usage.cached) == (2, 2, 3)


def test_cost_stays_under_limit() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 500}
    reply: Reply = (200, {"choices": [{"message": {"content": "4"}}], "usage": usage}, {})
    long = [{"messages": [{"role": "user", "content": f"{number:04000d}"}]} for number in range(20)]
    with serve(lambda body, number: reply) as server:
        client = endpoint(server, price="in=1,out=2", max_cost=0.0101, concurrency=1)
        [results] = client.ask_batches([long])
        client.close()
    assert client.cost == pytest.approx(0.010)
    assert [isinstance(each, ChatAnswer) for each in results] == [True] * 5 + [False] * 15
    assert isinstance(results[-1], BudgetSpent)
    assert len(server.asked) == 5


@pytest.mark.parametrize("text", ["", "in=1", "in=x,out=1", "in=1,out=-1", "in=1,out=2,more=3", "1,2", "in=nan,out=1"])
def test_invalid_prices(text: str) -> None:
    with pytest.raises(DialmeterError, match="price per million tokens"):
        Price.parse(text)


@pytest.mark.parametrize("url", ["", "127.0.0.1:80", "ftp://127.0.0.1/", "http://", "http://name:word@127.0.0.1/"])
def test_invalid_addresses(url: str) -> None:
    with pytest.raises(DialmeterError) as refused:
        ChatEndpoint(url, "small")
    assert "word@" not in str(refused.value)


def test_redirection_is_not_followed() -> None:
    with serve(lambda body, number: (302, "", {"location": "http://127.0.0.1:9/"})) as server:
        client = endpoint(server)
        with pytest.raises(DialmeterError, match="refuses: status 302"):
            client.ask(HELLO)
        client.close()
