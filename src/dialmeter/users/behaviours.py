"""The classes of events.

A class that a test finds is a function with the decorator :func:`~dialmeter.users.events.behaviour`. All tests of a family that match
are reported, in the order of their declarations. Classes that counting finds are in the table at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Struct

from .events import ALL, Behaviour, Family, Owner, behaviour, declare
from .profile import REQUEST, DomainTraits

if TYPE_CHECKING:
    from .prepared_dialogue import PreparedTurn, ScoringSetup, SystemTurn

__all__ = ["ALL", "Mention", "names"]


class Mention(Struct, eq=False):
    """A mention that needs a reason: a repeated constraint or request, or a constraint on a slot that is not in the goal.

    Attributes:
        domain: the domain of the mention.
        slot: the slot of the mention.
        unit: the constraint or the request.
        between: the system turns since the previous mention, newest first; since the beginning for a slot that is not in the goal.
        first: the turn of the previous mention, or the first turn.
        again: the turn of this mention.
        setup: rules and profile.
    """

    domain: str
    slot: str
    unit: str
    between: list[SystemTurn]
    first: PreparedTurn
    again: PreparedTurn
    setup: ScoringSetup

    @property
    def traits(self) -> DomainTraits:
        """The properties of the domain."""
        return self.setup.traits(self.domain)

    @property
    def names_entity(self) -> bool:
        """True if the slot names an entity of the domain."""
        return self.slot in self.traits.entity_slots

    @property
    def context(self) -> list[SystemTurn]:
        """The latest system turns that the rules consider for slots that are not in the goal."""
        return self.between[: self.setup.rules.not_in_goal.context]


# Reasons for repeated constraints of the goal: first actions of the system between the mentions, then actions of the user.


@behaviour("repetition", "system")
def elicited_by_sys_question(repetition: Mention) -> bool:
    """The system has just asked for the slot."""
    return repetition.slot in repetition.between[0].requests


@behaviour("repetition", "system")
def elicited_by_booking_failure(repetition: Mention) -> bool:
    """The system could not book, and has had no success since."""
    return repetition.traits.transactional and _still_failed(
        repetition.between, [turn.no_book for turn in repetition.between]
    )


@behaviour("repetition", "system")
def elicited_by_no_offers(repetition: Mention) -> bool:
    """The system found nothing in the domain, and has had no success since."""
    return _still_failed(repetition.between, [turn.no_offer for turn in repetition.between])


@behaviour("repetition", "system")
def failed_sys_nlu(repetition: Mention) -> bool:
    """The system did not understand the constraint."""
    understood = [turn.understood for turn in repetition.between]
    if None in understood and not repetition.setup.rules.faults.missing_nlu_is_failure:
        return False
    return not any(repetition.unit in each for each in understood if each is not None)


@behaviour("repetition", "user")
def confirmed_choice_params(repetition: Mention) -> bool:
    """The system has just mentioned a choice."""
    return repetition.between[0].choice


@behaviour("repetition", "user")
def repeated_while_requesting_info(repetition: Mention) -> bool:
    """The user requests something in the same turn."""
    acts = repetition.again.acts
    services = (repetition.domain, repetition.setup.profile.booking)
    return any(types & REQUEST for service in services for types, _, _ in acts.get(service, ()))


@behaviour("repetition", "user")
def repeated_while_booking(repetition: Mention) -> bool:
    """The system has just named an entity or proposed to book."""
    return repetition.between[0].entity_or_booking


@behaviour("repetition", "user")
def repeated_when_answering_request(repetition: Mention) -> bool:
    """The system has just asked for something in the domain or for a booking."""
    return bool(repetition.between[0].requests)


@behaviour("repetition", "user")
def switched_between_domains(repetition: Mention) -> bool:
    """The system has handled another domain in the meantime, and no turn is about a taxi."""
    if repetition.again.taxi or any(turn.taxi for turn in repetition.between):
        return False
    setup = repetition.setup
    own = {repetition.domain, setup.profile.booking}
    if not setup.rules.faults.general_is_a_domain:
        own |= setup.no_domains
    return any(not turn.services <= own for turn in repetition.between)


@behaviour("repetition", "log", setting="elicited_by_booking_failure")
def nobook_validation_failure(repetition: Mention) -> bool:
    """The system could not book, but then named an entity or booked."""
    failed = [turn.no_book for turn in repetition.between]
    return repetition.traits.transactional and any(failed) and not _still_failed(repetition.between, failed)


@behaviour("repetition", "log", setting="elicited_by_no_offers")
def nooffer_validation_failure(repetition: Mention) -> bool:
    """The system found nothing in the domain, but then named an entity or booked."""
    failed = [turn.no_offer for turn in repetition.between]
    return any(failed) and not _still_failed(repetition.between, failed)


def _still_failed(between: list[SystemTurn], failed: list[bool]) -> bool:
    """Return True if the newest failure is not older than the newest success. Failure and success may be in the same turn."""
    for turn, fails in zip(between, failed, strict=True):
        if fails:
            return True
        if turn.made:
            return False
    return False


# Reasons for constraints on slots that are not in the goal.


def offered(slot: str, offers: frozenset[str], setup: ScoringSetup) -> bool:
    """Return True if a slot is offered. In the published evaluator, an offered slot may also contain its name as a substring."""
    if slot in offers:
        return True
    return setup.rules.faults.offers_by_substring and any(slot in each for each in offers)


behaviour("not_in_goal", "system", on=False)(elicited_by_sys_question)


@behaviour("not_in_goal", "system")
def elicited_by_sys_offer(mention: Mention) -> bool:
    """The system has recently informed about, recommended or booked the slot."""
    return any(offered(mention.slot, turn.offers, mention.setup) for turn in mention.context)


@behaviour("not_in_goal", "system", name="elicited_by_booking_failure")
def named_after_booking_failure(mention: Mention) -> bool:
    """A booking has recently failed, and the user names another entity."""
    return mention.names_entity and mention.traits.transactional and any(turn.no_book for turn in mention.context)


@behaviour("not_in_goal", "system")
def elicited_by_booking_acceptance(mention: Mention) -> bool:
    """The system has just proposed to book, and the user names the entity."""
    return mention.names_entity and mention.traits.transactional and mention.between[0].booking_intent


@behaviour("not_in_goal", "system")
def elicited_by_recommendation(mention: Mention) -> bool:
    """The system has recommended something in the domain, and the user names an entity."""
    return mention.names_entity and any(turn.recommends for turn in mention.between)


# Reasons for repeated requests.


def _asks_for_reference(repeated: Mention) -> bool:
    return repeated.slot in repeated.setup.profile.reference_slots


@behaviour("request", "log")
def spurious_annotation(repeated: Mention) -> bool:
    """The turns between are about other domains, so the repeated request is probably a wrong label."""
    profile = repeated.setup.profile
    if _asks_for_reference(repeated):
        return False
    if repeated.traits.taxi and any(word in repeated.unit for word in profile.taxi.words):
        return False
    services = frozenset().union(*[turn.services for turn in repeated.between]) - repeated.setup.no_domains
    if not services:
        return False
    if repeated.domain not in services and len(repeated.between) > 1:
        return True
    several = any(len(turn.acts.keys() - set(profile.general)) > 1 for turn in (repeated.first, repeated.again))
    return several and len(repeated.between) > 3 and services != {repeated.domain}


@behaviour("request", "system", setting="validate_nlu")
def system_req_nlu_failure(repeated: Mention) -> bool:
    """The system did not understand the request."""
    understood = repeated.between[-1].understood_requests
    return understood is not None and repeated.slot not in understood


@behaviour("request", "user", setting="validate_policy", excuses=False)
def repeated_despite_receiving_answer(repeated: Mention) -> bool:
    """The system has answered in the meantime."""
    if any(repeated.slot in turn.informs for turn in repeated.between):
        return True
    return _asks_for_reference(repeated) and any(turn.reference for turn in repeated.between)


@behaviour("request", "system", setting="validate_policy")
def no_answer(repeated: Mention) -> bool:
    """The system has answered only with a placeholder, such as a question mark."""
    return not repeated_despite_receiving_answer(repeated) and any(
        repeated.slot in turn.placeholders for turn in repeated.between
    )


@behaviour("request", "user", setting="validate_policy")
def user_prempted_request(repeated: Mention) -> bool:
    """The system asks for a slot of the domain or of a booking instead of answering."""
    return bool(repeated.between[-1].requests)


@behaviour("request", "system", setting="validate_policy")
def delayed_response(repeated: Mention) -> bool:
    """The system neither answers nor asks."""
    return not any(holds(repeated) for holds in (repeated_despite_receiving_answer, no_answer, user_prempted_request))


_FOUND_BY_COUNTING: dict[Family, dict[str, str]] = {
    "repetition": {
        "user unmatched": "A constraint is repeated and nothing explains why.",
        "log repeated_inform": "A constraint is said in more than one turn.",
        "log repetitions_warning": "A constraint is said in very many turns.",
    },
    "not_in_goal": {
        "user first_turn": "A constraint outside the goal is said in the first turn.",
        "user unmatched": "A constraint outside the goal is said and nothing explains why.",
        "log auto_matched_value": "A value is said that is allowed for any slot.",
        "log auto_matched_slot": "A slot is said that is always allowed in this domain.",
        "log auto_matched_slot_value_pair": "A pair of slot and value is said that is always allowed.",
        "log wrong_taxi_annotations": "An entity is named in a turn about a taxi.",
    },
    "goal": {
        "user single_repetitions_nog": "A slot of the goal is said once, with a value that is not wanted.",
        "user missed_domain": "Nothing is said in a domain of the goal.",
        "user missed_constraints": "A wanted constraint is never said.",
        "user informed_wrong_value": "A wanted constraint is never said, but another value of its slot is said.",
        "system sys_preempted_constraint": "The system says a wanted constraint that the user does not say.",
        "log alternative_not_needed": "A second choice of the goal is not wanted, because the first did not fail.",
        "log failed_dialogue": "The search ends without an entity while constraints are missing.",
        "user informed_domains_outside_goals": "A constraint is said in a domain that is not in the goal.",
    },
    "request": {
        "system provision_entire_domain": "The system gives a wanted slot, and the user requests nothing in the domain.",
        "system provision_slots": "The system gives a wanted slot that the user does not request.",
        "log auto_ref": "A reference number is requested in a domain in which the goal has a booking.",
        "log multiple_req": "A slot is requested in more than one turn.",
        "log repetitions_warning": "A slot is requested in very many turns.",
        "user requests_not_in_goal": "Slots are requested in a domain in which no slot is wanted.",
        "user requested_domains_outside_goals": "Slots are requested in a domain that is not in the goal.",
    },
    "text": {
        "user missed": "A value is not conveyed, although it was requested or was needed for a call that was not made.",
        "user invented": "A value that is neither in the instruction nor from the agent, or a claim not to have an id that the instruction does not state.",
        "user wrong": "A value that differs from the instruction, or a claim not to have an id that the instruction gives.",
        "user leak": "The user says something that the instruction forbids, before the agent says it.",
        "user early_stop": "The user ends the dialogue although a value is missed and its call was not made.",
        "user stuck": "The user repeats an earlier message.",
        "user volunteered": "The user says a value without a question, although the instruction allows it only if asked.",
    },
}
"""Family → owner and name → meaning."""

for _family, _classes in _FOUND_BY_COUNTING.items():
    for _title, _about in _classes.items():
        _owner, _, _name = _title.partition(" ")
        declare(Behaviour(_name, _family, cast(Owner, _owner), _about))


def names() -> list[str]:
    """Return the names of all classes, each once.

    Example:
        >>> "unmatched" in names(), len(names()) == len(set(names()))
        (True, True)
    """
    return list(dict.fromkeys(each.name for each in ALL))
