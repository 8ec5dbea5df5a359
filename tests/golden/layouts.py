"""The same states written in every layout that trackers are published in, with the spellings of real files."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

Value = str | int | list[str]
State = dict[str, Value]


class Turn(NamedTuple):
    """Both states of a turn, and what was said."""

    gold: State
    pred: State
    user: str
    system: str


Corpus = dict[str, list[Turn]]

CAMEL = {"leaveat": "leaveAt", "arriveby": "arriveBy", "people": "book people", "day": "book day", "stay": "book stay"}
BLANK = {"leaveat": "leave at", "arriveby": "arrive by", "people": "book_people", "pricerange": "price range"}
BOOKED = ("people", "day", "stay", "time")


def spell(slot: str, spellings: dict[str, str]) -> tuple[str, str]:
    """Domain and slot as a layout writes them; a train's day is not booked."""
    domain, _, name = slot.partition("-")
    return domain, name if (domain, name) == ("train", "day") else spellings.get(name, name)


def text_of(value: Value) -> str:
    """A value where a layout has only text."""
    return "|".join(value) if isinstance(value, list) else str(value)


def list_of(value: Value) -> list[str]:
    """A value where a layout has lists."""
    return value if isinstance(value, list) else [str(value)]


def slots_of(corpus: Corpus) -> list[str]:
    """All slots of a corpus."""
    return sorted({slot for turns in corpus.values() for turn in turns for state in turn[:2] for slot in state})


def nest(state: State, spellings: dict[str, str], every: Iterable[str] = (), absent: str = "") -> dict[str, Any]:
    """Domain, slot, value; with all slots of a schema, and a word for those that are absent."""
    nested: dict[str, Any] = {}
    for slot in [*state, *(slot for slot in every if slot not in state)]:
        domain, name = spell(slot, spellings)
        nested.setdefault(domain, {})[name] = text_of(state[slot]) if slot in state else absent
    return nested


def glue(state: State) -> list[str]:
    """Slots and values glued with hyphens."""
    return [f"{'-'.join(spell(slot, CAMEL))}-{text_of(value)}" for slot, value in state.items()]


def shuffle(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are in no order, always the same."""
    listed = list(pairs)
    random.Random(len(listed)).shuffle(listed)
    return dict(listed)


def dump(path: Path, content: Any, indent: int | None = None) -> None:
    """Writes one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=indent), "utf-8")


