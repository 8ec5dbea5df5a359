"""What goes wrong with users on purpose, so that measures have something to find."""

from __future__ import annotations

from random import Random

from ..world.schema import DOMAINS
from ..world.value_map import goal_values
from .agenda import Item
from .wish import Wish

MOST_LOOPS = 4  # in a dialogue, so that it comes to an end
MOST_INVENTED = 2


def forget(wish: Wish, chance: float, rng: Random) -> None:
    """Forgets constraints, but never all of a domain, and half as many requests; a question reminds of a constraint."""
    slots = list(wish.search)
    forgotten = [slot for slot in slots if rng.random() < chance]
    if len(forgotten) == len(slots):
        forgotten = forgotten[1:]
    for slot in forgotten:
        wish.forgotten[slot] = wish.goal.info.get(slot, wish.search[slot])
        del wish.search[slot]
    wish.requests = [slot for slot in wish.requests if rng.random() >= chance / 2]


def invent(wish: Wish, chance: float, rng: Random) -> list[Item]:
    """Makes up constraints: for slots that the goal leaves free, else a wrong value before the right one.

    Returns:
        Wrong values, to be said before all else; those for free slots are part of the wish from now on.
    """
    slots = [slot for slot in DOMAINS[wish.domain].search if slot != "name"]
    free = [
        slot for slot in slots if slot not in wish.search and slot not in wish.goal.info and slot not in wish.forgotten
    ]
    if "name" in wish.search or wish.domain == "taxi":
        # A place that is known by name has no further wishes, and a taxi's ends are found on the way.
        free = []
    items: list[Item] = []
    for _ in range(MOST_INVENTED):
        if rng.random() >= chance:
            continue
        if free:
            slot = free.pop(rng.randrange(len(free)))
            wish.search[slot] = rng.choice(goal_values(wish.domain, slot))
            wish.invented.add(slot)
        else:
            taken = [item.slot for item in items]
            told = [slot for slot in wish.search if slot not in taken and slot not in wish.invented]
            if not told:
                break
            slot = rng.choice(told)
            known = (wish.search[slot], wish.goal.info.get(slot))
            wrong = [value for value in goal_values(wish.domain, slot) if value not in known]
            items.append(Item("search", wish.domain, slot, rng.choice(wrong)))
    return items


def loop(wish: Wish, chance: float, rng: Random) -> list[Item]:
    """What is said once more after an answer."""
    if rng.random() >= chance:
        return []
    said = [Item("search", wish.domain, slot, value) for slot, value in wish.said.items() if slot in wish.search]
    return rng.sample(said, min(len(said), 2))
