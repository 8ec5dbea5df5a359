"""The ``data:`` field of a signature: which gold was scored, whatever the file format or the system."""

from __future__ import annotations

import hashlib

from ..model import State, Value, dialogue_key

_PAIR, _TURN = "\x1f", "\x1e"


def canonical(state: State) -> bytes:
    """A gold state in one canonical form: sorted slots, alternatives sorted, before any rule.

    Example:
        >>> canonical({"b": "2|1", "a": "x"}) == canonical({"a": "x", "b": ("1", "2")})
        True
    """
    try:
        text = _TURN.join([f"{slot}{_PAIR}" + value for slot, value in sorted(state.items())])  # type: ignore[operator]
        plain = "|" not in text
    except TypeError:
        plain = False
    if not plain:
        text = _TURN.join(f"{slot}{_PAIR}{_alternatives(state[slot])}" for slot in sorted(state))
    return text.encode("utf-8", "surrogatepass")


def _alternatives(value: Value) -> str:
    parts = value.split("|") if isinstance(value, str) else [part for each in value for part in each.split("|")]
    return "|".join(sorted(parts))


class GoldDigest:
    """SHA-256 over the canonical gold: dialogues sorted by id, turns by number, slots by name.

    Each dialogue is digested by itself, so that it does not matter in which order or in which process they are read.

    Example:
        >>> one, other = GoldDigest(), GoldDigest()
        >>> one.add("A.json", [(0, b"x")]); one.add("b", [(0, b"y")])
        >>> other.add("b", [(0, b"y")]); other.add("a", [(0, b"x")])
        >>> one.hex() == other.hex(), len(one.hex())
        (True, 10)
    """

    def __init__(self) -> None:
        self._dialogues: dict[str, bytes] = {}

    def add(self, dialogue_id: str, turns: list[tuple[int, bytes]]) -> None:
        """Takes the canonical gold states of one dialogue."""
        parts = [b"%d\x1d%b" % turn for turn in turns]
        self._dialogues[dialogue_key(dialogue_id)] = hashlib.sha256(b"\x1c".join(parts)).digest()

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
