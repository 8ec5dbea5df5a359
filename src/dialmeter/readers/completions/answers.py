"""Answers of chat endpoints: what they say, which functions they call, and why some say nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...errors import InputError
from ...model import State, Value
from ..parts import as_mapping
from .objects import call_pairs
from .pairs import NotAState

_SHAPE = 'choices must read [{"message": {"content": "..."}}]'


class Answer(NamedTuple):
    """An answer of a model.

    Attributes:
        content: text, or a thing that is parsed already.
        calls: the functions that it calls; None where the answer cannot call any, as text alone.
        failed: did the endpoint fail, refuse, or stop at a limit?
        choices: how many answers there were to choose from.
    """

    content: Any = None
    calls: list[Any] | None = None
    failed: bool = False
    choices: int = 1


def answer_in(completion: Any) -> Answer:
    """The answer in what an endpoint or a batch of requests gave; anything else is content.

    Raises:
        InputError: choices that are not written like those of an endpoint.

    Example:
        >>> answer_in({"choices": [{"message": {"content": "hello"}, "finish_reason": "length"}]})
        Answer(content='hello', calls=[], failed=True, choices=1)
    """
    if isinstance(completion, dict) and "status_code" in completion:
        failed = completion["status_code"] != 200
        found = answer_in(completion.get("body"))
        return found._replace(failed=failed or found.failed)
    if isinstance(completion, dict) and "choices" in completion:
        return _chosen(completion["choices"])
    if isinstance(completion, dict) and not {"tool_calls", "function_call"}.isdisjoint(completion):
        return _said(completion)
    if isinstance(completion, list) and any(isinstance(each, dict) and "role" in each for each in completion):
        spoken = [each for each in completion if isinstance(each, dict) and each.get("role") == "assistant"]
        return _said(spoken[-1]) if spoken else Answer(failed=True)
    return Answer(completion)


def _chosen(choices: Any) -> Answer:
    choice = as_mapping(choices[0], "a choice") if isinstance(choices, list) and choices else {}
    message = choice.get("message", choice)
    if not isinstance(message, dict) or {"content", "text", "tool_calls", "function_call"}.isdisjoint(message):
        raise InputError(_SHAPE)
    found = _said(message)
    failed = found.failed or choice.get("finish_reason") in ("length", "content_filter")
    return found._replace(failed=failed, choices=len(choices))


def _said(message: dict[str, Any]) -> Answer:
    """The answer in a message of the assistant."""
    calls = message.get("tool_calls")
    single = message.get("function_call")
    if calls is not None and not isinstance(calls, list):
        raise InputError("tool_calls must be a list")
    listed = [*(calls or []), *([] if single is None else [{"type": "function", "function": single}])]
    content = message.get("content", message.get("text"))
    return Answer(content, listed, failed=bool(message.get("refusal")))


def state_of_calls(calls: list[Any]) -> tuple[State | None, bool]:
    """The state that calls set together, and whether one slot was set twice; the later call holds.

    The state is None where an argument cannot be read, or where something else than a function is called.

    Example:
        >>> state_of_calls([{"function": {"name": "hotel", "arguments": '{"area": "north"}'}}])
        ({'hotel-area': 'north'}, False)
        >>> state_of_calls([{"function": {"name": "hotel", "arguments": '{"area": "nor'}}])
        (None, False)
    """
    state: dict[str, Value] = {}
    repeated = False
    try:
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                raise NotAState
            for slot, value in call_pairs(function["name"], function.get("arguments")):
                repeated |= slot in state
                if value is None:
                    state.pop(slot, None)
                else:
                    state[slot] = value
    except (NotAState, RecursionError):
        return None, False
    return state, repeated
