"""Numbering of the distinct pairs of slot and value in a file, so that each pair is processed once.

Readers pass on states as written. The vocabulary gives each written pair a number, and a state becomes a tuple of
numbers. The meaning of a pair (its slot name and its value under a rule set) is decided once per number, not once per
turn.

This file is plain Python. ``vocabulary.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Raw

from ...errors import InputError, one_line
from ...model import NAMED, Dialogue, State, Turn, Value, domain_of
from ..strict_json import count_strings, decode_json, kind_of
from ..validation import as_list, as_mapping, as_text, as_value
from .layers import SHAPES, Layer, Slot, StateSplitter
from .slot_names import two_values
from .state_layouts import FLAT, NESTED, StateLayout

Place: TypeAlias = tuple[str | None, int | None]
PairState: TypeAlias = tuple[int, ...]
"""A state as the pair numbers of a vocabulary."""

_FLAT, _NESTED, _GLUED, _ANY = SHAPES["flat"], SHAPES["nested"], SHAPES["glued"], SHAPES["any"]
_NO_PAIR = -1


class PairDialogue:
    """A dialogue with numbered states, stored in columns; ``None`` is a state that the file does not have.

    Args:
        dialogue_id: the id in the file.
        place: the file and line of the dialogue, if known.
    """

    def __init__(self, dialogue_id: str, place: Place = (None, None)) -> None:
        self.id = dialogue_id
        self.place = place
        self.gold_place = place
        self.numbers: list[int] = []
        self.gold: list[PairState | None] = []
        self.pred: list[PairState | None] = []
        self.turns: Sequence[Turn] = ()
        self.strings = 0
        """Number of strings in the states that were numbered without being parsed before."""


class Vocabulary:
    """Numbers written pairs.

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import NESTED
        >>> words = Vocabulary()
        >>> words.number({"hotel": {"area": "east", "book day": ["sunday"]}}, NESTED)
        (0, 1)
        >>> words.state((0, 1))
        {'hotel-area': 'east', 'hotel-book day': 'sunday'}
    """

    def __init__(self) -> None:
        # For each pair: the slot with its domain, the section, and the value, all as written. Then: True if the slot
        # keeps its written name, because another slot of the same state would get the same name.
        self.slots: list[str] = []
        self.sections: list[str] = []
        self.values: list[Value] = []
        self.kept: list[bool] = []
        self.names_empty = False
        """True if a layout writes slots that have no value."""
        self._numbers: dict[tuple[str, str, Value, bool], int] = {}
        self._sections_of: dict[str, set[str]] = {}
        self._layers: dict[StateLayout, Layer] = {}
        self._splitter = StateSplitter(self)
        # The last two numbered states, and their bytes if they were unparsed.
        self._last: PairState = ()
        self._before: PairState = ()
        self._last_bytes: Raw | None = None
        self._before_bytes: Raw | None = None
        self._last_strings = self._before_strings = self._strings = 0

    def number_dialogue(
        self, dialogue: Dialogue, layout: StateLayout, file: str | None = None, line: int | None = None
    ) -> PairDialogue:
        """Number the states of a dialogue.

        Raises:
            InputError: an invalid state, with its turn and slot.
        """
        found = PairDialogue(dialogue.id, (file, line))
        layer = self._layer(layout)
        turns = dialogue.turns
        numbers, gold, pred = found.numbers, found.gold, found.pred
        self._strings = 0
        for turn in turns:
            number = turn.number
            try:
                state = turn.gold
                gold.append(None if state is None else self._numbered(state, layer))
                state = turn.pred
                pred.append(None if state is None else self._numbered(state, layer))
            except InputError as error:
                raise error.at(file=file, line=line, dialogue=dialogue.id, turn=number) from None
            numbers.append(number)
        found.turns = turns
        found.strings = self._strings
        return found

    def number(self, state: Any, layout: StateLayout) -> PairState:
        """Number the pairs of a state.

        Raises:
            InputError: an invalid state.
        """
        numbers = self._numbered(state, self._layer(layout))
        return () if numbers is None else numbers

    def state(self, numbers: PairState) -> State:
        """Return a state as written, without the slots that have no value.

        Raises:
            InputError: one slot has two values.
        """
        state: dict[str, Value] = {}
        for number in numbers:
            slot, value = self._plain_name(number), self.values[number]
            if value != NAMED and state.setdefault(slot, value) != value:
                raise two_values(slot, state[slot], value)
        return state

    def _plain_name(self, pair: int) -> str:
        """Return the written name of a slot. Include its section only if the slot occurs in two sections."""
        slot = self.slots[pair]
        # Predictions may have no sections although gold has them.
        return self.written(pair) if len(self._sections_of[slot] - {""}) > 1 else slot

    def with_predictions(self, read: PairDialogue, changed: Dialogue) -> PairDialogue:
        """Return a dialogue with other predictions and the same gold.

        Args:
            read: the dialogue.
            changed: the dialogue with states as mappings and other predictions; turns may be missing.
        """
        golds = dict(zip(read.numbers, read.gold, strict=True))
        places = {
            self._plain_name(pair): (self.slots[pair], self.sections[pair])
            for state in read.gold
            for pair in state or ()
        }
        found = PairDialogue(read.id, read.place)
        found.gold_place = read.gold_place
        found.turns = changed.turns
        for turn in changed.turns:
            found.numbers.append(turn.number)
            found.gold.append(golds[turn.number])
            found.pred.append(
                None
                if turn.pred is None
                else tuple(self._number(*places.get(slot, (slot, "")), value) for slot, value in turn.pred.items())
            )
        return found

    def kept_apart(self, pairs: Sequence[int]) -> list[int]:
        """Return pairs whose slots keep their written names, for pairs whose slots would get the same name.

        Raises:
            InputError: two slots have the same written name but different values.
        """
        first: dict[str, int] = {}
        for pair in pairs:
            other = first.setdefault(self.written(pair), pair)
            if self.values[other] != self.values[pair]:
                raise two_values(self.slots[pair], self.values[other], self.values[pair])
        return [self._number(self.slots[pair], self.sections[pair], self.values[pair], True) for pair in first.values()]

    def written(self, pair: int) -> str:
        """Return the written name of a slot, with its section if it has one."""
        slot, section = self.slots[pair], self.sections[pair]
        return f"{domain_of(slot)}-{section} {slot.partition('-')[2]}" if section else slot

    def cell(self, pair: int) -> tuple[str, str, str]:
        """Return domain, section and slot as written."""
        domain, _, slot = self.slots[pair].partition("-")
        return domain, self.sections[pair], slot

    def plain(self, dialogue: PairDialogue) -> Dialogue:
        """Return a dialogue with its states as mappings."""
        turns = []
        for turn, gold, pred in zip(dialogue.turns, dialogue.gold, dialogue.pred, strict=True):
            states: list[State | None] = []
            for numbers, (file, line) in ((gold, dialogue.gold_place), (pred, dialogue.place)):
                try:
                    states.append(None if numbers is None else self.state(numbers))
                except InputError as error:
                    raise error.at(file=file, line=line, dialogue=dialogue.id, turn=turn.number) from None
            turns.append(
                Turn(turn.number, states[0], states[1], turn.user or "", turn.system or "", turn.frames, turn.written)
            )
        return Dialogue(dialogue.id, tuple(turns))

    def _layer(self, layout: StateLayout) -> Layer:
        layer = self._layers.get(layout)
        if layer is None:
            layer = self._layers[layout] = Layer(layout)
            self.names_empty = self.names_empty or "" in layout.absent
        return layer

    def _numbered(self, state: Any, layer: Layer) -> PairState | None:
        """Number a state. Return the same object if it equals one of the last two states, for fast comparison."""
        if type(state) is Raw:
            return self._numbered_bytes(state, layer)
        self._last_bytes = self._before_bytes = None
        found: list[int] = []
        shape = layer.shape
        if shape == _ANY:
            nested = type(state) is dict and any(isinstance(value, dict) for value in state.values())
            layer = self._layer(NESTED if nested else FLAT)
            shape = layer.shape
        if shape == _FLAT:
            self._add_pairs(state if type(state) is dict else as_mapping(state, "a state"), layer, found)
        elif shape == _GLUED:
            self._add_glued(state, found)
        else:
            self._add_domains(state, layer, found)
        return self._settled(found)

    def _settled(self, found: list[int]) -> PairState:
        """Return the numbers as a tuple: the same object if it equals one of the last two states."""
        last = self._last
        before = self._before
        size = len(found)
        if len(before) == size:
            for place in range(size):
                if found[place] is not before[place]:
                    break
            else:
                self._before, self._last = last, before
                return before
        if len(last) == size:
            for place in range(size):
                if found[place] is not last[place]:
                    break
            else:
                self._before = last
                return last
        numbers = tuple(found)
        self._before, self._last = last, numbers
        return numbers

    def _numbered_bytes(self, written: Raw, layer: Layer) -> PairState | None:
        """Number an unparsed state. It need not be parsed if its bytes equal those of one of the last two states."""
        if written == self._before_bytes:
            self._before_bytes, self._last_bytes = self._last_bytes, self._before_bytes
            self._before_strings, self._last_strings = self._last_strings, self._before_strings
            self._before, self._last = self._last, self._before
        elif written == self._last_bytes:
            self._before_bytes, self._before_strings, self._before = self._last_bytes, self._last_strings, self._last
        else:
            before, strings = self._last_bytes, self._last_strings
            splitter = self._splitter
            if splitter.split(bytes(written), layer):
                self._settled(splitter.found)
                count = splitter.strings
            else:
                state = decode_json(written)
                if state is None and layer.shape == _FLAT:
                    return None
                self._numbered(state, layer)
                count = count_strings(state)
            self._before_bytes, self._before_strings = before, strings
            self._last_bytes, self._last_strings = written, count
        self._strings += self._last_strings
        return self._last

    def number_new(self, slot: str, value: Any, layer: Layer) -> int | None:
        """Return the number of a pair, given its slot and value, or without a slot as one text; None for no value."""
        found: list[int] = []
        if layer.shape == _GLUED:
            self._add_glued([value], found)
        else:
            self._add_pairs({slot: value}, layer, found)
        return found[0] if found else None

    def _add_domains(self, state: Any, layer: Layer, found: list[int]) -> None:
        """Append the pair numbers of a nested state, with or without sections."""
        for domain, inner in as_mapping(state, "a state").items():
            if inner is None and layer.shape == _NESTED:
                continue
            below = layer.inside(domain)
            try:
                slots = inner if type(inner) is dict else as_mapping(inner, "a domain")
                if layer.shape == _NESTED:
                    self._add_pairs(slots, below, found)
                else:
                    for section, pairs in slots.items():
                        self._add_section(section, pairs, below, found)
            except InputError as error:
                raise error.at(slot=domain) from None

    def _add_section(self, section: str, pairs: Any, layer: Layer, found: list[int]) -> None:
        below = layer.inside(section)
        self._add_pairs(pairs if type(pairs) is dict else as_mapping(pairs, section), below, found)

    def _add_glued(self, state: Any, found: list[int]) -> None:
        for text in as_list(state, "a state"):
            parts = as_text(text, "a pair").split("-", 2)
            if len(parts) < 3:
                raise InputError(f"a pair reads domain-slot-value, found {one_line(str(text), 40)!r}")
            found.append(self._number(f"{parts[0]}-{parts[1]}", "", parts[2]))

    def _add_pairs(self, pairs: Mapping[str, Any], layer: Layer, found: list[int]) -> None:
        """Append the pair numbers of slots with values."""
        known = layer.slots
        of_booking = layer.section == "book"
        for slot, value in pairs.items():
            if of_booking and slot == "booked":
                continue
            if type(value) is list and len(value) == 1 and type(value[0]) is str and "|" not in value[0]:
                value = value[0]  # noqa: PLW2901
            elif layer.lists and type(value) is not list and value is not None:
                raise InputError(f"values must be a list, found {kind_of(value)}", slot=f"{layer.domain}-{slot}")
            one = known.get(slot)
            if one is None:
                one = known[slot] = Slot()
            if type(value) is str:
                text = value
                if one.number is not None and text == one.last:
                    number = one.number
                else:
                    number = one.values.get(text)
                    if number is None:
                        number = one.values[text] = self._learn(slot, value, layer)
                    one.last, one.number = text, number
            elif value is None:
                continue
            else:
                number = self._number_other(slot, value, one, layer)
            if number is not _NO_PAIR:
                found.append(number)

    def _number_other(self, slot: str, value: Any, one: Slot, layer: Layer) -> int:
        """Number a pair whose value is not a text. Numbers are not cached: 1, 1.0 and true are equal as keys."""
        if type(value) is not list or not all(type(each) is str for each in value):
            return self._learn(slot, value, layer)
        key = tuple(value)
        number = one.values.get(key)
        if number is None:
            number = one.values[key] = self._learn(slot, value, layer)
        return number

    def _learn(self, slot: str, written: Any, layer: Layer) -> int:
        """Return the number of a pair that is not cached, or ``_NO_PAIR`` if its value is absent."""
        layout = layer.layout
        name = slot.removeprefix(f"{layer.domain}-") if layout.prefixed else slot
        if layer.shape != _FLAT:
            name = f"{layer.domain}-{name}"
        try:
            value = as_value(written)
        except InputError as error:
            raise error.at(slot=name) from None
        if value is None:
            return _NO_PAIR
        return self._number(name, layer.section, NAMED if value in layout.absent else value)

    def _number(self, slot: str, section: str, value: Value, kept: bool = False) -> int:
        key = slot, section, value, kept
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.slots)
            self.slots.append(slot)
            self.sections.append(section)
            self.values.append(value)
            self.kept.append(kept)
            self._sections_of.setdefault(slot, set()).add(section)
        return number
