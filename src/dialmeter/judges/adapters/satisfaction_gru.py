"""User satisfaction with a hierarchical GRU, as ``dialmeter judge train satisfaction`` makes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import MissingExtra
from ..judge import Item, called
from .models import shown, weights_digest
from .satisfaction import check_reading, rating

if TYPE_CHECKING:
    from .hierarchical_gru import HierarchicalGru


class SatisfactionGru:
    """How satisfied a user would be after the reply, from 1 to 5, from a network trained on ratings.

    Args:
        model: the folder that training wrote.
        reading: ``weighted``, or ``argmax`` for the likeliest class.
        device: where it runs.
    """

    higher_is_better = True
    neural = True
    scale: tuple[float, float] | None = (1.0, 5.0)
    facets: frozenset[str] | None = None

    def __init__(self, model: str, reading: str = "weighted", device: str = "cpu") -> None:
        check_reading(reading)
        self._folder, self._device, self._reading = Path(model), device, reading
        self.name = called("satisfaction-gru", model=(shown(model), ""), reading=(reading, "weighted"))
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

        # The reply is the turn of whoever did not speak last.
        dialogues = [
            [*((move.speaker, move.text) for move in context), (_replier([m.speaker for m in context]), reply)]
            for context, reply in items
        ]
        return [rating(logits, self._reading) for logits in logits_of(*self._trained, dialogues)]


def _replier(speakers: Sequence[str]) -> str:
    """Who replies: the latest other speaker, or somebody new.

    Example:
        >>> _replier(["user", "system", "user"]), _replier(["user"])
        ('system', '')
    """
    return next((each for each in reversed(speakers) if each != speakers[-1]), "")
