"""Digests of gold for signatures.

The ``gold:`` field does not depend on the file format, the rule set or the system; ``seen`` writes what the ``data:`` field holds.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from ..errors import InputError
from ..model import NAMED, Value, dialogue_key
from ..readers.pairs.slot_names import clashing, slot_namer
from ..readers.pairs.vocabulary import PairState, Vocabulary

_encode = msgspec.json.encode
NOT_UNICODE = b"?"
"""Placeholder for a pair with a lone surrogate (half of a character). Only a Python call can pass one; gold must not hold it."""


class GoldText:
    """The text of each pair of a vocabulary in the digest.

    No rule is applied, but each slot has one canonical name, and alternatives are sorted.

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
        # By pair: slot, and the number of the form. By slot: name, and the text for a slot that was removed. By form: its text.
        self.slot: list[int] = []
        self.form: list[int] = []
        self.slot_names: list[str] = []
        self.gone: list[bytes] = []
        self.told: list[bytes] = [b""]
        self.is_broken = False
        """Does a pair hold a lone surrogate?"""

    def extend(self) -> None:
        """Add the pairs that are new in the vocabulary."""
        words, told = self._vocabulary, self.told
        values, slots, kept = words.values, words.slots, words.kept
        for pair in range(len(self.slot), len(values)):
            name = words.written(pair) if kept[pair] else self._name_of(slots[pair])
            key, text = b"", NOT_UNICODE
            try:
                key = _encode(name) + b":"
                text = key + _encode(joined_alternatives(values[pair]))
            except UnicodeEncodeError:
                self.is_broken = True
            slot = self._slots.setdefault(name, len(self.slot_names))
            if slot == len(self.slot_names):
                self.slot_names.append(name)
                self.gone.append(key + b"null")
            form = self._forms.setdefault(text, len(told))
            if form == len(told):
                told.append(text)
            self.slot.append(slot)
            self.form.append(0 if values[pair] in _NOTHING else form)

    def kept_apart(self, state: PairState) -> PairState:
        """Keep names as written if two of them become one slot with different values."""
        clashes = clashing(state, self.slot, self.form).values()
        clashing_pairs = {pair for pairs in clashes for pair in pairs}
        # If a name is duplicate, its last value counts; the rules decide whether it is an error.
        last = [{self._vocabulary.written(pair): pair for pair in pairs}.values() for pairs in clashes]
        apart = [pair for pairs in last for pair in self._vocabulary.kept_apart([*pairs])]
        return (*(pair for pair in state if pair not in clashing_pairs), *apart)


_NOTHING = ("", (), NAMED)
"""Values that the digest does not contain."""


def joined_alternatives(value: Value) -> str:
    """Join a value into one text with sorted alternatives.

    Example:
        >>> joined_alternatives("2|1"), joined_alternatives(("b", "a"))
        ('1|2', 'a|b')
    """
    if isinstance(value, str) and "|" not in value:
        return value
    parts = value.split("|") if isinstance(value, str) else [part for each in value for part in each.split("|")]
    return "|".join(sorted(parts))


GOLD = "gold"
"""The canonical gold, as a form of a digest."""


class GoldDigest:
    """SHA-256 over forms of gold, with dialogues sorted by id: the canonical gold (``GOLD``), and what measures see (``seen``).

    Each dialogue has its own digest of each form, so the order of reading and the number of processes do not matter. The
    canonical gold is made from changes, because they hold the same information as states and are shorter.

    Example:
        >>> one, other = GoldDigest(), GoldDigest()
        >>> one.add("A.json", {GOLD: b'[2,[0],[{"x":"1"}]]'}); one.add("b", {GOLD: b"[1,[],[]]"})
        >>> other.add("b", {GOLD: b"[1,[],[]]"}); other.add("a", {GOLD: b'[2,[0],[{"x":"1"}]]'})
        >>> one.hexes() == other.hexes(), len(one.hexes()[GOLD])
        (True, 10)
    """

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._digests: dict[str, dict[str, bytes]] = defaultdict(dict)

    def add(self, dialogue_id: str, forms: Mapping[str, bytes]) -> None:
        """Add the forms of the gold of one dialogue; all dialogues have the same forms.

        Raises:
            InputError: the dialogue was added before.
        """
        key = dialogue_key(dialogue_id)
        if key in self._keys:
            raise InputError("duplicate dialogue id", dialogue=dialogue_id)
        self._keys[key] = None
        for kind, form in forms.items():
            self._digests[kind][key] = hashlib.sha256(form).digest()

    def merge(self, other: GoldDigest) -> None:
        """Add the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        for key in filter(self._keys.__contains__, other._keys):
            raise InputError("duplicate dialogue id", dialogue=key)
        self._keys.update(other._keys)
        for kind, digests in other._digests.items():
            self._digests[kind].update(digests)

    def keys(self) -> set[str]:
        """Return the keys of the dialogues, by which files are matched."""
        return set(self._keys)

    def differing(self, other: GoldDigest, kinds: Iterable[str] = (GOLD,)) -> list[str]:
        """Return the shared dialogues whose gold differs in any of some forms."""
        pairs = [(self._digests[kind], other._digests[kind]) for kind in dict.fromkeys(kinds)]
        shared = self._keys.keys() & other._keys.keys()
        return sorted(key for key in shared if any(mine.get(key) != theirs.get(key) for mine, theirs in pairs))

    def hexes(self) -> dict[str, str]:
        """Return the first ten hexadecimal digits of the digest of every form."""
        names = {key: key.encode("utf-8", "surrogatepass") + b"\x1c" for key in sorted(self._keys)}
        return {
            kind: hashlib.sha256(b"".join([name + digests[key] for key, name in names.items()])).hexdigest()[:10]
            for kind, digests in self._digests.items()
            if digests
        }
