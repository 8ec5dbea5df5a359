"""The outcome of a dialogue: its states by three trackers, and whether the goal was reached.

The trackers are the gold state from the acts of the user, the state that the system understood, and a keyword tracker. The check
of the goal uses the database of the town, not the bots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..core.account import Account, Reason, count_reasons
from ..model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from .grammar import BOOKING, informed, intent_of, value_of
from .understand import domain_in, values_in
from .world import DONTCARE, ENDS, REFERENCE, Row, World, reference

KEYWORD = "pred:keyword"
"""The key of the keyword tracker's states in a line, in addition to ``gold`` and ``pred``."""


def update_state(state: Mapping[str, str], acts: Iterable[Act], world: World) -> dict[str, str]:
    """Return the state after the acts of a user; a new value replaces the old one.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> update_state({"hotel-area": "east"}, [Act("Hotel-Inform", "hotel", "area", ("west",))], town())
        {'hotel-area': 'west'}
    """
    given = {
        f"{name}-{slot}": value for name, slot, value in informed(acts, world) if slot in world.domains[name].informable
    }
    return {**state, **given}


class KeywordTracker:
    """A tracker that searches the text of the user for known values, in the domain that was mentioned last.

    Example:
        >>> from dialmeter.simulation.world import town
        >>> tracker = KeywordTracker(town())
        >>> tracker.hear("I need a place to stay at the docks.")
        {'hotel-area': 'harbour'}
        >>> tracker.hear("Something cheap.")
        {'hotel-area': 'harbour', 'hotel-pricerange': 'cheap'}
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._domain: str | None = None
        self._state: dict[str, str] = {}

    def hear(self, text: str) -> dict[str, str]:
        """Return the state after a text of the user."""
        self._domain = domain_in(text, self._world) or self._domain
        if self._domain is not None:
            values = values_in(text, self._domain, self._world)
            self._state = {**self._state, **{f"{self._domain}-{slot}": value for slot, value in values.items()}}
        return self._state


def turns(moves: Iterable[Move], world: World) -> Iterator[dict[str, Any]]:
    """Yield the states of a dialogue for a native line, one entry per user move.

    The state ``pred`` comes from the acts that the system understood. If a dialogue ends with a user move, there are none for it.
    """
    gold: dict[str, str] = {}
    pred: dict[str, str] = {}
    keyword = KeywordTracker(world)
    all_moves = list(moves)
    for index, move in enumerate(all_moves):
        if move.speaker != USER:
            continue
        understood = all_moves[index + 1].understood if index + 1 < len(all_moves) else ()
        gold = update_state(gold, move.acts or (), world)
        pred = update_state(pred, understood or (), world)
        yield {"turn": index // 2, "gold": gold, "pred": pred, KEYWORD: keyword.hear(move.text)}


_OFFERS = ("inform", "recommend", "offerbook")
_ANSWERS = ("inform", "recommend", "book", "offerbooked")


class GoalSuccess(Struct, frozen=True):
    """The success of a goal. Each pair is the number of reached items and the number of items in the goal.

    Attributes:
        answers: requests with the right answer for the last offer.
        matches: domains whose last offer meets the constraints.
        conveyed: at the end, the user has given exactly the values of the goal.
    """

    bookings: tuple[int, int]
    answers: tuple[int, int]
    matches: tuple[int, int]
    conveyed: bool = True

    @property
    def complete(self) -> bool:
        """True if everything is reached."""
        return self.conveyed and all(reached == total for reached, total in (self.bookings, self.answers, self.matches))


def outcome(conversation: Conversation, world: World) -> GoalSuccess:
    """Check the success of the goal of a conversation.

    Example:
        >>> from dialmeter.model import Move
        >>> from dialmeter.simulation.world import town
        >>> goal = {"attraction": DomainGoal(info={"name": "nettle gallery"}, requests=("phone",))}
        >>> outcome(Conversation("d1", (Move("user", "hello"),), goal), town()).complete
        False
    """
    state: dict[str, str] = {}
    for move in conversation.moves:
        if move.speaker == USER:
            state = update_state(state, move.acts or (), world)
    goals = conversation.goal or {}
    reached = [_check_domain(conversation, domain, goal, state, world) for domain, goal in goals.items()]
    booked, answered, found = map(sum, zip(*reached, strict=True)) if reached else (0, 0, 0)
    return GoalSuccess(
        (booked, sum(bool(goal.book) for goal in goals.values())),
        (answered, sum(len(goal.requests) for goal in goals.values())),
        (found, len(goals)),
        all(
            state.get(f"{domain}-{slot}") == value
            for domain, goal in goals.items()
            for slot, value in {**goal.info, **goal.book}.items()
        ),
    )


def _check_domain(
    conversation: Conversation, domain: str, goal: DomainGoal, state: Mapping[str, str], world: World
) -> tuple[bool, int, bool]:
    """Return whether the booking of the goal was made, the number of right answers, and whether the last offer is right."""
    # Acts of the service "booking" can belong to any domain.
    moves = [move for move in conversation.moves if move.speaker == SYSTEM]
    said = [each for move in moves for each in move.acts or () if each.service in (domain, BOOKING)]
    entity = world.domains[domain].entity
    if world.domains[domain].is_granted:
        row = _granted(domain, said, state, world)
        found = row is not None
    else:
        offers = [value_of(each) for each in said if each.slot == entity and intent_of(each.name) in _OFFERS]
        row = world.entity(domain, offers[-1], goal.info) if offers else None
        found = row is not None and row in world.search(domain, goal.info)
    answers = {each.slot: value_of(each) for each in said if intent_of(each.name) in _ANSWERS}
    right = sum(row is not None and slot in row and answers.get(slot) == row[slot] for slot in goal.requests)
    codes = {value_of(each) for each in said if each.slot == REFERENCE}
    booked = bool(goal.book) and any(
        reference(domain, each[entity], goal.book) in codes for each in world.search(domain, goal.info)
    )
    return booked, right, found


def _granted(domain: str, said: list[Act], state: Mapping[str, str], world: World) -> Row | None:
    """Return what is granted for the request that the user described, if the system has named it."""
    slots, entity = world.domains[domain].search, world.domains[domain].entity
    request = {slot: value for slot in slots if (value := state.get(f"{domain}-{slot}", DONTCARE)) != DONTCARE}
    row = world.grant(domain, request)
    named = [value_of(each) for each in said if each.slot == entity and intent_of(each.name) in _ANSWERS]
    is_named = bool(named) and named[-1] == row[entity]
    return row if is_named and all(slot in request for slot in ENDS if slot in slots) else None


def describe_silence(conversation: Conversation) -> str:
    """Describe which speakers say nothing in a dialogue; empty if both speak.

    Example:
        >>> from dialmeter.model import Move
        >>> describe_silence(Conversation("d1", (Move("user", "A taxi, please."), Move("system", ""))))
        'in which the system says nothing'
    """
    speaking = {move.speaker for move in conversation.moves if move.text or move.acts}
    silent = [speaker for speaker in (USER, SYSTEM) if speaker not in speaking]
    return f"in which the {' and the '.join(silent)} say{'s' if len(silent) == 1 else ''} nothing" if silent else ""


def play_account(asked: int, found: int, silent: Sequence[tuple[str, str]]) -> Account:
    """Count how many of the requested dialogues were played with text from both sides.

    Args:
        silent: the dialogues in which a speaker says nothing, each with ``describe_silence``.
    """
    missing = (Reason("not played", asked - found),) if asked > found else ()
    return Account("dialogue", asked, found, found - len(silent), (*count_reasons(silent), *missing), "played")
