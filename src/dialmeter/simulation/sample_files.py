"""The files that ``dialmeter sample`` generates from the town alone: dialogues, files of trackers, ratings, logs of systems.

The ratings are invented: simulated raters follow a rule with random noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Any

import msgspec
from msgspec.structs import replace

from ..model import SYSTEM, USER, Conversation, Dialogue, DomainGoal, Frame, Move, State, Turn
from ..readers.layouts.own import add_utterances, encode_dialogue
from .bots import choose
from .grammar import intent_of, requested, value_of
from .outcome import KEYWORD, outcome, turns, update_state
from .play import Setting, line, play, sampled
from .world import REFERENCE, town

GOALS, SEED, NOISE = 200, 7, 0.1
SHARES_FOLDER = "shares"


def play_users(user: str) -> list[Conversation]:
    """Play the dialogues of a user, as ``dialmeter play --user USER --goals 200 --set noise=0.1 --set seed=7`` does."""
    setting = Setting(choose(user, "user"), choose("rule", "system"), NOISE, SEED)
    return list(play(sampled(GOALS, SEED), setting))


def sample_files(agenda: list[Conversation]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files; a name may contain a folder. The contents never change."""
    forgetful = play_users("forgetful")
    base, new = tracker_dialogues(agenda, KEYWORD), tracker_dialogues(agenda)
    yield "base.jsonl", lines(base)
    yield "new.jsonl", lines(new)
    yield "gold.jsonl", lines(_with_turns(each, (replace(turn, pred=None) for turn in each.turns)) for each in new)
    yield "model-outputs.jsonl", _json_lines(completions(base))
    yield "frames.jsonl", lines(framed(agenda, new))
    yield "schema.json", _pretty(schema())
    yield "tracker-ratings.csv", rated_dialogues(new)
    for name, content in share_files(new):
        yield f"{SHARES_FOLDER}/{name}", content
    yield "agenda.jsonl", _json_lines(line(each, town()) for each in agenda)
    yield "forgetful.jsonl", _json_lines(line(each, town()) for each in forgetful)
    yield "goals.json", _pretty({conversation.id: conversation.goal for conversation in agenda})
    yield "map.json", _pretty(town().spellings)
    yield "ratings.jsonl", _json_lines(rated_replies(agenda))
    yield "satisfaction.txt", rated_turns(agenda)
    yield "desk-base.json", _pretty(agent_log("rule(failures=0.2)"))
    yield "desk-new.json", _pretty(agent_log("rule"))


