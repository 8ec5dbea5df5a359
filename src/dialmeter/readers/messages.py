"""Messages of a log: who speaks, what is said, and which tools are called, in the shapes of all common interfaces.

A message has a role and a content. Tool calls are a field of the message (``tool_calls``, ``function_call``), parts of its content
(``tool_use``, ``functionCall``, ``tool-NAME``), a message of their own (``{"type": "function_call"}``), or words in its text
(``Action:``). The result of a tool is a message, a part of a message, or a field of the call; it is added to the call. If calls are
in the text, results are messages of the role user that begin with ``API output:``. The user did not write them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..errors import InputError, one_line, placing
from ..model import SYSTEM, USER, Step, ToolCall
from .strict_json import REFUSALS, decode_json
from .validation import as_list, as_mapping, as_text

TOOL_AS_USER = "tool as user"
"""The name under which tool results in messages of the role user are counted."""
_SPEAKERS = {"user": USER, "human": USER, "assistant": SYSTEM, "ai": SYSTEM, "agent": SYSTEM, "model": SYSTEM}
_PROMPTS = frozenset({"system", "developer"})
_TOOLS = frozenset({"tool", "function"})
_RESULT = "API output:"
_ERRORS = ("Error", "Unknown action")
"""First words of results that are errors, where no field says so."""
_ACTION = re.compile(r"(?:^|\n)[^\S\n]*Action:")
_RESPOND = "respond"
_CALL_LISTS = ("tool_calls", "toolCalls", "toolInvocations")
_CALL_OBJECTS = ("function_call", "functionCall", "toolUse", "toolCall", "tool_call", "tool_use", "toolInvocation")
CALL_FIELDS = (*_CALL_LISTS, *_CALL_OBJECTS)
"""Fields of a message with the calls of tools."""
_RESULT_OBJECTS = ("functionResponse", "function_response", "toolResult", "tool_result")
_NAMES = ("name", "toolName", "tool_name", "tool")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "kwargs", "tool_input", "input_parameters", "params_as_json")
_IDS = ("call_id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "id")
_RESULTS = ("output", "result", "response", "content", "errorText")
_CALL_KINDS = frozenset(
    ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "function_call", "mcp_call")
)
_RESULT_KINDS = frozenset(
    ("tool_result", "mcp_tool_result", "tool-result", "function_call_output", "function_response", "tool_call_response")
)
UNSEEN = frozenset(("thinking", "redacted_thinking", "reasoning"))
"""Types of parts and items that nobody sees."""


class Messages(NamedTuple):
    """The steps of a log, and the number of messages of each role."""

    steps: tuple[Step, ...]
    roles: dict[str, int]


class _Part(NamedTuple):
    """A part of a message: a text, a call (with its result, if it is there), or only the result of an earlier call."""

    text: str = ""
    id: str = ""
    call: ToolCall | None = None
    is_result: bool = False


def read_messages(value: Any, resolve: Callable[[str], str] = lambda text: text) -> Messages:
    """Convert a list of messages to steps.

    Args:
        value: the list.
        resolve: replaces references in a text by their targets.

    Raises:
        InputError: a message of an unknown role, or whose content is not a text; with its position.

    Example:
        >>> read_messages([
        ...     {"role": "user", "content": "A taxi!"},
        ...     {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "book", "arguments": {"to": "inn"}}]},
        ...     {"role": "tool", "tool_call_id": "1", "content": "booked"},
        ... ]).steps[1].calls
        (ToolCall(name='book', arguments={'to': 'inn'}, result='booked', failed=False, in_text=False, unreadable=False),)
    """
    steps = _Steps()
    roles: Counter[str] = Counter()
    for at, each in enumerate(as_list(value, "messages")):
        with placing(turn=at):
            message = as_mapping(each, "a message")
            role = as_text(message.get("role"), "role").lower()
            if is_call(message) or is_result(message):
                roles[role or "tool"] += 1
                steps.add(at, SYSTEM, [_part(message)])
                continue
            if role in _TOOLS:
                roles[role] += 1
                steps.add(at, SYSTEM, [_tool_result(message, resolve)])
                continue
            parts = [part._replace(text=resolve(part.text)) for part in _parts(message)]
            whole = " ".join(part.text for part in parts if part.text)
            if role == "user" and whole.startswith(_RESULT):
                roles[TOOL_AS_USER] += 1
                result = whole.removeprefix(_RESULT).strip()
                steps.add(at, SYSTEM, [_result(result, failed=result.startswith(_ERRORS))])
                continue
            roles["tool" if parts and all(part.is_result for part in parts) else role] += 1
            if role in _SPEAKERS:
                steps.add(at, _SPEAKERS[role], parts)
            elif role not in _PROMPTS:
                raise InputError(f"a message of role {one_line(role, 40)!r}; expected user, assistant, tool or system")
    return Messages(tuple(steps.steps), dict(roles))


class _Steps:
    """The steps so far, and the calls that have no result yet."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._pending: list[tuple[str, int, int]] = []

    def add(self, at: int, speaker: str, parts: Iterable[_Part]) -> None:
        """Add the parts of one message. Text before a call is for the tool; text after a call that has its result is for the other speaker."""
        texts: list[str] = []
        calls: list[tuple[str, ToolCall]] = []
        parts = list(parts)
        for part in parts:
            if part.is_result:
                self._add_result(at, part)
            elif part.call is not None:
                calls.append((part.id, part.call))
            elif calls and part.text and calls[-1][1].result is not None:
                self._add_calls(at, speaker, texts, calls)
                texts, calls = [part.text], []
            else:
                texts.append(part.text)
        text = " ".join(filter(None, texts))
        if calls:
            self._add_calls(at, speaker, texts, calls)
        elif speaker == SYSTEM and (in_text := _call_in_text(text)) is not None:
            aside, call = in_text
            if call.name == _RESPOND:
                self.steps.append(Step(at, speaker, text=str(call.arguments.get("content", "")), aside=aside))
            else:
                self._add_calls(at, speaker, [aside], [("", call)])
        elif text or not any(part.is_result for part in parts):
            self.steps.append(Step(at, speaker, text=text))

    def _add_calls(self, at: int, speaker: str, texts: Iterable[str], calls: list[tuple[str, ToolCall]]) -> None:
        # An environment passes a message with a tool call to the tool, not to the other speaker.
        waiting = [(name, place) for place, (name, call) in enumerate(calls) if call.result is None]
        self._pending += [(name, len(self.steps), place) for name, place in waiting]
        self.steps.append(
            Step(at, speaker, aside=" ".join(filter(None, texts)), calls=tuple(call for _, call in calls))
        )

    def _add_result(self, at: int, part: _Part) -> None:
        """Add a tool result to its call: the call with the same id, otherwise the first call without a result."""
        assert part.call is not None
        pending = next(
            (each for each in self._pending if part.id and each[0] == part.id), next(iter(self._pending), None)
        )
        if pending is None:
            # A result without a call, for example in a log that begins in the middle.
            self.steps.append(Step(at, SYSTEM, calls=(part.call,)))
            return
        self._pending.remove(pending)
        _, place, number = pending
        calls = list(self.steps[place].calls)
        calls[number] = replace(calls[number], result=part.call.result, failed=part.call.failed)
        self.steps[place] = replace(self.steps[place], calls=tuple(calls))


