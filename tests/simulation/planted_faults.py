"""Dialogues of the town with one planted fault each; the party that caused the loss is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from msgspec.structs import replace

from dialmeter.model import USER, Act, Conversation, DomainGoal, Goal, Move
from dialmeter.simulation import play as playing
from dialmeter.simulation.agents import choose
from dialmeter.simulation.agents.agenda import AgendaUser
from dialmeter.simulation.agents.rule_system import RuleSystem
from dialmeter.simulation.grammar import intent_of, value_of
from dialmeter.simulation.play import Setting, Task, play_one, sampled
from dialmeter.simulation.world import DOMAINS, goal_values, town


class Fault(NamedTuple):
    """A fault: the party that it belongs to, and what plays a task with it; None where the task leaves no place for it."""

    party: str
    play: Callable[[Task, int], Conversation | None]


def setting(user: str = "agenda", system: str = "rule", seed: int = 0) -> Setting:
    return Setting(choose(user, "user"), choose(system, "system"), 0.0, seed)


def forgetting_user(task: Task, seed: int) -> Conversation | None:
    return play_one(task, setting("forgetful", seed=seed))


def placeholder_system(task: Task, seed: int) -> Conversation | None:
    """The system answers requests with a placeholder; the user hears it, and asks again until it gives up."""
    goal = {domain: DomainGoal(info=each.info, requests=each.requests) for domain, each in task.goal.items()}
    if not any(each.requests for each in goal.values()):
        return None
    answer, reply = RuleSystem._answer, AgendaUser.reply

    def answered(system: RuleSystem, domain: str, slot: str, said: list[Act]) -> Iterator[Act]:
        for each in answer(system, domain, slot, said):
            yield replace(each, values=("?",)) if each.slot == slot and intent_of(each.name) == "inform" else each

    def replied(user: AgendaUser, acts: Sequence[Act], text: str) -> Move:
        return reply(user, [each for each in acts if intent_of(each.name) == "request" or value_of(each) != "?"], text)

    with patch.object(RuleSystem, "_answer", answered), patch.object(AgendaUser, "reply", replied):
        # Nobody cuts the dialogue: a cut would be a second fault.
        return play_one(
            Task(task.index, task.id, goal), replace(setting("agenda(patience=6)", seed=seed), max_turns=100)
        )


def misheard_value(task: Task, seed: int) -> Conversation | None:
    """The system hears another value of one slot, every time."""
    rng = Random(f"misheard {seed} {task.index}")
    domain = next((each for each in task.goal if each in ("hotel", "restaurant", "attraction")), None)
    if domain is None:
        return None
    slot = rng.choice(list(task.goal[domain].info))
    others = [each for each in goal_values(domain, slot) if each != task.goal[domain].info[slot]]
    wrong = rng.choice(others)
    honest = playing.noisy

    def misheard(acts: Sequence[Act], rate: float, chances: Random) -> tuple[Act, ...]:
        return tuple(
            replace(each, values=(wrong,))
            if (each.service, each.slot) == (domain, slot)
            and intent_of(each.name) == "inform"
            and value_of(each) != wrong
            else each
            for each in honest(acts, rate, chances)
        )

    goal = {
        name: DomainGoal(info=each.info, book=each.book, requests=each.requests) for name, each in task.goal.items()
    }
    with patch.object(playing, "noisy", misheard):
        return play_one(Task(task.index, task.id, goal), setting(seed=seed))


def impossible_goal(task: Task, seed: int) -> Conversation | None:
    """Nothing in town meets the goal of one domain, and there is no second choice."""
    rng = Random(f"impossible {seed} {task.index}")
    goal: Goal = {
        name: DomainGoal(info=each.info, requests=each.requests) for name, each in task.goal.items() if each.requests
    }
    for domain in goal:
        info = goal[domain].info
        tries = [
            {**info, slot: value}
            for slot in info
            for value in (goal_values(domain, slot) if domain != "taxi" else ())
            if slot in DOMAINS[domain].search and not town().search(domain, {**info, slot: value})
        ]
        if tries:
            changed = {**goal, domain: replace(goal[domain], info=rng.choice(tries))}
            return play_one(Task(task.index, task.id, changed), setting(seed=seed))
    return None


def missing_label(task: Task, seed: int) -> Conversation | None:
    """A value that was said once has no act."""
    conversation = play_one(task, setting(seed=seed))
    rng = Random(f"label {seed} {task.index}")
    said = [
        (number, act)
        for number, move in enumerate(conversation.moves)
        for act in move.acts or ()
        if move.speaker == USER and intent_of(act.name) == "inform" and wanted(conversation, act)
    ]
    once = [(n, act) for n, act in said if sum(other == act for _, other in said) == 1 and not told(conversation, act)]
    if not once:
        return None
    number, act = rng.choice(once)
    move = conversation.moves[number]
    left = tuple(each for each in move.acts or () if each != act)
    return replace(
        conversation, moves=(*conversation.moves[:number], replace(move, acts=left), *conversation.moves[number + 1 :])
    )


def wanted(conversation: Conversation, act: Act) -> bool:
    parts = (conversation.goal or {})[act.service].parts if act.service in (conversation.goal or {}) else {}
    return any(part.get(act.slot) == value_of(act) for part in parts.values())


def told(conversation: Conversation, act: Act) -> bool:
    """Does the system say the value itself? Then nothing is lost."""
    return any(
        each.slot == act.slot and value_of(each) == value_of(act)
        for move in conversation.moves[1::2]
        for each in move.acts or ()
    )


FAULTS = {
    "forgetting user": Fault("user", forgetting_user),
    "placeholder system": Fault("system", placeholder_system),
    "misheard value": Fault("system misheard user", misheard_value),
    "impossible goal": Fault("goal", impossible_goal),
    "missing label": Fault("label", missing_label),
}


def planted(name: str, seed: int, count: int) -> list[Conversation]:
    """Dialogues with a fault that cost a point, from as many goals as it takes."""
    from dialmeter.users.scorer import UserScorer

    found: list[Conversation] = []
    scorer = UserScorer(profile="town")
    for task in sampled(20 * count, seed):
        conversation = FAULTS[name].play(task, seed)
        if conversation is None:
            continue
        scores = scorer.outcome(conversation).combined.values()
        if any(each is not None and each.f1 < 1 for each in scores):
            found.append(conversation)
            if len(found) == count:
                break
    return found
