"""Conversion of the messages of a log to steps of user and agent, for all message formats; task ids, rewards, and optional numbers.

A message has a role and a content; everything else is optional. Tool calls are a field of a message (``tool_calls``).
Logs of agents without this field have them in the text. The result of a tool is a separate message, and is added to the
call. If calls are in the text, results are messages of the role user that begin with ``API output:``. The user did not
write them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import InputError, one_line, placing
from ...model import SYSTEM, USER, Conversation, Ending, Move, Notice, Step, ToolCall
from ..parts import as_list, as_mapping, as_text, refuse_tool_parts
from ..strict_json import REFUSALS, decode_json, kind_of

TOOL_AS_USER = "tool as user"
"""The name under which tool results in messages of the role user are counted."""
_SPEAKERS = {"user": USER, "human": USER, "assistant": SYSTEM, "ai": SYSTEM, "agent": SYSTEM}
_PROMPTS = frozenset({"system", "developer"})
_TOOLS = frozenset({"tool", "function"})
_RESULT = "API output:"
_ACTION = re.compile(r"(?:^|\n)[^\S\n]*Action:")
_RESPOND = "respond"
TOKENS: Mapping[str, Ending] = {
    "###STOP###": "user_stop",
    "###TRANSFER###": "transfer",
    "###OUT-OF-SCOPE###": "out_of_scope",
}
"""Tokens with which a simulated user ends a dialogue → ending."""
_INFRASTRUCTURE = re.compile(
    # Exceptions of clients, words of the network and of endpoints, status codes 429 and 5xx.
    r"APIConnectionError|RateLimitError|ServiceUnavailable|InternalServerError|APITimeoutError|\bTimeout(?:Error)?\b|ReadTimeout"
    r"|ConnectTimeout|ConnectionError|RemoteProtocolError|AuthenticationError|PermissionDenied|BadGateway|Bad Gateway"
    r"|Gateway Time-?out|Connection (?:reset|refused|aborted|error)|insufficient_quota|\bquota\b|Resource exhausted|overloaded"
    r'|"code": ?(?:429|5\d\d)|\b(?:status|code|HTTP)[ :=/\d.]{0,6}(?:429|5\d\d)\b',
    re.IGNORECASE,
)
# The endpoint works, and refuses what the agent sends.
_REFUSED = re.compile(r"ContextWindowExceeded|context_length|maximum context|ContentPolicy", re.IGNORECASE)
_IN_TOOL = re.compile(r"tau_bench/envs/\w+/tools/|tau2/environment/toolkit\.py|inspect_ai/model/_call_tools\.py")
"""A line of a traceback inside a tool."""


class Messages(NamedTuple):
    """The steps of a log, and the number of messages of each role."""

    steps: tuple[Step, ...]
    roles: dict[str, int]


def read_messages(thing: Any, resolve: Callable[[str], str] = lambda text: text) -> Messages:
    """Convert a list of messages to steps.

    Args:
        thing: the list.
        resolve: replaces references in a text by their targets.

    Raises:
        InputError: a message of an unknown role, or whose content is not a text; with its position.

    Example:
        >>> read_messages([
        ...     {"role": "user", "content": "A taxi!"},
        ...     {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "book", "arguments": {"to": "inn"}}]},
        ...     {"role": "tool", "tool_call_id": "1", "content": "booked"},
        ... ]).steps[1].calls
        (ToolCall(name='book', arguments={'to': 'inn'}, result='booked', failed=False, in_text=False),)
    """
    steps: list[Step] = []
    pending_calls: list[tuple[str, int, int]] = []
    roles: Counter[str] = Counter()
    for at, each in enumerate(as_list(thing, "messages")):
        with placing(turn=at):
            message = as_mapping(each, "a message")
            role = as_text(message.get("role"), "role").lower()
            text = resolve(text_of(message.get("content")))
            if role == "user" and text.startswith(_RESULT):
                roles[TOOL_AS_USER] += 1
                _add_result(steps, pending_calls, {"content": text.removeprefix(_RESULT).strip()}, at)
                continue
            roles[role] += 1
            if role in _TOOLS:
                _add_result(steps, pending_calls, {**message, "content": text}, at)
            elif role in _SPEAKERS:
                step, ids = _make_step(at, _SPEAKERS[role], text, message)
                pending_calls += [(name, len(steps), place) for place, name in enumerate(ids)]
                steps.append(step)
            elif role not in _PROMPTS:
                raise InputError(f"a message of role {one_line(role, 40)!r}; expected user, assistant, tool or system")
    return Messages(tuple(steps), dict(roles))


def text_of(content: Any) -> str:
    """Return the text of a message content: a string, or the joined texts of its parts.

    Raises:
        InputError: the content is not a text, or has tool calls or their results as parts.

    Example:
        >>> text_of([{"type": "text", "text": "a"}, {"type": "image", "image": "…"}, "b"]), text_of(None)
        ('a b', '')
    """
    if not isinstance(content, list):
        return as_text(content, "content")
    refuse_tool_parts(content)
    texts = []
    for part in content:
        text = part if isinstance(part, str) else as_mapping(part, "a part of content").get("text")
        if isinstance(text, str):
            texts.append(text)
    return " ".join(texts)


def _make_step(at: int, speaker: str, text: str, message: Mapping[str, Any]) -> tuple[Step, list[str]]:
    """Return the step of a message, and the ids of its tool calls, to which results refer."""
    calls = list(_calls(message))
    if calls:
        # An environment passes a message with a tool call to the tool, not to the other speaker.
        return Step(at, speaker, aside=text, calls=tuple(call for _, call in calls)), [name for name, _ in calls]
    if speaker == SYSTEM and (result := _call_in_text(text)) is not None:
        aside, call = result
        if call.name == _RESPOND:
            return Step(at, speaker, text=str(call.arguments.get("content", "")), aside=aside), []
        return Step(at, speaker, aside=aside, calls=(call,)), [""]
    return Step(at, speaker, text=text), []


def _calls(message: Mapping[str, Any]) -> Iterable[tuple[str, ToolCall]]:
    calls = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
    for each in as_list(calls, "tool_calls"):
        call = as_mapping(each, "a tool call")
        function = call.get("function")
        fields = function if isinstance(function, dict) else call
        name = function if isinstance(function, str) else fields.get("name")
        yield str(call.get("id") or ""), ToolCall(as_text(name, "the name of a tool"), arguments_of(fields))


def arguments_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a call: an object, or JSON in a string. Any other value is stored as ``arguments``.

    Example:
        >>> arguments_of({"arguments": '{"a": 1}'}), arguments_of({"arguments": "cut {"}), arguments_of({})
        ({'a': 1}, {'arguments': 'cut {'}, {})
    """
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        try:
            parsed = decode_json(arguments) if arguments.strip() else {}
        except REFUSALS:
            parsed = None
        arguments = parsed if isinstance(parsed, dict) else arguments
    return arguments if isinstance(arguments, dict) else {} if arguments is None else {"arguments": arguments}


