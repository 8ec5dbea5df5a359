"""Tests of dialogues as text: what was said, what was understood, and the events of each turn."""

from __future__ import annotations

from msgspec.structs import replace

from dialmeter.model import Conversation, Move
from dialmeter.users.analysis.dialogue_lines import lines
from dialmeter.users.blame.verdict import blame
from dialmeter.users.result import row_of
from dialmeter.users.scorer import UserScorer

from ..conversations import goal, make_conversation, system, user

HOTEL = goal(
    hotel={"info": {"area": "east"}, "fail_info": {"area": "west"}, "book": {"people": "2"}, "requests": ["phone"]}
)


def shown(dialogue: Conversation) -> list[str]:
    scorer = UserScorer()
    outcome = scorer.outcome(dialogue)
    verdict = blame(scorer.prepare(dialogue), outcome)
    return list(lines(row_of(dialogue, outcome, verdict)))


def test_goal_parts_named() -> None:
    found = shown(make_conversation(HOTEL, user("Hotel-Inform area=east"), system("")))
    assert found[2] == "  hotel   info area=east; fail_info area=west; book people=2; ask for phone"
    bare = shown(
        make_conversation(goal(hotel={}, taxi={"info": {"leaveat": "9"}}), user("Taxi-Inform leaveat=9"), system(""))
    )
    assert bare[2:4] == ["  hotel   nothing", "  taxi   info leaveat=9"]


def test_acts_of_one_name_stand_together() -> None:
    found = shown(
        make_conversation(
            HOTEL, user("Hotel-Inform area=east | Hotel-Request phone=? | Hotel-Inform people=2"), system("")
        )
    )
    assert "    said        hotel-inform area=east, people=2; hotel-request phone" in found


def test_understood_with_listener() -> None:
    found = shown(
        make_conversation(HOTEL, user("Hotel-Inform area=east"), system("general-bye", heard="Hotel-Inform area=west"))
    )
    place = found.index("    understood  hotel-inform area=west")
    assert found[place - 2].startswith("turn 1  system")
    deaf = shown(make_conversation(HOTEL, user("Hotel-Inform area=east"), system("general-bye", heard="")))
    assert "    understood  nothing" in deaf
    unknown = shown(make_conversation(HOTEL, user("Hotel-Inform area=east"), system("general-bye"), heard_all=False))
    assert not [line for line in unknown if "understood" in line]


def test_signs() -> None:
    again = user("Hotel-Inform area=east")
    found = shown(
        make_conversation(
            HOTEL, again, system("Hotel-Request area"), again, system("general-reqmore"), again, system("")
        )
    )
    turn_2, turn_4 = (found.index(f"turn {number}  user") for number in (2, 4))
    assert found[turn_2 + 2] == "    + elicited_by_sys_question: hotel area=east (turns 0, 2)"
    assert found[turn_4 + 2 : turn_4 + 4] == [
        "    · repeated_inform: hotel area=east (turns 0, 2, 4)",
        "    − unmatched: hotel area=east (turns 2, 4)",
    ]
    assert "+ counts as wanted   − does not   · a note" in found


def test_wrong_value_text() -> None:
    wanted = goal(hotel={"info": {"area": "east"}})
    found = shown(make_conversation(wanted, user("Hotel-Inform area=north"), system("")))
    assert "    − informed_wrong_value: hotel area=east, said area=north" in found


def test_end_of_dialogue() -> None:
    dialogue = make_conversation(HOTEL, user("Hotel-Inform area=east"), system(""))
    found = shown(replace(dialogue, cut=True))
    assert found[-2] == "the dialogue ended at its limit of turns"
    assert found[-1].startswith("verdict on what is missing: ")
    assert any(line.startswith("    ! lost by ") for line in found)
    perfect = make_conversation(goal(hotel={"info": {"area": "east"}}), user("Hotel-Inform area=east"), system(""))
    assert shown(perfect)[-1] == "    understood  hotel-inform area=east"


def test_text_cannot_break_page() -> None:
    dialogue = make_conversation(
        HOTEL, Move("user", "one\ntwo\x1b[2J", ()), system("Hotel-Inform name=a\nb"), name="a\nb"
    )
    for line in shown(dialogue):
        assert line.isprintable()
