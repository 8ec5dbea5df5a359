"""One service at one turn, as the schema-guided scorer sees it."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from ...errors import InputError
from ...measure import Measure, Vector
from ...model import Frame, Schema, Value
from ...readers.pairs.vocabulary import PairDialogue
from ...values.similarity import Backend, similarity
from ..compared import ComparedDialogue
from ..pairs import PairRules
from ..rule_sets.rules import Rules

Case: TypeAlias = Literal["lower", "exact"]
_NO_FRAME = Frame()
_MOST_SIMILARITIES = 1 << 16


class SlotScores(NamedTuple):
    """How well the values of some slots are met: of those that either side holds, and of those that gold holds.

    Attributes:
        held: in the order of the schema. A slot that neither side holds has none: it would be 1.
        active: of the slots that gold holds.
        exist: has the service such slots?
    """

    held: list[float]
    active: list[float]
    exist: bool


class FramePair:
    """Gold and predicted states of one service (slots without the service), over the slots of its schema.

    Args:
        service: its name.
        gold: the gold state.
        pred: the predicted state.
        kinds: the slots of the schema; is each categorical?
        said: what the file says beside the states.
        rules: how free values are compared.
    """

    def __init__(
        self,
        service: str,
        gold: Mapping[str, Value],
        pred: Mapping[str, Value],
        *,
        kinds: Mapping[str, bool],
        said: Frame,
        rules: Rules,
    ) -> None:
        self.service = service
        self.said = said
        self._gold = gold
        self._pred = pred
        self._kinds = kinds
        self._rules = rules
        self._scores: dict[tuple[bool, Case], dict[bool | None, SlotScores]] = {}

    def slot_scores(self, exact: bool, case: Case, categorical: bool | None) -> SlotScores:
        """The scores of some slots.

        Args:
            exact: compare free values exactly.
            case: of categorical values.
            categorical: of which slots: categorical, free, or all.
        """
        if (exact, case) not in self._scores:
            self._scores[exact, case] = self._score_slots(exact or self._rules.match == "exact", case)
        return self._scores[exact, case][categorical]

    def _score_slots(self, exact: bool, case: Case) -> dict[bool | None, SlotScores]:
        gold, pred, kinds = self._gold, self._pred, self._kinds
        exist = kinds.values()
        every, categorical, free = (
            SlotScores([], [], is_there) for is_there in (bool(exist), True in exist, False in exist)
        )
        held = gold.keys() | pred.keys()
        # The order of the schema, because the order of three factors decides over the last bit of a product.
        for slot in (each for each in kinds if each in held) if len(held) > 2 else held & kinds.keys():
            kind = kinds[slot]
            wanted = gold.get(slot)
            score = value_score(wanted, pred.get(slot), _matching(kind, exact, case, self._rules.backend))
            some = categorical if kind else free
            every.held.append(score)
            some.held.append(score)
            if wanted is not None:
                every.active.append(score)
                some.active.append(score)
        return {None: every, True: categorical, False: free}


def value_score(gold: Value | None, pred: Value | None, match: Callable[[Value, str], float]) -> float:
    """How well one slot's value is met, from 0 to 1; of several predicted values the first counts."""
    if gold is None or pred is None:
        return float(gold is None and pred is None)
    return match(gold, pred if isinstance(pred, str) else pred[0])


@lru_cache
def _matching(categorical: bool, exact: bool, case: Case, backend: Backend) -> Callable[[Value, str], float]:
    """How well a predicted text meets gold: of a categorical slot its first value, of another one any of its values."""
    if categorical:
        fold = str.lower if case == "lower" else str
        return lambda gold, pred: float(fold(gold if isinstance(gold, str) else gold[0]) == fold(pred))
    if exact:
        return lambda gold, pred: float(pred == gold if isinstance(gold, str) else pred in gold)
    alike = similarity("fuzzywuzzy-token-sort", backend)

    @lru_cache(_MOST_SIMILARITIES)
    def best(gold: Value, pred: str) -> float:
        return max(alike(each, pred) for each in ((gold,) if isinstance(gold, str) else gold)) / 100

    return best


