"""Apply a rule set to pairs as written, once per pair: slot names, values, absent words, alternatives, similar values.

A *cell* is a slot with a value under the rules. Gold and predicted cells share one numbering, so equal values of a slot have
equal numbers. Cell 0 is no value. The rules are applied only here; all later steps count integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from ..model import DELETED, NAMED, State, Value, domain_of
from ..readers.pairs.slot_names import slot_namer
from ..readers.pairs.vocabulary import PairState, Vocabulary
from ..values.languages import ABSENT, NEVER, Allows, allows_of, spelling
from ..values.maps import load as load_map
from ..values.originals import fails_in_original, normalise_value, similarity
from ..values.steps import RULE_STEPS
from .rule_sets.rules import DONTCARE, DONTCARE_SPELLINGS, EMPTY, Rules, Side, parse_match

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

    def __init__(
        self, rules: Rules, vocabulary: Vocabulary, repairs: Repairs = NO_REPAIRS, allows: Allows | None = None
    ) -> None:
        self.rules = rules
        self._repairs = repairs
        self.vocabulary = vocabulary
        self.normaliser = Normaliser(rules, allows)
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
        words, repairs, normaliser = self.vocabulary, self._repairs, self.normaliser
        values, slots, kept, name_of = words.values, words.slots, words.kept, self.name_of
        hedges = self.rules.alternatives == "any-of"
        for pair in range(len(self.slot), len(values)):
            value = values[pair]
            if self._only and not self.looks_at(pair):
                self._add_pair(self._slot(words.written(pair)), None, None, False)
                self.hedged.append(False)
                continue
            if kept[pair]:
                name = words.written(pair)
            else:
                name = name_of(slots[pair])
                name = repairs.renamed.get(name, name)
            gold, pred, absent = normaliser.both(value, name)
            if repairs.equated:
                gold, pred = (repairs.equated.get((name, each), each) for each in (gold, pred))
            if name in repairs.dropped:
                gold, pred, absent = None, None, False
            if normaliser.as_mwzeval and normaliser.stops_original(value, name):
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

    def state(self, cells: Iterable[int]) -> State:
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
    threshold, inclusive, score = fuzzy.threshold, fuzzy.inclusive, similarity(fuzzy.scorer, rules.backend)

    def meets(gold: Value, pred: Value) -> bool:
        best = max(score(predicted, expected) for expected in alternatives(gold) for predicted in alternatives(pred))
        return best >= threshold if inclusive else best > threshold

    return meets


def alternatives(value: Value) -> set[str]:
    """Return the alternatives of a value."""
    return {value} if isinstance(value, str) else set(value)


_SIDES: tuple[Side, Side] = ("gold", "pred")
_Step: TypeAlias = tuple[Callable[..., str], bool]
"""A step, and whether it needs the name of the slot."""
_MWZEVAL: _Step = (lambda text, slot: normalise_value(slot.partition("-")[2], text), True)


class Normaliser:
    """Converts values as read into values as compared; ``None`` is no value.

    A tuple holds alternatives. If sets are compared (``alternatives=set``), it holds all members of the set, sorted; a member
    that was written in several spellings occurs several times.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> ours = Normaliser(named("dialmeter"))
        >>> [ours.gold_value(value) for value in (" The  Gables ", "none", "east|west")]
        ['the gables', None, ('east', 'west')]
        >>> ours.pred_value("east|west"), ours.pred_value("do not care")
        ('east|west', 'dontcare')
    """

    def __init__(self, rules: Rules, allows: Allows | None = None) -> None:
        self.as_mwzeval = "mwzeval" in rules.values
        self._steps: list[_Step] = [
            _MWZEVAL if step == "mwzeval" else (RULE_STEPS[step], False) for step in rules.values
        ]
        self._absent = {side: frozenset(rules.none_words(side)) for side in _SIDES}
        self._dontcare = {side: rules.dontcare_of(side) for side in _SIDES}
        self._allows = None if rules.languages == NEVER else allows or allows_of(rules.languages)
        # Meanings that the rule set keeps apart, so that their spellings in other languages stay as written, too.
        self._kept = {
            side: {ABSENT: ABSENT not in self._absent[side], DONTCARE: self._dontcare[side] not in ("drop", "merge")}
            for side in _SIDES
        }
        self._alternatives = rules.alternatives
        self._map = load_map(rules.map) if rules.map else None
        self._known: dict[Value, tuple[Value | None, Value | None, bool]] = {}
        """What ``both`` returns for values that were seen before, if it does not depend on the slot."""
        self._one_sided = rules.none_words("gold") == rules.none_words("pred") and len({*self._dontcare.values()}) == 1

    def both(self, value: Value, slot: str = "") -> tuple[Value | None, Value | None, bool]:
        """Return a value as read in gold and in a prediction, and whether it means no value at all. Some steps need the slot."""
        known = self._known.get(value)
        if known is not None:
            return known
        if self._one_sided and type(value) is str and ("|" not in value or self._alternatives == "literal"):
            gold = pred = self._whole(value, slot, "gold")
        else:
            gold, pred = self.gold_value(value, slot), self.pred_value(value, slot)
        result = gold, pred, value == DELETED or (gold is None and pred is None and value != NAMED)
        if not (self.as_mwzeval or self._map):
            self._known[value] = result
        return result

    def absent(self, value: Value) -> bool:
        """Does this value mean no value under the rule set?"""
        return self.both(value)[2]

    def stops_original(self, value: Value, slot: str) -> bool:
        """Would the original scorer of the rule set stop with an error at this value?"""
        return isinstance(value, str) and fails_in_original(slot.partition("-")[2], value)

    def spoken(self, value: Value) -> Value:
        """Return a gold value in the form of a prediction: the first alternative if one of several is enough."""
        if isinstance(value, str) and ("|" not in value or self._alternatives not in ("any-of", "first")):
            return value
        if self._alternatives == "any-of":
            gold = self.gold_value(value)
            return DELETED if gold is None else gold if isinstance(gold, str) else gold[0]
        if self._alternatives in ("first", "first-listed", "listed") and value:
            return self._first(value)
        return value

    def gold_value(self, value: Value, slot: str = "") -> Value | None:
        """Return a gold value under the rules."""
        rule = self._alternatives
        if rule == "any-of":
            parts = value.split("|") if isinstance(value, str) else [part for text in value for part in text.split("|")]
            return self._several(parts, slot)
        if rule == "listed":
            return self._several([value] if isinstance(value, str) else value, slot)
        if rule in ("first", "first-listed"):
            if not value and not isinstance(value, str):
                return None
            dropped = self._dontcare["gold"] == "drop-exact" and not isinstance(value, str) and DONTCARE in value
            return None if dropped else self._plain(self._first(value), slot, "gold")
        return self._whole(value, slot, "gold")

    def pred_value(self, value: Value, slot: str = "") -> Value | None:
        """Return a predicted value under the rules."""
        takes_first = self._alternatives in ("any-of", "listed", "first-listed")
        return self._whole(value[0] if takes_first and isinstance(value, tuple) and value else value, slot, "pred")

    def _first(self, value: Value) -> str:
        """Return the first alternative as written; in a list, ``|`` does not separate alternatives."""
        if isinstance(value, tuple):
            return value[0]
        return value.partition("|")[0] if self._alternatives == "first" else value

    def _several(self, parts: Sequence[str], slot: str) -> Value | None:
        texts = dict.fromkeys(text for part in parts if (text := self._plain(part, slot, "gold")) is not None)
        alternatives = tuple(texts)
        return alternatives if len(alternatives) > 1 else next(iter(alternatives), None)

    def _whole(self, value: Value, slot: str, side: Side) -> Value | None:
        """Normalise a value as a whole: a text, a set, or alternatives that count on both sides."""
        if self._alternatives == "set":
            return self._as_set(value, slot, side)
        if value == ():
            return None
        text = self._plain(value if isinstance(value, str) else "|".join(value), slot, side)
        if self._alternatives != "any-of-both" or text is None or "|" not in text:
            return text
        alternatives = tuple(dict.fromkeys(text.split("|")))
        return alternatives if len(alternatives) > 1 else alternatives[0]

    def _plain(self, text: str, slot: str, side: Side) -> str | None:
        absent, dontcare = self._absent[side], self._dontcare[side]
        if (
            text in (DELETED, NAMED)
            or (not text and EMPTY in absent)
            or (text == DONTCARE and dontcare == "drop-exact")
        ):
            return None
        for step, needs_slot in self._steps:
            text = step(text, slot) if needs_slot else step(text)
        if self._allows is not None and (known := spelling(text)) is not None:
            meaning, languages = known
            if not self._kept[side].get(meaning) and self._allows(languages):
                text = meaning
        if text in absent:
            return None
        if dontcare in ("drop", "merge") and text.lower() in DONTCARE_SPELLINGS:
            return None if dontcare == "drop" else DONTCARE
        return text if self._map is None else self._map.canonical(slot, text)

    def _as_set(self, value: Value, slot: str, side: Side) -> Value | None:
        parts = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))
        members = sorted(text for part in parts if (text := self._plain(part, slot, side)) is not None)
        if parts and not members:
            return None
        return members[0] if len(members) == 1 else tuple(members)


def set_score(gold: Value, pred: Value) -> float:
    """Return the score of a predicted set against a gold set, as in DSTC10: the F1 of pairs of equal members. It can exceed 1.

    Example:
        >>> set_score(("a", "b"), "a"), set_score("1", ("1", "1")), set_score((), ())
        (0.6666666666666666, 1.3333333333333333, 0.0)
    """
    golds = (gold,) if isinstance(gold, str) else gold
    preds = (pred,) if isinstance(pred, str) else pred
    equal_pairs = sum(golds.count(each) for each in preds)
    if not equal_pairs:
        return 0.0
    precision, recall = equal_pairs / len(preds), equal_pairs / len(golds)
    return 2 * precision * recall / (precision + recall)
