"""Apply a rule set to pairs as written, once per pair: slot names, values, absent words, alternatives, similar values.

A *cell* is a slot with a value under the rules. Gold and predicted cells share one numbering, so equal values of a slot have
equal numbers. Cell 0 is no value. The rules are applied only here and in ``normalise``; all later steps count integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from ..model import State, Value, domain_of
from ..readers.pairs.slot_names import slot_namer
from ..readers.pairs.vocabulary import PairState, Vocabulary
from ..values.originals import Backend, similarity
from .rule_sets.normalise import Normaliser, set_score
from .rule_sets.rules import FuzzyMatch, Rules, Side, parse_match

NO_CELL = 0
_NONE = "none"


class Repairs(Struct, frozen=True):
    """Changes of slots and values that no rule makes.

    Attributes:
        renamed: slots under the rules → their new names.
        equated: a slot and its value under the rules → the value that it counts as.
        dropped: slots that are ignored.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    equated: Mapping[tuple[str, Value | None], Value] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()


NO_REPAIRS = Repairs()


class PairRules:
    """Tables of pairs, slots and cells under a rule set. They grow with the vocabulary.

    Args:
        rules: the rule set.
        vocabulary: the pairs.
        repairs: further changes of slots and values.

    Example:
        >>> from dialmeter.readers.pairs.state_layouts import FLAT
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> words = Vocabulary()
        >>> numbers = words.number({"hotel-book day": " Sunday", "hotel-area": "none", "hotel-name": "a|b"}, FLAT)
        >>> pairs = PairRules(named("dialmeter"), words)
        >>> pairs.extend()
        >>> [pairs.values[pairs.gold[number]] for number in numbers], pairs.slot_names
        (['sunday', '', ('a', 'b')], ['hotel-day', 'hotel-area', 'hotel-name'])
        >>> pairs.agrees(pairs.gold[2], pairs.pred[2])
        False
    """

    def __init__(self, rules: Rules, vocabulary: Vocabulary, repairs: Repairs = NO_REPAIRS) -> None:
        self.rules = rules
        self._repairs = repairs
        self.vocabulary = vocabulary
        self.normaliser = Normaliser(rules)
        self.name_of = slot_namer(rules.names)
        self._only = frozenset(rules.only)
        self.stops: set[str] = set()
        """Values that would stop the original scorer of the rule set with an error."""
        # By pair: slot; cell in gold and in a prediction; the same with absent words as "none"; does it delete the slot; does it
        # hold several values?
        self.slot: list[int] = []
        self.gold: list[int] = []
        self.pred: list[int] = []
        self.gold_none: list[int] = []
        self.pred_none: list[int] = []
        self.absent: list[bool] = []
        self.hedged: list[bool] = []
        # By slot: name, domain, and the cell of "none".
        self.slot_names: list[str] = []
        self.domains: list[int] = []
        self.none_cells: list[int] = []
        # By cell: slot; value; does the value hold several alternatives; the text of slot and value joined by a hyphen; that
        # text cut at its last hyphen; does the value hold a hyphen?
        self.cell_slots: list[int] = [0]
        self.values: list[Value] = [""]
        self.several: list[bool] = [False]
        self.glued: list[int] = [0]
        self.cut: list[int] = [0]
        self.hyphened: list[int] = [0]
        self.domain_names: list[str] = []
        self._slot_numbers: dict[str, int] = {}
        self._domain_numbers: dict[str, int] = {}
        self._cells: dict[tuple[int, Value, str], int] = {}
        self._texts: dict[str, int] = {}
        self._meets = _value_comparison(rules)
        fuzzy = parse_match(rules.match)
        self.loose = (fuzzy is not None and fuzzy.threshold is not None) or rules.alternatives in ("any-of-both", "set")
        """Can two different cells agree even if gold holds no alternatives?"""
        self._sets = rules.alternatives == "set"
        self._several = rules.alternatives in ("any-of", "any-of-both", "listed")
        self._agreeing: dict[tuple[int, int], bool] = {}
        self._overlapping: dict[tuple[int, int], bool] = {}

    def extend(self) -> None:
        """Add the pairs that are new in the vocabulary."""
        words, repairs = self.vocabulary, self._repairs
        hedges = self.rules.alternatives == "any-of"
        for pair in range(len(self.slot), len(words.values)):
            value = words.values[pair]
            if not self.looks_at(pair):
                self._add_pair(self._slot(words.written(pair)), None, None, False)
                self.hedged.append(False)
                continue
            name = words.written(pair) if words.kept[pair] else self.name_of(words.slots[pair])
            if not words.kept[pair]:
                name = repairs.renamed.get(name, name)
            gold, pred, absent = self.normaliser.both(value, name)
            if repairs.equated:
                gold, pred = (repairs.equated.get((name, each), each) for each in (gold, pred))
            if name in repairs.dropped:
                gold, pred, absent = None, None, False
            if self.normaliser.stops_original(value, name):
                self.stops.add(f"{name}={value}")
            self._add_pair(self._slot(name), gold, pred, absent)
            self.hedged.append(hedges and (len(value) > 1 if isinstance(value, tuple) else "|" in value))

    def looks_at(self, pair: int) -> bool:
        """Is the slot of a pair among the slots that the rule set looks at?"""
        return not self._only or self.vocabulary.cell(pair) in self._only

    def _add_pair(self, slot: int, gold_value: Value | None, pred_value: Value | None, absent: bool) -> None:
        gold = self._cell(slot, gold_value, "gold")
        pred = gold if pred_value is gold_value and not self._sets else self._cell(slot, pred_value, "pred")
        none = self.none_cells[slot]
        self.slot.append(slot)
        self.gold.append(gold)
        self.pred.append(pred)
        self.gold_none.append(gold or (none if absent else NO_CELL))
        self.pred_none.append(pred or (none if absent else NO_CELL))
        self.absent.append(absent)

    def _slot(self, name: str) -> int:
        slot = self._slot_numbers.get(name)
        if slot is None:
            slot = self._slot_numbers[name] = len(self.slot_names)
            self.slot_names.append(name)
            domain = domain_of(name)
            if domain not in self._domain_numbers:
                self._domain_numbers[domain] = len(self.domain_names)
                self.domain_names.append(domain)
            self.domains.append(self._domain_numbers[domain])
            self.none_cells.append(self._cell(slot, _NONE, "gold"))
        return slot

    def _cell(self, slot: int, value: Value | None, side: Side) -> int:
        if value is None:
            return NO_CELL
        # A set that does not match itself, such as an empty one, has one cell in gold and another in predictions.
        odd = side if self._sets and set_score(value, value) != 1 else ""
        cell = self._cells.get((slot, value, odd))
        if cell is None:
            cell = self._cells[slot, value, odd] = len(self.values)
            self.cell_slots.append(slot)
            self.values.append(value)
            self.several.append(self._several and isinstance(value, tuple))
            self.hyphened.append(int("-" in str(value)))
            if self.rules.hyphen_cut:
                text = f"{self.slot_names[slot]}-{value if isinstance(value, str) else sorted(value)}"
                self.glued.append(self._text(text))
                self.cut.append(self._text(text.rpartition("-")[0]))
        return cell

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def agrees(self, gold: int, pred: int) -> bool:
        """Does a predicted cell match another gold cell of the same slot?"""
        agrees = self._agreeing.get((gold, pred))
        if agrees is None:
            agrees = self._agreeing[gold, pred] = self._meets(self.values[gold], self.values[pred])
        return agrees

    def overlaps(self, one: int, other: int) -> bool:
        """Do two gold cells, at least one with alternatives, share an alternative? If so, gold has not changed."""
        overlaps = self._overlapping.get((one, other))
        if overlaps is None:
            before, now = alternatives(self.values[one]), alternatives(self.values[other])
            overlaps = self._overlapping[one, other] = not before.isdisjoint(now)
        return overlaps

    def same_alternatives(self, one: int, other: int) -> bool:
        """Do two gold cells hold the same alternatives, in any order?"""
        return alternatives(self.values[one]) == alternatives(self.values[other])

    def slots_of(self, cells: list[int]) -> set[int]:
        """Return the slots of cells."""
        return {self.cell_slots[cell] for cell in cells}

    def state(self, cells: list[int]) -> State:
        """Convert cells to a state."""
        return {self.slot_names[self.cell_slots[cell]]: self.values[cell] for cell in cells}

    def format_pair(self, pair: int) -> str:
        """Format a pair with several values for messages."""
        value = self.vocabulary.values[pair]
        return f"{self.slot_names[self.slot[pair]]}={value if isinstance(value, str) else '|'.join(value)}"

    def accumulate(self, state: PairState, update: PairState) -> PairState:
        """Apply an update to a state. An absent value in the update deletes the slot."""
        by_slot = {self.slot[pair]: pair for pair in state}
        for pair in update:
            by_slot[self.slot[pair]] = pair
        deleted = {self.slot[pair] for pair in update if self.absent[pair]}
        return tuple(pair for slot, pair in by_slot.items() if slot not in deleted or not self.absent[pair])


def _value_comparison(rules: Rules) -> Callable[[Value, Value], bool]:
    """Return a function that says whether a predicted value matches a gold value that is not equal to it."""
    if rules.alternatives == "set":
        return lambda gold, pred: set_score(gold, pred) == 1
    fuzzy = parse_match(rules.match)
    if fuzzy is None or fuzzy.threshold is None:
        return lambda gold, pred: not alternatives(gold).isdisjoint(alternatives(pred))
    return _similar(fuzzy, fuzzy.threshold, rules.backend)


def alternatives(value: Value) -> set[str]:
    """Return the alternatives of a value."""
    return {value} if isinstance(value, str) else set(value)


def _similar(fuzzy: FuzzyMatch, threshold: float, backend: Backend) -> Callable[[Value, Value], bool]:
    score = similarity(fuzzy.scorer, backend)

    def meets(gold: Value, pred: Value) -> bool:
        best = max(score(predicted, expected) for expected in alternatives(gold) for predicted in alternatives(pred))
        return best >= threshold if fuzzy.inclusive else best > threshold

    return meets
