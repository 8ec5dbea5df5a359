"""Acts for turns that have only text. A maker finds them: it takes a turn with its context and a schema, and returns acts.

The accuracy of makers is measured, because they make mistakes: precision and recall of the units that they find in user text, and
the effect of their errors on scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from ...core.document import Count, Number
from ...model import USER, Act, Conversation, Goal, Move
from ...stats.correlation import pearson
from ..canonical import Matcher
from ..goals import goal_units, request, requested_slot
from ..profile import INFORM, REQUEST, Profile, classifier
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
        >>> from dialmeter.users.text.rules import RuleMaker
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


UnitKind: TypeAlias = Literal["inform", "request"]
ReadUnit: TypeAlias = tuple[int, UnitKind, str, str, str]
"""Turn, kind, domain, slot, and canonical value; a request has no value."""


class ReadUnits(Struct, frozen=True):
    """The accuracy of the units of one kind that were found in text. Domain and slot are empty for all units together.

    Attributes:
        right: number of found units that are right.
        found: number of units that were found in the text.
        given: number of units in the acts.
        precision: the share of found units that are right.
        recall: the share of given units that were found.
    """

    kind: UnitKind
    domain: str
    slot: str
    right: Count
    found: Count
    given: Count
    precision: Number
    recall: Number

    @classmethod
    def of(cls, key: tuple[UnitKind, str, str], right: int, found: int, given: int) -> ReadUnits:
        """Return the accuracy from the three counts.

        Example:
            >>> units = ReadUnits.of(("inform", "", ""), 3, 4, 6)
            >>> units.precision, units.recall
            (0.75, 0.5)
        """
        return cls(*key, right, found, given, right / found if found else None, right / given if given else None)


class ScoreEffect(Struct, frozen=True):
    """The effect of reading text on a score: means over the same dialogues.

    Attributes:
        measure: the name of the measure.
        by_acts: the mean score from acts.
        from_text: the mean score from text.
        bias: the score from text minus the score from acts.
        correlation: correlation of the two scores over dialogues; None if one of them is constant.
        n: number of dialogues with both scores.
    """

    measure: str
    by_acts: float
    from_text: float
    bias: float
    correlation: Number
    n: Count


class ReadingAccuracy(Struct, frozen=True):
    """The accuracy of a maker on dialogues with acts.

    Attributes:
        maker: the name of the maker.
        dialogues: number of dialogues.
        turns: number of user turns.
        units: the accuracy of all informs, of all requests, and of each slot.
        effects: effects on the scores of dialogues with goals.
    """

    maker: str
    dialogues: int
    turns: int
    units: list[ReadUnits]
    effects: tuple[ScoreEffect, ...] = ()

    @property
    def summary(self) -> str:
        """Precision and recall as one line of text.

        Example:
            >>> units = [ReadUnits.of((kind, "", ""), 3, 4, 6) for kind in ("inform", "request")]
            >>> ReadingAccuracy("rules", 2, 9, units).summary
            'informs P .75 R .50, requests P .75 R .50 (2 dialogues)'
        """
        shares = [f"{each.kind}s P {short(each.precision)} R {short(each.recall)}" for each in self.units[:2]]
        return f"{', '.join(shares)} ({self.dialogues} dialogues)"


def short(share: float | None) -> str:
    """Return a share with two decimals, or a dash if there is none.

    Example:
        >>> short(0.853), short(1.0), short(None)
        ('.85', '1.00', '–')
    """
    return "–" if share is None else f"{share:.2f}".removeprefix("0")


def without_acts(conversation: Conversation) -> Conversation:
    """Return a dialogue with only its text and goal."""
    return replace(conversation, moves=tuple([Move(move.speaker, move.text) for move in conversation.moves]))


def units_of(conversation: Conversation, profile: Profile, matcher: Matcher) -> Iterator[ReadUnit]:
    """Yield the constraints and requests of the user's acts."""
    types_of = classifier(profile.acts)
    listed = any(move.requested is not None for move in conversation.moves)
    ignored_services = {*profile.general, profile.booking}
    for number, move in enumerate(conversation.moves):
        if move.speaker != USER:
            continue
        for act in move.acts or ():
            types, slot, service = types_of(act.name), act.slot.lower(), act.service
            if not slot or service in ignored_services:
                continue
            if types & INFORM:
                for value in act.values:
                    if value:
                        yield number, "inform", service, slot, matcher(service, slot, value.lower())
            if types & REQUEST and not listed:
                yield number, "request", service, slot, ""
        for service, slots in (move.requested or {}).items():
            for each in slots if service not in ignored_services else ():
                yield number, "request", service, requested_slot(request(service, each)), ""


def measure_reading(
    conversations: Iterable[Conversation], reader: TextReader, profile: Profile, matcher: Matcher
) -> tuple[ReadingAccuracy, list[tuple[Conversation, Conversation]]]:
    """Read the text of dialogues with acts, and compare the result with the acts.

    Returns:
        The accuracy, without effects on scores, and pairs of each dialogue: the original, and the one that was read from text.
    """
    counters: list[Counter[tuple[UnitKind, str, str]]] = [Counter() for _ in range(3)]
    pairs = []
    turns = 0
    for conversation in conversations:
        read = reader.read(without_acts(conversation))
        pairs.append((conversation, read))
        turns += sum(move.speaker == USER for move in conversation.moves)
        expected, actual = set(units_of(conversation, profile, matcher)), set(units_of(read, profile, matcher))
        for counts, units in zip(counters, (expected & actual, actual, expected), strict=True):
            counts.update((kind, domain, slot) for _, kind, domain, slot, _ in units)
    rows = [
        ReadUnits.of((kind, "", ""), *(sum(counts[key] for key in counts if key[0] == kind) for counts in counters))
        for kind in get_args(UnitKind)
    ]
    rows += [ReadUnits.of(key, *(counts[key] for counts in counters)) for key in sorted(set().union(*counters))]
    return ReadingAccuracy(reader.maker.name, len(pairs), turns, rows), pairs


def score_effect(measure: str, pairs: Sequence[tuple[float, float]]) -> ScoreEffect:
    """Return the effect of reading on a score, from pairs of scores by acts and from text."""
    by_acts, from_text = [one for one, _ in pairs], [other for _, other in pairs]
    correlation = pearson(by_acts, from_text).value if len(pairs) > 2 else None
    one, other = sum(by_acts) / len(pairs), sum(from_text) / len(pairs)
    return ScoreEffect(measure, one, other, other - one, correlation, len(pairs))
