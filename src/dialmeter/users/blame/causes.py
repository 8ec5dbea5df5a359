"""Causes of lost points: the party, the turn of the evidence, and the reason.

Each generator yields the possible causes of one kind of loss. Only the first cause counts, so the order of the code is the order in
which causes are looked for. The last cause of a generator needs no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ...model import Act
from ..counting import find_choices, unneeded_constraints
from ..goals import constraint, slot_of
from ..profile import OWN_CONFIRM, OWN_INTENT
from .exchange import FAILURES, Database, Exchange, ExchangeItem, pick
from .words import unlabelled

Party: TypeAlias = Literal[
    "user", "system", "user misheard system", "system misheard user", "goal", "label", "not needed", "unknown"
]
PARTIES: tuple[Party, ...] = get_args(Party)

REASONS: dict[str, tuple[Party, str]] = {
    "second_choice": ("not needed", "it is a second choice of the goal, and the first choice did not fail"),
    "not_labelled": ("label", "the user says it in the text, but no act has it"),
    "reference_not_resolved": ("label", "the value refers to another value, and was not resolved"),
    "domain_as_value": ("label", "the value is the name of the domain"),
    "labelled_twice": ("label", "the same value is labelled in another domain of the turn, too"),
    "question_ignored": ("user", "the system asks for it, and the user never answers"),
    "wrong_value": ("user", "the user says another value, which is not in the goal"),
    "outside_goal": ("user", "the user says or asks for something that is not in its goal"),
    "repeated": ("user", "the user repeats it without a reason"),
    "asked_after_answer": ("user", "the user asks again although it heard the answer"),
    "asked_instead_of_answering": ("user", "the user asks again instead of answering the system's question"),
    "stopped": ("user", "the user stops by itself"),
    "searched_outside_goal": ("user", "the search fails with a value that is not in the goal"),
    "searched_with_less": (
        "user",
        "a booking fails because the user searched with fewer constraints than its goal has",
    ),
    "reference_without_booking": ("system", "the system gives a reference number without a booking"),
    "no_answer": ("system", "the system answers with a placeholder"),
    "no_reaction": ("system", "the system does not react to what the user says"),
    "searched_without_cause": ("system", "the system reports a failure although the database has a match"),
    "value_misheard": ("system misheard user", "the system searches with a value that it heard but nobody said"),
    "change_unheard": ("system misheard user", "the system did not hear the new value"),
    "reference_taken_literally": ("system misheard user", "the system uses a reference to another value as a value"),
    "request_unheard": ("system misheard user", "the system did not hear the request"),
    "constraint_unheard": ("system misheard user", "the system did not hear what the user said, and does not react"),
    "booking_misheard": ("user misheard system", "the user heard about a booking that was not made"),
    "booking_unheard": ("user misheard system", "the user did not hear that the booking was made"),
    "answer_misheard": ("user misheard system", "the user heard an answer that was not given"),
    "answer_unheard": ("user misheard system", "the user did not hear the answer"),
    "heard_as_choice": ("user misheard system", "the user heard a choice, but the system stated a fact"),
    "question_misheard": ("user misheard system", "the user heard a question that was not asked"),
    "slot_misheard": ("user misheard system", "the user heard the slot, but the system did not say it"),
    "domain_misheard": ("user misheard system", "the user heard about the domain, but the system did not mention it"),
    "failure_unheard": ("user misheard system", "the user did not hear that the search or the booking failed"),
    "impossible": ("goal", "nothing in the database meets the goal"),
    "nothing_found": ("goal", "the system finds nothing that meets all constraints of the goal"),
    "new_search": ("not needed", "the user asks again after a new search"),
    "turn_limit": ("unknown", "the dialogue was cut at the turn limit"),
    "file_ends": ("unknown", "the dialogue ends in the middle"),
    "failure_unexplained": ("unknown", "a search or a booking fails for an unknown reason"),
}
"""Reason → the party that it blames, and its meaning."""


class Cause(Struct, frozen=True):
    """The cause of a lost point.

    Attributes:
        reason: one of ``REASONS``.
        turn: the turn of the evidence; None if there is none.
        detail: the slot and value of the evidence.
    """

    reason: str
    turn: int | None
    detail: str = ""

    @property
    def lost_by(self) -> Party:
        """The party to blame.

        Example:
            >>> Cause("stopped", 4).lost_by, Cause("booking_unheard", 4).lost_by
            ('user', 'user misheard system')
        """
        return REASONS[self.reason][0]


def most_frequent(causes: Sequence[Cause]) -> Cause:
    """Return the first cause with the most frequent party. On a tie, the earlier one wins.

    Example:
        >>> most_frequent([Cause("repeated", 2), Cause("no_reaction", 5), Cause("repeated", 8)]).turn
        2
    """
    votes = Counter(each.lost_by for each in causes)
    best = max(votes, key=lambda each: votes[each])
    return next(each for each in causes if each.lost_by == best)


_LOOP = 3
"""Minimum number of equal user turns at the end of a dialogue that is stuck."""


def blocker(exchange: Exchange) -> Cause:
    """Return the cause why the dialogue did not continue: it was stuck, it was cut, or the user stopped."""
    turns = exchange.user_turns
    if not turns:
        return Cause("file_ends", exchange.length - 1)
    keys = {turn: {each.key for each in exchange.said[turn]} for turn in turns}
    loop = [turns[-1]]
    for turn in reversed(turns[:-1]):
        if keys[turn] != keys[turns[-1]]:
            if len(loop) >= _LOOP and keys[turn] > keys[turns[-1]]:
                loop.append(turn)
            break
        loop.append(turn)
    if len(loop) >= _LOOP and keys[turns[-1]]:
        causes = []
        for first, again in pairwise(reversed(loop)):
            common = next(each for each in exchange.said[again] if each.key in keys[first])
            causes.append(repeat_cause(exchange, common, first, again))
        return most_frequent(causes)
    if exchange.cut:
        return Cause("turn_limit", exchange.length - 1)
    return next(causes_of_stop(exchange, turns[-1]))


def causes_of_missing_constraint(exchange: Exchange, domain: str, slot: str, value: str) -> Iterator[Cause]:
    """Yield the causes of a constraint of the goal that was never said."""
    item, goal = ExchangeItem("tell", domain, slot, value), exchange.dialogue.goal_units[domain]
    if item.unit in unneeded_constraints(find_choices(exchange.dialogue, domain)):
        yield Cause("second_choice", None)
    for turn in range(0, exchange.length, 2):
        if unlabelled(exchange, turn, item):
            yield Cause("not_labelled", turn, item.unit)
    yield from _never_begun(exchange, domain)
    mentions = exchange.mentions(domain, slot)
    last = max((turn for turn, _ in mentions), default=-1)
    for turn in range(1, exchange.length - 1, 2):
        asked, unheard = (pick(items, "ask", domain, slot) for items in (exchange.said[turn], exchange.lost[turn + 1]))
        if asked and not unheard and last < turn:
            yield Cause("question_ignored", turn + 1, slot)
    for turn, said in mentions:
        if said.value and said.unit not in goal.constraints:
            yield Cause("reference_not_resolved" if said.is_reference else "wrong_value", turn, said.unit)
    if item.unit in exchange.booking_units(domain):
        yield from _thinks_booked(exchange, domain)
    yield _domain_end(exchange, domain)


def causes_of_missing_request(exchange: Exchange, domain: str, slot: str) -> Iterator[Cause]:
    """Yield the causes of a request of the goal that was never made."""
    for turn in range(2, exchange.length, 2):
        if pick(exchange.added[turn], "tell", domain, slot) and not exchange.tells(turn - 1, domain, slot):
            yield Cause("answer_misheard", turn, slot)
    yield from _never_begun(exchange, domain)
    yield _domain_end(exchange, domain)


def _never_begun(exchange: Exchange, domain: str) -> Iterator[Cause]:
    """The user never speaks about the domain: it believes that a booking was made, or the dialogue did not continue."""
    if not any(domain in exchange.topics(turn) for turn in exchange.user_turns):
        if exchange.dialogue.goal_units[domain].books:
            yield from _thinks_booked(exchange, domain)
        yield blocker(exchange)


def _thinks_booked(exchange: Exchange, domain: str) -> Iterator[Cause]:
    """The user hears about a booking in the domain before it has given a booking constraint."""
    for turn in range(2, exchange.length, 2):
        if pick(exchange.heard[turn], "booked", domain):
            if exchange.booked_before(turn, domain):
                return
            if exchange.premature_booking(turn - 1):
                yield Cause("reference_without_booking", turn - 1)
            if pick(exchange.added[turn], "booked", domain):
                yield Cause("booking_misheard", turn)


def _domain_end(exchange: Exchange, domain: str) -> Cause:
    """The dialogue leaves the domain, or ends in it."""
    turns = [turn for turn in exchange.user_turns if domain in exchange.topics(turn)]
    if not turns or turns[-1] == exchange.user_turns[-1]:
        return blocker(exchange)
    return next(causes_of_stop(exchange, turns[-1]))


def causes_of_outside_constraint(exchange: Exchange, item: ExchangeItem, turn: int) -> Iterator[Cause]:
    """Yield the causes of a constraint that is not in the goal."""
    written = constraint(item.slot, item.written)
    if item.is_reference:
        yield Cause("reference_not_resolved", turn, written)
    if item.written == item.domain.lower():
        yield Cause("domain_as_value", turn, written)
    if turn:
        profile, moves = exchange.setup.profile, exchange.conversation.moves
        said, heard = moves[turn - 1].acts or (), moves[turn].understood or ()
        choices = profile.choice_slots
        was_said, was_heard = (any(act.slot.lower() in choices for act in acts) for acts in (said, heard))
        if item.slot in choices and was_heard and not was_said:
            yield Cause("slot_misheard", turn, item.slot)
        if item.slot in profile.declining_slots:
            if exchange.premature_booking(turn - 1):
                yield Cause("reference_without_booking", turn - 1)
            elif _has_booking(heard, exchange) and not _has_booking(said, exchange):
                yield Cause("booking_misheard", turn)
    yield Cause("outside_goal", turn, item.unit)


def _has_booking(acts: Sequence[Act], exchange: Exchange) -> bool:
    setup = exchange.setup
    return any(
        act.service == setup.profile.booking or setup.types_of(act.name) & (OWN_INTENT | OWN_CONFIRM) for act in acts
    )


def causes_of_outside_request(exchange: Exchange, item: ExchangeItem, turn: int) -> Iterator[Cause]:
    """Yield the causes of a request that is not in the goal."""
    if any(each.domain == item.domain for each in exchange.added[turn]):
        yield Cause("domain_misheard", turn, item.domain)
    if any(each.kind in FAILURES for each in exchange.lost[turn]):
        yield Cause("failure_unheard", turn)
    yield Cause("outside_goal", turn, item.slot)


def repeat_cause(exchange: Exchange, item: ExchangeItem, first: int, again: int) -> Cause:
    """Return the cause of two successive mentions of an item."""
    causes = causes_of_repeated_request if item.kind == "ask" else causes_of_repeated_constraint
    return next(causes(exchange, item, first, again))


def causes_of_repeated_constraint(exchange: Exchange, item: ExchangeItem, first: int, again: int) -> Iterator[Cause]:
    """Yield the causes of a repeated constraint of the goal."""
    domain, slot, replies = item.domain, item.slot, range(first + 1, again, 2)
    mentions = {turn for turn, each in exchange.mentions(domain, slot) if each.value == item.value}
    same_value = [each for each in pick(exchange.said[again], "tell") if each.value == item.value and item.value]
    if len(mentions) == 2 and any(each.domain != domain for each in same_value):
        yield Cause("labelled_twice", again, item.unit)
    for turn in replies:
        if pick(exchange.lost[turn + 1], "booked", domain):
            yield Cause("booking_unheard", turn + 1)
    yield from _last_failure(exchange, domain, replies)
    if any(each.key == item.key and each.value == item.value for each in exchange.lost[first + 1]):
        yield Cause("constraint_unheard", first + 1, item.unit)
    for turn in replies:
        told, heard = exchange.tells(turn, domain, slot), pick(exchange.heard[turn + 1], "tell", domain, slot)
        told_choice, heard_choice = (["select" in each.act.lower() for each in items] for items in (told, heard))
        if not all(told_choice) and any(heard_choice):
            yield Cause("heard_as_choice", turn + 1, slot)
    entities = exchange.setup.traits(domain).entity_slots
    for turn in replies:
        told = exchange.tells(turn, domain)
        lost = [each for each in told if each in exchange.lost[turn + 1]]
        if pick(exchange.added[turn + 1], "tell", domain, slot):
            yield Cause("slot_misheard", turn + 1, slot)
        if lost and (len(lost) == len(told) or any(each.slot in (*entities, slot) for each in lost)):
            yield Cause("answer_unheard", turn + 1, lost[0].slot)
    if not any(exchange.speaks_of(turn, domain) for turn in replies):
        yield Cause("no_reaction", first + 1)
    for turn in replies:
        if pick(exchange.added[turn + 1], "ask", domain):
            yield Cause("question_misheard", turn + 1)
    yield Cause("repeated", again, item.unit)


def _last_failure(exchange: Exchange, domain: str, replies: range) -> Iterator[Cause]:
    """A search or a booking failed, and since then the system has not told or booked anything in the domain."""
    for turn in reversed(replies):
        if exchange.fails(turn, domain):
            yield next(causes_of_failure(exchange, domain, turn))
        if exchange.tells(turn, domain) or pick(exchange.said[turn], "booked", domain):
            return


def causes_of_repeated_request(exchange: Exchange, item: ExchangeItem, first: int, again: int) -> Iterator[Cause]:
    """Yield the causes of a repeated request."""
    domain, slot, replies = item.domain, item.slot, range(first + 1, again, 2)
    if any(each.key == item.key for each in exchange.lost[first + 1]):
        yield Cause("request_unheard", first + 1, slot)
    answers = [(turn, each) for turn in replies for each in exchange.answers(turn, domain, slot)]
    if answers and all(each.is_placeholder for _, each in answers):
        yield Cause("no_answer", answers[0][0], constraint(slot, answers[0][1].written))
    for turn, each in answers:
        if each in exchange.lost[turn + 1]:
            yield Cause("answer_unheard", turn + 1, slot)
    if answers:
        yield from _new_search(exchange, domain, answers[0][0], again)
        yield Cause("asked_after_answer", again, slot)
    yield from _last_failure(exchange, domain, replies)
    for turn in replies:
        heard = [each for each in pick(exchange.said[turn], "ask", domain) if each not in exchange.lost[turn + 1]]
        if heard and not exchange.tells(turn + 1, domain, heard[0].slot):
            yield Cause("asked_instead_of_answering", turn + 1, heard[0].slot)
    yield Cause("no_reaction", first + 1, slot)


def _new_search(exchange: Exchange, domain: str, answered: int, again: int) -> Iterator[Cause]:
    """After the answer, the user has searched again, or the system has named another entity."""
    for turn in range(answered + 1, again + 1, 2):
        for told in exchange.tells(turn, domain)[:1]:
            mentions = exchange.mentions(domain, told.slot)
            previous = [number for number, each in mentions if number < turn and each.value == told.value]
            if previous:
                yield repeat_cause(exchange, told, previous[-1], turn)
            yield Cause("new_search", again)
    entities = exchange.setup.traits(domain).entity_slots
    names = {
        turn: each.value
        for turn in range(1, again, 2)
        for each in exchange.tells(turn, domain)
        if each.slot in entities
    }
    earlier = [name for turn, name in names.items() if turn <= answered]
    later = [name for turn, name in names.items() if turn > answered]
    if earlier and later and later[-1] != earlier[-1]:
        yield Cause("new_search", again)


def causes_of_failure(exchange: Exchange, domain: str, reply: int) -> Iterator[Cause]:
    """Yield the causes of a failed search or booking that a reply reports, from the values that the reply lists."""
    listed = exchange.listed(reply, domain)
    details = ", ".join(each.unit for each in listed)
    said = {each.slot: [pair for pair in exchange.mentions(domain, each.slot) if pair[0] < reply] for each in listed}
    hearings = range(1, reply + 1, 2)
    for each in listed:
        turn, latest = said[each.slot][-1] if said[each.slot] else (0, each)
        is_replaced = latest.value != each.value and any(item.value == each.value for _, item in said[each.slot])
        if is_replaced and latest in exchange.lost[turn + 1]:
            yield Cause("change_unheard", turn + 1, latest.unit)
    for each in listed:
        for turn in hearings if each.is_reference else ():
            if any((item.slot, item.written) == (each.slot, each.written) for item in exchange.heard[turn]):
                yield Cause("reference_taken_literally", turn, constraint(each.slot, each.written))
    for each in listed:
        if not any(item.value == each.value for _, item in said[each.slot]):
            for turn in hearings:
                if any(item.value == each.value for item in pick(exchange.added[turn], "tell", domain, each.slot)):
                    yield Cause("value_misheard", turn, each.unit)
    goal = exchange.dialogue.goal_units.get(domain)
    wanted = goal.constraints if goal is not None else ()
    allowed = exchange.setup.profile.fine.values
    outside = [each for each in listed if each.value not in allowed and each.unit not in wanted]
    for each in outside:
        turns = [turn for turn, item in said[each.slot] if item.value == each.value]
        if turns:
            yield Cause("searched_outside_goal", turns[-1], each.unit)
    for turn in hearings:
        # The system heard another value of some slot of the domain.
        lost = {item.key for item in pick(exchange.lost[turn], "tell", domain)}
        for item in exchange.added[turn]:
            if item.key in lost:
                yield Cause("value_misheard", turn, item.unit)
    if goal is not None and not outside:
        latest_said = all(said[each.slot] and said[each.slot][-1][1].value == each.value for each in listed)
        if (database := exchange.database) is not None:
            yield _database_cause(exchange, database, domain, reply, details)
        elif latest_said:
            # Does the system list all slots of a part of the goal?
            slots = {each.slot for each in listed}
            names = ("book", "fail_book") if _is_booking(exchange, domain, reply) else ("info", "fail_info")
            if any(slots >= set(map(slot_of, goal.parts[name])) for name in names if goal.parts.get(name)):
                yield Cause("nothing_found", reply, details)
    yield Cause("failure_unexplained", reply, details)


def _is_booking(exchange: Exchange, domain: str, reply: int) -> bool:
    failure = exchange.fails(reply, domain)
    return failure is not None and failure.kind == "not booked"


def _database_cause(exchange: Exchange, database: Database, domain: str, reply: int, details: str) -> Cause:
    """The database shows if the latest values of the user can be found or booked."""
    latest = {each.slot: each.value for turn in range(0, reply, 2) for each in exchange.tells(turn, domain)}
    book = set(map(slot_of, exchange.booking_units(domain)))
    search = {slot: value for slot, value in latest.items() if slot not in book}
    is_booking = _is_booking(exchange, domain, reply)
    booking = {slot: value for slot, value in latest.items() if slot in book} if is_booking else {}
    matches = database(domain, search, booking)
    wanted = exchange.dialogue.goal_units[domain].parts.get("info", ())
    unsaid = [each for each in wanted if slot_of(each) not in latest]
    if matches and is_booking and unsaid:
        # The offered entity may not meet the goal, so the failure of its booking may be correct.
        return Cause("searched_with_less", reply - 1, unsaid[0])
    return Cause("searched_without_cause" if matches else "impossible", reply, details)


def causes_of_stop(exchange: Exchange, turn: int) -> Iterator[Cause]:
    """Yield the causes why the user does not continue after one of its turns."""
    reply, next_turn = turn + 1, turn + 2
    if reply >= exchange.length:
        yield Cause("file_ends", turn)
        return
    if failure := exchange.fails(reply):
        yield next(causes_of_failure(exchange, failure.domain, reply))
    if next_turn < exchange.length and pick(exchange.heard[next_turn], "booked"):
        if exchange.premature_booking(reply):
            yield Cause("reference_without_booking", reply)
        elif not pick(exchange.said[reply], "booked"):
            yield Cause("booking_misheard", next_turn)
    is_courtesy = exchange.conversation.moves[reply].acts and not exchange.topics(reply) and not exchange.said[reply]
    if is_courtesy and exchange.topics(turn):
        yield Cause("constraint_unheard" if exchange.lost[reply] else "no_reaction", reply)
    if next_turn >= exchange.length:
        yield Cause("file_ends", reply)
    unheard = [each[:4] for each in pick(exchange.lost[reply], "tell")]
    for number in range(1, reply + 1, 2):
        # The evidence is the first turn in which a value of the last turn was not heard.
        for each in exchange.lost[number]:
            if each[:4] in unheard:
                yield Cause("constraint_unheard", number, each.unit)
    yield Cause("stopped", next_turn)
