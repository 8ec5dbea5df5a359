"""A language model as a judge with many kinds of servers: each reply is scored, or counted with the reason."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra llm is not installed")
from ...cli.invoke import Cli
from ..chat_server import Reply, saying, serve
from ..made import cases, write_cases

Answer = Callable[[dict[str, Any], int], Reply]


def message(**fields: Any) -> Reply:
    return 200, {"choices": [{"message": fields}]}, {}


def finished(reason: str | None, text: str, **more: Any) -> Reply:
    return 200, {"choices": [{"message": {"content": text}, "finish_reason": reason, **more}]}, {}


def stream(*parts: dict[str, Any]) -> Reply:
    lines = [f"data: {json.dumps({'choices': [{'delta': part}]})}" for part in parts]
    return 200, "\n\n".join([": keep-alive", *lines, "data: [DONE]", ""]), {"content-type": "text/event-stream"}


def slow(body: dict[str, Any], number: int) -> Reply:
    time.sleep(0.4)
    return saying("4")


def busy_first(body: dict[str, Any], number: int) -> Reply:
    return saying("4") if number % 2 else (429, "slow down", {"retry-after": "0"})


def broken_first(body: dict[str, Any], number: int) -> Reply:
    return saying("4") if number % 2 else (500, "tired", {"retry-after": "0"})


FAILED, UNREADABLE = "for which the server gave no answer", "whose answer could not be read"
REFUSED = "whose request failed"

SHAPES: dict[str, tuple[Answer, str, str]] = {
    # the answer, why replies are unscored (empty: they are scored), and the first error
    "busy, then an answer": (busy_first, "", ""),
    "an error, then an answer": (broken_first, "", ""),
    "streaming": (lambda b, n: stream({"content": '{"score"'}, {"content": ": 4}"}), "", ""),
    "streaming of reasoning": (lambda b, n: stream({"reasoning_content": "2 hotels"}, {"content": "4"}), "", ""),
    "reasoning in the text": (lambda b, n: saying("<think>2 hotels</think>4"), "", ""),
    "reasoning beside the text": (lambda b, n: message(content="4", reasoning_content="There are 2 hotels."), "", ""),
    "JSON in a fence": (lambda b, n: saying('```json\n{"reason": "2 of 3", "score": 4}\n```'), "", ""),
    "content in parts": (lambda b, n: message(content=[{"type": "text", "text": "4"}]), "", ""),
    "slow": (slow, FAILED, "no answer within 0.2 s (2 tries)"),
    "always an error": (lambda b, n: (500, "tired", {"retry-after": "0"}), FAILED, "status 500: tired (2 tries)"),
    "no key": (lambda b, n: (401, "who are you", {}), FAILED, "refuses: status 401: who are you"),
    "no money": (lambda b, n: (429, '{"code": "insufficient_quota"}', {}), FAILED, "refuses: status 429"),
    "a text that is too long": (lambda b, n: (400, "too long", {}), REFUSED, "refuses: status 400: too long"),
    "a tool call": (lambda b, n: message(content=None, tool_calls=[{"function": {"arguments": '{"score": 4}'}}]), "", ""),
    "a tool call beside text": (lambda b, n: message(content="I rate it.", function_call={"arguments": {"score": 4}}), "", ""),
    "a tool call in parts": (lambda b, n: stream(*({"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in ('{"sco', 're": 4}'))), "", ""),
    "a cut-off answer": (lambda b, n: finished("length", '{"reason": "I give 1 because the'), UNREADABLE, "the answer is cut off (length)"),
    "a cut-off number": (lambda b, n: finished("MAX_TOKENS", "Score: 4"), UNREADABLE, "the answer is cut off (MAX_TOKENS)"),
    "stop_reason": (lambda b, n: finished(None, "Score: 4", stop_reason="max_tokens"), UNREADABLE, "the answer is cut off (max_tokens)"),
    "a stop token": (lambda b, n: finished("stop", "Score: 4", stop_reason=128009), "", ""),
    "deep reasoning": (lambda b, n: (200, '{"choices": [{"message": {"reasoning": ' + "[" * 100_000, {}), UNREADABLE, "not an answer of a chat model"),
    "HTML": (lambda b, n: (200, "<html>log in</html>", {}), UNREADABLE, "not an answer of a chat model: '<html>"),
    "nothing": (lambda b, n: (200, "", {}), UNREADABLE, "not an answer of a chat model: ''"),
    "an empty answer": (lambda b, n: saying(""), UNREADABLE, "the answer is empty"),
    "null": (lambda b, n: message(content=None), UNREADABLE, "the answer is empty"),
    "no choices": (lambda b, n: (200, {"choices": []}, {}), UNREADABLE, "not an answer of a chat model"),
    "JSON of another kind": (lambda b, n: (200, {"error": "no"}, {}), UNREADABLE, "not an answer of a chat model"),
    "torn JSON": (lambda b, n: (200, '{"choices": [{"mess', {}), UNREADABLE, "not an answer of a chat model"),
    "a torn stream": (lambda b, n: (200, 'data: {"choices": [{"del', {}), UNREADABLE, "not an answer of a chat model"),
    "a refusal": (lambda b, n: message(content=None, refusal="I can't."), UNREADABLE, "the model refused: \"I can't.\""),
    "a refusal in words": (lambda b, n: saying("I'm sorry, I can't."), UNREADABLE, "no number from 1 to 5"),
    "JSON without a score": (lambda b, n: saying('{"reason": "good", "mark out": "A"}'), UNREADABLE, "no number from 1 to 5"),
    "JSON with a wrong score": (lambda b, n: saying('{"score": "high"}'), UNREADABLE, "the score 'high' is not a number"),
    "only reasoning": (lambda b, n: saying("<think>4 or 5"), UNREADABLE, "the answer has reasoning and no score"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str, tmp_path: Path, cli: Cli) -> None:
    answer, reason, why = SHAPES[name]
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",), 2))
    with serve(answer) as server:
        timeout = 0.2 if name == "slow" else 10
        judge = f'mine=llm(endpoint="{server.url}", model=m, retries=1, wait=0.001, timeout={timeout}, workers=1)'
        words = ["judge", "score", tmp_path / "cases.jsonl", "--judge", judge, "--judge", "overlap", "--quiet"]
        found = cli.json(*words, code=2 if reason else 0)
    account = found["accounts"]["mine"]
    [cell] = [each for each in found["scores"] if each["judge"] == "mine"]
    if not reason:
        assert (account["scored"], account["reasons"]) == (2, [])
        assert (cell["n"], cell["value"]) == (2, 1.0)
        return
    assert (account["asked"], account["scored"]) == (2, 0)
    assert [(each["reason"], each["count"]) for each in account["reasons"]] == [(reason, 2)]
    assert (cell["n"], cell["value"]) == (0, None)
    assert cell["reason"].startswith("no case was scored: ")
    assert why in cell["reason"]
