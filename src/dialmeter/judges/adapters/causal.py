"""The likelihood of texts under a causal language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .models import Weights
from .packed import Row, hidden_states


class Causal(Weights):
    """A causal language model that says how likely continuations are.

    Args:
        model: a folder, or the id of a model on the hub.
        gguf: the name of a GGUF file in the folder.
        device: where it runs.
        dtype: the numbers that it runs with.
    """

    def __init__(self, model: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> None:
        super().__init__("AutoModelForCausalLM", model, gguf=gguf, device=device, dtype=dtype)

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, nothing added."""
        found: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    @property
    def start(self) -> int:
        """The token that stands before a text."""
        bos: Any = self.tokenizer.bos_token_id
        return int(bos if bos is not None else self.tokenizer.eos_token_id)

    def log_probabilities(self, rows: Sequence[Row]) -> list[list[float]]:
        """Per row and continuation, the log-probability of the continuation after the context."""
        import torch

        head = self.model.get_output_embeddings()
        found = []
        with torch.inference_mode():
            for row, layers in zip(rows, hidden_states(self.model, rows), strict=True):
                found.append([_sum(head, layer, suffix) for layer, suffix in zip(layers, row.suffixes, strict=True)])
        return found


def _sum(head: Any, layer: Any, suffix: list[int]) -> float:
    import torch

    if not suffix:
        return 0.0
    # Single precision suffices for a token; the sum is made in double, so that long replies lose nothing.
    logs = head(layer[:-1]).float().log_softmax(dim=-1)
    chosen = logs[torch.arange(len(suffix)), torch.tensor(suffix, device=logs.device)]
    return float(chosen.double().sum())
