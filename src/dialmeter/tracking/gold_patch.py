"""Patches of gold: corrections that people have approved, applied to gold states while they are read.

A patch is a JSON file with one entry per correction. Slots are matched by their canonical names and values as they are
written, so that a patch fits the same gold in every format. A patch never applies to gold that it was not made for: each
correction says which value it expects.
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
    """A slot of one dialogue with another value.

    Attributes:
        dialogue: its id.
        slot: ``domain-slot``; any spelling that has the same canonical name.
        first: the first turn of the correction.
        last: its last turn.
        gold: the value that gold has at all of these turns; None is no value.
        value: the value that it gets; None is no value.
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
        corrections: in any order.
        data: the digest of the gold that they were made for, where it is known.
        path: of the file, for messages.

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
        self.corrections = sorted(corrections, key=_order)
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
        """How many corrections belong to the dialogues with these keys."""
        return sum(len(each) for key, each in self._by_dialogue.items() if key in keys)

    def encoded(self) -> bytes:
        """The patch as a file."""
        found = _PatchFile(_SCHEMA, _KIND, self.data, self.corrections, self.digest)
        return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"

    def apply_to(self, dialogues: Iterable[PairDialogue], words: Vocabulary) -> Iterator[PairDialogue]:
        """The dialogues with corrected gold.

        Raises:
            InputError: gold is not the gold that the patch was made for.
        """
        return (self.apply(each, words) for each in dialogues)

    def apply(self, read: PairDialogue, words: Vocabulary) -> PairDialogue:
        """A dialogue with corrected gold; the same object where nothing is corrected.

        Args:
            read: the dialogue.
            words: what numbered its pairs.

        Raises:
            InputError: gold is not the gold that the patch was made for.
        """
        corrections = self._by_dialogue.get(dialogue_key(read.id), ())
        if not corrections or not any(state is not None for state in read.gold):
            return read
        found = PairDialogue(read.id, read.place)
        found.gold_place = read.gold_place
        found.numbers, found.pred, found.turns = read.numbers, read.pred, read.turns
        found.gold = list(read.gold)
        for each in corrections:
            turns = [place for place, number in enumerate(read.numbers) if each.first <= number <= each.last]
            places = [place for place in turns if found.gold[place] is not None]
            if not places:
                raise self._error(each, each.first, "gold has no such turn")
            for place in places:
                found.gold[place] = self._changed(found.gold[place] or (), each, read.numbers[place], words)
        return found

    def _changed(self, state: PairState, correction: Correction, turn: int, words: Vocabulary) -> PairState:
        name = _name_of(correction.slot)
        held = [pair for pair in state if _name_of(words.slots[pair]) == name and words.values[pair] != NAMED]
        values = {joined_alternatives(words.values[pair]) for pair in held} - {""}
        if values != ({correction.gold} if correction.gold is not None else set()):
            expected, found = (_said(each) for each in ((correction.gold,), sorted(values)))
            raise self._error(correction, turn, f"the patch expects {expected} in gold, which has {found}")
        kept = [pair for pair in state if _name_of(words.slots[pair]) != name]
        if correction.value is None:
            return tuple(kept)
        slot, section = (
            (words.slots[held[0]], words.sections[held[0]]) if held else _written_name(correction.slot, words)
        )
        return (*kept, *_numbered(slot, section, correction.value, words))

    def _error(self, correction: Correction, turn: int, message: str) -> InputError:
        return InputError(message, file=self._path, dialogue=correction.dialogue, turn=turn, slot=correction.slot)


def _order(correction: Correction) -> tuple[str, str, int, int, str]:
    return (*_place(correction), correction.first, correction.last, correction.value or "")


def _said(values: Iterable[str | None]) -> str:
    return ", ".join(repr(one_line(each, 60)) for each in values if each is not None) or "no value"


def _written_name(slot: str, words: Vocabulary) -> tuple[str, str]:
    """Slot and section as a file writes them that has a slot of this name; the name itself where none has it."""
    pairs = range(len(words.slots))
    found = next((pair for pair in pairs if words.written(pair) == slot), None)
    if found is None:
        found = next((pair for pair in pairs if _name_of(words.slots[pair]) == _name_of(slot)), None)
    return (slot, "") if found is None else (words.slots[found], words.sections[found])


def _numbered(slot: str, section: str, value: str, words: Vocabulary) -> PairState:
    """The pair of a slot and a section, as a file writes them, with a value."""
    if not section:
        return words.number({slot: value}, FLAT)
    domain, _, name = slot.partition("-")
    return words.number({domain: {section: {name: value}}}, StateLayout("sections"))


@cache_until_changed
def load_patch(path: str) -> GoldPatch:
    """Reads a patch; a file that was read before only if it has changed.

    Raises:
        InputError: no such file, no patch, or a patch that was changed by hand.
    """
    source = Source(path)
    document = source.document
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise InputError("no patch of gold; `dialmeter tracker audit --read-sheet` writes one", file=source.name)
    try:
        found = msgspec.convert(document, _PatchFile)
    except msgspec.ValidationError as error:
        raise InputError(str(error), file=source.name) from None
    if found.schema != _SCHEMA:
        raise InputError(f"a patch of schema {found.schema}; this version reads {_SCHEMA}", file=source.name)
    patch = GoldPatch(found.corrections, found.data, source.name)
    if patch.digest != found.digest:
        message = f"the digest is {one_line(found.digest, 20)}, and that of the corrections {patch.digest}: the file was changed"
        raise InputError(message, file=source.name)
    for one, other in pairwise(patch.corrections):
        if _place(one) == _place(other) and other.first <= one.last:
            raise InputError("two corrections of one slot at one turn", file=source.name, dialogue=other.dialogue,
                             turn=other.first, slot=other.slot)  # fmt: skip
    return patch


def _place(correction: Correction) -> tuple[str, str]:
    return dialogue_key(correction.dialogue), _name_of(correction.slot)
