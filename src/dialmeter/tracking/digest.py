"""The ``data:`` field of a signature: which gold was scored, whatever the file format or the system."""

from __future__ import annotations

import hashlib

import msgspec

from ..errors import InputError
from ..model import NAMED, Value, dialogue_key
from ..readers.pairs.slot_names import clashing, slot_namer
from ..readers.pairs.vocabulary import PairState, Vocabulary

_encode = msgspec.json.encode
NOT_UNICODE = b"?"
"""Stands for a pair with half of a character, which only a Python call can give. Gold must not hold one."""


class GoldText:
    """Written pairs as the digest has them, before any rule: one name per slot, alternatives sorted; by pair of a vocabulary.

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> words = Vocabulary()
        >>> words.number({"hotel-book day": "sunday", "a-b": "2|1", "a-c": ["1", "2"]}, FLAT)
        (0, 1, 2)
        >>> text = GoldText(words)
        >>> text.extend()
        >>> [text.told[text.form[pair]] for pair in (0, 1, 2)]
        [b'"hotel-day":"sunday"', b'"a-b":"1|2"', b'"a-c":"1|2"']
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._name_of = slot_namer()
        self._slots: dict[str, int] = {}
        self._forms: dict[bytes, int] = {}
        # By pair: its slot, and the number of its form. By slot: its name, its place among the names, and its text when it is
        # gone. By form: its text.
        self.slot: list[int] = []
        self.form: list[int] = []
        self.slot_names: list[str] = []
        self.ranks: list[int] = []
        self.gone: list[bytes] = []
        self.told: list[bytes] = [b""]
        self.is_broken = False
        """Does a pair hold half of a character?"""

    def extend(self) -> None:
        """Learns the pairs that are new in the vocabulary."""
        words = self._vocabulary
        for pair in range(len(self.slot), len(words.values)):
            name = words.written(pair) if words.kept[pair] else self._name_of(words.slots[pair])
            key, told = b"", NOT_UNICODE
            try:
                key = _encode(name) + b":"
                told = key + _encode(joined_alternatives(words.values[pair]))
            except UnicodeEncodeError:
                self.is_broken = True
            if name not in self._slots:
                self._slots[name] = len(self.slot_names)
                self.slot_names.append(name)
                self.gone.append(key + b"null")
            if told not in self._forms:
                self._forms[told] = len(self.told)
                self.told.append(told)
            self.slot.append(self._slots[name])
            self.form.append(0 if words.values[pair] in _NOTHING else self._forms[told])
        if len(self.ranks) < len(self.slot_names):
            places = {name: place for place, name in enumerate(sorted(self.slot_names))}
            self.ranks[:] = [places[name] for name in self.slot_names]

    def kept_apart(self, state: PairState) -> PairState:
        """A state in which two names become one slot with different values, with these names as written."""
        found = clashing(state, self.slot, self.form).values()
        gone = {pair for pairs in found for pair in pairs}
        # Of a duplicate name the last value counts; the rules decide whether it is an error.
        last = [{self._vocabulary.written(pair): pair for pair in pairs}.values() for pairs in found]
        apart = [pair for pairs in last for pair in self._vocabulary.kept_apart([*pairs])]
        return (*(pair for pair in state if pair not in gone), *apart)


_NOTHING = ("", (), NAMED)
"""Written values that are absent in the digest."""


def joined_alternatives(value: Value) -> str:
    """A value as one text, alternatives sorted.

    Example:
        >>> joined_alternatives("2|1"), joined_alternatives(("b", "a"))
        ('1|2', 'a|b')
    """
    if isinstance(value, str) and "|" not in value:
        return value
    parts = value.split("|") if isinstance(value, str) else [part for each in value for part in each.split("|")]
    return "|".join(sorted(parts))


_LENGTH = 32
"""Bytes of a digest."""

_AT_ONCE = 4096
"""How many dialogues are put together at a time."""


class GoldDigest:
    """SHA-256 over the canonical gold: dialogues sorted by id, turns by number, what changes at a turn by slot.

    Each dialogue is digested by itself, so that it does not matter in which order or in which process they are read.
    Changes tell as much as states, and there is less of them.

    Example:
        >>> one, other = GoldDigest(), GoldDigest()
        >>> one.add("A.json", b'[2,[0],[{"x":"1"}]]'); one.add("b", b"[1,[],[]]")
        >>> other.add("b", b"[1,[],[]]"); other.add("a", b'[2,[0],[{"x":"1"}]]')
        >>> one.hex() == other.hex(), len(one.hex())
        (True, 10)
    """

    def __init__(self) -> None:
        # Concatenated digests: a large corpus has many, and they are sent between processes.
        self._keys: dict[str, None] = {}
        self._joined = bytearray()

    def add(self, dialogue_id: str, form: bytes) -> None:
        """Takes the gold of one dialogue in the form that is digested.

        Raises:
            InputError: the dialogue was taken before.
        """
        key = dialogue_key(dialogue_id)
        if key in self._keys:
            raise InputError("duplicate dialogue id", dialogue=dialogue_id)
        self._keys[key] = None
        self._joined.extend(hashlib.sha256(form).digest())

    def merge(self, other: GoldDigest) -> None:
        """Takes the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        for key in filter(self._keys.__contains__, other._keys):
            raise InputError("duplicate dialogue id", dialogue=key)
        self._keys.update(other._keys)
        self._joined.extend(other._joined)

    def keys(self) -> set[str]:
        """The dialogues, by the key under which files are matched."""
        return set(self._keys)

    def _places(self) -> dict[str, int]:
        """Where the digest of each dialogue begins."""
        return dict(zip(self._keys, range(0, len(self._joined), _LENGTH), strict=True))

    def differing(self, other: GoldDigest) -> list[str]:
        """Dialogues of both whose gold is not the same."""
        mine, theirs, there = self._joined, other._joined, other._places()
        return sorted(
            key
            for key, here in self._places().items()
            if key in there and mine[here : here + _LENGTH] != theirs[there[key] : there[key] + _LENGTH]
        )

    def hex(self) -> str:
        """The first ten hexadecimal digits."""
        keys, places, joined = sorted(self._keys), self._places(), bytes(self._joined)
        whole = hashlib.sha256()
        for first in range(0, len(keys), _AT_ONCE):
            forms = [
                key.encode("utf-8", "surrogatepass") + b"\x1c" + joined[(place := places[key]) : place + _LENGTH]
                for key in keys[first : first + _AT_ONCE]
            ]
            whole.update(b"".join(forms))
        return whole.hexdigest()[:10]
