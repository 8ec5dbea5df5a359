"""The town's understanding of text as a maker of acts, for users that are scored from their words."""

from __future__ import annotations

from typing import Protocol

from ...model import Act
from .understand import understand


class SpokenTurn(Protocol):
    """What is said, and by whom."""

    @property
    def speaker(self) -> str: ...

    @property
    def text(self) -> str: ...


class TownMaker:
    """Finds acts by the templates of the town's phrases.

    Example:
        >>> from dialmeter.model import Move
        >>> [act.name for act in TownMaker().acts(Move("user", "I need a train to Tolderby."), None)]
        ['Train-Inform']
    """

    name = "town"

    def acts(self, turn: SpokenTurn, schema: object) -> tuple[Act, ...]:
        """The acts of a turn; the town has its own schema."""
        return understand(turn.text, turn.speaker)
