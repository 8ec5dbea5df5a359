"""Frames of the schema-guided scorer: one service at one turn."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from ...errors import InputError
from ...measure import Measure, Vector
from ...model import Frame, Schema, Value
from ...readers.pairs.vocabulary import PairDialogue
from ...values.originals import Backend, similarity
from ..compared import ComparedDialogue
from ..pairs import PairRules
from ..rule_sets.rules import Rules
from ..tally import UnitTable

Case: TypeAlias = Literal["lower", "exact"]
_NO_FRAME = Frame()
_SIMILARITY_CACHE_SIZE = 1 << 16
_ROW_CACHE_SIZE = 1 << 15


class FramePair(Struct):
    """Gold and predicted state of one service, over the slots of its schema.

    Attributes:
        gold: the gold state; the names of slots are without the service.
        pred: the predicted state.
        kinds: the slots of the schema, and whether each is categorical.
        frame: the intents and requested slots of the file.
        rules: the rules for the comparison of free values.
    """

    gold: Mapping[str, Value]
    pred: Mapping[str, Value]
    kinds: Mapping[str, bool]
    frame: Frame
    rules: Rules
    _scores: dict[tuple[bool, Case], list[tuple[bool, bool, float]]] = field(default_factory=dict)

    def slot_scores(self, exact: bool, case: Case, categorical: bool | None) -> tuple[list[float], list[float]]:
        """Return the scores of the slots that either side holds (other slots would have score 1), and that gold holds.

        Args:
            exact: compare free values exactly.
            case: the comparison of categorical values.
            categorical: use categorical slots (True), free slots (False), or all slots (None).
        """
        if (exact, case) not in self._scores:
            self._scores[exact, case] = self._score_slots(exact or self.rules.match == "exact", case)
        scores = [each for each in self._scores[exact, case] if categorical in (None, each[0])]
        return [score for *_, score in scores], [score for _, is_active, score in scores if is_active]

    def _score_slots(self, exact: bool, case: Case) -> list[tuple[bool, bool, float]]:
        """Return for each slot that either side holds: is it categorical, does gold hold it, and its score."""
        held = self.gold.keys() | self.pred.keys()
        scores = []
        # The order of the schema, because the last bit of a product of three or more factors depends on their order.
        for slot in filter(held.__contains__, self.kinds):
            gold, pred, score = self.gold.get(slot), self.pred.get(slot), 0.0
            if gold is not None and pred is not None:
                # Of several predicted values, the first counts.
                first = pred if isinstance(pred, str) else pred[0]
                score = _value_comparison(self.kinds[slot], exact, case, self.rules.backend)(gold, first)
            scores.append((self.kinds[slot], gold is not None, score))
        return scores


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


class FrameTable(UnitTable):
    """The vectors of measures of frames. A row is a service and a vector for each measure; a turn has a row for each frame."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        super().__init__()
        # A measure that is requested under two names, such as JGA and JointGoalAccuracy, is here once.
        self.measures: list[Any] = list(dict.fromkeys(measures))
        # The row numbers of frames that occurred before: by service, its cells in gold and in the prediction, and the frame of the file.
        self._cache: dict[tuple[str, tuple[int, ...], tuple[int, ...], Frame], int] = {}
        self._slots: dict[str, dict[str, bool]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}, "_slots": {}}

    def add_frames(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema) -> None:
        """Add the frames of a dialogue. If the file has no frames, each domain that gold or the prediction holds is a frame.

        Raises:
            InputError: gold has a frame and the prediction has none, the files have different utterances, or a service is not in
                the schema.
        """
        frames_of_turn = {turn.number: turn.frames for turn in dialogue.turns}
        states = {id(cells): cells for cells in (*compared.gold, *compared.pred)}
        services = {key: _by_service(cells, compared.pairs) for key, cells in states.items()}
        numbers, rows = [], []
        if len(self._cache) > _ROW_CACHE_SIZE:
            self._cache.clear()
        for number, gold_cells, pred_cells in zip(compared.numbers, compared.gold, compared.pred, strict=True):
            gold, pred = services[id(gold_cells)], services[id(pred_cells)]
            frames = frames_of_turn[number]
            if frames is None:
                frames = dict.fromkeys(sorted({*gold, *pred}), _NO_FRAME)
            for service, frame in frames.items():
                if frame.apart:
                    raise InputError(frame.apart, dialogue=dialogue.id, turn=number, slot=service)
                key = service, gold.get(service, ()), pred.get(service, ()), frame
                row = self._cache.get(key)
                if row is None:
                    if service not in schema.services:
                        raise InputError("the service is not in the schema", dialogue=dialogue.id, slot=service)
                    row = self._cache[key] = self.number_of[service, self._vectors(key, compared.pairs, schema)]
                numbers.append(number)
                rows.append(row)
        self.add_numbered(dialogue.id, numbers, rows)

    def _vectors(
        self, key: tuple[str, tuple[int, ...], tuple[int, ...], Frame], pairs: PairRules, schema: Schema
    ) -> tuple[Vector, ...]:
        service, gold, pred, frame = key
        if service not in self._slots:
            kinds = schema.services[service].items()
            # The names of the slots under the rules.
            self._slots[service] = {_without_service(pairs.name_of(f"{service}-{slot}")): kind for slot, kind in kinds}
        gold_state, pred_state = (
            {_without_service(slot): value for slot, value in pairs.state(cells).items()} for cells in (gold, pred)
        )
        pair = FramePair(gold_state, pred_state, self._slots[service], frame, pairs.rules)
        return tuple([measure.from_frame(pair) for measure in self.measures])

    @property
    def services(self) -> set[str]:
        """The services of all frames."""
        return {service for service, _ in self.number_of}

    def units(self, measure: Measure) -> list[dict[int, list[Vector]]]:
        """Return the vectors of a measure for each dialogue, by turn; a turn may have only one, over all its frames."""
        table = self._table(measure)
        turns = [
            {number: [table[row][1] for row in rows] for number, rows in self._turns(position)}
            for position in range(len(self.dialogues))
        ]
        if getattr(measure, "across_turn", False):
            return [{number: [_product(each)] for number, each in turn.items()} for turn in turns]
        return turns

    def counts(self, measure: Measure, name_of: Callable[[str], str] = lambda _: "") -> dict[str, Counter[Vector]]:
        """Count the vectors of a measure, in total or by groups of services."""
        table = [(name_of(service), vector) for service, vector in self._table(measure)]
        counts: dict[str, Counter[Vector]] = defaultdict(Counter)
        if not getattr(measure, "across_turn", False):
            for (group, vector), count in zip(table, self.times(), strict=True):
                counts[group][vector] += count
            return counts
        positions = range(len(self.dialogues))
        for rows, count in Counter(rows for position in positions for _, rows in self._turns(position)).items():
            groups: dict[str, list[Vector]] = defaultdict(list)
            for group, vector in map(table.__getitem__, rows):
                groups[group].append(vector)
            for group, vectors in groups.items():
                counts[group][_product(vectors)] += count
        return counts

    def _table(self, measure: Measure) -> list[tuple[str, Vector]]:
        """Return for each row the service and the vector of a measure."""
        index = self.measures.index(measure)
        return [(service, vectors[index]) for service, vectors in self.number_of]

    def _turns(self, position: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the row numbers of each turn of a dialogue that has frames."""
        units = zip(self.turns_of(position), self.rows_of(position), strict=True)
        return [(number, tuple(row for _, row in turn)) for number, turn in groupby(units, itemgetter(0))]


def _by_service(cells: list[int], pairs: PairRules) -> dict[str, tuple[int, ...]]:
    services: dict[str, list[int]] = defaultdict(list)
    for cell in cells:
        services[pairs.domain_names[pairs.domains[pairs.cell_slots[cell]]]].append(cell)
    return {service: tuple(of_service) for service, of_service in services.items()}


def _without_service(slot: str) -> str:
    return slot.partition("-")[2]


def _product(vectors: Sequence[Vector]) -> Vector:
    """Multiply the values of the frames of a turn that have a value."""
    values = [value for value, weight in vectors if weight]
    return (math.prod(values), 1) if values else (0, 0)
