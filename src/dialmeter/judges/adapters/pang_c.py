"""Pang-C: how likely is the reply after its context?"""

from __future__ import annotations

from collections.abc import Sequence

from ..judge import Item, called
from .causal import Causal
from .models import shown, weights_digest
from .network import NetworkJudge
from .packed import Row, shared_rows

_USUAL = "openai-community/gpt2"


class PangC(NetworkJudge[Causal]):
    """log p(context + " " + reply) − log p(context) under a language model (Pang et al. 2020, context coherence).

    It is a sum over the reply's tokens, so that long replies lose; ``per_token`` divides by their number.

    Args:
        model: a folder, or the id of a model on the hub; the published one is a GPT-2.
        per_token: divide by the number of the reply's tokens.
        gguf: the name of a GGUF file in the folder.
        device: where it runs.
        dtype: the numbers that it runs with.
        name: how tables call it, if not after the model.
    """

    higher_is_better = True
    batch_size = 32  # scores are kept after each batch, and a batch of long contexts takes a while
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(
        self,
        model: str = _USUAL,
        per_token: bool = False,
        *,
        gguf: str = "",
        device: str = "cpu",
        dtype: str = "float32",
        name: str = "",
    ) -> None:
        super().__init__(Causal(model, gguf=gguf, device=device, dtype=dtype))
        self._per_token = per_token
        of_model = (shown(model), shown(model) if name else _USUAL)
        self.name = called(name or "pang-c", model=of_model, per_token=(per_token, False))
        self.identity = f"pang-c(model={weights_digest(model)}, per_token={per_token}, dtype={dtype})"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        groups: dict[str, list[int]] = {}
        for number, (context, _) in enumerate(items):
            groups.setdefault(" ".join(move.text for move in context), []).append(number)
        scores = [0.0] * len(items)
        rows: list[tuple[list[int], Row]] = []
        for before, numbers in groups.items():
            texts = [f"{before} {items[number][1]}" for number in numbers]
            row = shared_rows(self._weights.tokenizer, before, texts)
            if row is not None:
                rows.append((numbers, row))
                continue
            for number in numbers:  # nothing is shared: the context is empty, and the first token stands alone
                ids = self._weights.ids(items[number][1]) or [self._weights.start]
                rows.append(([number], Row(ids[:1], [[], ids[1:]])))
        for (numbers, row), (context_sum, *sums) in zip(
            rows, self._weights.log_probabilities([row for _, row in rows]), strict=True
        ):
            for number, total, tokens in zip(numbers, sums, row.suffixes[1:], strict=True):
                length = len(tokens) - len(row.suffixes[0])
                scores[number] = (total - context_sum) / (max(1, length) if self._per_token else 1)
        return scores
