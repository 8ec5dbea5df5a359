"""A metric for torchmetrics: the measures of ``score`` in a training loop, in one process or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..errors import DialmeterError, InputError, MissingExtra
from ..measure import Measure
from ..model import dialogue_key
from ..readers.layouts.schema import read_schema
from ..stats.formulas import Floats
from ..tracking.compare import keys_by_order
from ..tracking.resolve_measures import ResolvedMeasure
from ..tracking.result import TrackerResult
from ..tracking.rule_sets.rules import Rules, load
from ..tracking.scorer import TrackerScorer, states_of
from ..tracking.vectors.measure_columns import columns

try:
    import torch
    from torchmetrics import Metric
except ModuleNotFoundError:
    raise MissingExtra("dialmeter.integrations.torchmetrics", package="torchmetrics") from None

State: TypeAlias = Mapping[str, Any]


class _OpenDialogue(NamedTuple):
    """The turns of a dialogue so far, and their contribution to the sums."""

    gold: list[State]
    pred: list[State]
    vector: Floats | float


_NEW = _OpenDialogue([], [], 0.0)


class DialogueStateMetric(Metric):
    """Measures of dialogue state tracking. The values are those of ``dialmeter score`` on the same dialogues.

    The only state is one vector of sums, which is summed over processes. All turns of a dialogue must go to the same
    process, and each dialogue to one process only. A sampler that repeats dialogues to fill the last batch would count them
    twice.

    Args:
        measures: the measures, or their names.
        rules: a rule set, its name, or a TOML file.
        schema: a schema file. SA needs it, or the number of slots as in ``SA(slots=30)``.
        options: the options of ``torchmetrics.Metric``.

    Example:
        >>> metric = DialogueStateMetric(["JGA", "GCA"])
        >>> metric.update({"hotel-area": "east"}, {"hotel-area": "east"}, "d1")
        >>> metric.update({"hotel-area": "west"}, {"hotel-area": "east"}, "d1")
        >>> {name: round(value.item(), 4) for name, value in metric.compute().items()}
        {'JGA': 0.5, 'GCA': 0.5238}

    Raises:
        DialmeterError: a measure or rule set does not exist, or a measure depends on the whole corpus.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    def __init__(
        self,
        measures: Sequence[str | Measure] = ("JGA", "FGA(lam=0.5)", "GCA"),
        rules: str | Path | Rules = "dialmeter",
        schema: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if self.dist_sync_on_step:
            raise DialmeterError("dist_sync_on_step is not supported: it would add every turn twice")
        rule_set = rules if isinstance(rules, Rules) else load(str(rules))
        self._new_scorer = partial(TrackerScorer, measures, rule_set, read_schema(schema) if schema else None)
        self._open: dict[str, _OpenDialogue] = {}
        self._ended: set[str] = set()
        self._in_forward = False
        # The result of one empty turn has the columns of the measures.
        result = self._score({"": _OpenDialogue([{}], [{}], 0.0)})
        for each in result.measures:
            if getattr(each.used, "slots", None) == 0:
                raise DialmeterError(f"{each.text} needs the number of slots: write SA(slots=30), or give a schema")
        matrix, formulas = columns(result.measure_columns, result.measures)
        self._measures: list[tuple[ResolvedMeasure, Any]] = [
            (each, formulas[each.text].take) for each in result.measures
        ]
        self._zero = result.rules.undefined == "zero"
        # Collections share the state of metrics whose states have the same name and value.
        name = f"sums {result.rules.name} {' '.join(formulas)}"
        self._sums = "".join(sign if sign.isalnum() else "_" for sign in name)
        self.add_state(self._sums, torch.zeros(matrix.shape[1], dtype=torch.float64), dist_reduce_fx="sum")

    def update(
        self,
        preds: State | Sequence[State] | Sequence[Sequence[State]],
        target: State | Sequence[State] | Sequence[Sequence[State]],
        dialogue_ids: str | Sequence[str],
    ) -> None:
        """Add one turn, a batch of turns, or a batch of whole dialogues.

        Args:
            preds: the predicted state after a turn, flat or nested; a list of such states; or a list of dialogues, each as a
                list of its states.
            target: the gold states in the same form.
            dialogue_ids: the id of the dialogue, or one id for each item of a batch. Turns are added to their dialogue in the
                order of the calls.

        Raises:
            InputError: lists have different lengths, an item is not a state, or a whole dialogue was added before.
        """
        one_turn = isinstance(preds, Mapping)
        if one_turn != isinstance(dialogue_ids, str):
            raise InputError("dialogue_ids must be one id for one turn, and a list of ids for a batch")
        if not one_turn and not len(preds) == len(target) == len(dialogue_ids):
            raise InputError("preds, target and dialogue_ids must be lists of the same length")
        items: Any = [(dialogue_ids, target, preds)] if one_turn else zip(dialogue_ids, target, preds, strict=True)
        changed: dict[str, _OpenDialogue] = {}
        whole: set[str] = set()
        for name, gold, pred in items:
            key = dialogue_key(str(name))
            open_dialogue = changed.get(key) or self._open.get(key)
            if isinstance(gold, Mapping) != isinstance(pred, Mapping):
                raise InputError("one of preds and target is a state, the other a list of states", dialogue=key)
            if not isinstance(gold, Mapping):
                whole.add(key)
            if key in self._ended or (open_dialogue and key in whole):
                raise InputError("the dialogue was added before", dialogue=key)
            open_dialogue = open_dialogue or _NEW
            changed[key] = open_dialogue._replace(
                gold=open_dialogue.gold + _copied_states(gold, key, "target"),
                pred=open_dialogue.pred + _copied_states(pred, key, "preds"),
            )
        if not changed:
            return
        result = self._score(changed)
        vectors = dict(zip(keys_by_order(result), columns(result.measure_columns, result.measures)[0], strict=True))
        added = sum(vectors[key] - open_dialogue.vector for key, open_dialogue in changed.items())
        setattr(self, self._sums, getattr(self, self._sums) + torch.as_tensor(added, device=self.device))
        self._ended |= whole
        self._open |= {key: changed[key]._replace(vector=vectors[key]) for key in changed if key not in whole}

    def _score(self, dialogues: Mapping[str, _OpenDialogue]) -> TrackerResult:
        scorer = self._new_scorer()
        for key, each in dialogues.items():
            scorer.add(key, each.gold, each.pred)
        return scorer.result()

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the value of each measure by its name; NaN if there is nothing to count."""
        sums = getattr(self, self._sums).tolist()
        return {
            each.text: torch.tensor(self._value(each.used, sums[take]), dtype=torch.float64, device=self.device)
            for each, take in self._measures
        }

    def _value(self, measure: Measure, sums: Sequence[float]) -> float:
        # The columns of a mean over dialogues are the sum of the values and the number of dialogues.
        mean_over_dialogues = measure.average == "dialogue"
        value = Measure.value(measure, sums) if mean_over_dialogues else measure.value(sums)
        return (0.0 if self._zero else nan) if value is None else value

    def forward(self, *args: Any, **options: Any) -> dict[str, torch.Tensor]:
        """Add a batch like ``update``, and return the values of this batch only."""
        self._in_forward = True
        try:
            values: dict[str, torch.Tensor] = super().forward(*args, **options)
            return values
        finally:
            self._in_forward = False

    def reset(self) -> None:
        """Remove all dialogues."""
        super().reset()
        # ``forward`` resets the sums to compute the value of one batch. Earlier turns must stay.
        if not self._in_forward:
            self._open.clear()
            self._ended.clear()


def _copied_states(given: State | Sequence[State], dialogue: str, side: str) -> list[State]:
    """Copy one state, or the states of a dialogue. A tracker may change its dictionary later."""
    return [*deepcopy(states_of([given] if isinstance(given, Mapping) else given, dialogue, side))]