class FrameCells(NamedTuple):
    """One service at one turn: the cells of its slots in gold and prediction, and what the file says beside them."""

    service: str
    gold: tuple[int, ...]
    pred: tuple[int, ...]
    said: Frame

    def pair(self, pairs: PairRules, kinds: Mapping[str, bool]) -> FramePair:
        """The frame with states; the slots of its service say whether they are categorical."""
        slots, names, values = pairs.cell_slots, pairs.slot_names, pairs.values
        gold = {names[slots[cell]].partition("-")[2]: values[cell] for cell in self.gold}
        pred = {names[slots[cell]].partition("-")[2]: values[cell] for cell in self.pred}
        return FramePair(self.service, gold, pred, kinds=kinds, said=self.said, rules=pairs.rules)


def slots_of_service(service: str, pairs: PairRules, schema: Schema) -> dict[str, bool]:
    """The slots of a service under the names of the rules; is each categorical?

    Raises:
        InputError: the service is not in the schema.
    """
    written = schema.services.get(service)
    if written is None:
        raise InputError("the service is not in the schema", slot=service)
    return {pairs.name_of(f"{service}-{slot}").partition("-")[2]: kind for slot, kind in written.items()}


def cells_of_frames(cells: ComparedDialogue, dialogue: PairDialogue) -> Iterator[list[FrameCells]]:
    """The frames of every turn, as cells; the same list at the next turn where nothing has changed.

    Where the file has no frames, each domain that gold or prediction holds is one.

    Raises:
        InputError: gold has a frame for which nothing is predicted, or the files have different utterances.
    """
    said = {turn.number: turn.frames for turn in dialogue.turns}
    gold: dict[str, tuple[int, ...]] = {}
    pred: dict[str, tuple[int, ...]] = {}
    last_gold: list[int] | None = None
    last_pred: list[int] | None = None
    last_frames: Mapping[str, Frame] | None = None
    found: list[FrameCells] = []
    for number, gold_cells, pred_cells in zip(cells.numbers, cells.gold, cells.pred, strict=True):
        frames = said[number]
        unchanged = gold_cells is last_gold and pred_cells is last_pred and frames == last_frames
        # The order of frames counts, too: it decides over the last bit of a product.
        if unchanged and [*(frames or ())] == [*(last_frames or ())]:
            yield found
            continue
        last_frames = frames
        if gold_cells is not last_gold:
            gold, last_gold = _by_service(gold_cells, cells.pairs), gold_cells
        if pred_cells is not last_pred:
            pred, last_pred = _by_service(pred_cells, cells.pairs), pred_cells
        if frames is None:
            frames = dict.fromkeys(sorted({*gold, *pred}), _NO_FRAME)
        for service, frame in frames.items():
            if frame.apart:
                raise InputError(frame.apart, turn=number, slot=service)
        found = [
            FrameCells(service, gold.get(service, ()), pred.get(service, ()), frame)
            for service, frame in frames.items()
        ]
        yield found


def _by_service(cells: list[int], pairs: PairRules) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    slots, domains, names = pairs.cell_slots, pairs.domains, pairs.domain_names
    for cell in cells:
        found.setdefault(names[domains[slots[cell]]], []).append(cell)
    return {service: tuple(of_service) for service, of_service in found.items()}


_MOST_KNOWN = 1 << 15
_ALL = ""


