"""Logs of systems of the town, in the format of tau-bench: messages, tool calls and rewards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...model import USER, Act, Conversation, DomainGoal, Goal, Move
from ..agents import choose
from ..files import sampled
from ..language.grammar import BOOKING, intent_of, value_of
from ..outcome import outcome
from ..play import Setting, play
from ..trackers import update_state
from ..world.database import town
from ..world.schema import DOMAINS, REFERENCE

TASKS = 15
TRIALS = 3
_NOISE = 0.05


def agent_log(system: str) -> list[dict[str, Any]]:
    """Return the log of one system on a fixed set of tasks, with several trials each.

    Args:
        system: a system of the town, as in ``rule(failures=0.2)``.
    """
    tasks = sampled(TASKS, seed=3)
    entries = []
    for trial in range(TRIALS):
        setting = Setting(choose("agenda", "user"), choose(system, "system"), noise=_NOISE, seed=trial)
        for task, talk in zip(tasks, play(tasks, setting), strict=True):
            reached = outcome(talk, town()).complete
            instruction = " ".join(_instruction(domain, each) for domain, each in task.goal.items())
            about = {"instruction": instruction, "actions": list(_expected_actions(task.goal)), "outputs": []}
            entries.append(
                {
                    "task_id": task.index,
                    "trial": trial,
                    "reward": float(reached),
                    "info": {"task": about},
                    "traj": list(_messages(talk)),
                }
            )
    return entries


def _instruction(domain: str, goal: DomainGoal) -> str:
    parts = [f"You need a {domain}: {_format_pairs(goal.info)}."]
    if goal.book:
        parts.append(f"Book it: {_format_pairs(goal.book)}.")
    if goal.requests:
        parts.append(f"Ask for the {', '.join(goal.requests)}.")
    return " ".join(parts)


def _format_pairs(slots: Mapping[str, str]) -> str:
    return ", ".join(f"{slot} {value}" for slot, value in slots.items())


def _expected_actions(goal: Goal) -> Iterator[dict[str, Any]]:
    for domain, each in goal.items():
        yield {"name": f"find_{domain}", "kwargs": dict(each.info)}
        if each.book:
            yield {"name": f"book_{domain}", "kwargs": dict(each.book)}


def _messages(talk: Conversation) -> Iterator[dict[str, Any]]:
    state: dict[str, str] = {}
    for index, move in enumerate(talk.moves):
        if move.speaker == USER:
            last = index + 2 >= len(talk.moves) and not talk.cut
            yield {"role": "user", "content": f"{move.text} ###STOP###" if last else move.text}
        else:
            state = update_state(state, move.understood or ())
            for number, (name, arguments, result) in enumerate(_calls(move, state)):
                call = {"id": f"{index}-{number}", "type": "function"}
                function = {"name": name, "arguments": msgspec.json.encode(arguments).decode()}
                yield {"role": "assistant", "content": None, "tool_calls": [{**call, "function": function}]}
                yield {"role": "tool", "tool_call_id": call["id"], "name": name, "content": result}
            if index + 1 < len(talk.moves):
                yield {"role": "assistant", "content": move.text}


def _calls(move: Move, state: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the tool calls of a system move: a search for each entity that it names, a booking for each reference."""
    for act in move.acts or ():
        domain = act.service if act.service in DOMAINS else ""
        if (
            domain
            and act.slot == DOMAINS[domain].entity
            and intent_of(act.name) in ("inform", "recommend", "offerbook")
        ):
            yield f"find_{domain}", _arguments(state, domain, DOMAINS[domain].search), value_of(act)
        if act.slot == REFERENCE:
            booked = domain or _booked_domain(move.acts or (), state)
            yield f"book_{booked}", _arguments(state, booked, DOMAINS[booked].book), value_of(act)


def _booked_domain(acts: Sequence[Act], state: Mapping[str, str]) -> str:
    """Return the domain of a booking act without a domain: the domain that was mentioned last."""
    named = [act.service for act in acts if act.service in DOMAINS and act.service != BOOKING]
    in_state = [slot.partition("-")[0] for slot in state]
    return next(domain for domain in (*named, *reversed(in_state)) if DOMAINS[domain].book)


def _arguments(state: Mapping[str, str], domain: str, slots: Sequence[str]) -> dict[str, str]:
    return {slot: state[f"{domain}-{slot}"] for slot in slots if f"{domain}-{slot}" in state}
