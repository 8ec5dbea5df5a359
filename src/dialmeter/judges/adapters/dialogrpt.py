"""DialogRPT: predicts how much people on a forum like the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import DialmeterError
from ..judge import Item, name_with_parameters
from .causal import PackedRow, hidden_states, shared_rows
from .network import Network, NetworkJudge, model_name, shared_network, weights_digest

if TYPE_CHECKING:
    from numpy import float32

_DEFAULT_MODEL = "microsoft/DialogRPT"
HEADS = ("human_vs_rand", "human_vs_machine", "updown", "depth", "width")


def hub_id(model: str, head: str) -> str:
    """The id of a head on the hub. Names on the hub have hyphens.

    Example:
        >>> hub_id("microsoft/DialogRPT", "human_vs_rand")
        'microsoft/DialogRPT-human-vs-rand'
    """
    return f"{model}-{head.replace('_', '-')}"


def published(heads: Mapping[str, float]) -> float:
    """The ensemble of Gao et al. (2020), in single precision as in their code.

    Example:
        >>> round(published(dict(human_vs_rand=1.0, human_vs_machine=0.5, updown=0.5, depth=0.5, width=0.25)), 6)
        0.470663
    """
    from numpy import float32 as single

    human = single(0.5) * single(heads["human_vs_rand"]) + single(0.5) * single(heads["human_vs_machine"])
    return float(human * (_liked(heads) / single(0.98)))


def attacked(heads: Mapping[str, float]) -> float:
    """The ensemble in the paper on attacks.

    Example:
        >>> round(attacked(dict(human_vs_rand=0.5, updown=0.5, depth=0.5, width=0.25)), 6)
        0.3075
    """
    from numpy import float32 as single

    return float(_liked(heads) * single(heads["human_vs_rand"]))


def _liked(heads: Mapping[str, float]) -> float32:
    from numpy import float32 as single

    updown, depth, width = (single(heads[name]) for name in ("updown", "depth", "width"))
    return updown + single(0.48) * depth - single(0.5) * width


_ENSEMBLES = {
    "published": (published, HEADS, "<|endoftext|>"),
    "attack": (attacked, ("human_vs_rand", "updown", "depth", "width"), "\n"),
}


class DialogRPT(NetworkJudge):
    """An ensemble of five GPT-2 heads. The output of each head is the sigmoid of one logit at the last token.

    Args:
        model: a folder with one model per head, or the prefix of their ids on the hub.
        ensemble: ``published``, with turns joined by the end-of-text token; ``attack``, with turns joined by a line break; or
            the name of one head.
        device: the device of the models.
        dtype: the number type.
    """

    batch_size = 32  # Scores are stored after each batch, and a batch of long contexts takes long.
    scale = (-0.5, 1.5)

    def __init__(
        self,
        model: str = _DEFAULT_MODEL,
        ensemble: str = "published",
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        if ensemble not in (*_ENSEMBLES, *HEADS):
            raise DialmeterError(f"dialogrpt: ensemble must be published, attack or a head: {', '.join(HEADS)}")
        single = (lambda heads: heads[ensemble], (ensemble,), "<|endoftext|>")
        self._combine, names, self._joint = _ENSEMBLES.get(ensemble, single)
        paths = {head: str(Path(model) / head) if Path(model).is_dir() else hub_id(model, head) for head in names}
        super().__init__("AutoModelForSequenceClassification", paths[names[0]], device=device, dtype=dtype)
        self._paths = paths
        self.name = name_with_parameters(
            "dialogrpt", model=(model_name(model), _DEFAULT_MODEL), ensemble=(ensemble, "published")
        )
        digests = ", ".join(f"{head}={weights_digest(path)}" for head, path in paths.items())
        self.identity = f"dialogrpt({digests}, ensemble={ensemble}, dtype={dtype})"

    @cached_property
    def _networks(self) -> dict[str, Network]:
        kind, _, settings = self._settings
        return {head: shared_network(kind, path, **settings) for head, path in self._paths.items()}

    def load_weights(self) -> None:
        _ = self._networks

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._combine(heads) for heads in self.heads(items)]

    def heads(self, items: Sequence[Item]) -> list[dict[str, float]]:
        """The output of each head for each item."""
        groups: dict[str, list[int]] = {}
        for number, (context, _) in enumerate(items):
            before = "".join(move.text + self._joint for move in context)
            groups.setdefault(before, []).append(number)
        outputs: list[dict[str, float]] = [{} for _ in items]
        for head, network in self._networks.items():
            rows: list[PackedRow] = []
            for before, members in groups.items():
                texts = [before + items[number][1] for number in members]
                row = shared_rows(network, before, texts)
                if row is None:
                    raise DialmeterError("dialogrpt needs a context")
                rows.append(PackedRow(row.prefix, row.suffixes[1:]))
            for members, layers in zip(groups.values(), hidden_states(network.model, rows), strict=True):
                for number, layer in zip(members, layers, strict=True):
                    outputs[number][head] = float(network.model.score(layer[-1]).float().sigmoid())
        return outputs
