"""One service at one turn, as the schema-guided scorer sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..formats.pairs.vocabulary import PairDialogue
from ..model import Frame, Schema, Value
from .compared import ComparedDialogue
from .pairs import PairRules

_NO_FRAME = Frame()
_MOST_SIMILARITIES = 1 << 16


class SlotScores(NamedTuple):
    """How well the values of some slots are met: of those that either side holds, and of those that gold holds."""

    held: list[float]
    active: list[float]


class FramePair:
    """Gold and predicted states of one service (slots without the service), and which slots are categorical."""

    def __init__(
        self,
        service: str,
        gold: Mapping[str, Value],
        pred: Mapping[str, Value],
        categorical: Mapping[str, bool],
        said: Frame,
    ) -> None:
        self.service = service
        self.gold = gold
        self.pred = pred
        self.categorical = categorical
        self.said = said
        self._scores: dict[bool, dict[bool | None, SlotScores]] = {}

    def slot_scores(self, exact: bool, categorical: bool | None) -> SlotScores:
        """The scores in the order of the schema. A slot that neither side holds has none: it would be 1.

        Args:
            exact: compare free values exactly.
            categorical: of which slots: categorical, free, or all.
        """
        if exact not in self._scores:
            self._scores[exact] = self._score_slots(exact)
        return self._scores[exact][categorical]

    def _score_slots(self, exact: bool) -> dict[bool | None, SlotScores]:
        gold, pred, kinds = self.gold, self.pred, self.categorical
        slots = {**gold, **pred}
        every, categorical, free = SlotScores([], []), SlotScores([], []), SlotScores([], [])
        # The order of the schema, because the order of three factors decides over the last bit of a product.
        for slot in slots if len(slots) < 3 else dict.fromkeys([*(each for each in kinds if each in slots), *slots]):
            wanted = gold.get(slot)
            kind = kinds.get(slot, False)
            score = value_score(wanted, pred.get(slot), kind, exact)
            some = categorical if kind else free
            every.held.append(score)
            some.held.append(score)
            if wanted is not None:
                every.active.append(score)
                some.active.append(score)
        return {None: every, True: categorical, False: free}


def value_score(gold: Value | None, pred: Value | None, categorical: bool, exact: bool) -> float:
    """How well one slot's value is met, from 0 to 1.

    Free values are compared by ``token_sort_ratio``, rounded to whole percent as the official scorer's library does.

    Example:
        >>> value_score(("Bird Dog",), "Bird", False, False), value_score(("6 pm", "18:00"), "18:00", False, False)
        (0.67, 1.0)
    """
    if gold is None or pred is None:
        return float(gold is None and pred is None)
    found = pred if isinstance(pred, str) else pred[0]
    if not categorical and not exact:
        return _similarity(gold, found)
    wanted = (gold,) if isinstance(gold, str) else gold
    return float(wanted[0] == found if categorical else found in wanted)


@lru_cache(_MOST_SIMILARITIES)
def _similarity(gold: Value, pred: str) -> float:
    from rapidfuzz import fuzz, utils

    wanted = (gold,) if isinstance(gold, str) else gold
    return max(round(fuzz.token_sort_ratio(each, pred, processor=utils.default_process)) / 100 for each in wanted)


class FrameCells(NamedTuple):
    """One service at one turn: the cells of its slots in gold and prediction, and what the file says beside them."""

    service: str
    gold: tuple[int, ...]
    pred: tuple[int, ...]
    said: Frame

    def pair(self, pairs: PairRules, schema: Schema | None) -> FramePair:
        """The frame with states."""
        slots, names, values = pairs.cell_slots, pairs.slot_names, pairs.values
        gold = {names[slots[cell]].partition("-")[2]: values[cell] for cell in self.gold}
        pred = {names[slots[cell]].partition("-")[2]: values[cell] for cell in self.pred}
        return FramePair(self.service, gold, pred, schema.services.get(self.service, {}) if schema else {}, self.said)


def frames_of(compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema | None) -> list[list[FramePair]]:
    """The frames of every turn. Where the file has none, each domain that gold or prediction holds is one."""
    return [[frame.pair(compared.pairs, schema) for frame in turn] for turn in cells_of_frames(compared, dialogue)]


def cells_of_frames(cells: ComparedDialogue, dialogue: PairDialogue) -> Iterator[list[FrameCells]]:
    """The frames of every turn, as cells."""
    said = {turn.number: turn.frames for turn in dialogue.turns}
    gold: dict[str, tuple[int, ...]] = {}
    pred: dict[str, tuple[int, ...]] = {}
    last_gold: list[int] | None = None
    last_pred: list[int] | None = None
    for number, gold_cells, pred_cells in zip(cells.numbers, cells.gold, cells.pred, strict=True):
        if gold_cells is not last_gold:
            gold, last_gold = _by_service(gold_cells, cells.pairs), gold_cells
        if pred_cells is not last_pred:
            pred, last_pred = _by_service(pred_cells, cells.pairs), pred_cells
        frames = said[number]
        if frames is None:
            frames = dict.fromkeys(sorted({*gold, *pred}), _NO_FRAME)
        yield [
            FrameCells(service, gold.get(service, ()), pred.get(service, ()), frame)
            for service, frame in frames.items()
        ]


def _by_service(cells: list[int], pairs: PairRules) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    slots, domains, names = pairs.cell_slots, pairs.domains, pairs.domain_names
    for cell in cells:
        found.setdefault(names[domains[slots[cell]]], []).append(cell)
    return {service: tuple(of_service) for service, of_service in found.items()}
