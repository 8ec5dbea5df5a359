"""The agenda user and the rule system, move by move."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.model import Act, Conversation, DomainGoal, Goal
from dialmeter.simulation.bots import Kind, choose, registry
from dialmeter.simulation.bots.agenda import Agenda, AgendaItem, AgendaUser, UserDials
from dialmeter.simulation.bots.rule_system import RuleSystem, SystemDials
from dialmeter.simulation.grammar import act
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.simulation.world import town


def acts(text: str) -> list[Act]:
    """Parse acts such as ``hotel inform area=north stars=4, hotel request phone``; an underscore is a blank."""
    found = []
    for part in filter(None, text.split(", ")):
        service, intent, *slots = part.split(" ")
        pairs = [slot.replace("_", " ").partition("=")[::2] for slot in slots] or [("", "")]
        found += [act(service, intent, *pair) for pair in pairs]
    return found


def user(goal: Goal, **dials: float) -> AgendaUser:
    found = AgendaUser(UserDials(**{"verbosity": 9, **dials}), town(), Random(1))  # type: ignore[arg-type]
    found.start(goal)
    return found


def system(**dials: float) -> RuleSystem:
    return RuleSystem(SystemDials(**dials), town(), Random(1))  # type: ignore[arg-type]


HOTEL: Goal = {
    "hotel": DomainGoal(
        info={"area": "north", "stars": "4"},
        fail_info={"area": "north", "stars": "5"},
        book={"day": "friday", "people": "2", "stay": "1"},
        fail_book={"day": "monday", "people": "2", "stay": "1"},
    )
}  # fmt: skip
PHONE: Goal = {"hotel": DomainGoal(info={"stars": "4"}, requests=("phone",))}
TRAIN: Goal = {"train": DomainGoal(info={"day": "friday", "arriveby": "12:00"}, requests=("price",))}
NORTH: Goal = {"hotel": DomainGoal(info={"stars": "4", "area": "north"}, requests=("phone",))}
AREA: Goal = {"hotel": DomainGoal(info={"stars": "4"}, requests=("area",))}
LINKED: Goal = {
    **PHONE,
    "attraction": DomainGoal(info={"type": "park"}, requests=("phone",)),
    "taxi": DomainGoal(info={"leaveat": "09:15"}, requests=("car type",)),
}
ANY = "*"
Turns = list[tuple[str, str]]
USERS: dict[str, tuple[Goal, dict[str, float], Turns]] = {
    "second wish after a failure": (HOTEL, {}, [
        ("", "hotel inform stars=5 area=north"),
        ("hotel nooffer area=north stars=5", "hotel inform stars=4"),
        ("hotel recommend name=otter_house stars=4", "hotel inform day=monday people=2 stay=1"),
        ("booking nobook day=monday", "hotel inform day=friday"),
        ("booking book ref=abc", "general thank, general bye"),
    ]),
    "corrections of misunderstandings": (HOTEL, {}, [
        ("", ANY),
        ("hotel nooffer area=south type=hostel", "hotel inform area=north type=dontcare"),
        ("hotel recommend name=otter_house stars=3", "hotel inform stars=5"),
    ]),
    "questions are answered first": (TRAIN, {"verbosity": 1}, [
        ("", ANY),
        ("train request leaveat", "train inform arriveby=12:00"),
        ("train request departure", "train inform departure=dontcare"),
    ]),
    "a question for a requested slot": (AREA, {}, [
        ("", ANY),
        ("hotel request area", "hotel inform area=dontcare"),
        ("hotel recommend name=a", "hotel request area"),
    ]),
    "one of two is chosen": (PHONE, {}, [("", ANY), ("hotel select name=a name=b", "hotel inform name=a")]),
    "patience ends": (PHONE, {"patience": 2}, [
        ("", "hotel inform stars=4"),
        ("general reqmore", "hotel inform stars=4"),
        ("general reqmore", "hotel inform stars=4"),
        ("general reqmore", "general thank, general bye"),
    ]),
    "a linked taxi": (LINKED, {}, [
        ("", ANY),
        ("hotel recommend name=otter_house", ANY),
        ("hotel inform phone=1", ANY),
        ("attraction recommend name=copper_park", ANY),
        ("attraction inform phone=1", "taxi inform departure=otter_house destination=copper_park leaveat=09:15"),
    ]),
    "an answer for another offer": (NORTH, {"verbosity": 1}, [
        ("", ANY),
        ("hotel recommend name=a, hotel inform phone=1", ANY),
        ("hotel recommend name=b", "hotel request phone"),
    ]),
}  # fmt: skip
SYSTEMS: dict[str, tuple[dict[str, float], Turns]] = {
    "nothing found": ({}, [("restaurant inform food=martian area=dontcare", "restaurant nooffer food=martian")]),
    "needed slots": ({}, [
        ("train inform day=friday", "train request departure"),
        ("taxi inform departure=a destination=b", "taxi request leaveat"),
    ]),
    "stubborn": ({"stubbornness": 1.0}, [("hotel inform name={hotel}", "hotel request name")]),
    "failing": ({"failures": 1.0}, [
        ("restaurant inform name={restaurant}", ANY),
        ("restaurant inform day=friday people=2 time=18:00", "booking nobook"),
        ("restaurant request phone", "general reqmore"),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", [*USERS, *SYSTEMS])
def test_turns(name: str) -> None:
    bot: AgendaUser | RuleSystem
    if name in USERS:
        goal, dials, turns = USERS[name]
        bot = user(goal, **dials)
    else:
        dials, turns = SYSTEMS[name]
        bot = system(**dials)
    first = {domain: town().tables[domain][0]["name"].replace(" ", "_") for domain in ("hotel", "restaurant")}
    for said, expected in turns:
        reply = bot.reply(acts(said.format(**first)), "").acts
        assert expected == ANY or list(reply or ()) == acts(expected)
        assert bot.done() == ("bye" in expected)


def test_agents_help_and_dials() -> None:
    members, notices = registry.loaded()
    assert not notices
    assert all(isinstance(kind, Kind) and kind.about and "\n" not in kind.about for kind in members.values())
    assert {kind.role for kind in members.values()} == {"user", "system"}


def test_items_are_said_once_per_turn() -> None:
    north, east, stars = (
        AgendaItem("search", "hotel", *pair) for pair in (("area", "north"), ("area", "east"), ("stars", "4"))
    )
    agenda = Agenda([AgendaItem("bye"), north, stars])
    agenda.push([north])
    assert [item.slot for item in agenda.pop(9)] == ["area", "stars"]
    assert agenda.top.stage == "bye"
    assert Agenda([AgendaItem("bye"), north, east]).pop(9) == [east]


@pytest.mark.parametrize("intent", ["recommend", "select"])
def test_system_offers(intent: str) -> None:
    desk = system(choice=float(intent == "select"))
    wanted = {"area": "west", "type": "hostel", "pricerange": "cheap"}
    said = desk.reply([act("hotel", "inform", *pair) for pair in wanted.items()], "").acts or ()
    rows = town().search("hotel", wanted)
    assert len(rows) == 2
    names = [each.values[0] for each in said if each.slot == "name"]
    assert names == [row["name"] for row in rows][: len(names)]
    assert {each.name for each in said if each.slot == "name"} == {f"Hotel-{intent.capitalize()}"}


def test_bookings_by_system() -> None:
    desk = system()
    row = next(row for row in town().tables["hotel"] if row["full"] == "monday")
    desk.reply([act("hotel", "inform", "name", row["name"])], "")
    details = {"day": "monday", "people": "2"}
    asked = desk.reply([act("hotel", "inform", *pair) for pair in details.items()], "")
    assert list(asked.acts or ()) == acts("booking request stay")
    assert list(desk.reply(acts("hotel inform stay=1"), "").acts or ()) == acts("booking nobook day=monday")
    [booked] = desk.reply(acts("hotel inform day=tuesday"), "").acts or ()
    assert (booked.name, booked.slot) == ("Booking-Book", "ref")
    again = desk.reply(acts("hotel request ref"), "")
    assert list(again.acts or ()) == [act("hotel", "inform", "ref", *booked.values)]


def test_eager_system() -> None:
    name = town().tables["hotel"][0]["name"]
    told = system(eagerness=1.0).reply([act("hotel", "inform", "name", name)], "").acts or ()
    assert len([each for each in told if each.name == "Hotel-Inform"]) == 2


HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def talk(user: str, system: str) -> Conversation:
    setting = Setting(choose(user, "user"), choose(system, "system"), seed=7, max_turns=4)
    return next(play(sampled(1, 7), setting))


def test_a_system() -> None:
    found = talk("agenda", "foreign_agents:Parrot")
    names = {(act.name, act.slot, *act.values) for move in found.moves[1::2] for act in move.acts or ()}
    assert ("Hotel-Recommend", "name", "otter house") in names
    assert "Otter House" in found.moves[1].text
    assert found.moves[2].understood == found.moves[1].acts


def test_a_user_gets_its_goal_and_says_when_it_is_done() -> None:
    found = talk("foreign_agents:ShortUser", "rule")
    goal = next(iter((found.goal or {}).items()))
    said = (found.moves[0].acts or ())[0]
    assert (said.service, said.values[0]) == (goal[0], goal[1].info[said.slot])
    assert len(found.moves) == 4
    assert not found.cut


def test_text_is_read() -> None:
    found = talk("agenda", "foreign_agents:Talker")
    acts = found.moves[1].acts or ()
    assert [(act.name, act.values) for act in acts] == [("Restaurant-Recommend", ("brass plate",))]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "foreign_agents:Broken",
            "dialogue town-7-0000: bot foreign_agents:Broken failed in response: ZeroDivisionError: by nothing",
        ),
        (
            "foreign_agents:Wordless",
            "answered {'not': 'acts'}; expected text or a list of [intent, domain, slot, value]",
        ),
        ("foreign_agents:Unwilling", "bot foreign_agents:Unwilling has no response"),
        ("foreign_agents:Nobody", "cannot be loaded: AttributeError"),
        ("no_such_module:Bot", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_agents_that_do_not_work(name: str, message: str) -> None:
    with pytest.raises(DialmeterError) as refused:
        talk("agenda", name)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_dials() -> None:
    with pytest.raises(DialmeterError, match="it has no dials"):
        choose("foreign_agents:Parrot(patience=2)", "system")