def _call_in_text(text: str) -> tuple[str, ToolCall] | None:
    """Return the text before the last ``Action:`` and the call after it; None if there is no call."""
    matches = list(_ACTION.finditer(text))
    if not matches:
        return None
    try:
        call = decode_json(text[matches[-1].end() :])
    except REFUSALS:
        return None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return None
    return text[: matches[-1].start()].strip(), ToolCall(call["name"], arguments_of(call), in_text=True)


def _add_result(
    steps: list[Step], pending_calls: list[tuple[str, int, int]], message: Mapping[str, Any], at: int
) -> None:
    """Add a tool result to its call: the call with the same id, otherwise the first call without a result."""
    call_id = str(message.get("tool_call_id") or message.get("id") or "")
    pending = next(
        (each for each in pending_calls if call_id and each[0] == call_id), pending_calls[0] if pending_calls else None
    )
    text = str(message["content"])
    failed = bool(message.get("error")) or text.startswith("Error")
    if pending is None:
        # A result without a call, for example in a log that begins in the middle.
        name = message.get("name") or message.get("function")
        call = ToolCall(name if isinstance(name, str) else "", result=text, failed=failed)
        steps.append(Step(at, SYSTEM, calls=(call,)))
        return
    pending_calls.remove(pending)
    _, place, number = pending
    calls = list(steps[place].calls)
    calls[number] = replace(calls[number], result=text, failed=failed)
    steps[place] = replace(steps[place], calls=tuple(calls))


def ending_token(steps: Iterable[Step]) -> Ending | None:
    """Return the ending of the last ending token of the user; None if there is no token.

    Example:
        >>> ending_token([Step(0, "user", "Thanks. ###STOP###")])
        'user_stop'
    """
    ending: Ending | None = None
    for step in steps:
        if step.speaker == USER:
            ending = next((meaning for token, meaning in TOKENS.items() if token in step.text), ending)
    return ending


def ending_of_error(text: str, traceback: str = "") -> Ending:
    """Tell an infrastructure error from a crash, by the error that ended a run. What a tool raises is a crash, whatever its words.

    Example:
        >>> ending_of_error("litellm.APIConnectionError: [Errno 54] Connection reset by peer"), ending_of_error("KeyError: 'name'")
        ('infrastructure', 'crash')
        >>> ending_of_error("TimeoutError", 'File "tau_bench/envs/retail/tools/cancel.py", line 3, in invoke')
        'crash'
    """
    raised_in_tool = _IN_TOOL.search(traceback.replace("\\", "/"))
    is_outside = _INFRASTRUCTURE.search(text) and not _REFUSED.search(text) and not raised_in_tool
    return "infrastructure" if is_outside else "crash"


def plain_text(text: str) -> str:
    """Remove the ending tokens from a text.

    Example:
        >>> plain_text("Thanks. ###STOP###")
        'Thanks.'
    """
    for token in TOKENS:
        text = text.replace(token, "")
    return text.strip()


