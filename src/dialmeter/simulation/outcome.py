"""Whether a goal was reached. This is looked up in the town; the agents are not asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..core.account import Account, Reason, count_reasons
from ..model import SYSTEM, USER, Act, Conversation, DomainGoal
from .language.grammar import BOOKING, intent_of, value_of
from .trackers import updated
from .world.database import Row, World, reference
from .world.schema import DOMAINS, DONTCARE, REFERENCE

_OFFERS = ("inform", "recommend", "offerbook")
_ANSWERS = ("inform", "recommend", "book", "offerbooked")
_ENDS = ("departure", "destination")


class DomainSuccess(Struct, frozen=True):
    """What was reached of one domain of a goal.

    Attributes:
        conveyed: at the end the user has given exactly the wanted values.
        found: the system's last offer meets the constraints.
        answers: requests that were answered, and rightly, for what was found; and all requests.
        booked: the booking that was wanted was made; None where none was wanted.
    """

    conveyed: bool
    found: bool
    answers: tuple[int, int]
    booked: bool | None

    @property
    def complete(self) -> bool:
        """True if all of it was reached."""
        return self.conveyed and self.found and self.answers[0] == self.answers[1] and self.booked is not False


class GoalSuccess(Struct, frozen=True):
    """What was reached of a goal, by domain."""

    domains: dict[str, DomainSuccess]

    @property
    def complete(self) -> bool:
        """True if every domain was completed."""
        return all(each.complete for each in self.domains.values())

    @property
    def bookings(self) -> tuple[int, int]:
        """Bookings made as wanted, and wanted."""
        wanted = [each.booked for each in self.domains.values() if each.booked is not None]
        return sum(wanted), len(wanted)

    @property
    def answers(self) -> tuple[int, int]:
        """Requests answered rightly, and all requests."""
        return sum(each.answers[0] for each in self.domains.values()), sum(
            each.answers[1] for each in self.domains.values()
        )

    @property
    def matches(self) -> tuple[int, int]:
        """Domains whose last offer meets the constraints, and all domains."""
        return sum(each.found for each in self.domains.values()), len(self.domains)


def outcome(talk: Conversation, world: World) -> GoalSuccess:
    """What was reached of the goal of a conversation.

    Example:
        >>> from dialmeter.model import Move
        >>> from dialmeter.simulation.world import town
        >>> goal = {"attraction": DomainGoal(info={"name": "nettle gallery"}, requests=("phone",))}
        >>> outcome(Conversation("d1", (Move("user", "hello"),), goal), town()).complete
        False
    """
    state: dict[str, str] = {}
    for move in talk.moves:
        if move.speaker == USER:
            state = updated(state, move.acts or ())
    return GoalSuccess(
        {domain: _of_domain(talk, domain, goal, state, world) for domain, goal in (talk.goal or {}).items()}
    )


def _of_domain(
    talk: Conversation, domain: str, goal: DomainGoal, state: Mapping[str, str], world: World
) -> DomainSuccess:
    wanted = {**goal.info, **goal.book}
    conveyed = all(state.get(f"{domain}-{slot}") == value for slot, value in wanted.items())
    # What the system says of bookings is for any domain.
    services = (domain, BOOKING)
    moves = [move for move in talk.moves if move.speaker == SYSTEM]
    said = [each for move in moves for each in move.acts or () if each.service in services]
    if domain == "taxi":
        row = _car(said, state, world)
        found = row is not None
    else:
        entity = DOMAINS[domain].entity
        offers = [value_of(each) for each in said if each.slot == entity and intent_of(each.name) in _OFFERS]
        row = world.entity(domain, offers[-1]) if offers else None
        found = row is not None and row in world.search(domain, goal.info)
    answers = {each.slot: value_of(each) for each in said if intent_of(each.name) in _ANSWERS}
    right = sum(row is not None and slot in row and answers.get(slot) == row[slot] for slot in goal.requests)
    booked = None
    if goal.book:
        codes = {value_of(each) for each in said if each.slot == REFERENCE}
        rows = world.search(domain, goal.info)
        booked = any(reference(domain, each[DOMAINS[domain].entity], goal.book) in codes for each in rows)
    return DomainSuccess(conveyed, found, (right, len(goal.requests)), booked)


def _car(said: list[Act], state: Mapping[str, str], world: World) -> Row | None:
    """The car for the ride that the user has described, if the system has named it."""
    ride = {
        slot: state[f"taxi-{slot}"]
        for slot in DOMAINS["taxi"].search
        if state.get(f"taxi-{slot}", DONTCARE) != DONTCARE
    }
    row = world.car(ride)
    named = [value_of(each) for each in said if each.slot == "car type" and intent_of(each.name) in _ANSWERS]
    return row if named and named[-1] == row["car type"] and all(slot in ride for slot in _ENDS) else None


def silence(talk: Conversation) -> str:
    """Who has said nothing in a dialogue, in words; nothing where both have.

    Example:
        >>> from dialmeter.model import Move
        >>> silence(Conversation("d1", (Move("user", "A taxi, please."), Move("system", ""))))
        'in which the system says nothing'
    """
    speaking = {move.speaker for move in talk.moves if move.text or move.acts}
    quiet = [speaker for speaker in (USER, SYSTEM) if speaker not in speaking]
    return f"in which the {' and the '.join(quiet)} say{'s' if len(quiet) == 1 else ''} nothing" if quiet else ""


def played(asked: int, found: int, silent: Sequence[tuple[str, str]]) -> Account:
    """How many of the dialogues that were asked for were played, with something said on both sides.

    Args:
        asked: how many goals there are.
        found: how many dialogues.
        silent: the dialogues in which somebody says nothing, each with ``silence``.
    """
    lacking = (Reason("not played", asked - found),) if asked > found else ()
    return Account("dialogue", asked, found, found - len(silent), (*count_reasons(silent), *lacking), "played")
