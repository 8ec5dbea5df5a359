"""JSON lines, one completion of a language model per line; the state is found in its text, or in the functions that it calls.

``{"dialogue_id": "MUL0003.json", "turn": 0, "completion": "Sure! {\\"hotel\\": {\\"area\\": \\"east\\"}}"}``

Optional: ``gold`` (a state, flat or nested), ``user`` and ``system``. Lines may come in any order. A JSON list of such
objects reads the same. These names are tried in their order, and ``--fields completion=answer`` names others:

- dialogue: ``dialogue_id``, ``dialog_id``, ``dialogue``, ``id``, ``dial_id``
- turn: ``turn``, ``turn_id``, ``turn_idx``, ``turn_num``, ``utt_idx`` (counts the utterances of both speakers, as in ConvLab-3's files)
- completion: ``completion``, ``response``, ``output``, ``generated_text``, ``prediction``, ``text``, ``choices``, ``messages``,
  ``tool_calls``, ``function_call``

A completion may also be an object that is parsed already, an answer of an OpenAI-compatible endpoint (``choices``), a list of
messages, or a line of a batch (``{"custom_id": "MUL0003.json_0", "response": {"status_code": 200, "body": {..}}}``). ``custom_id``
is dialogue, underscore and turn; ``--fields "custom_id={dialogue}-t{turn}"`` gives another pattern.

A call of a function is read as a part of the state: the function is the domain, its arguments are slots. ``--fields
"hotel=find_book_hotel()"`` says that this function is about hotels. Calls of one turn are put together; of one slot in two
calls the later one holds (warning ``repeated-call``). ``null`` and ``""`` are absent, ``true`` is yes. An answer without a call, in a
file with calls, is an empty state. Of several answers the first is read (warning ``several-choices``). States are taken as
cumulative, a warning says where they look like updates, and ``--state update-pred`` reads them as such. No real file of
batches was at hand: their format was written down from the code of OpenAI's own library.

A completion without a readable state counts as an empty state, and the notice ``unparsed`` says how many there are and
lists the first ten; answers that failed, were refused or stopped at a limit are among them. How the state is found says
:func:`dialmeter.readers.completions.state_in`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import structs

from ...errors import DialmeterError, InputError, one_line
from ...model import State, Turn
from ..fields import domains_by_function
from ..own.tables import rows_of
from ..pairs.vocabulary import PairDialogue
from ..parts import Role, as_text, turn_number
from ..source import Sample, Source
from ..turn_rows import Places, TurnRows, add_notices, add_row_place, as_id, turn_label
from ..yes_no import YesNo, flat_state
from . import state_from, state_in
from .answers import Answer, answer_in, state_of_calls

HOLDS = "both"
CARRIES = (
    "completions of a language model or its calls of functions, in which the predicted state is found; gold where given"
)
TAKES_FIELDS = True

_DIALOGUE_KEYS = ("dialogue_id", "dialog_id", "dialogue", "id", "dial_id")
_TURN_KEYS = ("turn", "turn_id", "turn_idx", "turn_num", "utt_idx")
_COMPLETION_KEYS = (
    "completion", "response", "output", "generated_text", "prediction", "text", "choices", "messages", "tool_calls",
    "function_call",
)  # fmt: skip
_CUSTOM_ID = "custom_id"
_PATTERN = "{dialogue}_{turn}"


def detect(sample: Sample) -> bool:
    if sample.kind not in ("lines", "document"):
        return False
    row = next(iter(sample.value), None) if isinstance(sample.value, list) else sample.value
    if not isinstance(row, dict) or "turns" in row:
        return False
    keys = _keys_of(tuple(row), ())
    return (
        keys.completion is not None
        and isinstance(row[keys.completion], str | dict | list | None)
        and (
            isinstance(row.get(_CUSTOM_ID), str)
            or all(key is not None and isinstance(row[key], str | int) for key in (keys.dialogue, keys.turn))
        )
    )


class _Keys(NamedTuple):
    """Under which keys of a row things are."""

    dialogue: str | None
    turn: str | None
    completion: str | None


@lru_cache(1000)
def _keys_of(row: tuple[str, ...], fields: tuple[tuple[str, str], ...]) -> _Keys:
    given = dict(fields)
    return _Keys(
        given.get("dialogue") or _first(row, _DIALOGUE_KEYS),
        given.get("turn") or _first(row, _TURN_KEYS),
        given.get("completion") or _first(row, _COMPLETION_KEYS),
    )


def _first(row: Container[str], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in row), None)


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    reader = _Reader(source)
    for line, row in rows_of(source):
        try:
            reader.take(row)
        except InputError as error:
            raise error.at(line=line) from None
    if not reader.rows:
        raise InputError("a file without completions")
    yield from reader.rows.dialogues(reader.renumbered)
    reader.add_notices()


class _Reader:
    """Reads rows, and counts what is odd."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._fields = tuple(source.fields.items())
        self._domains = domains_by_function(source.fields)
        self._pattern = _id_pattern(source.fields.get(_CUSTOM_ID, _PATTERN))
        self.rows = TurnRows(source)
        self._yes_no = YesNo()
        self._with_calls = False
        # By dialogue: turns without a readable state, and turns that only talk; does a turn's number count utterances?
        self._unparsed: dict[str, set[int]] = {}
        self._talking: dict[str, set[int]] = {}
        self._counts_turns: set[str] = set()
        self._several = Places()
        self._repeated = Places()

    def take(self, row: Mapping[str, Any]) -> None:
        """Takes a row."""
        keys = _keys_of(tuple(row), self._fields)
        name, written = self._identity(row, keys)
        self._yes_no.dialogue, self._yes_no.turn = name, written
        try:
            if keys.turn is None and _CUSTOM_ID not in row:
                raise _missing("turn number", _TURN_KEYS, "turn")
            number = turn_number(written)
            if keys.completion is None or keys.completion not in row:
                raise _missing("completion", _COMPLETION_KEYS, "completion")
            state = self._state(row, keys.completion, name, number)
            gold = flat_state(row.get(self._source.fields.get("gold", "gold")), self._yes_no)
            user, system = (as_text(row.get(self._source.fields.get(who, who)), who) for who in ("user", "system"))
            self.rows.add(name, Turn(number, gold, state, user, system))
        except InputError as error:
            raise add_row_place(error, name, written) from None
        if keys.turn != "utt_idx" or "turn" in self._source.fields:
            self._counts_turns.add(name)

    def _identity(self, row: Mapping[str, Any], keys: _Keys) -> tuple[str, Any]:
        """The dialogue of a row, and its turn as written."""
        custom = row.get(_CUSTOM_ID)
        if custom is not None and (keys.turn is None or _CUSTOM_ID in self._source.fields):
            found = self._pattern.fullmatch(custom) if isinstance(custom, str) else None
            if found is None:
                raise InputError(
                    f"custom_id {one_line(str(custom), 40)!r} is not dialogue, underscore and turn; "
                    'give its pattern, as in --fields "custom_id={dialogue}-t{turn}"'
                )
            return found["dialogue"], found["turn"]
        if keys.dialogue is None or keys.dialogue not in row:
            raise _missing("dialogue id", _DIALOGUE_KEYS, "dialogue")
        return as_id(row[keys.dialogue], "a dialogue id"), row.get(keys.turn) if keys.turn else None

    def _state(self, row: Mapping[str, Any], key: str, name: str, number: int) -> State:
        completion = {key: row[key]} if key in ("choices", "tool_calls", "function_call") else row[key]
        answer = answer_in(completion)
        if answer.choices > 1:
            self._several.add(turn_label(name, number))
        state = None if answer.failed or row.get("error") else self._said(answer, name, number)
        if state is None:
            self._unparsed.setdefault(name, set()).add(number)
            return {}
        return _renamed(state, self._domains) if self._domains else state

    def _said(self, answer: Answer, name: str, number: int) -> State | None:
        if answer.calls:
            self._with_calls = True
            state, repeated = state_of_calls(answer.calls)
            if repeated:
                self._repeated.add(turn_label(name, number))
            return state
        content = answer.content
        state = state_from(content) if isinstance(content, dict | list) else _state_in(as_text(content, "a completion"))
        if state is None and answer.calls is not None:
            self._talking.setdefault(name, set()).add(number)
            return {}
        return state

    def renumbered(self, name: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Turns that are numbered by utterances of both speakers, numbered as in ConvLab-3's files."""
        if name in self._counts_turns:
            return turns
        one_speaker = len({turn.number % 2 for turn in turns}) == 1
        numbers = {turn.number: turn.number // 2 if one_speaker else position for position, turn in enumerate(turns)}
        for places in (self._unparsed, self._talking):
            places[name] = {numbers[number] for number in places.get(name, ())}
        return tuple(structs.replace(turn, number=numbers[turn.number]) for turn in turns)

    def add_notices(self) -> None:
        """Adds what was counted to the source."""
        unparsed = Places()
        for name in self.rows.names:
            numbers = self._unparsed.get(name, set())
            # An answer that only talks is an empty state where other answers of the file call functions.
            if not self._with_calls:
                numbers = numbers | self._talking.get(name, set())
            for number in sorted(numbers):
                unparsed.add(turn_label(name, number))
        self._source.notices += self._yes_no.notices(self.rows.words)
        add_notices(
            self._source,
            {
                "unparsed": (
                    unparsed,
                    "{} completions without a readable state count as empty states; ask the model for JSON alone",
                ),
                "several-choices": (self._several, "{} completions have several choices; the first is read"),
                "repeated-call": (self._repeated, "{} turns set a slot in two calls; the later one is taken"),
            },
        )


def _missing(what: str, keys: tuple[str, ...], field: str) -> InputError:
    return InputError(
        f"no {what}; it is expected under one of: {', '.join(keys)}; name another with --fields {field}=NAME"
    )


def _id_pattern(text: str) -> re.Pattern[str]:
    """What ``custom_id`` looks like.

    Raises:
        DialmeterError: the pattern lacks the dialogue or the turn.

    Example:
        >>> _id_pattern("run1/{dialogue}-t{turn}").fullmatch("run1/MUL-1-t03")["dialogue"]
        'MUL-1'
    """
    if text.count("{dialogue}") != 1 or text.count("{turn}") != 1:
        raise DialmeterError(
            f"--fields: custom_id must hold {{dialogue}} and {{turn}} once each, not {one_line(text)!r}"
        )
    escaped = re.escape(text).replace(r"\{dialogue\}", "(?P<dialogue>.+)").replace(r"\{turn\}", r"(?P<turn>\d+)")
    return re.compile(escaped)


def _renamed(state: State, domains: Mapping[str, str]) -> State:
    """The state with other domains in the place of functions."""
    renamed = {}
    for slot, value in state.items():
        function, hyphen, name = slot.partition("-")
        renamed[f"{domains.get(function, function)}{hyphen}{name}"] = value
    return renamed


_state_in = lru_cache(1)(state_in)
"""A model without news often repeats its last answer word by word."""