def as_conversation(name: str, steps: Iterable[Step]) -> Conversation:
    """Convert the steps of a log to a conversation.

    Consecutive steps of one speaker become one move. Tool calls, and text that the other speaker does not see, are
    omitted.

    Raises:
        InputError: there are no utterances.

    Example:
        >>> steps = [Step(1, "user", "Hi"), Step(2, "system", aside="I look.", calls=(ToolCall("find"),)), Step(4, "system", "Found.")]
        >>> [(move.speaker, move.text) for move in as_conversation("1", steps).moves]
        [('user', 'Hi'), ('system', 'Found.')]
    """
    moves: list[Move] = []
    for step in steps:
        text = plain_text(step.text)
        if not text:
            continue
        if moves and moves[-1].speaker == step.speaker:
            moves[-1] = Move(step.speaker, f"{moves[-1].text}\n{text}")
        else:
            moves.append(Move(step.speaker, text))
    if not moves:
        raise InputError("a dialogue without utterances", dialogue=name)
    return Conversation(name, tuple(moves))


CLOSE = 1e-6
"""Tolerance for rewards: a reward within this distance of 1 is a success."""


def task_id(thing: Any, key: str = "task_id") -> str:
    """Return the id of a task as a string. It may be written as a number.

    Raises:
        InputError: the id is empty or of another type.

    Example:
        >>> task_id(3), task_id("task_019")
        ('3', 'task_019')
    """
    if isinstance(thing, bool) or not isinstance(thing, str | int) or thing == "":
        raise InputError(f"{key} must be a number or a string, found {kind_of(thing)}")
    return str(thing)


def trial_number(thing: Any, key: str = "trial") -> int:
    """Return the number of a trial; 0 if it is absent.

    Raises:
        InputError: not a whole number.
    """
    if thing is None:
        return 0
    if isinstance(thing, bool) or not isinstance(thing, int) or not 0 <= thing < 10**9:
        raise InputError(f"{key} must be a whole number, found {one_line(str(thing), 40)}")
    return thing


def dialogue_name(task: str, trial: int) -> str:
    """Return the id of a dialogue, made of task and trial.

    Example:
        >>> dialogue_name("3", 1)
        '3:1'
    """
    return f"{task}:{trial}"


def reward_of(thing: Any) -> dict[str, float]:
    """Return a reward between 0 and 1 under the name ``reward``; an empty dict if it is absent.

    Raises:
        InputError: not a number between 0 and 1.

    Example:
        >>> reward_of(1), reward_of(None)
        ({'reward': 1.0}, {})
    """
    if thing is None:
        return {}
    if isinstance(thing, bool) or not isinstance(thing, int | float):
        raise InputError(f"reward must be a number, found {kind_of(thing)}")
    if not -CLOSE <= thing <= 1 + CLOSE:
        raise InputError(f"reward must be between 0 and 1, found {one_line(str(thing), 40)}")
    return {"reward": float(thing)}


def amounts(**given: Any) -> dict[str, float]:
    """Return the fields that are finite numbers.

    Example:
        >>> amounts(agent=0.5, user=None)
        {'agent': 0.5}
    """
    return {name: float(value) for name, value in given.items() if amount(value) is not None}


def amount(value: Any) -> float | None:
    """Return a finite number, such as a cost or a duration; None for anything else.

    Example:
        >>> amount(2), amount(None), amount("2")
        (2.0, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if is_number else None


def goal_key(instruction: str) -> str:
    """Return ten hexadecimal digits that identify an instruction; an empty string for an empty instruction.

    Example:
        >>> len(goal_key("Book a room.")), goal_key("")
        (10, '')
    """
    return hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()[:10] if instruction else ""


def other_goals(logs: Iterable[Mapping[str, str]]) -> list[Notice]:
    """Return a notice about tasks that have the same id in several logs but different goals.

    Args:
        logs: for each log, task → goal key. Tasks with an empty key are ignored.

    Example:
        >>> [notice.count for notice in other_goals([{"1": "a", "2": "b"}, {"1": "a", "2": "c"}])]
        [1]
    """
    keys: dict[str, set[str]] = {}
    for log in logs:
        for task, key in log.items():
            keys.setdefault(task, set()).update([key] if key else [])
    differing = sorted(task for task, goal_keys in keys.items() if len(goal_keys) > 1)
    message = f"{len(differing)} tasks have different goals in several logs; check that the logs are of the same tasks"
    return [Notice("other-goals", len(differing), message, tuple(differing[:5]))] if differing else []


def optional_mapping(thing: Any, what: str) -> Mapping[str, Any]:
    """Return an object; an empty mapping if it is absent.

    Raises:
        InputError: not an object.

    Example:
        >>> optional_mapping({"a": 1}, "info"), optional_mapping(None, "info")
        ({'a': 1}, {})
    """
    return {} if thing is None else as_mapping(thing, what)


def mapping_or_empty(thing: Any) -> Mapping[str, Any]:
    """Return an object; an empty mapping for anything else.

    Example:
        >>> mapping_or_empty({"a": 1}), mapping_or_empty(None)
        ({'a': 1}, {})
    """
    return thing if isinstance(thing, dict) else {}
