"""Encode dialogue states in the formats of published files, one function per format.

Each function takes one conversation. It returns the fragments of the prediction file, which also holds gold if the
format has both, and the fragments of the gold file. If a format cannot hold something, the docstring says so.
"""

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from real_states import BOOK_SLOTS, State, invent_talk

Encoded: TypeAlias = tuple[list[bytes], list[bytes]]
"""Fragments of the prediction file and of the gold file."""


def dump(content: object) -> bytes:
    """Encode a value as JSON, with Python's default separators."""
    return json.dumps(content).encode()


def dump_item(key: str, content: object) -> bytes:
    """Encode one item of a JSON object."""
    return dump(key) + b": " + dump(content)


Spelling: TypeAlias = Callable[[str, str], str]


def spell_native(domain: str, slot: str) -> str:
    """`train-arriveBy`, `hotel-book day`"""
    if (domain, slot) in BOOK_SLOTS:
        return f"book {slot}"
    return {"leaveat": "leaveAt", "arriveby": "arriveBy"}.get(slot, slot)


def spell_trade(domain: str, slot: str) -> str:
    """`train-arriveby`, `hotel-book day`"""
    return f"book {slot}" if (domain, slot) in BOOK_SLOTS else slot


def spell_trippy(domain: str, slot: str) -> str:
    """`train-arriveBy`, `hotel-book_day`"""
    return spell_native(domain, slot).replace(" ", "_")


def spell_convlab3(domain: str, slot: str) -> str:
    """`arrive by`, `book day`, `price range`"""
    spaced = {"leaveat": "leave at", "arriveby": "arrive by", "pricerange": "price range"}
    return spaced.get(slot, spell_trade(domain, slot))


def spell_multiwoz22(domain: str, slot: str) -> str:
    """`hotel-bookday`, `train-arriveby`, with the domain as in MultiWOZ 2.2"""
    return f"{domain}-book{slot}" if (domain, slot) in BOOK_SLOTS else f"{domain}-{slot}"


def _flat(state: State, spell: Spelling) -> dict[str, str]:
    return {
        f"{domain}-{spell(domain, slot)}": value for domain, slots in state.items() for slot, value in slots.items()
    }


def _glued(state: State) -> list[str]:
    return [f"{slot}-{value}" for slot, value in _flat(state, spell_trade).items()]


def _respelled(state: State, spell: Spelling) -> State:
    return {domain: {spell(domain, slot): value for slot, value in slots.items()} for domain, slots in state.items()}


ONTOLOGY: dict[str, tuple[str, ...]] = {
    "attraction": ("area", "name", "type"),
    "hotel": ("area", "day", "internet", "name", "parking", "people", "pricerange", "stars", "stay", "type"),
    "restaurant": ("area", "day", "food", "name", "people", "pricerange", "time"),
    "taxi": ("arriveby", "departure", "destination", "leaveat"),
    "train": ("arriveby", "day", "departure", "destination", "leaveat", "people"),
}


class ConversationStates(NamedTuple):
    """A conversation with short slot names, ready to be written."""

    id: str
    gold: list[State]
    pred: list[State]
    rng: random.Random


def encode_native(turns: ConversationStates, with_talk: bool) -> Encoded:
    written: list[dict[str, Any]] = []
    reply = ""
    for number, (gold, pred) in enumerate(zip(turns.gold, turns.pred, strict=True)):
        written.append({"turn": number, "gold": _flat(gold, spell_native), "pred": _flat(pred, spell_native)})
        if with_talk:
            user, answer = invent_talk(turns.rng)
            written[-1] |= {"user": user} | ({"system": reply} if reply else {})
            reply = answer
    line = {"dialogue_id": turns.id, "turns": written}
    return [json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()], []


def encode_nested(turns: ConversationStates) -> Encoded:
    both = zip(turns.gold, turns.pred, strict=True)
    return [dump_item(turns.id, {str(n): {"gt": gold, "pr": pred} for n, (gold, pred) in enumerate(both)})], []


def encode_trade(turns: ConversationStates) -> Encoded:
    both = zip(turns.gold, turns.pred, strict=True)
    held = {str(n): {"turn_belief": _glued(gold), "pred_bs_ptr": _glued(pred)} for n, (gold, pred) in enumerate(both)}
    return [dump_item(turns.id, held)], []


def encode_som_dst(turns: ConversationStates) -> Encoded:
    both = zip(turns.gold, turns.pred, strict=True)
    return [dump_item(f"{turns.id}_{n}", [_glued(pred), _glued(gold)]) for n, (gold, pred) in enumerate(both)], []


