"""The messages of a log as steps of user and agent, whatever dialect they are written in.

Messages have a role and a content; everything else may be absent. Calls of tools are fields of a message
(``tool_calls``), or part of its text in logs of agents without such fields. The result of a tool is a message of its
own and becomes part of the call. In the logs of agents whose calls are part of the text, the results are messages in
the role of the user that begin with ``API output:``; they are not the user's words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ...errors import InputError, one_line, placing
from ...model import SYSTEM, USER, Conversation, Ending, Move, Step, ToolCall
from ..parts import as_list, as_mapping, as_text
from ..strict_json import REFUSALS, decode_json

TOOL_AS_USER = "tool as user"
"""The role under which results of tools are counted that are written in the role of the user."""
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
"""Tokens with which a simulated user ends a dialogue, and what they mean."""


class Messages(NamedTuple):
    """The steps of a log, and how many messages of each role it has."""

    steps: tuple[Step, ...]
    roles: dict[str, int]


def read_messages(thing: Any, resolve: Callable[[str], str] = lambda text: text) -> Messages:
    """The steps of a list of messages.

    Args:
        thing: the list.
        resolve: replaces references in texts by what they refer to.

    Raises:
        InputError: a message without a known role, or with a content that is no text; with its place.

    Example:
        >>> read_messages([
        ...     {"role": "user", "content": "A taxi!"},
        ...     {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "name": "book", "arguments": {"to": "inn"}}]},
        ...     {"role": "tool", "tool_call_id": "1", "content": "booked"},
        ... ]).steps[1].calls
        (ToolCall(name='book', arguments={'to': 'inn'}, result='booked', failed=False, in_text=False),)
    """
    steps: list[Step] = []
    waiting: list[tuple[str, int, int]] = []
    roles: Counter[str] = Counter()
    for at, each in enumerate(as_list(thing, "messages")):
        with placing(turn=at):
            message = as_mapping(each, "a message")
            role = as_text(message.get("role"), "role").lower()
            text = resolve(text_of(message.get("content")))
            if role == "user" and text.startswith(_RESULT):
                roles[TOOL_AS_USER] += 1
                _answer(steps, waiting, {"content": text.removeprefix(_RESULT).strip()}, at)
                continue
            roles[role] += 1
            if role in _TOOLS:
                _answer(steps, waiting, {**message, "content": text}, at)
            elif role in _SPEAKERS:
                step, ids = _step(at, _SPEAKERS[role], text, message)
                waiting += [(name, len(steps), place) for place, name in enumerate(ids)]
                steps.append(step)
            elif role not in _PROMPTS:
                raise InputError(
                    f"a message of role {one_line(role, 40)!r}; user, assistant, tool or system is expected"
                )
    return Messages(tuple(steps), dict(roles))


def text_of(content: Any) -> str:
    """The text of a message: a string, or the texts of its parts.

    Example:
        >>> text_of([{"type": "text", "text": "a"}, {"type": "image", "image": "…"}, "b"]), text_of(None)
        ('a b', '')
    """
    if not isinstance(content, list):
        return as_text(content, "content")
    texts = []
    for part in content:
        found = part if isinstance(part, str) else as_mapping(part, "a part of content").get("text")
        if isinstance(found, str):
            texts.append(found)
    return " ".join(texts)


def _step(at: int, speaker: str, text: str, message: Mapping[str, Any]) -> tuple[Step, list[str]]:
    """A step with its calls, and the ids under which their results come."""
    calls = list(_calls(message))
    if calls:
        # Environments pass a message with a call to the tool, not to the other side.
        return Step(at, speaker, aside=text, calls=tuple(call for _, call in calls)), [name for name, _ in calls]
    if speaker == SYSTEM and (found := _call_in_text(text)) is not None:
        aside, call = found
        if call.name == _RESPOND:
            return Step(at, speaker, text=str(call.arguments.get("content", "")), aside=aside), []
        return Step(at, speaker, aside=aside, calls=(call,)), [""]
    return Step(at, speaker, text=text), []


def _calls(message: Mapping[str, Any]) -> Iterable[tuple[str, ToolCall]]:
    given = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
    for each in as_list(given, "tool_calls"):
        call = as_mapping(each, "a tool call")
        function = call.get("function")
        inside = function if isinstance(function, dict) else call
        name = function if isinstance(function, str) else inside.get("name")
        yield str(call.get("id") or ""), ToolCall(as_text(name, "the name of a tool"), arguments_of(inside))


def arguments_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call: an object, or its JSON as a string; other text is kept under ``arguments``.

    Example:
        >>> arguments_of({"arguments": '{"a": 1}'}), arguments_of({"arguments": "cut {"}), arguments_of({})
        ({'a': 1}, {'arguments': 'cut {'}, {})
    """
    given = call.get("arguments")
    if isinstance(given, str):
        try:
            parsed = decode_json(given) if given.strip() else {}
        except REFUSALS:
            parsed = None
        given = parsed if isinstance(parsed, dict) else given
    return given if isinstance(given, dict) else {} if given is None else {"arguments": given}


def _call_in_text(text: str) -> tuple[str, ToolCall] | None:
    """The text before its last ``Action:``, and the call after it; None where there is none."""
    found = list(_ACTION.finditer(text))
    if not found:
        return None
    try:
        written = decode_json(text[found[-1].end() :])
    except REFUSALS:
        return None
    if not isinstance(written, dict) or not isinstance(written.get("name"), str):
        return None
    return text[: found[-1].start()].strip(), ToolCall(written["name"], arguments_of(written), in_text=True)


def _answer(steps: list[Step], waiting: list[tuple[str, int, int]], message: Mapping[str, Any], at: int) -> None:
    """Gives a result to the call that it answers: by its id, else to the first call without a result."""
    wanted = str(message.get("tool_call_id") or message.get("id") or "")
    found = next((each for each in waiting if wanted and each[0] == wanted), waiting[0] if waiting else None)
    text = str(message["content"])
    failed = bool(message.get("error")) or text.startswith("Error")
    if found is None:
        # A result without a call, as in a log that begins in the middle.
        name = message.get("name") or message.get("function")
        call = ToolCall(name if isinstance(name, str) else "", result=text, failed=failed)
        steps.append(Step(at, SYSTEM, calls=(call,)))
        return
    waiting.remove(found)
    _, place, number = found
    calls = list(steps[place].calls)
    calls[number] = replace(calls[number], result=text, failed=failed)
    steps[place] = replace(steps[place], calls=tuple(calls))


def token_in(steps: Iterable[Step]) -> Ending | None:
    """What the user's last token of ending means; None without one.

    Example:
        >>> token_in([Step(0, "user", "Thanks. ###STOP###")])
        'user_stop'
    """
    found: Ending | None = None
    for step in steps:
        if step.speaker == USER:
            found = next((meaning for token, meaning in TOKENS.items() if token in step.text), found)
    return found


def plain_text(text: str) -> str:
    """What is said, without tokens of ending.

    Example:
        >>> plain_text("Thanks. ###STOP###")
        'Thanks.'
    """
    for token in TOKENS:
        text = text.replace(token, "")
    return text.strip()


def as_conversation(name: str, steps: Iterable[Step]) -> Conversation:
    """The talk of a log: steps of one speaker in a row are one move, calls of tools and unseen text are no moves.

    Raises:
        InputError: nobody says anything.

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
        raise InputError("a dialogue in which nobody says anything", dialogue=name)
    return Conversation(name, tuple(moves))
