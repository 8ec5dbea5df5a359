"""Small random files in the formats of seven published scorers, with the oddities of such files."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Json = Any

SPELLINGS = {
    "hotel": (
        *("area", "Area", "stars", "name", "type"),
        *("parking", "internet", "book people", "bookpeople", "people"),
    ),
    "Hotel": ("area", "name"),
    "train": (
        *("leaveAt", "leave at", "leave", "LEAVE", "leave_at"),
        *("arriveBy", "arrive by", "arrive", "day", "book day"),
    ),
    "restaurant": ("food", "time", "booktime", "book time", "name", "pricerange", "Price Range"),
    "taxi": ("departure", "destination", "leaveat", "leave\tat"),
    "police": (),
}
VALUES = (
    *("east", "East", " east", "east ", "e a s t", "EAST", "", " ", "  ", "|", "a|b", "b|a", "x|", "|x"),
    *("a | B", "a", "b", "none", "None", "NONE", "not mentioned", "dontcare", "dont care", "don't care"),
    *("do n't care", "Dontcare", "?", "1", "11", "one", "two", "2", "11:15", "x-y", "x-z", "a-b-c", "-"),
    *("x--y", "x\ty", "x\xa0y", "İstanbul", "straße", "café", "ﬁsh", "10", "ten", "nine", "NINE", " one"),
    *("hotel one", "[x]", "a,b", "a;b", "null", "\n", "free", "Free", "a||b", "||", "| |", "\x1f", "x\x1cy"),
    *("xy", "\u200b", "\u3000", "ß", "SS", "ΑΣ", "ας", "\u2028", "\x85"),
)
NAMES = (
    *("acorn house", " Acorn House ", "a & b guest house", "a&b guest house", "christ 's college", "nando's"),
    *("nandos", "the cambridge belfry", "belfry", "lan hong house", "ian hong house", "restaurant 2 2"),
    *("hotel du vin bistro", "guest house", "guesthouse", "Guest House", "swimming pool", "brazilian"),
    *("portuguese", " English", "british", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyq"),
    *("multiple sports", "mutliple sports"),
)
TIMES = (
    *("17:15", "5:15pm", "5:15 p.m.", "5 pm", "5pm", "1715", "9", "09", "9am", "9 a.m.", "09 : 15", "1:5"),
    *("1:5:", "a:bc", "12:30 pm", "24:30", "by 17:15", "by17:15", "after 5", "after9:30", "afer 10:00", "noon"),
    *("mid-day", "lunch", "pm", "", ".", "17:15??", "17:15?", "17.15", "one o'clock p.m tomorrow"),
    *("ten o'clock a.m", "eight Thirty", "13:00", "x pm", "at 2:04 pm", "a:1 pm", "00:00", "5 :30 pm", "+1:3"),
    *("²", "12:00", "morning", "am", "by", "after", "5: 30pm"),
)


def value(random: Random) -> str:
    return random.choice(random.choice((VALUES, NAMES, TIMES, VALUES)))


def noisy(random: Random, text: str) -> str:
    """The same, another spelling of it, or a damaged one."""
    place = random.randrange(len(text) + 1)
    changes: Sequence[Callable[[], str]] = (
        text.upper,
        lambda: text + " ",
        lambda: f" {text}",
        lambda: text[:place] + text[place + 1 :],
        lambda: text[:place] + random.choice("ae'| -") + text[place:],
        lambda: f"q|{text}",
        text.title,
        lambda: value(random),
    )
    return random.choice(changes)()


def grow(random: Random, state: Json) -> Json:
    """The next gold state: slots come, change and go."""
    state = copy.deepcopy(state)
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        domain = random.choice(list(SPELLINGS))
        slots = state.setdefault(domain, {})
        if SPELLINGS[domain]:
            slots[random.choice(SPELLINGS[domain])] = value(random)
    for domain in list(state):
        if random.random() < 0.05:
            del state[domain]
        elif state[domain] and random.random() < 0.1:
            del state[domain][random.choice(list(state[domain]))]
    return state


def predict(random: Random, gold: Json, rate: float = 0.12) -> Json:
    """A prediction: gold with slots lost, invented, renamed, respelled and moved to the end."""
    state: Json = {}
    domains = list(gold)
    if random.random() < 0.2:
        random.shuffle(domains)
    for domain in domains:
        if random.random() < rate / 3:
            continue
        slots = state.setdefault(domain, {})
        for slot, held in gold[domain].items():
            luck = random.random()
            if luck < rate / 2:
                continue
            if luck < rate:
                slots[random.choice((slot.upper(), slot.replace(" ", ""), *SPELLINGS.get(domain, ())))] = held
            else:
                slots[slot] = noisy(random, held) if luck < 2 * rate else held
    if random.random() < rate:
        slots = state.setdefault(random.choice(("hotel", "bus", "train", "police")), {})
        slots[random.choice(("day", "area"))] = value(random)
    return state


def mwzeval(random: Random) -> tuple[Json, Json]:
    """Gold and predictions by dialogue; some dialogues and last turns have no prediction."""
    gold: Json = {}
    pred: Json = {}
    for number in range(random.randint(3, 8)):
        name = f"mul{number:04}"
        state: Json = {}
        gold[name] = []
        for _ in range(random.randint(1, 5)):
            state = grow(random, state)
            gold[name].append({"response": "", "state": state})
        said = len(gold[name]) - (random.random() < 0.2)
        if said and (not pred or random.random() < 0.9):
            pred[name] = [{"response": "", "state": predict(random, turn["state"])} for turn in gold[name][:said]]
    return gold, pred


def multiwoz22(random: Random, gold: Json) -> Json:
    """Gold of `mwzeval` in the layout of MultiWOZ 2.2, with further values and trailing user turns."""
    dialogues = []
    for name, states in gold.items():
        turns: list[Json] = []
        for turn in states:
            frames = [
                {
                    "service": domain,
                    "slots": [],
                    "state": {
                        "active_intent": "",
                        "requested_slots": [],
                        "slot_values": {
                            f"{domain}-{slot}": [held, *random.sample(VALUES, random.choice((0, 0, 0, 1, 2)))]
                            for slot, held in slots.items()
                        },
                    },
                }
                for domain, slots in turn["state"].items()
            ]
            turns.append({"turn_id": str(len(turns)), "speaker": "USER", "utterance": "u", "frames": frames})
            turns.append({"turn_id": str(len(turns)), "speaker": "SYSTEM", "utterance": "s", "frames": []})
        if random.random() < 0.3:
            turns.append({**turns[-2], "turn_id": str(len(turns))})
        dialogues.append({"dialogue_id": f"{name.upper()}.json", "services": [], "turns": turns})
    return dialogues


def convlab3(random: Random) -> Json:
    """Turns of some dialogues, in any order; gold names slots without a value too."""
    rows = []
    for number in range(random.randint(3, 8)):
        state: Json = {domain: dict.fromkeys(slots, "") for domain, slots in SPELLINGS.items() if random.random() < 0.8}
        for turn in range(random.randint(1, 4)):
            state = grow(random, state)
            row = {
                "dialogue_id": f"d-{number}",
                "utt_idx": 2 * turn,
                "speaker": "user",
                "utterance": "u",
                "state": state,
            }
            rows.append({**row, "predictions": {"state": predict(random, state)}})
    if random.random() < 0.3:
        random.shuffle(rows)
    return rows


def t5_text(random: Random) -> Json:
    """Lines with both states as text, whole and damaged."""

    def text(state: Json) -> str:
        domains = (
            f"[{domain}]({','.join(f'[{slot}][{held}]' for slot, held in slots.items())})"
            for domain, slots in state.items()
            if slots
        )
        return ";".join(domains)

    rows = []
    for _ in range(random.randint(5, 20)):
        state = grow(random, grow(random, {}))
        gold = text(state)
        said = gold if random.random() < 0.4 else text(predict(random, state))
        for _ in range(random.choice((0, 0, 1, 2))):
            place = random.randrange(len(said) + 1)
            scrap = random.choice(("]);[", "]([", " ", "][", "],[", "[", "])", "(", ";", "x"))
            said = random.choice((said[:place], said[place:], said[:place] + scrap + said[place:], f"{said};{said}"))
        rows.append({"predictions": said, "state_seq": gold})
    return rows


DSTC10_SLOTS = (
    *("people", "day", "time", "food", "pricerange", "name", "area", "rooms", "stay", "stars", "type"),
    *("parking",),
)
DSTC10_VALUES = (
    *("one", "One", "ONE", "1", " one", "two", "TWO", "2", "nine", "9", "ten", "10", "hotel one", "hotel 1"),
    *("", " ", "x", "X", "zuni cafe", "Zuni Cafe", " zuni cafe", "none", "dontcare", "don't care", "a|b", "a"),
    *("three", "3", "ıx", "İ"),
)


def dstc10(random: Random) -> tuple[Json, Json]:
    """Instances with lists of values, empty ones too, in and beyond the cells that are looked at."""

    def values() -> list[str]:
        return random.choices(DSTC10_VALUES, k=random.choice((0, 1, 1, 1, 1, 2, 2, 3)))

    def damaged(held: list[str]) -> list[str]:
        changes = (
            *(held, held, held, held, held + held[:1], held[1:], held[::-1], values(), held + values()),
            [text.upper() for text in held],
        )
        return random.choice(changes)

    gold, pred = [], []
    for _ in range(random.randint(3, 12)):
        held: Json = {}
        for _ in range(random.choice((0, 1, 2, 3, 5, 8))):
            domain, section = (
                random.choice(("restaurant", "hotel", "attraction", "taxi")),
                random.choice(("book", "semi")),
            )
            held.setdefault(domain, {}).setdefault(section, {})[random.choice(DSTC10_SLOTS)] = values()
        told = {
            domain: {
                section: {slot: damaged(each) for slot, each in slots.items() if random.random() < 0.9}
                for section, slots in sections.items()
                if random.random() < 0.95
            }
            for domain, sections in held.items()
        }
        if random.random() < 0.2:
            slots = told.setdefault("hotel", {}).setdefault(random.choice(("book", "semi")), {})
            slots[random.choice(DSTC10_SLOTS)] = values()
        gold.append(held)
        pred.append(told)
    gold[0].setdefault("hotel", {}).setdefault("semi", {})["area"] = ["east"]
    return gold, pred


SCHEMA = {
    "Hotels_1": {"area": True, "stars": True, "hotel_name": False, "leave_at": False, "has_wifi": True},
    "Hotels_2": {"where_to": False, "people": True, "book_people": True, "bookpeople": False},
    "Weather_1": {"city": False, "date": False},
    "Locks_1": {"locked": True, "door": True},
    "Empty_1": {},
    "Empty_2": {},
    "Rides_One_2": {"to": False},
}
CATEGORIES = ("True", "False", "true", "TRUE", "dontcare", "A", "a", "b", "2", "", " ", "2 ")
PHRASES = (
    *("Zuni Cafe", "zuni cafe", "cafe, zuni!", "Café Zuni", "Caf Zuni", "New York", "York, New"),
    *("new york city", "a_b", "a b", "AB", "!!", "?", "", " ", "ünal ﬁsh", "nal ﬁsh", "l'Étoile", "5:30 pm"),
    *("half past 5 in the evening", "dontcare", "8th", "March 8th", "8th of march"),
    *("one two three four five six", "six five four three two", "abcdefgh", "abcdexyz", "x"),
)


def sgd(random: Random) -> tuple[Json, Json, Json]:
    """Schema, gold and predictions; some dialogues and last turns have no prediction."""
    schema = [
        {
            "service_name": name,
            "description": "",
            "slots": [
                {
                    "name": slot,
                    "description": "",
                    "is_categorical": kind,
                    "possible_values": list(CATEGORIES) if kind else [],
                }
                for slot, kind in slots.items()
            ],
            "intents": [],
        }
        for name, slots in SCHEMA.items()
    ]

    def values(kind: bool) -> list[str]:
        return random.sample(CATEGORIES if kind else PHRASES, random.choice((1, 1, 2, 3)))

    def requested() -> list[str]:
        return random.choices(("a", "b", "area"), k=random.choice((0, 0, 1, 2, 3)))

    gold: list[Json] = []
    pred: list[Json] = []
    for number in range(random.randint(3, 8)):
        services = random.sample(list(SCHEMA), random.randint(1, 3))
        held_turns: list[Json] = []
        told_turns: list[Json] = []
        states: dict[str, Json] = {}
        for turn in range(random.randint(1, 4)):
            frames, predicted = [], []
            for service in random.sample(services, random.randint(1, len(services))):
                slots = states.setdefault(service, {})
                for slot, kind in {**SCHEMA[service], "beyond": False}.items():
                    if random.random() < 0.3:
                        slots[slot] = values(kind)
                intent = random.choice(("Find", "Book", "NONE"))
                asked = requested()
                state = {"active_intent": intent, "requested_slots": asked, "slot_values": dict(slots)}
                frames.append({"service": service, "slots": [], "state": state})
                told = {
                    slot: each
                    if random.random() < 0.75
                    else random.choice((each[::-1], values(False), [each[0].upper()]))
                    for slot, each in slots.items()
                    if random.random() < 0.93
                }
                for slot in (*SCHEMA[service], "not_in_schema"):
                    if random.random() < 0.05:
                        told[slot] = values(False)
                state = {
                    "active_intent": random.choice((intent, intent, intent.lower(), "Find")),
                    "requested_slots": random.choice((asked, asked, asked[::-1], requested())),
                    "slot_values": told,
                }
                predicted.append({"service": service, "state": state})
            if random.random() < 0.3:
                random.shuffle(predicted)
            held_turns.append({"speaker": "USER", "utterance": f"u{turn}", "frames": frames})
            told_turns.append({"speaker": "USER", "utterance": f"u{turn}", "frames": predicted})
            for turns in (held_turns, told_turns):
                turns.append({"speaker": "SYSTEM", "utterance": "s", "frames": []})
        dialogue = {"dialogue_id": f"1_{number:05}", "services": sorted(services)}
        gold.append({**dialogue, "turns": held_turns})
        if not pred or random.random() < 0.9:
            pred.append({**dialogue, "turns": told_turns[: -2 if random.random() < 0.1 else None] or told_turns})
    return schema, gold, pred


def trade(random: Random) -> Json:
    """Lists of domain-slot-value, with repeated members."""

    def glued(state: Json) -> list[str]:
        texts = [f"{domain}-{slot}-{held}" for domain, slots in state.items() for slot, held in slots.items()]
        return texts + (random.choices(texts, k=random.choice((0, 0, 1, 2))) if texts else [])

    file = {}
    for number in range(random.randint(3, 8)):
        state: Json = {}
        turns = {}
        for turn in range(random.randint(1, 6)):
            state = grow(random, state)
            gold = glued(state)
            pred = list(gold) if random.random() < 0.4 else glued(predict(random, state))
            random.shuffle(pred)
            turns[str(turn)] = {"turn_belief": gold, "pred_bs_ptr": pred}
        file[f"MUL{number:04}.json"] = turns
    return file


def nested(random: Random) -> Json:
    """Gold and predicted states by dialogue and turn number, with gaps between the numbers."""
    file = {}
    for dialogue in range(random.randint(3, 8)):
        state: Json = {}
        pred: Json = {}
        turns = {}
        for number in numbers(random):
            last, state = state, grow(random, state)
            if random.random() < 0.5:  # keep the mistakes, follow the changes
                for domain, slots in state.items():
                    for slot, held in slots.items():
                        if last.get(domain, {}).get(slot) != held:
                            pred = {**pred, domain: {**pred.get(domain, {}), slot: held}}
            else:
                pred = predict(random, state)
            turns[str(number)] = {"gt": state, "pr": pred}
        file[f"MUL{dialogue:04}.json"] = turns
    return file


def vectors(random: Random) -> Json:
    """Which of 30 slots are right, by dialogue and turn number."""
    file = {}
    for dialogue in range(random.randint(3, 8)):
        wrong: set[int] = set()
        turns = {}
        for number in numbers(random):
            if random.random() < 0.5:
                wrong = set(random.sample(range(30), random.choice((0, 0, 1, 1, 2, 3))))
            turns[str(number)] = [int(place not in wrong) for place in range(30)]
        file[f"MUL{dialogue:04}.json" if dialogue else "PMUL1455.json"] = turns
    return file


def numbers(random: Random) -> list[int]:
    return [0, *sorted(random.sample(range(1, 12), random.randint(0, 6)))]