def encode_trippy(turns: ConversationStates) -> Encoded:
    """Encode updates for a fixed list of slots.

    The format cannot hold removed slots, nor slots outside its list (damd predicts a few): both are lost.
    """
    entries = []
    old_gold: dict[str, str] = {}
    old_pred: dict[str, str] = {}
    slots = [f"{domain}-{spell_trippy(domain, slot)}" for domain, names in ONTOLOGY.items() for slot in names]
    for number, states in enumerate(zip(turns.gold, turns.pred, strict=True)):
        gold, pred = (_flat(state, spell_trippy) for state in states)
        entry: dict[str, Any] = {"guid": ["test", turns.id, str(number)]}
        for slot in slots:
            value = pred.get(slot, "none")
            predicted = "none" if old_pred.get(slot) == value else value
            value = gold.get(slot, "none")
            expected = "none" if old_gold.get(slot) == value else value
            entry[f"class_prediction_{slot}"] = 0 if predicted == "none" else 2
            entry[f"class_label_id_{slot}"] = 0 if expected == "none" else 2
            entry[f"slot_prediction_{slot}"] = predicted
            entry[f"slot_groundtruth_{slot}"] = expected
        entries.append(dump(entry))
        old_gold, old_pred = gold, pred
    return entries, []


def encode_dstc10(turns: ConversationStates) -> Encoded:
    """Encode one instance per turn. The format cannot hold dialogues, ids or turn numbers: every turn is independent."""
    return [dump(_sections(state)) for state in turns.pred], [dump(_sections(state)) for state in turns.gold]


def _sections(state: State) -> dict[str, dict[str, dict[str, list[str]]]]:
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            section = "book" if (domain, slot) in BOOK_SLOTS else "semi"
            found.setdefault(domain, {}).setdefault(section, {})[slot] = [value]
    return found


def encode_convlab3(turns: ConversationStates) -> Encoded:
    """Encode gold with every slot of the ontology, "" if it has no value. The context of an utterance is not written."""
    entries = []
    empty = {domain: {spell_convlab3(domain, slot): "" for slot in slots} for domain, slots in ONTOLOGY.items()}
    for number, (gold, pred) in enumerate(zip(turns.gold, turns.pred, strict=True)):
        filled = _respelled(gold, spell_convlab3)
        entry = {
            "dialogue_id": turns.id,
            "utt_idx": 2 * number,
            "speaker": "user",
            "utterance": invent_talk(turns.rng)[0],
            "state": {domain: {**slots, **filled.get(domain, {})} for domain, slots in empty.items()},
            "predictions": {"state": _respelled(pred, spell_convlab3)},
        }
        entries.append(dump(entry))
    return entries, []


def encode_sgd(turns: ConversationStates) -> Encoded:
    """Encode as in MultiWOZ 2.2: a domain is a service.

    The published states have no intents, so an intent is made from each state. Requested slots and actions are
    empty. The few predictions for domains outside the ontology (damd, hospital) are lost, because they have no service.
    """
    talk = [invent_talk(turns.rng) for _ in turns.gold]
    services = [domain for domain in ONTOLOGY if any(domain in state for state in (*turns.gold, *turns.pred))]
    sides = []
    for states in (turns.pred, turns.gold):
        written: list[dict[str, Any]] = []
        for state, (user, system) in zip(states, talk, strict=True):
            frames = [
                {
                    "service": service,
                    "slots": [],
                    "actions": [],
                    "state": {
                        "active_intent": f"find_{service}" if service in state else "NONE",
                        "requested_slots": [],
                        "slot_values": {
                            spell_multiwoz22(service, slot): [value] for slot, value in state.get(service, {}).items()
                        },
                    },
                }
                for service in services
            ]
            written.append({"speaker": "USER", "utterance": user, "frames": frames})
            written.append({"speaker": "SYSTEM", "utterance": system, "frames": []})
        sides.append([dump({"dialogue_id": turns.id, "services": services, "turns": written})])
    return sides[0], sides[1]


def multiwoz_schema() -> bytes:
    categorical = {"area", "day", "internet", "parking", "people", "pricerange", "stars", "stay"}
    # damd also predicts slots that MultiWOZ does not have; a schema names every slot.
    slots = sorted({slot for names in ONTOLOGY.values() for slot in names})
    services = [
        {
            "service_name": domain,
            "slots": [
                {"name": spell_multiwoz22(domain, slot), "is_categorical": slot in categorical} for slot in slots
            ],
        }
        for domain in ONTOLOGY
    ]
    return dump(services)


def encode_completions(turns: ConversationStates) -> Encoded:
    lines = []
    for number, (gold, pred) in enumerate(zip(turns.gold, turns.pred, strict=True)):
        line = {
            "dialogue_id": turns.id,
            "turn": number,
            "completion": _complete(pred, turns.rng),
            "gold": _flat(gold, spell_native),
        }
        lines.append(dump(line))
    return lines, []


def _complete(state: State, rng: random.Random) -> str:
    """Return a possible answer of a language model: mostly JSON in a code fence, sometimes another format."""
    kind = rng.random()
    nested = _respelled(state, spell_native)
    if kind < 0.6 or not state:
        return f"Here is the dialogue state after this turn:\n```json\n{json.dumps(nested, indent=2)}\n```"
    if kind < 0.75:
        return f"The user adds to what was said before. Final state: {json.dumps(_flat(state, spell_native))}"
    if kind < 0.85:
        return json.dumps(nested)
    if kind < 0.92:
        return f"<think>The user did not change the earlier wishes.</think>\n{nested!r}"
    return "\n".join(f"{slot} = {value}" for slot, value in _flat(state, spell_native).items())
