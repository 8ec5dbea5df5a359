"""Recall and precision of user events on planted faults, for users with goals in words.

Run with `python benchmarks/planted_faults.py` (`--help` for options). An agenda user and the rule system of the town talk in text on
goals of one domain with a booking. The goal is given in words. The user must not say one value, and may say another only if asked. In seven of
eight dialogues the user has one fault: it forgets a value, says another one (lies), says the forbidden one (leaks), leaves before the
booking (stops), makes up a number (invents), says a message twice more (repeats), or says without being asked what it may say only if
asked (volunteers). The dialogues are written as results of tau-bench and read again. The planted faults are known from the acts, which
the rules for events do not get. Users say four of ten values in other words, such as "at middling rates" for moderate.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from dialmeter.model import SYSTEM, USER, Act, DomainGoal
from dialmeter.readers.conversations import open_trajectories
from dialmeter.simulation.bots import choose, make_bot
from dialmeter.simulation.bots.agenda import AgendaUser, UserDials
from dialmeter.simulation.grammar import act, intent_of, say, value_of
from dialmeter.simulation.play import sampled
from dialmeter.simulation.understand import understand
from dialmeter.simulation.world import town
from dialmeter.users.items.log_items import item_rows

FAULTS = {
    "nothing": "",
    "forgets": "missed",
    "lies": "wrong",
    "leaks": "leak",
    "stops": "early_stop",
    "invents": "invented",
    "repeats": "stuck",
    "volunteers": "volunteered",
}
ARGUMENTS = {"pricerange": "price_range", "leaveat": "departure_time", "arriveby": "arrival_time"}
TURNS = 30


@dataclass
class Plan:
    """A goal of one domain, the conditions on its slots, and the planted fault."""

    domain: str
    values: dict[str, str]
    booked: frozenset[str]
    fault: str
    secret: str
    asked: str
    forgotten: str = ""
    lie: tuple[str, str] = ("", "")
    at: int = 1
    planted: list[int] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    done: bool = False

    @property
    def instruction(self) -> str:
        """Return the goal in words."""
        parts = [f"You want to book a {self.domain}."]
        for slot, value in self.values.items():
            told = f"the {ARGUMENTS.get(slot, slot).replace('_', ' ')} is {value}"
            if slot == self.secret:
                parts.append(f"{told.capitalize()} (do not mention it).")
            else:
                parts.append(f"If the agent asks, {told}." if slot == self.asked else f"{told.capitalize()}.")
        return " ".join(parts)

    @property
    def actions(self) -> list[dict[str, Any]]:
        """Return the calls that reach the goal."""
        search = {slot: value for slot, value in self.values.items() if slot not in self.booked}
        book = {slot: value for slot, value in self.values.items() if slot in self.booked}
        return [call(f"find_{self.domain}", search), call(f"book_{self.domain}", book)]


def call(name: str, values: dict[str, str]) -> dict[str, Any]:
    return {"name": name, "kwargs": {ARGUMENTS.get(slot, slot): value for slot, value in values.items()}}


def plans(count: int, seed: int) -> list[Plan]:
    """Return goals with enough values that are words or times; the faults alternate."""
    rng = Random(seed)
    found: list[Plan] = []
    for task in sampled(40 * count, seed):
        for domain, goal in task.goal.items():
            words = [slot for slot, value in goal.info.items() if is_item(value) and slot != "name"]
            if len(found) == count or not goal.book or len(words) < 3:
                continue
            secret, asked, other = rng.sample(words, 3)
            fault = list(FAULTS)[len(found) % len(FAULTS)]
            values = {**goal.info, **goal.book}
            plan = Plan(domain, values, frozenset(goal.book), fault, secret, asked, at=rng.randint(1, 2))
            if fault == "forgets":
                plan.forgotten = rng.choice([other, *(slot for slot, value in goal.book.items() if is_item(value))])
            elif fault == "lies":
                rows = town().tables[domain]
                plan.lie = (
                    other,
                    rng.choice(sorted({row[other] for row in rows if is_item(row[other])} - {values[other]})),
                )
            found.append(plan)
    return found


def is_item(value: str) -> bool:
    """Return True if items can have this value; yes, no and short numbers are excluded."""
    return len(value) > 3 and value != "dontcare"


def play(plan: Plan, seed: int) -> tuple[list[dict[str, Any]], str]:
    """Return the messages of a dialogue, and how it ended."""
    rng = Random(seed)
    hidden = {plan.secret, plan.asked, plan.forgotten}
    shown = {slot: value for slot, value in plan.values.items() if slot not in hidden}
    goal = DomainGoal(
        info={slot: value for slot, value in shown.items() if slot not in plan.booked},
        book={slot: value for slot, value in shown.items() if slot in plan.booked},
    )
    user, system = AgendaUser(UserDials(), town(), rng), make_bot(choose("rule", "system"), town(), rng)
    user.start({plan.domain: goal})
    system.start(None)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Help to book."}]
    heard: tuple[Act, ...] = ()
    text, state = "", dict[str, str]()
    for turn in range(TURNS):
        requested = {each.slot for each in heard if intent_of(each.name) == "request"}
        acts = [changed(each, plan, requested) for each in user.reply(heard, text).acts or ()]
        over = user.done()
        if turn == plan.at and plan.fault == "leaks":
            acts.append(act(plan.domain, "inform", plan.secret, plan.values[plan.secret]))
        if turn == 0 and plan.fault == "volunteers":
            acts.append(act(plan.domain, "inform", plan.asked, plan.values[plan.asked]))
        if turn == plan.at and plan.fault == "stops" and not over:
            acts, over = [act("general", "bye")], True
        said = {each.slot: value_of(each) for each in acts if intent_of(each.name) == "inform"}
        state |= {slot: value for slot, value in said.items() if value != "dontcare"}
        plan.said |= {slot for slot, value in said.items() if value == plan.values.get(slot)}
        text = say(acts, USER, rng, town())
        if turn == plan.at and plan.fault == "invents":
            text += rng.choice(
                [" My booking code is ZX4K9Q.", " You can reach me at me.self@example.com.", " I can pay up to $845."]
            )
        if plan.fault == "repeats" and turn in (plan.at + 1, plan.at + 2):
            text = next(each["content"] for each in reversed(messages) if each["role"] == "user")
        messages.append({"role": "user", "content": text + (" ###STOP###" if over else "")})
        if is_planted(plan, turn, said, over):
            plan.planted.append(len(messages) - 1)
        if over:
            return messages, "user"
        move = system.reply(understand(text, USER, town()), text)
        text = move.text or say(move.acts or (), SYSTEM, rng, town())
        done = {intent_of(each.name) for each in move.acts or ()}
        named = any(each.slot in ("name", "trainid") and intent_of(each.name) != "request" for each in move.acts or ())
        if named or done & {"book", "offerbooked"}:
            booked = bool(done & {"book", "offerbooked"})
            plan.done = plan.done or booked
            used = {slot: value for slot, value in state.items() if (slot in plan.booked) == booked}
            messages += tool_messages(call(f"{'book' if booked else 'find'}_{plan.domain}", used), len(messages))
        messages.append({"role": "assistant", "content": text})
        heard = understand(text, SYSTEM, town())
    return messages, "limit"


def changed(each: Act, plan: Plan, requested: set[str]) -> Act:
    """Return the act that the user says: with a lie, or with the answer to a question about the value that may be said only if asked."""
    if intent_of(each.name) != "inform":
        return each
    if each.slot == plan.lie[0]:
        return act(each.service, "inform", each.slot, plan.lie[1])
    if each.slot == plan.asked and each.slot in requested:
        return act(each.service, "inform", each.slot, plan.values[plan.asked])
    return each


def is_planted(plan: Plan, turn: int, said: dict[str, str], over: bool) -> bool:
    """Return True if this message has the fault of the plan."""
    return {
        "lies": said.get(plan.lie[0]) == plan.lie[1] and not plan.planted,
        "leaks": said.get(plan.secret) == plan.values[plan.secret] and not plan.planted,
        "volunteers": said.get(plan.asked) == plan.values[plan.asked] and not turn,
        "stops": over,
        "invents": turn == plan.at,
        "repeats": turn in (plan.at + 1, plan.at + 2) and not over,
    }.get(plan.fault, False)


def tool_messages(made_call: dict[str, Any], number: int) -> list[dict[str, Any]]:
    function = {"name": made_call["name"], "arguments": json.dumps(made_call["kwargs"])}
    name = f"call_{number}"
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": name, "name": made_call["name"], "content": "done"},
    ]


def written(path: Path, count: int, seed: int) -> list[Plan]:
    """Write played dialogues to a file in the format of tau-bench, and return the planted faults."""
    found = plans(count, seed)
    entries = []
    for number, plan in enumerate(found):
        messages, source = play(plan, seed + number)
        task = {"instruction": plan.instruction, "actions": plan.actions, "outputs": []}
        entries.append(
            {"task_id": number, "trial": 0, "reward": 0.0, "info": {"task": task, "source": source}, "traj": messages}
        )
    path.write_text(json.dumps(entries))
    return found


def measured(count: int, seed: int) -> dict[str, Counter[str]]:
    """Return for each class of events the numbers of planted, found, reported and correctly reported events."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.json"
        planned = written(path, count, seed)
        items = {each.id: each for each in item_rows(list(open_trajectories(path)))}
    found: dict[str, Counter[str]] = {name: Counter() for name in FAULTS.values() if name}
    for number, plan in enumerate(planned):
        events = items[f"{number}:0"].events
        name = FAULTS[plan.fault]
        unsaid = {value for slot, value in plan.values.items() if slot not in plan.said}
        if name == "missed":
            found[name]["planted"] += 1
            found[name]["found"] += any(
                event.name == name and event.about == plan.values[plan.forgotten] for event in events
            )
        elif name and plan.planted:
            found[name]["planted"] += 1
            found[name]["found"] += any(hits(event.name, event.turns, name, plan.planted) for event in events)
        for event in events:
            found[event.name]["reported"] += 1
            # Independent of the planted fault: a value that is never said is missed, and leaving without a booking is an early stop.
            right = {"missed": event.about in unsaid, "early_stop": not plan.done}.get(
                event.name, hits(event.name, event.turns, name, plan.planted)
            )
            found[event.name]["right"] += right
    return found


def hits(name: str, turns: Sequence[int], planted: str, places: Sequence[int]) -> bool:
    return name == planted and any(place in turns for place in places)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dialogues", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument(
        "--log", metavar="FILE", help="Write the dialogues as results of tau-bench to this file, and exit."
    )
    chosen = options.parse_args()
    if chosen.log:
        written(Path(chosen.log), chosen.dialogues, chosen.seed)
        return
    print(f"{chosen.dialogues} dialogues, seed {chosen.seed}")
    print(
        "| the user | event | planted | found | recall | reported | right | precision |\n|---|---|---|---|---|---|---|---|"
    )
    found = measured(chosen.dialogues, chosen.seed)
    for fault, name in FAULTS.items():
        if name:
            each = found[name]
            recall = f"{each['found'] / each['planted']:.2f}" if each["planted"] else "–"
            precision = f"{each['right'] / each['reported']:.2f}" if each["reported"] else "–"
            print(
                f"| {fault} | {name} | {each['planted']} | {each['found']} | {recall} | {each['reported']} | {each['right']} | {precision} |"
            )


if __name__ == "__main__":
    main()
