"""What a rule set sees of gold: the ``data:`` field of a signature.

A rule set sees gold after its names, its list of slots, its value steps, its absent words and its alternatives. Measures see
more or less of that: most do not see the order of alternatives, and only some see intents, or a state as one text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from ..measure import Measure
from ..model import Schema, Value
from ..readers.pairs.vocabulary import PairDialogue
from .compared import ComparedDialogue
from .measures.dstc10 import ValueMeasure
from .pairs import PairRules
from .rule_sets.rules import Rules
from .vectors.measure_columns import state_texts, variant_of
from .walk import Walk

Seen: TypeAlias = Literal["cells", "ordered", "none", "frames", "texts"]
"""What a measure sees: slots and values; also the order of alternatives; also absent words; also the intents and requested slots
of frames; or the state as one text."""


def seen_by(measure: Measure, rules: Rules) -> Seen:
    """Return what a measure sees of gold under a rule set.

    Example:
        >>> from dialmeter.measure import parse
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> [seen_by(parse(name), named("dialmeter")) for name in ("JGA", "GCA(deletions=code)", "IntentAccuracy")]
        ['cells', 'none', 'frames']
    """
    reads = measure.reads()
    if reads in ("frames", "texts"):
        return reads
    if variant_of(measure).deletions == "code":
        return "none"
    return "ordered" if reads == "states" and not isinstance(measure, ValueMeasure) else "cells"


class SeenGold:
    """Writes what is seen of the gold of a dialogue as bytes, for its digest.

    Every cell (a slot with a value under the rules) has a hash, and the hash of a state is their sum. Therefore the order
    of slots does not matter, and neither do the numbers of the cells, which differ between processes.
    """

    def __init__(self, kinds: Iterable[Seen], pairs: PairRules) -> None:
        self._kinds = tuple(dict.fromkeys(kinds))
        self._pairs = pairs
        # By cell: its hash, with alternatives sorted, in their order, or as frames see them.
        self._sorted, self._ordered, self._framed = [0], [0], [0]
        # By slot of a schema: is it categorical?
        self._schema: dict[str, bool] = {}

    def forms(self, walk: Walk, read: PairDialogue, schema: Schema | None) -> dict[str, bytes]:
        """Return the bytes of the last dialogue of a walk, by kind. The schema is the same for all dialogues."""
        if len(self._sorted) < len(self._pairs.values):
            if schema is not None and not self._schema:
                self._schema = {
                    self._pairs.name_of(f"{service}-{slot}"): kind
                    for service, slots in schema.services.items()
                    for slot, kind in slots.items()
                }
            self._extend()
        named = self._named(walk) if self._pairs.rules.extra == "unlisted" else b""
        return {kind: self._form(kind, walk, read) + named for kind in self._kinds}

    def _form(self, kind: Seen, walk: Walk, read: PairDialogue) -> bytes:
        if kind == "cells":
            return b"%d" % walk.hash_states(walk.gold, self._sorted)
        if kind == "texts":
            golds = [gold for gold, _ in state_texts(ComparedDialogue(walk, self._pairs), read)]
            return ascii([*zip(walk.numbers, golds, strict=True)]).encode()
        if kind == "frames":
            return b"%d" % walk.hash_states(walk.gold, self._framed) + _frames_form(walk, read)
        return b"%d" % walk.hash_states(walk.gold_none if kind == "none" else walk.gold, self._ordered)

    def _extend(self) -> None:
        """Add the hashes of the new cells."""
        pairs = self._pairs
        for cell in range(len(self._sorted), len(pairs.values)):
            name, value = pairs.slot_names[pairs.cell_slots[cell]], pairs.values[cell]
            self._ordered.append(_hash(name, value))
            several = isinstance(value, tuple)
            self._sorted.append(_hash(name, tuple(sorted(value))) if several else self._ordered[cell])
            # Frames ignore slots that the schema lacks, and only the first value of a categorical slot counts.
            kind = self._schema.get(name)
            first = _hash(name, value[0]) if several and value else self._ordered[cell]
            self._framed.append(0 if kind is None else first if kind else self._sorted[cell])

    def _named(self, walk: Walk) -> bytes:
        """Return the slots that gold names without a value at each turn; they count if other slots are ignored."""
        pairs = self._pairs
        named = [
            sorted(
                {pairs.slot_names[pairs.slot[pair]] for pair in state if not pairs.gold[pair] and pairs.looks_at(pair)}
            )
            for state in walk.gold_listed
        ]
        return ascii(named).encode()


def _hash(name: str, value: Value) -> int:
    return int.from_bytes(hashlib.sha256(ascii((name, value)).encode()).digest()[:8], "little")


def _frames_form(walk: Walk, read: PairDialogue) -> bytes:
    """Return the services, intents and requested slots of gold at each turn."""
    told = {turn.number: turn.frames for turn in read.turns if turn.number in walk.numbers}
    seen = {
        number: [
            (name, each.gold_intent, each.gold_requested and sorted(each.gold_requested))
            for name, each in frames.items()
        ]
        for number, frames in told.items()
        if frames is not None
    }
    return ascii(seen).encode()


def schema_digest(schema: Schema, services: Iterable[str]) -> str:
    """Return ten hexadecimal digits over the slots of services, in their order, and whether each is categorical.

    Example:
        >>> schema_digest(Schema({"a": {"x": True}, "b": {}}), ["a"]) == schema_digest(Schema({"a": {"x": True}}), ["a"])
        True
    """
    return digest_of([(service, [*schema.services[service].items()]) for service in sorted(services)])


def digest_of(value: object) -> str:
    """Return ten hexadecimal digits over plain data."""
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:10]
