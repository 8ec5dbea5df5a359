"""Frames of the schema-guided scorer: one service at one turn."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from ...errors import InputError
from ...measure import Measure, Vector
from ...model import Frame, Schema, Value
from ...readers.pairs.vocabulary import PairDialogue
from ...values.originals import Backend, similarity
from ..compared import ComparedDialogue
from ..pairs import PairRules
from ..rule_sets.rules import Rules

Case: TypeAlias = Literal["lower", "exact"]
_NO_FRAME = Frame()
_SIMILARITY_CACHE_SIZE = 1 << 16


class SlotScores(NamedTuple):
    """The scores of the values of some slots.

    Attributes:
        held: the scores of the slots that either side holds, in the order of the schema. Other slots would have score 1.
        active: the scores of the slots that gold holds.
        exist: whether the service has such slots.
    """

    held: list[float]
    active: list[float]
    exist: bool


class FramePair:
    """Gold and predicted state of one service (slot names without the service), over the slots of its schema.

    ``kinds`` has the slots of the schema, and whether each is categorical; ``frame`` the intents and requested slots of the file.
    The rules are for the comparison of free values.
    """

    def __init__(
        self,
        service: str,
        gold: Mapping[str, Value],
        pred: Mapping[str, Value],
        *,
        kinds: Mapping[str, bool],
        frame: Frame,
        rules: Rules,
    ) -> None:
        self.service = service
        self.frame = frame
        self._gold = gold
        self._pred = pred
        self._kinds = kinds
        self._rules = rules
        self._scores: dict[tuple[bool, Case], dict[bool | None, SlotScores]] = {}

    def slot_scores(self, exact: bool, case: Case, categorical: bool | None) -> SlotScores:
        """Return the scores of categorical slots (True), free slots (False), or all slots (None).

        ``exact`` is for the comparison of free values, ``case`` for that of categorical values.
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
        # The order of the schema, because the last bit of a product of three or more factors depends on their order.
        for slot in (each for each in kinds if each in held) if len(held) > 2 else held & kinds.keys():
            kind = kinds[slot]
            gold_value, pred_value = gold.get(slot), pred.get(slot)
            score = 0.0
            if gold_value is not None and pred_value is not None:
                # Of several predicted values, the first counts.
                first = pred_value if isinstance(pred_value, str) else pred_value[0]
                score = _value_comparison(kind, exact, case, self._rules.backend)(gold_value, first)
            some = categorical if kind else free
            every.held.append(score)
            some.held.append(score)
            if gold_value is not None:
                every.active.append(score)
                some.active.append(score)
        return {None: every, True: categorical, False: free}


@lru_cache
def _value_comparison(categorical: bool, exact: bool, case: Case, backend: Backend) -> Callable[[Value, str], float]:
    """Return a function that scores a predicted text against gold.

    For a categorical slot, only the first gold value counts; for other slots, the best of all gold values.
    """
    if categorical:
        fold = str.lower if case == "lower" else str
        return lambda gold, pred: float(fold(gold if isinstance(gold, str) else gold[0]) == fold(pred))
    if exact:
        return lambda gold, pred: float(pred == gold if isinstance(gold, str) else pred in gold)
    token_sort = similarity("fuzzywuzzy-token-sort", backend)

    @lru_cache(_SIMILARITY_CACHE_SIZE)
    def best(gold: Value, pred: str) -> float:
        return max(token_sort(each, pred) for each in ((gold,) if isinstance(gold, str) else gold)) / 100

    return best


class FrameCells(NamedTuple):
    """One service at one turn: the cells of its slots in gold and prediction, and the intents and requested slots."""

    service: str
    gold: tuple[int, ...]
    pred: tuple[int, ...]
    frame: Frame

    def pair(self, pairs: PairRules, kinds: Mapping[str, bool]) -> FramePair:
        """Convert the cells to states; ``kinds`` says whether each slot of the service is categorical."""
        states = [{slot.partition("-")[2]: value for slot, value in pairs.state(cells).items()} for cells in self[1:3]]
        return FramePair(self.service, *states, kinds=kinds, frame=self.frame, rules=pairs.rules)


def _slots_of_service(service: str, pairs: PairRules, schema: Schema) -> dict[str, bool]:
    """Return the slots of a service, with their names under the rules, and whether each is categorical."""
    kinds = schema.services.get(service)
    if kinds is None:
        raise InputError("the service is not in the schema", slot=service)
    return {pairs.name_of(f"{service}-{slot}").partition("-")[2]: kind for slot, kind in kinds.items()}


def cells_of_frames(cells: ComparedDialogue, dialogue: PairDialogue) -> Iterator[list[FrameCells]]:
    """Yield the frames of every turn as cells. If nothing has changed, the next turn has the same list object.

    If the file has no frames, each domain that gold or the prediction holds is a frame.

    Raises:
        InputError: gold has a frame and the prediction has none, or the files have different utterances.
    """
    frames_of_turn = {turn.number: turn.frames for turn in dialogue.turns}
    gold: dict[str, tuple[int, ...]] = {}
    pred: dict[str, tuple[int, ...]] = {}
    last_gold: list[int] | None = None
    last_pred: list[int] | None = None
    last_frames: Mapping[str, Frame] | None = None
    frame_cells: list[FrameCells] = []
    for number, gold_cells, pred_cells in zip(cells.numbers, cells.gold, cells.pred, strict=True):
        frames = frames_of_turn[number]
        unchanged = gold_cells is last_gold and pred_cells is last_pred and frames == last_frames
        # The order of frames counts, too, because the last bit of a product depends on it.
        if unchanged and [*(frames or ())] == [*(last_frames or ())]:
            yield frame_cells
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
        frame_cells = [
            FrameCells(service, gold.get(service, ()), pred.get(service, ()), frame)
            for service, frame in frames.items()
        ]
        yield frame_cells


