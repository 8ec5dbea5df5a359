"""JSON lines, one completion of a language model per line; the state is found in its text.

``{"dialogue_id": "MUL0003.json", "turn": 0, "completion": "Sure! {\\"hotel\\": {\\"area\\": \\"east\\"}}"}``

Optional: ``gold`` (a state, flat or nested), ``user`` and ``system``. Lines may come in any order. A JSON list of such
objects reads the same. The names below are tried in their order; a completion may also be an object that is parsed
already, or an answer as OpenAI's interface gives it (``choices[0].message.content``). ``utt_idx`` counts the utterances
of both speakers, as in ConvLab-3's files.

A completion without a readable state counts as an empty state, and the notice ``unparsed`` says how many there are and
lists the first ten. How the state is found says :func:`dialmeter.readers.completions.state_in`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import structs

from ...errors import InputError
from ...model import Notice, State, Turn
from ..pairs.state_layouts import ANY
from ..pairs.vocabulary import PairDialogue, PairState, Vocabulary
from ..parts import Role, as_mapping, as_text, dialogue, turn_number
from ..source import Sample, Source
from ..strict_json import Doubled, duplicate_key, kind_of, parse_json
from . import state_from, state_in

STATES = ANY
HOLDS = "both"
CARRIES = "completions of a language model, in which the predicted state is found; gold where given"

_DIALOGUE_KEYS = ("dialogue_id", "dialog_id", "dialogue", "id")
_TURN_KEYS = ("turn", "turn_id", "turn_idx", "utt_idx")
_COMPLETION_KEYS = ("completion", "response", "output", "generated_text", "prediction", "text", "choices")
_LISTED = 10


def detect(sample: Sample) -> bool:
    if sample.kind not in ("lines", "document"):
        return False
    row = next(iter(sample.value), None) if isinstance(sample.value, list) else sample.value
    if not isinstance(row, dict) or "turns" in row:
        return False
    dialogue_key, turn_key = _first(row, _DIALOGUE_KEYS), _first(row, _TURN_KEYS)
    completion_key = _first(row, _COMPLETION_KEYS)
    return (
        dialogue_key is not None
        and isinstance(row[dialogue_key], str | int)
        and turn_key is not None
        and isinstance(row[turn_key], str | int)
        and completion_key is not None
        and isinstance(row[completion_key], str | dict | list | None)
    )


class _Rows:
    """The lines of a dialogue by turn, with states as numbers, because all lines are kept until the last is read."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.gold: dict[int, PairState | None] = {}
        self.pred: dict[int, PairState] = {}
        self.unparsed: set[int] = set()
        self.counts_utterances = True


def read(source: Source, role: Role) -> Iterator[PairDialogue]:
    words = source.vocabulary or Vocabulary()
    dialogues: defaultdict[str, _Rows] = defaultdict(_Rows)
    for line, thing in _lines(source):
        try:
            _add_row(as_mapping(thing, "a line"), dialogues, words)
        except InputError as error:
            raise error.at(line=line) from None
    places: list[str] = []
    for dialogue_id, rows in dialogues.items():
        written = dialogue(dialogue_id, rows.turns).turns
        turns = _halved(written) if rows.counts_utterances else written
        found = PairDialogue(dialogue_id, (source.name, None))
        found.numbers = [turn.number for turn in turns]
        found.gold = [rows.gold[turn.number] for turn in written]
        found.pred = [rows.pred[turn.number] for turn in written]
        found.turns = turns
        if rows.unparsed:
            for turn, number in zip(written, found.numbers, strict=True):
                if turn.number in rows.unparsed:
                    places.append(f"{dialogue_id} turn {number}")
        yield found
    if places:
        source.notices.append(_notice(places))


def _halved(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Turns numbered by utterances of both speakers, numbered as in ConvLab-3's files."""
    one_speaker = len({turn.number % 2 for turn in turns}) == 1
    return tuple(
        structs.replace(turn, number=turn.number // 2 if one_speaker else position)
        for position, turn in enumerate(turns)
    )


def _notice(places: list[str]) -> Notice:
    message = f"{len(places)} completions without a readable state count as empty states; ask the model for JSON alone"
    return Notice(code="unparsed", count=len(places), message=message, where=tuple(places[:_LISTED]))


def _lines(source: Source) -> Iterator[tuple[int | None, Any]]:
    if source.sample.kind == "document":
        document = source.document
        yield from ((None, each) for each in (document if isinstance(document, list) else [document]))
    else:
        doubled: list[Doubled] = []
        for number, line in source.lines():
            yield number, parse_json(line, source.name, doubled, number)
            if doubled:
                raise duplicate_key(doubled[0]).at(line=number)


def _add_row(row: Mapping[str, Any], dialogues: defaultdict[str, _Rows], words: Vocabulary) -> None:
    dialogue_key, turn_key, completion_key = _keys_of(tuple(row))
    if dialogue_key is None:
        raise _missing("dialogue id", _DIALOGUE_KEYS)
    dialogue_id = row[dialogue_key]
    if type(dialogue_id) not in (str, int) or dialogue_id == "":
        raise InputError(f"a dialogue id must be a string, found {kind_of(dialogue_id)}")
    written = row[turn_key] if turn_key else None
    try:
        if turn_key is None:
            raise _missing("turn number", _TURN_KEYS)
        number = turn_number(written)
        if completion_key is None:
            raise _missing("completion", _COMPLETION_KEYS)
        state = _state(completion_key, row[completion_key])
        gold = row.get("gold")
        gold_pairs = None if gold is None else words.number(as_mapping(gold, "a state"), ANY)
        pred_pairs = words.number(state, ANY) if state else ()
        turn = Turn(number, user=as_text(row.get("user"), "user"), system=as_text(row.get("system"), "system"))
    except InputError as error:
        at = written if isinstance(written, str | int) else None
        raise error.at(dialogue=str(dialogue_id), turn=at) from None
    rows = dialogues[str(dialogue_id)]
    rows.turns.append(turn)
    rows.gold[number] = gold_pairs
    rows.pred[number] = pred_pairs
    if state is None:
        rows.unparsed.add(number)
    if turn_key != "utt_idx":
        rows.counts_utterances = False


@lru_cache(1000)
def _keys_of(row: tuple[str, ...]) -> tuple[str | None, str | None, str | None]:
    return _first(row, _DIALOGUE_KEYS), _first(row, _TURN_KEYS), _first(row, _COMPLETION_KEYS)


def _first(row: Container[str], keys: Iterable[str]) -> str | None:
    return next((key for key in keys if key in row), None)


def _missing(what: str, keys: tuple[str, ...]) -> InputError:
    return InputError(f"no {what}; it stands under one of: {', '.join(keys)}")


def _state(key: str, completion: Any) -> State | None:
    if key == "choices":
        completion = _choice(completion)
    elif isinstance(completion, dict) and "choices" in completion:
        completion = _choice(completion["choices"])
    if isinstance(completion, (dict, list)):
        return state_from(completion)
    return _state_in(as_text(completion, "a completion"))


_state_in = lru_cache(1)(state_in)
"""A model that has nothing to add often says the same, word by word."""


def _choice(choices: Any) -> Any:
    """What the first choice says; as a chat message, or as plain text in the older interface."""
    choice = as_mapping(choices[0], "a choice") if isinstance(choices, list) and choices else {}
    message = choice.get("message", choice)
    for key in ("content", "text"):
        if isinstance(message, dict) and key in message:
            return message[key]
    raise InputError('choices must read [{"message": {"content": "..."}}]')
