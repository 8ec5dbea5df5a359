"""Twenty invented dialogues with everything in which formats differ: deletions, dontcare, hyphens, alternatives, empty turns."""

from __future__ import annotations

import random

from msgspec import structs

from dialmeter.model import Dialogue, State, Turn, Value

VALUES: dict[str, tuple[Value, ...]] = {
    "hotel-area": ("east", "north", ("centre", "city centre"), "dontcare"),
    "hotel-name": ("a-and-b guest house", "Alpha-Milton", "the - cambridge - belfry", ("acorn", "acorn guest house")),
    "hotel-stars": ("3", "4", "dontcare"),
    "hotel-people": ("1", "2"),
    "restaurant-food": ("asian-oriental", "Thai", "dontcare"),
    "restaurant-time": (("18:00", "6 pm"), "19:15", "twenty-past-seven"),
    "restaurant-pricerange": ("cheap", "dontcare", "moderate"),
    "train-leaveat": ("17:15", "05:00-06:00"),
    "train-destination": ("Cambridge", "stansted-airport", ("london", "london kings cross")),
    "taxi-arriveby": ("09:30", ("noon", "12:00")),
}


def talks() -> list[Dialogue]:
    """The dialogues, the same every time."""
    draw = random.Random(20)
    return [Dialogue(f"MUL{number:04}.json", tuple(_turns(draw))) for number in range(20)]


def without_deletions(dialogues: list[Dialogue]) -> list[Dialogue]:
    """The same dialogues without deletions: a filled slot stays filled."""
    kept = []
    for each in dialogues:
        gold: State = {}
        pred: State = {}
        turns = []
        for turn in each.turns:
            gold, pred = {**gold, **(turn.gold or {})}, {**pred, **(turn.pred or {})}
            turns.append(Turn(turn.number, gold=gold, pred=pred, user=turn.user, system=turn.system))
        kept.append(Dialogue(each.id, tuple(turns)))
    return kept


def of_one_turn(dialogues: list[Dialogue]) -> list[Dialogue]:
    """Every turn as a separate dialogue whose id is its position."""
    turns = [Turn(0, gold=turn.gold, pred=turn.pred) for each in dialogues for turn in each.turns]
    return [Dialogue(str(place), (turn,)) for place, turn in enumerate(turns)]


def without_alternatives(dialogues: list[Dialogue]) -> list[Dialogue]:
    """The same dialogues, in which gold has only the first of several values."""
    return [Dialogue(each.id, tuple(map(_with_first_values, each.turns))) for each in dialogues]


def _with_first_values(turn: Turn) -> Turn:
    return structs.replace(turn, gold={slot: _spoken(value)[0] for slot, value in (turn.gold or {}).items()})


def _turns(draw: random.Random) -> list[Turn]:
    gold: dict[str, Value] = {}
    pred: dict[str, Value] = {}
    turns = []
    opens_empty = draw.random() < 0.3
    for number in range(draw.randint(1, 8)):
        if number or not opens_empty:
            before = dict(gold)
            _speak(draw, gold)
            _track(draw, before, gold, pred)
        said = f'{number}: a-z, "quoted", café, it\'s {{fine}}'
        turns.append(
            Turn(number, gold=dict(gold), pred=dict(pred), user=said, system=f"heard {number}" if number else "")
        )
    return turns


def _speak(draw: random.Random, gold: dict[str, Value]) -> None:
    """The user fills or changes up to three slots, and sometimes deletes one."""
    for slot in draw.sample(sorted(VALUES), draw.randint(0, 3)):
        gold[slot] = draw.choice(VALUES[slot])
    if gold and draw.random() < 0.25:
        del gold[draw.choice(sorted(gold))]


def _track(draw: random.Random, before: dict[str, Value], gold: dict[str, Value], pred: dict[str, Value]) -> None:
    """The tracker is mostly right. It sometimes misses, confuses or invents values, and misses deletions."""
    for slot in sorted(before.keys() | gold.keys()):
        if before.get(slot) == gold.get(slot) or draw.random() < 0.15:
            continue
        if slot in gold:
            pred[slot] = draw.choice(_spoken(gold[slot] if draw.random() < 0.8 else draw.choice(VALUES[slot])))
        elif draw.random() < 0.6:
            pred.pop(slot, None)
    if draw.random() < 0.1:
        slot = draw.choice(sorted(VALUES))
        pred[slot] = draw.choice(_spoken(VALUES[slot][0]))


def _spoken(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value
