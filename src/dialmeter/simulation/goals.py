"""Goals of visitors: sampled, or read from a file. All sampled goals can be reached, some only at the second attempt.

A goal with ``fail_info`` starts with constraints for which the tables have nothing. A goal with ``fail_book`` starts with a booking
that every matching place refuses. The second wish then succeeds. Sampling checks both in the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

from ..errors import DialmeterError, InputError, placing
from ..model import DomainGoal, Goal, Notice
from ..readers.conversations import open_conversations
from ..readers.layouts.goals import goal_in
from ..readers.source import Source
from ..readers.validation import as_mapping
from .world import DONTCARE, ENDS, TIMES, UNKNOWN, Row, World

DOMAIN_COUNTS = {1: 3, 2: 4, 3: 3}
KNOWS_THE_NAME = 0.12
SEARCH_FAILS = 0.3
BOOKS = 0.65
BOOKING_FAILS = 0.35
MOST_MATCHES = 4  # few enough that they can all be full on the same day
_TRIES = 200


def sample_goals(world: World, count: int, seed: int) -> list[Goal]:
    """Sample goals. The first goals do not depend on the number of goals.

    Example:
        >>> from .world import town
        >>> sample_goals(town(), 3, seed=7) == sample_goals(town(), 5, seed=7)[:3]
        True
    """
    return [sample_goal(world, Random(f"goal {seed} {index}")) for index in range(count)]


def sample_goal(world: World, rng: Random) -> Goal:
    """Sample one goal with one to three domains. What is granted comes last; with two places, a taxi drives between them."""
    count = rng.choices(list(DOMAIN_COUNTS), list(DOMAIN_COUNTS.values()))[0]
    chosen = rng.sample(list(world.domains), min(count, len(world.domains)))
    kinds = {name: world.domains[name] for name in chosen}
    searched = {
        name: _place(world, name, rng) for name, each in kinds.items() if not (each.has_times or each.is_granted)
    }
    searched |= {name: _journey(world, name, rng) for name, each in kinds.items() if each.has_times}
    linked = sum(kinds[name].has_places for name in searched) >= 2
    ordered = {name: searched[name] for name in sorted(searched, key=chosen.index)}
    return ordered | {name: _request(world, name, rng, linked) for name, each in kinds.items() if each.is_granted}


def _place(world: World, domain: str, rng: Random) -> DomainGoal:
    entity = world.domains[domain].entity
    slots = [slot for slot in world.domains[domain].search if slot != entity and world.values(domain, slot)]
    if rng.random() < KNOWS_THE_NAME or not slots:
        return _with_booking(world, domain, {entity: rng.choice(world.tables[domain])[entity]}, {}, rng)
    for _ in range(_TRIES):
        row = rng.choice(world.tables[domain])
        count = rng.randint(min(2, len(slots)), min(4, len(slots)))
        info = {slot: row[slot] for slot in sorted(rng.sample(slots, count), key=slots.index) if row[slot] != UNKNOWN}
        if len(world.search(domain, info)) > MOST_MATCHES:
            continue
        fails = _failing_search(world, domain, info, rng) if rng.random() < SEARCH_FAILS else {}
        return _with_booking(world, domain, info, fails, rng)
    return _with_booking(world, domain, {entity: rng.choice(world.tables[domain])[entity]}, {}, rng)


def _journey(world: World, domain: str, rng: Random) -> DomainGoal:
    row = rng.choice(world.tables[domain])
    time = rng.choice([slot for slot in TIMES if slot in world.domains[domain].search])
    info = {slot: row[slot] for slot in world.domains[domain].needed} | {time: _near(row[time], time)}
    fails = _failing_search(world, domain, info, rng, (time,)) if rng.random() < SEARCH_FAILS else {}
    return _with_booking(world, domain, info, fails, rng)


def _near(time: str, slot: str) -> str:
    """Round a time to a quarter of an hour: down for a departure, up for an arrival."""
    minutes = int(time[:2]) * 60 + int(time[3:])
    rounded = minutes // 15 * 15 if slot == "leaveat" else min(-(-minutes // 15) * 15, 23 * 60 + 45)
    return f"{rounded // 60:02}:{rounded % 60:02}" if slot == "leaveat" or rounded >= minutes else time


def _request(world: World, domain: str, rng: Random, linked: bool) -> DomainGoal:
    """Sample a request that is granted. The ends of a linked ride are the places that the user finds in the other domains."""
    search = world.domains[domain].search
    times = [slot for slot in TIMES if slot in search]
    others = [slot for slot in search if slot not in (*TIMES, *ENDS) and world.goal_values(domain, slot)]
    info = {
        slot: rng.choice(world.goal_values(domain, slot)) for slot in [*([rng.choice(times)] if times else []), *others]
    }
    if not linked and set(ENDS) <= set(search):
        info = dict(zip(ENDS, rng.sample(world.goal_values(domain, ENDS[0]), 2), strict=True)) | info
    return DomainGoal(info=info, requests=_requests(world, domain, info, rng, least=1))


def _failing_search(
    world: World, domain: str, info: Mapping[str, str], rng: Random, slots: tuple[str, ...] = ()
) -> dict[str, str]:
    """Change one value of a search so that it has no results; empty if there is no such value."""
    candidates = [
        {**info, slot: value}
        for slot in slots or tuple(info)
        for value in world.goal_values(domain, slot)
        if value != info[slot] and not world.search(domain, {**info, slot: value})
    ]
    return rng.choice(candidates) if candidates else {}


def _with_booking(world: World, domain: str, info: dict[str, str], fails: dict[str, str], rng: Random) -> DomainGoal:
    book: dict[str, str] = {}
    refused: dict[str, str] = {}
    slots = world.domains[domain].book
    if slots and rng.random() < BOOKS:
        rows = world.search(domain, info)
        tries = ({slot: _booking_value(world, domain, slot, rng) for slot in slots} for _ in range(_TRIES))
        book = next((each for each in tries if not any(_failures(world, domain, rows, each))), {})
        if book and rng.random() < BOOKING_FAILS:
            changes = _change_one_slot(world, book, domain, rng)
            refused = next((each for each in changes if all(_failures(world, domain, rows, each))), {})
    requests = _requests(world, domain, info, rng, least=0 if book else 1)
    return DomainGoal(info=info, fail_info=fails, book=book, fail_book=refused, requests=requests)


def _change_one_slot(world: World, book: Mapping[str, str], domain: str, rng: Random) -> Iterator[dict[str, str]]:
    """Yield bookings that differ in one slot."""
    for _ in range(_TRIES):
        slot = rng.choice(world.domains[domain].book)
        value = _booking_value(world, domain, slot, rng)
        if value != book[slot]:
            yield {**book, slot: value}


def _booking_value(world: World, domain: str, slot: str, rng: Random) -> str:
    if slot == "time":
        return f"{rng.randint(11, 22)}:{rng.choice(('00', '15', '30', '45'))}"
    return rng.choice(world.common.get(slot) or world.goal_values(domain, slot))


def _failures(world: World, domain: str, rows: tuple[Row, ...], book: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    return (world.failing_slots(domain, row, book) for row in rows)


def _requests(world: World, domain: str, info: Mapping[str, str], rng: Random, least: int) -> tuple[str, ...]:
    """Sample slots to ask for; the user does not know any of them."""
    slots = [slot for slot in world.domains[domain].request if slot not in info]
    return tuple(sorted(rng.sample(slots, min(len(slots), rng.randint(least, 3))), key=slots.index))


_LISTED = 10


def read_goals(path: str | Path, world: World) -> tuple[dict[str, Goal], list[Notice]]:
    """Return goals by dialogue, in the order of the file, and warnings about goals that are not played.

    The file can be a JSON object of goals by id, ``data.json`` of MultiWOZ, or any file of dialogues with goals. Domains that
    the world does not have are not played, and dialogues that have only such domains, too.

    Raises:
        InputError: the file cannot be read, or holds no goal for the world.

    Example:
        >>> import os, tempfile
        >>> from .world import town
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "goals.json")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"g1": {"hotel": {"info": {"area": "North"}, "reqt": ["phone"]}, "police": {"reqt": ["phone"]}}}')
        ...     goals, notices = read_goals(path, town())
        >>> goals["g1"]["hotel"].info, notices[0].code
        ({'area': 'north'}, 'domain-not-in-demo-data')
    """

    all_goals, unread = _read_file(str(path))
    goals: dict[str, Goal] = {}
    for name, goal in all_goals.items():
        playable = {domain: _in_lower_case(each) for domain, each in goal.items() if domain in world.domains}
        if playable:
            goals[name] = playable
    problems = {
        ("domain-not-in-demo-data", f"goals have domains that {world.title} does not have; these are not played"): [
            name for name, goal in all_goals.items() if not goal.keys() <= world.domains.keys()
        ],
        ("no-goal", f"dialogues have no goal for {world.title}"): [name for name in all_goals if name not in goals],
        ("unread", "dialogues cannot be read"): unread,
    }
    notices = [
        Notice(code, len(names), f"{len(names)} {message}", tuple(names[:_LISTED]))
        for (code, message), names in problems.items()
        if names
    ]
    if not goals:
        raise InputError(f"no goal that can be played with {world.title}", file=str(path))
    return goals, notices


def _in_lower_case(goal: DomainGoal) -> DomainGoal:
    parts = {name: {slot.lower(): value.lower() for slot, value in part.items()} for name, part in goal.parts.items()}
    return DomainGoal(**parts, requests=goal.requests)


def foreign_values(goals: Mapping[str, Goal], world: World) -> Notice | None:
    """Return a warning about values of goals that the world does not have, or None if it has them all.

    Raises:
        DialmeterError: because of such values, no goal can be reached.

    Example:
        >>> from .world import town
        >>> goals = {"g1": {"hotel": DomainGoal(info={"area": "harbour"})}, "g2": {"hotel": DomainGoal(info={"area": "moon"})}}
        >>> foreign_values(goals, town()).message
        '1 of 2 values of the goals (50.00 %) are not in the tables of the demo data; at most 1 of 2 goals can be reached'
    """
    total = 0
    foreign: dict[str, Counter[str]] = {}
    for domain, each in (pair for goal in goals.values() for pair in goal.items()):
        for slot, value in (pair for part in each.parts.values() for pair in part.items()):
            is_known = slot in world.domains[domain].search and world.is_listed(domain, slot)
            if is_known and slot not in TIMES and value != DONTCARE:
                total += 1
                if world.canonical(domain, slot, value) not in world.forms(domain, slot):
                    foreign.setdefault(f"{domain}-{slot}", Counter())[value] += 1
    if not foreign:
        return None
    count = sum(each.total() for each in foreign.values())
    reachable = sum(
        all(world.matches(domain, each.info, each.book) for domain, each in goal.items()) for goal in goals.values()
    )
    message = (
        f"{count} of {total} values of the goals ({100 * count / total:.2f} %) are not in the tables of {world.title}"
    )
    ranked = sorted(foreign.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    where = tuple(f"{slot}: {values.total()}, such as {values.most_common(1)[0][0]}" for slot, values in ranked)
    if not reachable:
        raise DialmeterError(
            f"no goal can be reached: {message} ({where[0]}); draw goals of {world.title} with --goals 200"
        )
    message += f"; at most {reachable} of {len(goals)} goals can be reached"
    return Notice("value-not-in-demo-data", count, message, where[:_LISTED])


def _read_file(path: str) -> tuple[dict[str, Goal], list[str]]:
    """Return goals by dialogue, and the errors of dialogues that cannot be read."""
    source = Source(path)
    with closing(source), placing(file=source.name):
        value = source.sample.value if source.sample.kind == "document" else None
        first = next(iter(value.values()), None) if isinstance(value, dict) else None
        if isinstance(first, dict) and "log" not in first and "turns" not in first:
            goals: dict[str, Goal] = {}
            for name, entry in as_mapping(source.document, "the file of goals").items():
                with placing(dialogue=name):
                    goals[name] = goal_in(as_mapping(entry, "a goal").get("goal", entry))
            return goals, []
    conversations = open_conversations(path)
    return {conversation.id: conversation.goal or {} for conversation in conversations}, [
        str(error) for error in conversations.refused
    ]
