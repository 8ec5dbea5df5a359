"""The ``data:`` field of a signature: which gold was scored, whatever the file format or the system."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from ..errors import InputError
from ..model import State, Value, dialogue_key

_encode = msgspec.json.Encoder(order="sorted").encode


def canonical(state: State) -> dict[str, str]:
    """A gold state in one form for all ways to write alternatives.

    Example:
        >>> canonical({"b": "2|1", "a": "x"}) == canonical({"a": "x", "b": ("1", "2")})
        True
    """
    return {slot: _alternatives(value) for slot, value in state.items()}


def _alternatives(value: Value) -> str:
    parts = value.split("|") if isinstance(value, str) else [part for each in value for part in each.split("|")]
    return "|".join(sorted(parts))


class GoldDigest:
    """SHA-256 over the canonical gold: dialogues sorted by id, turns by number, slots by name.

    Each dialogue is digested by itself, so that it does not matter in which order or in which process they are read.

    Example:
        >>> one, other = GoldDigest(), GoldDigest()
        >>> one.add("A.json", [0, 1], [(0, {"x": "1", "y": "2"})]); one.add("b", [0], [(0, {})])
        >>> other.add("b", [0], [(0, {})]); other.add("a", [0, 1], [(0, {"y": "2", "x": "1"})])
        >>> one.hex() == other.hex(), len(one.hex())
        (True, 10)
    """

    def __init__(self) -> None:
        self._dialogues: dict[str, bytes] = {}

    def add(self, dialogue_id: str, numbers: Sequence[int], changes: Sequence[tuple[int, State]]) -> None:
        """Takes the gold of one dialogue.

        Args:
            dialogue_id: as in the file.
            numbers: of the turns that have gold.
            changes: the states that differ from the one before, with the number of their turn.

        Raises:
            InputError: text that is not Unicode.
        """
        try:
            form = _encode((numbers, changes))
            if b"|" in form or b'":[' in form:
                form = _encode((numbers, [(number, canonical(state)) for number, state in changes]))
        except UnicodeEncodeError:
            raise InputError("half of a character stands without the other half", dialogue=dialogue_id) from None
        self._dialogues[dialogue_key(dialogue_id)] = hashlib.sha256(form).digest()

    def merge(self, other: GoldDigest) -> None:
        """Takes the dialogues of another part of the corpus."""
        self._dialogues.update(other._dialogues)

    def keys(self) -> set[str]:
        """The dialogues, by the key under which files are matched."""
        return set(self._dialogues)

    def differing(self, other: GoldDigest) -> list[str]:
        """Dialogues of both whose gold is not the same."""
        return sorted(key for key, digest in self._dialogues.items() if other._dialogues.get(key, digest) != digest)

    def hex(self) -> str:
        """The first ten hexadecimal digits."""
        whole = hashlib.sha256()
        for key in sorted(self._dialogues):
            whole.update(key.encode("utf-8", "surrogatepass") + b"\x1c" + self._dialogues[key])
        return whole.hexdigest()[:10]
