"""JSON lines with one output of a language model per line. The state is in its text or in its function calls.

``{"dialogue_id": "MUL0003.json", "turn": 0, "completion": "Sure! {\\"hotel\\": {\\"area\\": \\"east\\"}}"}``

Optional keys are ``gold`` (a state, flat or nested), ``user`` and ``system``. Lines may come in any order. The file may
also be a JSON list of such objects. For each kind of data, the first of these keys that exists is used; other keys are
given with ``--columns``, as in ``--columns completion=answer``:

- dialogue: ``dialogue_id``, ``dialog_id``, ``dialogue``, ``id``, ``dial_id``
- turn: ``turn``, ``turn_id``, ``turn_idx``, ``turn_num``, ``utt_idx`` (counts the utterances of both speakers, as in
  ConvLab-3's files)
- completion: ``completion``, ``response``, ``output``, ``generated_text``, ``prediction``, ``text``, ``choices``,
  ``messages``, ``tool_calls``, ``function_call``

An output may be a text, a parsed JSON object, a response of an OpenAI-compatible endpoint (``choices``), a list of
messages, or a line of a batch (``{"custom_id": "MUL0003.json_0", "response": {"status_code": 200, "body": {..}}}``).
``custom_id`` ends with the number of the turn; ``--columns "custom_id={dialogue}-t{turn}"`` gives another pattern.

A function call is read as a part of the state: the function is the domain, and its arguments are slots. ``--columns
"hotel=find_book_hotel()"`` sets the domain of this function to hotel. The calls of one turn are merged. If two calls
set the same slot, the later one is used (warning ``repeated-call``). ``null`` and ``""`` are absent, and ``true`` is
yes. If the file has function calls, an answer without a call is an empty state. Of several choices the first is read
(warning ``several-choices``). States are read as cumulative. A warning reports states that look like updates; ``--set
state=update-pred`` reads them as updates. The batch format was implemented from the code of OpenAI's library; no real batch
file was available.

An output without a readable state counts as an empty state. The notice ``unparsed`` reports their number and lists
the first ten. They include answers that failed, were refused, or stopped at a limit.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import structs

from ...errors import DialmeterError, InputError, one_line
from ...model import Notice, State, Turn, Value
from ..completions import NotAState, call_pairs, state_from, state_in
from ..csv_files import rows_of
from ..entries import first_entry
from ..formats import domains_by_function
from ..pairs.vocabulary import PairDialogue
from ..records.reading import TURN_OF_ID
from ..records.states import calls_in, unpacked, unwrapped
from ..source import Sample, Source
from ..turn_rows import NoticeCounts, TurnRows, as_id, turn_label
from ..validation import Role, as_mapping, as_text, refuse_tool_parts, turn_number

CONTENT = "both"
DESCRIPTION = (
    "outputs or function calls of a language model, from which the predicted state is extracted; optionally gold"
)
NAMED_FIELDS = True

_DIALOGUE_KEYS = ("dialogue_id", "dialog_id", "dialogue", "id", "dial_id")
_TURN_KEYS = ("turn", "turn_id", "turn_idx", "turn_num", "utt_idx")
_COMPLETION_KEYS = (
    "completion", "response", "output", "generated_text", "prediction", "text", "choices", "messages", "tool_calls",
    "function_call",
)  # fmt: skip
_CUSTOM_ID = "custom_id"


def detect(sample: Sample) -> bool:
    row = first_entry(sample)
    if "turns" in row:
        return False
    keys = _find_keys(tuple(row), ())
    return (
        keys.completion is not None
        and isinstance(row[keys.completion], str | dict | list | None)
        and (
            isinstance(row.get(_CUSTOM_ID), str)
            or all(key is not None and isinstance(row[key], str | int) for key in (keys.dialogue, keys.turn))
        )
    )


class _Keys(NamedTuple):
    """The keys of a row for each kind of data."""

    dialogue: str | None
    turn: str | None
    completion: str | None


@lru_cache(1000)
def _find_keys(row: tuple[str, ...], fields: tuple[tuple[str, str], ...]) -> _Keys:
    given = dict(fields)
    return _Keys(
        given.get("dialogue") or _find_key(row, _DIALOGUE_KEYS),
        given.get("turn") or _find_key(row, _TURN_KEYS),
        given.get("completion") or _find_key(row, _COMPLETION_KEYS),
    )


def _find_key(row: Container[str], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in row), None)


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    reader = _Reader(source)
    for line, row in rows_of(source):
        try:
            reader.add(row)
        except InputError as error:
            raise error.at(line=line) from None
    yield from reader.rows.dialogues("a file without model outputs", reader.renumber)
    source.notices += reader.notices()


_NOTICES = {
    "unparsed": "{} model outputs without a readable state count as empty states; prompt the model for JSON only",
    "several-choices": "{} model outputs have several choices; the first is read",
    "repeated-call": "{} turns set a slot in two calls; the later one is used",
}


class _Reader:
    """Reads rows and counts what notices report."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._fields = tuple(source.fields.items())
        self._gold, self._user, self._system = (source.fields.get(name, name) for name in ("gold", "user", "system"))
        self._domains = domains_by_function(source.fields)
        self._pattern = _id_pattern(source.fields[_CUSTOM_ID]) if _CUSTOM_ID in source.fields else TURN_OF_ID
        self.rows = TurnRows(source)
        self._has_calls = False
        # By dialogue: turns without a readable state, and turns with text but no call.
        self._unparsed: dict[str, set[int]] = {}
        self._without_calls: dict[str, set[int]] = {}
        self._counts_turns: set[str] = set()
        """Dialogues whose turn numbers do not count utterances."""
        self._counts = NoticeCounts(_NOTICES)

    def add(self, row: Mapping[str, Any]) -> None:
        """Read a row."""
        keys = _find_keys(tuple(row), self._fields)
        name, written = self._identity(row, keys)
        with self.rows.placing(name, written):
            if keys.turn is None and _CUSTOM_ID not in row:
                raise _missing_key("turn number", _TURN_KEYS, "turn")
            number = turn_number(written)
            if keys.completion is None or keys.completion not in row:
                raise _missing_key("completion", _COMPLETION_KEYS, "completion")
            state = self._state(row, keys.completion, name, number)
            gold = self.rows.state(unwrapped(row.get(self._gold)))
            user, system = as_text(row.get(self._user), "user"), as_text(row.get(self._system), "system")
            self.rows.add(name, Turn(number, gold, state, user, system))
        if keys.turn != "utt_idx" or "turn" in self._source.fields:
            self._counts_turns.add(name)

    def _identity(self, row: Mapping[str, Any], keys: _Keys) -> tuple[str, Any]:
        """Return the dialogue of a row, and its turn as written."""
        custom = row.get(_CUSTOM_ID)
        if custom is not None and (keys.turn is None or _CUSTOM_ID in self._source.fields):
            match = self._pattern.fullmatch(custom) if isinstance(custom, str) else None
            if match is None:
                raise InputError(
                    f"custom_id {one_line(str(custom), 40)!r} does not end with the number of the turn, as in MUL0003_0; "
                    'give its pattern, as in --columns "custom_id={dialogue}-t{turn}"'
                )
            return match["dialogue"], match["turn"]
        if keys.dialogue is None or keys.dialogue not in row:
            raise _missing_key("dialogue id", _DIALOGUE_KEYS, "dialogue")
        return as_id(row[keys.dialogue], "a dialogue id"), row.get(keys.turn) if keys.turn else None

    def _state(self, row: Mapping[str, Any], key: str, name: str, number: int) -> State:
        completion = {key: row[key]} if key in ("choices", "tool_calls", "function_call") else row[key]
        answer = answer_in(completion)
        if answer.choices > 1:
            self._counts.add("several-choices", turn_label(name, number))
        state = None if answer.failed or row.get("error") else self._answered_state(answer, name, number)
        if state is None:
            self._unparsed.setdefault(name, set()).add(number)
            return {}
        return _rename_domains(state, self._domains) if self._domains else state

    def _answered_state(self, answer: Answer, name: str, number: int) -> State | None:
        if answer.calls:
            self._has_calls = True
            state, repeated = state_of_calls(answer.calls)
            if repeated:
                self._counts.add("repeated-call", turn_label(name, number))
            return state
        content = answer.content
        state = (
            state_from(content) if isinstance(content, dict | list) else _state_in(as_text(content, "a model output"))
        )
        if state is None and answer.calls is not None:
            self._without_calls.setdefault(name, set()).add(number)
            return {}
        return state

    def renumber(self, name: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Renumber turns that count utterances of both speakers, as the format convlab3 does."""
        if name in self._counts_turns:
            return turns
        is_one_speaker = len({turn.number % 2 for turn in turns}) == 1
        numbers = {turn.number: turn.number // 2 if is_one_speaker else position for position, turn in enumerate(turns)}
        for places in (self._unparsed, self._without_calls):
            places[name] = {numbers[number] for number in places.get(name, ())}
        return tuple(structs.replace(turn, number=numbers[turn.number]) for turn in turns)

    def notices(self) -> list[Notice]:
        """Return the notices. Call this when the dialogues have been read."""
        for name in self.rows.names:
            numbers = self._unparsed.get(name, set())
            # A text without a call is an empty state if other answers of the file call functions.
            if not self._has_calls:
                numbers = numbers | self._without_calls.get(name, set())
            for number in sorted(numbers):
                self._counts.add("unparsed", turn_label(name, number))
        return self._counts.notices()


def _missing_key(what: str, keys: tuple[str, ...], field: str) -> InputError:
    return InputError(
        f"no {what}; expected one of the keys: {', '.join(keys)}; name another key with --columns {field}=NAME"
    )


def _id_pattern(text: str) -> re.Pattern[str]:
    """Compile the pattern of ``custom_id``.

    Raises:
        DialmeterError: the pattern does not have the dialogue and the turn once each.

    Example:
        >>> _id_pattern("run1/{dialogue}-t{turn}").fullmatch("run1/MUL-1-t03")["dialogue"]
        'MUL-1'
    """
    if text.count("{dialogue}") != 1 or text.count("{turn}") != 1:
        raise DialmeterError(
            f"--columns: custom_id must hold {{dialogue}} and {{turn}} once each, found {one_line(text)!r}"
        )
    escaped = re.escape(text).replace(r"\{dialogue\}", "(?P<dialogue>.+)").replace(r"\{turn\}", r"(?P<turn>\d+)")
    return re.compile(escaped)


def _rename_domains(state: State, domains: Mapping[str, str]) -> State:
    """Replace the function names in a state by domains."""
    renamed = {}
    for slot, value in state.items():
        function, hyphen, name = slot.partition("-")
        renamed[f"{domains.get(function, function)}{hyphen}{name}"] = value
    return renamed


_state_in = lru_cache(1)(state_in)
"""Cached, because a model often repeats its last answer if nothing changes."""


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
    if isinstance(completion, str):
        return Answer(completion)
    if isinstance(completion, dict) and "status_code" in completion:
        failed = completion["status_code"] != 200
        answer = answer_in(completion.get("body"))
        return answer._replace(failed=failed or answer.failed)
    if isinstance(completion, dict) and "choices" in completion:
        return _first_choice(completion["choices"])
    is_message = isinstance(completion, dict) and completion.get("role") == "assistant"
    if is_message or (isinstance(completion, dict) and not {"tool_calls", "function_call"}.isdisjoint(completion)):
        return _message_answer(completion)
    if isinstance(completion, list) and any(isinstance(each, dict) and "role" in each for each in completion):
        replies = [each for each in completion if isinstance(each, dict) and each.get("role") == "assistant"]
        return _message_answer(replies[-1]) if replies else Answer(failed=True)
    content = unpacked(completion)
    calls = calls_in(content) if content is not completion else None
    if calls:
        return Answer(calls=[{"function": {"name": name, "arguments": arguments}} for name, arguments in calls])
    return Answer(content)


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
    content = unpacked(content)
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