class FrameTable:
    """The vectors of the measures that look at one frame after the other.

    Args:
        measures: those measures.
    """

    def __init__(self, measures: Iterable[Measure]) -> None:
        # A measure that is asked for under two names, such as JGA and JointGoalAccuracy, is here once.
        self.measures: list[Any] = list(dict.fromkeys(measures))
        # A row is a service and a vector for each measure.
        self._number_of: dict[tuple[str, tuple[Vector, ...]], int] = {}
        self._rows = array("I")
        self._turn_ends = array("Q", [0])
        self._ends = array("Q", [0])
        # The rows of frames that were met before, as long as what frames depend on stays the same.
        self._known: dict[FrameCells, int] = {}
        self._slots: dict[str, dict[str, bool]] = {}
        self._basis: tuple[object, object] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": {}, "_slots": {}, "_basis": (None, None)}

    def add(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema) -> None:
        """Takes the frames of a dialogue.

        Raises:
            InputError: a frame of gold has no prediction, or its service is not in the schema.
        """
        pairs = compared.pairs
        if self._basis[0] is not pairs or self._basis[1] is not schema or len(self._known) > _MOST_KNOWN:
            self._known, self._slots, self._basis = {}, {}, (pairs, schema)
        known = self._known
        last: list[FrameCells] | None = None
        rows: list[int] = []
        try:
            for frames in cells_of_frames(compared, dialogue):
                if frames is not last:
                    last, rows = frames, []
                    for frame in frames:
                        row = known.get(frame)
                        if row is None:
                            if frame.service not in self._slots:
                                self._slots[frame.service] = slots_of_service(frame.service, pairs, schema)
                            pair = frame.pair(pairs, self._slots[frame.service])
                            vectors = tuple([measure.from_frame(pair) for measure in self.measures])
                            row = known[frame] = self._number((frame.service, vectors))
                        rows.append(row)
                self._rows.fromlist(rows)
                self._turn_ends.append(len(self._rows))
        except InputError as error:
            raise error.at(dialogue=dialogue.id) from None
        self._ends.append(len(self._turn_ends) - 1)

    def last(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors of the dialogue that was taken last, by turn."""
        table = self._table(measure)
        bounds = pairwise(self._turn_ends[self._ends[-2] : self._ends[-1] + 1])
        return [[table[row][1] for row in self._rows[start:end]] for start, end in bounds]

    def _number(self, row: tuple[str, tuple[Vector, ...]]) -> int:
        return self._number_of.setdefault(row, len(self._number_of))

    def _table(self, measure: Measure) -> list[tuple[str, Vector]]:
        """By row: the service, and the vector of a measure."""
        place = self.measures.index(measure)
        return [(service, vectors[place]) for service, vectors in self._number_of]

    def merge(self, other: FrameTable) -> None:
        """Appends the dialogues of another table."""
        mine = [self._number(row) for row in other._number_of]
        frames, turns = len(self._rows), len(self._turn_ends) - 1
        self._rows.extend(mine[row] for row in other._rows)
        self._turn_ends.extend(frames + end for end in other._turn_ends[1:])
        self._ends.extend(turns + end for end in other._ends[1:])

    def units(self, measure: Measure) -> list[list[Vector]]:
        """A measure's vectors, by dialogue."""
        table = self._table(measure)
        bounds = self._turn_ends
        if not getattr(measure, "across_turn", False):
            return [
                [table[row][1] for row in self._rows[bounds[first] : bounds[last]]]
                for first, last in pairwise(self._ends)
            ]
        return [
            [
                _product([table[row][1] for row in self._rows[start:end]])
                for start, end in pairwise(bounds[first : last + 1])
            ]
            for first, last in pairwise(self._ends)
        ]

    def counts(
        self, measure: Measure, name_of: Callable[[str], str] = lambda service: _ALL
    ) -> dict[str, Counter[Vector]]:
        """How often a measure has which vector, in all or by groups of services."""
        table = [(name_of(service), vector) for service, vector in self._table(measure)]
        found: dict[str, Counter[Vector]] = defaultdict(Counter)
        if not getattr(measure, "across_turn", False):
            for row, count in Counter(self._rows).items():
                group, vector = table[row]
                found[group][vector] += count
            return found
        turns = Counter(tuple(self._rows[start:end]) for start, end in pairwise(self._turn_ends))
        for rows, count in turns.items():
            groups: dict[str, list[Vector]] = {}
            for row in rows:
                groups.setdefault(table[row][0], []).append(table[row][1])
            for group, vectors in groups.items():
                found[group][_product(vectors)] += count
        return found


def _product(vectors: Sequence[Vector]) -> Vector:
    """The frames of a turn as one: the product of those that have a value."""
    values = [value for value, weight in vectors if weight]
    return (math.prod(values), 1) if values else (0, 0)