def _json_lines(rows: Iterable[object]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _pretty(document: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


TASKS = 15
TRIALS = 3
_NOISE = 0.05


def agent_log(system: str) -> list[dict[str, Any]]:
    """Return the log of a system of the town, such as ``rule(failures=0.2)``, on a fixed set of tasks, with several trials each."""
    tasks = sampled(TASKS, seed=3)
    entries = []
    for trial in range(TRIALS):
        setting = Setting(choose("agenda", "user"), choose(system, "system"), noise=_NOISE, seed=trial)
        for task, conversation in zip(tasks, play(tasks, setting), strict=True):
            about = {
                "instruction": " ".join(part for pair in task.goal.items() for part in _instructions(*pair)),
                "actions": [
                    {"name": f"{verb}_{domain}", "kwargs": dict(slots)}
                    for domain, each in task.goal.items()
                    for verb, slots in (("find", each.info), ("book", each.book))
                    if slots or verb == "find"
                ],
                "outputs": [],
            }
            entries.append(
                {
                    "task_id": task.index,
                    "trial": trial,
                    "reward": float(outcome(conversation, town()).complete),
                    "info": {"task": about},
                    "traj": list(_messages(conversation)),
                }
            )
    return entries


def _instructions(domain: str, goal: DomainGoal) -> Iterator[str]:
    info, book = (", ".join(f"{slot} {value}" for slot, value in each.items()) for each in (goal.info, goal.book))
    yield f"You need a {domain}: {info}."
    if book:
        yield f"Book it: {book}."
    if goal.requests:
        yield f"Ask for the {', '.join(goal.requests)}."


def _messages(conversation: Conversation) -> Iterator[dict[str, Any]]:
    state: dict[str, str] = {}
    for index, move in enumerate(conversation.moves):
        if move.speaker == USER:
            last = index + 2 >= len(conversation.moves) and not conversation.cut
            yield {"role": "user", "content": f"{move.text} ###STOP###" if last else move.text}
        else:
            state = update_state(state, move.understood or (), town())
            for number, (name, arguments, result) in enumerate(_calls(move, state)):
                call = {"id": f"{index}-{number}", "type": "function"}
                function = {"name": name, "arguments": msgspec.json.encode(arguments).decode()}
                yield {"role": "assistant", "content": None, "tool_calls": [{**call, "function": function}]}
                yield {"role": "tool", "tool_call_id": call["id"], "name": name, "content": result}
            if index + 1 < len(conversation.moves):
                yield {"role": "assistant", "content": move.text}


def _calls(move: Move, state: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the tool calls of a system move: a search for each entity that it names, a booking for each reference."""

    def arguments(domain: str, slots: Sequence[str]) -> dict[str, str]:
        return {slot: state[f"{domain}-{slot}"] for slot in slots if f"{domain}-{slot}" in state}

    for act in move.acts or ():
        domain = act.service if act.service in town().domains else ""
        is_offer = intent_of(act.name) in ("inform", "recommend", "offerbook")
        is_found = domain and not town().domains[domain].is_granted
        if is_found and act.slot == town().domains[domain].entity and is_offer:
            yield f"find_{domain}", arguments(domain, town().domains[domain].search), value_of(act)
        if act.slot == REFERENCE:
            # A booking without a domain is about the domain that was mentioned last.
            named = [domain] if domain else [each.service for each in move.acts or () if each.service in town().domains]
            mentioned = [*named, *reversed([slot.partition("-")[0] for slot in state])]
            booked = next(each for each in mentioned if domain or town().domains[each].book)
            yield f"book_{booked}", arguments(booked, town().domains[booked].book), value_of(act)


RATERS = ("ann", "ben", "cleo")
_DULL = "I do not know."
_QUALITY = {"rule": 4.2, "elsewhere": 2.0, "dull": 1.6}
"""The source of a reply → its mean rating by the invented raters, from 1 to 5."""
_RATED_REPLIES = 60
_RATED_DIALOGUES = 60


def _draw_rating(mean: float, seed: str) -> int:
    return min(5, max(1, round(Random(seed).gauss(mean, 0.8))))


def rated_replies(conversations: Sequence[Conversation]) -> list[dict[str, Any]]:
    """Return three rated replies per context: the real one, the one of another dialogue, and a dull one."""
    chosen = [conversation for conversation in conversations if len(conversation.moves) >= 4][:_RATED_REPLIES]
    rows = []
    for index, conversation in enumerate(chosen):
        other = chosen[(index + 1) % len(chosen)]
        replies = {"rule": conversation.moves[3].text, "elsewhere": other.moves[3].text, "dull": _DULL}
        for system, reply in replies.items():
            name = f"{conversation.id}/{system}"
            ratings = [_draw_rating(_QUALITY[system], f"{name} {rater}") for rater in RATERS]
            rows.append(
                {
                    "id": name,
                    "system": system,
                    "group": conversation.id,
                    "context": [move.text for move in conversation.moves[:3]],
                    "reply": reply,
                    "ratings": {"overall": ratings},
                }
            )
    return rows


def rated_dialogues(dialogues: Iterable[Dialogue]) -> bytes:
    """Return ratings of the states of a tracker as CSV; the more they agree with gold, the higher the ratings.

    Example:
        >>> rated_dialogues([Dialogue("d1", (Turn(0, gold={}, pred={}),))]).decode().splitlines()[:2]
        ['dialogue,rater,rating', 'd1,ann,5']
    """

    def share_right(turn: Turn) -> float:
        gold, pred = {*(turn.gold or {}).items()}, {*(turn.pred or {}).items()}
        return len(gold & pred) / len(gold | pred) if gold | pred else 1.0

    lines = ["dialogue,rater,rating"]
    for each in list(dialogues)[:_RATED_DIALOGUES]:
        mean = 1 + 4 * fmean(map(share_right, each.turns))
        lines += [f"{each.id},{rater},{_draw_rating(mean, f'{each.id} {rater}')}" for rater in RATERS]
    return "".join(f"{line}\n" for line in lines).encode()


def rated_turns(conversations: Iterable[Conversation]) -> bytes:
    """Return satisfaction ratings in the format ``satisfaction``; they are low if the system misunderstood the user."""
    blocks = []
    for conversation in conversations:
        rows = []
        for index, move in enumerate(conversation.moves):
            acts = ",".join(dict.fromkeys(act.name for act in move.acts or ()))
            ratings = ""
            if move.speaker == USER:
                before = conversation.moves[index - 2] if index >= 2 else None
                understood = conversation.moves[index - 1].understood if index >= 2 else None
                mean = 3.6 if before is None or before.acts == understood else 2.2
                ratings = ",".join(str(_draw_rating(mean, f"{conversation.id} {index} {rater}")) for rater in RATERS)
            speaker = "SYSTEM" if move.speaker == SYSTEM else "USER"
            rows.append(f"{speaker}\t{move.text}\t{acts}\t{ratings}")
        mean = 4.0 if outcome(conversation, town()).complete else 2.0
        overall = ",".join(str(_draw_rating(mean, f"{conversation.id} {rater}")) for rater in RATERS)
        blocks.append("\n".join([*rows, f"USER\tOVERALL\t\t{overall}"]))
    return ("\n\n".join(blocks) + "\n").encode()


SHARES = {0.01: 0.6, 0.1: 0.75, 1: 0.9}
"""Share of the training data → the probability that the invented tracker finds a value."""
SHARE_SEEDS = (1, 2)
_MOST_CATEGORIES = 10


def tracker_dialogues(conversations: Iterable[Conversation], key: str = "pred") -> list[Dialogue]:
    """Return dialogues with gold, utterances, and the states of the tracker with this key in the lines of dialogues."""
    return [
        Dialogue(
            conversation.id,
            tuple(add_utterances([Turn(each["turn"], each["gold"], each[key]) for each in states], conversation.moves)),
        )
        for conversation in conversations
        for states in [list(turns(conversation.moves, town()))]
    ]


def _with_turns(dialogue: Dialogue, turns: Iterable[Turn]) -> Dialogue:
    return Dialogue(dialogue.id, tuple(turns))


def lines(dialogues: Iterable[Dialogue]) -> bytes:
    """Serialise dialogues as native JSON lines."""
    return b"".join(map(encode_dialogue, dialogues))


def completions(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    """Return predicted states in the style of a language model: in turn JSON in a sentence, JSON in a code block, or a list.

    Example:
        >>> completions([Dialogue("d1", (Turn(2, pred={"hotel-area": "east"}),))])
        [{'dialogue_id': 'd1', 'turn': 2, 'completion': '- hotel-area: east'}]
    """
    return [
        {"dialogue_id": each.id, "turn": turn.number, "completion": _answers(turn.pred or {})[turn.number % 3]}
        for each in dialogues
        for turn in each.turns
    ]


def _answers(state: State) -> tuple[str, str, str]:
    text = msgspec.json.encode(dict(state)).decode()
    listed = "\n".join(f"- {slot}: {value}" for slot, value in state.items())
    return f"The state is {text}", f"```json\n{text}\n```", listed or "{}"


def share_files(dialogues: Sequence[Dialogue]) -> Iterator[tuple[str, bytes]]:
    """Yield files of invented predictions for a few-shot curve, one per share and seed. More training data finds more values.

    Example:
        >>> [name for name, _ in share_files([])][:2]
        ['ratio_0.01_seed_1.jsonl', 'ratio_0.01_seed_2.jsonl']
    """
    for share, probability in SHARES.items():
        for seed in SHARE_SEEDS:
            predicted = [_predict_partly(each, probability, Random(f"{share} {seed} {each.id}")) for each in dialogues]
            yield f"ratio_{share:g}_seed_{seed}.jsonl", lines(predicted)


def _predict_partly(dialogue: Dialogue, probability: float, rng: Random) -> Dialogue:
    """Predict each gold pair of slot and value, from its first turn on, with a probability."""
    is_predicted: dict[tuple[str, object], bool] = {}
    turns = []
    for turn in dialogue.turns:
        for pair in (turn.gold or {}).items():
            if pair not in is_predicted:
                is_predicted[pair] = rng.random() < probability
        pred = {slot: value for slot, value in (turn.gold or {}).items() if is_predicted[slot, value]}
        turns.append(replace(turn, user="", system="", pred=pred))
    return _with_turns(dialogue, turns)


def framed(conversations: Iterable[Conversation], dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """Yield dialogues with frames: the intent and the requested slots of each service, as in schema-guided corpora."""
    for conversation, each in zip(conversations, dialogues, strict=True):
        gold = [requested(move.acts or ()) for move in conversation.moves if move.speaker == USER]
        pred = [requested(move.understood or ()) for move in conversation.moves if move.speaker == SYSTEM]
        frames = (_frames(*parts) for parts in zip(each.turns, gold, pred, strict=True))
        yield _with_turns(
            each, (replace(turn, user="", system="", frames=own) for turn, own in zip(each.turns, frames, strict=True))
        )


def _frames(
    turn: Turn, gold_requested: Mapping[str, tuple[str, ...]], pred_requested: Mapping[str, tuple[str, ...]]
) -> dict[str, Frame]:
    def intent(service: str, state: State) -> str:
        books = any(f"{service}-{slot}" in state for slot in town().domains[service].book)
        return f"{'book' if books else 'find'}_{service}"

    gold, pred = turn.gold or {}, turn.pred or {}
    named = {slot.partition("-")[0] for slot in (*gold, *pred)} | {*gold_requested, *pred_requested}
    return {
        service: Frame(
            intent(service, gold),
            intent(service, pred),
            gold_requested.get(service, ()),
            pred_requested.get(service, ()),
        )
        for service in sorted(named & town().domains.keys())
    }


def schema() -> list[dict[str, Any]]:
    """Return the services and slots of the town in the schema-guided format. A slot with few values is categorical.

    Example:
        >>> [service["service_name"] for service in schema()][:2]
        ['hotel', 'restaurant']
    """
    return [
        {
            "service_name": name,
            "slots": [
                {"name": slot, "is_categorical": len(values) <= _MOST_CATEGORIES, "possible_values": values}
                for slot in domain.informable
                for values in [town().goal_values(name, slot)]
            ],
            "intents": [{"name": f"{verb}_{name}"} for verb in (("find", "book") if domain.book else ("find",))],
        }
        for name, domain in town().domains.items()
    ]