def is_call(value: Mapping[str, Any]) -> bool:
    """True if an object is a call by its type, as in a list of items of the Responses interface."""
    kind = value.get("type")
    if kind is None:
        return isinstance(value.get("name"), str) and "arguments" in value and "role" not in value
    return isinstance(kind, str) and (kind in _CALL_KINDS or kind == "dynamic-tool" or _is_named_tool(value, kind))


def _is_named_tool(value: Mapping[str, Any], kind: str) -> bool:
    return (
        kind.startswith("tool-")
        and kind not in _RESULT_KINDS
        and not {"input", "toolCallId", "output"}.isdisjoint(value)
    )


def is_result(value: Mapping[str, Any]) -> bool:
    """True if an object is the result of a call by its type."""
    if value.get("type") is None:
        return "call_id" in value and "role" not in value and "arguments" not in value
    return str(value["type"]) in _RESULT_KINDS


def _parts(message: Mapping[str, Any]) -> Iterator[_Part]:
    """Yield the parts of a message: texts, then calls that are fields of the message."""
    content = message.get("content")
    blocks = message.get("parts") if content in (None, "") and "parts" in message else content
    for used in as_list(message.get("tools_called") or [], "tools_called"):
        if called := _part(as_mapping(used, "a tool call")).call:
            yield _Part(call=replace(called, result=str(used.get("output") or "")))
    has_calls = False
    for block in _blocks(blocks):
        has_calls = has_calls or block.call is not None
        yield block
    if has_calls:
        return
    copies = message.get("additional_kwargs")
    for place in (message, copies if isinstance(copies, Mapping) else {}):
        listed = [call for key in _CALL_LISTS for call in as_list(place.get(key) or [], key)]
        listed += [call for key in _CALL_OBJECTS if (call := place.get(key)) is not None]
        for call in listed:
            yield _part(as_mapping(call, "a tool call"))
        if listed:
            return


