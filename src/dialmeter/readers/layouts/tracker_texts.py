"""Files of trackers with states as texts: IC-DST, LDST, SimpleTOD, FnCTOD and its relatives, T5 of ConvLab-3, sheets of FGA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from ...errors import InputError, one_line, placing
from ...model import DELETED, Dialogue, Notice, State, Turn
from ..literals import python_literal
from ..pairs.state_layouts import NESTED
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..source import Sample, Source
from ..strict_json import kind_of, parse_unique
from ..turn_rows import NoticeCounts, TurnRows, as_id, turn_label
from ..validation import (
    Role,
    as_list,
    as_mapping,
    as_text,
    as_type,
    dialogue,
    first_mapping,
    first_value,
    read_turns,
    turn_number,
    turn_with_state,
)


class IcDst:
    """``running_log.json`` of IC-DST, and the test file of the run: a list with one object per user turn.

    ``[{"ID": "MUL0003.json", "turn_id": 0, "slot_values": {"hotel-area": "north"}, "pred": {"hotel-area": "north"},
    "completion": " hotel WHERE area = north", "dialog": {"sys": [""], "usr": [".."]}, ..}]``

    ``slot_values`` is gold and ``pred`` is the prediction; both are cumulative. The test file, without ``pred`` and
    ``completion``, is gold. If no turn has ``pred``, the updates in ``completion`` are accumulated, with the warning
    ``outputs-read``. In a model output, the tables and conditions are read: ``hotel WHERE area = north AND book_stay =
    2``.

    The scoring of IC-DST overwrites gold: if the prediction is one of several correct values, ``slot_values`` in the log
    has only this value. The accuracy is the same, but the gold of two logs may differ. The warning ``gold-overwritten``
    counts such values. Give the test file with ``--gold`` to use the original gold. dialmeter computes the accuracy of the
    run itself. The script ``evaluate_run_log.py`` of IC-DST adds each update to the previous gold state, so it computes
    another number.

    The reader was implemented from the code that writes this format; no real file was available.
    """

    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, cumulative, utterances; gold alone in the test file"

    @staticmethod
    def detect(sample: Sample) -> bool:
        row = first_mapping(sample.value) if sample.kind == "document" else {}
        return {"ID", "turn_id", "slot_values"} <= row.keys()

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[PairDialogue]:
        rows = TurnRows(source)
        counts = NoticeCounts(_IC_DST_NOTICES)
        alternatives: dict[tuple[str, str], set[str]] = {}
        states: dict[str, State] = {}
        pred_count = 0
        for count, value in enumerate(source.elements(), 1):
            row = as_mapping(value, "a turn")
            name = as_id(row.get("ID"), "ID")
            with rows.placing(name, row.get("turn_id")):
                turn = turn_number(row.get("turn_id"))
                label = turn_label(name, turn)
                gold = rows.state(as_mapping(row.get("slot_values"), "slot_values"))
                pred = rows.state(row.get("pred"))
                if pred is not None:
                    pred_count += 1
                elif "completion" in row and role is not Role.GOLD:
                    counts.add("outputs-read", label)
                    pred = states[name] = apply_update(states.get(name, {}), as_text(row["completion"], "completion"))
                if 0 < pred_count < count:
                    raise InputError("no pred, but other turns have one")
                if row.get("not_valid"):
                    counts.add("unparsed", label)
                for slot in _overwritten_slots(name, row.get("turn_slot_values"), gold, alternatives):
                    counts.add("gold-overwritten", f"{label} {slot}")
                rows.add(name, Turn(turn, gold, pred, _last_text(row, "usr"), _last_text(row, "sys")))
        source.check_keys()
        yield from rows.dialogues("a list without turns")
        source.notices += counts.notices()


_IC_DST_NOTICES = {
    "outputs-read": "{} turns have no pred; the updates in their model outputs are accumulated",
    "gold-overwritten": "{} gold values had alternatives that the log does not have; give the test file with --gold",
    "unparsed": "{} model outputs could not be parsed by IC-DST (not_valid)",
}


def _overwritten_slots(
    name: str, changes: Any, gold: Mapping[str, Any], alternatives: dict[tuple[str, str], set[str]]
) -> list[str]:
    """Return the gold slots with one value whose last change in gold has alternatives."""
    for slot, value in changes.items() if isinstance(changes, dict) else ():
        if isinstance(value, str):
            alternatives[name, slot] = set(value.split("|")) if "|" in value else set()
    texts = ((slot, value) for slot, value in gold.items() if isinstance(value, str))
    return [slot for slot, value in texts if value in alternatives.get((name, slot), ())]


def _last_text(row: Mapping[str, Any], who: str) -> str:
    utterances = row.get("dialog")
    texts = as_list(utterances.get(who, []), f"dialog.{who}") if isinstance(utterances, dict) else []
    return as_text(texts[-1], f"dialog.{who}") if texts else ""


_END = re.compile(r";|\n|#|--")
_CONDITION = re.compile(r"\s(?:=|LIKE|>=|<=|<|>)\s", re.IGNORECASE)
_ALIAS = re.compile(r"\b(\w++)\s++AS\s++(\w+)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s++AND\s++(?=[\w.]++\s++(?:=|LIKE|>=|<=|<|>)\s)", re.IGNORECASE)


def apply_update(state: State, completion: str) -> State:
    """Apply the update in a completion to a state.

    Example:
        >>> apply_update({"taxi-leaveat": "09:15"}, " taxi AS t1, hotel AS t2 WHERE t1.leaveat = [DELETE] AND t2.book_stay = 2")
        {'hotel-book stay': '2'}
    """
    tables, *conditions = _WHERE.split(_END.split(completion, maxsplit=1)[0], maxsplit=1)
    aliases = {alias: table for table, alias in _ALIAS.findall(tables)}
    single_table = tables.strip() if not aliases else ""
    new = dict(state)
    for condition in _AND.split(conditions[0].strip()) if conditions and conditions[0].strip() else ():
        column, *value = (part.strip() for part in _CONDITION.split(condition, maxsplit=1))
        alias, point, inner = column.partition(".")
        domain, slot = (aliases.get(alias, alias), inner) if point else (single_table, column)
        if not (domain and slot and value):
            continue
        key = f"{domain}-{slot.replace('_', ' ')}"
        text = value[0].replace("'", "")
        if text == DELETED:
            new.pop(key, None)
        else:
            new[key] = text
    return new


class _Place(NamedTuple):
    """The dialogue, utterance and slot of a line."""

    dialogue: str
    utterance: int
    slot: str


_SEPARATOR = "|||"
_TOKENS = re.compile(r"(?:\s|</?s>|<unk>|<pad>|<\|endoftext\|>)++")
_LDST_ABSENT = ("", "NONE", "not mentioned")
_GOLD_KEYS = {"instruction", "input", "output"}
_IN_ANGLES = re.compile(r"<([^<>]++)>")


class Ldst:
    """``test_LLM_result.txt`` of LDST, with one line per turn and slot; gold is in ``test_LLM.json`` and ``test_LLM.idx``.

    ``data.json|||MUL0003.json|||1|||0|||hotel|||book stay|||['2</s>']``

    The fields are file, dialogue, utterance, frame, domain, slot, and a Python list of one text. Each line is the value in
    that turn, so states are cumulative. ``NONE`` and ``not mentioned`` are absent. Special tokens such as ``</s>`` at the
    end are removed. The utterance number counts the utterances of both speakers, so the turn number is half of it. If
    dialogues are numbered, as in SGD, the dialogue id is the file, a slash and the number.

    ``[]`` marks a slot that the model was not asked for. It is read as absent, and the warning ``not-asked`` lists the domains.
    Exclude them from gold, too (the setting ``only-slots``). A file that ends inside a turn is an error.

    Gold is a list of ``{"instruction": "..", "input": "..", "output": "north"}``. The i-th element belongs to the i-th line
    of the ``.idx`` file, which must be in the same folder. For SGD this gold is one of several correct values, drawn at
    random; use the gold of the dataset itself.

    The reader was implemented from the code that writes this format; no real file was available.
    """

    CONTENT = "state"
    DESCRIPTION = "one value per line, cumulative; gold in a second file"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "text":
            return bool(sample.value.count(_SEPARATOR) == 6)
        return sample.kind == "document" and first_mapping(sample.value).keys() >= _GOLD_KEYS

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[PairDialogue]:
        rows = TurnRows(source)
        counts = NoticeCounts({"not-asked": _NOT_ASKED})
        not_asked: set[str] = set()
        turns: dict[tuple[str, int], dict[str, str | None]] = {}
        for place, value, line in _answers(source) if source.sample.kind == "text" else _gold(source):
            turn = turns.setdefault((place.dialogue, place.utterance), {})
            if place.slot in turn:
                raise InputError(
                    "duplicate slot", line=line, dialogue=place.dialogue, turn=place.utterance, slot=place.slot
                )
            turn[place.slot] = None if value in _LDST_ABSENT else value
            if value is None:
                domain = place.slot.partition("-")[0]
                counts.add("not-asked", "" if domain in not_asked else domain)
                not_asked.add(domain)
        if turns:
            _check_end(turns)
        for (dialogue_id, utterance), slots in turns.items():
            state = {slot: value for slot, value in slots.items() if value is not None}
            rows.add(dialogue_id, turn_with_state(role, utterance, state))
        yield from rows.dialogues("a file without answers", _renumber)
        source.notices += counts.notices()


_NOT_ASKED = "{} slots were not asked for ([]) and are absent; exclude their domains from gold with --set only-slots=…"


def _renumber(dialogue_id: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Number the turns by user turns instead of utterances."""
    numbers = [turn.number // 2 for turn in turns]
    if len(set(numbers)) < len(numbers):
        raise InputError("both utterances of a turn have answers", dialogue=dialogue_id)
    return tuple(Turn(number) for number in numbers)


def _check_end(turns: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Raise InputError if the file ends inside a turn, provided that all previous turns have the same slots."""
    (dialogue_id, utterance), last = next(reversed(turns.items()))
    others = [slots.keys() for slots in list(turns.values())[:-1]]
    if others and all(slots == others[0] for slots in others) and last.keys() < others[0]:
        message = f"the last turn has {len(last)} of {len(others[0])} slots; the file seems to be cut off"
        raise InputError(message, dialogue=dialogue_id, turn=utterance)


def _answers(source: Source) -> Iterator[tuple[_Place, str | None, int]]:
    """Yield the answers of the model; None for a slot that it was not asked for."""
    for number, line in source.lines():
        with placing(line=number):
            *fields, written = _fields(line, 7)
            values = python_literal(written)
            if not isinstance(values, list) or len(values) > 1 or not all(isinstance(each, str) for each in values):
                raise InputError(f"expected a list of one text, found {one_line(written, 40)!r}")
            yield _place(fields), _without_tokens(values[0]) if values else None, number


def _gold(source: Source) -> Iterator[tuple[_Place, str, None]]:
    path = Path(source.path)
    index = Source(path.with_suffix(".idx"))
    if not Path(index.path).is_file():
        raise InputError(f"the file {index.path}, which holds the dialogues and turns of this gold, does not exist")
    places = []
    for number, line in index.lines():
        with placing(file=index.name, line=number):
            places.append(_place(_fields(line, 6)))
    answers = list(source.elements())
    source.check_keys()
    if len(answers) != len(places):
        raise InputError(f"{len(answers)} answers, but {index.path} has {len(places)} lines")
    for position, (place, written) in enumerate(zip(places, answers, strict=True), 1):
        row = as_mapping(written, "an answer")
        with placing(dialogue=place.dialogue, turn=place.utterance, slot=place.slot):
            value = as_text(row.get("output"), "output").strip()
            slot = _slot_in(as_text(row.get("instruction"), "instruction"))
            if slot and slot != place.slot:
                message = f"answer {position} is about {one_line(slot)}, but line {position} of {index.path} is not"
                raise InputError(message)
        yield place, value, None


def _without_tokens(answer: str) -> str:
    """Remove the special tokens at the end of an answer."""
    end = next((match.start() for match in _TOKENS.finditer(answer) if match.end() == len(answer)), None)
    return answer[:end].strip()


def _slot_in(instruction: str) -> str:
    """Return the slot that an instruction asks for; an empty string if it names none."""
    return next((match[1] for match in _IN_ANGLES.finditer(instruction) if "-" in match[1][1:-1]), "")


def _fields(line: bytes, count: int) -> list[str]:
    try:
        fields = line.decode().rstrip("\r\n").split(_SEPARATOR, count - 1)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})") from None
    if len(fields) != count:
        raise InputError(
            f"expected {count} fields separated by {_SEPARATOR}, found {len(fields)}; the file is damaged or cut off"
        )
    return fields


def _place(fields: list[str]) -> _Place:
    file, dialogue_id, utterance, _, domain, slot = (field.strip() for field in fields)
    if not (dialogue_id and domain and slot):
        raise InputError("an empty dialogue, domain or slot")
    name = f"{file}/{dialogue_id}" if dialogue_id.isdecimal() else dialogue_id
    return _Place(name, turn_number(utterance), f"{domain}-{slot}")


class _Lists(Struct):
    """A dialogue of SimpleTOD: lists with one element per turn."""

    target_turn_belief: list[list[str | None]] | None = None
    generated_turn_belief: list[list[str | None]] | None = None
    target_user: list[str | None] | None = None


_GOLD, _PRED = "target_turn_belief", "generated_turn_belief"


class SimpleTod:
    """Results of SimpleTOD: an object of dialogues. Each dialogue has several lists, with one element per user turn.

    ``{"MUL0003.json": {"target_turn_belief": [["hotel area north"]], "generated_turn_belief": [["hotel area north", "hotel
    book stay 2"]], "target_user": [".."], ..}}``

    A text is domain, slot and value. A slot has two words if the first is ``book``. ``target_turn_belief`` is gold and
    ``generated_turn_belief`` is the prediction; both are cumulative. ``target_belief`` and ``generated_belief`` are not
    read: they collect the values of all turns and are not states. ``none`` and ``not mentioned`` are absent. The token
    ``<|endoftext|>`` and the text after it are removed. Of two values of one slot the later one is used, with the warning
    ``two-values``; SimpleTOD itself counts such a turn as wrong. Predicted texts without a value are skipped, with the
    warning ``unparsed``. If a generation had no belief, SimpleTOD repeats the list of the previous turn; the file does not
    show this.

    The reader was implemented from the code that writes this format; no real file was available.
    """

    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, cumulative; utterances"

    @staticmethod
    def detect(sample: Sample) -> bool:
        lists = first_value(sample.value) if sample.kind == "document" else None
        return isinstance(lists, dict) and (_GOLD in lists or _PRED in lists)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        counts = NoticeCounts(
            {
                "two-values": "{} slots have two values in one predicted state; the later one is used",
                "unparsed": "{} predicted texts without domain, slot and value were skipped",
            }
        )
        for name, value in source.members():
            with placing(dialogue=name):
                yield dialogue(name, _belief_turns(name, as_type(value, _Lists, "a dialogue"), counts))
        source.notices += counts.notices()


def _belief_turns(name: str, lists: _Lists, counts: NoticeCounts) -> Iterator[Turn]:
    columns, users = (lists.target_turn_belief, lists.generated_turn_belief), lists.target_user or []
    lengths = {len(column) for column in columns if column is not None}
    if len(lengths) != 1:
        raise InputError(f"{_GOLD} and {_PRED} must have one list per turn, and the same number of turns")
    for number in range(lengths.pop()):
        with placing(turn=number):
            gold, pred = (
                None if column is None else _belief(column[number], side, turn_label(name, number), counts)
                for side, column in zip((_GOLD, _PRED), columns, strict=True)
            )
            yield Turn(number, gold, pred, (users[number] or "") if number < len(users) else "")


def _belief(texts: list[str | None], side: str, place: str, counts: NoticeCounts) -> State:
    state: dict[str, str] = {}
    for text in texts:
        words = (text or "").partition("<|endoftext|>")[0].split()
        size = 2 if words[1:2] == ["book"] else 1
        domain, slot, value = " ".join(words[:1]), " ".join(words[1 : 1 + size]), " ".join(words[1 + size :])
        if not words or value in ("none", "not mentioned"):
            continue
        if not value:
            if side == _GOLD:
                raise InputError(f"a pair must be domain, slot and value, found {one_line(text or '', 40)!r}")
            counts.add("unparsed", place)
            continue
        if state.get(f"{domain}-{slot}", value) != value:
            counts.add("two-values", f"{place} {domain}-{slot}")
        state[f"{domain}-{slot}"] = value
    return state


class Bspn:
    """States as texts under ``bspn`` and ``bspn_gen``: results of FnCTOD, UBAR, PPTOD and MTTOD.

    ``{"mul0003": [{"turn_num": 0, "bspn": "[hotel] area north stay 2", "bspn_gen": "[hotel] area north", ..}]}``

    ``bspn`` is gold and ``bspn_gen`` is the prediction; both are cumulative. A dialogue is a list of turns (FnCTOD, MTTOD)
    or an object of turns by number (UBAR, PPTOD). PPTOD also writes one list of turns with ``dial_id`` and ``turn_num``.
    Special tokens such as ``<sos_b>`` and ``<eos_belief>`` are removed. ``[hotel]`` begins a domain. A slot begins with one
    of 24 slot names; in MTTOD it begins with a token such as ``[value_area]``.

    - A value that contains a slot name is split in two, as in the original code (``name people portraits``: warning
      ``torn``).
    - Of two values of one slot the later one is used (warning ``two-values``).
    - ``bspn_dict_gen`` is not read: in files of FnCTOD it holds the last state of the dialogue in every turn.
    - The warning ``empty-prediction`` counts empty predictions after one that was not empty. FnCTOD writes empty
      predictions for turns that it did not reach, so an interrupted run looks complete.
    - The warning ``copied-gold`` reports that the texts of all predictions equal gold. PPTOD copies gold in runs with
      oracle beliefs.
    - The scorers of UBAR and PPTOD damage the last value of texts without special tokens ("yes" becomes "y"). This reader
      does not.

    The reader was implemented from the code that writes this format; no real file was available.
    """

    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, cumulative, each as one text"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind != "document":
            return False
        first = first_value(sample.value)
        turn = first_mapping(sample.value) or first_mapping(first) or first_value(first)
        return isinstance(turn, dict) and isinstance(turn.get("bspn_gen", turn.get("bspn")), str)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
        reader = _BspnReader()
        if isinstance(source.sample.value, list):
            rows = TurnRows(source)
            for value in source.elements():
                row = as_mapping(value, "a turn")
                name, number = as_id(row.get("dial_id"), "dial_id"), row.get("turn_num")
                with rows.placing(name, number):
                    rows.add(name, reader.turn(name, number, row))
            source.check_keys()
            yield from rows.dialogues("a list without turns")
        else:
            for name, value in source.members():
                with placing(dialogue=name):
                    numbered = enumerate(value) if isinstance(value, list) else as_mapping(value, "a dialogue").items()
                    yield dialogue(name, reader.turns(name, numbered))
        source.notices += reader.notices()


class _BspnTurn(Struct):
    bspn: str | None = None
    bspn_gen: str | None = None
    user: str | None = None


_SLOT_WORDS = frozenset(
    [
        "area",
        "arrive",
        "address",
        "car",
        "day",
        "departure",
        "department",
        "destination",
        "food",
        "id",
        "internet",
        "leave",
        "name",
        "parking",
        "people",
        "phone",
        "postcode",
        "price",
        "pricerange",
        "reference",
        "stars",
        "stay",
        "time",
        "type",
    ]
)
_SPECIAL_TOKEN = re.compile(r"<(?:[sb]os|eos)_\w+>")
_END_TOKEN = re.compile(r"<eos_b(?:elief)?>")
_BSPN_NOTICES = {
    "torn": "{} slots have no value; perhaps a value contains a slot name and was split in two",
    "two-values": "{} slots have two values in one state; the later one is used",
    "empty-prediction": "{} predictions are empty after one that was not; the run may have been interrupted",
}


class _BspnReader:
    """Reads turns and counts what notices report."""

    def __init__(self) -> None:
        self._counts = NoticeCounts(_BSPN_NOTICES)
        self._nonempty: set[str] = set()
        self._predictions = 0
        self._copies = 0

    def turns(self, name: str, numbered: Iterable[tuple[Any, Any]]) -> Iterator[Turn]:
        return read_turns(numbered, lambda number, value: self.turn(name, number, value))

    def turn(self, name: str, written: Any, value: Any) -> Turn:
        row = as_type(value, _BspnTurn, "a turn")
        number = turn_number(written)
        place = turn_label(name, number)
        gold, pred = row.bspn, row.bspn_gen
        if gold is None and pred is None:
            raise InputError("neither bspn nor bspn_gen")
        if pred is not None:
            self._predictions += 1
            self._copies += gold is not None and gold.split() == pred.split()
            if pred.strip():
                self._nonempty.add(name)
            elif name in self._nonempty:
                self._counts.add("empty-prediction", place)
        user = _SPECIAL_TOKEN.sub("", row.user or "").strip()
        return Turn(number, self._state(gold, place), self._state(pred, place), user)

    def _state(self, text: str | None, place: str) -> State | None:
        if text is None:
            return None
        state: dict[str, str] = {}
        for slot, value in pairs_in(text):
            if not value and "[value_" not in text:
                self._counts.add("torn", f"{place} {slot}")
            if value in ("", "none", "not mentioned"):
                continue
            if state.get(slot, value) != value:
                self._counts.add("two-values", f"{place} {slot}")
            state[slot] = value
        return state

    def notices(self) -> list[Notice]:
        """Return the notices. They are complete when all turns have been read."""
        notices = self._counts.notices()
        if self._predictions > 1 and self._copies == self._predictions:
            message = "the texts of all predictions equal gold; they are not predictions if the run used oracle beliefs"
            notices.append(Notice("copied-gold", self._copies, message))
        return notices


def pairs_in(text: str) -> list[tuple[str, str]]:
    """Return the slots and values in a text, in order. A value may be empty.

    Example:
        >>> pairs_in("<sos_b> [hotel] area north stay 2 <eos_b>")
        [('hotel-area', 'north'), ('hotel-stay', '2')]
        >>> pairs_in("[attraction] [value_name] people portraits <eos_belief> [hotel] [value_area] east")
        [('attraction-name', 'people portraits')]
        >>> pairs_in("[attraction] name people portraits")
        [('attraction-name', ''), ('attraction-people', 'portraits')]
    """
    words = _SPECIAL_TOKEN.sub(" ", _END_TOKEN.split(text, maxsplit=1)[0]).split()
    has_value_tokens = any(word.startswith("[value_") for word in words)
    pairs: list[tuple[str, list[str]]] = []
    domain = ""
    is_open = False
    for word in words:
        if word.startswith("[value_") and word.endswith("]"):
            slot = word[len("[value_") : -1]
        elif word.startswith("[") and word.endswith("]"):
            domain, is_open = word[1:-1], False
            continue
        elif not has_value_tokens and word in _SLOT_WORDS:
            slot = word
        else:
            if is_open:
                pairs[-1][1].append(word)
            continue
        is_open = bool(domain)
        if is_open:
            pairs.append((f"{domain}-{slot}", []))
    return [(slot, " ".join(value)) for slot, value in pairs]


_DIALOGUE = "Dialogue ID"
_FIELD = re.compile(rf"\s*({_DIALOGUE}|Turn|Sys|Usr|GT|PR|Matched)\s*:(.*)", re.DOTALL)


class _Field(NamedTuple):
    line: int
    label: str
    text: str


class FgaText:
    """Text sheets of the human evaluation of FGA: one file with one or more dialogues, or a folder of ``.txt`` files.

    ::

        Dialogue ID : MUL0144.json
        ----------------------
        Turn: 0
        Sys :
        Usr : I am looking for a cheap restaurant.

        GT  : {'restaurant': {'pricerange': 'cheap'}}
        PR  : {{}}

        Matched : False

    ``GT`` is the gold state and ``PR`` the predicted state. ``{{}}`` is the empty state. ``Matched`` is ignored, because it
    follows from the states. Utterances and states may span several lines.
    """

    STATES = NESTED
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, utterances; text sheets"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "folder":
            sheets = _sheets(sample.value)
            return bool(sheets) and _starts_dialogue(_first_line(sheets[0]))
        return sample.kind == "text" and _starts_dialogue(sample.value)

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        if not source.is_folder:
            yield from _dialogues(source.text)
            return
        sheets = _sheets(Path(source.path))
        if not sheets:
            raise InputError("a folder without .txt files")
        for path in sheets:
            source.part = str(path)
            with placing(file=str(path)):
                yield from _dialogues(Source(path).text)


def _sheets(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.txt"))


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(200)
    except OSError:
        return ""


def _starts_dialogue(line: str) -> bool:
    match = _FIELD.match(line.lstrip("\ufeff"))
    return match is not None and match[1] == _DIALOGUE


def _dialogues(text: str) -> Iterator[Dialogue]:
    for block in _blocks(_labelled_fields(text), _DIALOGUE):
        head = block[0]
        if not head.text:
            raise InputError(f"{_DIALOGUE} without an id", line=head.line)
        with placing(dialogue=head.text):
            yield dialogue(head.text, [_sheet_turn(turn) for turn in _blocks(block[1:], "Turn")])


def _labelled_fields(text: str) -> list[_Field]:
    """Return the labelled lines, each joined with its continuation lines. Rulers and blank lines are skipped."""
    fields: list[_Field] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _FIELD.match(line)
        if match:
            fields.append(_Field(number, match[1], match[2].strip()))
        elif line.strip(" \t\r-"):
            if not fields or fields[-1].label not in ("Sys", "Usr", "GT", "PR"):
                raise InputError(f"a line without a label, {one_line(line.strip(), 40)!r}", line=number)
            fields[-1] = fields[-1]._replace(text=f"{fields[-1].text}\n{line.strip()}".lstrip())
    if not fields:
        raise InputError(f"no dialogue; a sheet must begin with '{_DIALOGUE} :'")
    return fields


def _blocks(fields: list[_Field], label: str) -> Iterator[list[_Field]]:
    """Split the fields into blocks that begin with the label."""
    starts = [position for position, field in enumerate(fields) if field.label == label]
    if fields and starts[:1] != [0]:
        raise InputError(f"{fields[0].label} before any '{label}'", line=fields[0].line)
    for start, end in pairwise([*starts, len(fields)]):
        yield fields[start:end]


def _sheet_turn(block: list[_Field]) -> Turn:
    head, *rest = block
    with placing(turn=head.text, line=head.line):
        fields = {field.label: field for field in rest}
        if len(fields) < len(rest):
            raise InputError("duplicate label in the turn; every turn must begin with 'Turn:'")
        if not {"GT", "PR"} & fields.keys():
            raise InputError("a turn without GT and PR")
        return Turn(
            number=turn_number(head.text),
            gold=_sheet_state(fields.get("GT")),
            pred=_sheet_state(fields.get("PR")),
            user=fields["Usr"].text if "Usr" in fields else "",
            system=fields["Sys"].text if "Sys" in fields else "",
        )


def _sheet_state(field: _Field | None) -> State | None:
    if field is None:
        return None
    words = Vocabulary()
    with placing(line=field.line):
        state = as_mapping(python_literal(field.text), "a state")
        # Validate the state here, where the line is known.
        words.state(words.number(state, NESTED))
        return state


_T5_KEYS = ("state_seq", "predictions")


class T5Text:
    """``{"predictions": "[hotel]([area][east],[stars][4]);[taxi]([day][friday])", "state_seq": "[hotel]([area][east])"}``

    JSON lines with states as texts, one turn per line: ``test_generated_predictions.json`` of the T5 model in ConvLab-3.
    ``state_seq`` is gold. The file has no dialogue ids: every line is a dialogue of one turn, and its id is its position,
    counted from 0.

    Texts are parsed as in ConvLab-3, and blanks are not trimmed. A domain or slot of another form is skipped. Of two values
    of one slot the later one is used. ``a|b`` is one value.
    """

    STATES = NESTED
    CONTENT = "both"
    DESCRIPTION = "gold and predicted states, each as one text; no dialogue ids; JSON lines, streamed"

    @staticmethod
    def detect(sample: Sample) -> bool:
        row = sample.value
        # The sample of a file with one line is a document.
        return (
            sample.kind in ("lines", "document")
            and isinstance(row, dict)
            and all(isinstance(row.get(key), str) for key in _T5_KEYS)
        )

    @staticmethod
    def read(source: Source, role: Role) -> Iterator[Dialogue]:
        for position, (number, line) in enumerate(source.lines()):
            source.line = number
            with placing(line=number):
                row = as_mapping(parse_unique(line, source.name, number), "a line")
                for key in _T5_KEYS:
                    if not isinstance(row.get(key), str):
                        found = kind_of(row[key]) if key in row else "nothing"
                        raise InputError(f"{key} must be a string, found {found}")
            gold, pred = row["state_seq"], row["predictions"]
            yield dialogue(str(position), [Turn(0, state_in(gold), state_in(pred), written=(gold, pred))])


def state_in(text: str) -> dict[str, Any]:
    """Parse the state in a text, by domain and slot.

    Each value is a list of one text, because ``|`` does not separate alternatives here.

    Example:
        >>> state_in("[hotel]([area][east|west],[stars][4]);[taxi]([leave at]")
        {'hotel': {'area': ['east|west'], 'stars': ['4']}}
    """
    state: dict[str, Any] = {}
    for piece in text.removeprefix("[").removesuffix("])").split("]);["):
        match piece.split("](["):
            case [domain, slots]:
                for pair in slots.split("],["):
                    match pair.split("]["):
                        case [slot, value]:
                            state.setdefault(domain, {})[slot] = [value]
    return state
