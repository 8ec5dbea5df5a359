"""Tests of faults of the published evaluator: each exists under ``gcdf1-repo`` and is corrected under ``dialmeter``."""

from __future__ import annotations

import pytest

from dialmeter.model import Conversation
from dialmeter.users.rules import changed, named, switches
from dialmeter.users.scorer import score_user
from dialmeter.values.maps import ValueMap

from ..talks import classes, goal, scored, system, talk, user

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}})
END = system("general-bye")


def f1(each: Conversation, *changes: str, rules: str) -> float:
    score = scored(each, *changes, rules=rules).score("I")
    assert score is not None
    return score.f1


def test_every_fault_is_off_by_default_and_on_as_published() -> None:
    default, published = switches(named("dialmeter")), switches(named("gcdf1-repo"))
    differing = {name for name in default if default[name] != published[name]}
    faults = {name for name in default if name.startswith("faults.")}
    assert differing == faults | {"values.nfkc", "values.collisions", "values.no_answer", "goals.alternatives"}
    assert not any(default[name] for name in faults)


def test_a_wrong_value_said_again_is_not_credited() -> None:
    wrong = user("Hotel-Inform area=north | Hotel-Inform stars=4")
    each = talk(HOTEL, wrong, system("Hotel-Request area=?"), user("Hotel-Inform area=north"), END)
    published, ours = scored(each, rules="gcdf1-repo"), scored(each)
    assert published.inform["hotel"].wanted.count("area=north") == 1
    assert "area=north" not in ours.inform["hotel"].wanted
    assert f1(each, rules="gcdf1-repo") > f1(each, rules="dialmeter")
    # The reason and the expected value are still reported.
    assert {"elicited_by_sys_question"} <= classes(ours, "repetition")
    assert classes(ours, "goal") == {"informed_wrong_value"}
    assert classes(published, "goal") == {"missed_constraints"}


def test_courtesies_are_no_change_of_domain() -> None:
    area = user("Hotel-Inform area=east")
    each = talk(HOTEL, area, END, area, END)
    assert "switched_between_domains" in classes(scored(each, rules="gcdf1-repo"), "repetition")
    assert "unmatched" in classes(scored(each), "repetition")


def test_lower_case_no_offers_are_seen() -> None:
    each = talk(HOTEL, user("hotel-inform area=east"), system("hotel-nooffer area=east"))
    assert "failed_dialogue" not in classes(scored(each, rules="gcdf1-repo"), "goal")
    assert "failed_dialogue" in classes(scored(each), "goal")


TWO = goal(
    hotel={"info": {"area": "east"}, "book": {"people": "2"}, "requests": ["ref"]},
    restaurant={"info": {"food": "thai"}, "book": {"people": "2"}, "requests": ["ref"]},
)


def test_a_booking_is_of_one_domain() -> None:
    each = talk(
        TWO,
        user("Hotel-Inform area=east"),
        system("Hotel-Recommend name=acorn"),
        user("Restaurant-Inform food=thai"),
        system("Booking-Book people=2 | Booking-Book ref=x"),
    )
    published, ours = scored(each, rules="gcdf1-repo"), scored(each)
    for outcome, domains in ((published, {"hotel", "restaurant"}), (ours, {"restaurant"})):
        assert {event.domain for event in outcome.events if event.name == "sys_preempted_constraint"} == domains
        assert {event.domain for event in outcome.events if event.name == "provision_entire_domain"} == domains


def test_a_booking_after_talk_of_two_domains_is_still_of_one() -> None:
    both = user("Hotel-Inform area=east | Restaurant-Inform food=thai")
    each = talk(TWO, both, system("Booking-Book people=2"))
    later = talk(TWO, user("Restaurant-Inform food=thai"), END, both, system("Booking-Book people=2"))
    for talked, domain in ((each, "hotel"), (later, "restaurant")):
        outcome = scored(talked)
        assert [event.domain for event in outcome.events if event.name == "sys_preempted_constraint"] == [domain]


def test_a_booking_is_of_a_domain_that_can_be_booked() -> None:
    wanted = goal(attraction={"info": {"area": "east", "type": "park"}})
    each = talk(wanted, user("Attraction-Inform area=east"), system("Booking-Book type=park"))
    assert "sys_preempted_constraint" in classes(scored(each, rules="gcdf1-repo"), "goal")
    assert "sys_preempted_constraint" not in classes(scored(each), "goal")


def test_an_offer_is_of_the_slot_itself() -> None:
    each = talk(
        HOTEL, user("Hotel-Inform area=east"), system("Hotel-Inform nickname=x"), user("Hotel-Inform name=x"), END
    )
    assert "elicited_by_sys_offer" in classes(scored(each, rules="gcdf1-repo"), "not_in_goal")
    assert "unmatched" in classes(scored(each), "not_in_goal")


TIMES = ValueMap({"leaveat": {"train": {"10:15": ["10 15 am"], "10:16": ["10 15 am."]}}})
"""Two canonical values with very similar forms."""


def test_slots_are_looked_for_in_the_goal_in_any_letter_case() -> None:
    each = talk(goal(train={"info": {"leaveAt": "10:16"}}), user("Train-Inform leaveAt=10 15 AM."), END)
    published, ours = scored(each, rules="gcdf1-repo", value_map=TIMES), scored(each, value_map=TIMES)
    assert published.inform["train"].counted == ("leaveat=10:15",)
    assert ours.inform["train"].counted == ("leaveat=10:16",)


def test_the_combined_score_minds_the_domain() -> None:
    wanted = goal(hotel={"info": {"area": "east"}}, restaurant={"info": {"area": "west"}})
    swapped = talk(wanted, user("Hotel-Inform area=west | Restaurant-Inform area=east"), END)
    assert f1(swapped, rules="gcdf1-repo") == 1
    assert f1(swapped, rules="dialmeter") == 0


def test_what_is_not_known_is_not_a_misunderstanding() -> None:
    area = user("Hotel-Inform area=east")
    each = talk(HOTEL, area, system(""), area, END, heard_all=False)
    assert "failed_sys_nlu" in classes(scored(each, rules="gcdf1-repo"), "repetition")
    assert "failed_sys_nlu" not in classes(scored(each), "repetition")


def test_the_distribution_of_combined_scores_holds_one_value_per_dialogue() -> None:
    wanted = goal(hotel={"info": {"area": "east"}}, train={"info": {"day": "monday"}})
    each = talk(wanted, user("Hotel-Inform area=east"), END)
    assert score_user([each], ci=0).distribution("I-recall") == {"combined": [0.5], "hotel": [1.0], "train": [0.0]}
    published = score_user([each], "gcdf1-repo", ci=0).distribution("I-recall")
    assert published["combined"] == [0.0, 0.5, 1.0]


AREAS = ValueMap({"area": {"centre": ["centre", "center of town"]}})


def test_two_forms_of_one_value_are_one_mention() -> None:
    wanted = goal(hotel={"info": {"area": "centre"}})
    each = talk(wanted, user("Hotel-Inform area=centre | Hotel-Inform area=center of town"), END)
    published, ours = scored(each, rules="gcdf1-repo", value_map=AREAS), scored(each, value_map=AREAS)
    assert published.inform["hotel"].counted == ("area=center of town", "area=centre")
    assert ours.inform["hotel"].counted == ("area=centre",)


@pytest.mark.parametrize("fault", [name for name in switches(named("dialmeter")) if name.startswith("faults.")])
def test_each_fault_is_a_switch_of_its_own(fault: str) -> None:
    assert changed(named("dialmeter"), f"{fault}=true").changes() == {fault: "true"}
