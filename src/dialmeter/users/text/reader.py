"""Reading of acts from text. A maker takes a turn with its context and a schema, and returns acts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ...model import Act, Conversation, Goal, Move
from ..goals import goal_units
from ..profile import REQUEST, Profile, classifier
from .phrases import Phrases, domain_phrases, phrases_in, words_of


class TextTurn(Struct, frozen=True):
    """A turn to read, with its context.

    Attributes:
        speaker: user or system.
        text: the text of the turn.
        reply_to: the previous turn, with its acts; None at the beginning.
        domain: the most recent domain; None if there is none.
    """

    speaker: str
    text: str
    reply_to: Move | None = None
    domain: str | None = None


class TextSchema(Struct, frozen=True):
    """The slots and values that may occur in a dialogue.

    Attributes:
        slots: domain → its slots, in lower case.
        values: domain → slot → values of the goal, in lower case.
    """

    slots: Mapping[str, frozenset[str]]
    values: Mapping[str, Mapping[str, tuple[str, ...]]]


class ActMaker(Protocol):
    """Finds the acts of a turn in its text."""

    @property
    def name(self) -> str:
        """The name in signatures."""
        ...

    def acts(self, turn: TextTurn, schema: TextSchema) -> tuple[Act, ...]:
        """Return the acts of a turn."""
        ...


class TextReader:
    """Fills in the acts of turns that have only text.

    Example:
        >>> from dialmeter.model import DomainGoal
        >>> from dialmeter.users.profile import named
        >>> from dialmeter.users.text import RuleMaker
        >>> goal = {"hotel": DomainGoal(info={"area": "east"})}
        >>> said = Move("user", "I want a hotel in the east. What is the phone number?")
        >>> profile = named("multiwoz")
        >>> conversation = TextReader(RuleMaker(profile, None), profile).read(Conversation("d1", (said,), goal))
        >>> [(act.name, act.service, act.slot, act.values) for act in conversation.moves[0].acts]
        [('Inform', 'hotel', 'area', ('east',)), ('Request', 'hotel', 'phone', ('?',))]
    """

    def __init__(self, maker: ActMaker, profile: Profile) -> None:
        self.maker = maker
        self._slots = profile.words.of
        self._types_of = classifier(profile.acts)
        self._domain_words = domain_phrases(profile.words.domains)
        self._domain_phrases = Phrases(self._domain_words)

    def read(self, conversation: Conversation) -> Conversation:
        """Return a conversation with acts in every turn. ``read_by`` marks turns whose acts were read from text."""
        schema = self._schema(conversation.goal or {})
        moves: list[Move] = []
        current: str | None = None
        listed = any(move.requested is not None for move in conversation.moves)
        for move in conversation.moves:
            if move.acts is None:
                acts = self.maker.acts(TextTurn(move.speaker, move.text, moves[-1] if moves else None, current), schema)
                # If other turns list requested slots, request acts are ignored.
                requested = self._requested(acts) if listed and move.requested is None else move.requested
                move = replace(move, acts=acts, requested=requested, read_by=self.maker.name)  # noqa: PLW2901
            named = [self._domain_words[each] for *_, each in phrases_in(words_of(move.text), self._domain_phrases)]
            spoken_of = [act.service for act in move.acts or () if act.service in schema.slots]
            current = next(iter([*spoken_of[-1:], *named[-1:]]), current)
            moves.append(move)
        return replace(conversation, moves=tuple(moves))

    def _requested(self, acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
        requested: dict[str, tuple[str, ...]] = {}
        for act in acts:
            if self._types_of(act.name) & REQUEST and act.slot:
                requested[act.service] = (*requested.get(act.service, ()), act.slot)
        return requested

    def _schema(self, goal: Goal) -> TextSchema:
        units = goal_units(goal)
        slots = {domain: frozenset(listed) for domain, listed in self._slots.items()}
        for domain, domain_goal in goal.items():
            slots[domain] = (
                slots.get(domain, frozenset()) | units[domain].slots | set(map(str.lower, domain_goal.requests))
            )
        return TextSchema(slots, {domain: each.values for domain, each in units.items()})
