"""Dialogues of the harbour town of Saltmere, and two trackers that listen in, of which measures think differently.

``steady`` hears most things, but what it misses it seldom catches up with, and it does not understand that a wish is taken
back. ``hasty`` hears everything, but takes an offer of the system for a wish of the user until the user has answered, mixes up
names that look alike, and has another spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from dialmeter.model import Dialogue, Turn
from dialmeter.readers.layouts.own import write

SEED = 20
DIALOGUES = 36

State = dict[str, str]

VALUES = {
    "inn-area": ["harbour", "old town", "north pier", "hillside"],
    "inn-price": ["cheap", "moderate", "dear"],
    "inn-people": ["1", "2", "3", "5"],
    "inn-stay": ["1", "2", "4"],
    "teahouse-food": ["scones", "fish soup", "apple cake", "rye bread"],
    "teahouse-area": ["harbour", "old town", "north pier", "hillside"],
    "teahouse-day": ["monday", "wednesday", "saturday"],
    "teahouse-time": ["11:15", "14:30", "16:00"],
    "ferry-from": ["saltmere", "gull island"],
    "ferry-to": ["port ash", "gull island", "lowick"],
    "ferry-day": ["tuesday", "friday", "sunday"],
    "ferry-leaveat": ["07:40", "12:05", "18:20"],
    "museum-type": ["ships", "lace", "salt-works"],
    "museum-area": ["harbour", "old town", "hillside"],
}
NAMES = {
    "inn": ["the blue anchor", "salt-and-tide inn", "lantern house"],
    "teahouse": ["kettle & crumb", "the old kiln", "half-moon tea room"],
    "museum": ["museum of knots", "lace-makers' hall", "the old kiln"],
}
MIXED_UP = {
    "the old kiln": "the old mill",
    "the blue anchor": "the blue angel",
    "gull island": "gill island",
    "14:30": "04:30",
}

WISHES = {
    "inn-area": ["I'd like to stay {by}.", "Somewhere {by} would be lovely."],
    "inn-price": ["It should be {}.", "We are looking for something {}."],
    "inn-people": ["There will be {} of us.", "A room for {}, please."],
    "inn-stay": ["For {} nights.", "We want to stay {} nights."],
    "teahouse-food": ["We are after {}.", "Is there a place with {}?"],
    "teahouse-area": ["It should be {by}.", "Something {by}, if possible."],
    "teahouse-day": ["On {}, please.", "We would come on {}."],
    "teahouse-time": ["Around {} would suit us.", "Let us say {}."],
    "ferry-from": ["I leave from {}.", "We start in {}."],
    "ferry-to": ["I need a ferry to {}.", "How do we get to {} by ferry?"],
    "ferry-day": ["I travel on {}.", "It is for {}."],
    "ferry-leaveat": ["It should leave after {}.", "Nothing before {}, please."],
    "museum-type": ["Is there a museum about {}?", "I am curious about {}."],
    "museum-area": ["One {by}, I mean.", "It should be {by}."],
}
PLACES = {
    "harbour": "by the harbour",
    "old town": "in the old town",
    "north pier": "at the north pier",
    "hillside": "on the hillside",
}
OPENINGS = {
    "inn": "I need a bed in Saltmere.",
    "teahouse": "I am hungry.",
    "ferry": "I want to cross.",
    "museum": "It rains.",
}
ASKS = [
    "Certainly. Anything else I should know?",
    "I see. What else matters to you?",
    "Noted. Go on.",
    "Of course. Do you have other wishes?",
]


class Event(NamedTuple):
    """What happens at one user turn: what is said, and what gold holds afterwards; what the system offered before it."""

    system: str
    user: str
    gold: State
    offered: State


def said(slot: str, value: str, rng: Random) -> str:
    return rng.choice(WISHES[slot]).format(value, by=PLACES.get(value, value))


def events(rng: Random) -> list[Event]:
    """The plot of one dialogue: wishes in one or two domains, an offer that is taken or not, a change of mind."""
    domains = rng.sample(["inn", "teahouse", "ferry", "museum"], rng.choice([1, 2, 2]))
    gold: State = {}
    plot: list[Event] = []
    system = ""
    offered: State = {}
    for domain in domains:
        slots = [slot for slot in VALUES if slot.startswith(domain)]
        wanted = rng.sample(slots, min(len(slots), rng.choice([2, 3, 3])))
        for number, slot in enumerate(wanted):
            value = rng.choice(VALUES[slot])
            words = said(slot, value, rng)
            if slot.endswith("price") and rng.random() < 0.4:
                value, words = "cheap|moderate", "Cheap or moderate, either is fine."
            elif slot.endswith(("area", "price")) and rng.random() < 0.25:
                value, words = "dontcare", f"The {slot.partition('-')[2]} does not matter."
            gold = {**gold, slot: value}
            opening = f"{OPENINGS[domain]} " if number == 0 else ""
            plot.append(Event(system, opening + words, gold, offered))
            system, offered = rng.choice(ASKS), {}
        if domain in NAMES:
            name = rng.choice(NAMES[domain])
            system, offered = f"How about {name.title()}?", {f"{domain}-name": name}
            if rng.random() < 0.5:
                gold = {**gold, f"{domain}-name": name}
                plot.append(Event(system, "Yes, that sounds right.", gold, offered))
            else:
                plot.append(Event(system, "Rather not, thank you.", gold, offered))
            system, offered = rng.choice(ASKS), {}
        change = rng.choice([slot for slot in wanted if gold[slot] not in ("dontcare", "cheap|moderate")] or [""])
        if change and rng.random() < 0.35:
            value = rng.choice([value for value in VALUES[change] if value != gold[change]])
            gold = {**gold, change: value}
            plot.append(Event(system, f"Wait, I have changed my mind. {said(change, value, rng)}", gold, offered))
        elif change and rng.random() < 0.3:
            gold = {slot: value for slot, value in gold.items() if slot != change}
            plot.append(Event(system, f"Forget what I said about the {change.partition('-')[2]}.", gold, offered))
        system = rng.choice(ASKS)
    plot.append(Event(system, rng.choice(["No, that is all. Thank you.", "That was it, goodbye."]), gold, {}))
    return plot


def one_of(value: str) -> str:
    """What a tracker says where either of two values is right."""
    return value.rpartition("|")[2]


def steady(plot: list[Event], rng: Random) -> list[State]:
    """Misses some wishes, mostly early and for good; keeps what is taken back."""
    state: State = {}
    missed: set[str] = set()
    states = []
    for number, event in enumerate(plot):
        for slot, value in event.gold.items():
            if state.get(slot) == one_of(value) or slot in missed:
                continue
            if slot not in state and rng.random() < (0.3 if number < 2 else 0.04):
                missed.add(slot)
            else:
                state = {**state, slot: one_of(value)}
        caught = {slot for slot in missed if rng.random() < 0.06}
        missed -= caught
        states.append(state)
    return states


def hasty(plot: list[Event], rng: Random) -> list[State]:
    """Takes offers for wishes for one turn, mixes up names, writes in its own way; hears that a wish is taken back."""
    states = []
    for number, event in enumerate(plot):
        state = {slot: _own_spelling(one_of(value), rng) for slot, value in event.gold.items()}
        for slot, value in event.gold.items():
            if value in MIXED_UP and Random(f"{slot}{value}").random() < 0.5:
                state[slot] = MIXED_UP[value]
        state |= {slot: value for slot, value in event.offered.items() if slot not in event.gold}
        if number + 1 < len(plot) and rng.random() < 0.16:
            ahead = {slot: one_of(value) for slot, value in plot[number + 1].gold.items() if slot not in state}
            state |= ahead or {"ferry-day": "friday"} if "ferry-day" not in state else ahead
        if rng.random() < 0.2:
            state.setdefault("inn-stay", "none")
        states.append(state)
    return states


def _own_spelling(value: str, rng: Random) -> str:
    if value == "dontcare":
        return rng.choice(["dontcare", "do not care", "don't care"])
    return rng.choice([value, value, value.title(), value.replace(" ", "  ")])


TRACKERS: dict[str, Callable[[list[Event], Random], list[State]]] = {"steady": steady, "hasty": hasty}


def dialogues(tracker: str) -> list[Dialogue]:
    """All dialogues as one tracker heard them."""
    found = []
    for number in range(DIALOGUES):
        plot = events(Random(f"{SEED} {number}"))
        heard = TRACKERS[tracker](plot, Random(f"{SEED} {number} {tracker}"))
        turns = [
            Turn(position, gold=event.gold, pred=state, user=event.user, system=event.system)
            for position, (event, state) in enumerate(zip(plot, heard, strict=True))
        ]
        found.append(Dialogue(f"saltmere-{number:02d}", tuple(turns)))
    return found


def written(tracker: str, folder: Path) -> Path:
    """The file of a tracker, made in a folder."""
    path = folder / f"{tracker}.jsonl"
    with open(path, "wb") as file:
        write(dialogues(tracker), file)
    return path
