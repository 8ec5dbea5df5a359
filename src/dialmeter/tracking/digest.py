"""The ``data:`` field of a signature: which gold was scored, whatever the file format or the system."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import msgspec

from ..errors import InputError
from ..model import State, Value, dialogue_key

Change: TypeAlias = Mapping[str, str | None]
"""Slots with their new values, None for a slot that left: before any rule, alternatives sorted."""

encode = msgspec.json.Encoder(order="sorted").encode


def change(before: State, now: State) -> Change:
    """What a gold state has that the one before had not, in one form for all ways to write alternatives.

    Example:
        >>> change({"a": "x", "b": "2|1", "c": "y"}, {"a": "z", "b": ("1", "2")})
        {'a': 'z', 'c': None}
    """
    found: dict[str, str | None] = {
        slot: _alternatives(value) for slot, value in now.items() if before.get(slot) != value
    }
    if len(before) + len(found) > len(now):
        for slot, value in before.items():
            if slot not in now:
                found[slot] = None
            elif slot in found and found[slot] == _alternatives(value):
                del found[slot]
    return found


def _alternatives(value: Value) -> str:
    if isinstance(value, str) and "|" not in value:
        return value
    parts = value.split("|") if isinstance(value, str) else [part for each in value for part in each.split("|")]
    return "|".join(sorted(parts))


_LENGTH = 32
"""Bytes of a digest."""

_AT_ONCE = 4096
"""How many dialogues are put together at a time."""


class Digests(NamedTuple):
    """The keys of dialogues in the order in which they came, and their digests one behind the other."""

    keys: dict[str, None]
    joined: bytearray

    def places(self) -> dict[str, int]:
        """Where the digest of each dialogue begins."""
        return dict(zip(self.keys, range(0, len(self.joined), _LENGTH), strict=True))


class GoldDigest:
    """SHA-256 over the canonical gold: dialogues sorted by id, turns by number, what changes at a turn by slot.

    Each dialogue is digested by itself, so that it does not matter in which order or in which process they are read.
    Changes tell as much as states, and there is less of them.

    Args:
        read: gives the digests of dialogues that were kept; they are not looked at before somebody asks for them.
        known: what these come to.

    Example:
        >>> one, other = GoldDigest(), GoldDigest()
        >>> one.add("A.json", [0, 1], {0: {"x": "1", "y": "2"}}); one.add("b", [0], {})
        >>> other.add("b", [0], {}); other.add("a", [0, 1], {0: {"y": "2", "x": "1"}})
        >>> one.hex() == other.hex(), len(one.hex())
        (True, 10)
    """

    def __init__(self, read: Callable[[], Digests] | None = None, known: str = "") -> None:
        self._read = read
        self._known = known

    @cached_property
    def _digests(self) -> Digests:
        return self._read() if self._read else Digests({}, bytearray())

    def add(self, dialogue_id: str, numbers: Sequence[int], changes: Mapping[int, Change]) -> None:
        """Takes the gold of one dialogue.

        Args:
            dialogue_id: as in the file.
            numbers: of the turns that have gold.
            changes: by the number of the turn, how the state differs from the one before, where it does.

        Raises:
            InputError: text that is not Unicode.
        """
        counted = numbers == range(len(numbers)) or list(numbers) == list(range(len(numbers)))
        try:
            form = encode((len(numbers) if counted else numbers, list(changes), list(changes.values())))
        except UnicodeEncodeError:
            raise InputError("half of a character stands without the other half", dialogue=dialogue_id) from None
        self.add_form(dialogue_id, form)

    def add_form(self, dialogue_id: str, form: bytes) -> None:
        """Takes the gold of one dialogue in the form that is digested."""
        key = dialogue_key(dialogue_id)
        if key in self._digests.keys:
            raise InputError("the dialogue stands twice", dialogue=dialogue_id)
        self._known = ""
        self._digests.keys[key] = None
        self._digests.joined.extend(hashlib.sha256(form).digest())

    def merge(self, other: GoldDigest) -> None:
        """Takes the dialogues of another part of the corpus.

        Raises:
            InputError: a dialogue stands in both.
        """
        if other._known and not self._digests.keys:
            self.__dict__.pop("_digests")
            self._read, self._known = (lambda: Digests({**other._digests.keys}, other._digests.joined[:])), other._known
            return
        self._known = ""
        mine, theirs = self._digests, other._digests
        for key in filter(mine.keys.__contains__, theirs.keys):
            raise InputError("the dialogue stands twice", dialogue=key)
        mine.keys.update(theirs.keys)
        mine.joined.extend(theirs.joined)

    def keys(self) -> set[str]:
        """The dialogues, by the key under which files are matched."""
        return set(self._digests.keys)

    def differing(self, other: GoldDigest) -> list[str]:
        """Dialogues of both whose gold is not the same."""
        mine, theirs = self._digests, other._digests
        there = theirs.places()
        return sorted(
            key
            for key, here in mine.places().items()
            if key in there and mine.joined[here : here + _LENGTH] != theirs.joined[there[key] : there[key] + _LENGTH]
        )

    def parts(self) -> tuple[list[str], bytes]:
        """The keys of the dialogues, and their digests one behind the other."""
        return [*self._digests.keys], bytes(self._digests.joined)

    def hex(self) -> str:
        """The first ten hexadecimal digits."""
        if self._known:
            return self._known
        keys, places, joined = sorted(self._digests.keys), self._digests.places(), bytes(self._digests.joined)
        whole = hashlib.sha256()
        for first in range(0, len(keys), _AT_ONCE):
            forms = [
                key.encode("utf-8", "surrogatepass") + b"\x1c" + joined[(place := places[key]) : place + _LENGTH]
                for key in keys[first : first + _AT_ONCE]
            ]
            whole.update(b"".join(forms))
        return whole.hexdigest()[:10]
