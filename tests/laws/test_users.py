"""Laws of I-GCDF1 and R-GCDF1."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.users.events import DialogueOutcome, Parts
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap

from ..users.scoring import score_user
from .corpora import law

SLOTS = {
    "hotel": ("area", "stars", "people", "parking"),
    "restaurant": ("area", "food", "people", "time"),
    "train": ("day", "people", "leaveAt", "trainID"),
    "taxi": ("leaveAt", "departure"),
}
VALUES = ("1", "2", "Two", "centre", "Center")
REQUESTS = ("phone", "address", "ref", "price")
MAP = ValueMap(
    {slot: {"2": ["two"], "centre": ["center", "centre "]} for slot in ("area", "stars", "people", "leaveat")}
)
RULES = ("dialmeter", "gcdf1-repo")
Pair = tuple[str, str, str]
"""Domain, slot, value."""
Perfect = tuple[dict[str, DomainGoal], list[list[Act]]]
"""A goal, and what is said at each turn."""


@st.composite
def goals(draw: st.DrawFn) -> dict[str, DomainGoal]:
    wanted = {}
    for domain in draw(st.lists(st.sampled_from(sorted(SLOTS)), min_size=1, max_size=3, unique=True)):
        info = draw(st.dictionaries(st.sampled_from(SLOTS[domain]), st.sampled_from(VALUES), min_size=1))
        fail = draw(st.dictionaries(st.sampled_from(sorted(info)), st.sampled_from(VALUES), max_size=2))
        requests = draw(st.lists(st.sampled_from(REQUESTS), unique=True, max_size=2))
        wanted[domain] = DomainGoal(info=info, fail_info=fail, requests=tuple(requests))
    return wanted


def inform(domain: str, slot: str, value: str) -> Act:
    return Act(f"{domain.title()}-Inform", domain, slot, (value,))


def pairs(wanted: dict[str, DomainGoal]) -> list[Pair]:
    found = {
        (domain, slot, value.lower())
        for domain, inside in wanted.items()
        for part in (inside.info, inside.fail_info)
        for slot, value in part.items()
    }
    return sorted(found)


def spoken(wanted: dict[str, DomainGoal], said: Sequence[Sequence[Act]]) -> Conversation:
    """A dialogue in which a system listens and says nothing; all requests are made at the last turn."""
    moves = []
    asked = tuple(
        Act(f"{domain.title()}-Request", domain, slot, ("?",))
        for domain, each in wanted.items()
        for slot in each.requests
    )
    for place, acts in enumerate(said):
        last = asked if place == len(said) - 1 else ()
        moves += [Move(USER, "", (*acts, *last)), Move(SYSTEM, "", (), (*acts, *last))]
    return Conversation("d", tuple(moves), wanted)


@st.composite
def perfect(draw: st.DrawFn) -> Perfect:
    """A goal, and all of it said once, over some turns in any order."""
    wanted = draw(goals())
    order = draw(st.permutations(pairs(wanted)))
    turns = draw(st.integers(1, 4))
    said: list[list[Act]] = [[] for _ in range(turns)]
    for each in order:
        said[draw(st.integers(0, turns - 1))].append(inform(*each))
    return wanted, said


def outcome(talk: Conversation, rules: str) -> DialogueOutcome:
    return UserScorer(rules).add(talk)


@law
@given(perfect(), st.sampled_from(RULES))
def test_a_user_that_says_exactly_its_goal_scores_one(made: Perfect, rules: str) -> None:
    found = outcome(spoken(*made), rules)
    assert found.combined["I"] == Parts(1, 1, 1)
    assert found.combined["R"] in (Parts(1, 1, 1), None)
    for domain in (*found.inform.values(), *found.request.values()):
        assert domain.score in (Parts(1, 1, 1), None)
    assert not found.events


@law
@given(perfect(), st.data(), st.sampled_from(RULES))
def test_an_unwanted_constraint_lowers_precision_only(made: Perfect, data: st.DataObject, rules: str) -> None:
    wanted, said = made
    domain = data.draw(st.sampled_from(sorted(wanted)))
    slots = [slot for slot in (*SLOTS[domain], "name") if (domain, slot) != ("taxi", "departure")]
    unwanted = (domain, data.draw(st.sampled_from(slots)), data.draw(st.sampled_from(("1", "2", "other"))))
    assume(unwanted not in pairs(wanted))
    place = data.draw(st.integers(0, len(said) - 1))
    worse = [[*acts, *([inform(*unwanted)] if number == place else [])] for number, acts in enumerate(said)]
    found = outcome(spoken(wanted, worse), rules)
    for score in (found.combined["I"], found.inform[domain].score):
        assert score is not None
        assert score.precision < 1
        assert score.recall == 1
    assert found.combined["R"] in (Parts(1, 1, 1), None)
    assert all(each.score in (Parts(1, 1, 1), None) for name, each in found.inform.items() if name != domain)


@law
@given(perfect(), st.data(), st.sampled_from(RULES))
def test_a_dropped_constraint_lowers_recall_only(made: Perfect, data: st.DataObject, rules: str) -> None:
    wanted, said = made
    domain, slot, value = data.draw(st.sampled_from(pairs(wanted)))
    goal = wanted[domain]
    # The second choice of a slot is wanted only where the first fails.
    has_two = any(
        slot in fail and slot in main for fail, main in ((goal.fail_info, goal.info), (goal.fail_book, goal.book))
    )
    assume(rules != "dialmeter" or not has_two)
    worse = [[act for act in acts if act != inform(domain, slot, value)] for acts in said]
    found = outcome(spoken(wanted, worse), rules)
    for score in (found.combined["I"], found.inform[domain].score):
        assert score is not None
        assert score.precision == 1
        assert score.recall < 1
    assert found.combined["R"] in (Parts(1, 1, 1), None)
    assert all(each.score in (Parts(1, 1, 1), None) for name, each in found.inform.items() if name != domain)


ACTS = (
    "Inform",
    "Inform",
    "Request",
    "Recommend",
    "NoOffer",
    "Book",
    "OfferBook",
    "OfferBooked",
    "Select",
    "NoBook",
    "Sing",
)
BOOKING = ("Booking-Inform", "Booking-Book", "Booking-NoBook", "Booking-Request")


def some_acts(draw: random.Random, said_by: str) -> tuple[Act, ...]:
    found = []
    for _ in range(draw.randint(0, 4)):
        service = draw.choice([*SLOTS, "general", *(["booking"] if said_by == SYSTEM else [])])
        slot = draw.choice((*SLOTS.get(service, ("people", "ref")), "name", "choice", "ref", "phone", ""))
        values = tuple(draw.choices((*VALUES, "dontcare"), k=draw.choice((0, 1, 1, 2))))
        kind = draw.choice(ACTS if said_by == SYSTEM else ("Inform", "Inform", "Request"))
        name = draw.choice(BOOKING) if service == "booking" else f"{service.title()}-{kind}"
        found.append(Act(name, service, slot, values if slot else ()))
    return tuple(found)


def some_goal(draw: random.Random) -> dict[str, DomainGoal]:
    wanted = {}
    for domain in draw.sample(sorted(SLOTS), draw.randint(1, 3)):
        info = {slot: draw.choice(VALUES) for slot in draw.sample(SLOTS[domain], draw.randint(1, 2))}
        book = {"people": draw.choice(VALUES)} if draw.random() < 0.5 else {}
        wanted[domain] = DomainGoal(info=info, book=book, requests=tuple(draw.sample(REQUESTS, draw.randint(0, 2))))
    return wanted


def some_talks(seed: int) -> list[Conversation]:
    """Random dialogues with many repetitions. They are drawn from a seed, because so many single choices would be slow."""
    draw = random.Random(seed)
    found = []
    for number in range(draw.randint(1, 3)):
        moves = []
        for place in range(draw.randint(1, 12)):
            speaker = SYSTEM if place % 2 else USER
            heard = some_acts(draw, USER) if place % 2 and draw.random() < 0.7 else None
            text = draw.choice(("", "", "", "a taxi"))
            moves.append(Move(speaker, text, some_acts(draw, speaker), heard))
        found.append(Conversation(f"d{number}", tuple(moves), some_goal(draw)))
    return found


def conversations() -> st.SearchStrategy[list[Conversation]]:
    return st.integers(0, 10**9).map(some_talks)


def shuffled(talk: Conversation, draw: random.Random) -> Conversation:
    """The same with acts, goal domains and goal slots in another order."""

    def mixed(acts: tuple[Act, ...] | None) -> tuple[Act, ...] | None:
        return None if acts is None else tuple(draw.sample(acts, len(acts)))

    moves = [replace(move, acts=mixed(move.acts), understood=mixed(move.understood)) for move in talk.moves]
    wanted = {
        domain: replace(each, info=dict(reversed(each.info.items())), requests=each.requests[::-1])
        for domain, each in reversed((talk.goal or {}).items())
    }
    return replace(talk, moves=tuple(moves), goal=wanted)


@law
@given(conversations(), st.sampled_from(RULES), st.sampled_from((None, MAP)), st.integers(0, 9))
def test_order_does_not_matter(talks: list[Conversation], rules: str, values: ValueMap | None, seed: int) -> None:
    draw = random.Random(seed)
    one = score_user(talks, rules, value_map=values, resamples=50)
    other = score_user([shuffled(each, draw) for each in reversed(talks)], rules, value_map=values, resamples=50)
    assert one.to_dicts() == other.to_dicts()
    assert one.events == other.events
    assert one.notices == other.notices
    assert {each.id: each.events for each in one.outcomes} == {each.id: each.events for each in other.outcomes}


@law
@given(conversations(), st.sampled_from(RULES))
def test_parts_add_up_to_the_whole_and_scores_lie_between_zero_and_one(talks: list[Conversation], rules: str) -> None:
    whole, parts = UserScorer(rules), UserScorer(rules)
    for each in talks:
        whole.add(each)
        part = UserScorer(rules)
        part.add(each)
        parts.score_table.merge(part.score_table)
    assert whole.result().to_dicts() == parts.result().to_dicts()
    for score in whole.result().scores:
        assert score.value is None or 0 <= score.value <= 1
        assert score.n + score.unscored <= len(talks)


@law
@given(conversations(), st.sampled_from(RULES))
def test_everything_said_counts_and_only_excuses_are_added_to_the_goal(talks: list[Conversation], rules: str) -> None:
    for talk in talks:
        found = outcome(talk, rules)
        for domain, said in found.said.items():
            counted = Counter(found.inform[domain].counted)
            assert all(counted[each] >= len(turns) for each, turns in said.items())
        for domain, each in found.inform.items():
            wanted = (talk.goal or {}).get(domain, DomainGoal())
            goal = {f"{slot.lower()}={value.lower()}" for slot, value in (*wanted.info.items(), *wanted.book.items())}
            credited = {event.about for event in found.events if event.domain == domain and event.credited}
            assert set(each.wanted) <= goal | credited