def pack(data: bytes) -> bytes:
    """A gzip file with the same bytes under every version of Python and zlib: stored, without time and name."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 0, packed, 0) as file:
        file.write(data)
    return packed.getvalue()


def write_native(path: Path, corpus: Corpus, *sides: str) -> None:
    """JSON lines with one side or both."""
    lines = []
    for name, turns in corpus.items():
        kept = [
            {"turn": number, **{side: getattr(turn, side) for side in sides or Turn._fields}}
            for number, turn in enumerate(turns)
        ]
        lines.append(json.dumps({"dialogue_id": name, "turns": kept}, ensure_ascii=False) + "\n")
    path.write_text("".join(lines), "utf-8")


def write_llm(path: Path, corpus: Corpus) -> None:
    """Completions in the ways that models answer."""
    rows = []
    for name, turns in corpus.items():
        for number, turn in enumerate(turns):
            nested, flat = nest(turn.pred, BLANK), {slot: text_of(value) for slot, value in turn.pred.items()}
            completion = (
                f"Sure! Here is the state:\n```json\n{json.dumps(nested, indent=2)}\n```\nAnything else?",
                json.dumps(flat),
                f"The state is {nested!r}.",
                "\n".join(f"{slot} = {value}" for slot, value in flat.items()) or "{}",
                "<think>What did the user say?</think>" + json.dumps({"state": nested}),
                "I am sorry, I cannot tell." if number % 2 else "",
            )[(number + len(turns)) % 6]
            rows.append({"dialogue_id": name, "turn": number, "gold": turn.gold, "completion": completion})
    random.Random(5).shuffle(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def write_nested(path: Path, corpus: Corpus) -> None:
    """Domain, slot, value; numbers and lists as they are on the gold side."""
    document = {}
    for name, turns in corpus.items():
        entries = []
        for number, turn in enumerate(turns):
            gold: dict[str, Any] = {}
            for slot, value in turn.gold.items():
                domain, spelled = spell(slot, CAMEL)
                gold.setdefault(domain, {})[spelled] = value
            entries.append((str(number), {"gt": gold, "pr": nest(turn.pred, BLANK)}))
        document[name] = shuffle(entries)
    dump(path, shuffle(document.items()))


def write_fga_text(path: Path, corpus: Corpus) -> None:
    """Sheets for people."""
    lines = []
    for name, turns in corpus.items():
        lines.append(f"Dialogue ID : {name}")
        for number, turn in enumerate(turns):
            lines += ["-" * 22, f"Turn: {number}", f"Sys : {turn.system} ", f"Usr : {turn.user}", ""]
            for label, state in (("GT", turn.gold), ("PR", turn.pred)):
                lines.append(f"{label}  : {nest(state, CAMEL) or '{{}}'}")
            lines += ["", f"Matched : {turn.gold == turn.pred}", ""]
    path.write_text("\n".join(lines), "utf-8")


def write_trade(path: Path, corpus: Corpus) -> None:
    """Pairs glued with hyphens, by turn."""
    document = {
        name: shuffle(
            (str(number), {"turn_belief": glue(turn.gold), "pred_bs_ptr": glue(turn.pred)[::-1]})
            for number, turn in enumerate(turns)
        )
        for name, turns in corpus.items()
    }
    dump(path, document, 1)


def write_trade_domains(path: Path, corpus: Corpus) -> None:
    """The same with the domains of a dialogue, under another key."""
    document = {
        name: {
            "domain": "hotel",
            "turns": {
                str(number): {"turn_belief": glue(turn.gold), "pred_belief": glue(turn.pred)}
                for number, turn in enumerate(turns)
            },
        }
        for name, turns in corpus.items()
    }
    dump(path, document)


def write_som_dst(path: Path, corpus: Corpus) -> None:
    """One key for dialogue and turn."""
    pairs = [
        (f"{name}_{number}", [glue(turn.pred), glue(turn.gold)])
        for name, turns in corpus.items()
        for number, turn in enumerate(turns)
    ]
    dump(path, shuffle(pairs))


def write_trippy(path: Path, corpus: Corpus) -> None:
    """Updates only, with every slot at every turn, from the last turn to the first."""

    def update(slot: str, now: State, before: State) -> str:
        return "none" if slot not in now or now[slot] == before.get(slot) else text_of(now[slot])

    slots, entries = slots_of(corpus), []
    for name, turns in corpus.items():
        before = Turn({}, {}, "", "")
        for number, turn in enumerate(turns):
            entry: dict[str, Any] = {"guid": ["test", name, str(number)]}
            for slot in slots:
                written = "-".join(spell(slot, BLANK))
                entry[f"class_prediction_{written}"] = int(slot in turn.pred)
                entry[f"slot_prediction_{written}"] = update(slot, turn.pred, before.pred)
                entry[f"slot_groundtruth_{written}"] = update(slot, turn.gold, before.gold)
            before = turn
            entries.append(entry)
    dump(path, entries[::-1])


def write_vectors(path: Path, corpus: Corpus) -> None:
    """Which slots are right."""
    slots = slots_of(corpus)
    document = {
        name: {
            str(number): [int(turn.gold.get(slot) == turn.pred.get(slot)) for slot in slots]
            for number, turn in enumerate(turns)
        }
        for name, turns in corpus.items()
    }
    dump(path, document)


def write_sgd(folder: Path, corpus: Corpus) -> None:
    """A folder for gold and one for predictions, each with a schema; a frame only where gold or prediction has changed."""
    slots = slots_of(corpus)
    schema = [
        {
            "service_name": service,
            "description": f"find a {service}",
            "slots": [
                {
                    "name": spell(slot, CAMEL)[1],
                    "is_categorical": slot.endswith(("area", "stars")),
                    "possible_values": ["north", "3", "4"] if slot.endswith(("area", "stars")) else [],
                }
                for slot in slots
                if slot.startswith(f"{service}-")
            ],
            "intents": [{"name": f"find_{service}", "required_slots": [], "optional_slots": {}}],
        }
        for service in sorted({slot.partition("-")[0] for slot in slots})
    ]
    for side in ("gold", "pred"):
        dialogues = [_sgd_dialogue(name, turns, side) for name, turns in corpus.items()]
        half = len(dialogues) // 2
        dump(folder / side / "dialogues_001.json", dialogues[:half], 1)
        (folder / side / "dialogues_002.json.gz").write_bytes(pack(json.dumps(dialogues[half:]).encode()))
        dump(folder / side / "schema.json", schema)
    dump(folder / "train" / "schema.json", schema[::2])


def _sgd_dialogue(name: str, turns: list[Turn], side: str) -> dict[str, Any]:
    written: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for number, turn in enumerate(turns):
        if number:
            written.append({"speaker": "SYSTEM", "utterance": turn.system, "frames": []})
        both = {"gold": _sgd_values(turn.gold), "pred": _sgd_values(turn.pred)}
        now = both[side]
        frames = [
            {
                "service": service,
                "slots": [],
                "state": {
                    "active_intent": f"find_{service}" if number % 3 or side == "gold" else "NONE",
                    "requested_slots": ["phone", "postcode"][: number % 2 + (side == "gold")],
                    "slot_values": now.get(service, {}),
                },
            }
            for service in sorted({service for state in (*before.values(), *both.values()) for service in state})
            if any(before.get(each, {}).get(service) != both[each].get(service) for each in both)
        ]
        written.append({"speaker": "USER", "utterance": turn.user, "frames": frames})
        before = both
    return {"dialogue_id": name, "services": [], "turns": written}


def _sgd_values(state: State) -> dict[str, dict[str, list[str]]]:
    values: dict[str, dict[str, list[str]]] = {}
    for slot, value in state.items():
        domain, spelled = spell(slot, CAMEL)
        values.setdefault(domain, {})[spelled] = list_of(value)
    return values


def write_mwzeval(path: Path, corpus: Corpus) -> None:
    """Predictions only, with ids in lower case."""
    document = {
        name.lower().removesuffix(".json"): [
            {"response": "ok", "state": nest(turn.pred, BLANK), "active_domains": ["hotel"]} for turn in turns
        ]
        for name, turns in corpus.items()
    }
    dump(path, document, 0)


def write_convlab3(path: Path, corpus: Corpus) -> None:
    """One entry per user turn, with every slot of the schema."""
    slots = slots_of(corpus)
    entries = [
        {
            "dialogue_id": name,
            "utt_idx": 2 * number,
            "utterance": turn.user,
            "state": nest(turn.gold, CAMEL, slots),
            "predictions": {"state": nest(turn.pred, BLANK)},
        }
        for name, turns in corpus.items()
        for number, turn in enumerate(turns)
    ]
    random.Random(3).shuffle(entries)
    dump(path, entries)


def write_t5_text(path: Path, corpus: Corpus) -> None:
    """One line per turn, states as texts."""
    rows = [
        {"predictions": bracket(nest(turn.pred, BLANK)), "state_seq": bracket(nest(turn.gold, CAMEL))}
        for turns in corpus.values()
        for turn in turns
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def bracket(nested: dict[str, Any]) -> str:
    """A state as T5 writes it."""
    return ";".join(
        f"[{domain}]({','.join(f'[{slot}][{value}]' for slot, value in slots.items())})"
        for domain, slots in nested.items()
    )


def write_dstc10(path: Path, corpus: Corpus, side: str) -> None:
    """Every turn by itself, in two halves, with lists as values."""
    instances: list[dict[str, Any]] = []
    for turns in corpus.values():
        for turn in turns:
            instance: dict[str, Any] = {}
            for slot, value in getattr(turn, side).items():
                domain, name = spell(slot, {})
                half = "book" if name in BOOKED and domain != "train" else "semi"
                instance.setdefault(domain, {}).setdefault(half, {})[name] = list_of(value)
            instances.append(instance)
    dump(path, instances, 1)


def write_multiwoz(path: Path, corpus: Corpus) -> None:
    """The layout of MultiWOZ 2.1: gold only."""
    slots, document = slots_of(corpus), {}
    for name, turns in corpus.items():
        log: list[dict[str, Any]] = []
        for turn in turns:
            metadata: dict[str, Any] = {}
            for domain, filled in nest(turn.gold, {"leaveat": "leaveAt", "arriveby": "arriveBy"}, slots).items():
                semi = {slot: value or "not mentioned" for slot, value in filled.items() if slot not in BOOKED}
                book = {slot: value for slot, value in filled.items() if slot in BOOKED}
                metadata[domain] = {"book": {"booked": [], **book}, "semi": semi}
            log += [{"text": turn.user, "metadata": {}}, {"text": turn.system or "ok", "metadata": metadata}]
        document[name] = {"goal": {}, "log": log}
    dump(path, document)


def write_test_dials(path: Path, corpus: Corpus) -> None:
    """The layout of TRADE's prepared MultiWOZ: gold only."""
    document = [
        {
            "dialogue_idx": name,
            "domains": ["hotel"],
            "dialogue": [
                {
                    "turn_idx": number,
                    "belief_state": [
                        {"slots": [["-".join(spell(slot, CAMEL)), text_of(value)]], "act": "inform"}
                        for slot, value in turn.gold.items()
                    ],
                    "system_transcript": turn.system,
                    "transcript": turn.user,
                }
                for number, turn in enumerate(turns)
            ],
        }
        for name, turns in corpus.items()
    ]
    dump(path, document)


WRITERS: dict[str, Callable[[Path, Corpus], None]] = {
    "native.jsonl": write_native,
    "llm.jsonl": write_llm,
    "nested.json": write_nested,
    "fga.txt": write_fga_text,
    "trade.json": write_trade,
    "trade_domains.json": write_trade_domains,
    "som.json": write_som_dst,
    "trippy.json": write_trippy,
    "vectors.json": write_vectors,
    "sgd": write_sgd,
    "mwzeval.json": write_mwzeval,
    "convlab3.json": write_convlab3,
    "t5.jsonl": write_t5_text,
    "data.json": write_multiwoz,
    "test_dials.json": write_test_dials,
}
"""File names, and who writes them."""
