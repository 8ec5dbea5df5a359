"""Patches of gold: approved corrections that are applied to gold states while they are read.

A patch is a JSON file with one entry per correction. Slots are matched by their canonical names, and values as written.
Therefore a patch fits the same gold in every format. Each correction states the gold value that it expects; a patch that was
made for other gold is an error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec
from msgspec import Struct

from ..errors import InputError, one_line
from ..model import NAMED, dialogue_key
from ..readers.pairs.slot_names import slot_namer
from ..readers.pairs.state_layouts import FLAT, StateLayout
from ..readers.pairs.vocabulary import PairDialogue, PairState, Vocabulary
from ..readers.source import Source, cache_until_changed
from .digest import joined_alternatives

_name_of = slot_namer()


class Correction(Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """A corrected value of one slot in one dialogue.

    Attributes:
        dialogue: the id of the dialogue.
        slot: ``domain-slot``, in any spelling with the same canonical name.
        first: the first corrected turn.
        last: the last corrected turn.
        gold: the value that gold has at all of these turns; None is no value.
        value: the corrected value; None is no value.
    """

    dialogue: str
    slot: str
    first: int
    last: int
    gold: str | None
    value: str | None


class _PatchFile(Struct, forbid_unknown_fields=True):
    schema: int
    kind: str
    data: str
    corrections: list[Correction]
    digest: str


_SCHEMA, _KIND = 1, "gold patch"


class GoldPatch:
    """Corrections of gold.

    Args:
        corrections: the corrections, in any order.
        data: the digest of the gold that they were made for, if it is known.
        path: the path of the file, for messages.

    Example:
        >>> from dialmeter.model import Dialogue, Turn
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> words = Vocabulary()
        >>> turns = (Turn(0, {"hotel-book day": "monday"}), Turn(1, {"hotel-book day": "monday"}))
        >>> read = words.number_dialogue(Dialogue("MUL1.json", turns), FLAT)
        >>> patch = GoldPatch([Correction("mul1", "hotel-day", 0, 0, "monday", "friday")])
        >>> [words.state(state) for state in patch.apply(read, words).gold]
        [{'hotel-book day': 'friday'}, {'hotel-book day': 'monday'}]
        >>> patch.digest
        'a66c3ba030'
    """

    def __init__(self, corrections: Iterable[Correction], data: str = "", path: str | None = None) -> None:
        self.corrections = sorted(
            corrections, key=lambda each: (*_slot_key(each), each.first, each.last, each.value or "")
        )
        self.data = data
        self._path = path
        self._by_dialogue: dict[str, list[Correction]] = {}
        for each in self.corrections:
            self._by_dialogue.setdefault(dialogue_key(each.dialogue), []).append(each)

    @property
    def digest(self) -> str:
        """Ten hexadecimal digits over the corrections; signatures show them."""
        keys = [(dialogue_key(each.dialogue), *msgspec.structs.astuple(each)[1:]) for each in self.corrections]
        return hashlib.sha256(msgspec.json.encode(keys)).hexdigest()[:10]

    def applied(self, keys: set[str]) -> int:
        """Return the number of corrections of the dialogues with these keys."""
        return sum(len(each) for key, each in self._by_dialogue.items() if key in keys)

    def encoded(self) -> bytes:
        """Serialise the patch as a file."""
        content = _PatchFile(_SCHEMA, _KIND, self.data, self.corrections, self.digest)
        return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"

    def apply_to(self, dialogues: Iterable[PairDialogue], words: Vocabulary) -> Iterator[PairDialogue]:
        """Yield the dialogues with corrected gold.

        Raises:
            InputError: the patch was made for other gold.
        """
        return (self.apply(each, words) for each in dialogues)

    def apply(self, read: PairDialogue, words: Vocabulary) -> PairDialogue:
        """Return a dialogue with corrected gold; the same object if there is nothing to correct.

        Raises:
            InputError: the patch was made for other gold.
        """
        corrections = self._by_dialogue.get(dialogue_key(read.id), ())
        if not corrections or not any(state is not None for state in read.gold):
            return read
        corrected = PairDialogue(read.id, read.place)
        corrected.gold_place = read.gold_place
        corrected.numbers, corrected.pred, corrected.turns = read.numbers, read.pred, read.turns
        corrected.gold = list(read.gold)
        for each in corrections:
            indices = [
                index
                for index, number in enumerate(read.numbers)
                if each.first <= number <= each.last and corrected.gold[index] is not None
            ]
            if not indices:
                raise self._error(each, each.first, "gold has no such turn")
            for index in indices:
                state = corrected.gold[index] or ()
                corrected.gold[index] = self._correct_state(state, each, read.numbers[index], words)
        return corrected

    def _correct_state(self, state: PairState, correction: Correction, turn: int, words: Vocabulary) -> PairState:
        name = _name_of(correction.slot)
        held = [pair for pair in state if _name_of(words.slots[pair]) == name and words.values[pair] != NAMED]
        values = {joined_alternatives(words.values[pair]) for pair in held} - {""}
        if values != ({correction.gold} if correction.gold is not None else set()):
            expected, actual = (
                ", ".join(repr(one_line(each, 60)) for each in texts if each is not None) or "no value"
                for texts in ((correction.gold,), sorted(values))
            )
            raise self._error(correction, turn, f"the patch expects {expected} in gold, but gold has {actual}")
        others = [pair for pair in state if _name_of(words.slots[pair]) != name]
        if correction.value is None:
            return tuple(others)
        slot, section = (
            (words.slots[held[0]], words.sections[held[0]]) if held else _written_name(correction.slot, words)
        )
        if not section:
            return (*others, *words.number({slot: correction.value}, FLAT))
        domain, _, name = slot.partition("-")
        return (*others, *words.number({domain: {section: {name: correction.value}}}, StateLayout("sections")))

    def _error(self, correction: Correction, turn: int, message: str) -> InputError:
        return InputError(message, file=self._path, dialogue=correction.dialogue, turn=turn, slot=correction.slot)


def _written_name(slot: str, words: Vocabulary) -> tuple[str, str]:
    """Return the slot and the section as written in the file; the slot itself if the file never has it."""
    pairs = range(len(words.slots))
    match = next((pair for pair in pairs if words.written(pair) == slot), None)
    if match is None:
        match = next((pair for pair in pairs if _name_of(words.slots[pair]) == _name_of(slot)), None)
    return (slot, "") if match is None else (words.slots[match], words.sections[match])


@cache_until_changed
def load_patch(path: str) -> GoldPatch:
    """Read a patch. The result is cached until the file changes.

    Raises:
        InputError: there is no such file, the file is not a patch, or the patch was edited by hand.
    """
    source = Source(path)
    document = source.document
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise InputError("not a patch of gold; create one with `dialmeter study audit --sheet`", file=source.name)
    try:
        content = msgspec.convert(document, _PatchFile)
    except msgspec.ValidationError as error:
        raise InputError(str(error), file=source.name) from None
    if content.schema != _SCHEMA:
        raise InputError(f"patch has schema {content.schema}; this version reads schema {_SCHEMA}", file=source.name)
    patch = GoldPatch(content.corrections, content.data, source.name)
    if patch.digest != content.digest:
        message = (
            f"the file was edited: its digest is {one_line(content.digest, 20)}, but the digest of its corrections is "
            f"{patch.digest}"
        )
        raise InputError(message, file=source.name)
    for one, other in pairwise(patch.corrections):
        if _slot_key(one) == _slot_key(other) and other.first <= one.last:
            raise InputError("two corrections of one slot at one turn", file=source.name, dialogue=other.dialogue,
                             turn=other.first, slot=other.slot)  # fmt: skip
    return patch


def _slot_key(correction: Correction) -> tuple[str, str]:
    return dialogue_key(correction.dialogue), _name_of(correction.slot)
