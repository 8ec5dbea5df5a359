"""Sample files of trackers: predictions with gold, gold alone, completions, shares of training data, frames with a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import structs

from ...model import SYSTEM, USER, Act, Conversation, Dialogue, Frame, State, Turn
from ...readers.own.native import add_utterances, encode_dialogue
from ..language.grammar import intent_of
from ..trackers import turns
from ..world.schema import DOMAINS
from ..world.value_map import goal_values

SHARES = {0.01: 0.6, 0.1: 0.75, 1: 0.9}
"""Share of the training data → the probability that the invented tracker finds a value."""
SHARE_SEEDS = (1, 2)
_MOST_CATEGORIES = 10


def tracker_dialogues(talks: Iterable[Conversation], key: str = "pred") -> list[Dialogue]:
    """Return dialogues with gold, the states of one tracker, and the utterances.

    Args:
        talks: dialogues of the town.
        key: ``pred`` for the state that the system understood, ``pred:keyword`` for the keyword tracker.
    """
    return [
        Dialogue(
            talk.id, tuple(add_utterances([Turn(each["turn"], each["gold"], each[key]) for each in states], talk.moves))
        )
        for talk in talks
        for states in [list(turns(talk.moves))]
    ]


def lines(dialogues: Iterable[Dialogue]) -> bytes:
    """Serialise dialogues as native JSON lines."""
    return b"".join(map(encode_dialogue, dialogues))


def gold_only(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """Return the dialogues without predictions.

    Example:
        >>> gold_only([Dialogue("d1", (Turn(0, gold={"hotel-area": "east"}, pred={}),))])[0].turns[0].pred is None
        True
    """
    return [Dialogue(each.id, tuple(structs.replace(turn, pred=None) for turn in each.turns)) for each in dialogues]


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
        turns.append(structs.replace(_without_text(turn), pred=pred))
    return Dialogue(dialogue.id, tuple(turns))


def _without_text(turn: Turn) -> Turn:
    return structs.replace(turn, user="", system="")


def framed(talks: Iterable[Conversation], dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """Return dialogues with frames: the intent and the requested slots of each service, as in schema-guided corpora."""
    result = []
    for talk, each in zip(talks, dialogues, strict=True):
        gold = [_requested(move.acts or ()) for move in talk.moves if move.speaker == USER]
        pred = [_requested(move.understood or ()) for move in talk.moves if move.speaker == SYSTEM]
        turns = [
            structs.replace(_without_text(turn), frames=_frames(turn, *requested))
            for turn, *requested in zip(each.turns, gold, pred, strict=True)
        ]
        result.append(Dialogue(each.id, tuple(turns)))
    return result


def _requested(acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
    requested: dict[str, dict[str, None]] = {}
    for act in acts:
        if intent_of(act.name) == "request" and act.slot and act.service in DOMAINS:
            requested.setdefault(act.service, {})[act.slot] = None
    return {service: tuple(slots) for service, slots in requested.items()}


def _frames(
    turn: Turn, gold_requested: Mapping[str, tuple[str, ...]], pred_requested: Mapping[str, tuple[str, ...]]
) -> dict[str, Frame]:
    gold, pred = turn.gold or {}, turn.pred or {}
    services = sorted({slot.partition("-")[0] for slot in (*gold, *pred)} | {*gold_requested, *pred_requested})
    return {
        service: Frame(
            _intent(service, gold),
            _intent(service, pred),
            gold_requested.get(service, ()),
            pred_requested.get(service, ()),
        )
        for service in services
    }


def _intent(service: str, state: State) -> str:
    books = any(f"{service}-{slot}" in state for slot in DOMAINS[service].book)
    return f"{'book' if books else 'find'}_{service}"


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
                for values in [goal_values(name, slot)]
            ],
            "intents": [{"name": f"{verb}_{name}"} for verb in (("find", "book") if domain.book else ("find",))],
        }
        for name, domain in DOMAINS.items()
    ]