def _blocks(content: Any) -> Iterator[_Part]:
    if isinstance(content, Mapping):
        inner = next((content[key] for key in ("parts", "content", "text", "message") if key in content), None)
        yield from _blocks(inner)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, str):
                yield _Part(block)
            else:
                yield from _block(as_mapping(block, "a part of content"))
    else:
        yield _Part(as_text(content, "content"))


def _block(block: Mapping[str, Any]) -> Iterator[_Part]:
    """Yield what a part of a content holds; parts such as pictures and thoughts hold nothing."""
    inner = next(
        (block[key] for key in (*_CALL_OBJECTS, *_RESULT_OBJECTS) if isinstance(block.get(key), Mapping)), None
    )
    if inner is not None:
        is_inner_result = any(key in block for key in _RESULT_OBJECTS)
        yield _tool_result(inner) if is_inner_result else _part(inner)
    elif is_call(block) or is_result(block):
        yield _part(block)
    elif str(block.get("type")) not in UNSEEN:
        text = block.get("text", block.get("content"))
        text = text.get("value") if isinstance(text, Mapping) else text
        if isinstance(text, str):
            yield _Part(text)


def _part(call: Mapping[str, Any]) -> _Part:
    """Return a call, or the result of one. The name may be in ``function``, and ``function`` may be the name itself."""
    if is_result(call):
        return _tool_result(call)
    function = call.get("function")
    fields = function if isinstance(function, Mapping) else call
    kind = str(call.get("type", ""))
    named = next((name for key in _NAMES if isinstance(name := fields.get(key), str)), None)
    name = function if isinstance(function, str) else named or (kind[5:] if kind.startswith("tool-") else "")
    arguments = next((fields[key] for key in _ARGUMENTS if fields.get(key) is not None), None)
    called = _call(name, arguments)
    if "toolCallId" in call and not {"output", "result", "errorText"}.isdisjoint(call):
        result = _tool_result({**call, "content": None, "error": call.get("errorText")}).call
        called = replace(called, result=result.result if result else "", failed=bool(call.get("errorText")))
    return _Part(id=_id(call), call=called)


def _id(call: Mapping[str, Any]) -> str:
    return next((str(call[key]) for key in _IDS if call.get(key)), "")


def _tool_result(message: Mapping[str, Any], resolve: Callable[[str], str] = lambda text: text) -> _Part:
    value = next((message[key] for key in ("content", *_RESULTS) if message.get(key) is not None), "")
    is_text = isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(each, Mapping | str) for each in value)
    )
    text = text_of(value) if is_text else json.dumps(value, ensure_ascii=False)
    failed = bool(message.get("error") or message.get("is_error") or message.get("status") == "error")
    # A message that says that there was no error is right, whatever the words of the result.
    failed = failed or (message.get("error") is not False and text.startswith(_ERRORS))
    name = next((name for key in (*_NAMES, "function") if isinstance(name := message.get(key), str)), "")
    return _result(resolve(text), _id(message), name, failed=failed)


def _result(text: str, call_id: str = "", name: str = "", *, failed: bool = False) -> _Part:
    return _Part(id=call_id, call=ToolCall(name, result=text, failed=failed), is_result=True)


def text_of(content: Any) -> str:
    """Return the text of a message content: a string, or the joined texts of its parts.

    Raises:
        InputError: the content is not a text.

    Example:
        >>> text_of([{"type": "text", "text": "a"}, {"type": "image", "image": "…"}, "b"]), text_of(None)
        ('a b', '')
    """
    return " ".join(part.text for part in _blocks(content) if part.text)


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call: an object, or JSON in a string. Any other value is stored as ``arguments``.

    Example:
        >>> arguments_of('{"a": 1}'), arguments_of("cut {"), arguments_of(None)
        ({'a': 1}, {'arguments': 'cut {'}, {})
    """
    if isinstance(arguments, str):
        try:
            parsed = decode_json(arguments) if arguments.strip() else {}
        except REFUSALS:
            parsed = None
        arguments = parsed if isinstance(parsed, dict) else arguments
    return arguments if isinstance(arguments, dict) else {} if arguments is None else {"arguments": arguments}


def _call(name: str, written: Any) -> ToolCall:
    """Return a call; unreadable arguments, which are no object, are kept as ``arguments``."""
    arguments = arguments_of(written)
    return ToolCall(name, arguments, unreadable=arguments == {"arguments": written})


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
    return text[: matches[-1].start()].strip(), replace(_call(call["name"], call.get("arguments")), in_text=True)
