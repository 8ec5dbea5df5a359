"""Judges of user satisfaction on a scale from 1 to 5: a fine-tuned BERT, and a hierarchical GRU that dialmeter trains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DialmeterError, MissingExtra
from ...numeric import np
from ..judge import Item, JudgeDefaults, name_with_parameters
from .network import NetworkJudge, check_choice, in_batches, model_name, padded, weights_digest

if TYPE_CHECKING:
    from .hierarchical_gru import HierarchicalGru


CLASSES = 5
READINGS = ("weighted", "argmax")
_UTTERANCE = 64
_DIALOGUE = 500
_BATCH = 16


def rating(logits: Sequence[float], reading: str = "weighted") -> float:
    """A rating from 1 to 5: the mean of the classes, weighted by their probabilities, or the most probable class.

    Example:
        >>> round(rating([0.1, 0.2, 2.0, 0.3, -1.0]), 9), rating([0.1, 0.2, 2.0, 0.3, -1.0], "argmax")
        (2.88226366, 3.0)
    """
    if reading == "argmax":
        return 1.0 + max(range(len(logits)), key=lambda each: logits[each])
    # Single precision, like the networks and the published numbers.
    single = np.asarray(logits, dtype=np.float32)
    weights = np.exp((single - single.max()).astype(np.float64)).astype(np.float32)
    return float((weights / weights.sum() * np.arange(1, len(single) + 1, dtype=np.float32)).sum())


class SatisfactionBert(NetworkJudge):
    """The satisfaction of a user after the reply, from 1 to 5 (Sun et al. 2021), predicted by a fine-tuned BERT.

    The input is [CLS] and the last 500 tokens of the dialogue. Each utterance has at most 64 tokens, including its separator.
    The classifier uses [CLS] and the mean over tokens, both from the last two layers.

    Args:
        model: a folder with a BERT and ``head.safetensors``, which holds ``weight`` (5 × 4 hidden sizes) and ``bias``.
        reading: ``weighted``, or ``argmax`` for the most probable class.
        pooling: ``mean`` over tokens, or ``root`` for their sum divided by the square root of their number, as in published code.
        device: the device of the model.
        dtype: the number type.
    """

    english = False  # it is trained on the ratings of the user
    scale = (1.0, 5.0)

    def __init__(
        self,
        model: str,
        reading: str = "weighted",
        pooling: str = "mean",
        *,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        check_choice("satisfaction-bert", "reading", reading, READINGS)
        check_choice("satisfaction-bert", "pooling", pooling, ("mean", "root"))
        self._folder = Path(model)
        given = {"reading": (reading, "weighted"), "pooling": (pooling, "mean")}
        super().__init__("AutoModel", model, "satisfaction-bert", device=device, dtype=dtype, given=given)
        self._reading, self._power = reading, 1.0 if pooling == "mean" else 0.5

    def load_weights(self) -> None:
        _ = self._head

    @cached_property
    def _head(self) -> tuple[Any, Any]:
        return _load_head(self._folder, self._network.model)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        texts = [[*(move.text for move in context), reply] for context, reply in items]
        sequences = [self._ids(each) for each in texts]
        logits = in_batches(
            list(map(len, sequences)), _BATCH, lambda batch: self._logits([sequences[number] for number in batch])
        )
        return [rating(each, self._reading) for each in logits]

    def _ids(self, utterances: Sequence[str]) -> list[int]:
        tokenizer = self._network.tokenizer
        dialogue: list[int] = []
        for text in utterances:
            ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            dialogue += [*ids, tokenizer.sep_token_id][:_UTTERANCE]
        return [tokenizer.cls_token_id, *dialogue[-_DIALOGUE:]]

    def _logits(self, sequences: Sequence[list[int]]) -> list[list[float]]:
        import torch

        model = self._network.model
        ids, mask = padded(sequences, model.device)
        layers = model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        last = torch.cat([layers[-1], layers[-2]], dim=-1).float()
        pooled = (last * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).float() ** self._power
        weight, bias = self._head
        rows: list[list[float]] = (torch.cat([last[:, 0], pooled], dim=-1) @ weight.T + bias).double().tolist()
        return rows


def _load_head(folder: Path, model: Any) -> tuple[Any, Any]:
    from safetensors.torch import load_file

    path = folder / "head.safetensors"
    if not path.is_file():
        raise DialmeterError(f"{folder.name}: has no head.safetensors with the classifier's weights")
    tensors = load_file(path, device=str(model.device))
    shape = (CLASSES, 4 * model.config.hidden_size)
    if "weight" not in tensors or "bias" not in tensors or tuple(tensors["weight"].shape) != shape:
        raise DialmeterError(f"{folder.name}: head.safetensors must hold weight ({shape[0]} × {shape[1]}) and bias")
    return tensors["weight"].float(), tensors["bias"].float()


class SatisfactionGru(JudgeDefaults):
    """The satisfaction of a user after the reply, from 1 to 5, predicted by a network that was trained on ratings.

    Args:
        model: the folder that training wrote.
        reading: ``weighted``, or ``argmax`` for the most probable class.
        device: the device of the network.
    """

    neural = True
    scale = SatisfactionBert.scale

    def __init__(self, model: str, reading: str = "weighted", device: str = "cpu") -> None:
        check_choice("satisfaction-gru", "reading", reading, READINGS)
        self._folder, self._device, self._reading = Path(model), device, reading
        self.name = name_with_parameters(
            "satisfaction-gru", model=(model_name(model), ""), reading=(reading, "weighted")
        )
        self.identity = f"satisfaction-gru(model={weights_digest(model)}, reading={reading})"

    def load_weights(self) -> None:
        _ = self._trained

    @cached_property
    def _trained(self) -> tuple[HierarchicalGru, dict[str, int]]:
        try:
            from . import hierarchical_gru
        except ImportError:
            raise MissingExtra("satisfaction-gru", "neural") from None
        return hierarchical_gru.load(self._folder, self._device)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        from .hierarchical_gru import logits_of

        dialogues = [
            [*((move.speaker, move.text) for move in context), (_replier([m.speaker for m in context]), reply)]
            for context, reply in items
        ]
        return [rating(logits, self._reading) for logits in logits_of(*self._trained, dialogues)]


def _replier(speakers: Sequence[str]) -> str:
    """The speaker of the reply: the latest speaker other than the last one; empty if there is none.

    Example:
        >>> _replier(["user", "system", "user"]), _replier(["user"])
        ('system', '')
    """
    return next((each for each in reversed(speakers) if each != speakers[-1]), "")
