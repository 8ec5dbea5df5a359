"""Pang-L: does the reply contradict what its speaker said before?"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from ...errors import DialmeterError
from ...model import Move
from ..judge import Item, called
from .models import Weights, shown, weights_digest
from .network import NetworkJudge

_BATCH = 16
_USUAL = "FacebookAI/roberta-large-mnli"


class PangL(NetworkJudge[Weights]):
    """5 · (1 − P(contradiction)) over (own earlier turn, reply), under a model of entailment (Pang et al. 2020, logic).

    The own turns are those of the speaker who did not speak last. A reply before which its speaker said nothing
    contradicts nothing, and gets 5.

    Args:
        model: a folder, or the id of a model on the hub that is trained on MNLI.
        pairs: ``last`` for the latest own turn, as published, or ``mean`` over all.
        device: where it runs.
        dtype: the numbers that it runs with.
    """

    higher_is_better = True
    scale: tuple[float, float] | None = (0.0, 5.0)
    facets: frozenset[str] | None = frozenset({"coherence", "interest"})

    def __init__(
        self,
        model: str = _USUAL,
        pairs: str = "last",
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        if pairs not in ("last", "mean"):
            raise DialmeterError(f"pang-l: pairs is last or mean, not {pairs!r}")
        super().__init__(Weights("AutoModelForSequenceClassification", model, device=device, dtype=dtype))
        self._pairs = pairs
        self.name = called("pang-l", model=(shown(model), _USUAL), pairs=(pairs, "last"))
        self.identity = f"pang-l(model={weights_digest(model)}, pairs={pairs}, dtype={dtype})"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        asked = [(number, turn, reply) for number, (context, reply) in enumerate(items) for turn in self._own(context)]
        contradictions = self._contradictions([(turn, reply) for _, turn, reply in asked])
        found: list[list[float]] = [[] for _ in items]
        for (number, _, _), share in zip(asked, contradictions, strict=True):
            found[number].append(5 * (1 - share))
        return [fsum(each) / len(each) if each else 5.0 for each in found]

    def _own(self, context: Sequence[Move]) -> list[str]:
        other = context[-1].speaker if context else ""
        turns = [move.text for move in context if move.speaker != other]
        return turns[-1:] if self._pairs == "last" else turns

    def _contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        tokenizer, model = self._weights.tokenizer, self._weights.model
        labels = {str(name).lower(): number for number, name in model.config.id2label.items()}
        contradiction = next((labels[name] for name in labels if name.startswith("contradict")), 0)
        found = [0.0] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda number: sum(map(len, pairs[number])))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            inputs = tokenizer(
                [pairs[number][0] for number in batch],
                [pairs[number][1] for number in batch],
                padding=True,
                truncation=True,
                max_length=min(512, tokenizer.model_max_length),
                return_tensors="pt",
            ).to(model.device)
            with torch.inference_mode():
                shares = model(**inputs).logits.float().softmax(dim=-1)[:, contradiction]
            for number, share in zip(batch, shares.tolist(), strict=True):
                found[number] = share
        return found