def _by_service(cells: list[int], pairs: PairRules) -> dict[str, tuple[int, ...]]:
    services: dict[str, list[int]] = {}
    slots, domains, names = pairs.cell_slots, pairs.domains, pairs.domain_names
    for cell in cells:
        services.setdefault(names[domains[slots[cell]]], []).append(cell)
    return {service: tuple(of_service) for service, of_service in services.items()}


_ROW_CACHE_SIZE = 1 << 15
_ALL = ""


class FrameTable:
    """The vectors of measures of frames."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        # A measure that is requested under two names, such as JGA and JointGoalAccuracy, is here once.
        self.measures: list[Any] = list(dict.fromkeys(measures))
        # A row is a service and a vector for each measure.
        self._number_of: dict[tuple[str, tuple[Vector, ...]], int] = {}
        self._rows = array("I")
        self._turn_ends = array("Q", [0])
        self._ends = array("Q", [0])
        # The row of each frame that occurred before. The cache is valid for the pairs and the schema in ``_basis``.
        self._row_cache: dict[FrameCells, int] = {}
        self._slots: dict[str, dict[str, bool]] = {}
        self._basis: tuple[object, object] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_row_cache": {}, "_slots": {}, "_basis": (None, None)}

    def add(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema) -> None:
        """Add the frames of a dialogue.

        Raises:
            InputError: a frame of gold has no prediction, or its service is not in the schema.
        """
        pairs = compared.pairs
        if self._basis[0] is not pairs or self._basis[1] is not schema or len(self._row_cache) > _ROW_CACHE_SIZE:
            self._row_cache, self._slots, self._basis = {}, {}, (pairs, schema)
        row_cache = self._row_cache
        last: list[FrameCells] | None = None
        rows: list[int] = []
        try:
            for frames in cells_of_frames(compared, dialogue):
                if frames is not last:
                    last, rows = frames, []
                    for frame in frames:
                        row = row_cache.get(frame)
                        if row is None:
                            if frame.service not in self._slots:
                                self._slots[frame.service] = _slots_of_service(frame.service, pairs, schema)
                            pair = frame.pair(pairs, self._slots[frame.service])
                            vectors = tuple([measure.from_frame(pair) for measure in self.measures])
                            row = row_cache[frame] = self._number((frame.service, vectors))
                        rows.append(row)
                self._rows.fromlist(rows)
                self._turn_ends.append(len(self._rows))
        except InputError as error:
            raise error.at(dialogue=dialogue.id) from None
        self._ends.append(len(self._turn_ends) - 1)

    @property
    def services(self) -> set[str]:
        """The services of all frames."""
        return {service for service, _ in self._number_of}

    def last(self, measure: Measure) -> list[list[Vector]]:
        """Return the vectors of a measure for the last added dialogue, by turn."""
        table = self._table(measure)
        bounds = pairwise(self._turn_ends[self._ends[-2] : self._ends[-1] + 1])
        return [[table[row][1] for row in self._rows[start:end]] for start, end in bounds]

    def _number(self, row: tuple[str, tuple[Vector, ...]]) -> int:
        return self._number_of.setdefault(row, len(self._number_of))

    def _table(self, measure: Measure) -> list[tuple[str, Vector]]:
        """Return for each row the service and the vector of a measure."""
        index = self.measures.index(measure)
        return [(service, vectors[index]) for service, vectors in self._number_of]

    def merge(self, other: FrameTable) -> None:
        """Append the dialogues of another table."""
        mine = [self._number(row) for row in other._number_of]
        frames, turns = len(self._rows), len(self._turn_ends) - 1
        self._rows.extend(mine[row] for row in other._rows)
        self._turn_ends.extend(frames + end for end in other._turn_ends[1:])
        self._ends.extend(turns + end for end in other._ends[1:])

    def units(self, measure: Measure) -> list[list[Vector]]:
        """Return the vectors of a measure, by dialogue."""
        table = self._table(measure)
        turns = [[table[row][1] for row in self._rows[start:end]] for start, end in pairwise(self._turn_ends)]
        if getattr(measure, "across_turn", False):
            turns = [[_product(turn)] for turn in turns]
        return [list(chain.from_iterable(turns[first:last])) for first, last in pairwise(self._ends)]

    def counts(
        self, measure: Measure, name_of: Callable[[str], str] = lambda service: _ALL
    ) -> dict[str, Counter[Vector]]:
        """Count the vectors of a measure, in total or by groups of services."""
        table = [(name_of(service), vector) for service, vector in self._table(measure)]
        counts: dict[str, Counter[Vector]] = defaultdict(Counter)
        if not getattr(measure, "across_turn", False):
            for row, count in Counter(self._rows).items():
                group, vector = table[row]
                counts[group][vector] += count
            return counts
        turns = Counter(tuple(self._rows[start:end]) for start, end in pairwise(self._turn_ends))
        for rows, count in turns.items():
            groups: dict[str, list[Vector]] = {}
            for row in rows:
                groups.setdefault(table[row][0], []).append(table[row][1])
            for group, vectors in groups.items():
                counts[group][_product(vectors)] += count
        return counts


def _product(vectors: Sequence[Vector]) -> Vector:
    """Multiply the values of the frames of a turn that have a value."""
    values = [value for value, weight in vectors if weight]
    return (math.prod(values), 1) if values else (0, 0)
