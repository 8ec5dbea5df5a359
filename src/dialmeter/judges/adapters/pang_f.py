"""Pang-F: how likely is the reply alone?"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DialmeterError
from ..judge import Item, called
from .causal import Causal
from .models import shown, weights_digest
from .network import NetworkJudge
from .packed import Row

_USUAL = "openai-community/gpt2"


class PangF(NetworkJudge[Causal]):
    """Minus the mean negative log-likelihood of the reply's tokens under a language model (Pang et al. 2020, fluency).

    The first token is given and not scored, as in the published code; a reply of one token is scored after the token that
    stands before a text. Higher is better: the published column has the sign the other way round.

    Args:
        model: a folder, or the id of a model on the hub; the published one is a GPT-2.
        gguf: the name of a GGUF file in the folder.
        device: where it runs.
        dtype: the numbers that it runs with.
        name: how tables call it, if not after the model.
    """

    higher_is_better = True
    batch_size = 32  # scores are kept after each batch, and a batch of long contexts takes a while
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = frozenset({"naturalness"})

    def __init__(
        self,
        model: str = _USUAL,
        *,
        gguf: str = "",
        device: str = "cpu",
        dtype: str = "float32",
        name: str = "",
    ) -> None:
        super().__init__(Causal(model, gguf=gguf, device=device, dtype=dtype))
        self.name = called(name or "pang-f", model=(shown(model), shown(model) if name else _USUAL))
        self.identity = f"pang-f(model={weights_digest(model)}, dtype={dtype})"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        rows = [self._row(reply) for _, reply in items]
        sums = self._weights.log_probabilities(rows)
        return [total / len(row.suffixes[0]) for row, [total] in zip(rows, sums, strict=True)]

    def _row(self, reply: str) -> Row:
        ids = self._weights.ids(reply)
        if not ids:
            raise DialmeterError("an empty reply has no likelihood")
        return Row(ids[:1], [ids[1:]]) if len(ids) > 1 else Row([self._weights.start], [ids])
