"""Answers of chat endpoints: their content, function calls and failures."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...errors import InputError
from ...model import State, Value
from ..parts import as_mapping, refuse_tool_parts
from .objects import call_pairs
from .pairs import NotAState

_SHAPE = 'choices must be [{"message": {"content": "..."}}]'


class Answer(NamedTuple):
    """An answer of a model.

    Attributes:
        content: text, or parsed JSON.
        calls: the function calls; None if this type of answer cannot have calls, such as a plain text.
        failed: True if the endpoint failed, refused, or stopped at a limit.
        choices: number of alternative answers.
    """

    content: Any = None
    calls: list[Any] | None = None
    failed: bool = False
    choices: int = 1


def answer_in(completion: Any) -> Answer:
    """Return the answer in a response of an endpoint or of a batch. Anything else is returned as content.

    Raises:
        InputError: invalid ``choices``.

    Example:
        >>> answer_in({"choices": [{"message": {"content": "hello"}, "finish_reason": "length"}]})
        Answer(content='hello', calls=[], failed=True, choices=1)
    """
    if isinstance(completion, dict) and "status_code" in completion:
        failed = completion["status_code"] != 200
        answer = answer_in(completion.get("body"))
        return answer._replace(failed=failed or answer.failed)
    if isinstance(completion, dict) and "choices" in completion:
        return _first_choice(completion["choices"])
    if isinstance(completion, dict) and not {"tool_calls", "function_call"}.isdisjoint(completion):
        return _message_answer(completion)
    if isinstance(completion, list) and any(isinstance(each, dict) and "role" in each for each in completion):
        replies = [each for each in completion if isinstance(each, dict) and each.get("role") == "assistant"]
        return _message_answer(replies[-1]) if replies else Answer(failed=True)
    return Answer(completion)


def _first_choice(choices: Any) -> Answer:
    choice = as_mapping(choices[0], "a choice") if isinstance(choices, list) and choices else {}
    message = choice.get("message", choice)
    if not isinstance(message, dict) or {"content", "text", "tool_calls", "function_call"}.isdisjoint(message):
        raise InputError(_SHAPE)
    answer = _message_answer(message)
    failed = answer.failed or choice.get("finish_reason") in ("length", "content_filter")
    return answer._replace(failed=failed, choices=len(choices))


def _message_answer(message: dict[str, Any]) -> Answer:
    """Return the answer in a message of the assistant."""
    calls = message.get("tool_calls")
    single = message.get("function_call")
    if calls is not None and not isinstance(calls, list):
        raise InputError("tool_calls must be a list")
    listed = [*(calls or []), *([] if single is None else [{"type": "function", "function": single}])]
    content = message.get("content", message.get("text"))
    refuse_tool_parts(content)
    return Answer(content, listed, failed=bool(message.get("refusal")))


def state_of_calls(calls: list[Any]) -> tuple[State | None, bool]:
    """Return the state that the calls set, and True if a slot was set twice. The later call is used.

    The state is None if an argument cannot be parsed, or if a call is not a function call.

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
