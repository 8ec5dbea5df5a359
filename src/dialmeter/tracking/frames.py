"""One service at one turn, as the schema-guided scorer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ..errors import InputError
from ..model import Frame, Schema, Value
from ..readers.pairs.vocabulary import PairDialogue
from ..rules import Rules
from ..values.similarity import Backend, similarity
from .compared import ComparedDialogue
from .pairs import PairRules

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
