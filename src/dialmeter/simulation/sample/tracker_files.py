"""Files of trackers: predictions with gold, gold alone, completions, shares of training data, frames with a schema."""

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
"""Share of the training data → how often the invented tracker finds a value."""
SHARE_SEEDS = (1, 2)
_MOST_CATEGORIES = 10


def tracker_dialogues(talks: Iterable[Conversation], key: str = "pred") -> list[Dialogue]:
    """Dialogues with gold and the states of one tracker, and what was said.

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
    """Dialogues as native JSON lines."""
    return b"".join(map(encode_dialogue, dialogues))


def gold_only(dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """The same dialogues without predictions.

    Example:
        >>> gold_only([Dialogue("d1", (Turn(0, gold={"hotel-area": "east"}, pred={}),))])[0].turns[0].pred is None
        True
    """
    return [Dialogue(each.id, tuple(structs.replace(turn, pred=None) for turn in each.turns)) for each in dialogues]


def completions(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    """Predicted states as a language model writes them: JSON in a sentence, JSON in a fence, or a list, in turn.

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
    """Invented predictions for a few-shot curve: more training data, more values that are found. One file per share and seed.

    Example:
        >>> [name for name, _ in share_files([])][:2]
        ['ratio_0.01_seed_1.jsonl', 'ratio_0.01_seed_2.jsonl']
    """
    for share, known in SHARES.items():
        for seed in SHARE_SEEDS:
            found = [_partly_known(each, known, Random(f"{share} {seed} {each.id}")) for each in dialogues]
            yield f"ratio_{share:g}_seed_{seed}.jsonl", lines(found)


def _partly_known(dialogue: Dialogue, known: float, rng: Random) -> Dialogue:
    """A dialogue in which each pair of slot and value of gold is found, from its first turn on, with a probability."""
    drawn: dict[tuple[str, object], bool] = {}
    found = []
    for turn in dialogue.turns:
        for pair in (turn.gold or {}).items():
            if pair not in drawn:
                drawn[pair] = rng.random() < known
        kept = {slot: value for slot, value in (turn.gold or {}).items() if drawn[slot, value]}
        found.append(structs.replace(_bare(turn), pred=kept))
    return Dialogue(dialogue.id, tuple(found))


def _bare(turn: Turn) -> Turn:
    return structs.replace(turn, user="", system="")


def framed(talks: Iterable[Conversation], dialogues: Iterable[Dialogue]) -> list[Dialogue]:
    """Dialogues with frames: the intent and the requested slots of each service, as in schema-guided corpora."""
    found = []
    for talk, each in zip(talks, dialogues, strict=True):
        said = [_requested(move.acts or ()) for move in talk.moves if move.speaker == USER]
        heard = [_requested(move.understood or ()) for move in talk.moves if move.speaker == SYSTEM]
        shown = [
            structs.replace(_bare(turn), frames=_frames(turn, asked, understood))
            for turn, asked, understood in zip(each.turns, said, heard, strict=True)
        ]
        found.append(Dialogue(each.id, tuple(shown)))
    return found


def _requested(acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
    asked: dict[str, dict[str, None]] = {}
    for act in acts:
        if intent_of(act.name) == "request" and act.slot and act.service in DOMAINS:
            asked.setdefault(act.service, {})[act.slot] = None
    return {service: tuple(slots) for service, slots in asked.items()}


def _frames(
    turn: Turn, asked: Mapping[str, tuple[str, ...]], understood: Mapping[str, tuple[str, ...]]
) -> dict[str, Frame]:
    gold, pred = turn.gold or {}, turn.pred or {}
    services = sorted({slot.partition("-")[0] for slot in (*gold, *pred)} | {*asked, *understood})
    return {
        service: Frame(
            _intent(service, gold), _intent(service, pred), asked.get(service, ()), understood.get(service, ())
        )
        for service in services
    }


def _intent(service: str, state: State) -> str:
    books = any(f"{service}-{slot}" in state for slot in DOMAINS[service].book)
    return f"{'book' if books else 'find'}_{service}"


def schema() -> list[dict[str, Any]]:
    """The services and slots of the town in the schema-guided format. A slot with few values is categorical.

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
